/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "memory-estimate.h"

#include "stage-layout.h"

#include <algorithm>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr double BF16 = 2;
constexpr double FP32 = 4;

/// Bytes of activations that a chunk of layers keeps for a microbatch.
struct Kept
{
    double backward{0}; ///< for its backward pass
    double weights{0};  ///< for its weight gradients, if these are a pass of their own
};

/**
 * @param chunks what each chunk of the stage keeps
 * @return bytes of activations that the stage keeps, at most
 */
double
GetMostKept(const TrainingPlan& plan, const std::vector<Kept>& chunks, uint32_t stage)
{
    const bool hasWeights = plan.schedule == PipelineSchedule::ZB_H1;
    std::vector<uint32_t> before(chunks.size()); // microbatches that wait for the backward pass
    std::vector<uint32_t> after(chunks.size());  // and for their weight gradients
    double most = 0;
    for (const PipelinePass& pass : MakePipelineOrder(plan.GetPipelineShape(), stage))
    {
        switch (pass.direction)
        {
        case PipelinePass::Direction::FORWARD:
            before[pass.chunk]++;
            break;
        case PipelinePass::Direction::BACKWARD:
            before[pass.chunk]--;
            after[pass.chunk] += hasWeights ? 1 : 0;
            break;
        case PipelinePass::Direction::WEIGHTS:
            after[pass.chunk]--;
            break;
        }
        double kept = 0;
        for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk)
        {
            kept += before[chunk] * chunks[chunk].backward + after[chunk] * chunks[chunk].weights;
        }
        most = std::max(most, kept);
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
    const double shard = layout.GetShard();

    double largest = 0;
    for (uint32_t layer = 0; layer < layout.GetLayers(); ++layer)
    {
        largest = std::max<double>(largest,
                                   layout.GetUnitParameters(layer) +
                                       layout.GetUnitExpertParameters(layer));
    }
    // A layer and those ahead of it are gathered at a time, and the extra unit all through a pass.
    const double together = std::min<double>(1.0 + plan.prefetch, std::max(2U, layout.GetLayers()));
    double gathered = isSharded ? together * largest : 0;
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

    const double tokens = plan.GetTokens();
    const double whole = BF16 * tokens / (plan.sequenceParallel ? tp : 1);
    const double split = BF16 * tokens / tp;
    const bool again = plan.recompute == Recompute::FULL;
    std::vector<Kept> chunks(plan.degrees.interleave);
    double most = 0; // of a layer
    for (uint32_t chunk = 0; chunk < chunks.size(); ++chunk)
    {
        for (const auto& segment : layout.GetSegments({PipelinePass::Direction::FORWARD, 0, chunk}))
        {
            if (segment.kind == StageLayout::Segment::Kind::LAYER)
            {
                const LayerPart& attention = plan.model.GetAttention();
                const LayerPart& mlp = plan.model.GetMlp(segment.layer);
                const double layer =
                    whole * (attention.inputs + mlp.inputs) + split * (attention.inner + mlp.inner);
                chunks[chunk].backward += again ? whole * shape.hidden : layer;
                chunks[chunk].weights += layer;
                most = std::max(most, layer);
            }
        }
    }
    estimate.activations = GetMostKept(plan, chunks, stage) + (again ? most : 0);
    if (layout.HasHead())
    {
        estimate.activations += (BF16 + FP32) * tokens * shape.vocabulary / tp;
    }
    return estimate;
}

} // namespace photonic
} // namespace ns3
