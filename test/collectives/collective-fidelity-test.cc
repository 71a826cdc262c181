/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fidelity-scenario.h"

#include "ns3/scale-up-domain.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

/// Packet by packet, or message by message.
std::vector<std::vector<Outcome>>
RunSent(const Scenario& scenario, bool trains)
{
    if (scenario.scaleUp)
    {
        Endpoints endpoints(scenario.ranks, scenario.messageLatency);
        auto domain =
            CreateObjectWithAttributes<ScaleUpDomain>("DataRate",
                                                      DataRateValue(DataRate(scenario.rate)),
                                                      "Latency",
                                                      TimeValue(scenario.propagation));
        for (const auto& endpoint : endpoints.all)
        {
            endpoint->AddPort(domain->CreatePort(endpoint));
        }
        Player player(scenario.operations,
                      endpoints.CreateGroup(1, Range(scenario.ranks), GetLanes(scenario), nullptr));
        Simulator::Run();
        EXPECT_TRUE(endpoints.failures.empty());
        return player.outcomes;
    }
    TestRail::Options options;
    options.ranks = scenario.ranks;
    options.rate = scenario.rate;
    options.mtu = scenario.mtu;
    options.fibre = scenario.propagation / 2;
    options.electrical = scenario.electrical;
    options.messageLatency = scenario.messageLatency;
    options.trains = trains;
    TestRail rail(options);
    rail.CloseRing(Range(scenario.ranks));
    TestGroup group(rail, 1, Range(scenario.ranks), GetLanes(scenario));
    Player player(scenario.operations, group.members);
    Simulator::Run();
    EXPECT_TRUE(rail.failures.empty());
    return player.outcomes;
}

std::vector<std::vector<Outcome>>
RunSolved(const Scenario& scenario)
{
    Endpoints endpoints(scenario.ranks, scenario.messageLatency);
    if (scenario.scaleUp)
    {
        for (const auto& endpoint : endpoints.all)
        {
            endpoint->AddPort(SolvedPort::CreateScaleUp(*endpoint,
                                                        DataRate(scenario.rate),
                                                        scenario.propagation));
        }
    }
    else
    {
        endpoints.AddNicPorts(2, scenario.rate, scenario.propagation, scenario.mtu);
    }
    auto group = Create<SolvedGroup>();
    Player player(scenario.operations,
                  endpoints.CreateGroup(1, Range(scenario.ranks), GetLanes(scenario), group));
    Simulator::Run();
    EXPECT_TRUE(endpoints.failures.empty()) << endpoints.failures[0];
    EXPECT_EQ(group->DescribeWaiting(), "");
    return player.outcomes;
}

Scenario
RollCollectives(Dice& dice, uint32_t i)
{
    uint32_t n = dice.Between(1, i % 4 == 0 ? 17 : 6);
    if (i % 100 == 50)
    {
        n = dice.Among<uint32_t>({24, 32});
    }
    Scenario s = dice.Lines(n);
    const uint32_t count = dice.Between(1, 4);
    for (uint32_t k = 0; k < count; k++)
    {
        auto operation = dice.Collective(n, i % 10 == 0 ? 1'000'000 : 40'000);
        if (k > 0 && dice.Between(0, 1))
        {
            operation.delays.assign(n, Time(0));
        }
        operation.next = dice.Between(0, 1) ? Next::WHEN_DONE : Next::WHEN_RECEIVED;
        s.operations.push_back(operation);
    }
    return s;
}

Scenario
RollTransfers(Dice& dice)
{
    Scenario s = dice.Lines(2);
    const uint32_t count = dice.Between(1, 6);
    for (uint32_t k = 0; k < count; k++)
    {
        s.operations.push_back(dice.Transfer());
    }
    return s;
}

/// @return whether starts are so far apart that two reasons for one end are unlikely
bool
HasOneCause(const Scenario::Operation& operation)
{
    auto delays = operation.delays;
    std::sort(delays.begin(), delays.end());
    return delays.back() > TimeStep(10'000'000) &&
           std::adjacent_find(delays.begin(), delays.end()) == delays.end();
}

/// @return operations whose causes were compared
uint32_t
Compare(const Scenario& scenario)
{
    uint32_t causes = 0;
    const auto expected = RunSent(scenario, false);
    const auto trains = RunSent(scenario, true);
    const auto solved = RunSolved(scenario);
    for (uint32_t k = 0; k < expected.size(); k++)
    {
        const bool oneCause = HasOneCause(scenario.operations[k]);
        causes += oneCause;
        for (uint32_t p = 0; p < scenario.ranks; p++)
        {
            EXPECT_EQ(solved[k][p], expected[k][p]) << "operation " << k << ", position " << p;
            EXPECT_EQ(trains[k][p], expected[k][p])
                << "messages: operation " << k << ", position " << p;
            if (oneCause)
            {
                EXPECT_EQ(solved[k][p].cause, expected[k][p].cause)
                    << "operation " << k << ", position " << p;
                EXPECT_EQ(trains[k][p].cause, expected[k][p].cause)
                    << "messages: operation " << k << ", position " << p;
            }
        }
    }
    return causes;
}

} // namespace

TEST(CollectiveFidelity, CollectivesEndAsWithPackets)
{
    const uint64_t seed = 20241201;
    Dice dice(seed);
    uint32_t causes = 0;
    for (uint32_t i = 0; i < 1500 && !testing::Test::HasFailure(); i++)
    {
        const Scenario scenario = RollCollectives(dice, i);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i) + ": " +
                     Describe(scenario));
        causes += Compare(scenario);
    }
    EXPECT_GT(causes, 200U);
}

TEST(CollectiveFidelity, TransfersEndAsWithPackets)
{
    const uint64_t seed = 20241202;
    Dice dice(seed);
    uint32_t causes = 0;
    for (uint32_t i = 0; i < 1500 && !testing::Test::HasFailure(); i++)
    {
        const Scenario scenario = RollTransfers(dice);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i) + ": " +
                     Describe(scenario));
        causes += Compare(scenario);
    }
    EXPECT_GT(causes, 200U);
}

namespace
{

/// Three ranks on circuits of 1 us per full packet and 100 ns, and their group.
struct SolvedTrio
{
    SolvedTrio()
        : endpoints(3),
          group(Create<SolvedGroup>())
    {
        endpoints.AddNicPorts(2, MICROSECOND_RATE, NanoSeconds(100), 4096);
        members = endpoints.CreateGroup(5, {0, 1, 2}, TestGroup::RingLanes(2), group);
    }

    ~SolvedTrio()
    {
        for (const auto& member : members)
        {
            member->Dispose();
        }
    }

    Endpoints endpoints;
    Ptr<SolvedGroup> group;
    std::vector<Ptr<Communicator>> members;
};

/// @return what an action throws
template <typename Exception, typename F>
std::string
GetError(F&& action)
{
    try
    {
        action();
    }
    catch (const Exception& e)
    {
        return e.what();
    }
    return "";
}

} // namespace

TEST(CollectiveFidelity, MembersThatFinishInOneTickShareAnEvent)
{
    SolvedTrio trio;
    uint32_t done = 0;
    const uint64_t before = Simulator::GetEventCount();
    for (const auto& member : trio.members)
    {
        member->AllReduce(6 * FULL, [&](const CollectiveResult& result) {
            done++;
            EXPECT_EQ(Simulator::Now(), NanoSeconds(4 * 1100));
            EXPECT_EQ(result.firstBit, Time(0));
            EXPECT_EQ(result.sent, 8 * FULL);
        });
    }
    Simulator::Run();
    EXPECT_EQ(done, 3U);
    EXPECT_EQ(Simulator::GetEventCount() - before, 1U);
}

TEST(CollectiveFidelity, AMissingMemberIsNamed)
{
    SolvedTrio trio;
    trio.members[0]->AllGather(3000, nullptr);
    trio.members[2]->AllGather(3000, nullptr);
    trio.members[1]->Receive(2, 10, nullptr);
    Simulator::Run();
    EXPECT_EQ(trio.members[0]->GetRunning(), 1U);
    const std::string text = trio.group->DescribeWaiting();
    EXPECT_SAYS(text, "communicator 5, operation 0 (all-gather) waits for rank 1");
    EXPECT_SAYS(text, "rank 1 waits for rank 2 to send");
    EXPECT_TRUE(trio.endpoints.failures.empty());
}

TEST(CollectiveFidelity, MembersThatDisagreeAreNamed)
{
    for (bool size : {true, false})
    {
        SolvedTrio trio;
        trio.members[0]->AllGather(3000, nullptr);
        if (size)
        {
            trio.members[2]->AllGather(2999, nullptr);
        }
        else
        {
            trio.members[2]->ReduceScatter(3000, nullptr);
        }
        ASSERT_EQ(trio.endpoints.failures.size(), 1U);
        EXPECT_SAYS(trio.endpoints.failures[0],
                    size ? "rank 2 starts all-gather of 2999 bytes, rank 0 all-gather of 3000"
                         : "rank 2 starts reduce-scatter of 3000 bytes, rank 0 all-gather of 3000");
        EXPECT_SAYS(trio.endpoints.failures[0], "communicator 5, operation 0");
    }
    for (bool sendFirst : {true, false})
    {
        SolvedTrio trio;
        for (bool send : {sendFirst, !sendFirst})
        {
            if (send)
            {
                trio.members[0]->Send(1, 20, nullptr);
            }
            else
            {
                trio.members[1]->Receive(0, 10, nullptr);
            }
        }
        ASSERT_EQ(trio.endpoints.failures.size(), 1U);
        EXPECT_SAYS(trio.endpoints.failures[0],
                    "rank 0 sends 20 bytes to rank 1, which expects 10");
    }
    // An empty receive is complete at once, and yet its send has to be empty too.
    SolvedTrio trio;
    trio.members[1]->Receive(0, 0, nullptr);
    EXPECT_EQ(trio.members[1]->GetRunning(), 0U);
    trio.members[0]->Send(1, 1, nullptr);
    EXPECT_EQ(trio.endpoints.failures.size(), 1U);
}

TEST(CollectiveFidelity, StartingTwiceIsAFailure)
{
    SolvedTrio trio;
    trio.members[0]->Start(TestGroup::MakeRequest(Kind::ALL_GATHER, 3000, 7));
    trio.members[0]->Start(TestGroup::MakeRequest(Kind::ALL_GATHER, 3000, 7));
    ASSERT_EQ(trio.endpoints.failures.size(), 1U);
    EXPECT_SAYS(trio.endpoints.failures[0], "rank 0 starts communicator 5, operation 7 twice");
}

TEST(CollectiveFidelity, OperationsThatWouldMixOnALineAreNamed)
{
    // Whether they are of one communicator ...
    SolvedTrio trio;
    trio.members[0]->AllGather(3000, nullptr);
    trio.members[0]->AllGather(3000, nullptr);
    ASSERT_EQ(trio.endpoints.failures.size(), 1U);
    EXPECT_SAYS(trio.endpoints.failures[0], "rank 0 would send communicator 5, operation 1,");
    EXPECT_SAYS(trio.endpoints.failures[0], "communicator 5, operation 0, still sends");
    // ... or of two, the line being busy with what one has sent.
    SolvedTrio other;
    auto pairs = Create<SolvedGroup>();
    auto pair = other.endpoints.CreateGroup(6, {0, 1}, {{0, 1}}, pairs);
    other.members[0]->Send(1, 2 * FULL, nullptr); // 1 us on either line
    Simulator::Schedule(MicroSeconds(1), [&] { pair[0]->Send(1, FULL, nullptr); });
    Simulator::Schedule(NanoSeconds(1999), [&] {
        EXPECT_TRUE(other.endpoints.failures.empty());
        other.members[0]->Send(1, FULL, nullptr);
    });
    Simulator::Run();
    ASSERT_EQ(other.endpoints.failures.size(), 1U);
    EXPECT_SAYS(other.endpoints.failures[0], "rank 0 would send communicator 5");
    EXPECT_SAYS(other.endpoints.failures[0], "communicator 6");
    for (const auto& member : pair)
    {
        member->Dispose();
    }
}

TEST(CollectiveFidelity, SendsOfOneCommunicatorQueue)
{
    // Both lines are busy with the first one for 1 us.
    SolvedTrio trio;
    Time first;
    Time second;
    trio.members[0]->Send(1, 2 * FULL, [&](const CollectiveResult&) { first = Simulator::Now(); });
    trio.members[0]->Send(1, 2 * FULL, [&](const CollectiveResult& result) {
        second = Simulator::Now();
        EXPECT_EQ(result.firstBit, MicroSeconds(1));
    });
    Simulator::Run();
    EXPECT_EQ(first, NanoSeconds(1100));
    EXPECT_EQ(second, NanoSeconds(2100));
    EXPECT_TRUE(trio.endpoints.failures.empty());
}

TEST(CollectiveFidelity, ASendDoesNotWaitForItsReceiver)
{
    SolvedTrio trio;
    Time sent = Time::Max();
    Time received = Time::Max();
    const Cause cause = Cause().AfterReconfiguration(9);
    auto request = TestGroup::MakeTransfer(Kind::RECEIVE, 0, 0, 2 * FULL, 3);
    request.cause = cause;
    request.done = [&](const CollectiveResult& result) {
        received = Simulator::Now();
        EXPECT_EQ(GetReconfigurations(result.cause), std::vector<uint64_t>{9}); // it was late
        EXPECT_EQ(result.firstBit, NanoSeconds(100));
        EXPECT_EQ(result.sent, 0U);
    };
    auto send = TestGroup::MakeTransfer(Kind::SEND, 1, 2 * FULL, 0, 3);
    send.done = [&](const CollectiveResult&) { sent = Simulator::Now(); };
    trio.members[0]->Start(send);
    Simulator::Schedule(MicroSeconds(5), [&] { trio.members[1]->Start(request); });
    Simulator::Run();
    EXPECT_EQ(sent, NanoSeconds(1100));
    EXPECT_EQ(received, MicroSeconds(5));
}

TEST(CollectiveFidelity, ADisposedMemberIsToldNothing)
{
    SolvedTrio trio;
    uint32_t done = 0;
    for (const auto& member : trio.members)
    {
        member->AllGather(3000, [&](const CollectiveResult&) { done++; });
    }
    trio.members[1]->Dispose();
    Simulator::Run();
    EXPECT_EQ(done, 2U);
}

TEST(CollectiveFidelity, WhatCannotBeSolvedIsRefused)
{
    TestRail rail(TestRail::Options{});
    auto packets = CreateObject<Communicator>();
    packets->Configure(1, {0, 1}, rail.endpoints[0], TestGroup::RingLanes(2));
    EXPECT_SAYS(GetError<std::invalid_argument>([&] { packets->SetGroup(Create<SolvedGroup>()); }),
                "port 0 of rank 0 sends messages instead of solving");
    packets->Dispose();

    Endpoints endpoints(3);
    endpoints.AddNicPorts(2, MICROSECOND_RATE, NanoSeconds(100), 4096);
    EXPECT_SAYS(GetError<std::invalid_argument>([&] {
                    endpoints.CreateGroup(1, {0, 1}, {{0, 0}, {0, 0}}, Create<SolvedGroup>());
                }),
                "port 0 of rank 0 serves two lanes");
    auto group = Create<SolvedGroup>();
    endpoints.CreateGroup(1, {0, 1}, {{0, 0}}, group);
    EXPECT_SAYS(
        GetError<std::invalid_argument>([&] { endpoints.CreateGroup(1, {0, 2}, {{0, 0}}, group); }),
        "rank 0 joins communicator 1 with other ranks");
    EXPECT_SAYS(GetError<std::logic_error>(
                    [&] { endpoints.all[0]->Send(1, 0, 0, {1, 0, 0}, 10, Cause(), nullptr); }),
                "a message from rank 0 to rank 1");
}

} // namespace photonic
} // namespace ns3
