/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-arc-search.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

SipArcSearch::SipArcSearch(const SipArcProblem& problem, uint64_t steps)
    : m_problem(problem),
      m_steps(steps)
{
}

SipArcSearch::Outcome
SipArcSearch::Run(const std::vector<uint32_t>& needs, SipArcPacking& packing)
{
    m_needs = needs;
    m_fillings.clear();
    const auto circles = m_problem.circles;
    const auto outcome = Fill();
    m_problem.circles = circles;
    if (outcome == Outcome::FOUND)
    {
        packing.Build(std::vector<uint32_t>(needs.size())); // nothing
        std::array<uint32_t, SipArcProblem::DIRECTIONS> used{};
        for (const auto& filling : m_fillings)
        {
            const uint32_t circle = used[filling.direction]++;
            for (const uint32_t arc : filling.arcs)
            {
                packing.Place(filling.direction, circle, arc);
            }
        }
    }
    return outcome;
}

std::string
SipArcSearch::GetState() const
{
    std::string state;
    const auto add = [&state](uint32_t number) {
        state.append(reinterpret_cast<const char*>(&number), sizeof(number));
    };
    add(m_problem.circles[0]);
    add(m_problem.circles[1]);
    std::for_each(m_needs.begin(), m_needs.end(), add);
    return state;
}

SipArcSearch::Outcome
SipArcSearch::Fill()
{
    const auto shortest = [this](uint32_t arc) {
        const auto& length = m_problem.arcs[arc].length;
        return length[0] == 0   ? length[1]
               : length[1] == 0 ? length[0]
                                : std::min(length[0], length[1]);
    };
    uint32_t next = SipArcPacking::NONE;
    for (uint32_t arc = 0; arc < m_needs.size(); ++arc)
    {
        if (m_needs[arc] > 0 && (next == SipArcPacking::NONE || shortest(arc) > shortest(next)))
        {
            next = arc;
        }
    }
    if (next == SipArcPacking::NONE)
    {
        return Outcome::FOUND;
    }
    const auto state = GetState();
    if (m_refuted.count(state) > 0 || !m_problem.MayFit(m_needs))
    {
        return Outcome::IMPOSSIBLE;
    }
    const auto& length = m_problem.arcs[next].length;
    const uint32_t first = length[0] > 0 && (length[1] == 0 || length[0] <= length[1]) ? 0 : 1;
    for (const uint32_t direction : {first, 1 - first})
    {
        if (length[direction] > 0 && m_problem.circles[direction] > 0)
        {
            const auto outcome = FillCircle(direction, next);
            if (outcome != Outcome::IMPOSSIBLE)
            {
                return outcome;
            }
        }
    }
    m_refuted.insert(state);
    return Outcome::IMPOSSIBLE;
}

SipArcSearch::Outcome
SipArcSearch::FillCircle(uint32_t direction, uint32_t arc)
{
    const auto& [start, length] = m_problem.arcs[arc];
    std::vector<Filling> fillings;
    Filling begun{direction, {arc}};
    ListFillings(begun,
                 start[direction] + length[direction],
                 start[direction] + m_problem.segments,
                 fillings);
    for (auto& filling : fillings)
    {
        if (m_steps == 0)
        {
            return Outcome::UNSETTLED;
        }
        --m_steps;
        --m_problem.circles[direction];
        for (const uint32_t placed : filling.arcs)
        {
            --m_needs[placed];
        }
        m_fillings.push_back(filling);
        const auto outcome = Fill();
        if (outcome != Outcome::IMPOSSIBLE)
        {
            return outcome;
        }
        m_fillings.pop_back();
        for (const uint32_t placed : filling.arcs)
        {
            ++m_needs[placed];
        }
        ++m_problem.circles[direction];
    }
    return Outcome::IMPOSSIBLE;
}

void
SipArcSearch::ListFillings(Filling& filling,
                           uint32_t from,
                           uint32_t to,
                           std::vector<Filling>& found) const
{
    // Arcs that fit, and the end of the one that ends first: the next one must begin before, as
    // there would be room for that one otherwise.
    struct Fit
    {
        uint32_t arc;
        uint32_t begin;
        uint32_t end;
    };

    std::vector<Fit> fits;
    uint32_t firstEnd = to;
    for (uint32_t arc = 0; arc < m_needs.size(); ++arc)
    {
        const uint32_t length = m_problem.arcs[arc].length[filling.direction];
        if (m_needs[arc] == 0 || length == 0)
        {
            continue;
        }
        uint32_t begin = m_problem.arcs[arc].start[filling.direction];
        while (begin < from)
        {
            begin += m_problem.segments;
        }
        if (begin + length <= to)
        {
            fits.push_back({arc, begin, begin + length});
            firstEnd = std::min(firstEnd, begin + length);
        }
    }
    if (fits.empty())
    {
        found.push_back(filling);
    }
    for (const auto& [arc, begin, end] : fits)
    {
        if (begin < firstEnd)
        {
            filling.arcs.push_back(arc);
            ListFillings(filling, end, to, found);
            filling.arcs.pop_back();
        }
    }
}

} // namespace photonic
} // namespace ns3
