/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_OCS_ALLOCATION_H
#define PHOTONIC_SIP_OCS_ALLOCATION_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-sip-ml SiP-ML
 * @ingroup photonic-rails
 * @brief Ports and wavelengths of silicon-photonic fabrics for a job's traffic.
 */

/// Bytes by sender and receiver; the diagonal is not looked at.
using TrafficBySender = std::vector<std::vector<uint64_t>>;

/**
 * @ingroup photonic-rails-sip-ml
 * @brief How many circuits of K parallel switches join each pair, for a whole job (SiP-OCS
 *        one-shot; SiP-ML, SIGCOMM 2021).
 *
 * Maximises z such that every pair has at least z circuits for each byte of its demand. Circuits
 * of K switches, each a partial permutation, are the integer matrices whose rows and columns add up
 * to at most K (Koenig 1916), so that the least matrix for a z is each demand times z, rounded up,
 * and z is found by bisection among the values at which one of these changes: exactly, in
 * polynomial time. What is left goes, one circuit at a time, to the pair that has the fewest
 * circuits for its demand among those that still can have one.
 *
 * @param traffic demand; square
 * @param switches K
 * @return circuits by sender and receiver; none at all without demand
 * @throws std::invalid_argument naming a GPU that sends to, or hears from, more than K others
 */
std::vector<std::vector<uint32_t>> AllocateSipOcs(const TrafficBySender& traffic,
                                                  uint32_t switches);

/**
 * @ingroup photonic-rails-sip-ml
 * @brief Share circuits out over parallel switches: a colouring of the edges of a bipartite
 *        multigraph, by alternating paths.
 *
 * @param circuits by sender and receiver; rows and columns add up to at most switches (else
 *        std::invalid_argument)
 * @param switches K
 * @return for each switch and sender the receiver, the sender itself if its port is idle
 */
std::vector<std::vector<uint32_t>> SplitIntoPermutations(
    const std::vector<std::vector<uint32_t>>& circuits,
    uint32_t switches);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_OCS_ALLOCATION_H
