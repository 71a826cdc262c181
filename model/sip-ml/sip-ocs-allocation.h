/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_OCS_ALLOCATION_H
#define PHOTONIC_SIP_OCS_ALLOCATION_H

#include "sip-share.h"
#include "traffic-matrix.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-sip-ml
 * @brief The permutations of SiP-OCS: parallel optical circuit switches, to each of which every
 * GPU has one port.
 */
struct SipOcsAllocation
{
    /// The circuits of a pair with demand.
    struct Pair
    {
        /// GPU that sends.
        uint32_t source;
        /// GPU that receives.
        uint32_t destination;
        /// Ports that it has at either end.
        uint32_t circuits;
    };

    /// Pairs with demand, by source, then destination; no demand, no pairs.
    std::vector<Pair> pairs;

    /**
     * For each switch the GPU that each GPU sends to, itself if it is idle. Empty without demand:
     * keep the present circuits. Circuits that no pair counts make a permutation complete; they
     * lead to where nothing has to go, unless a limit kept them from being counted.
     */
    std::vector<std::vector<uint32_t>> permutations;

    /// The smallest number of circuits per byte of all pairs.
    SipShare worst{0, 1};

    /**
     * One-shot: the largest z so that every pair has z circuits times its share of the largest
     * demand, exactly. What is left goes, circuit by circuit, to the pair with the fewest circuits
     * per byte whose two GPUs have ports left (of equal ones the larger demand, then the lower
     * source and destination), so that no port is idle that could serve a demand.
     * @param demand bytes of the whole step
     * @param switches number K of them, at least 1
     * @return the allocation
     * @throws std::invalid_argument if a GPU has more destinations or more sources than switches
     */
    static SipOcsAllocation MaximiseWorst(const TrafficMatrix& demand, uint32_t switches);

    /**
     * Periodic: the largest sum of demand times circuits, exactly. Without a limit all switches
     * have the same permutation, as the problem decouples into equal ones; pairs may get nothing.
     * @param demand bytes outstanding
     * @param switches number K of them, at least 1
     * @param limit circuits of a pair, at most; at least 1
     * @return the allocation
     * @throws std::invalid_argument if there are no switches or the limit is 0
     */
    static SipOcsAllocation MaximiseTotal(const TrafficMatrix& demand,
                                          uint32_t switches,
                                          uint32_t limit = UINT32_MAX);
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_OCS_ALLOCATION_H
