/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Message fidelity held against packet fidelity: the same messages at the same ticks.
 */
#include "test-rail.h"

#include "ns3/communicator.h"

#include <gtest/gtest.h>
#include <random>

namespace ns3
{
namespace photonic
{
namespace
{

/// A random job on one ring, the same whatever the fidelity.
struct RingCase
{
    TestRail::Options options;
    std::vector<uint64_t> operations; ///< bytes
    std::vector<CollectiveKind> kinds;
    std::vector<Time> starts; ///< of the ranks

    struct Turn
    {
        Time at;
        uint32_t from; ///< rank whose port 0 loses its peer for a while
    };

    std::vector<Turn> turns;
};

struct RingOutcome
{
    std::vector<Time> completions; ///< by rank and operation; the maximum: it did not complete
    std::vector<Time> firstBits;
    uint64_t drops{0};
    uint64_t events{0};
    std::vector<std::string> failures;
};

class RingRun
{
  public:
    explicit RingRun(const RingCase& c)
        : m_case(c),
          m_rail(c.options)
    {
        const uint32_t n = c.options.ranks - 1; // the last one has silent light
        m_outcome.completions.assign(n * c.operations.size(), Time::Max());
        m_outcome.firstBits.resize(n * c.operations.size());
        std::vector<uint32_t> ring;
        for (uint32_t rank = 0; rank < n; rank++)
        {
            ring.push_back(rank);
        }
        m_rail.CloseRing(ring);
        for (uint32_t rank = 0; rank < n; rank++)
        {
            auto communicator = CreateObject<Communicator>();
            communicator->Configure(5, ring, m_rail.endpoints[rank], {{0, 1}, {1, 0}});
            m_communicators.push_back(communicator);
            Simulator::Schedule(c.starts[rank], [this, rank] { Next(rank, 0); });
        }
        for (const auto& turn : c.turns)
        {
            Simulator::Schedule(turn.at, [this, turn] { TurnAway(turn.from); });
        }
    }

    RingOutcome Run()
    {
        Simulator::Run();
        m_outcome.failures = m_rail.failures;
        m_outcome.events = Simulator::GetEventCount();
        for (const auto& device : m_rail.devices)
        {
            for (const auto& [reason, count] : device->GetDrops())
            {
                m_outcome.drops += count;
            }
        }
        return m_outcome;
    }

  private:
    void Next(uint32_t rank, std::size_t operation)
    {
        if (operation == m_case.operations.size())
        {
            return;
        }
        Communicator::Request request;
        request.kind = m_case.kinds[operation];
        request.bytes = m_case.operations[operation];
        request.sequence = operation;
        request.done = [this, rank, operation](const CollectiveResult& result) {
            const std::size_t index = rank * m_case.operations.size() + operation;
            m_outcome.completions[index] = Simulator::Now();
            m_outcome.firstBits[index] = result.firstBit;
            Next(rank, operation + 1);
        };
        m_communicators[rank]->Start(std::move(request));
    }

    /// The next member sees somebody else's light for a while, who is silent.
    void TurnAway(uint32_t rank)
    {
        const uint32_t n = m_communicators.size();
        const uint32_t port = m_rail.GetSwitchPort(rank, 0);
        const uint32_t silent = m_rail.GetSwitchPort(n, 0);
        const uint32_t next = m_rail.GetSwitchPort((rank + 1) % n, 1);
        auto light = m_rail.light;
        light->Reconfigure({{silent, next}}, [light, port, next](const auto&) {
            light->Reconfigure({{port, next}});
        });
    }

    RingCase m_case;
    TestRail m_rail;
    std::vector<Ptr<Communicator>> m_communicators;
    RingOutcome m_outcome;
};

/// Compare the fidelities over random cases.
void
Compare(bool electrical, bool turns, int rounds, uint32_t seed, bool drainAll = false)
{
    std::mt19937 random(seed);
    const auto pick = [&random](uint64_t from, uint64_t to) {
        return std::uniform_int_distribution<uint64_t>(from, to)(random);
    };
    const std::vector<uint64_t> rates = {200000000000, 7000000000, 333333333, 800000000000};
    for (int round = 0; round < rounds; round++)
    {
        RingCase c;
        c.options.electrical = electrical;
        c.options.simplex = turns;
        c.options.ranks = pick(2, 9) + 1;
        c.options.rate = rates[pick(0, 3)];
        c.options.mtu = pick(1280, 9216);
        c.options.fibre = NanoSeconds(pick(0, 3) * pick(0, 400));
        c.options.inFlightPolicy = drainAll ? "lose" : "drain-current-packet";
        c.options.drainAll = drainAll;
        c.options.reconfigurationDelay = NanoSeconds(pick(0, 5000));
        for (uint64_t i = pick(1, 4); i > 0; i--)
        {
            c.operations.push_back(pick(0, 1) ? pick(0, 300) : pick(0, 400000));
            c.kinds.push_back(static_cast<CollectiveKind>(pick(0, 3)));
        }
        for (uint32_t rank = 0; rank < c.options.ranks; rank++)
        {
            c.starts.push_back(NanoSeconds(pick(0, 1) * pick(0, 20000)));
        }
        if (turns)
        {
            Time at;
            for (uint64_t i = pick(1, 5); i > 0; i--)
            {
                at += NanoSeconds(pick(0, 40000));
                c.turns.push_back({at, static_cast<uint32_t>(pick(0, c.options.ranks - 2))});
            }
        }
        SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round) + ": " +
                     std::to_string(c.options.ranks - 1) + " ranks at " +
                     std::to_string(c.options.rate) + " bit/s, MTU " +
                     std::to_string(c.options.mtu));
        const auto packets = RingRun(c).Run();
        c.options.trains = true;
        const auto trains = RingRun(c).Run();
        for (std::size_t i = 0; i < packets.completions.size(); i++)
        {
            ASSERT_GE(packets.completions[i], c.starts[i / c.operations.size()]);
            ASSERT_LT(packets.completions[i], Time::Max());
        }
        ASSERT_EQ(packets.completions, trains.completions);
        ASSERT_EQ(packets.firstBits, trains.firstBits);
        ASSERT_EQ(packets.drops, 0U);
        ASSERT_EQ(trains.drops, 0U);
        ASSERT_TRUE(trains.failures.empty()) << trains.failures.front();
    }
}

TEST(TrainPort, EqualsPacketsOnCircuits)
{
    Compare(false, false, 400, 1);
}

TEST(TrainPort, EqualsPacketsOnAPacketSwitch)
{
    Compare(true, false, 400, 2);
}

TEST(TrainPort, EqualsPacketsWhileCircuitsAreDrainedAndTurned)
{
    Compare(false, true, 400, 3);
}

TEST(TrainPort, EqualsPacketsWhileTheWholeSwitchStops)
{
    Compare(false, true, 400, 4, true);
}

TEST(TrainPort, CostsOneEventPerMessageOnACircuit)
{
    RingCase c;
    c.options.ranks = 8 + 1;
    c.options.trains = true;
    c.starts.assign(8, Time(0));
    const auto idle = RingRun(c).Run();
    c.operations = {1000000};
    c.kinds = {CollectiveKind::ALL_REDUCE};
    // 8 ranks send 14 chunks in either direction.
    EXPECT_EQ(RingRun(c).Run().events - idle.events, 8U * 14 * 2);
}

TEST(TrainPort, RefusesThatCommunicatorsShareAPort)
{
    TestRail::Options options;
    options.trains = true;
    TestRail rail(options);
    rail.JoinPair();
    Time first;
    Time second;
    rail.Send({1, 0, 0}, 100000, first);
    rail.Send({2, 0, 0}, 100000, second);
    ASSERT_EQ(rail.failures.size(), 1U);
    EXPECT_NE(rail.failures[0].find("communicators 1 and 2"), std::string::npos)
        << rail.failures[0];
    EXPECT_NE(rail.failures[0].find("rank 0"), std::string::npos) << rail.failures[0];
}

TEST(TrainPort, FollowsAnotherCommunicatorsLastPacket)
{
    // Behind the last packet nothing alternates: the second message waits for the line, as its
    // packets would.
    TestRail::Options options;
    options.trains = true;
    TestRail rail(options);
    rail.JoinPair();
    Time first;
    Time second;
    rail.Send({1, 0, 0}, 100, first);
    Simulator::Schedule(NanoSeconds(1), [&] { rail.Send({2, 0, 0}, 100, second); });
    Simulator::Run();
    EXPECT_TRUE(rail.failures.empty());
    EXPECT_EQ(first, rail.line.Arrival(Time(0), 198, rail.GetPropagation()));
    EXPECT_EQ(second, rail.line.Arrival(Time(0), 2 * 198, rail.GetPropagation()));
}

TEST(TrainPort, RefusesThatSendersShareAnOutput)
{
    TestRail::Options options;
    options.trains = true;
    options.electrical = true;
    options.ranks = 3;
    options.ports = 1;
    TestRail rail(options);
    for (uint32_t sender : {0, 1})
    {
        rail.endpoints[sender]->Send(2, 0, 0, {7, 0, sender}, 100000, Cause(), [](const auto&) {});
    }
    Simulator::Run();
    ASSERT_FALSE(rail.failures.empty());
    EXPECT_NE(rail.failures[0].find("to rank 2"), std::string::npos) << rail.failures[0];
    EXPECT_NE(rail.failures[0].find("output 2"), std::string::npos) << rail.failures[0];
}

} // namespace
} // namespace photonic
} // namespace ns3
