/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_RING_COLOURING_H
#define PHOTONIC_SIP_RING_COLOURING_H

#include "sip-ring-allocation.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-sip-ml
 * @brief Gives wavelengths to an allocation that only says how many.
 *
 * That no segment carries more wavelengths than there are is not enough: three clockwise lightpaths
 * of two segments each on a ring of three GPUs load every segment twice, yet need three.
 */
struct SipRingColouring
{
    /// How many wavelengths a pair of GPUs has in a direction of a ring.
    struct Load
    {
        /// Way round the ring.
        SipRingAllocation::Direction direction;
        /// Number, from 0.
        uint32_t ring;
        /// GPU that sends.
        uint32_t source;
        /// GPU that receives.
        uint32_t destination;
        /// How many it needs.
        uint32_t wavelengths;
    };

    /**
     * Exact where it answers: by heuristics if they find wavelengths, else by branch and bound.
     * @param gpus number of them
     * @param ring fibres
     * @param loads the allocation
     * @param steps of the search in a direction of a ring, at most
     * @return the lightpaths, by ring and direction, then wavelength and first segment
     * @throws std::invalid_argument if a load has no such ring, GPU or reach, if a segment carries
     *         too many, or if there are no such wavelengths all the same
     * @throws std::runtime_error if the search takes more steps
     */
    static std::vector<SipRingAllocation::Lightpath> Colour(
        uint32_t gpus,
        const SipRing& ring,
        const std::vector<Load>& loads,
        uint64_t steps = SipRingAllocation::STEPS);
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_RING_COLOURING_H
