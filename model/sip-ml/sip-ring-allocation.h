/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_RING_ALLOCATION_H
#define PHOTONIC_SIP_RING_ALLOCATION_H

#include "sip-share.h"
#include "traffic-matrix.h"

#include "ns3/wdm-ring.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-sip-ml
 * @brief The fibres of SiP-Ring, which pass all GPUs in cyclic order, in both directions.
 */
struct SipRing
{
    uint32_t rings;       ///< fibres in each direction, at least 1
    uint32_t wavelengths; ///< W' of a fibre, at least 1
    uint32_t reach{16};   ///< segments of a lightpath at most, at least 1

    /// @throws std::invalid_argument if a number is 0 or there are more than 2^16 wavelengths
    void Check() const;
};

/**
 * @ingroup photonic-rails-sip-ml
 * @brief The wavelengths of SiP-Ring. Nothing converts them, so a lightpath has one from end to
 * end, which lightpaths on other segments of its fibre may have, too.
 */
struct SipRingAllocation
{
    /// Moves of arcs that raise the smallest share, as far as they ever did.
    static constexpr uint32_t MOVES = 50'000;

    /// Steps for branch and bound that take seconds, not minutes.
    static constexpr uint64_t STEPS = 1'000'000;

    /// Way round a ring.
    using Direction = WdmRing::Direction;
    /// Wavelength on segments of a ring.
    using Lightpath = WdmRing::Lightpath;

    /**
     * By direction, ring, wavelength and first segment. Empty without demand: keep the present
     * lightpaths.
     */
    std::vector<Lightpath> lightpaths;

    /// The smallest number of wavelengths per byte of all pairs with demand; it may be 0.
    SipShare worst{0, 1};

    /// No allocation has a larger smallest share: what is left of a heuristic's doubt.
    SipShare bound{0, 1};

    /**
     * Make the smallest number of wavelengths per byte large, by polynomial heuristics. What is
     * left goes, wavelength by wavelength, to the pair with the fewest per byte for which there is
     * a gap (of equal ones the larger demand, then the lower source and destination).
     * @param demand bytes
     * @param ring fibres
     * @param moves of arcs, at most, to come closer to the bound; none: the search by halves only
     * @return the allocation; pairs may have no wavelength where there are too few for all
     * @throws std::invalid_argument if the reach is too short for a pair
     */
    static SipRingAllocation Allocate(const TrafficMatrix& demand,
                                      const SipRing& ring,
                                      uint32_t moves = MOVES);

    /**
     * The same with the largest possible smallest number of wavelengths per byte, by branch and
     * bound: for small cases.
     * @param demand bytes
     * @param ring fibres
     * @param steps of the search, at most
     * @return the allocation
     * @throws std::invalid_argument if the reach is too short for a pair
     * @throws std::runtime_error if the search takes more steps
     */
    static SipRingAllocation AllocateExactly(const TrafficMatrix& demand,
                                             const SipRing& ring,
                                             uint64_t steps = STEPS);
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_RING_ALLOCATION_H
