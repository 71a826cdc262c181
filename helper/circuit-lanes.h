/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CIRCUIT_LANES_H
#define PHOTONIC_CIRCUIT_LANES_H

#include "ns3/communicator.h"
#include "ns3/parallel-plan.h"

#include <map>
#include <vector>

namespace ns3
{
namespace photonic
{

/// Lanes of a rank's groups that leave the node, by identity of the group.
using LanesOfGroups = std::map<uint32_t, std::vector<Communicator::Lane>>;

/**
 * @ingroup photonic-rails-helper
 * @brief Which ports the groups of a job use, where parallel switches hold simplex circuits.
 *
 * Port k of a rank is on switch k. A ring has lanes in pairs, one each way, as many as circuits
 * join each member to the next one and to the one before, at the member that has the fewest. Two
 * ranks have as many lanes as circuits join them in the direction that has fewer.
 *
 * @param plan who is where
 * @param permutations of each switch: for each rank the one that hears it, itself if nobody
 * @return lanes by rank
 * @throws std::invalid_argument naming two ranks of a group that no circuit joins
 */
std::vector<LanesOfGroups> FindCircuitLanes(const ParallelPlan& plan,
                                            const std::vector<std::vector<uint32_t>>& permutations);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CIRCUIT_LANES_H
