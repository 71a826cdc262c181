/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/cause.h"
#include "ns3/simulator.h"

#include <functional>
#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

std::vector<uint64_t>
WalkBack(const Cause& cause, std::size_t atMost)
{
    std::vector<uint64_t> ids;
    cause.WalkBack([&](uint64_t id) {
        ids.push_back(id);
        return ids.size() < atMost;
    });
    return ids;
}

} // namespace

TEST(Cause, StartsEmpty)
{
    const Cause start;
    EXPECT_EQ(start.GetReconfigurations(), 0U);
    EXPECT_EQ(start.GetStall(), Time(0));
    EXPECT_TRUE(WalkBack(start, 9).empty());
}

TEST(Cause, CountsReconfigurationsAndAddsUpWaits)
{
    const Cause cause = Cause()
                            .AfterReconfiguration(11)
                            .AfterStall(MicroSeconds(3))
                            .AfterReconfiguration(5)
                            .AfterStall(MicroSeconds(4));
    EXPECT_EQ(cause.GetReconfigurations(), 2U);
    EXPECT_EQ(cause.GetStall(), MicroSeconds(7));
}

TEST(Cause, WalksBackLatestFirstAndStopsWhenTold)
{
    const Cause cause = Cause()
                            .AfterReconfiguration(1)
                            .AfterStall(MicroSeconds(1))
                            .AfterReconfiguration(2)
                            .AfterReconfiguration(3);
    EXPECT_EQ(WalkBack(cause, 9), (std::vector<uint64_t>{3, 2, 1}));
    EXPECT_EQ(WalkBack(cause, 2), (std::vector<uint64_t>{3, 2}));
    EXPECT_EQ(WalkBack(cause, 1), (std::vector<uint64_t>{3}));
}

TEST(Cause, ProlongingOneLeavesOthersAlone)
{
    const Cause common = Cause().AfterReconfiguration(1);
    const Cause left = common.AfterReconfiguration(2).AfterStall(MicroSeconds(5));
    const Cause right = common.AfterReconfiguration(3);
    EXPECT_EQ(WalkBack(common, 9), (std::vector<uint64_t>{1}));
    EXPECT_EQ(WalkBack(left, 9), (std::vector<uint64_t>{2, 1}));
    EXPECT_EQ(WalkBack(right, 9), (std::vector<uint64_t>{3, 1}));
    EXPECT_EQ(common.GetStall(), Time(0));
    EXPECT_EQ(right.GetStall(), Time(0));
    EXPECT_EQ(left.GetStall(), MicroSeconds(5));
}

TEST(Cause, NoWaitIsTheSameChain)
{
    const Cause cause = Cause().AfterReconfiguration(4);
    const Cause same = cause.AfterStall(Time(0));
    EXPECT_EQ(same.GetReconfigurations(), 1U);
    EXPECT_EQ(same.GetStall(), Time(0));
    EXPECT_EQ(WalkBack(same, 9), (std::vector<uint64_t>{4}));
}

TEST(Cause, ForgetsNamesBeforeAnInstantAndNoCounts)
{
    Cause common;
    Cause left;
    Cause right;
    const auto at = [](int us, std::function<void()> action) {
        Simulator::Schedule(MicroSeconds(us), std::move(action));
    };
    at(1, [&] { common = Cause().AfterReconfiguration(1).AfterReconfiguration(2); });
    at(2, [&] { common = common.AfterReconfiguration(3).AfterStall(MicroSeconds(1)); });
    at(3, [&] { left = common.AfterReconfiguration(4); });
    at(4, [&] { right = common.AfterReconfiguration(5); });
    Simulator::Run();
    left.Forget(MicroSeconds(1)); // nothing is older
    EXPECT_EQ(WalkBack(left, 9), (std::vector<uint64_t>{4, 3, 2, 1}));
    left.Forget(MicroSeconds(2)); // the first one before stays, as where the chain ends
    EXPECT_EQ(WalkBack(left, 9), (std::vector<uint64_t>{4, 3, 2}));
    EXPECT_EQ(WalkBack(right, 9), (std::vector<uint64_t>{5, 3, 2}));
    right.Forget(MicroSeconds(9));
    EXPECT_EQ(WalkBack(right, 9), (std::vector<uint64_t>{5}));
    EXPECT_EQ(WalkBack(left, 9), (std::vector<uint64_t>{4, 3, 2}));
    for (const auto& chain : {left, right})
    {
        EXPECT_EQ(chain.GetReconfigurations(), 4U);
        EXPECT_EQ(chain.GetStall(), MicroSeconds(1));
    }
    Cause().Forget(MicroSeconds(1));
    Simulator::Destroy();
}

TEST(Cause, ALongChainIsLetGoWithoutRecursion)
{
    constexpr uint64_t n = 1'000'000;
    Cause middle;
    {
        Cause cause;
        for (uint64_t id = 1; id <= n; id++)
        {
            cause = cause.AfterReconfiguration(id);
            if (id == n / 2)
            {
                middle = cause;
            }
        }
        EXPECT_EQ(cause.GetReconfigurations(), n);
        uint64_t met = 0;
        cause.WalkBack([&](uint64_t id) {
            EXPECT_EQ(id, n - met);
            return ++met < n / 4;
        });
        EXPECT_EQ(met, n / 4);
    }
    // The younger half is gone, the shared half is not.
    EXPECT_EQ(middle.GetReconfigurations(), n / 2);
    uint64_t met = 0;
    middle.WalkBack([&](uint64_t) {
        met++;
        return true;
    });
    EXPECT_EQ(met, n / 2);
}

} // namespace photonic
} // namespace ns3
