/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/pipeline-schedule.h"

#include <algorithm>
#include <map>
#include <tuple>

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
        orders.push_back(MakePipelineOrder({schedule, stages, microbatches}, k));
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
        for (const PipelinePass& pass : MakePipelineOrder({schedule, 3, 4}, stage))
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

TEST(PipelineSchedule, ZeroBubbleKeepsNoMoreThanOneForwardOneBackward)
{
    const auto tell = [](uint32_t stage) {
        std::string text;
        for (const PipelinePass& pass : MakePipelineOrder({PipelineSchedule::ZB_H1, 3, 5}, stage))
        {
            text +=
                "FBW"[static_cast<std::size_t>(pass.direction)] + std::to_string(pass.microbatch);
        }
        return text;
    };
    EXPECT_EQ(tell(0), "F0F1F2B0W0F3B1W1F4B2W2B3W3B4W4");
    EXPECT_EQ(tell(1), "F0F1B0F2B1W0F3B2W1F4B3W2B4W3W4");
    EXPECT_EQ(tell(2), "F0B0F1B1F2B2W0F3B3W1F4B4W2W3W4");
    for (uint32_t p = 1; p <= 8; ++p)
    {
        for (uint32_t m = 1; m <= 16; ++m)
        {
            for (uint32_t stage = 0; stage < p; ++stage)
            {
                uint32_t kept = 0;
                uint32_t most = 0;
                for (const auto& pass : MakePipelineOrder({PipelineSchedule::ZB_H1, p, m}, stage))
                {
                    kept += pass.direction == FORWARD;
                    kept -= pass.direction == PipelinePass::Direction::WEIGHTS;
                    most = std::max(most, kept);
                }
                EXPECT_EQ(kept, 0U);
                EXPECT_EQ(most, std::min(p, m)) << p << " " << m << " " << stage;
            }
        }
    }
}

TEST(PipelineSchedule, KnownInterleavedOrders)
{
    const auto tell = [](const PipelineShape& shape, uint32_t stage) {
        std::string text;
        for (const PipelinePass& pass : MakePipelineOrder(shape, stage))
        {
            text += (pass.direction == FORWARD ? "F" : "B") + std::to_string(pass.microbatch) +
                    std::string(1, 'a' + pass.chunk);
        }
        return text;
    };
    // Two stages of two chunks, a and b, after the figure of Narayanan et al. 2021, section 2.2.
    const PipelineShape two{PipelineSchedule::ONE_F_ONE_B, 2, 4, 2};
    EXPECT_EQ(tell(two, 0), "F0aF1aF0bF1bF2aB0bF3aB1bF2bB0aF3bB1aB2bB3bB2aB3a");
    EXPECT_EQ(tell(two, 1), "F0aF1aF0bB0bF1bB1bF2aB0aF3aB1aF2bB2bF3bB3bB2aB3a");
    // As many microbatches as stages: the first stage goes forward through all of them.
    EXPECT_EQ(tell({PipelineSchedule::ONE_F_ONE_B, 2, 2, 2}, 0), "F0aF1aF0bF1bB0bB1bB0aB1a");
}

TEST(PipelineSchedule, TheLastStageSendsToTheFirst)
{
    const auto tell = [](const PipelineShape& shape, uint32_t stage) {
        std::vector<std::string> text;
        const auto items = MakePipelineItems(shape);
        for (const PipelineItem& i : items[stage])
        {
            if (i.slot != GroupSlot::NONE)
            {
                text.push_back(std::string(ToString(i.slot)) +
                               (i.sent ? " > " + ToString(*i.sent) : "") +
                               (i.received ? " < " + ToString(*i.received) : ""));
            }
        }
        return text;
    };
    using Text = std::vector<std::string>;
    // Three stages of two chunks, three microbatches: the first and the last stage.
    const PipelineShape three{PipelineSchedule::ONE_F_ONE_B, 3, 3, 2};
    const Text first = tell(three, 0);
    // At a moment at which all stages send, the wrap's message goes first.
    EXPECT_EQ(first,
              (Text{"pp-next > forward m0",
                    "pp-next > forward m1",
                    "pp-previous < forward m0 c1",
                    "pp-next > forward m2",
                    "pp-previous < forward m1 c1",
                    "pp-next > forward m0 c1",
                    "pp-previous < forward m2 c1",
                    "pp-next > forward m1 c1",
                    "pp-next > forward m2 c1",
                    "pp-next < backward m0 c1",
                    "pp-next < backward m1 c1",
                    "pp-previous > backward m0 c1",
                    "pp-next < backward m2 c1",
                    "pp-previous > backward m1 c1",
                    "pp-next < backward m0",
                    "pp-previous > backward m2 c1",
                    "pp-next < backward m1",
                    "pp-next < backward m2"}));
    // Two stages have one pair for everything, on which forward messages cross.
    const Text pair = tell({PipelineSchedule::ONE_F_ONE_B, 2, 2, 2}, 0);
    EXPECT_EQ(pair,
              (Text{"pp-next > forward m0",
                    "pp-next > forward m1 < forward m0 c1",
                    "pp-next > forward m0 c1 < forward m1 c1",
                    "pp-next > forward m1 c1 < backward m0 c1",
                    "pp-next > backward m0 c1 < backward m1 c1",
                    "pp-next > backward m1 c1 < backward m0",
                    "pp-next < backward m1"}));
}

TEST(PipelineSchedule, BatchesExactlyTheSteadyTransfers)
{
    for (PipelineSchedule schedule : SCHEDULES)
    {
        for (uint32_t p = 2; p <= 8; ++p)
        {
            for (uint32_t m = 1; m <= 16; ++m)
            {
                const auto items = MakePipelineItems({schedule, p, m});
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
    EXPECT_CONTAINS(GetRefusal([] { ParsePipelineSchedule("1F1B"); }),
                    "expected gpipe, 1f1b or zb-h1");
    for (PipelineSchedule schedule : SCHEDULES)
    {
        EXPECT_EQ(ParsePipelineSchedule(ToString(schedule)), schedule);
    }
}

} // namespace photonic
} // namespace ns3
