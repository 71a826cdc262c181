/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "static-circuit-plan.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
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

uint32_t
StaticLanes::GetPortsPerGpu() const
{
    return (ring.GetBitRate() ? 2 : 0) + (pipeline.GetBitRate() ? 2 : 0);
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
