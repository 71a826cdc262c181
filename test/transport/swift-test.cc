/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Algorithm 1 of Kumar et al. (SIGCOMM 2020), step by step.
 */
#include "ns3/double.h"
#include "ns3/swift.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace ns3
{
namespace photonic
{

namespace
{

Ptr<Swift>
MakeSwift(double window, int rangeUs = 0)
{
    auto swift = CreateObject<Swift>();
    swift->SetAttribute("MostWindow", DoubleValue(std::max(1.0, window)));
    swift->SetAttribute("ScalingRange", TimeValue(MicroSeconds(rangeUs)));
    swift->Start(DataRate("100Gbps"), 4134);
    return swift;
}

} // namespace

TEST(Swift, GrowsByOnePacketPerRoundTripBelowTheTarget)
{
    auto swift = MakeSwift(1000);
    swift->OnLoss(MicroSeconds(1)); // to 500, below the greatest
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 500);
    swift->OnAcknowledged(1, MicroSeconds(24), MicroSeconds(2));
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 500 + 1.0 / 500);
    swift->OnAcknowledged(100, MicroSeconds(24), MicroSeconds(2));
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 500 + 1.0 / 500 + 100 / (500 + 1.0 / 500));
    EXPECT_TRUE(std::isinf(swift->GetRate(MicroSeconds(3))));
}

TEST(Swift, ShrinksWithTheExcessOncePerRoundTrip)
{
    auto swift = MakeSwift(100);
    // 1 - 0.8 (31.25 - 25) / 31.25 = 0.84
    swift->OnAcknowledged(1, NanoSeconds(31'250), MicroSeconds(100));
    EXPECT_NEAR(swift->GetWindow(), 84, 1e-9);
    swift->OnAcknowledged(1, NanoSeconds(31'250), MicroSeconds(131));
    EXPECT_NEAR(swift->GetWindow(), 84, 1e-9);
    // At most by half.
    swift->OnAcknowledged(1, MicroSeconds(25'000), MicroSeconds(25'200));
    EXPECT_NEAR(swift->GetWindow(), 42, 1e-9);
    swift->OnLoss(MicroSeconds(25'300)); // within the round trip of 25 ms
    EXPECT_NEAR(swift->GetWindow(), 42, 1e-9);
    swift->OnLoss(MicroSeconds(50'200));
    EXPECT_NEAR(swift->GetWindow(), 21, 1e-9);
}

TEST(Swift, TheTargetFallsWithTheRootOfTheWindow)
{
    // alpha / sqrt(w) - alpha / sqrt(100), where all of the range is reached at w = 0.1.
    auto swift = MakeSwift(256, 90);
    EXPECT_EQ(swift->GetTarget(0.05), MicroSeconds(25 + 90));
    EXPECT_EQ(swift->GetTarget(100), MicroSeconds(25));
    EXPECT_EQ(swift->GetTarget(256), MicroSeconds(25));
    const double alpha = 90e-6 / (std::sqrt(10) - 0.1);
    for (double w : {0.2, 1.0, 5.0, 50.0})
    {
        EXPECT_NEAR(swift->GetTarget(w).GetSeconds(),
                    25e-6 + alpha * (1 / std::sqrt(w) - 0.1),
                    1e-9);
    }
}

TEST(Swift, BelowOnePacketTheWindowIsAPace)
{
    auto swift = MakeSwift(1);
    swift->OnAcknowledged(1, MicroSeconds(100), MicroSeconds(100)); // to 0.5
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 0.5);
    // A packet every 200 us.
    EXPECT_NEAR(swift->GetRate(MicroSeconds(101)), 4134 * 8 / 200e-6, 1e-3);
    // There it grows by a whole packet for each that is acknowledged.
    swift->SetAttribute("AdditiveIncrease", DoubleValue(0.25));
    swift->OnAcknowledged(1, MicroSeconds(20), MicroSeconds(200));
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 0.75);
}

TEST(Swift, AfterFiveTimeoutsInARowTheWindowIsTheLeast)
{
    auto swift = MakeSwift(256);
    for (int i = 1; i <= 4; i++)
    {
        swift->OnTimeout(MilliSeconds(i));
        EXPECT_DOUBLE_EQ(swift->GetWindow(), 256 / std::pow(2, i));
    }
    swift->OnTimeout(MilliSeconds(5));
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 0.01);
    swift->OnAcknowledged(1, MicroSeconds(20), MilliSeconds(6));
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 1.01);
}

} // namespace photonic
} // namespace ns3
