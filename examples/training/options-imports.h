/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTIONS_IMPORTS_H
#define PHOTONIC_OPTIONS_IMPORTS_H

#include "options-table.h"

namespace ns3
{
namespace photonic
{

/**
 * @return the form of --import: an existing file is a SimAI workload, which is read; the prefix of
 *         an existing PREFIX.0.et, or a directory with one, is that of Chakra traces, of which
 * there are as many as GPUs
 */
Form Import();

/// @return the form of --export: a prefix of files in a directory that exists
Form Export();

/**
 * Check what is imported and exported against the rest.
 * @param options of the run, with degrees
 * @throws std::invalid_argument with one line that names the option
 */
void ReconcileImports(Options& options);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTIONS_IMPORTS_H
