/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTIONS_OPERATORS_H
#define PHOTONIC_OPTIONS_OPERATORS_H

#include "options.h"

namespace ns3
{
namespace photonic
{

/**
 * Check what an operator graph runs on, if one is asked for, and take its defaults.
 * @param options of the run
 * @throws std::invalid_argument with one line that names the option
 */
void ReconcileOperators(Options& options);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTIONS_OPERATORS_H
