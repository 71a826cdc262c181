/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "test-group.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

/// A pair of ranks with both ports to each other, as n = 2 has it.
struct PairOfRanks
{
    explicit PairOfRanks(bool electrical = false, uint32_t lanes = 2)
        : rail(MakeOptions(electrical)),
          group(rail, 1, {0, 1}, TestGroup::RingLanes(lanes))
    {
        rail.CloseRing({0, 1});
    }

    static TestRail::Options MakeOptions(bool electrical)
    {
        TestRail::Options options;
        options.electrical = electrical;
        return options;
    }

    TestRail rail;
    TestGroup group;
};

constexpr Kind RING_KINDS[] = {Kind::ALL_GATHER,
                               Kind::REDUCE_SCATTER,
                               Kind::ALL_REDUCE,
                               Kind::BROADCAST};

} // namespace

TEST(Communicator, BothPortsReachTheSamePeerInAPair)
{
    PairOfRanks pair;
    // Of 40 packets each rank has 20 to send, half of them by each port.
    auto& ends = pair.group.StartAll(Kind::ALL_GATHER, 40 * FULL);
    Simulator::Run();
    for (uint32_t rank : {0U, 1U})
    {
        EXPECT_EQ(ends[rank].done, NanoSeconds(10'100));
        EXPECT_EQ(ends[rank].result.sent, 20 * FULL);
        for (uint32_t port : {0U, 1U})
        {
            EXPECT_EQ(pair.rail.GetPort(rank, port).GetPacketsReceived(), 10U);
        }
    }
}

TEST(Communicator, SizesAreTotals)
{
    // An all-gather of 3,000 bytes in a group of three has shards of 1,000: each rank sends two.
    TestRail::Options options;
    options.ranks = 3;
    TestRail rail(options);
    rail.CloseRing({0, 1, 2});
    TestGroup group(rail, 1, {0, 1, 2}, TestGroup::RingLanes(2));
    uint64_t gathered = 0;
    uint64_t scattered = 0;
    uint64_t reduced = 0;
    uint64_t broadcast = 0;
    for (const auto& member : group.members)
    {
        member->AllGather(3000, [&](const CollectiveResult& r) { gathered += r.sent; });
        member->ReduceScatter(3000, [&](const CollectiveResult& r) { scattered += r.sent; });
        member->AllReduce(3000, [&](const CollectiveResult& r) { reduced += r.sent; });
        member->Broadcast(3000, [&](const CollectiveResult& r) { broadcast += r.sent; });
    }
    Simulator::Run();
    EXPECT_EQ(gathered, 3U * 2000);
    EXPECT_EQ(scattered, 3U * 2000);
    EXPECT_EQ(reduced, 3U * 4000);
    EXPECT_EQ(broadcast, 2U * 3000);
}

TEST(Communicator, NothingToDoIsDoneAtOnce)
{
    for (Kind kind : RING_KINDS)
    {
        for (uint32_t n : {1U, 3U})
        {
            for (uint64_t bytes : {uint64_t(0), 3 * FULL})
            {
                if (n > 1 && bytes > 0)
                {
                    continue;
                }
                SCOPED_TRACE(std::string(ToString(kind)) + ", " + std::to_string(n) + " ranks");
                TestRail::Options options;
                options.ranks = n;
                TestRail rail(options);
                TestGroup group(rail, 1, Range(n), TestGroup::RingLanes(2));
                for (uint32_t i = 0; i < n; i++)
                {
                    // At once even if the others have not come yet.
                    TestGroup::End end;
                    group.Start(i, TestGroup::MakeRequest(kind, bytes), end);
                    EXPECT_EQ(end.done, Time(0));
                    EXPECT_EQ(end.received, Time(0));
                    EXPECT_EQ(end.result.sent, 0U);
                    EXPECT_EQ(group.members[i]->GetRunning(), 0U);
                }
                Simulator::Run();
                EXPECT_EQ(Simulator::Now(), Time(0));
                EXPECT_TRUE(rail.failures.empty());
                for (const auto& endpoint : rail.endpoints)
                {
                    EXPECT_EQ(endpoint->GetUnexpected(), 0U);
                }
            }
        }
    }
}

TEST(Communicator, ALateMemberFindsEarlyData)
{
    PairOfRanks pair;
    TestGroup::End ends[2];
    // Each half is two chunks of two packets.
    pair.group.Start(0, TestGroup::MakeRequest(Kind::ALL_GATHER, 8 * FULL), ends[0]);
    Simulator::Schedule(MicroSeconds(50), [&] {
        pair.group.Start(1, TestGroup::MakeRequest(Kind::ALL_GATHER, 8 * FULL), ends[1]);
        EXPECT_EQ(ends[1].received, MicroSeconds(50)); // all of it came long ago
        EXPECT_EQ(ends[1].done, Time::Max());          // but its own shard is still to go
    });
    Simulator::Run();
    EXPECT_EQ(ends[0].done, NanoSeconds(52'100));
    EXPECT_EQ(ends[1].done, NanoSeconds(52'100));
    EXPECT_EQ(ends[0].result.firstBit, Time(0));
    EXPECT_EQ(ends[1].result.firstBit, NanoSeconds(100)); // the first bit at a port of rank 1
}

TEST(Communicator, FirstBitsAreThoseThatPassAPort)
{
    // Rank 1 has an empty share, and sees the first bit when that of rank 0 arrives.
    PairOfRanks pair(false, 1);
    auto& ends = pair.group.StartAll(Kind::ALL_GATHER, 1);
    Simulator::Run();
    EXPECT_EQ(ends[0].result.firstBit, Time(0));
    EXPECT_GE(ends[1].result.firstBit, NanoSeconds(99)); // less a tick of rounding
    EXPECT_LE(ends[1].result.firstBit, NanoSeconds(100));
    EXPECT_EQ(ends[0].result.sent, 1U);
    EXPECT_EQ(ends[1].result.sent, 0U);
}

TEST(Communicator, OperationsUnderWayTogetherKeepTheirOrder)
{
    for (bool electrical : {false, true})
    {
        PairOfRanks pair(electrical);
        // A chunk of each is one packet: the second is on the line when the first has left it.
        auto& first = pair.group.StartAll(Kind::ALL_GATHER, 4 * FULL, 0);
        auto& second = pair.group.StartAll(Kind::REDUCE_SCATTER, 4 * FULL, 1);
        Simulator::Run();
        for (uint32_t i : {0U, 1U})
        {
            EXPECT_EQ(first[i].done, NanoSeconds(1100));
            EXPECT_EQ(second[i].done, NanoSeconds(2100));
        }
    }
}

TEST(Communicator, GroupsShareAPortPacketByPacket)
{
    TestRail::Options options;
    TestRail rail(options);
    rail.CloseRing({0, 1});
    TestGroup a(rail, 1, {0, 1}, TestGroup::RingLanes(2));
    TestGroup b(rail, 2, {1, 0}, TestGroup::RingLanes(2));
    // On each port three packets of a and two of b: a b a b a.
    auto& first = a.StartAll(Kind::ALL_GATHER, 3 * 4 * FULL);
    auto& second = b.StartAll(Kind::ALL_GATHER, 2 * 4 * FULL);
    Simulator::Run();
    for (uint32_t i : {0U, 1U})
    {
        EXPECT_EQ(second[i].done, NanoSeconds(4100));
        EXPECT_EQ(first[i].done, NanoSeconds(5100));
    }
}

TEST(Communicator, SendsAreEagerAndEndWithTheirLastBit)
{
    PairOfRanks pair(true, 1);
    TestGroup::End send;
    TestGroup::End receive;
    const uint64_t bytes = 5 * FULL;
    pair.group.Start(0, TestGroup::MakeTransfer(Kind::SEND, 1, bytes, 0), send);
    EXPECT_EQ(send.received, Time(0)); // it has nothing to receive
    Simulator::Schedule(MicroSeconds(80), [&] {
        EXPECT_EQ(send.done, NanoSeconds(5100));
        pair.group.Start(1, TestGroup::MakeTransfer(Kind::RECEIVE, 0, 0, bytes), receive);
    });
    Simulator::Run();
    EXPECT_EQ(receive.done, MicroSeconds(80));
    EXPECT_EQ(send.result.sent, bytes);
    EXPECT_EQ(receive.result.sent, 0U);
}

TEST(Communicator, StripesGoSideBySide)
{
    TestRail::Options options;
    options.electrical = true;
    TestRail rail(options);
    TestGroup group(rail, 1, {0, 1}, {{0, 0}, {1, 1}});
    TestGroup::End send;
    TestGroup::End receive;
    // ceil(B/2) is one byte more than five packets: a sixth one of 99 bytes on the wire.
    const uint64_t bytes = 10 * FULL + 1;
    group.Start(0, TestGroup::MakeTransfer(Kind::SEND, 1, bytes, 0), send);
    group.Start(1, TestGroup::MakeTransfer(Kind::RECEIVE, 0, 0, bytes), receive);
    Simulator::Run();
    const Time last = rail.line.Arrival(Time(0), 5 * 4134 + 99, NanoSeconds(100));
    EXPECT_EQ(receive.done, last);
    EXPECT_EQ(send.done, last);
    EXPECT_EQ(rail.GetPort(1, 0).GetPacketsReceived(), 6U);
    EXPECT_EQ(rail.GetPort(1, 1).GetPacketsReceived(), 5U);
}

TEST(Communicator, ABatchTellsItsReceivingPartFirst)
{
    PairOfRanks pair(false, 1);
    TestGroup::End ends[2];
    const auto batch = [](uint32_t peer, uint64_t sent, uint64_t received) {
        return TestGroup::MakeTransfer(Kind::SEND_RECEIVE, peer, sent, received);
    };
    // The two directions are independent: ten packets one way, one the other.
    pair.group.Start(0, batch(1, 10 * FULL, FULL), ends[0]);
    pair.group.Start(1, batch(0, FULL, 10 * FULL), ends[1]);
    Simulator::Run();
    EXPECT_EQ(ends[0].received, NanoSeconds(1100));
    EXPECT_EQ(ends[0].done, NanoSeconds(10'100));
    EXPECT_EQ(ends[1].received, NanoSeconds(10'100));
    EXPECT_EQ(ends[1].done, NanoSeconds(10'100));
    EXPECT_EQ(ends[0].result.sent, 10 * FULL);
}

TEST(Communicator, ABatchMayMeetASendAndAReceive)
{
    PairOfRanks pair(false, 1);
    TestGroup::End ends[3];
    pair.group.Start(0, TestGroup::MakeTransfer(Kind::SEND_RECEIVE, 1, FULL, FULL), ends[0]);
    pair.group.Start(1, TestGroup::MakeTransfer(Kind::RECEIVE, 0, 0, FULL), ends[1]);
    pair.group.Start(1, TestGroup::MakeTransfer(Kind::SEND, 0, FULL, 0), ends[2]);
    Simulator::Run();
    for (const auto& end : ends)
    {
        EXPECT_EQ(end.done, NanoSeconds(1100));
    }
}

TEST(Communicator, EmptyTransfersMatchToo)
{
    PairOfRanks pair(false, 1);
    TestGroup::End ends[2];
    pair.group.Start(0, TestGroup::MakeTransfer(Kind::SEND, 1, 0, 0), ends[0]);
    pair.group.Start(1, TestGroup::MakeTransfer(Kind::RECEIVE, 0, 0, 0), ends[1]);
    EXPECT_EQ(ends[0].done, Time(0));
    EXPECT_EQ(ends[1].done, Time(0));
    EXPECT_EQ(pair.rail.endpoints[1]->GetUnexpected(), 0U);
}

TEST(Communicator, SendsAndReceivesWithoutNumbersMatchInOrder)
{
    PairOfRanks pair(false, 1);
    std::vector<Time> received;
    std::vector<Time> sent;
    const auto note = [](std::vector<Time>& times) {
        return [&times](const CollectiveResult&) { times.push_back(Simulator::Now()); };
    };
    // Both directions and collectives at the same time: each is counted by itself.
    for (uint64_t packets : {3, 1, 2})
    {
        pair.group.members[0]->Send(1, packets * FULL, note(sent));
        pair.group.members[1]->Receive(0, packets * FULL, note(received));
    }
    std::vector<Time> back;
    pair.group.members[1]->Send(0, FULL, note(back));
    pair.group.members[0]->Receive(1, FULL, note(back));
    pair.group.members[0]->AllReduce(0, note(back));
    pair.group.members[1]->AllReduce(0, note(back));
    Simulator::Run();
    const std::vector<Time> expected = {NanoSeconds(3100), NanoSeconds(4100), NanoSeconds(6100)};
    EXPECT_EQ(received, expected);
    EXPECT_EQ(sent, expected);
    EXPECT_EQ(back, (std::vector<Time>{Time(0), Time(0), NanoSeconds(1100), NanoSeconds(1100)}));
    EXPECT_TRUE(pair.rail.failures.empty());
}

TEST(Communicator, WithoutAMemberTheOthersWait)
{
    for (Kind kind : RING_KINDS)
    {
        SCOPED_TRACE(ToString(kind));
        TestRail::Options options;
        options.ranks = 3;
        TestRail rail(options);
        rail.CloseRing({0, 1, 2});
        TestGroup group(rail, 1, {0, 1, 2}, TestGroup::RingLanes(2));
        std::vector<TestGroup::End> ends(3);
        for (uint32_t i : {0U, 2U})
        {
            group.Start(i, TestGroup::MakeRequest(kind, 600), ends[i]);
        }
        Simulator::Run();
        // Only the root of a broadcast needs nothing of rank 1: it has sent all it has.
        EXPECT_EQ(ends[0].done == Time::Max(), kind != Kind::BROADCAST);
        EXPECT_EQ(ends[2].done, Time::Max());
        EXPECT_EQ(group.members[2]->GetRunning(), 1U);
    }
}

TEST(Communicator, AnotherCollectiveOfTheSameSizeIsNoMatch)
{
    for (Kind one : RING_KINDS)
    {
        for (Kind other : RING_KINDS)
        {
            if (one == other)
            {
                continue;
            }
            SCOPED_TRACE(std::string(ToString(one)) + " and " + ToString(other));
            PairOfRanks pair;
            TestGroup::End ends[2];
            pair.group.Start(0, TestGroup::MakeRequest(one, 4000), ends[0]);
            pair.group.Start(1, TestGroup::MakeRequest(other, 4000), ends[1]);
            Simulator::Run();
            // The root of a broadcast receives nothing that it could miss.
            EXPECT_EQ(ends[0].done == Time::Max(), one != Kind::BROADCAST);
            EXPECT_EQ(ends[1].done, Time::Max());
            EXPECT_GT(pair.rail.endpoints[1]->GetUnexpected(), 0U);
        }
    }
}

TEST(Communicator, AnotherSizeIsAFailureThatNamesBothRanks)
{
    struct Case
    {
        uint64_t one;
        uint64_t other;
    };

    // Some of these differ only in which chunks are empty.
    for (const auto& c : {Case{4000, 4004}, Case{0, 600}, Case{600, 0}, Case{1, 2}, Case{5, 12}})
    {
        for (Kind kind : RING_KINDS)
        {
            for (bool late : {false, true})
            {
                SCOPED_TRACE(std::string(ToString(kind)) + ", " + std::to_string(c.one) + " and " +
                             std::to_string(c.other) + " bytes" + (late ? ", late" : ""));
                TestRail::Options options;
                options.ranks = 3;
                TestRail rail(options);
                rail.CloseRing({0, 1, 2});
                TestGroup group(rail, 1, {0, 1, 2}, TestGroup::RingLanes(2));
                std::vector<TestGroup::End> ends(3);
                group.Start(0, TestGroup::MakeRequest(kind, c.one), ends[0]);
                group.Start(2, TestGroup::MakeRequest(kind, c.one), ends[2]);
                Simulator::Schedule(late ? MicroSeconds(30) : Time(0), [&] {
                    group.Start(1, TestGroup::MakeRequest(kind, c.other), ends[1]);
                });
                Simulator::Run();
                ASSERT_FALSE(rail.failures.empty());
                EXPECT_SAYS(rail.failures[0], "rank 1");
                EXPECT_TRUE(rail.failures[0].find("rank 0") != std::string::npos ||
                            rail.failures[0].find("rank 2") != std::string::npos)
                    << rail.failures[0];
                EXPECT_SAYS(rail.failures[0], "communicator 1");
            }
        }
    }
}

TEST(Communicator, OperationsMayFollowEachOtherFromTheirCallbacks)
{
    PairOfRanks pair;
    uint32_t left[2] = {200, 200};
    std::function<void(uint32_t)> next = [&](uint32_t rank) {
        if (left[rank] == 0)
        {
            return;
        }
        // Every other one is empty and ends within the call.
        const uint64_t bytes = left[rank]-- % 2 == 0 ? 4 * FULL : 0;
        pair.group.members[rank]->AllReduce(bytes,
                                            [&next, rank](const CollectiveResult&) { next(rank); });
    };
    next(0);
    next(1);
    Simulator::Run();
    EXPECT_EQ(left[0] + left[1], 0U);
    // A hundred all-reduces of two steps of 1 us and 100 ns.
    EXPECT_EQ(Simulator::Now(), MicroSeconds(220));
}

TEST(Communicator, AnOperationEndsBecauseOfItsLatestPredecessor)
{
    PairOfRanks pair;
    TestGroup::End ends[2];
    auto early = TestGroup::MakeRequest(Kind::ALL_REDUCE, 4 * FULL);
    early.cause = Cause().AfterReconfiguration(21);
    auto late = TestGroup::MakeRequest(Kind::ALL_REDUCE, 4 * FULL);
    late.cause = Cause().AfterReconfiguration(22).AfterStall(MicroSeconds(9));
    pair.group.Start(0, early, ends[0]);
    Simulator::Schedule(MicroSeconds(30), [&] { pair.group.Start(1, late, ends[1]); });
    Simulator::Run();
    for (const auto& end : ends)
    {
        EXPECT_EQ(end.done, NanoSeconds(32'200));
        EXPECT_EQ(GetReconfigurations(end.result.cause), (std::vector<uint64_t>{22}));
        EXPECT_EQ(end.result.cause.GetStall(), MicroSeconds(9));
    }
}

TEST(Communicator, TracesSayWhatStartsAndWhatEnds)
{
    PairOfRanks pair;
    std::string log;
    pair.group.members[0]->TraceConnectWithoutContext(
        "Start",
        Callback<void, Kind, uint64_t>([&log](Kind kind, uint64_t bytes) {
            log += std::string("start ") + ToString(kind) + " " + std::to_string(bytes) + "\n";
        }));
    pair.group.members[0]->TraceConnectWithoutContext(
        "Done",
        Callback<void, Kind, const CollectiveResult&>([&log](Kind kind,
                                                             const CollectiveResult& result) {
            log += std::string("done ") + ToString(kind) + " " + std::to_string(result.sent) + "\n";
        }));
    pair.group.StartAll(Kind::ALL_GATHER, 3000);
    Simulator::Run();
    EXPECT_EQ(log, "start all-gather 3000\ndone all-gather 1500\n");
}

TEST(Communicator, KnowsItsPlace)
{
    TestRail::Options options;
    options.ranks = 4;
    TestRail rail(options);
    TestGroup group(rail, 17, {3, 0, 2}, TestGroup::RingLanes(2));
    EXPECT_EQ(group.members[0]->GetId(), 17U);
    EXPECT_EQ(group.members[0]->GetPosition(), 0U);
    EXPECT_EQ(group.members[2]->GetPosition(), 2U);
    EXPECT_EQ(group.members[1]->GetRanks(), (std::vector<uint32_t>{3, 0, 2}));
}

TEST(Communicator, RefusesWhatMakesNoSense)
{
    TestRail::Options options;
    options.ranks = 3;
    TestRail rail(options);
    const auto lanes = TestGroup::RingLanes(2);
    auto c = CreateObject<Communicator>();
    EXPECT_THROW(c->Configure(1, {0, 2}, rail.endpoints[1], lanes), std::invalid_argument);
    EXPECT_THROW(c->Configure(1, {0, 1, 0}, rail.endpoints[1], lanes), std::invalid_argument);
    EXPECT_THROW(c->Configure(1, {0, 1}, rail.endpoints[1], {}), std::invalid_argument);
    const std::vector<Communicator::Lane> many(Communicator::MAX_LANES + 1);
    EXPECT_THROW(c->Configure(1, {0, 1}, rail.endpoints[1], many), std::invalid_argument);
    c->Configure(1, {0, 1}, rail.endpoints[1], lanes);
    EXPECT_THROW(c->Send(1, 5, nullptr), std::invalid_argument); // to itself
    EXPECT_THROW(c->Send(2, 5, nullptr), std::invalid_argument); // to nobody
    EXPECT_EQ(c->GetRunning(), 0U);
    c->Dispose();
}

} // namespace photonic
} // namespace ns3
