/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-arc-problem.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

SipArcProblem::Arc
SipArcProblem::GetArc(uint32_t gpus, uint32_t source, uint32_t destination, uint32_t reach)
{
    const uint32_t up = (destination + gpus - source) % gpus;
    const uint32_t down = gpus - up;
    return {{source, destination}, {up <= reach ? up : 0, down <= reach ? down : 0}};
}

bool
SipArcProblem::MayFit(const std::vector<uint32_t>& counts) const
{
    return MayFitSegments(counts) && MayFitCuts(counts);
}

bool
SipArcProblem::MayFitSegments(const std::vector<uint32_t>& counts) const
{
    std::array<std::vector<int64_t>, DIRECTIONS> change; // of the load, from segment to segment
    change.fill(std::vector<int64_t>(2 * size_t{segments} + 1));
    uint64_t total = 0;
    for (size_t i = 0; i < arcs.size(); ++i)
    {
        const auto& [start, length] = arcs[i];
        const bool up = length[0] > 0 && circles[0] > 0;
        const bool down = length[1] > 0 && circles[1] > 0;
        if (counts[i] > uint64_t{up ? circles[0] : 0} + (down ? circles[1] : 0))
        {
            return false;
        }
        if (counts[i] == 0)
        {
            continue;
        }
        total += uint64_t{counts[i]} *
                 (up && down ? std::min(length[0], length[1]) : length[up ? 0 : 1]);
        if (up != down)
        {
            const uint32_t direction = up ? 0 : 1;
            change[direction][start[direction]] += counts[i];
            change[direction][start[direction] + length[direction]] -= counts[i];
        }
    }
    if (total > uint64_t{segments} * (uint64_t{circles[0]} + circles[1]))
    {
        return false;
    }
    for (uint32_t direction = 0; direction < DIRECTIONS; ++direction)
    {
        // Arcs that begin in the first turn and end in the second load the first one's beginning.
        int64_t load = 0;
        std::vector<int64_t> loads(segments);
        for (uint32_t position = 0; position < 2 * segments; ++position)
        {
            load += change[direction][position];
            loads[position % segments] += load;
        }
        if (*std::max_element(loads.begin(), loads.end()) > int64_t{circles[direction]})
        {
            return false;
        }
    }
    return true;
}

bool
SipArcProblem::MayFitCuts(const std::vector<uint32_t>& counts) const
{
    const bool choice = std::any_of(arcs.begin(), arcs.end(), [](const Arc& arc) {
        return arc.length[0] > 0 && arc.length[1] > 0;
    });
    if (!choice)
    {
        return true; // segments say it all
    }
    // sums[s][d] is the demand of GPUs below s for GPUs below d.
    const size_t width = size_t{segments} + 1;
    std::vector<uint64_t> sums(width * width);
    for (size_t i = 0; i < arcs.size(); ++i)
    {
        // The arc down begins where the arc up ends.
        sums[(arcs[i].start[0] + 1) * width + arcs[i].start[1] + 1] += counts[i];
    }
    for (size_t s = 1; s < width; ++s)
    {
        for (size_t d = 1; d < width; ++d)
        {
            sums[s * width + d] +=
                sums[(s - 1) * width + d] + sums[s * width + d - 1] - sums[(s - 1) * width + d - 1];
        }
    }
    const uint64_t capacity = uint64_t{circles[0]} + circles[1];
    const size_t n = segments;
    for (size_t from = 0; from < n; ++from)
    {
        for (size_t to = from + 1; to <= n; ++to)
        {
            const uint64_t inside = sums[to * width + to] - sums[from * width + to] -
                                    sums[to * width + from] + sums[from * width + from];
            const uint64_t out = sums[to * width + n] - sums[from * width + n] - inside;
            const uint64_t in = sums[n * width + to] - sums[n * width + from] - inside;
            if (out > capacity || in > capacity)
            {
                return false;
            }
        }
    }
    return true;
}

} // namespace photonic
} // namespace ns3
