/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "job/test-job.h"
#include "workload/workload-test-helper.h"

#include "ns3/static-circuit-plan.h"
#include "ns3/step-program-builder.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

std::pair<uint64_t, uint64_t>
Plan(uint64_t rate, uint64_t ring, uint64_t pipeline)
{
    const auto lanes = StaticLanes::Plan(DataRate(rate), ring, pipeline);
    return {lanes.ring.GetBitRate(), lanes.pipeline.GetBitRate()};
}

using Rates = std::pair<uint64_t, uint64_t>;

/// @return F and P of a job with a program per stage
std::pair<uint64_t, uint64_t>
Count(const ParallelPlan& plan, const std::vector<std::vector<Operation>>& stages)
{
    std::vector<Ptr<const StepProgram>> programs;
    for (const auto& operations : stages)
    {
        programs.push_back(Create<StepProgram>(operations));
    }
    const auto bytes = CountScaleOutBytes(plan, programs);
    return {bytes.dataParallel, bytes.pipeline};
}

} // namespace

TEST(StaticCircuitPlan, LanesFollowTheRootsOfTheBytes)
{
    EXPECT_EQ(Plan(400000000000, 1, 1), Rates(100000000000, 100000000000));
    // Perfect squares: the share is exact, and no rounding may take a bit/s away.
    EXPECT_EQ(Plan(600000000000, 4000000000000, 1000000000000), Rates(200000000000, 100000000000));
    EXPECT_EQ(Plan(14, 9, 16), Rates(3, 4));
    EXPECT_EQ(Plan(800000000000, 9, 1), Rates(300000000000, 100000000000));
    // An absent parallelism has no lanes.
    EXPECT_EQ(Plan(400000000000, 5, 0), Rates(200000000000, 0));
    EXPECT_EQ(Plan(400000000000, 0, 5), Rates(0, 200000000000));
    EXPECT_EQ(Plan(400000000000, 0, 0), Rates(0, 0));
    EXPECT_THROW(Plan(3, 1, 1), std::invalid_argument);
    EXPECT_THROW(Plan(1000, 1, 1000000000000), std::invalid_argument);
}

TEST(StaticCircuitPlan, LanesMatchTheFormula)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i)
    {
        const uint64_t rate = 1000000000 + random() % 1600000000000;
        const uint64_t ring = 1 + random() % (1ULL << (20 + i % 30));
        const uint64_t pipeline = 1 + random() % (1ULL << (20 + i % 30));
        const auto lanes = Plan(rate, ring, pipeline);
        EXPECT_EQ(lanes.first + lanes.second, rate / 2);
        const long double f = std::sqrt(static_cast<long double>(ring));
        const long double p = std::sqrt(static_cast<long double>(pipeline));
        EXPECT_NEAR(static_cast<double>(lanes.first),
                    static_cast<double>(rate / 2 * (f / (f + p))),
                    1.01);
    }
}

TEST(StaticCircuitPlan, CountsWhatLeavesTheNodes)
{
    using Kind = CollectiveKind;
    const std::vector<std::vector<Operation>> stages{
        {MakeCollective("t", GroupSlot::TP, Kind::ALL_REDUCE, 7777, 0),
         MakeCollective("gather", GroupSlot::FSDP, Kind::ALL_GATHER, 300, 0),
         MakeTransfer("s", GroupSlot::PP_NEXT, Kind::SEND, 50, 0, 0),
         MakeCollective("norm", GroupSlot::PP, Kind::ALL_REDUCE, 4, 0)},
        {MakeCollective("gather", GroupSlot::FSDP, Kind::ALL_GATHER, 600, 0),
         MakeTransfer("r", GroupSlot::PP_PREVIOUS, Kind::RECEIVE, 0, 50, 0),
         MakeTransfer("b", GroupSlot::PP_NEXT, Kind::SEND_RECEIVE, 60, 70, 0),
         MakeCollective("sum", GroupSlot::FSDP, Kind::ALL_REDUCE, 30, 1),
         MakeCollective("norm", GroupSlot::PP, Kind::ALL_REDUCE, 4, 0)},
        {MakeTransfer("b", GroupSlot::PP_PREVIOUS, Kind::SEND_RECEIVE, 70, 60, 0),
         MakeCollective("norm", GroupSlot::PP, Kind::ALL_REDUCE, 4, 0)}};
    // Two data-parallel groups of three ranks at each stage, six pipelines.
    const uint64_t pipeline = 6 * (50 + 60 + 70 + 2 * 2 * 4);
    EXPECT_EQ(Count(ParallelPlan({2, 3, 3, 2}), stages),
              Rates(2 * (2 * 300 + 2 * 600 + 2 * 2 * 30), pipeline));
    // With a node per stage only the pipeline leaves it, with one node for all nothing does.
    EXPECT_EQ(Count(ParallelPlan({2, 3, 3, 6}), stages), Rates(0, pipeline));
    EXPECT_EQ(Count(ParallelPlan({2, 3, 3, 18}), stages), Rates(0, 0));
}

TEST(StaticCircuitPlan, CountsSizesAtEveryRank)
{
    // 9 ranks at each of two stages: a collective counts at each of them, a transfer at both ends.
    const std::vector<std::vector<Operation>> stages{
        {MakeCollective("sum", GroupSlot::DP, CollectiveKind::ALL_REDUCE, 300, 0),
         MakeTransfer("s", GroupSlot::PP_NEXT, CollectiveKind::SEND, 50, 0, 0)},
        {MakeCollective("sum", GroupSlot::DP, CollectiveKind::ALL_REDUCE, 30, 0),
         MakeTransfer("r", GroupSlot::PP_PREVIOUS, CollectiveKind::RECEIVE, 0, 50, 0)}};
    std::vector<Ptr<const StepProgram>> programs;
    for (const auto& operations : stages)
    {
        programs.push_back(Create<StepProgram>(operations));
    }
    const ParallelPlan plan({1, 2, 1, 1, 9});
    const auto sizes = CountScaleOutBytes(plan, programs, TrafficCount::SIZES);
    EXPECT_EQ(sizes.dataParallel, 9U * 330);
    EXPECT_EQ(sizes.pipeline, 9U * 100);
    const auto sent = CountScaleOutBytes(plan, programs);
    EXPECT_EQ(sent.dataParallel, 2U * 8 * 330);
    EXPECT_EQ(sent.pipeline, 9U * 50);
}

TEST(StaticCircuitPlan, LanesOfASmallJob)
{
    // 9,000 bytes gathered at each of two stages, 8,000 sent each way by both replicas.
    using Kind = CollectiveKind;
    const auto gather = MakeCollective("g", GroupSlot::FSDP, Kind::ALL_GATHER, 9000, 0);
    const auto [f, p] = Count(
        ParallelPlan({1, 2, 2, 1}),
        {{gather, MakeTransfer("b", GroupSlot::PP_NEXT, Kind::SEND_RECEIVE, 8000, 8000, 0)},
         {gather, MakeTransfer("b", GroupSlot::PP_PREVIOUS, Kind::SEND_RECEIVE, 8000, 8000, 0)}});
    EXPECT_EQ(f, 18000U);
    EXPECT_EQ(p, 32000U);
    EXPECT_EQ(Plan(400'000'000'000, f, p), Rates(85'714'285'714, 114'285'714'286)); // 3 : 4

    // A built program: every stage gathers its 41,088 parameters per layer and 64,000 (64 more at
    // the last stage) twice, reduces them once, and sums two norms; 16 x 64 activations go either
    // way in both replicas.
    const auto plan = MakePlan(2, 1, 2, 2, 1);
    const auto bytes = CountScaleOutBytes(ParallelPlan(plan.degrees), BuildStepPrograms(plan));
    EXPECT_EQ(bytes.dataParallel, (2 * (41088 + 64000) + 64) * (2 * 2 + 2) + 2 * 2 * 4U);
    EXPECT_EQ(bytes.pipeline, 2 * (2 * 16 * 64 * 2 + 2 * 4U));
}

TEST(StaticCircuitPlan, CircuitsOfARail)
{
    // Ranks 0, 1 are stage 0 and 2, 3 stage 1; port = 4 rank + lane, pipeline lanes 2 and 3.
    const auto portOf = [](uint32_t rank, bool pipeline, uint32_t lane) {
        return 4 * rank + 2 * pipeline + lane;
    };
    const std::vector<RankGroup> groups{{1, GroupSlot::FSDP, {0, 1}},
                                        {2, GroupSlot::FSDP, {2, 3}},
                                        {3, GroupSlot::PP, {0, 2}},
                                        {4, GroupSlot::PP_NEXT, {0, 2}},
                                        {5, GroupSlot::PP_NEXT, {1, 3}}};
    EXPECT_EQ(PlanStaticCircuits(groups, portOf),
              (std::vector<Circuit>{{0, 5},
                                    {4, 1},
                                    {8, 13},
                                    {12, 9},
                                    {2, 11},
                                    {10, 3}, // the wrap; {2, 11} is the pair's as well
                                    {6, 15}}));
}

TEST(GroupCircuits, RingsAndPairs)
{
    const auto portOf = [](uint32_t rank, uint32_t port) { return 10 * rank + port; };
    EXPECT_EQ(GroupCircuits({1, GroupSlot::FSDP, {3, 1, 2}}, portOf),
              (std::vector<Circuit>{{30, 11}, {10, 21}, {20, 31}}));
    EXPECT_EQ(GroupCircuits({1, GroupSlot::PP, {1, 2}}, portOf),
              (std::vector<Circuit>{{10, 21}, {20, 11}}));
    EXPECT_EQ(GroupCircuits({1, GroupSlot::PP_NEXT, {1, 2}}, portOf),
              (std::vector<Circuit>{{10, 21}}));
    EXPECT_EQ(NicPortsOf(GroupSlot::FSDP, 5), 3);
    EXPECT_EQ(NicPortsOf(GroupSlot::PP, 0), 3);
    EXPECT_EQ(NicPortsOf(GroupSlot::PP_NEXT, 0), 1);
    EXPECT_EQ(NicPortsOf(GroupSlot::PP_PREVIOUS, 1), 2);
    EXPECT_TRUE(IsPipeline(GroupSlot::PP));
    EXPECT_FALSE(IsPipeline(GroupSlot::FSDP));
}
