/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ml/sip-ml-test-helper.h"

#include "ns3/sip-share.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::photonic;

TEST(SipShare, ComparesWithoutRounding)
{
    // Doubles cannot tell these apart.
    const SipShare small{3, UINT64_MAX};
    const SipShare large{3, UINT64_MAX - 1};
    EXPECT_LT(small, large);
    EXPECT_FALSE(large < small);
    EXPECT_FALSE(small < small);
    EXPECT_EQ((SipShare{2, 6}), (SipShare{1, 3}));
    EXPECT_DOUBLE_EQ((SipShare{2, 6}).Normalise(12), 4);
}

TEST(SipShare, CountsCircuits)
{
    const SipShare third{1, 3};
    EXPECT_EQ(third.GetLeast(9), 3u);
    EXPECT_EQ(third.GetLeast(10), 4u);
    EXPECT_EQ(third.GetMostBelow(9), 2u);
    EXPECT_EQ(third.GetMostBelow(10), 3u);
    EXPECT_EQ((SipShare{0, 1}).GetLeast(9), 0u);
    EXPECT_EQ((SipShare{0, 1}).GetMostBelow(9), 0u);
    EXPECT_EQ((SipShare{20, 1}).GetLeast(UINT64_MAX), UINT32_MAX);
}

TEST(SipShare, WorstAndNext)
{
    const std::vector<uint64_t> demands{4, 10, 6};
    EXPECT_EQ(GetWorstShare(demands, {1, 2, 2}), (SipShare{1, 5}));
    EXPECT_EQ(GetWorstShare({}, {}), (SipShare{0, 1}));
    EXPECT_EQ(GetNextShare(demands, {0, 1}), (SipShare{1, 10}));
    EXPECT_EQ(GetNextShare(demands, {1, 5}), (SipShare{1, 4}));
}

TEST(SipShare, TheNeediestIsTheGreatest)
{
    EXPECT_LT((SipNeed{{2, 3}, 0}), (SipNeed{{1, 3}, 0}));
    EXPECT_LT((SipNeed{{1, 3}, 0}), (SipNeed{{2, 6}, 1}));
    EXPECT_LT((SipNeed{{1, 3}, 1}), (SipNeed{{1, 3}, 0}));
}

TEST(SipShare, HalvesVisitOneShareOfMany)
{
    const uint64_t seed = 7;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int i = 0; i < 200; ++i)
    {
        std::vector<uint64_t> demands;
        for (uint64_t n = 1 + random() % 20; n > 0; --n)
        {
            demands.push_back(1 + random() % 1000);
        }
        const SipShare last{1 + random() % 50, demands.front()};
        const SipShare wanted{1 + random() % last.count, demands[random() % demands.size()]};
        // The search for the largest share up to a limit, by the function and by walking there.
        SipShare fits{0, 1};
        SipShare exceeds = last;
        int steps = 0;
        for (auto share = exceeds; FindMiddleShare(demands, fits, share); share = exceeds)
        {
            EXPECT_LT(fits, share);
            EXPECT_LT(share, exceeds);
            (wanted < share ? exceeds : fits) = share;
            ++steps;
        }
        EXPECT_LE(steps, 40);
        SipShare walked{0, 1};
        for (auto next = walked; next < last && !(wanted < next);
             next = GetNextShare(demands, walked))
        {
            walked = next;
        }
        EXPECT_EQ(fits, walked);
    }
}
