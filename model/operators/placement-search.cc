/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "placement-search.h"

#include "fluid-nics.h"
#include "operator-placement.h"
#include "operator-schedule.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

namespace ns3
{
namespace photonic
{

BatchScaling
PlacementSearch::GetScaling() const
{
    return {static_cast<double>(model.studyBatch),
            model.studySteps,
            criticalBatch == 0 ? model.criticalBatch : criticalBatch};
}

Time
PlacementSearch::GetRing() const
{
    const double bytes = ringBytes == 0 ? model.studyGradientBytes : ringBytes;
    return FluidNics(1, bandwidth).Send(0, Time(), static_cast<uint64_t>(2 * bytes));
}

std::vector<PlacementCandidate>
PlacementSearch::Run() const
{
    if (gpus == 0 || bandwidth.GetBitRate() == 0)
    {
        throw std::invalid_argument("a cluster has at least 1 GPU, with NICs of more than 0 bit/s, "
                                    "found " +
                                    std::to_string(gpus) + " GPUs and " +
                                    std::to_string(bandwidth.GetBitRate()) + " bit/s");
    }
    const ComputeModel compute(gpu, mfu);
    const BatchScaling scaling = GetScaling();
    std::vector<PlacementCandidate> candidates;
    for (uint64_t batch : batches.empty() ? std::vector<uint64_t>{model.studyBatch} : batches)
    {
        // Of 64 bits, since twice the largest 32-bit power of two has to end the loop.
        for (uint64_t groups = 1; groups <= std::min<uint64_t>(gpus, batch); groups *= 2)
        {
            const auto perGroup = static_cast<uint32_t>(gpus / groups);
            const bool isTooFar = groups > 1 && reach != 0 && perGroup > reach;
            if (gpus % groups != 0 || batch % groups != 0 || isTooFar)
            {
                continue;
            }
            PlacementLimits limits;
            limits.gpus = perGroup;
            limits.groups = static_cast<uint32_t>(groups);
            limits.degree = degree;
            limits.reach = reach;
            const OperatorGraph graph = model.Build(batch / groups, tokens);
            const OperatorPlacement placement(graph, compute, limits);
            const OperatorSchedule schedule(graph,
                                            compute,
                                            placement,
                                            bandwidth,
                                            bytesPerParameter);
            PlacementCandidate c{batch,
                                 limits.groups,
                                 perGroup,
                                 schedule.GetStepTime(),
                                 groups == 1 ? Time() : GetRing(),
                                 scaling.GetSteps(batch),
                                 0};
            c.seconds = c.steps * c.GetStep().GetSeconds();
            candidates.push_back(c);
        }
    }
    if (candidates.empty())
    {
        throw std::invalid_argument(
            "no data-parallel degree suits the batches, " + std::to_string(gpus) + " GPUs" +
            (reach == 0 ? "" : " and a reach of " + std::to_string(reach) + " GPUs"));
    }
    std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
        return std::tie(a.seconds, a.batch, b.groups) < std::tie(b.seconds, b.batch, a.groups);
    });
    return candidates;
}

} // namespace photonic
} // namespace ns3
