/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/parallel-plan.h"

#include <map>
#include <set>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr GroupSlot SLOTS[]{GroupSlot::TP,
                            GroupSlot::FSDP,
                            GroupSlot::DP,
                            GroupSlot::PP,
                            GroupSlot::PP_NEXT,
                            GroupSlot::PP_PREVIOUS};

} // namespace

TEST(ParallelPlan, FollowsTorchTitansRankOrder)
{
    const ParallelPlan plan({4, 2, 2, 0}); // tp 4, pp 2, fsdp 2
    EXPECT_EQ(plan.GetRanks(), 16U);
    EXPECT_EQ(plan.GetNodes(), 4U);
    EXPECT_EQ(plan.GetDegrees().gpusPerNode, 4U);
    EXPECT_EQ(plan.GetGroup(6, GroupSlot::TP).ranks, (std::vector<uint32_t>{4, 5, 6, 7}));
    EXPECT_EQ(plan.GetGroup(6, GroupSlot::FSDP).ranks, (std::vector<uint32_t>{2, 6}));
    EXPECT_EQ(plan.GetGroup(6, GroupSlot::PP).ranks, (std::vector<uint32_t>{6, 14}));
    EXPECT_TRUE(plan.IsScaleUp(plan.GetGroup(6, GroupSlot::TP)));
    EXPECT_FALSE(plan.IsScaleUp(plan.GetGroup(6, GroupSlot::FSDP)));
    EXPECT_EQ(plan.GetRail(6), 2U);
    EXPECT_EQ(plan.GetNode(6), 1U);
}

TEST(ParallelPlan, ReplicasStandBetweenShardsAndStages)
{
    const ParallelPlan plan({2, 2, 3, 2, 4}); // tp 2, pp 2, fsdp 3, dp 4
    EXPECT_EQ(plan.GetRanks(), 48U);
    EXPECT_EQ(plan.GetGroup(9, GroupSlot::FSDP).ranks, (std::vector<uint32_t>{7, 9, 11}));
    EXPECT_EQ(plan.GetGroup(9, GroupSlot::DP).ranks, (std::vector<uint32_t>{3, 9, 15, 21}));
    EXPECT_EQ(plan.GetGroup(9, GroupSlot::PP).ranks, (std::vector<uint32_t>{9, 33}));
    EXPECT_EQ(plan.GetCoordinates(33).dp, 1U);
}

TEST(ParallelPlan, GroupsAgreeAtAllMembersAndAreUnique)
{
    for (uint32_t tp : {1, 2, 4})
    {
        for (uint32_t fsdp : {1, 3, 4})
        {
            for (const auto& [pp, dp] :
                 std::vector<std::pair<uint32_t, uint32_t>>{{1, 1}, {2, 1}, {5, 1}, {1, 2}, {2, 3}})
            {
                const ParallelPlan plan({tp, pp, fsdp, 0, dp});
                std::map<uint32_t, std::vector<uint32_t>> groups;
                std::map<uint32_t, uint32_t> seen;
                for (uint32_t rank = 0; rank < plan.GetRanks(); ++rank)
                {
                    EXPECT_EQ(plan.GetRank(plan.GetCoordinates(rank)), rank);
                    EXPECT_FALSE(plan.HasGroup(rank, GroupSlot::NONE));
                    for (GroupSlot slot : SLOTS)
                    {
                        if (!plan.HasGroup(rank, slot))
                        {
                            EXPECT_THROW(plan.GetGroup(rank, slot), std::invalid_argument);
                            continue;
                        }
                        const RankGroup group = plan.GetGroup(rank, slot);
                        const auto [at, isNew] = groups.emplace(group.id, group.ranks);
                        EXPECT_EQ(at->second, group.ranks);
                        ++seen[group.id];
                    }
                }
                for (const auto& [id, ranks] : groups)
                {
                    EXPECT_EQ(seen[id], ranks.size());
                }
                const std::size_t perStage = std::size_t{tp} * fsdp * dp;
                const std::size_t expected = (tp > 1 ? fsdp * dp * pp : 0) +
                                             (fsdp > 1 ? tp * dp * pp : 0) +
                                             (dp > 1 ? tp * fsdp * pp : 0) +
                                             (pp > 1 ? perStage * pp : 0); // 1 ring, pp - 1 pairs
                EXPECT_EQ(groups.size(), expected);
            }
        }
    }
}

TEST(ParallelPlan, PairsHaveOneIdentity)
{
    const ParallelPlan plan({2, 3, 2, 0});
    const RankGroup below = plan.GetGroup(1, GroupSlot::PP_NEXT);
    const RankGroup above = plan.GetGroup(5, GroupSlot::PP_PREVIOUS);
    EXPECT_EQ(below.id, above.id);
    EXPECT_EQ(below.ranks, (std::vector<uint32_t>{1, 5}));
    EXPECT_EQ(above.ranks, below.ranks);
    EXPECT_EQ(above.slot, GroupSlot::PP_NEXT);
    EXPECT_FALSE(plan.HasGroup(1, GroupSlot::PP_PREVIOUS));
    EXPECT_FALSE(plan.HasGroup(9, GroupSlot::PP_NEXT));
}

TEST(ParallelPlan, InterleavedStagesFormARing)
{
    ParallelPlan::Degrees degrees{2, 3, 2, 0};
    degrees.interleave = 2;
    const ParallelPlan plan(degrees);
    const RankGroup last = plan.GetGroup(9, GroupSlot::PP_NEXT);
    const RankGroup first = plan.GetGroup(1, GroupSlot::PP_PREVIOUS);
    EXPECT_EQ(last.id, first.id);
    EXPECT_EQ(last.ranks, (std::vector<uint32_t>{9, 1}));
    EXPECT_EQ(first.ranks, last.ranks);
    std::map<uint32_t, std::vector<uint32_t>> groups;
    for (uint32_t rank = 0; rank < plan.GetRanks(); ++rank)
    {
        for (GroupSlot slot : SLOTS)
        {
            if (plan.HasGroup(rank, slot))
            {
                const RankGroup group = plan.GetGroup(rank, slot);
                EXPECT_EQ(groups.emplace(group.id, group.ranks).first->second, group.ranks);
            }
        }
    }
    EXPECT_EQ(groups.size(), 6U + 6 + 4 + 3 * 4); // TP, FSDP, PP, and three pairs each

    degrees.pp = 2; // one pair serves both ways round
    const ParallelPlan two(degrees);
    EXPECT_TRUE(two.HasGroup(1, GroupSlot::PP_NEXT));
    EXPECT_FALSE(two.HasGroup(1, GroupSlot::PP_PREVIOUS));
    EXPECT_FALSE(two.HasGroup(5, GroupSlot::PP_NEXT));
    degrees.interleave = 0;
    EXPECT_CONTAINS(GetRefusal([&] { ParallelPlan refused(degrees); }), "at least 1 chunk");
}

TEST(ParallelPlan, RefusesWhatDoesNotFit)
{
    EXPECT_CONTAINS(GetRefusal([] { ParallelPlan({0, 1, 1, 0}); }), "tp 0 x fsdp 1 x pp 1");
    const auto nodes = GetRefusal([] { ParallelPlan({2, 3, 1, 4}); });
    EXPECT_CONTAINS(nodes, "= 6 ranks");
    EXPECT_CONTAINS(nodes, "4 GPUs per node");
    EXPECT_CONTAINS(GetRefusal([] { ParallelPlan({65536, 65536, 65536, 0}); }), "more than");
    EXPECT_CONTAINS(GetRefusal([] { ParallelPlan({65536, 65536, 65536, 0, 65536}); }),
                    "x dp 65536 x pp 65536 is more than");

    const auto rails = GetRefusal([] { ParallelPlan({8, 1, 1, 4}); });
    EXPECT_CONTAINS(rails, "rank 1 is on rail 1");
    EXPECT_CONTAINS(rails, "tp group (8 ranks from 0 to 7) is on rail 0");
    // Of the ranks 0 to 5 four are on the first node, two on the next.
    EXPECT_CONTAINS(GetRefusal([] { ParallelPlan({1, 2, 6, 4}); }), "fsdp group (6 ranks");
    // Of the stages of a pipeline two are on each node.
    EXPECT_CONTAINS(GetRefusal([] { ParallelPlan({1, 4, 1, 2}); }), "pp group (4 ranks");
    // On one node all is scale-up.
    EXPECT_NO_THROW(ParallelPlan({2, 2, 2, 8}));
}

TEST(ParallelPlan, ServesSixteenThousandRanks)
{
    const ParallelPlan plan({8, 16, 128, 8});
    EXPECT_EQ(plan.GetRanks(), 16384U);
    EXPECT_EQ(plan.GetGroup(16383, GroupSlot::FSDP).ranks.size(), 128U);
}

} // namespace photonic
} // namespace ns3
