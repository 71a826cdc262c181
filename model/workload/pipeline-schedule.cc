/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "pipeline-schedule.h"

#include <algorithm>
#include <map>
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

/// @param order a stage's passes @param a a pass @param b a pass @return whether b follows a
bool
AreAdjacent(const std::vector<PipelinePass>& order, const PipelinePass& a, const PipelinePass& b)
{
    const auto at = std::find(order.begin(), order.end(), a);
    return at != order.end() && at + 1 != order.end() && *(at + 1) == b;
}

} // namespace

const char*
ToString(PipelineSchedule schedule)
{
    return schedule == PipelineSchedule::GPIPE ? "gpipe" : "1f1b";
}

PipelineSchedule
ParsePipelineSchedule(const std::string& name)
{
    for (auto schedule : {PipelineSchedule::GPIPE, PipelineSchedule::ONE_F_ONE_B})
    {
        if (name == ToString(schedule))
        {
            return schedule;
        }
    }
    throw std::invalid_argument("unknown schedule '" + name + "', expected gpipe or 1f1b");
}

std::string
ToString(const PipelinePass& pass)
{
    return (pass.direction == FORWARD ? "forward m" : "backward m") +
           std::to_string(pass.microbatch);
}

std::vector<PipelinePass>
MakePipelineOrder(PipelineSchedule schedule, uint32_t stage, uint32_t stages, uint32_t microbatches)
{
    const uint32_t lead = schedule == PipelineSchedule::GPIPE
                              ? microbatches
                              : std::min(stages - 1 - stage, microbatches);
    std::vector<PipelinePass> order;
    for (uint32_t m = 0; m < lead; ++m)
    {
        order.push_back({FORWARD, m});
    }
    for (uint32_t m = 0; m < microbatches; ++m)
    {
        if (lead + m < microbatches)
        {
            order.push_back({FORWARD, lead + m});
        }
        order.push_back({BACKWARD, m});
    }
    return order;
}

std::vector<std::vector<PipelineItem>>
MakePipelineItems(PipelineSchedule schedule, uint32_t stages, uint32_t microbatches)
{
    std::vector<std::vector<PipelinePass>> orders;
    for (uint32_t stage = 0; stage < stages; ++stage)
    {
        orders.push_back(MakePipelineOrder(schedule, stage, stages, microbatches));
    }

    std::vector<std::vector<PipelineItem>> items(stages);
    // A message between two stages is named after the pass that sends or receives it, which has the
    // same direction and microbatch at both ends. The earlier stage numbers the transfers.
    std::map<std::pair<PipelinePass::Direction, uint32_t>, uint32_t> fromPrevious;
    std::map<std::pair<PipelinePass::Direction, uint32_t>, uint32_t> fromThis;
    for (uint32_t stage = 0; stage < stages; ++stage)
    {
        const std::vector<PipelinePass>& order = orders[stage];
        uint32_t transfers = 0; // with the next stage
        const auto addTransfer = [&](GroupSlot slot,
                                     std::optional<PipelinePass> sent,
                                     std::optional<PipelinePass> received) {
            PipelineItem item{slot, {}, sent, received, transfers};
            for (const auto& message : {sent, received})
            {
                if (!message)
                {
                    continue;
                }
                if (slot == GroupSlot::PP_NEXT)
                {
                    fromThis[{message->direction, message->microbatch}] = transfers;
                }
                else
                {
                    item.counter = fromPrevious.at({message->direction, message->microbatch});
                }
            }
            transfers += slot == GroupSlot::PP_NEXT;
            items[stage].push_back(item);
        };

        bool batched = false; // whether the input of the pass came with the last transfer
        for (std::size_t i = 0; i < order.size(); ++i)
        {
            const PipelinePass& pass = order[i];
            const bool forward = pass.direction == FORWARD;
            const bool hasSource = forward ? stage > 0 : stage + 1 < stages;
            const bool hasTarget = forward ? stage + 1 < stages : stage > 0;
            const GroupSlot source = forward ? GroupSlot::PP_PREVIOUS : GroupSlot::PP_NEXT;
            const GroupSlot target = forward ? GroupSlot::PP_NEXT : GroupSlot::PP_PREVIOUS;
            if (hasSource && !batched)
            {
                addTransfer(source, std::nullopt, pass);
            }
            items[stage].push_back({GroupSlot::NONE, pass, std::nullopt, std::nullopt, 0});

            const bool turns = i + 1 < order.size() && order[i + 1].direction != pass.direction;
            batched = hasTarget && turns &&
                      AreAdjacent(orders[forward ? stage + 1 : stage - 1], order[i + 1], pass);
            if (hasTarget)
            {
                addTransfer(target, pass, batched ? std::optional(order[i + 1]) : std::nullopt);
            }
        }
        fromPrevious = std::move(fromThis);
        fromThis.clear();
    }
    return items;
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
