/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/static-circuit-plan.h"

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

TEST(StaticCircuitPlan, PortsPerGpu)
{
    EXPECT_EQ(StaticLanes::Plan(DataRate(1000), 1, 1).GetPortsPerGpu(), 4U);
    EXPECT_EQ(StaticLanes::Plan(DataRate(1000), 1, 0).GetPortsPerGpu(), 2U);
    EXPECT_EQ(StaticLanes::Plan(DataRate(1000), 0, 0).GetPortsPerGpu(), 0U);
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
