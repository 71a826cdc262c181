/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/pipeline-schedule.h"

#include <algorithm>
#include <map>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr auto FORWARD = PipelinePass::Direction::FORWARD;
constexpr PipelineSchedule SCHEDULES[]{PipelineSchedule::GPIPE, PipelineSchedule::ONE_F_ONE_B};

/// Time of a step in which a forward pass takes 1, a backward pass 2 and a transfer nothing.
uint32_t
ScheduleList(PipelineSchedule schedule, uint32_t stages, uint32_t microbatches)
{
    std::vector<std::vector<PipelinePass>> orders;
    for (uint32_t k = 0; k < stages; ++k)
    {
        orders.push_back(MakePipelineOrder(schedule, k, stages, microbatches));
    }
    std::vector<std::size_t> next(stages, 0);
    std::vector<uint32_t> free(stages, 0);
    std::map<std::tuple<bool, uint32_t, uint32_t>, uint32_t> end; // forward, stage, microbatch
    uint32_t makespan = 0;
    for (bool moved = true; moved;)
    {
        moved = false;
        for (uint32_t k = 0; k < stages; ++k)
        {
            if (next[k] == orders[k].size())
            {
                continue;
            }
            const PipelinePass pass = orders[k][next[k]];
            const bool forward = pass.direction == FORWARD;
            uint32_t ready = 0;
            if (forward ? k > 0 : k + 1 < stages)
            {
                const auto input = end.find({forward, forward ? k - 1 : k + 1, pass.microbatch});
                if (input == end.end())
                {
                    continue;
                }
                ready = input->second;
            }
            free[k] = std::max(free[k], ready) + (forward ? 1 : 2);
            end[{forward, k, pass.microbatch}] = free[k];
            makespan = std::max(makespan, free[k]);
            ++next[k];
            moved = true;
        }
    }
    EXPECT_EQ(end.size(), std::size_t{2} * stages * microbatches);
    return makespan;
}

} // namespace

TEST(PipelineSchedule, HasTheClosedFormBubble)
{
    for (PipelineSchedule schedule : SCHEDULES)
    {
        for (uint32_t p = 1; p <= 8; ++p)
        {
            for (uint32_t m = 1; m <= 16; ++m)
            {
                // Bubble (P - 1) / (M + P - 1) of the step, with 3 M of work per stage.
                EXPECT_EQ(ScheduleList(schedule, p, m), 3 * (m + p - 1)) << p << " " << m;
            }
        }
    }
}

TEST(PipelineSchedule, KnownOrders)
{
    const auto tell = [](PipelineSchedule schedule, uint32_t stage) {
        std::string text;
        for (const PipelinePass& pass : MakePipelineOrder(schedule, stage, 3, 4))
        {
            text += (pass.direction == FORWARD ? "F" : "B") + std::to_string(pass.microbatch);
        }
        return text;
    };
    EXPECT_EQ(tell(PipelineSchedule::GPIPE, 1), "F0F1F2F3B0B1B2B3");
    EXPECT_EQ(tell(PipelineSchedule::ONE_F_ONE_B, 0), "F0F1F2B0F3B1B2B3");
    EXPECT_EQ(tell(PipelineSchedule::ONE_F_ONE_B, 1), "F0F1B0F2B1F3B2B3");
    EXPECT_EQ(tell(PipelineSchedule::ONE_F_ONE_B, 2), "F0B0F1B1F2B2F3B3");
}

TEST(PipelineSchedule, BatchesExactlyTheSteadyTransfers)
{
    for (PipelineSchedule schedule : SCHEDULES)
    {
        for (uint32_t p = 2; p <= 8; ++p)
        {
            for (uint32_t m = 1; m <= 16; ++m)
            {
                const auto items = MakePipelineItems(schedule, p, m);
                for (uint32_t k = 0; k + 1 < p; ++k)
                {
                    const uint32_t lead = p - 1 - k;
                    const uint32_t expected =
                        schedule == PipelineSchedule::GPIPE || m < lead ? 0 : m - lead;
                    for (uint32_t end : {k, k + 1})
                    {
                        const GroupSlot slot =
                            end == k ? GroupSlot::PP_NEXT : GroupSlot::PP_PREVIOUS;
                        EXPECT_EQ(std::count_if(items[end].begin(),
                                                items[end].end(),
                                                [slot](const PipelineItem& i) {
                                                    return i.slot == slot && i.sent && i.received;
                                                }),
                                  expected);
                        EXPECT_EQ(
                            std::count_if(items[end].begin(),
                                          items[end].end(),
                                          [slot](const PipelineItem& i) { return i.slot == slot; }),
                            2 * m - expected);
                    }
                }
            }
        }
    }
}

TEST(PipelineSchedule, SplitsLayersLikeTheSpecification)
{
    const std::vector<uint32_t> llama405{7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7};
    EXPECT_EQ(SplitLayers(126, 16), llama405);
    EXPECT_EQ(SplitLayers(32, 2), (std::vector<uint32_t>{16, 16}));
    EXPECT_EQ(SplitLayers(7, 4), (std::vector<uint32_t>{2, 2, 2, 1}));
    EXPECT_EQ(SplitLayers(5, 4), (std::vector<uint32_t>{1, 2, 1, 1}));
    EXPECT_EQ(SplitLayers(3, 1), (std::vector<uint32_t>{3}));
    EXPECT_EQ(SplitLayers(6, 2, {5, 1}), (std::vector<uint32_t>{5, 1}));
}

TEST(PipelineSchedule, RefusesSharesThatDoNotFit)
{
    EXPECT_CONTAINS(GetRefusal([] { SplitLayers(3, 4); }), "3 layers are too few for 4");
    EXPECT_CONTAINS(GetRefusal([] { SplitLayers(6, 2, {5, 2}); }), "5,2 add up to 7");
    EXPECT_CONTAINS(GetRefusal([] { SplitLayers(6, 2, {2, 2, 2}); }), "3 shares for 2");
    EXPECT_CONTAINS(GetRefusal([] { SplitLayers(6, 2, {6, 0}); }), "without layers");
    EXPECT_CONTAINS(GetRefusal([] { ParsePipelineSchedule("1F1B"); }), "expected gpipe or 1f1b");
    for (PipelineSchedule schedule : SCHEDULES)
    {
        EXPECT_EQ(ParsePipelineSchedule(ToString(schedule)), schedule);
    }
}

} // namespace photonic
} // namespace ns3
