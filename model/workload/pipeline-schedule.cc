/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "pipeline-schedule.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr auto FORWARD = PipelinePass::Direction::FORWARD;
constexpr auto BACKWARD = PipelinePass::Direction::BACKWARD;
constexpr auto WEIGHTS = PipelinePass::Direction::WEIGHTS;

} // namespace

const char*
ToString(PipelineSchedule schedule)
{
    switch (schedule)
    {
    case PipelineSchedule::GPIPE:
        return "gpipe";
    case PipelineSchedule::ONE_F_ONE_B:
        return "1f1b";
    case PipelineSchedule::ZB_H1:
        return "zb-h1";
    }
    return "unknown";
}

PipelineSchedule
ParsePipelineSchedule(const std::string& name)
{
    for (auto schedule :
         {PipelineSchedule::GPIPE, PipelineSchedule::ONE_F_ONE_B, PipelineSchedule::ZB_H1})
    {
        if (name == ToString(schedule))
        {
            return schedule;
        }
    }
    throw std::invalid_argument("unknown schedule '" + name + "', expected gpipe, 1f1b or zb-h1");
}

std::string
ToString(const PipelinePass& pass)
{
    return (pass.direction == FORWARD    ? "forward m"
            : pass.direction == BACKWARD ? "backward m"
                                         : "weights m") +
           std::to_string(pass.microbatch) +
           (pass.chunk == 0 ? "" : " c" + std::to_string(pass.chunk));
}

void
PipelineShape::Check() const
{
    if (chunks <= 1)
    {
        return;
    }
    const std::string interleave = "interleaving " + std::to_string(chunks) + " chunks per stage";
    if (schedule != PipelineSchedule::ONE_F_ONE_B)
    {
        throw std::invalid_argument(interleave + " needs schedule 1f1b, found " +
                                    ToString(schedule));
    }
    if (stages < 2)
    {
        throw std::invalid_argument(interleave + " needs at least 2 pipeline stages, found " +
                                    std::to_string(stages));
    }
    if (microbatches % stages != 0)
    {
        throw std::invalid_argument(interleave + " needs microbatches in multiples of the " +
                                    std::to_string(stages) + " pipeline stages, found " +
                                    std::to_string(microbatches));
    }
}

std::vector<PipelinePass>
MakePipelineOrder(const PipelineShape& shape, uint32_t stage)
{
    const uint32_t p = shape.stages;
    const uint32_t v = shape.chunks;
    const uint32_t passes = shape.microbatches * v; // in either direction
    const auto makePass = [&](PipelinePass::Direction direction, uint32_t i) -> PipelinePass {
        if (v == 1)
        {
            return {direction, i};
        }
        const uint32_t chunk = i / p % v;
        return {direction, i / (p * v) * p + i % p, direction == FORWARD ? chunk : v - 1 - chunk};
    };
    const bool hasWeights = shape.schedule == PipelineSchedule::ZB_H1;
    uint32_t lead = passes;
    if (shape.schedule != PipelineSchedule::GPIPE)
    {
        lead = std::min(v == 1 ? p - 1 - stage : 2 * (p - 1 - stage) + (v - 1) * p, passes);
    }
    std::vector<PipelinePass> order;
    for (uint32_t i = 0; i < lead; ++i)
    {
        order.push_back(makePass(FORWARD, i));
    }
    for (uint32_t i = 0; i < passes; ++i)
    {
        if (lead + i < passes)
        {
            order.push_back(makePass(FORWARD, lead + i));
        }
        order.push_back(makePass(BACKWARD, i));
        if (hasWeights && i >= stage)
        {
            order.push_back(makePass(WEIGHTS, i - stage));
        }
    }
    for (uint32_t i = passes - std::min(stage, passes); hasWeights && i < passes; ++i)
    {
        order.push_back(makePass(WEIGHTS, i));
    }
    return order;
}

std::vector<uint32_t>
SplitLayers(uint32_t layers, uint32_t stages, const std::vector<uint32_t>& wanted)
{
    if (!wanted.empty())
    {
        std::string list;
        for (uint32_t share : wanted)
        {
            list += (list.empty() ? "" : ",") + std::to_string(share);
        }
        if (wanted.size() != stages)
        {
            throw std::invalid_argument("layers per stage " + list + " are " +
                                        std::to_string(wanted.size()) + " shares for " +
                                        std::to_string(stages) + " pipeline stages");
        }
        const uint64_t sum = std::accumulate(wanted.begin(), wanted.end(), uint64_t{0});
        if (sum != layers)
        {
            throw std::invalid_argument("layers per stage " + list + " add up to " +
                                        std::to_string(sum) + ", but the model has " +
                                        std::to_string(layers) + " layers");
        }
        if (std::find(wanted.begin(), wanted.end(), 0U) != wanted.end())
        {
            throw std::invalid_argument("layers per stage " + list +
                                        " leave a stage without layers");
        }
        return wanted;
    }

    if (layers < stages)
    {
        throw std::invalid_argument(std::to_string(layers) + " layers are too few for " +
                                    std::to_string(stages) + " pipeline stages");
    }
    std::vector<uint32_t> shares(stages, layers / stages + (layers % stages == 0 ? 0 : 1));
    const uint32_t smaller = layers % stages == 0 ? 0 : stages - layers % stages;
    for (uint32_t i = 0; i < smaller; ++i)
    {
        shares[i % 2 == 0 ? stages - 1 - i / 2 : i / 2] -= 1;
    }
    return shares;
}

} // namespace photonic
} // namespace ns3
