/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTIONS_SIP_H
#define PHOTONIC_OPTIONS_SIP_H

#include "options.h"

namespace ns3
{
namespace photonic
{

/**
 * Complete who shares the wavelengths of a SiP fabric and how long circuits stay, and check whether
 * that can be.
 * @param options with --fabric=sip-ocs or sip-ring
 * @throws std::invalid_argument with one line
 */
void ReconcileSip(Options& options);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTIONS_SIP_H
