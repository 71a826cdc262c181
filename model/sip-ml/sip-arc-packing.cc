/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-arc-packing.h"

#include <algorithm>
#include <tuple>

namespace ns3
{
namespace photonic
{

SipArcPacking::SipArcPacking(const SipArcProblem& problem)
    : m_problem(&problem),
      m_owners(size_t{problem.segments} * (problem.circles[0] + problem.circles[1]), NONE),
      m_counts(problem.arcs.size()),
      m_weights(problem.arcs.size(), 1)
{
}

const std::vector<uint32_t>&
SipArcPacking::GetCounts() const
{
    return m_counts;
}

std::vector<uint32_t>
SipArcPacking::GetArcs(uint32_t direction, uint32_t circle) const
{
    std::vector<uint32_t> found;
    const uint32_t* owners = GetCircle(direction, circle);
    for (uint32_t segment = 0; segment < m_problem->segments; ++segment)
    {
        const uint32_t arc = owners[segment];
        if (arc != NONE && m_problem->arcs[arc].start[direction] == segment)
        {
            found.push_back(arc);
        }
    }
    return found;
}

uint32_t*
SipArcPacking::GetCircle(uint32_t direction, uint32_t circle)
{
    return &m_owners[size_t{direction * m_problem->circles[0] + circle} * m_problem->segments];
}

const uint32_t*
SipArcPacking::GetCircle(uint32_t direction, uint32_t circle) const
{
    return &m_owners[size_t{direction * m_problem->circles[0] + circle} * m_problem->segments];
}

void
SipArcPacking::Place(uint32_t direction, uint32_t circle, uint32_t arc)
{
    uint32_t* owners = GetCircle(direction, circle);
    uint32_t segment = m_problem->arcs[arc].start[direction];
    for (uint32_t i = 0; i < m_problem->arcs[arc].length[direction]; ++i)
    {
        owners[segment] = arc;
        segment = segment + 1 == m_problem->segments ? 0 : segment + 1;
    }
    ++m_counts[arc];
}

bool
SipArcPacking::Build(const std::vector<uint32_t>& needs)
{
    std::fill(m_owners.begin(), m_owners.end(), NONE);
    std::fill(m_counts.begin(), m_counts.end(), 0);
    const auto split = Split(needs);
    for (uint32_t direction = 0; direction < SipArcProblem::DIRECTIONS; ++direction)
    {
        Sweep(direction, split[direction]);
    }
    bool all = true;
    for (uint32_t arc = 0; arc < needs.size(); ++arc)
    {
        while (m_counts[arc] < needs[arc] && Insert(arc))
        {
        }
        all = all && m_counts[arc] >= needs[arc];
    }
    return all;
}

std::array<SipArcPacking::Counts, SipArcProblem::DIRECTIONS>
SipArcPacking::Split(const Counts& needs) const
{
    std::array<Counts, SipArcProblem::DIRECTIONS> split;
    std::array<Counts, SipArcProblem::DIRECTIONS> load;
    split.fill(Counts(needs.size()));
    load.fill(Counts(m_problem->segments));
    const auto peak = [&](uint32_t arc, uint32_t direction, uint32_t add) {
        uint32_t most = 0;
        uint32_t segment = m_problem->arcs[arc].start[direction];
        for (uint32_t i = 0; i < m_problem->arcs[arc].length[direction]; ++i)
        {
            most = std::max(most, load[direction][segment] += add);
            segment = segment + 1 == m_problem->segments ? 0 : segment + 1;
        }
        return most;
    };
    std::vector<uint32_t> choices; // arcs that can have either direction
    for (uint32_t arc = 0; arc < needs.size(); ++arc)
    {
        const auto& length = m_problem->arcs[arc].length;
        if (length[0] > 0 && length[1] > 0 && m_problem->circles[0] > 0 &&
            m_problem->circles[1] > 0)
        {
            choices.push_back(arc);
            continue;
        }
        const uint32_t direction = length[0] > 0 && m_problem->circles[0] > 0 ? 0 : 1;
        if (length[direction] == 0)
        {
            continue; // it has no circles
        }
        split[direction][arc] = needs[arc];
        peak(arc, direction, needs[arc]);
    }
    const auto shortest = [&](uint32_t arc) {
        const auto& length = m_problem->arcs[arc].length;
        return std::min(length[0], length[1]);
    };
    std::stable_sort(choices.begin(), choices.end(), [&](uint32_t a, uint32_t b) {
        return shortest(a) > shortest(b);
    });
    for (const uint32_t arc : choices)
    {
        const auto& length = m_problem->arcs[arc].length;
        for (uint32_t i = 0; i < needs[arc]; ++i)
        {
            const std::array<uint32_t, 2> peaks{peak(arc, 0, 0), peak(arc, 1, 0)};
            uint32_t direction = length[0] <= length[1] ? 0 : 1;
            if (length[0] == length[1])
            {
                direction = peaks[0] <= peaks[1] ? 0 : 1;
            }
            if (peaks[direction] >= m_problem->circles[direction] &&
                peaks[1 - direction] < m_problem->circles[1 - direction])
            {
                direction = 1 - direction;
            }
            ++split[direction][arc];
            peak(arc, direction, 1);
        }
    }
    return split;
}

uint32_t
SipArcPacking::FindBoundary(uint32_t direction, const Counts& counts) const
{
    const uint32_t n = m_problem->segments;
    std::vector<int64_t> change(2 * size_t{n} + 1); // of the arcs that cross, after a boundary
    for (uint32_t arc = 0; arc < counts.size(); ++arc)
    {
        const uint32_t start = m_problem->arcs[arc].start[direction];
        change[start + 1] += counts[arc];
        change[start + m_problem->arcs[arc].length[direction]] -= counts[arc];
    }
    std::vector<int64_t> crossing(n);
    int64_t load = 0;
    for (uint32_t position = 0; position < 2 * n; ++position)
    {
        load += change[position];
        crossing[position % n] += load;
    }
    return std::min_element(crossing.begin(), crossing.end()) - crossing.begin();
}

void
SipArcPacking::Sweep(uint32_t direction, const Counts& counts)
{
    const uint32_t n = m_problem->segments;
    const uint32_t circles = m_problem->circles[direction];
    const uint32_t boundary = FindBoundary(direction, counts);
    const auto position = [&](uint32_t arc) {
        return (m_problem->arcs[arc].start[direction] + n - boundary) % n;
    };
    const auto length = [&](uint32_t arc) { return m_problem->arcs[arc].length[direction]; };
    std::vector<uint32_t> order;
    for (uint32_t arc = 0; arc < counts.size(); ++arc)
    {
        if (counts[arc] > 0)
        {
            order.push_back(arc);
        }
    }
    // Arcs across the boundary come first: each needs a circle of its own.
    const auto key = [&](uint32_t arc) {
        return std::make_tuple(position(arc) + length(arc) <= n, position(arc), n - length(arc));
    };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    std::vector<uint32_t> ends(circles);      // of what was placed, from the boundary on
    std::vector<uint32_t> limits(circles, n); // begin of what crosses the next boundary
    uint32_t crossing = 0;
    std::vector<uint32_t> gaps; // circles with one for an arc
    for (const uint32_t arc : order)
    {
        const uint32_t begin = position(arc);
        const uint32_t end = begin + length(arc);
        gaps.clear();
        if (end > n)
        {
            for (uint32_t i = 0; i < counts[arc] && crossing < circles; ++i)
            {
                gaps.push_back(crossing++);
            }
        }
        else
        {
            for (uint32_t circle = 0; circle < circles; ++circle)
            {
                if (ends[circle] <= begin && end <= limits[circle])
                {
                    gaps.push_back(circle);
                }
            }
            // The smallest ones, which once taken have no gap for the arc again.
            const std::size_t taken = std::min<std::size_t>(counts[arc], gaps.size());
            std::partial_sort(gaps.begin(),
                              gaps.begin() + taken,
                              gaps.end(),
                              [&](uint32_t a, uint32_t b) {
                                  return std::make_tuple(n - ends[a], limits[a], a) <
                                         std::make_tuple(n - ends[b], limits[b], b);
                              });
            gaps.resize(taken);
        }
        for (const uint32_t circle : gaps)
        {
            Place(direction, circle, arc);
            ends[circle] = end > n ? end - n : end;
            limits[circle] = end > n ? begin : limits[circle];
        }
    }
}

bool
SipArcPacking::Insert(uint32_t arc)
{
    const auto& length = m_problem->arcs[arc].length;
    const uint32_t first = length[0] > 0 && (length[1] == 0 || length[0] <= length[1]) ? 0 : 1;
    return InsertInDirection(first, arc) || InsertInDirection(1 - first, arc);
}

bool
SipArcPacking::InsertInDirection(uint32_t direction, uint32_t arc)
{
    const uint32_t n = m_problem->segments;
    const uint32_t start = m_problem->arcs[arc].start[direction];
    const uint32_t length = m_problem->arcs[arc].length[direction];
    uint32_t best = NONE;
    uint32_t smallest = NONE;
    for (uint32_t circle = 0; length > 0 && circle < m_problem->circles[direction]; ++circle)
    {
        const uint32_t* owners = GetCircle(direction, circle);
        uint32_t run = 0; // free segments from the start on
        uint32_t segment = start;
        while (run < n && run < uint64_t{length} + smallest && owners[segment] == NONE)
        {
            ++run;
            segment = segment + 1 == n ? 0 : segment + 1;
        }
        if (run < length)
        {
            continue;
        }
        uint32_t gap = run - length;
        segment = start;
        while (gap + length < n && gap < smallest)
        {
            segment = segment == 0 ? n - 1 : segment - 1;
            if (owners[segment] != NONE)
            {
                break;
            }
            ++gap;
        }
        if (gap < smallest)
        {
            smallest = gap;
            best = circle;
        }
    }
    if (best == NONE)
    {
        return false;
    }
    Place(direction, best, arc);
    return true;
}

bool
SipArcPacking::Repair(const std::vector<uint32_t>& needs, uint32_t& moves)
{
    std::vector<uint32_t> missing;
    for (uint32_t arc = 0; arc < needs.size(); ++arc)
    {
        while (m_counts[arc] < needs[arc] && Insert(arc))
        {
        }
        for (uint32_t i = m_counts[arc]; i < needs[arc]; ++i)
        {
            missing.push_back(arc);
        }
    }
    for (; !missing.empty() && moves > 0; --moves)
    {
        std::swap(missing[m_random() % missing.size()], missing.back());
        const uint32_t arc = missing.back();
        missing.pop_back();
        ++m_weights[arc];
        Spot spot;
        if (!ChooseSpot(arc, needs, spot))
        {
            return false; // it is on every circle
        }
        const auto removed = Clear(spot, arc);
        Place(spot.direction, spot.circle, arc);
        for (const uint32_t other : removed)
        {
            if (m_counts[other] < needs[other] && !Insert(other))
            {
                missing.push_back(other);
            }
        }
    }
    return missing.empty();
}

uint64_t
SipArcPacking::GetCost(const Spot& spot, uint32_t arc, const Counts& needs, uint64_t most) const
{
    const uint32_t* owners = GetCircle(spot.direction, spot.circle);
    uint64_t cost = 0;
    uint32_t last = NONE;
    uint32_t segment = m_problem->arcs[arc].start[spot.direction];
    for (uint32_t i = 0; i < m_problem->arcs[arc].length[spot.direction] && cost <= most; ++i)
    {
        const uint32_t owner = owners[segment];
        if (owner == arc)
        {
            return UINT64_MAX;
        }
        if (owner != last && owner != NONE && m_counts[owner] <= needs[owner])
        {
            cost += m_weights[owner];
        }
        last = owner;
        segment = segment + 1 == m_problem->segments ? 0 : segment + 1;
    }
    return cost;
}

bool
SipArcPacking::ChooseSpot(uint32_t arc, const Counts& needs, Spot& chosen)
{
    // Now and then anywhere, against going round in circles.
    const bool anywhere = m_random() % 16 == 0;
    uint64_t best = UINT64_MAX - 1;
    uint32_t equal = 0;
    for (uint32_t direction = 0; direction < SipArcProblem::DIRECTIONS; ++direction)
    {
        if (m_problem->arcs[arc].length[direction] == 0)
        {
            continue;
        }
        for (uint32_t circle = 0; circle < m_problem->circles[direction]; ++circle)
        {
            const Spot spot{direction, circle};
            const uint64_t cost = GetCost(spot, arc, needs, best);
            if (cost > best)
            {
                continue;
            }
            equal = cost < best && !anywhere ? 1 : equal + 1;
            best = anywhere ? best : cost;
            if (m_random() % equal == 0)
            {
                chosen = spot;
            }
        }
    }
    return equal > 0;
}

SipArcPacking::Counts
SipArcPacking::Clear(const Spot& spot, uint32_t arc)
{
    uint32_t* owners = GetCircle(spot.direction, spot.circle);
    Counts removed;
    uint32_t segment = m_problem->arcs[arc].start[spot.direction];
    for (uint32_t i = 0; i < m_problem->arcs[arc].length[spot.direction]; ++i)
    {
        const uint32_t owner = owners[segment];
        if (owner != NONE)
        {
            removed.push_back(owner);
            --m_counts[owner];
            uint32_t other = m_problem->arcs[owner].start[spot.direction];
            for (uint32_t j = 0; j < m_problem->arcs[owner].length[spot.direction]; ++j)
            {
                owners[other] = NONE;
                other = other + 1 == m_problem->segments ? 0 : other + 1;
            }
        }
        segment = segment + 1 == m_problem->segments ? 0 : segment + 1;
    }
    return removed;
}

} // namespace photonic
} // namespace ns3
