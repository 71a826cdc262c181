/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_ARC_SEARCH_H
#define PHOTONIC_SIP_ARC_SEARCH_H

#include "sip-arc-packing.h"
#include "sip-arc-problem.h"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-sip-ml
 * @brief Decides whether arcs fit on circles: exact, by branch and bound, for small cases.
 *
 * Some circle holds the longest arc that is left to place, so each branch fills a circle with that
 * arc and as many others as can be (a circle with fewer is never better). A branch ends where
 * SipArcProblem::MayFit() says no or where what is left to place was refuted before.
 */
class SipArcSearch
{
  public:
    /// What came out.
    enum class Outcome
    {
        FOUND,
        IMPOSSIBLE,
        UNSETTLED, ///< too large
    };

    /**
     * @param problem arcs and circles
     * @param steps circles filled, at most, in all calls of Run()
     */
    SipArcSearch(const SipArcProblem& problem, uint64_t steps);

    /**
     * @param needs how often to place each arc
     * @param packing what it becomes if they fit
     * @return whether they fit
     */
    Outcome Run(const std::vector<uint32_t>& needs, SipArcPacking& packing);

  private:
    /// Arcs on a circle.
    struct Filling
    {
        uint32_t direction;
        std::vector<uint32_t> arcs;
    };

    Outcome Fill();
    Outcome FillCircle(uint32_t direction, uint32_t arc);
    void ListFillings(Filling& filling,
                      uint32_t from,
                      uint32_t to,
                      std::vector<Filling>& found) const;
    std::string GetState() const;

    SipArcProblem m_problem; ///< with the circles that are still empty
    std::vector<uint32_t> m_needs;
    uint64_t m_steps;
    std::vector<Filling> m_fillings;
    std::unordered_set<std::string> m_refuted;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_ARC_SEARCH_H
