/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "memory-estimate.h"

#include "stage-layout.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr double BF16 = 2;
constexpr double FP32 = 4;

/// @param plan the job @param stage from 0 @return microbatches that wait for their backward pass
uint32_t
CountInFlight(const TrainingPlan& plan, uint32_t stage)
{
    uint32_t inFlight = 0;
    uint32_t most = 0;
    for (const PipelinePass& pass :
         MakePipelineOrder(plan.schedule, stage, plan.degrees.pp, plan.microbatches))
    {
        inFlight += pass.direction == PipelinePass::Direction::FORWARD ? 1 : -1;
        most = std::max(most, inFlight);
    }
    return most;
}

} // namespace

MemoryEstimate
EstimateMemory(const TrainingPlan& plan, uint32_t stage)
{
    const StageLayout layout(plan, stage);
    const TransformerShape& shape = plan.model.GetShape();
    const bool isSharded = plan.degrees.fsdp > 1;
    const double tp = plan.degrees.tp;
    const double all = layout.GetParameters();
    const double shard = DivideUp(layout.GetParameters(), plan.degrees.fsdp);

    double largest = 0;
    for (uint32_t layer = 0; layer < layout.GetLayers(); ++layer)
    {
        largest = std::max<double>(largest, layout.GetUnitParameters(layer));
    }
    // With prefetch two layers are gathered at a time, and the extra unit all through a pass.
    double gathered = isSharded ? 2.0 * largest : 0;
    if (layout.HasExtraUnit())
    {
        const double extra = layout.GetUnitParameters(layout.GetLayers());
        gathered += isSharded ? extra : 0;
        largest = std::max(largest, extra);
    }
    MemoryEstimate estimate{};
    if (isSharded && plan.parameterGather != ParameterGather::PASS)
    {
        gathered = all; // all are kept for the backward pass
    }
    estimate.parameters = BF16 * (shard + gathered);
    estimate.optimizer = 3 * FP32 * shard;
    const bool reducesEveryTime =
        plan.microbatches == 1 || plan.gradientSync == GradientSync::EVERY;
    estimate.gradients = plan.gradientBytes * (!isSharded         ? all
                                               : reducesEveryTime ? shard + largest
                                                                  : all);

    const double tokens = static_cast<double>(plan.microbatchSize) * plan.sequenceLength;
    const double whole = BF16 * tokens / (plan.sequenceParallel ? tp : 1);
    const double split = BF16 * tokens / tp;
    double layers = 0;
    double most = 0; // of a layer
    for (const auto& segment : layout.GetSegments(PipelinePass::Direction::FORWARD))
    {
        if (segment.kind == StageLayout::Segment::Kind::LAYER)
        {
            const LayerPart& attention = plan.model.GetAttention();
            const LayerPart& mlp = plan.model.GetMlp(segment.layer);
            const double layer =
                whole * (attention.inputs + mlp.inputs) + split * (attention.inner + mlp.inner);
            layers += layer;
            most = std::max(most, layer);
        }
    }
    const double inFlight = CountInFlight(plan, stage);
    estimate.activations = plan.recompute == Recompute::FULL
                               ? inFlight * layout.GetLayers() * whole * shape.hidden + most
                               : inFlight * layers;
    if (layout.HasHead())
    {
        estimate.activations += (BF16 + FP32) * tokens * shape.vocabulary / tp;
    }
    return estimate;
}

} // namespace photonic
} // namespace ns3
