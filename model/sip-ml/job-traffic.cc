/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "job-traffic.h"

#include "ns3/collective-plan.h"

#include <algorithm>
#include <map>

namespace ns3
{
namespace photonic
{

namespace
{

/// What a rank of a stage sends in a step to the members around it.
struct Neighbours
{
    uint64_t next{1};     ///< bytes to the next member, in ring order
    uint64_t previous{1}; ///< to the one before
};

/// @param o an operation @param position of the rank @param size of the group @param n to add to
void
Add(const Operation& o, uint32_t position, uint32_t size, Neighbours& n)
{
    if (o.kind >= CollectiveKind::SEND)
    {
        (position == 0 ? n.next : n.previous) += o.bytes;
        return;
    }
    n.next += RingLane(o.kind, o.bytes, size, 2, 0).GetSentBytes(position);
    n.previous += RingLane(o.kind, o.bytes, size, 2, 1).GetSentBytes(position);
}

/// @param program of a GPU of an operator graph @param group all of them @param rank of the GPU
/// @param traffic to add to
void
AddTransfers(const StepProgram& program,
             const RankGroup& group,
             uint32_t rank,
             TrafficMatrix& traffic)
{
    for (const auto& o : program.GetOperations())
    {
        if (o.slot == GroupSlot::MP && o.bytes > 0)
        {
            const uint32_t peer = group.ranks[o.peer];
            traffic.Set(rank, peer, traffic.Get(rank, peer) + o.bytes);
        }
    }
}

} // namespace

TrafficMatrix
CountJobTraffic(const ParallelPlan& plan, const std::vector<Ptr<const StepProgram>>& programs)
{
    const uint32_t ranks = plan.GetRanks();
    TrafficMatrix traffic(ranks);
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        for (GroupSlot slot : TRAFFIC_SLOTS)
        {
            if (!plan.HasGroup(rank, slot))
            {
                continue;
            }
            const RankGroup group = plan.GetGroup(rank, slot);
            if (plan.IsScaleUp(group))
            {
                continue;
            }
            const auto& program = *programs[plan.GetProgramIndex(rank, programs.size())];
            if (slot == GroupSlot::MP)
            {
                AddTransfers(program, group, rank, traffic);
                continue;
            }
            const uint32_t size = group.ranks.size();
            const uint32_t position =
                std::find(group.ranks.begin(), group.ranks.end(), rank) - group.ranks.begin();
            Neighbours sent;
            for (const auto& o : program.GetOperations())
            {
                if (o.slot == slot && o.kind == CollectiveKind::ALL_TO_ALL)
                {
                    for (uint32_t to = 0; to < size; to++)
                    {
                        const uint32_t peer = group.ranks[to];
                        const uint64_t share = o.shares ? o.shares->Get(position, to)
                                                        : RingChunks(o.bytes, size).GetBytes(to);
                        if (peer != rank)
                        {
                            traffic.Set(rank, peer, traffic.Get(rank, peer) + share);
                        }
                    }
                }
                else if (o.slot == slot)
                {
                    Add(o, position, size, sent);
                }
            }
            const uint32_t next = group.ranks[(position + 1) % size];
            const uint32_t previous = group.ranks[(position + size - 1) % size];
            traffic.Set(rank, next, traffic.Get(rank, next) + sent.next);
            traffic.Set(rank, previous, traffic.Get(rank, previous) + sent.previous);
        }
    }
    return traffic;
}

} // namespace photonic
} // namespace ns3
