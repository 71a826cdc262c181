/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_ARC_PROBLEM_H
#define PHOTONIC_SIP_ARC_PROBLEM_H

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-sip-ml
 * @brief Arcs to be placed on circles so that none overlap: wavelengths without converters.
 *
 * Each wavelength of a fibre is a circle of as many segments as there are GPUs, of one of two
 * directions; all circles of a direction are alike. Segment i lies between GPUs i and i + 1.
 */
struct SipArcProblem
{
    static constexpr uint32_t DIRECTIONS = 2; ///< clockwise, which is upwards, comes first

    /// What a pair of GPUs occupies in each direction.
    struct Arc
    {
        std::array<uint32_t, DIRECTIONS> start;  ///< first segment, counted clockwise
        std::array<uint32_t, DIRECTIONS> length; ///< segments; 0: not in this direction
    };

    uint32_t segments;                        ///< of a circle, n
    std::array<uint32_t, DIRECTIONS> circles; ///< in each direction
    std::vector<Arc> arcs;                    ///< one for each pair

    /**
     * @param gpus number n of them
     * @param source GPU
     * @param destination another one
     * @param reach most segments
     * @return its arcs, of those directions in which it has no more than reach segments
     */
    static Arc GetArc(uint32_t gpus, uint32_t source, uint32_t destination, uint32_t reach);

    /**
     * What is easy to see: the load of arcs that have one direction only on each segment, all
     * demand across each cut of the ring in two, and the shorter lengths of all arcs.
     * @param counts how often each arc is to be placed
     * @return false if that cannot be
     */
    bool MayFit(const std::vector<uint32_t>& counts) const;

  private:
    bool MayFitSegments(const std::vector<uint32_t>& counts) const;
    bool MayFitCuts(const std::vector<uint32_t>& counts) const;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_ARC_PROBLEM_H
