/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "all-to-all-algorithms.h"

namespace ns3
{
namespace photonic
{

namespace
{

using Via = MemberPlan::Via;

/// Exchange all shares that are not empty, by step. @param waits whether a step waits for the
/// receive of the last one
MemberPlan
Exchange(const CollectiveTask& task, uint32_t position, bool waits)
{
    MemberPlan plan;
    for (uint32_t step = 1; step < task.n; step++)
    {
        const uint32_t to = (position + step) % task.n;
        const uint32_t from = (position + task.n - step) % task.n;
        const uint64_t sent = task.GetShare(position, to);
        const uint64_t received = task.GetShare(from, position);
        const MemberPlan::Send
            send{to, step - 1, sent, {position, 2 * to, 2}, false, Via::PEER, 0, 0};
        if (sent > 0 && waits)
        {
            plan.AddSend(send);
        }
        else if (sent > 0)
        {
            plan.AddSend(0, send, {});
        }
        if (received > 0)
        {
            plan.AddReceive({from, step - 1, received, Via::PEER});
        }
    }
    return plan;
}

/// @return bytes of a range of halves of shares
uint64_t
GetHalvesBytes(const CollectiveTask& task, const BlockRange& range)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < range.count;)
    {
        const uint32_t half = (range.first + i) % (2 * task.n);
        const uint64_t share = task.GetShare(range.source, half / 2);
        const bool whole = half % 2 == 0 && i + 1 < range.count;
        bytes += whole ? share : GetLaneBytes(share, 2, half % 2);
        i += whole ? 2 : 1;
    }
    return bytes;
}

/**
 * What passes a rank of a ring in one direction.
 * @param task of the group @param at position of the rank that sends @param step of it
 * @param up whether upwards @return the data
 */
BlockRange
GetPassing(const CollectiveTask& task, uint32_t at, uint32_t step, bool up)
{
    const uint32_t n = task.n;
    if (!task.bothWays)
    {
        return {(at + n - step) % n, 2 * at + 2, 2 * (n - 1 - step)};
    }
    // Of the 2(n-1) halves half go either way. Each step leaves two of them behind.
    const uint32_t count = n - 1 - 2 * step;
    return up ? BlockRange{(at + n - step) % n, 2 * at + 2, count}
              : BlockRange{(at + step) % n, 2 * at + 2 * n - count, count};
}

} // namespace

std::string
PairwiseAlgorithm::GetName() const
{
    return "pairwise";
}

bool
PairwiseAlgorithm::Serves(CollectiveKind kind) const
{
    return kind == CollectiveKind::ALL_TO_ALL;
}

MemberPlan
PairwiseAlgorithm::DoPlan(const CollectiveTask& task, uint32_t position) const
{
    return Exchange(task, position, true);
}

std::string
DirectAlgorithm::GetName() const
{
    return "direct";
}

bool
DirectAlgorithm::Serves(CollectiveKind kind) const
{
    return kind == CollectiveKind::ALL_TO_ALL;
}

MemberPlan
DirectAlgorithm::DoPlan(const CollectiveTask& task, uint32_t position) const
{
    return Exchange(task, position, false);
}

std::string
RingAlgorithm::GetName() const
{
    return "ring";
}

bool
RingAlgorithm::Serves(CollectiveKind kind) const
{
    return kind < CollectiveKind::SEND;
}

bool
RingAlgorithm::UsesRingLanes(CollectiveKind kind) const
{
    return kind < CollectiveKind::ALL_TO_ALL;
}

MemberPlan
RingAlgorithm::DoPlan(const CollectiveTask& task, uint32_t position) const
{
    const uint32_t n = task.n;
    const uint32_t directions = task.bothWays ? 2 : 1;
    const uint32_t steps = task.bothWays ? n / 2 : n - 1;
    const uint32_t neighbours[] = {(position + 1) % n, (position + n - 1) % n};
    MemberPlan plan(directions);
    for (uint32_t d = 0; d < directions; d++)
    {
        const bool up = d == 0;
        const Via via = up ? Via::UPWARDS : Via::DOWNWARDS;
        const uint32_t to = neighbours[d];
        const uint32_t from = neighbours[1 - d];
        for (uint32_t step = 0; step < steps; step++)
        {
            const uint32_t number = step * 2 + d; // both ways may lead to the same rank
            const BlockRange sent = GetPassing(task, position, step, up);
            const BlockRange received = GetPassing(task, from, step, up);
            plan.AddSend(d,
                         {to, number, GetHalvesBytes(task, sent), sent, false, via, 0, 0},
                         step == 0 ? std::vector<MemberPlan::Need>()
                                   : std::vector<MemberPlan::Need>{{d, step}});
            plan.AddReceive({from, number, GetHalvesBytes(task, received), via}, d);
        }
    }
    return plan;
}

} // namespace photonic
} // namespace ns3
