/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_OCS_ROUTES_H
#define PHOTONIC_SIP_OCS_ROUTES_H

#include "traffic-matrix.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-sip-ml
 * @brief SiP-OCS where hosts forward: which pairs get circuits if a GPU talks to more others than
 * there are switches, and by which GPUs the rest goes.
 *
 * Demands get circuits as long as both their GPUs have ports left. Each other one takes the path
 * with the fewest circuits and, of these, with the least traffic on the way. Tried are the largest
 * demands first, and those to the GPUs that are next by number, which makes equal demands a regular
 * graph; and each without and with one port of every GPU that talks for a ring through all of them.
 * The one whose circuits have the most for each byte wins (SipOcsAllocation::MaximiseWorst()). All
 * this is greedy: the least forwarding is not claimed.
 */
struct SipOcsRoutes
{
    /// A demand that is forwarded.
    struct Detour
    {
        /// GPU that sends.
        uint32_t source;
        /// GPU that receives.
        uint32_t destination;
        std::vector<uint32_t> hosts; ///< GPUs that pass it on, in order; at least one
    };

    /// Detours, by source, then destination.
    std::vector<Detour> detours;

    /// Bytes for each circuit's two ends, own and forwarded ones: to be served by
    /// SipOcsAllocation::MaximiseWorst().
    TrafficMatrix links;

    /// Bytes that hosts pass on, counted at each of them.
    uint64_t forwarded;

    /**
     * @param demand bytes of the whole step
     * @param switches number K of them, at least 1 (else std::invalid_argument)
     * @return the routes; without detours if no GPU has more than K destinations or sources
     */
    static SipOcsRoutes Find(const TrafficMatrix& demand, uint32_t switches);
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_OCS_ROUTES_H
