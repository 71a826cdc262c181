/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FIDELITY_SCENARIO_H
#define PHOTONIC_FIDELITY_SCENARIO_H

#include "test-group.h"

#include "ns3/solved-group.h"

#include <algorithm>
#include <random>
#include <sstream>

namespace ns3
{
namespace photonic
{

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

inline std::ostream&
operator<<(std::ostream& os, const Outcome& o)
{
    return os << "received " << o.received.GetTimeStep() << ", done " << o.done.GetTimeStep()
              << ", first bit " << o.firstBit.GetTimeStep() << ", sent " << o.sent;
}

/// Runs the operations of a group on its communicators, whatever is below them.
class Player
{
  public:
    /// @param operations of the group @param group its communicators, by position
    Player(const std::vector<Scenario::Operation>& operations, std::vector<Ptr<Communicator>> group)
        : outcomes(operations.size(), std::vector<Outcome>(group.size())),
          m_operations(operations),
          m_members(std::move(group))
    {
        for (uint32_t p = 0; p < m_members.size(); p++)
        {
            StartAfterDelay(p, 0);
        }
    }

    ~Player()
    {
        for (const auto& member : m_members)
        {
            EXPECT_EQ(member->GetRunning(), 0U);
            member->Dispose();
        }
    }

    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    std::vector<std::vector<Outcome>> outcomes; ///< by operation and position

  private:
    void StartAfterDelay(uint32_t position, uint32_t number)
    {
        if (number < m_operations.size())
        {
            Simulator::Schedule(m_operations[number].delays[position],
                                [=] { Start(position, number); });
        }
    }

    void Start(uint32_t position, uint32_t number)
    {
        const auto& operation = m_operations[number];
        auto request = operation.requests[position];
        request.sequence = number;
        request.cause = Cause().AfterReconfiguration(1 + number * 1000 + position);
        request.received = [=](const CollectiveResult&) {
            outcomes[number][position].received = Simulator::Now();
            if (m_operations[number].next == Next::WHEN_RECEIVED)
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
            if (m_operations[number].next == Next::WHEN_DONE)
            {
                StartAfterDelay(position, number + 1);
            }
        };
        m_members[position]->Start(std::move(request));
    }

    const std::vector<Scenario::Operation>& m_operations;
    std::vector<Ptr<Communicator>> m_members;
};

inline std::vector<Communicator::Lane>
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

    /// A collective of n members.
    Scenario::Operation Collective(uint32_t n, uint64_t most)
    {
        Scenario::Operation operation;
        const auto kind = Among<CollectiveKind>({CollectiveKind::ALL_GATHER,
                                                 CollectiveKind::RING_EXCHANGE,
                                                 CollectiveKind::REDUCE_SCATTER,
                                                 CollectiveKind::ALL_REDUCE});
        operation.requests.assign(
            n,
            TestGroup::MakeRequest(Between(0, 5) == 0 ? CollectiveKind::BROADCAST : kind,
                                   Bytes(n, most)));
        operation.delays = Delays(n);
        return operation;
    }

    /// A send one way, the other way, or a batch of both.
    Scenario::Operation Transfer()
    {
        using Kind = CollectiveKind;
        Scenario::Operation operation;
        const uint64_t there = Bytes(2, 40'000);
        const uint64_t back = Bytes(2, 40'000);
        switch (Between(0, 2))
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
        operation.delays = Delays(2);
        operation.next = Between(0, 1) ? Next::WHEN_DONE : Next::WHEN_RECEIVED;
        return operation;
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

inline std::string
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

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FIDELITY_SCENARIO_H
