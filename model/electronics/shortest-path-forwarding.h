/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SHORTEST_PATH_FORWARDING_H
#define PHOTONIC_SHORTEST_PATH_FORWARDING_H

#include "packet-switch.h"

#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-electronics
 * Fill the forwarding tables of a fabric from its wiring: for each range of hosts all ports on
 * shortest paths; for group addresses the edges of a tree. Switches whose EcmpSeed is 0 get seeds
 * of their own: 1 for the first, 2 for the second, and so on.
 * @param switches all switches of the fabric, wired, with devices that have host addresses (see
 *        MakeHostAddress()), each another one (else std::invalid_argument)
 */
void InstallShortestPaths(const std::vector<Ptr<PacketSwitch>>& switches);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SHORTEST_PATH_FORWARDING_H
