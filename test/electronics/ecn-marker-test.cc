/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/ecn-marker.h"

#include <cmath>
#include <gtest/gtest.h>
#include <iostream>

namespace ns3
{
namespace photonic
{

TEST(EcnMarker, MarksWithTheProbabilityOfRed)
{
    // Zhu et al. 2015, figure 5: 0 up to Kmin, a line up to Pmax at Kmax, 1 above.
    EcnMarker marker({5000, 200'000, 0.01});
    EXPECT_EQ(marker.GetProbability(0), 0);
    EXPECT_EQ(marker.GetProbability(5000), 0);
    EXPECT_DOUBLE_EQ(marker.GetProbability(102'500), 0.005);
    EXPECT_DOUBLE_EQ(marker.GetProbability(200'000), 0.01);
    EXPECT_EQ(marker.GetProbability(200'001), 1);

    constexpr int64_t stream = 3;
    std::cout << "stream " << stream << '\n';
    EcnMarker steep({10'000, 20'000, 0.8});
    steep.SetStream(stream);
    for (uint64_t queued : {9000U, 10'000U, 11'000U, 13'000U, 15'000U, 19'999U, 20'000U, 20'001U})
    {
        const double p = queued <= 10'000 ? 0 : queued > 20'000 ? 1 : 0.8 * (queued - 1e4) / 1e4;
        constexpr int trials = 20'000;
        int marks = 0;
        for (int k = 0; k < trials; k++)
        {
            marks += steep.Decide(queued);
        }
        // Four standard deviations of the binomial distribution: 1 in 16,000.
        EXPECT_NEAR(marks, trials * p, 4 * std::sqrt(trials * p * (1 - p))) << queued;
    }
}

TEST(EcnMarker, EqualBoundsMakeAStep)
{
    EcnMarker marker({30'000, 30'000, 0.01});
    EXPECT_EQ(marker.GetProbability(30'000), 0);
    EXPECT_EQ(marker.GetProbability(30'001), 1);
    EXPECT_FALSE(marker.Decide(30'000));
    EXPECT_TRUE(marker.Decide(30'001));
}

} // namespace photonic
} // namespace ns3
