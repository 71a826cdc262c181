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

/**
 * @param kept bytes of a layer for its backward pass
 * @param whole bytes of a layer that weight gradients need, in a pass of their own
 * @return bytes of activations that the stage keeps, at most
 */
double
GetMostKept(const TrainingPlan& plan,
            const StageLayout& layout,
            uint32_t stage,
            double kept,
            double whole)
{
    const bool hasWeights = plan.schedule == PipelineSchedule::ZB_H1;
    uint32_t before = 0; // layers that wait for the backward pass
    uint32_t after = 0;  // layers that wait for their weight gradients
    double most = 0;
    for (const PipelinePass& pass : MakePipelineOrder(plan.GetPipelineShape(), stage))
    {
        const uint32_t layers = layout.GetLayers(pass.chunk);
        switch (pass.direction)
        {
        case PipelinePass::Direction::FORWARD:
            before += layers;
            break;
        case PipelinePass::Direction::BACKWARD:
            before -= layers;
            after += hasWeights ? layers : 0;
            break;
        case PipelinePass::Direction::WEIGHTS:
            after -= layers;
            break;
        }
        most = std::max(most, before * kept + after * whole);
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

    // With prefetch two layers are gathered at a time, and the extra unit all through a pass.
    double gathered = isSharded ? 2.0 * layout.GetUnitParameters(0) : 0;
    double largest = layout.GetUnitParameters(0);
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

    // Per token, in elements: the inputs of two normalisations, of the query-key-value and of the
    // gate-up projections (4 h), query and attention output (2 q), key and value, and what gate,
    // up and down projections keep (3 f).
    const double tokens = static_cast<double>(plan.microbatchSize) * plan.sequenceLength;
    const double queries = static_cast<double>(shape.heads) * shape.headDim;
    const double keys = static_cast<double>(shape.kvHeads) * shape.headDim;
    const double input = BF16 * tokens * shape.hidden / (plan.sequenceParallel ? tp : 1);
    const double layer =
        4 * input + BF16 * tokens * (2 * queries + 2 * keys + 3.0 * shape.intermediate) / tp;
    const bool again = plan.recompute == Recompute::FULL;
    estimate.activations =
        GetMostKept(plan, layout, stage, again ? input : layer, layer) + (again ? layer : 0);
    if (layout.HasHead())
    {
        estimate.activations += (BF16 + FP32) * tokens * shape.vocabulary / tp;
    }
    return estimate;
}

} // namespace photonic
} // namespace ns3
