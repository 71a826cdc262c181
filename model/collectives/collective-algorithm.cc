/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "collective-algorithm.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

void
MemberPlan::AddSend(uint32_t queue, Send send, const std::vector<Need>& needed)
{
    send.firstNeed = needs.size();
    needs.insert(needs.end(), needed.begin(), needed.end());
    send.lastNeed = needs.size();
    queues[queue].push_back(send);
}

void
MemberPlan::AddSend(const Send& send)
{
    const uint32_t receives = streams[0].size();
    AddSend(0, send, receives == 0 ? std::vector<Need>() : std::vector<Need>{{0, receives}});
}

uint64_t
MemberPlan::GetSentBytes() const
{
    uint64_t sent = 0;
    for (const auto& queue : queues)
    {
        for (const auto& send : queue)
        {
            sent += send.bytes;
        }
    }
    return sent;
}

bool
CollectiveAlgorithm::UsesRingLanes(CollectiveKind) const
{
    return false;
}

MemberPlan
CollectiveAlgorithm::Plan(const CollectiveTask& task, uint32_t position) const
{
    if (!Serves(task.kind) || UsesRingLanes(task.kind))
    {
        throw std::invalid_argument(
            "algorithm '" + GetName() + "' " +
            (Serves(task.kind) ? "needs no plan for '" : "does not serve '") + ToString(task.kind) +
            "'");
    }
    if (task.shares && task.shares->GetN() != task.n)
    {
        throw std::invalid_argument("an all-to-all of " + std::to_string(task.n) +
                                    " ranks has sizes for " + std::to_string(task.shares->GetN()));
    }
    return task.n > 1 ? DoPlan(task, position) : MemberPlan();
}

uint64_t
GetRangeBytes(const RingChunks& chunks, uint32_t first, uint32_t count)
{
    const uint32_t n = chunks.GetCount();
    first %= n;
    const auto before = [&chunks](uint32_t end) {
        return end * chunks.GetSmall() + std::min(end, chunks.GetLarger());
    };
    const uint32_t end = first + count;
    return end <= n ? before(end) - before(first) : before(n) - before(first) + before(end - n);
}

} // namespace photonic
} // namespace ns3
