/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
// Groups of every combination of degrees and many rank orders, against what brute force finds.
#include "workload-test-helper.h"

#include "ns3/parallel-plan.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>

namespace ns3
{
namespace photonic
{

namespace
{

using Digits = std::array<uint32_t, DIMENSIONS>; ///< by Dimension

/// Coordinates of all ranks, counted like an odometer whose first wheel is the innermost dimension.
std::vector<Digits>
CountRanks(const ParallelPlan::Degrees& degrees)
{
    const Digits size{degrees.tp, degrees.cp, degrees.ep, degrees.fsdp, degrees.dp, degrees.pp};
    std::vector<Digits> all;
    Digits wheel{};
    for (;;)
    {
        all.push_back(wheel);
        std::size_t i = 0;
        for (; i < DIMENSIONS; ++i)
        {
            const auto d = static_cast<std::size_t>(degrees.order[i]);
            if (++wheel[d] < size[d])
            {
                break;
            }
            wheel[d] = 0;
        }
        if (i == DIMENSIONS)
        {
            return all;
        }
    }
}

/// In which dimensions the members of a group may differ, written out: tp, cp, ep, fsdp, dp, pp.
std::optional<std::array<bool, DIMENSIONS>>
GetTable(const ParallelPlan::Degrees& d, GroupSlot slot)
{
    using Row = std::array<bool, DIMENSIONS>;
    const bool sharded = d.fsdp > 1;
    switch (slot)
    {
    case GroupSlot::TP:
        return Row{1, 0, 0, 0, 0, 0};
    case GroupSlot::CP:
        return Row{0, 1, 0, 0, 0, 0};
    case GroupSlot::EP:
        return Row{0, 0, 1, 0, 0, 0};
    case GroupSlot::PP:
        return Row{0, 0, 0, 0, 0, 1};
    case GroupSlot::FSDP:
        return sharded ? std::optional<Row>(Row{0, 1, 1, 1, 0, 0}) : std::nullopt;
    case GroupSlot::DP:
        return sharded ? Row{0, 0, 0, 0, 1, 0} : Row{0, 1, 1, 0, 1, 0};
    case GroupSlot::EXPERT_FSDP:
        return sharded && d.ep > 1 ? std::optional<Row>(Row{0, 1, 0, 1, 0, 0}) : std::nullopt;
    case GroupSlot::EXPERT_DP:
        return !sharded && d.ep > 1 ? std::optional<Row>(Row{0, 1, 0, 0, 1, 0}) : std::nullopt;
    default:
        return std::nullopt;
    }
}

constexpr GroupSlot WHOLE[]{GroupSlot::TP,
                            GroupSlot::CP,
                            GroupSlot::EP,
                            GroupSlot::FSDP,
                            GroupSlot::EXPERT_FSDP,
                            GroupSlot::DP,
                            GroupSlot::EXPERT_DP,
                            GroupSlot::PP};

/// @return ranks that agree with this one where the group's members do, in order of rank
std::vector<uint32_t>
FindMembers(const std::vector<Digits>& ranks, uint32_t rank, const std::array<bool, 6>& free)
{
    std::vector<uint32_t> members;
    for (uint32_t other = 0; other < ranks.size(); ++other)
    {
        bool same = true;
        for (std::size_t d = 0; d < DIMENSIONS; ++d)
        {
            same = same && (free[d] || ranks[other][d] == ranks[rank][d]);
        }
        if (same)
        {
            members.push_back(other);
        }
    }
    return members;
}

/// @return the members for which a place is the same as this rank's
template <typename F>
std::vector<uint32_t>
Keep(const std::vector<uint32_t>& members, uint32_t rank, F place)
{
    std::vector<uint32_t> kept;
    std::copy_if(members.begin(), members.end(), std::back_inserter(kept), [&](uint32_t member) {
        return place(member) == place(rank);
    });
    return kept;
}

std::vector<uint32_t>
GetSorted(const ParallelPlan& plan, uint32_t rank, GroupSlot slot)
{
    std::vector<uint32_t> members{rank};
    if (plan.HasGroup(rank, slot))
    {
        const auto group = plan.GetGroup(rank, slot);
        members.assign(group.ranks.begin(), group.ranks.end());
        std::sort(members.begin(), members.end());
    }
    return members;
}

/// How a job comes out.
enum class Outcome
{
    PLAIN,
    SPANS, ///< some group is divided between nodes and rails
    REFUSED,
};

Outcome
Compare(const ParallelPlan::Degrees& degrees)
{
    const auto ranks = CountRanks(degrees);
    const uint32_t gpus = degrees.gpusPerNode;
    const auto node = [gpus](uint32_t r) { return r / gpus; };
    const auto rail = [gpus](uint32_t r) { return r % gpus; };
    bool spans = false;
    bool fits = true;
    std::map<GroupSlot, std::vector<std::vector<uint32_t>>> table; // by slot and rank
    for (GroupSlot slot : WHOLE)
    {
        const auto row = GetTable(degrees, slot);
        for (uint32_t r = 0; r < ranks.size(); ++r)
        {
            table[slot].push_back(row ? FindMembers(ranks, r, *row) : std::vector<uint32_t>{r});
            const auto& members = table[slot].back();
            const auto onNode = Keep(members, r, node).size();
            const auto onRail = Keep(members, r, rail).size();
            const bool inNode = onNode == members.size();
            const bool inRail = onRail == members.size();
            if (inNode || inRail)
            {
                fits = fits && (inNode || slot != GroupSlot::TP);
                continue;
            }
            spans = true;
            // A grid of nodes and rails, seen from every member; tp and pp may not be one.
            fits = fits && onNode * onRail == members.size() && slot != GroupSlot::TP &&
                   slot != GroupSlot::PP;
        }
    }
    if (!fits)
    {
        EXPECT_THROW(ParallelPlan{degrees}, std::invalid_argument) << ToString(degrees.order);
        return Outcome::REFUSED;
    }
    const ParallelPlan plan(degrees);
    for (uint32_t r = 0; r < ranks.size(); ++r)
    {
        const auto c = plan.GetCoordinates(r);
        EXPECT_EQ((Digits{c.tp, c.cp, c.ep, c.fsdp, c.dp, c.pp}), ranks[r]);
        EXPECT_EQ(plan.GetRank(c), r);
        for (GroupSlot slot : WHOLE)
        {
            const auto& members = table[slot][r];
            EXPECT_EQ(degrees.GetGroupSize(slot), members.size()) << ToString(slot);
            const bool whole =
                Keep(members, r, node) == members || Keep(members, r, rail) == members;
            const auto found = GetSorted(plan, r, slot);
            EXPECT_EQ(found, whole ? members : Keep(members, r, rail)) << ToString(slot);
            if (slot != GroupSlot::TP && slot != GroupSlot::PP)
            {
                const auto local = GetSorted(plan, r, GetLocalSlot(slot));
                EXPECT_EQ(local, whole ? std::vector<uint32_t>{r} : Keep(members, r, node));
                EXPECT_EQ(plan.GetLocalSize(slot), local.size());
            }
        }
    }
    return spans ? Outcome::SPANS : Outcome::PLAIN;
}

} // namespace

TEST(ParallelPlanTable, EveryCombinationOfDegrees)
{
    std::map<Outcome, int> outcomes;
    for (uint32_t code = 0; code < 64 * 3; ++code)
    {
        const auto degree = [code](uint32_t bit) { return code % 64 >> bit & 1 ? 2U : 1U; };
        ParallelPlan::Degrees degrees;
        degrees.tp = degree(0);
        degrees.cp = degree(1);
        degrees.ep = degree(2) * (code % 5 == 0 ? 2 : 1);
        degrees.fsdp = degree(3) * (code % 3 == 0 ? 3 : 1);
        degrees.dp = degree(4);
        degrees.pp = degree(5);
        degrees.gpusPerNode = degrees.tp << (code / 64);
        const uint32_t ranks =
            degrees.tp * degrees.cp * degrees.ep * degrees.fsdp * degrees.dp * degrees.pp;
        if (ranks % degrees.gpusPerNode == 0)
        {
            outcomes[Compare(degrees)]++;
        }
        if (HasFailure())
        {
            FAIL() << "code " << code;
        }
    }
    EXPECT_GT(outcomes[Outcome::PLAIN], 30);
    EXPECT_GT(outcomes[Outcome::SPANS], 30);
}

TEST(ParallelPlanTable, EveryRankOrder)
{
    const uint32_t seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::map<Outcome, int> outcomes;
    RankOrder order = DEFAULT_RANK_ORDER;
    std::sort(order.begin(), order.end());
    do
    {
        ParallelPlan::Degrees degrees;
        for (uint32_t* degree :
             {&degrees.tp, &degrees.cp, &degrees.ep, &degrees.fsdp, &degrees.dp, &degrees.pp})
        {
            *degree = 1 + random() % 3;
        }
        degrees.order = order;
        std::vector<uint32_t> divisors;
        const uint32_t ranks =
            degrees.tp * degrees.cp * degrees.ep * degrees.fsdp * degrees.dp * degrees.pp;
        for (uint32_t gpus = 1; gpus <= ranks; ++gpus)
        {
            if (ranks % gpus == 0)
            {
                divisors.push_back(gpus);
            }
        }
        degrees.gpusPerNode = divisors[random() % divisors.size()];
        outcomes[Compare(degrees)]++;
        EXPECT_EQ(ParseRankOrder(ToString(order)), order);
    } while (!HasFailure() && std::next_permutation(order.begin(), order.end()));
    EXPECT_GT(outcomes[Outcome::PLAIN], 20);
    EXPECT_GT(outcomes[Outcome::SPANS], 20);
    EXPECT_GT(outcomes[Outcome::REFUSED], 20);
}

TEST(ParallelPlanTable, FrameworksAgreeOnTheirDefaultOrder)
{
    // Megatron-LM's tp-cp-ep-dp-pp; TorchTitan's mesh of pp, dp_replicate, dp_shard, cp, tp.
    EXPECT_EQ(ToString(ParseRankOrder("megatron")), "tp-cp-ep-fsdp-dp-pp");
    EXPECT_EQ(ParseRankOrder("torchtitan"), ParseRankOrder("megatron"));
    EXPECT_CONTAINS(GetRefusal([] { ParseRankOrder("tp-pp"); }), "'tp-pp', expected megatron");
    EXPECT_CONTAINS(GetRefusal([] { ParseRankOrder("tp-cp-ep-fsdp-dp-tp"); }), "expected");
}

TEST(ParallelPlanTable, RoundsOfMatchingsJoinEveryTwoMembersOnce)
{
    for (uint32_t ep = 2; ep <= 13; ++ep)
    {
        for (uint32_t local : {1U, 2U})
        {
            ParallelPlan::Degrees degrees;
            degrees.ep = ep * local;
            degrees.fsdp = 2;
            degrees.gpusPerNode = local;
            degrees.matchings = true;
            const ParallelPlan plan(degrees);
            for (uint32_t rank = 0; rank < plan.GetRanks(); ++rank)
            {
                const auto whole = plan.GetGroup(rank, GroupSlot::EP);
                std::multiset<uint32_t> met;
                uint32_t rounds = 0;
                for (uint32_t round = 1; round <= MAX_ROUNDS; ++round)
                {
                    const GroupSlot slot = GetRoundSlot(round);
                    EXPECT_EQ(GetWholeSlot(slot), GroupSlot::EP);
                    if (!plan.HasGroup(rank, slot))
                    {
                        continue;
                    }
                    ++rounds;
                    const auto ring = plan.GetGroup(rank, slot).ranks;
                    const std::size_t n = ring.size();
                    const std::size_t at = std::find(ring.begin(), ring.end(), rank) - ring.begin();
                    ASSERT_LT(at, n);
                    std::set<uint32_t> neighbours{ring[(at + 1) % n], ring[(at + n - 1) % n]};
                    met.insert(neighbours.begin(), neighbours.end());
                }
                EXPECT_EQ(rounds, ep / 2);
                met.insert(rank);
                EXPECT_EQ(std::vector<uint32_t>(met.begin(), met.end()),
                          std::vector<uint32_t>(whole.ranks.begin(), whole.ranks.end()));
            }
        }
    }
    ParallelPlan::Degrees degrees;
    degrees.matchings = true;
    degrees.ep = 2 * MAX_ROUNDS + 2;
    EXPECT_CONTAINS(GetRefusal([&] { ParallelPlan refused(degrees); }), "at most 33");
    degrees.gpusPerNode = 2; // half of them on a rail
    EXPECT_NO_THROW(ParallelPlan{degrees});
}

} // namespace photonic
} // namespace ns3
