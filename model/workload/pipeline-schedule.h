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
    ONE_F_ONE_B, ///< non-interleaved 1F1B (Narayanan et al. 2021, "PipeDream-Flush")
};

/// @param schedule a schedule @return "gpipe" or "1f1b"
const char* ToString(PipelineSchedule schedule);

/**
 * @ingroup photonic-rails-workload
 * @param name "gpipe" or "1f1b"
 * @return the schedule
 * @throws std::invalid_argument for another name
 */
PipelineSchedule ParsePipelineSchedule(const std::string& name);

/**
 * @ingroup photonic-rails-workload
 * @brief The forward or backward computation of one microbatch at one stage.
 */
struct PipelinePass
{
    enum class Direction : uint8_t
    {
        FORWARD,
        BACKWARD,
    };

    Direction direction;
    uint32_t microbatch;

    bool operator==(const PipelinePass& other) const
    {
        return direction == other.direction && microbatch == other.microbatch;
    }

    bool operator!=(const PipelinePass& other) const
    {
        return !(*this == other);
    }
};

/// @param pass a pass @return "forward m3"
std::string ToString(const PipelinePass& pass);

/**
 * @ingroup photonic-rails-workload
 * @param schedule which schedule
 * @param stage from 0
 * @param stages pipeline degree, at least 1
 * @param microbatches at least 1
 * @return the stage's passes, in order
 */
std::vector<PipelinePass> MakePipelineOrder(PipelineSchedule schedule,
                                            uint32_t stage,
                                            uint32_t stages,
                                            uint32_t microbatches);

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
 * A pass receives right before it and sends right after it. A send and the receive from the same
 * neighbour that follows it are one transfer if, and only if, the neighbour's matching send and
 * receive are adjacent too: batching where only one end has them adjacent, and never batching,
 * both deadlock.
 *
 * @param schedule which schedule
 * @param stages pipeline degree, at least 1
 * @param microbatches at least 1
 * @return the items of every stage, in order
 */
std::vector<std::vector<PipelineItem>> MakePipelineItems(PipelineSchedule schedule,
                                                         uint32_t stages,
                                                         uint32_t microbatches);

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
