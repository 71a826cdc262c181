/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PIPELINE_SCHEDULE_H
#define PHOTONIC_PIPELINE_SCHEDULE_H

#include "step-program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief In which order a pipeline stage computes its microbatches.
 */
enum class PipelineSchedule : uint8_t
{
    GPIPE,       ///< all forward passes, then all backward passes (Huang et al. 2019)
    ONE_F_ONE_B, ///< 1F1B (Narayanan et al. 2021, "PipeDream-Flush"; section 2.2 if interleaved)
    ZB_H1,       ///< as 1F1B, with weight gradients in what would be its bubble (Qi et al. 2024)
};

/// @param schedule a schedule @return "gpipe", "1f1b" or "zb-h1"
const char* ToString(PipelineSchedule schedule);

/**
 * @ingroup photonic-rails-workload
 * @param name "gpipe", "1f1b" or "zb-h1"
 * @return the schedule
 * @throws std::invalid_argument for another name
 */
PipelineSchedule ParsePipelineSchedule(const std::string& name);

/**
 * @ingroup photonic-rails-workload
 * @brief The forward or backward computation of one microbatch in one chunk of a stage.
 */
struct PipelinePass
{
    /// Which computation.
    enum class Direction : uint8_t
    {
        FORWARD,
        BACKWARD, ///< the whole, or that of the input where weights have a pass of their own
        WEIGHTS,  ///< gradients of the weights
    };

    /// Which computation.
    Direction direction;
    /// Number in the step, from 0.
    uint32_t microbatch;
    uint32_t chunk{0}; ///< of the stage's layers; chunk c of stage k is virtual stage c P + k

    /// @param other a pass @return whether they are the same
    bool operator==(const PipelinePass& other) const
    {
        return direction == other.direction && microbatch == other.microbatch &&
               chunk == other.chunk;
    }

    /// @param other a pass @return whether they differ
    bool operator!=(const PipelinePass& other) const
    {
        return !(*this == other);
    }
};

/// @param pass a pass @return "forward m3", "forward m3 c1" in the second chunk of a stage
std::string ToString(const PipelinePass& pass);

/**
 * @ingroup photonic-rails-workload
 * @brief All that a pipeline's order depends on.
 */
struct PipelineShape
{
    /// Order of the passes.
    PipelineSchedule schedule{PipelineSchedule::ONE_F_ONE_B};
    uint32_t stages{1}; ///< pipeline degree P
    /// In a step.
    uint32_t microbatches{1};
    uint32_t chunks{1}; ///< of a stage: V of Narayanan et al. 2021, section 2.2

    /// @throws std::invalid_argument if the schedule cannot interleave so many chunks
    void Check() const;
};

/**
 * @ingroup photonic-rails-workload
 * @brief The passes of a stage, in order.
 *
 * With chunks, microbatches go through a stage in groups of as many as there are stages: a group in
 * the first chunk, then in the second, and so on, and backwards in the opposite order of chunks
 * (Megatron-LM, schedules.py, forward_backward_pipelining_with_interleaving). Stage k begins with
 * 2 (P-1-k) + (V-1) P forward passes, then alternates.
 *
 * In ZB-H1 the weight gradients of a microbatch follow the k-th backward pass of stage k after its
 * own, or all of them: so that every stage keeps P microbatches at most, as many as the first one
 * does in 1F1B (Qi et al. 2024, "Zero Bubble Pipeline Parallelism", section 2.3).
 *
 * @param shape the pipeline, which passes PipelineShape::Check()
 * @param stage from 0
 * @return the stage's passes
 */
std::vector<PipelinePass> MakePipelineOrder(const PipelineShape& shape, uint32_t stage);

/**
 * @ingroup photonic-rails-workload
 * @brief One entry of a stage's order: a pass, or a transfer with a neighbour.
 */
struct PipelineItem
{
    GroupSlot slot{GroupSlot::NONE};      ///< NONE: a pass; else PP_NEXT or PP_PREVIOUS
    PipelinePass pass{};                  ///< unless a transfer
    std::optional<PipelinePass> sent;     ///< the local pass whose result a transfer sends
    std::optional<PipelinePass> received; ///< the local pass whose input a transfer receives
    uint32_t counter{0}; ///< number of the transfer in its pair, the same at both ends
};

/**
 * @ingroup photonic-rails-workload
 * @brief Put the transfers between stages into their orders.
 *
 * A transfer stands at both ends where it would if every pass took the same time and transfers
 * took none: right after the pass that sends it, and at the receiver between the two passes that
 * meet that moment, or right before the pass that needs it if the sender is idle until then. All
 * transfers have one order in time, so that no two stages wait for each other. Opposite transfers
 * of two stages at one moment are a single one: in 1F1B, those of the steady part.
 *
 * With chunks, the last stage also sends to the first, which is next to it: PP_NEXT of the last is
 * PP_PREVIOUS of the first. Two stages have one pair for everything.
 *
 * @param shape the pipeline, which passes PipelineShape::Check()
 * @return the items of every stage, in order
 */
std::vector<std::vector<PipelineItem>> MakePipelineItems(const PipelineShape& shape);

/**
 * @ingroup photonic-rails-workload
 * @brief Share layers out over stages.
 *
 * As even as possible; smaller shares go to the last, the first, the last but one, the second
 * stage, and so on, since the ends hold head and embedding besides.
 *
 * @param layers of the model
 * @param stages pipeline degree
 * @param wanted layers per stage, or empty for the even split
 * @return layers per stage
 * @throws std::invalid_argument if a stage would get none, or if wanted does not add up
 */
std::vector<uint32_t> SplitLayers(uint32_t layers,
                                  uint32_t stages,
                                  const std::vector<uint32_t>& wanted = {});

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PIPELINE_SCHEDULE_H
