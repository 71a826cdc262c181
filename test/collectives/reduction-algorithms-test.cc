/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "plan-oracle.h"
#include "test-group.h"

#include "ns3/double-binary-tree-algorithm.h"
#include "ns3/halving-doubling-algorithm.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

constexpr Kind KINDS[] = {Kind::ALL_GATHER,
                          Kind::REDUCE_SCATTER,
                          Kind::ALL_REDUCE,
                          Kind::BROADCAST};

/// Run plans of one circle of blocks, and look at what everybody has in the end.
void
CheckDataFlow(const CollectiveAlgorithm& algorithm,
              const CollectiveTask& task,
              const std::vector<uint64_t>& blocks,
              uint32_t seed)
{
    const uint32_t n = task.n;
    const uint64_t everybody = (uint64_t(1) << n) - 1;
    std::vector<PlanOracle::Data> data(n);
    for (uint32_t rank = 0; rank < n; rank++)
    {
        for (uint32_t b = 0; b < blocks.size(); b++)
        {
            if ((task.kind == Kind::ALL_GATHER && b != rank) ||
                (task.kind == Kind::BROADCAST && rank != 0))
            {
                continue;
            }
            data[rank][{0, b}] = uint64_t(1) << rank;
        }
    }
    PlanOracle oracle(
        PlanAll(algorithm, task),
        std::max<std::size_t>(blocks.size(), 1),
        [&blocks](const PlanOracle::Block& b) { return blocks[b.second]; },
        data);
    auto end = oracle.Run(seed);
    for (uint32_t rank = 0; rank < n; rank++)
    {
        for (uint32_t b = 0; b < blocks.size(); b++)
        {
            if (task.kind == Kind::REDUCE_SCATTER && b != rank)
            {
                continue;
            }
            const uint64_t expected = task.kind == Kind::ALL_GATHER  ? uint64_t(1) << b
                                      : task.kind == Kind::BROADCAST ? 1
                                                                     : everybody;
            const PlanOracle::Block block{0, b};
            ASSERT_EQ(end[rank][block], expected) << "block " << b << " of rank " << rank;
        }
    }
}

uint32_t
GetPower(uint32_t n)
{
    uint32_t p = 1;
    for (; 2 * p <= n; p *= 2)
    {
    }
    return p;
}

uint32_t
GetLog(uint32_t p)
{
    uint32_t log = 0;
    for (; p > 1; p /= 2)
    {
        log++;
    }
    return log;
}

std::vector<uint64_t>
EvenBlocks(uint64_t bytes, uint32_t count)
{
    std::vector<uint64_t> blocks;
    for (uint32_t b = 0; b < count; b++)
    {
        blocks.push_back(EvenShare(bytes, count, b));
    }
    return blocks;
}

/// @return chunks of both trees' halves
std::vector<uint64_t>
TreeBlocks(uint64_t bytes, uint64_t chunk)
{
    std::vector<uint64_t> blocks;
    for (uint64_t half : {bytes - bytes / 2, bytes / 2})
    {
        for (; half > chunk; half -= chunk)
        {
            blocks.push_back(chunk);
        }
        if (half > 0)
        {
            blocks.push_back(half);
        }
    }
    return blocks;
}

void
Use(TestGroup& group, Kind kind, Ptr<const CollectiveAlgorithm> algorithm)
{
    auto table = Create<AlgorithmTable>();
    table->Add({kind, algorithm});
    for (const auto& member : group.members)
    {
        member->SetAlgorithms(table);
    }
}

/// @return when all are done, on an ideal packet switch with two ports per rank
Time
RunIdeal(uint32_t n, Kind kind, uint64_t bytes, Ptr<const CollectiveAlgorithm> algorithm)
{
    TestRail::Options options;
    options.ranks = n;
    options.electrical = true;
    TestRail rail(options);
    TestGroup group(rail, 1, Range(n), TestGroup::RingLanes(2));
    Use(group, kind, algorithm);
    const auto& ends = group.StartAll(kind, bytes);
    Simulator::Run();
    EXPECT_TRUE(rail.failures.empty());
    Time last;
    for (const auto& end : ends)
    {
        EXPECT_NE(end.done, Time::Max());
        last = std::max(last, end.done);
    }
    return last;
}

} // namespace

TEST(HalvingDoubling, EveryContributionArrivesOnce)
{
    const HalvingDoublingAlgorithm algorithm;
    for (uint32_t n : PlanGroupSizes())
    {
        for (Kind kind : KINDS)
        {
            for (uint64_t bytes : PlanBytes(n))
            {
                SCOPED_TRACE(std::string(ToString(kind)) + ", " + std::to_string(n) + " ranks, " +
                             std::to_string(bytes) + " bytes");
                const bool shares = kind == Kind::ALL_GATHER || kind == Kind::REDUCE_SCATTER;
                CheckDataFlow(algorithm,
                              {kind, bytes, n, nullptr},
                              EvenBlocks(bytes, shares ? n : GetPower(n)),
                              n + bytes % 1000);
                ASSERT_FALSE(HasFailure());
            }
        }
    }
}

TEST(HalvingDoubling, BytesAndStepsAreTheClosedForms)
{
    for (uint64_t n : PlanGroupSizes())
    {
        const uint64_t p = GetPower(n);
        const uint64_t r = n - p;
        const uint64_t b = n * p * 7; // divides evenly
        const uint32_t log = GetLog(p);
        for (Kind kind : KINDS)
        {
            SCOPED_TRACE(std::string(ToString(kind)) + ", " + std::to_string(n) + " ranks");
            const auto plans = PlanAll(HalvingDoublingAlgorithm(), {kind, b, uint32_t(n), nullptr});
            uint64_t sent = 0;
            for (const auto& plan : plans)
            {
                sent += plan.GetSentBytes();
            }
            const auto queue = [&plans](uint32_t rank) { return plans[rank].queues[0].size(); };
            // Halving: everybody but the owner sends each block once, and doubling alike. Of the
            // ranks that fold, r send all or a share, and r get all, all but a share or a share.
            switch (kind)
            {
            case Kind::ALL_REDUCE:
                EXPECT_EQ(sent, 2 * (p - 1) * b + 2 * r * b);
                EXPECT_EQ(queue(0), 2 * log + (r > 0));
                EXPECT_EQ(queue(n - 1), 2 * log);
                break;
            case Kind::REDUCE_SCATTER:
                EXPECT_EQ(sent, (p - 1) * b + r * b + r * b / n);
                EXPECT_EQ(queue(0), log + (r > 0));
                break;
            case Kind::ALL_GATHER:
                EXPECT_EQ(sent, (p - 1) * b + r * b / n + r * (b - b / n));
                EXPECT_EQ(queue(0), log + (r > 0));
                break;
            default:
                // The root's scatter: each level hands on half of b, p/2 holders at the last one.
                EXPECT_EQ(sent, log * b / 2 + (p - 1) * b + r * b);
                EXPECT_EQ(queue(0), 2 * log + (r > 0));
            }
            if (r == 0 && kind != Kind::BROADCAST)
            {
                for (const auto& plan : plans)
                {
                    const uint64_t rounds = kind == Kind::ALL_REDUCE ? 2 : 1;
                    EXPECT_EQ(plan.GetSentBytes(), rounds * (n - 1) * b / n);
                }
            }
        }
    }
}

TEST(HalvingDoubling, TakesTheClosedFormOnAnIdealPacketSwitch)
{
    const auto algorithm = Create<HalvingDoublingAlgorithm>();
    for (uint32_t n : {2U, 4U, 8U, 16U})
    {
        // Each share is 2k packets, one half by each port. A step of s shares takes s k us.
        for (uint32_t k : {1U, 3U})
        {
            const uint64_t bytes = 2 * n * k * FULL;
            const Time half = MicroSeconds(k * (n - 1)) + NanoSeconds(100) * GetLog(n);
            EXPECT_EQ(RunIdeal(n, Kind::REDUCE_SCATTER, bytes, algorithm), half);
            EXPECT_EQ(RunIdeal(n, Kind::ALL_GATHER, bytes, algorithm), half);
            EXPECT_EQ(RunIdeal(n, Kind::ALL_REDUCE, bytes, algorithm), half * 2);
        }
    }
    // Three ranks: all of it, an exchange of halves twice, all of it. 4 packets on either port; the
    // first half that rank 0 gets meets what is folded into it.
    EXPECT_EQ(RunIdeal(3, Kind::ALL_REDUCE, 8 * FULL, algorithm),
              MicroSeconds((4 + 2) + 2 + 2 + 4) + NanoSeconds(400));
}

TEST(DoubleBinaryTree, EachTreeReachesAllAndInnerRanksDiffer)
{
    for (uint32_t n : PlanGroupSizes())
    {
        SCOPED_TRACE(n);
        std::vector<uint32_t> inner(n);
        for (uint32_t tree : {0U, 1U})
        {
            uint32_t roots = 0;
            uint32_t deepest = 0;
            for (uint32_t rank = 0; rank < n; rank++)
            {
                const auto node = DoubleBinaryTreeAlgorithm::GetNode(n, tree, rank);
                EXPECT_LE(node.children.size(), 2U);
                for (uint32_t child : node.children)
                {
                    EXPECT_EQ(DoubleBinaryTreeAlgorithm::GetNode(n, tree, child).parent, rank);
                }
                uint32_t depth = 0;
                for (auto up = node.parent; up; depth++)
                {
                    const auto above = DoubleBinaryTreeAlgorithm::GetNode(n, tree, *up);
                    EXPECT_LT(depth, n) << "a circle";
                    if (depth == n)
                    {
                        return;
                    }
                    up = above.parent;
                }
                if (node.parent)
                {
                    const auto above = DoubleBinaryTreeAlgorithm::GetNode(n, tree, *node.parent);
                    EXPECT_EQ(std::count(above.children.begin(), above.children.end(), rank), 1);
                }
                roots += !node.parent;
                deepest = std::max(deepest, depth);
                inner[rank] += !node.children.empty();
            }
            EXPECT_EQ(roots, 1U);
            EXPECT_LE(deepest, GetLog(GetPower(n)) + 1);
        }
        for (uint32_t rank = n % 2; rank < n; rank++)
        {
            EXPECT_LE(inner[rank], 1U) << "rank " << rank;
        }
    }
}

TEST(DoubleBinaryTree, EveryContributionArrivesOnce)
{
    for (uint32_t n : PlanGroupSizes())
    {
        for (Kind kind : {Kind::ALL_REDUCE, Kind::BROADCAST})
        {
            for (uint64_t bytes : PlanBytes(n))
            {
                const uint64_t chunk = std::max<uint64_t>(bytes / 7, 1);
                SCOPED_TRACE(std::string(ToString(kind)) + ", " + std::to_string(n) + " ranks, " +
                             std::to_string(bytes) + " bytes");
                const DoubleBinaryTreeAlgorithm algorithm(chunk);
                const CollectiveTask task{kind, bytes, n, nullptr};
                CheckDataFlow(algorithm, task, TreeBlocks(bytes, chunk), n + bytes % 1000);
                ASSERT_FALSE(HasFailure());
                uint64_t sent = 0;
                for (const auto& plan : PlanAll(algorithm, task))
                {
                    sent += plan.GetSentBytes();
                    EXPECT_LE(plan.GetSentBytes(),
                              (bytes + 1) * (kind == Kind::ALL_REDUCE ? 2 : 1));
                }
                EXPECT_EQ(sent, (n - 1) * bytes * (kind == Kind::ALL_REDUCE ? 2 : 1));
            }
        }
    }
}

TEST(DoubleBinaryTree, TakesTheClosedFormOnAnIdealPacketSwitch)
{
    const auto whole = Create<DoubleBinaryTreeAlgorithm>(1000 * FULL);
    const auto cut = Create<DoubleBinaryTreeAlgorithm>(2 * FULL);
    // A half is 2k packets, one half of it by each port. Two ranks are the root of one tree each.
    for (uint32_t k : {2U, 5U})
    {
        EXPECT_EQ(RunIdeal(2, Kind::ALL_REDUCE, 4 * k * FULL, whole),
                  MicroSeconds(2 * k) + NanoSeconds(200));
        // Cut into k chunks, what goes down follows what goes up without a gap.
        EXPECT_EQ(RunIdeal(2, Kind::ALL_REDUCE, 4 * k * FULL, cut),
                  MicroSeconds(2 * k) + NanoSeconds(100));
        // With four, two leaves share their parent's line, up and down, below one more level.
        EXPECT_EQ(RunIdeal(4, Kind::ALL_REDUCE, 4 * k * FULL, whole),
                  MicroSeconds(6 * k) + NanoSeconds(400));
        // A broadcast to two: each is the root of a tree, and sends to the other one.
        EXPECT_EQ(RunIdeal(3, Kind::BROADCAST, 4 * k * FULL, cut),
                  MicroSeconds(2 * k + 1) + NanoSeconds(200));
    }
}

TEST(DoubleBinaryTree, PipelinesItsChunks)
{
    // Long data take 2B at a rank's rate and not much more, however deep the trees are.
    const uint64_t packets = 2000;
    const auto algorithm = Create<DoubleBinaryTreeAlgorithm>(10 * FULL);
    const Time ideal = MicroSeconds(packets); // 2B by two ports
    for (uint32_t n : {8U, 16U, 17U})
    {
        const Time took = RunIdeal(n, Kind::ALL_REDUCE, packets * FULL, algorithm);
        EXPECT_GT(took, ideal * int64_t(n - 1) / n);
        EXPECT_LT(took.GetSeconds(), 1.3 * ideal.GetSeconds()) << n << " ranks";
    }
}

TEST(ReductionAlgorithms, RefuseByName)
{
    const auto refusal = [](const CollectiveAlgorithm& algorithm, Kind kind) -> std::string {
        try
        {
            algorithm.Plan({kind, 10, 4, nullptr}, 0);
        }
        catch (const std::invalid_argument& e)
        {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(refusal(DoubleBinaryTreeAlgorithm(), Kind::ALL_GATHER),
              "algorithm 'double-binary-tree' does not serve 'all-gather'");
    EXPECT_EQ(refusal(HalvingDoublingAlgorithm(), Kind::ALL_TO_ALL),
              "algorithm 'halving-doubling' does not serve 'all-to-all'");
    EXPECT_THROW(DoubleBinaryTreeAlgorithm(0), std::invalid_argument);
    EXPECT_THROW(
        DoubleBinaryTreeAlgorithm(1).Plan({Kind::ALL_REDUCE, uint64_t(1) << 36, 4, nullptr}, 0),
        std::invalid_argument)
        << "too many chunks";
}

} // namespace photonic
} // namespace ns3
