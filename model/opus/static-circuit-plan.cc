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

ScaleOutBytes
CountScaleOutBytes(const ParallelPlan& plan,
                   const std::vector<Ptr<const StepProgram>>& programs,
                   TrafficCount count)
{
    ScaleOutBytes total{};
    const auto& degrees = plan.GetDegrees();
    const uint64_t perStage = plan.GetRanks() / degrees.pp;
    for (uint32_t stage = 0; stage < degrees.pp; ++stage)
    {
        // A stage's first rank stands for all: its groups leave the node if and only if those of
        // the others do, since a group that leaves it stays on one rail.
        const uint32_t first = plan.GetRank({0, 0, stage});
        std::map<GroupSlot, RankGroup> groups;
        for (const auto& operation : programs[stage]->GetOperations())
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
                bytes += (operation.bytes + operation.receiveBytes) * perStage;
            }
            else if (operation.kind >= CollectiveKind::SEND)
            {
                bytes += operation.bytes * perStage;
            }
            else if (group.ranks.front() == first) // else another stage counts it
            {
                // A ring moves (n-1) x bytes in all, an all-reduce twice that; an all-to-all passes
                // shares on.
                const uint64_t n = group.ranks.size();
                const uint64_t rings = slot == GroupSlot::PP ? perStage : perStage / n;
                const uint64_t times = operation.kind == CollectiveKind::ALL_REDUCE   ? 2 * (n - 1)
                                       : operation.kind == CollectiveKind::ALL_TO_ALL ? n * n / 4
                                                                                      : n - 1;
                bytes += rings * times * operation.bytes;
            }
        }
    }
    // A replayed step may not use a group of the job, or for empty operations only: it has lanes.
    const auto leaves = [&plan](GroupSlot slot) {
        return plan.HasGroup(0, slot) && !plan.IsScaleUp(plan.GetGroup(0, slot));
    };
    total.dataParallel =
        std::max(total.dataParallel, uint64_t{leaves(GroupSlot::FSDP) || leaves(GroupSlot::DP)});
    total.pipeline = std::max(total.pipeline, uint64_t{leaves(GroupSlot::PP)});
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
