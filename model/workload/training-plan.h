/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_PLAN_H
#define PHOTONIC_TRAINING_PLAN_H

#include "gpu-catalogue.h"
#include "parallel-plan.h"
#include "pipeline-schedule.h"
#include "transformer-model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief Which activations the backward pass recomputes.
 */
enum class Recompute : uint8_t
{
    NONE,
    FULL, ///< only the input of a layer is kept; its forward pass is repeated before its backward
};

/// @param recompute which @return "none" or "full"
const char* ToString(Recompute recompute);
/// @param name "none" or "full" @return which; std::invalid_argument for another name
Recompute ParseRecompute(const std::string& name);

/**
 * @ingroup photonic-rails-workload
 * @brief After which backward passes gradients are reduced over the data-parallel group.
 */
enum class GradientSync : uint8_t
{
    LAST,  ///< the last of the step; gradients accumulate unsharded until then
    EVERY, ///< each
};

/// @param sync which @return "last" or "every"
const char* ToString(GradientSync sync);
/// @param name "last" or "every" @return which; std::invalid_argument for another name
GradientSync ParseGradientSync(const std::string& name);

/**
 * @ingroup photonic-rails-workload
 * @param total to be shared out
 * @param shares at least 1
 * @return the largest share, that is the quotient rounded up
 */
constexpr uint64_t
DivideUp(uint64_t total, uint64_t shares)
{
    return total / shares + (total % shares == 0 ? 0 : 1);
}

/**
 * @ingroup photonic-rails-workload
 * @brief All that determines the step programs of a training job.
 */
struct TrainingPlan
{
    TransformerModel model{TransformerModel::Load("llama3-8b")};
    ParallelPlan::Degrees degrees;
    uint32_t microbatches{1};
    uint32_t microbatchSize{1};    ///< sequences
    uint32_t sequenceLength{8192}; ///< tokens
    PipelineSchedule schedule{PipelineSchedule::ONE_F_ONE_B};
    std::vector<uint32_t> layersPerStage; ///< empty: the even split of SplitLayers()
    Recompute recompute{Recompute::NONE};
    GradientSync gradientSync{GradientSync::LAST};
    uint32_t gradientBytes{2};   ///< of a reduced gradient: 2 (bf16) or 4 (fp32)
    bool sequenceParallel{true}; ///< TP as all-gather and reduce-scatter instead of all-reduce
    GpuSpec gpu{FindGpu("a100")};
    double mfu{0.40}; ///< achieved share of peak FLOP/s

    /// @throws std::invalid_argument naming what does not fit, with the numbers
    void Check() const;

    /// @return bytes of one microbatch's activations between layers, in bf16
    uint64_t GetActivationBytes() const;

    /// @return bytes that one rank sends to the next stage per microbatch; with sequence
    ///         parallelism its share of the sequence, rounded up so that all ranks agree
    uint64_t GetTransferBytes() const;

    /// @return model FLOPs of a step of the whole job, without recomputation
    double GetModelFlopsPerStep() const;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_PLAN_H
