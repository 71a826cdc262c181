/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "plan-oracle.h"
#include "test-group.h"

#include "ns3/all-to-all-algorithms.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

/// @return sizes that differ from pair to pair, some of which are 0
Ptr<AllToAllBytes>
UnevenShares(uint32_t n)
{
    auto shares = Create<AllToAllBytes>(n);
    for (uint32_t from = 0; from < n; from++)
    {
        for (uint32_t to = 0; to < n; to++)
        {
            shares->Set(from, to, (from * 7919 + to * 104729) % 5 * (3 * from + to));
        }
    }
    return shares;
}

/// Calls with the task, its name, and the share of a pair as the specification has it.
template <typename F>
void
ForAllTasks(F&& check)
{
    for (uint32_t n : PlanGroupSizes())
    {
        std::vector<uint64_t> sizes = PlanBytes(n);
        sizes.push_back(UINT64_MAX); // stands for uneven shares
        for (uint64_t bytes : sizes)
        {
            for (bool bothWays : {true, false})
            {
                CollectiveTask task{Kind::ALL_TO_ALL, bytes, n, nullptr, bothWays};
                if (bytes == UINT64_MAX)
                {
                    task.bytes = 0;
                    task.shares = UnevenShares(n);
                }
                SCOPED_TRACE(std::to_string(n) + " ranks, " + std::to_string(bytes) + " bytes" +
                             (bothWays ? "" : ", one way"));
                check(task, [&task](uint32_t from, uint32_t to) {
                    return task.shares ? task.shares->Get(from, to)
                                       : EvenShare(task.bytes, task.n, to);
                });
                if (::testing::Test::HasFailure())
                {
                    return; // one case is enough to look into
                }
            }
        }
    }
}

/// Every rank has its own shares in the beginning, and what is for it in the end.
template <typename Share>
void
CheckDataFlow(const CollectiveAlgorithm& algorithm, const CollectiveTask& task, Share&& share)
{
    const uint32_t n = task.n;
    std::vector<PlanOracle::Data> data(n);
    for (uint32_t rank = 0; rank < n; rank++)
    {
        for (uint32_t half = 0; half < 2 * n; half++)
        {
            data[rank][{rank, half}] = uint64_t(1) << rank;
        }
    }
    PlanOracle oracle(
        PlanAll(algorithm, task),
        2 * n,
        [&](const PlanOracle::Block& b) {
            return EvenShare(share(b.first, b.second / 2), 2, b.second % 2);
        },
        data);
    auto end = oracle.Run(n);
    for (uint32_t rank = 0; rank < n; rank++)
    {
        for (uint32_t from = 0; from < n; from++)
        {
            for (uint32_t half : {0U, 1U})
            {
                if (EvenShare(share(from, rank), 2, half) == 0)
                {
                    continue; // there is nothing to send
                }
                const auto block = end[rank].find({from, 2 * rank + half});
                ASSERT_TRUE(block != end[rank].end()) << "rank " << rank << " from " << from;
                EXPECT_EQ(block->second, uint64_t(1) << from);
            }
        }
    }
}

} // namespace

TEST(AllToAllAlgorithms, EveryShareArrivesOnce)
{
    const PairwiseAlgorithm pairwise;
    const DirectAlgorithm direct;
    const RingAlgorithm ring;
    ForAllTasks([&](const CollectiveTask& task, auto&& share) {
        CheckDataFlow(pairwise, task, share);
        CheckDataFlow(direct, task, share);
        CheckDataFlow(ring, task, share);
    });
}

TEST(AllToAllAlgorithms, ExchangesMoveEveryShareOnce)
{
    ForAllTasks([](const CollectiveTask& task, auto&& share) {
        for (uint32_t rank = 0; rank < task.n; rank++)
        {
            uint64_t bytes = 0;
            std::size_t sends = 0;
            for (uint32_t to = 0; to < task.n; to++)
            {
                bytes += to == rank ? 0 : share(rank, to);
                sends += to != rank && share(rank, to) > 0;
            }
            const auto pairwise = PairwiseAlgorithm().Plan(task, rank);
            const auto direct = DirectAlgorithm().Plan(task, rank);
            EXPECT_EQ(pairwise.GetSentBytes(), bytes);
            EXPECT_EQ(direct.GetSentBytes(), bytes);
            EXPECT_EQ(pairwise.queues[0].size(), sends);
            EXPECT_EQ(direct.queues[0].size(), sends);
            EXPECT_TRUE(direct.needs.empty()) << "nothing waits";
        }
    });
}

TEST(AllToAllAlgorithms, ARingPassesOnTheShorterWay)
{
    ForAllTasks([](const CollectiveTask& task, auto&& share) {
        const uint32_t n = task.n;
        uint64_t bytes = 0;
        for (uint32_t from = 0; from < n; from++)
        {
            for (uint32_t to = 0; to < n; to++)
            {
                const uint64_t up = (to + n - from) % n;
                bytes += share(from, to) * (task.bothWays ? std::min<uint64_t>(up, n - up) : up);
            }
        }
        uint64_t sent = 0;
        for (const auto& plan : PlanAll(RingAlgorithm(), task))
        {
            sent += plan.GetSentBytes();
            if (n > 1)
            {
                EXPECT_EQ(plan.queues.size(), task.bothWays ? 2U : 1U);
                EXPECT_EQ(plan.queues[0].size(), task.bothWays ? n / 2 : n - 1);
            }
        }
        EXPECT_EQ(sent, bytes);
    });
    for (uint64_t n : PlanGroupSizes())
    {
        // Equal shares of 2 bytes: each rank sends the closed form.
        const CollectiveTask task{Kind::ALL_TO_ALL, 2 * n, uint32_t(n), nullptr};
        const CollectiveTask upwards{Kind::ALL_TO_ALL, 2 * n, uint32_t(n), nullptr, false};
        for (uint32_t rank = 0; rank < n; rank++)
        {
            EXPECT_EQ(RingAlgorithm().Plan(task, rank).GetSentBytes(), 2 * (n * n / 4));
            EXPECT_EQ(RingAlgorithm().Plan(upwards, rank).GetSentBytes(), n * (n - 1));
        }
    }
}

TEST(AllToAllAlgorithms, TakeTheClosedFormOnAnIdealPacketSwitch)
{
    // A share of 2k full packets, one half by each port, takes k us, and a step 100 ns of fibre.
    for (uint32_t n : {2U, 3U, 4U, 5U, 8U})
    {
        for (bool trains : {false, true})
        {
            for (uint64_t k : {1U, 3U})
            {
                SCOPED_TRACE(std::to_string(n) + " ranks, " + std::to_string(k) + " packets" +
                             (trains ? ", trains" : ""));
                TestRail::Options options;
                options.ranks = n;
                options.electrical = true;
                options.trains = trains;
                TestRail rail(options);
                TestGroup group(rail, 1, Range(n), TestGroup::RingLanes(2));
                auto& ends = group.StartAll(Kind::ALL_TO_ALL, 2 * n * k * FULL);
                Simulator::Run();
                for (const auto& end : ends)
                {
                    EXPECT_EQ(end.done, (MicroSeconds(k) + NanoSeconds(100)) * (n - 1));
                    EXPECT_EQ(end.received, end.done);
                    EXPECT_EQ(end.result.sent, 2 * (n - 1) * k * FULL);
                }
            }
        }
    }
}

TEST(AllToAllAlgorithms, DirectSendsDoNotWait)
{
    // Senders are in step by themselves: all shares back to back, and the fibre once.
    for (uint32_t n : {2U, 5U, 8U})
    {
        TestRail::Options options;
        options.ranks = n;
        options.electrical = true;
        TestRail rail(options);
        TestGroup group(rail, 1, Range(n), TestGroup::RingLanes(2));
        auto table = Create<AlgorithmTable>();
        table->Add({Kind::ALL_TO_ALL, Create<DirectAlgorithm>()});
        for (const auto& member : group.members)
        {
            member->SetAlgorithms(table);
        }
        auto& ends = group.StartAll(Kind::ALL_TO_ALL, 2 * n * FULL);
        Simulator::Run();
        for (const auto& end : ends)
        {
            EXPECT_EQ(end.done, MicroSeconds(n - 1) + NanoSeconds(100));
        }
    }
}

TEST(AllToAllAlgorithms, ARingOfCircuitsServesAllPeers)
{
    for (uint32_t n : {2U, 3U, 4U, 7U, 8U})
    {
        for (bool electrical : {false, true})
        {
            for (bool trains : {false, true})
            {
                SCOPED_TRACE(std::to_string(n) + " ranks" + (electrical ? ", electrical" : "") +
                             (trains ? ", trains" : ""));
                TestRail::Options options;
                options.ranks = n;
                options.electrical = electrical;
                options.trains = trains;
                TestRail rail(options);
                rail.CloseRing(Range(n));
                TestGroup group(rail, 1, Range(n), TestGroup::RingLanes(2));
                auto table = Create<AlgorithmTable>();
                table->Add({Kind::ALL_TO_ALL, Create<RingAlgorithm>()});
                for (const auto& member : group.members)
                {
                    member->SetNeighboursOnly();
                    member->SetAlgorithms(table);
                }
                // Halves of a packet: step s carries n-1-2s of them in either direction.
                auto& ends = group.StartAll(Kind::ALL_TO_ALL, 2 * n * FULL);
                Time expected;
                for (uint32_t s = 0; s < n / 2; s++)
                {
                    expected += MicroSeconds(n - 1 - 2 * s) + NanoSeconds(100);
                }
                Simulator::Run();
                for (const auto& end : ends)
                {
                    EXPECT_EQ(end.done, expected);
                    EXPECT_EQ(end.result.sent, 2 * (n * n / 4) * FULL);
                }
            }
        }
    }
}

TEST(AllToAllAlgorithms, UnevenSharesArriveWhole)
{
    for (uint32_t n : {1U, 2U, 6U})
    {
        TestRail::Options options;
        options.ranks = n;
        options.electrical = true;
        TestRail rail(options);
        TestGroup group(rail, 1, Range(n), TestGroup::RingLanes(2));
        const auto shares = UnevenShares(n);
        uint32_t done = 0;
        for (uint32_t rank = 0; rank < n; rank++)
        {
            const uint64_t sent = shares->GetTotal(rank) - shares->Get(rank, rank);
            group.members[rank]->AllToAll(shares, [&done, sent](const CollectiveResult& result) {
                EXPECT_EQ(result.sent, sent);
                done++;
            });
        }
        Simulator::Run();
        EXPECT_EQ(done, n);
        EXPECT_TRUE(rail.failures.empty());
    }
}

TEST(AllToAllAlgorithms, RefuseByNameWhatHasNoLane)
{
    TestRail::Options options;
    options.ranks = 4;
    TestRail rail(options);
    rail.CloseRing(Range(4));
    TestGroup group(rail, 9, Range(4), TestGroup::RingLanes(2));
    const auto& member = group.members[1];
    member->SetNeighboursOnly();
    const auto refusal = [&member]() -> std::string {
        try
        {
            member->AllToAll(400, nullptr);
        }
        catch (const std::invalid_argument& e)
        {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(refusal(),
              "algorithm 'pairwise' cannot do an operation of kind 'all-to-all' in communicator "
              "9: rank 1 has no lane to rank 3");
    EXPECT_EQ(member->GetRunning(), 0U);
    member->SetPeerLanes(3, {{0, 0}});
    EXPECT_EQ(refusal(), "");
}

TEST(AllToAllAlgorithms, RefuseOtherKindsAndSizes)
{
    const CollectiveTask reduce{Kind::ALL_REDUCE, 10, 4, nullptr};
    EXPECT_THROW(PairwiseAlgorithm().Plan(reduce, 0), std::invalid_argument);
    EXPECT_THROW(DirectAlgorithm().Plan(reduce, 0), std::invalid_argument);
    EXPECT_THROW(RingAlgorithm().Plan(reduce, 0), std::invalid_argument) << "has no plan";
    const CollectiveTask other{Kind::ALL_TO_ALL, 10, 4, Create<AllToAllBytes>(5)};
    EXPECT_THROW(PairwiseAlgorithm().Plan(other, 0), std::invalid_argument);
}

} // namespace photonic
} // namespace ns3
