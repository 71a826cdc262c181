/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "test-group.h"

#include "ns3/scale-up-domain.h"
#include "ns3/solved-group.h"

#include <algorithm>
#include <random>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

/// When a member starts its next operation.
enum class Next
{
    WHEN_DONE,
    WHEN_RECEIVED, ///< its line may still be busy
};

/// Operations of one group, one after another at each member.
struct Scenario
{
    struct Operation
    {
        /// By position; the same for all in a collective.
        std::vector<Communicator::Request> requests;
        /// By position, after the operation before.
        std::vector<Time> delays;
        Next next{Next::WHEN_DONE};
    };

    uint32_t ranks{2};
    uint32_t lanes{1};
    bool scaleUp{false};
    bool electrical{false};
    uint64_t rate{MICROSECOND_RATE};
    uint16_t mtu{4096};
    Time propagation; ///< an even number of ticks
    Time messageLatency;
    std::vector<Operation> operations;
};

/// How an operation ended at a member.
struct Outcome
{
    Time received{Time::Max()};
    Time done{Time::Max()};
    Time firstBit;
    uint64_t sent{0};
    uint64_t cause{0}; ///< the latest reconfiguration before it

    bool operator==(const Outcome& o) const
    {
        return received == o.received && done == o.done && firstBit == o.firstBit && sent == o.sent;
    }
};

std::ostream&
operator<<(std::ostream& os, const Outcome& o)
{
    return os << "received " << o.received.GetTimeStep() << ", done " << o.done.GetTimeStep()
              << ", first bit " << o.firstBit.GetTimeStep() << ", sent " << o.sent;
}

/// Runs a scenario on communicators, whatever is below them.
class Player
{
  public:
    Player(const Scenario& scenario, std::vector<Ptr<Communicator>> members)
        : m_scenario(scenario),
          m_members(std::move(members)),
          outcomes(scenario.operations.size(), std::vector<Outcome>(scenario.ranks))
    {
        for (uint32_t p = 0; p < scenario.ranks; p++)
        {
            StartAfterDelay(p, 0);
        }
        Simulator::Run();
        for (const auto& member : m_members)
        {
            running += member->GetRunning();
            member->Dispose();
        }
    }

  private:
    void StartAfterDelay(uint32_t position, uint32_t number)
    {
        if (number < m_scenario.operations.size())
        {
            Simulator::Schedule(m_scenario.operations[number].delays[position],
                                [=] { Start(position, number); });
        }
    }

    void Start(uint32_t position, uint32_t number)
    {
        const auto& operation = m_scenario.operations[number];
        auto request = operation.requests[position];
        request.sequence = number;
        request.cause = Cause().AfterReconfiguration(1 + number * 1000 + position);
        request.received = [=](const CollectiveResult&) {
            outcomes[number][position].received = Simulator::Now();
            if (m_scenario.operations[number].next == Next::WHEN_RECEIVED)
            {
                StartAfterDelay(position, number + 1);
            }
        };
        request.done = [=](const CollectiveResult& result) {
            auto& outcome = outcomes[number][position];
            outcome.done = Simulator::Now();
            outcome.firstBit = result.firstBit;
            outcome.sent = result.sent;
            outcome.cause = GetReconfigurations(result.cause).at(0);
            if (m_scenario.operations[number].next == Next::WHEN_DONE)
            {
                StartAfterDelay(position, number + 1);
            }
        };
        m_members[position]->Start(std::move(request));
    }

    const Scenario& m_scenario;
    std::vector<Ptr<Communicator>> m_members;

  public:
    std::vector<std::vector<Outcome>> outcomes; ///< by operation and position
    std::size_t running{0};
};

std::vector<Communicator::Lane>
GetLanes(const Scenario& scenario)
{
    return scenario.scaleUp ? std::vector<Communicator::Lane>{{0, 0}}
                            : TestGroup::RingLanes(scenario.lanes);
}

/// Endpoints without a network.
struct Endpoints
{
    explicit Endpoints(uint32_t ranks, Time messageLatency = Time(0))
    {
        auto directory = Create<MessageDirectory>();
        for (uint32_t rank = 0; rank < ranks; rank++)
        {
            auto endpoint = CreateObject<MessageEndpoint>();
            endpoint->SetAttribute("MessageLatency", TimeValue(messageLatency));
            endpoint->SetRank(rank, directory);
            endpoint->SetFailureCallback(
                [this](const std::string& what) { failures.push_back(what); });
            all.push_back(endpoint);
        }
    }

    ~Endpoints()
    {
        for (const auto& endpoint : all)
        {
            endpoint->Dispose();
        }
        Simulator::Destroy();
    }

    void AddNicPorts(uint32_t ports, uint64_t rate, Time propagation, uint16_t mtu)
    {
        for (const auto& endpoint : all)
        {
            for (uint32_t p = 0; p < ports; p++)
            {
                endpoint->AddPort(
                    SolvedPort::CreatePackets(*endpoint, DataRate(rate), propagation, mtu));
            }
        }
    }

    std::vector<Ptr<Communicator>> CreateGroup(uint32_t id,
                                               const std::vector<uint32_t>& ranks,
                                               const std::vector<Communicator::Lane>& lanes,
                                               Ptr<SolvedGroup> group) const
    {
        std::vector<Ptr<Communicator>> members;
        for (uint32_t rank : ranks)
        {
            auto member = CreateObject<Communicator>();
            member->Configure(id, ranks, all[rank], lanes);
            if (group)
            {
                member->SetGroup(group);
            }
            members.push_back(member);
        }
        return members;
    }

    std::vector<Ptr<MessageEndpoint>> all;
    std::vector<std::string> failures;
};

std::vector<std::vector<Outcome>>
RunPackets(const Scenario& scenario)
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
        Player player(scenario,
                      endpoints.CreateGroup(1, Range(scenario.ranks), GetLanes(scenario), nullptr));
        EXPECT_TRUE(endpoints.failures.empty());
        EXPECT_EQ(player.running, 0U);
        return player.outcomes;
    }
    TestRail::Options options;
    options.ranks = scenario.ranks;
    options.rate = scenario.rate;
    options.mtu = scenario.mtu;
    options.fibre = scenario.propagation / 2;
    options.electrical = scenario.electrical;
    options.messageLatency = scenario.messageLatency;
    TestRail rail(options);
    rail.CloseRing(Range(scenario.ranks));
    TestGroup group(rail, 1, Range(scenario.ranks), GetLanes(scenario));
    Player player(scenario, group.members);
    EXPECT_TRUE(rail.failures.empty());
    EXPECT_EQ(player.running, 0U);
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
    Player player(scenario,
                  endpoints.CreateGroup(1, Range(scenario.ranks), GetLanes(scenario), group));
    EXPECT_TRUE(endpoints.failures.empty()) << endpoints.failures[0];
    EXPECT_EQ(player.running, 0U);
    EXPECT_EQ(group->DescribeWaiting(), "");
    return player.outcomes;
}

/// Random scenarios from one seed.
class Dice
{
  public:
    explicit Dice(uint64_t seed)
        : m_random(seed)
    {
    }

    uint64_t Between(uint64_t low, uint64_t high)
    {
        return std::uniform_int_distribution<uint64_t>(low, high)(m_random);
    }

    template <typename T>
    T Among(const std::vector<T>& values)
    {
        return values[Between(0, values.size() - 1)];
    }

    /// Lines, without operations.
    Scenario Lines(uint32_t ranks)
    {
        Scenario s;
        s.ranks = ranks;
        s.scaleUp = Between(0, 3) == 0;
        s.electrical = !s.scaleUp && Between(0, 3) == 0;
        s.lanes = s.scaleUp ? 1 : Between(1, 2);
        s.rate = Among<uint64_t>({200'000'000'000,
                                  8'000'000'000,
                                  7'000'000'000,
                                  3'600'000'000'000,
                                  MICROSECOND_RATE,
                                  Between(1'000'000'000, 900'000'000'000)});
        if (s.scaleUp)
        {
            // A domain may let messages of less than a tick overtake each other within the tick.
            s.rate = std::min<uint64_t>(s.rate, 8 * Seconds(1).GetTimeStep());
        }
        s.mtu = Among<uint16_t>({4096, 1280, 9216, uint16_t(Between(1280, 9216))});
        s.propagation = TimeStep(2 * Between(0, 2) * Between(0, 50'000));
        s.messageLatency = TimeStep(Between(0, 3) == 0 ? Between(1, 5'000) : 0);
        return s;
    }

    uint64_t Bytes(uint32_t n, uint64_t most)
    {
        switch (Between(0, 3))
        {
        case 0:
            return Between(0, 2 * n + 2); // less than a byte for some chunk
        case 1:
            return Between(1, most / (2 * n)) * 2 * n; // no remainder
        default:
            return Between(1, most);
        }
    }

    std::vector<Time> Delays(uint32_t n)
    {
        const uint64_t spread = Among<uint64_t>({0, 0, 100, 20'000, 30'000'000});
        std::vector<Time> delays;
        for (uint32_t p = 0; p < n; p++)
        {
            delays.push_back(TimeStep(Between(0, spread)));
        }
        return delays;
    }

  private:
    std::mt19937_64 m_random;
};

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
        Scenario::Operation operation;
        const auto kind =
            dice.Among<Kind>({Kind::ALL_GATHER, Kind::REDUCE_SCATTER, Kind::ALL_REDUCE});
        operation.requests.assign(
            n,
            TestGroup::MakeRequest(dice.Between(0, 5) == 0 ? Kind::BROADCAST : kind,
                                   dice.Bytes(n, i % 10 == 0 ? 1'000'000 : 40'000)));
        operation.delays = dice.Delays(n);
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
        Scenario::Operation operation;
        const uint64_t there = dice.Bytes(2, 40'000);
        const uint64_t back = dice.Bytes(2, 40'000);
        switch (dice.Between(0, 2))
        {
        case 0:
            operation.requests = {TestGroup::MakeTransfer(Kind::SEND, 1, there, 0),
                                  TestGroup::MakeTransfer(Kind::RECEIVE, 0, 0, there)};
            break;
        case 1:
            operation.requests = {TestGroup::MakeTransfer(Kind::RECEIVE, 1, 0, back),
                                  TestGroup::MakeTransfer(Kind::SEND, 0, back, 0)};
            break;
        default:
            operation.requests = {TestGroup::MakeTransfer(Kind::SEND_RECEIVE, 1, there, back),
                                  TestGroup::MakeTransfer(Kind::SEND_RECEIVE, 0, back, there)};
        }
        operation.delays = dice.Delays(2);
        operation.next = dice.Between(0, 1) ? Next::WHEN_DONE : Next::WHEN_RECEIVED;
        s.operations.push_back(operation);
    }
    return s;
}

std::string
Describe(const Scenario& s)
{
    std::ostringstream os;
    os << s.ranks << " ranks, " << s.lanes << " lanes, "
       << (s.scaleUp ? "scale-up" : (s.electrical ? "electrical" : "photonic")) << ", " << s.rate
       << " bit/s, MTU " << s.mtu << ", propagation " << s.propagation.GetTimeStep() << ", latency "
       << s.messageLatency.GetTimeStep();
    for (const auto& operation : s.operations)
    {
        os << "; " << ToString(operation.requests[0].kind) << " " << operation.requests[0].bytes
           << (operation.next == Next::WHEN_DONE ? "" : ", next when received") << ", delays";
        for (Time delay : operation.delays)
        {
            os << " " << delay.GetTimeStep();
        }
    }
    return os.str();
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
    const auto expected = RunPackets(scenario);
    const auto solved = RunSolved(scenario);
    for (uint32_t k = 0; k < expected.size(); k++)
    {
        const bool oneCause = HasOneCause(scenario.operations[k]);
        causes += oneCause;
        for (uint32_t p = 0; p < scenario.ranks; p++)
        {
            EXPECT_EQ(solved[k][p], expected[k][p]) << "operation " << k << ", position " << p;
            if (oneCause)
            {
                EXPECT_EQ(solved[k][p].cause, expected[k][p].cause)
                    << "operation " << k << ", position " << p;
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
