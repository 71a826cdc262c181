/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/expert-load.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace ns3
{
namespace photonic
{

namespace
{

uint64_t
Sum(const std::vector<uint64_t>& values)
{
    return std::accumulate(values.begin(), values.end(), uint64_t{0});
}

} // namespace

TEST(ExpertLoad, IsEvenWithoutSkew)
{
    const ExpertLoad load({}, 3, 1001, 8, 2);
    for (uint64_t copies : load.GetByExpert())
    {
        EXPECT_TRUE(copies == 250 || copies == 251); // 2,002 copies over 8
    }
    EXPECT_EQ(Sum(load.GetByRank(4)), 2002U);
    EXPECT_EQ(load.GetDropped(), 0U);
    // Every token chooses every expert.
    EXPECT_EQ(ExpertLoad({}, 0, 5, 4, 4).GetByExpert(), std::vector<uint64_t>(4, 5));
}

TEST(ExpertLoad, NothingIsLostAndNoExpertGetsATokenTwice)
{
    const uint32_t seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 300; ++i)
    {
        const uint32_t ranks = 1 + random() % 8;
        const uint32_t experts = ranks * (1 + random() % 8);
        const uint32_t chosen = 1 + random() % experts;
        const uint64_t tokens = random() % 5000;
        ExpertRouting routing;
        routing.skew = (random() % 50) / 10.0;
        routing.stream = random() % 1000;
        const ExpertLoad load(routing, i, tokens, experts, chosen);
        EXPECT_EQ(Sum(load.GetByExpert()), tokens * chosen);
        EXPECT_EQ(load.GetDropped(), 0U);
        EXPECT_LE(*std::max_element(load.GetByExpert().begin(), load.GetByExpert().end()), tokens);
        EXPECT_EQ(Sum(load.GetByRank(ranks)), tokens * chosen);
        routing.capacityFactor = 0.1 + (random() % 30) / 10.0;
        const ExpertLoad limited(routing, i, tokens, experts, chosen);
        EXPECT_EQ(Sum(limited.GetByExpert()) + limited.GetDropped(), tokens * chosen);
        const double even = double(tokens) * chosen / experts;
        for (uint32_t e = 0; e < experts; ++e)
        {
            const auto most = uint64_t(std::ceil(routing.capacityFactor * even));
            EXPECT_EQ(limited.GetByExpert()[e], std::min(load.GetByExpert()[e], most));
        }
    }
}

TEST(ExpertLoad, FollowsTheSeed)
{
    ExpertRouting routing;
    routing.skew = 1;
    const auto first = ExpertLoad(routing, 0, 10000, 64, 2).GetByExpert();
    EXPECT_EQ(ExpertLoad(routing, 0, 10000, 64, 2).GetByExpert(), first);
    EXPECT_NE(ExpertLoad(routing, 1, 10000, 64, 2).GetByExpert(), first);
    const uint32_t seed = RngSeedManager::GetSeed();
    RngSeedManager::SetSeed(seed + 1);
    EXPECT_NE(ExpertLoad(routing, 0, 10000, 64, 2).GetByExpert(), first);
    RngSeedManager::SetSeed(seed);
}

TEST(ExpertLoad, TheLogarithmOfTheLoadHasTheGivenDeviation)
{
    ExpertRouting routing;
    routing.skew = 0.5;
    std::vector<double> logs;
    for (uint32_t layer = 0; layer < 40; ++layer)
    {
        const ExpertLoad load(routing, layer, 100'000'000, 256, 1);
        for (uint64_t copies : load.GetByExpert())
        {
            logs.push_back(std::log(double(copies)));
        }
    }
    const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / logs.size();
    double square = 0;
    for (double x : logs)
    {
        square += (x - mean) * (x - mean) / logs.size();
    }
    // 10,240 draws: the deviation of the estimate is 0.5 / sqrt(2 x 10,240) = 0.0035.
    EXPECT_NEAR(std::sqrt(square), 0.5, 0.02);
}

TEST(ExpertLoad, RefusesWhatMakesNoSense)
{
    EXPECT_CONTAINS(GetRefusal([] { CheckExpertRouting({-1, 0, 0}); }), "expert skew -1");
    EXPECT_CONTAINS(GetRefusal([] { CheckExpertRouting({std::nan(""), 0, 0}); }), "expert skew");
    EXPECT_CONTAINS(GetRefusal([] { CheckExpertRouting({0, -0.5, 0}); }), "capacity factor -0.5");
    EXPECT_NO_THROW(CheckExpertRouting({1, 1.25, 0}));
}

} // namespace photonic
} // namespace ns3
