/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/expert-exchange.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

namespace ns3
{
namespace photonic
{

namespace
{

using Table = std::map<std::pair<uint32_t, uint32_t>, uint64_t>; ///< bytes by sender and receiver

ParallelPlan
MakeRanks(uint32_t ep, uint32_t gpusPerNode, bool matchings)
{
    ParallelPlan::Degrees degrees;
    degrees.ep = ep;
    degrees.gpusPerNode = gpusPerNode;
    degrees.matchings = matchings;
    return ParallelPlan(degrees);
}

/// What all ranks send in one step, by rank, from what the step of each says of its group.
Table
GetSent(const ParallelPlan& plan, const std::vector<ExpertExchange::Step>& ofRanks)
{
    Table sent;
    for (uint32_t rank = 0; rank < plan.GetRanks(); ++rank)
    {
        const auto& step = ofRanks[rank];
        const auto group = plan.GetGroup(rank, step.slot).ranks;
        const uint32_t n = group.size();
        const uint32_t at = std::find(group.begin(), group.end(), rank) - group.begin();
        for (uint32_t to = 0; to < n; ++to)
        {
            uint64_t bytes = 0;
            if (step.shares)
            {
                EXPECT_EQ(step.shares->GetN(), n);
                bytes = step.shares->Get(at, to);
            }
            else if (step.kind == CollectiveKind::ALL_TO_ALL)
            {
                bytes = (step.bytes + n - 1 - to) / n;
            }
            else
            {
                EXPECT_EQ(step.kind, CollectiveKind::RING_EXCHANGE);
                bytes = n == 2                                         ? step.bytes
                        : to == (at + 1) % n || to == (at + n - 1) % n ? step.bytes / 2
                                                                       : 0;
            }
            if (to != at && bytes > 0)
            {
                sent[{rank, group[to]}] += bytes;
            }
        }
    }
    return sent;
}

using Steps = const std::vector<ExpertExchange::Step>& (ExpertExchange::*)() const;

/// @return what all ranks send in all steps
Table
GetAllSent(const ParallelPlan& plan, const std::vector<ExpertExchange>& exchanges, Steps steps)
{
    Table all;
    for (std::size_t i = 0; i < (exchanges.front().*steps)().size(); ++i)
    {
        std::vector<ExpertExchange::Step> ofRanks;
        for (const auto& exchange : exchanges)
        {
            ofRanks.push_back((exchange.*steps)().at(i));
        }
        for (const auto& [pair, bytes] : GetSent(plan, ofRanks))
        {
            all[pair] += bytes;
        }
    }
    return all;
}

constexpr Steps DISPATCH = &ExpertExchange::GetDispatch;
constexpr Steps COMBINE = &ExpertExchange::GetCombine;

} // namespace

TEST(ExpertExchange, EvenSharesReachEveryRankHoweverTheyGo)
{
    for (uint32_t ep = 2; ep <= 17; ++ep)
    {
        for (bool matchings : {false, true})
        {
            const auto plan = MakeRanks(ep, 1, matchings);
            const std::vector<ExpertExchange> exchanges(ep, ExpertExchange(plan, ep * 10));
            const auto sent = GetAllSent(plan, exchanges, DISPATCH);
            EXPECT_EQ(sent.size(), ep * (ep - 1));
            for (const auto& [pair, bytes] : sent)
            {
                EXPECT_EQ(bytes, 10U) << ep;
            }
            EXPECT_EQ(GetAllSent(plan, exchanges, COMBINE), sent);
            EXPECT_EQ(exchanges[0].GetDispatch().size(), matchings ? ep / 2 : 1);
        }
    }
}

TEST(ExpertExchange, OnANodeItIsOneExchange)
{
    const auto plan = MakeRanks(8, 8, true);
    const ExpertExchange exchange(plan, 800);
    ASSERT_EQ(exchange.GetDispatch().size(), 1U);
    EXPECT_EQ(exchange.GetDispatch()[0].slot, GroupSlot::EP);
    EXPECT_EQ(exchange.GetDispatch()[0].kind, CollectiveKind::ALL_TO_ALL);
}

TEST(ExpertExchange, UnevenSharesReachEveryRankHoweverTheyGo)
{
    const uint32_t seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 100; ++i)
    {
        const uint32_t ep = 2 + random() % 12;
        const auto plan = MakeRanks(ep, 1, random() % 2 == 0);
        std::vector<uint64_t> bytesTo(ep);
        std::generate(bytesTo.begin(), bytesTo.end(), [&] { return random() % 4 * 100; });
        std::vector<ExpertExchange> exchanges;
        Table dispatch;
        Table combine;
        for (uint32_t rank = 0; rank < ep; ++rank)
        {
            exchanges.emplace_back(plan, rank, bytesTo);
            for (uint32_t to = 0; to < ep; ++to)
            {
                if (to != rank && bytesTo[to] > 0)
                {
                    dispatch[{rank, to}] = bytesTo[to];
                    combine[{to, rank}] = bytesTo[to];
                }
            }
        }
        EXPECT_EQ(GetAllSent(plan, exchanges, DISPATCH), dispatch);
        EXPECT_EQ(GetAllSent(plan, exchanges, COMBINE), combine);
    }
}

TEST(ExpertExchange, AcrossRailsItGoesByTheMemberOnTheRail)
{
    const uint32_t seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 100; ++i)
    {
        const uint32_t local = 2 + random() % 3;
        const uint32_t nodes = 2 + random() % 4;
        const uint32_t ep = local * nodes;
        const auto plan = MakeRanks(ep, local, random() % 2 == 0);
        std::vector<uint64_t> bytesTo(ep);
        std::generate(bytesTo.begin(), bytesTo.end(), [&] { return random() % 4 * 100; });
        std::vector<ExpertExchange> exchanges;
        // From rank a to rank b by the rank on a's node and b's rail, and back the same way.
        Table dispatch;
        Table combine;
        const auto add = [](Table& table, uint32_t from, uint32_t to, uint64_t bytes) {
            if (from != to && bytes > 0)
            {
                table[{from, to}] += bytes;
            }
        };
        for (uint32_t a = 0; a < ep; ++a)
        {
            exchanges.emplace_back(plan, a, bytesTo);
            for (uint32_t b = 0; b < ep; ++b)
            {
                const uint32_t between = a / local * local + b % local;
                add(dispatch, a, between, bytesTo[b]);
                add(dispatch, between, b, bytesTo[b]);
                add(combine, b, between, bytesTo[b]);
                add(combine, between, a, bytesTo[b]);
            }
        }
        EXPECT_EQ(GetAllSent(plan, exchanges, DISPATCH), dispatch);
        EXPECT_EQ(GetAllSent(plan, exchanges, COMBINE), combine);
        EXPECT_EQ(exchanges[0].GetDispatch().front().slot, GroupSlot::EP_LOCAL);
        EXPECT_EQ(exchanges[0].GetCombine().back().slot, GroupSlot::EP_LOCAL);
    }
}

} // namespace photonic
} // namespace ns3
