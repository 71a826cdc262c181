/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "static-circuit-plan.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <map>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

StaticLanes
StaticLanes::Plan(DataRate gpu, uint64_t ringBytes, uint64_t pipelineBytes)
{
    using Wide = boost::multiprecision::uint256_t;
    const uint64_t half = gpu.GetBitRate() / 2;
    if (half < 2)
    {
        throw std::invalid_argument("static lanes need a rate of at least 4 bit/s, not " +
                                    std::to_string(gpu.GetBitRate()));
    }
    if (ringBytes == 0 || pipelineBytes == 0)
    {
        return {DataRate(ringBytes ? half : 0), DataRate(pipelineBytes ? half : 0)};
    }
    // r <= half sqrt F / (sqrt F + sqrt P) if and only if r^2 P <= (half - r)^2 F: no rounding.
    uint64_t fits = 0;
    uint64_t exceeds = half;
    while (exceeds - fits > 1)
    {
        const uint64_t r = fits + (exceeds - fits) / 2;
        const Wide rest = half - r;
        if (Wide(r) * r * pipelineBytes <= rest * rest * ringBytes)
        {
            fits = r;
        }
        else
        {
            exceeds = r;
        }
    }
    if (fits == 0)
    {
        throw std::invalid_argument(
            "the ring's share of " + std::to_string(half) + " bit/s per lane is below 1 bit/s (" +
            std::to_string(ringBytes) + " against " + std::to_string(pipelineBytes) + " bytes)");
    }
    return {DataRate(fits), DataRate(half - fits)};
}

namespace
{

/// @param o a collective @param n members @return what they all send in a ring
uint64_t
CountRingBytes(const Operation& o, uint64_t n)
{
    switch (o.kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return 2 * (n - 1) * o.bytes;
    case CollectiveKind::ALL_TO_ALL: // shares are passed on
        return n * n / 4 * (o.shares ? o.shares->GetLargestTotal() : o.bytes);
    case CollectiveKind::RING_EXCHANGE:
        return n * o.bytes;
    default:
        return (n - 1) * o.bytes;
    }
}

} // namespace

ScaleOutBytes
CountScaleOutBytes(const ParallelPlan& plan,
                   const std::vector<Ptr<const StepProgram>>& programs,
                   TrafficCount count)
{
    ScaleOutBytes total{};
    const auto& degrees = plan.GetDegrees();
    const uint64_t variants = programs.size() / degrees.pp; // of a stage: expert positions
    const uint64_t perProgram = plan.GetRanks() / programs.size();
    for (uint32_t i = 0; i < programs.size(); ++i)
    {
        // A program's first rank stands for all: its groups leave the node if and only if those of
        // the others do, and are as large.
        ParallelPlan::Coordinates place{0, 0, static_cast<uint32_t>(i / variants)};
        place.ep = i % variants;
        const uint32_t first = plan.GetRank(place);
        std::map<GroupSlot, RankGroup> groups;
        for (const auto& operation : programs[i]->GetOperations())
        {
            const GroupSlot slot = operation.slot;
            if (slot == GroupSlot::TP || slot == GroupSlot::NONE)
            {
                continue;
            }
            if (groups.count(slot) == 0)
            {
                groups[slot] = plan.GetGroup(first, slot);
            }
            const RankGroup& group = groups[slot];
            if (plan.IsScaleUp(group))
            {
                continue;
            }
            uint64_t& bytes = IsPipeline(slot) ? total.pipeline : total.dataParallel;
            if (count == TrafficCount::SIZES)
            {
                bytes += (operation.bytes + operation.receiveBytes) * perProgram;
            }
            else if (operation.kind >= CollectiveKind::SEND)
            {
                bytes += operation.bytes * perProgram;
            }
            else
            {
                const uint64_t n = group.ranks.size();
                const uint64_t sent = CountRingBytes(operation, n) * perProgram;
                // Each stage has a member of the pipeline's group; the first one counts for all.
                bytes += slot != GroupSlot::PP ? sent / n : place.pp == 0 ? sent : 0;
            }
        }
    }
    // A replayed step may not use a group of the job, or for empty operations only: it has lanes.
    for (GroupSlot slot : TRAFFIC_SLOTS)
    {
        if (slot != GroupSlot::TP && slot != GroupSlot::MP && plan.HasGroup(0, slot) &&
            !plan.IsScaleUp(plan.GetGroup(0, slot)))
        {
            uint64_t& bytes = IsPipeline(slot) ? total.pipeline : total.dataParallel;
            bytes = std::max<uint64_t>(bytes, 1);
        }
    }
    return total;
}

std::vector<Circuit>
PlanStaticCircuits(const std::vector<RankGroup>& groups, const OcsPortOfLane& portOf)
{
    std::vector<Circuit> circuits;
    for (const auto& group : groups)
    {
        const bool pipeline = IsPipeline(group.slot);
        const auto wanted = GroupCircuits(group, [&](uint32_t rank, uint32_t lane) {
            return portOf(rank, pipeline, lane);
        });
        for (const auto& circuit : wanted)
        {
            // Only pairs and the pipeline ring overlap, and they agree on what they share.
            if (std::find(circuits.begin(), circuits.end(), circuit) == circuits.end())
            {
                circuits.push_back(circuit);
            }
        }
    }
    return circuits;
}

} // namespace photonic
} // namespace ns3
