/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_ARC_PACKING_H
#define PHOTONIC_SIP_ARC_PACKING_H

#include "sip-arc-problem.h"

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-sip-ml
 * @brief Arcs on circles, and the polynomial heuristics that put them there.
 *
 * The results are the same in every run: random choices come from a generator with a fixed seed.
 */
class SipArcPacking
{
  public:
    static constexpr uint32_t NONE = UINT32_MAX; ///< no arc

    /// @param problem arcs and circles, which must outlive this; all circles are empty
    explicit SipArcPacking(const SipArcProblem& problem);

    /**
     * Start over. Arcs get directions, the longest first: the shorter one where its segments have
     * room, else the longer one. Then each direction is swept from the boundary that the fewest
     * arcs cross, giving each arc the circle in which the gap before it is the smallest.
     * @param needs how often to place each arc
     * @return whether all were placed
     */
    bool Build(const std::vector<uint32_t>& needs);

    /**
     * Place what is missing by moving other arcs: each missing one takes the place of those arcs
     * that cost the least, which are inserted elsewhere or become missing. An arc that is missing
     * costs more from then on. Arcs beyond their need are free to take.
     * @param needs how often to place each arc
     * @param moves at most so many; what is left of them on return
     * @return whether nothing is missing; if something is, the arcs have moved all the same
     */
    bool Repair(const std::vector<uint32_t>& needs, uint32_t& moves);

    /**
     * Place an arc once more in the smallest gap, in its shorter direction if it fits there.
     * @param arc index
     * @return whether there was a gap
     */
    bool Insert(uint32_t arc);

    /**
     * Place an arc on a certain circle.
     * @param direction 0 or 1
     * @param circle of that direction, on which its segments are free
     * @param arc index
     */
    void Place(uint32_t direction, uint32_t circle, uint32_t arc);

    /// @return how often each arc is placed
    const std::vector<uint32_t>& GetCounts() const;

    /// @param direction which @param circle which @return the arcs on it
    std::vector<uint32_t> GetArcs(uint32_t direction, uint32_t circle) const;

  private:
    /// A circle of a direction.
    struct Spot
    {
        uint32_t direction;
        uint32_t circle;
    };

    using Counts = std::vector<uint32_t>;

    uint32_t* GetCircle(uint32_t direction, uint32_t circle);
    const uint32_t* GetCircle(uint32_t direction, uint32_t circle) const;
    std::array<Counts, SipArcProblem::DIRECTIONS> Split(const Counts& needs) const;
    void Sweep(uint32_t direction, const Counts& counts);
    uint32_t FindBoundary(uint32_t direction, const Counts& counts) const;
    bool InsertInDirection(uint32_t direction, uint32_t arc);
    uint64_t GetCost(const Spot& spot, uint32_t arc, const Counts& needs, uint64_t most) const;
    bool ChooseSpot(uint32_t arc, const Counts& needs, Spot& chosen);
    Counts Clear(const Spot& spot, uint32_t arc);

    const SipArcProblem* m_problem;
    std::vector<uint32_t> m_owners; ///< arc by direction, circle and segment
    Counts m_counts;
    Counts m_weights; ///< what it costs to move an arc
    std::mt19937 m_random;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_ARC_PACKING_H
