/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/collective-plan.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

std::vector<uint32_t>
GroupSizes()
{
    std::vector<uint32_t> sizes;
    for (uint32_t n = 1; n <= 17; n++)
    {
        sizes.push_back(n);
    }
    sizes.push_back(24);
    sizes.push_back(32);
    return sizes;
}

std::vector<uint64_t>
Sizes(uint64_t n)
{
    return {0,
            1,
            n - 1,
            n,
            n + 1,
            2 * n - 1,
            2 * n,
            2 * n + 1,
            7,
            101,
            7919,
            1'000'003,
            (uint64_t(1) << 36) + 5};
}

/// What a rank does in an operation, written out.
struct CollectivePlan
{
    struct Receive
    {
        uint32_t peer;
        uint64_t bytes;
        uint32_t step;
    };

    struct Send
    {
        uint32_t peer;
        uint64_t bytes;
        uint32_t step;
        uint32_t receives; ///< that have to be complete before
    };

    struct Lane
    {
        std::vector<Receive> receives;
        std::vector<Send> sends;
    };

    void Add(const LanePlan& plan)
    {
        lanes.emplace_back();
        for (uint32_t s = 0; s < plan.GetSends(); s++)
        {
            lanes.back().sends.push_back(
                {plan.GetSendPeer(), plan.GetSendBytes(s), s, plan.GetNeeded(s)});
        }
        for (uint32_t r = 0; r < plan.GetReceives(); r++)
        {
            lanes.back().receives.push_back({plan.GetReceivePeer(), plan.GetReceiveBytes(r), r});
        }
    }

    std::vector<Lane> lanes;
};

CollectivePlan
PlanRing(Kind kind, uint64_t bytes, uint32_t n, uint32_t position, uint32_t lanes)
{
    CollectivePlan plan;
    for (uint32_t lane = 0; lane < lanes; lane++)
    {
        plan.Add(LanePlan(RingLane(kind, bytes, n, lanes, lane), position));
    }
    return plan;
}

CollectivePlan
PlanPointToPoint(Kind kind, uint32_t peer, uint64_t sent, uint64_t received, uint32_t lanes)
{
    CollectivePlan plan;
    for (uint32_t lane = 0; lane < lanes; lane++)
    {
        plan.Add(LanePlan(kind,
                          peer,
                          GetLaneBytes(sent, lanes, lane),
                          GetLaneBytes(received, lanes, lane)));
    }
    return plan;
}

constexpr Kind RING_KINDS[] = {Kind::ALL_GATHER,
                               Kind::REDUCE_SCATTER,
                               Kind::ALL_REDUCE,
                               Kind::BROADCAST};

/// Call with every kind, group size, number of bytes and number of lanes.
template <typename F>
void
ForAllRings(F&& check)
{
    for (Kind kind : RING_KINDS)
    {
        for (uint32_t n : GroupSizes())
        {
            for (uint64_t bytes : Sizes(n))
            {
                for (uint32_t lanes : {1U, 2U, 3U, 6U})
                {
                    SCOPED_TRACE(std::string(ToString(kind)) + " of " + std::to_string(bytes) +
                                 " bytes, " + std::to_string(n) + " ranks, " +
                                 std::to_string(lanes) + " lanes");
                    std::vector<CollectivePlan> plans;
                    for (uint32_t position = 0; position < n; position++)
                    {
                        plans.push_back(PlanRing(kind, bytes, n, position, lanes));
                        ASSERT_EQ(plans.back().lanes.size(), lanes);
                    }
                    check(kind, n, bytes, lanes, plans);
                    if (::testing::Test::HasFailure())
                    {
                        return; // one case is enough to look into
                    }
                }
            }
        }
    }
}

uint64_t
GetSent(const CollectivePlan& plan)
{
    uint64_t sent = 0;
    for (const auto& lane : plan.lanes)
    {
        for (const auto& send : lane.sends)
        {
            sent += send.bytes;
        }
    }
    return sent;
}

uint64_t
GetReceived(const CollectivePlan& plan)
{
    uint64_t received = 0;
    for (const auto& lane : plan.lanes)
    {
        for (const auto& receive : lane.receives)
        {
            received += receive.bytes;
        }
    }
    return received;
}

/**
 * Data as it travels: which chunk it is, and whose contributions are in it. A rank is followed as
 * its plan tells: a send passes on what the receive before it brought, and the first ones what the
 * rank has from the start.
 */
struct Token
{
    uint32_t chunk;
    uint64_t contributions; ///< a bit per rank
};

/// Run one lane of a ring; checks order, sizes and that nothing is left over.
class LaneOracle
{
  public:
    LaneOracle(Kind kind,
               uint32_t n,
               uint64_t laneBytes,
               bool forward,
               std::vector<const CollectivePlan::Lane*> ranks)
        : m_kind(kind),
          m_n(n),
          m_laneBytes(laneBytes),
          m_forward(forward),
          m_ranks(std::move(ranks)),
          m_sent(n),
          m_got(n)
    {
    }

    /// @return what each rank received, in order; empty if it cannot go on
    std::vector<std::vector<Token>> Run()
    {
        for (bool moved = true; moved;)
        {
            moved = false;
            for (uint32_t rank = 0; rank < m_n; rank++)
            {
                moved |= Send(rank) || Receive(rank);
            }
        }
        for (uint32_t rank = 0; rank < m_n; rank++)
        {
            EXPECT_EQ(m_sent[rank], m_ranks[rank]->sends.size()) << "sends of rank " << rank;
            EXPECT_EQ(m_got[rank].size(), m_ranks[rank]->receives.size())
                << "receives of rank " << rank;
        }
        for (const auto& [pair, wire] : m_wires)
        {
            EXPECT_TRUE(wire.empty()) << "from " << pair.first << " to " << pair.second;
        }
        return m_got;
    }

    /// A chunk's size, as SPEC says: the first (bytes mod n) have one byte more.
    uint64_t GetChunkBytes(uint32_t chunk) const
    {
        const uint64_t end =
            (chunk + 1) * (m_laneBytes / m_n) + std::min<uint64_t>(chunk + 1, m_laneBytes % m_n);
        const uint64_t begin =
            chunk * (m_laneBytes / m_n) + std::min<uint64_t>(chunk, m_laneBytes % m_n);
        return end - begin;
    }

  private:
    struct Transfer
    {
        Token token;
        uint64_t bytes;
        uint32_t step;
    };

    /// What a rank sends before it has received anything.
    Token GetOwn(uint32_t rank, uint32_t number) const
    {
        const uint64_t self = uint64_t(1) << rank;
        switch (m_kind)
        {
        case Kind::ALL_GATHER:
            return {rank, self};
        case Kind::BROADCAST:
            return {number, self};
        default:
            // The chunk that has to visit everybody else before it comes home.
            return {(m_forward ? rank + m_n - 1 : rank + 1) % m_n, self};
        }
    }

    bool Send(uint32_t rank)
    {
        const auto& sends = m_ranks[rank]->sends;
        if (m_sent[rank] == sends.size() || sends[m_sent[rank]].receives > m_got[rank].size())
        {
            return false;
        }
        const uint32_t number = m_sent[rank]++;
        const auto& send = sends[number];
        Token token = send.receives == 0 ? GetOwn(rank, number) : m_got[rank][send.receives - 1];
        EXPECT_EQ(send.bytes, GetChunkBytes(token.chunk));
        EXPECT_NE(send.peer, rank);
        m_wires[{rank, send.peer}].push_back({token, send.bytes, send.step});
        return true;
    }

    bool Receive(uint32_t rank)
    {
        const auto& receives = m_ranks[rank]->receives;
        if (m_got[rank].size() == receives.size())
        {
            return false;
        }
        const auto& receive = receives[m_got[rank].size()];
        auto& wire = m_wires[{receive.peer, rank}];
        if (wire.empty())
        {
            return false;
        }
        EXPECT_EQ(wire.front().bytes, receive.bytes);
        EXPECT_EQ(wire.front().step, receive.step);
        Token token = wire.front().token;
        wire.pop_front();
        if (m_kind == Kind::REDUCE_SCATTER || m_kind == Kind::ALL_REDUCE)
        {
            token.contributions |= uint64_t(1) << rank;
        }
        m_got[rank].push_back(token);
        return true;
    }

    Kind m_kind;
    uint32_t m_n;
    uint64_t m_laneBytes;
    bool m_forward;
    std::vector<const CollectivePlan::Lane*> m_ranks;
    std::vector<uint32_t> m_sent;
    std::vector<std::vector<Token>> m_got;
    std::map<std::pair<uint32_t, uint32_t>, std::deque<Transfer>> m_wires;
};

} // namespace

TEST(CollectivePlan, BytesAreTheClosedForms)
{
    ForAllRings([](Kind kind,
                   uint32_t n,
                   uint64_t bytes,
                   uint32_t lanes,
                   const std::vector<CollectivePlan>& plans) {
        const uint64_t rounds = kind == Kind::ALL_REDUCE ? 2 : 1;
        uint64_t sent = 0;
        uint64_t received = 0;
        for (const auto& plan : plans)
        {
            sent += GetSent(plan);
            received += GetReceived(plan);
            const uint32_t position = &plan - plans.data();
            uint64_t lanesSend = 0;
            for (uint32_t lane = 0; lane < lanes; lane++)
            {
                lanesSend += RingLane(kind, bytes, n, lanes, lane).GetSentBytes(position);
            }
            EXPECT_EQ(lanesSend, GetSent(plan));
            if (kind == Kind::BROADCAST)
            {
                continue;
            }
            // (n-1)/n of the bytes, but for a byte per lane and round; no such byte without a
            // remainder.
            const uint64_t share = rounds * (n - 1) * bytes;
            const uint64_t slack = bytes % (n * lanes) == 0 ? 0 : n * lanes * rounds;
            EXPECT_LE(GetSent(plan) * n, share + slack);
            EXPECT_GE(GetSent(plan) * n + slack, share);
        }
        EXPECT_EQ(sent, rounds * (n - 1) * bytes);
        EXPECT_EQ(received, sent);
        if (kind == Kind::BROADCAST && n > 1)
        {
            for (uint32_t position = 1; position < n; position++)
            {
                EXPECT_EQ(GetReceived(plans[position]), bytes);
            }
            EXPECT_EQ(GetSent(plans[0]), bytes);
            EXPECT_EQ(GetReceived(plans[0]), 0U);
        }
    });
}

TEST(CollectivePlan, EverybodyEndsWithTheRightData)
{
    ForAllRings([](Kind kind,
                   uint32_t n,
                   uint64_t bytes,
                   uint32_t lanes,
                   const std::vector<CollectivePlan>& plans) {
        if (n == 1)
        {
            return; // a group of one has all it needs
        }
        const uint64_t everybody = (uint64_t(1) << n) - 1;
        for (uint32_t l = 0; l < lanes; l++)
        {
            std::vector<const CollectivePlan::Lane*> ranks;
            for (const auto& plan : plans)
            {
                ranks.push_back(&plan.lanes[l]);
            }
            const uint64_t laneBytes = (bytes + lanes - 1 - l) / lanes; // the first have one more
            LaneOracle oracle(kind, n, laneBytes, l % 2 == 0, ranks);
            const auto got = oracle.Run();
            for (uint32_t rank = 0; rank < n; rank++)
            {
                // Final state of each chunk at this rank: what came last.
                std::map<uint32_t, uint64_t> holds;
                if (kind == Kind::ALL_GATHER)
                {
                    holds[rank] = uint64_t(1) << rank;
                }
                else if (kind == Kind::BROADCAST && rank == 0)
                {
                    for (uint32_t chunk = 0; chunk < n; chunk++)
                    {
                        holds[chunk] = 1;
                    }
                }
                for (const auto& token : got[rank])
                {
                    holds[token.chunk] = token.contributions;
                }
                switch (kind)
                {
                case Kind::ALL_GATHER:
                    ASSERT_EQ(holds.size(), n);
                    for (const auto& [chunk, contributions] : holds)
                    {
                        EXPECT_EQ(contributions, uint64_t(1) << chunk);
                    }
                    break;
                case Kind::REDUCE_SCATTER:
                    EXPECT_EQ(holds[rank], everybody);
                    EXPECT_EQ(got[rank].back().chunk, rank);
                    break;
                case Kind::ALL_REDUCE:
                    ASSERT_EQ(holds.size(), n);
                    for (const auto& entry : holds)
                    {
                        EXPECT_EQ(entry.second, everybody);
                    }
                    break;
                default:
                    ASSERT_EQ(holds.size(), n);
                    for (const auto& entry : holds)
                    {
                        EXPECT_EQ(entry.second, 1U) << "not the root's";
                    }
                }
            }
        }
    });
}

TEST(CollectivePlan, LanesRunInOppositeDirections)
{
    for (Kind kind : RING_KINDS)
    {
        const auto plan = PlanRing(kind, 1000, 5, 2, 2);
        for (uint32_t l : {0U, 1U})
        {
            for (const auto& send : plan.lanes[l].sends)
            {
                EXPECT_EQ(send.peer, l == 0 ? 3U : 1U);
            }
            for (const auto& receive : plan.lanes[l].receives)
            {
                EXPECT_EQ(receive.peer, l == 0 ? 1U : 3U);
            }
        }
    }
}

TEST(CollectivePlan, ARingOfNTakesNMinusOneSteps)
{
    for (uint32_t n : {2U, 3U, 7U, 24U})
    {
        EXPECT_EQ(PlanRing(Kind::ALL_GATHER, 1000, n, 1, 2).lanes[0].sends.size(), n - 1);
        EXPECT_EQ(PlanRing(Kind::REDUCE_SCATTER, 1000, n, 1, 2).lanes[1].sends.size(), n - 1);
        EXPECT_EQ(PlanRing(Kind::ALL_REDUCE, 1000, n, 1, 2).lanes[0].sends.size(), 2 * (n - 1));
    }
}

TEST(CollectivePlan, AnExchangePassesOwnBytesBothWays)
{
    for (uint32_t n : GroupSizes())
    {
        for (uint64_t bytes : Sizes(n))
        {
            for (uint32_t rank = 0; rank < n; rank++)
            {
                const auto plan = PlanRing(Kind::RING_EXCHANGE, bytes, n, rank, 2);
                uint64_t sent = 0;
                uint64_t received = 0;
                for (uint32_t lane = 0; lane < 2; lane++)
                {
                    ASSERT_EQ(plan.lanes[lane].sends.size(), n > 1 ? 1U : 0U);
                    ASSERT_EQ(plan.lanes[lane].receives.size(), n > 1 ? 1U : 0U);
                    if (n == 1)
                    {
                        continue;
                    }
                    const auto& send = plan.lanes[lane].sends[0];
                    const auto& receive = plan.lanes[lane].receives[0];
                    const uint32_t next = (rank + 1) % n;
                    const uint32_t previous = (rank + n - 1) % n;
                    EXPECT_EQ(send.peer, lane == 0 ? next : previous);
                    EXPECT_EQ(receive.peer, lane == 0 ? previous : next);
                    EXPECT_EQ(send.receives, 0U) << "its own bytes are there from the start";
                    EXPECT_EQ(send.bytes, (bytes + 1 - lane) / 2);
                    sent += send.bytes;
                    received += receive.bytes;
                }
                EXPECT_EQ(sent, n > 1 ? bytes : 0);
                EXPECT_EQ(received, sent);
            }
        }
    }
}

TEST(CollectivePlan, TheFirstLaneTakesTheOddByte)
{
    EXPECT_EQ(GetLaneBytes(7, 1, 0), 7U);
    EXPECT_EQ(GetLaneBytes(7, 2, 0), 4U);
    EXPECT_EQ(GetLaneBytes(7, 2, 1), 3U);
    EXPECT_EQ(GetLaneBytes(1, 2, 0), 1U);
    EXPECT_EQ(GetLaneBytes(1, 2, 1), 0U);
    EXPECT_EQ(GetLaneBytes(0, 2, 0), 0U);
    EXPECT_EQ(GetLaneBytes(UINT64_MAX, 2, 0), uint64_t(1) << 63);
}

TEST(CollectivePlan, AGroupOfOneDoesNothing)
{
    for (Kind kind : RING_KINDS)
    {
        for (const auto& lane : PlanRing(kind, 1000, 1, 0, 2).lanes)
        {
            EXPECT_TRUE(lane.sends.empty());
            EXPECT_TRUE(lane.receives.empty());
        }
    }
}

TEST(CollectivePlan, PointToPointIsStriped)
{
    const auto both = PlanPointToPoint(Kind::SEND_RECEIVE, 3, 11, 4, 2);
    ASSERT_EQ(both.lanes.size(), 2U);
    for (uint32_t l : {0U, 1U})
    {
        ASSERT_EQ(both.lanes[l].sends.size(), 1U);
        ASSERT_EQ(both.lanes[l].receives.size(), 1U);
        EXPECT_EQ(both.lanes[l].sends[0].peer, 3U);
        EXPECT_EQ(both.lanes[l].sends[0].receives, 0U) << "a send waits for nothing";
        EXPECT_EQ(both.lanes[l].sends[0].bytes, l == 0 ? 6U : 5U);
        EXPECT_EQ(both.lanes[l].receives[0].bytes, 2U);
    }
    const auto send = PlanPointToPoint(Kind::SEND, 1, 11, 99, 1);
    ASSERT_EQ(send.lanes.size(), 1U);
    EXPECT_EQ(GetSent(send), 11U);
    EXPECT_TRUE(send.lanes[0].receives.empty());
    const auto receive = PlanPointToPoint(Kind::RECEIVE, 1, 99, 11, 2);
    EXPECT_EQ(GetReceived(receive), 11U);
    EXPECT_EQ(GetSent(receive), 0U);
    EXPECT_TRUE(receive.lanes[0].sends.empty());
}

TEST(CollectivePlan, RefusesTheWrongKind)
{
    for (Kind kind : {Kind::ALL_TO_ALL, Kind::SEND, Kind::RECEIVE, Kind::SEND_RECEIVE})
    {
        EXPECT_THROW(PlanRing(kind, 10, 4, 0, 2), std::invalid_argument);
    }
    for (Kind kind : RING_KINDS)
    {
        EXPECT_THROW(PlanPointToPoint(kind, 1, 10, 10, 2), std::invalid_argument);
    }
}

TEST(CollectiveKind, HasTheNamesOfTheReports)
{
    EXPECT_STREQ(ToString(Kind::ALL_GATHER), "all-gather");
    EXPECT_STREQ(ToString(Kind::REDUCE_SCATTER), "reduce-scatter");
    EXPECT_STREQ(ToString(Kind::ALL_REDUCE), "all-reduce");
    EXPECT_STREQ(ToString(Kind::BROADCAST), "broadcast");
    EXPECT_STREQ(ToString(Kind::RING_EXCHANGE), "ring-exchange");
    EXPECT_STREQ(ToString(Kind::ALL_TO_ALL), "all-to-all");
    EXPECT_STREQ(ToString(Kind::SEND), "send");
    EXPECT_STREQ(ToString(Kind::RECEIVE), "receive");
    EXPECT_STREQ(ToString(Kind::SEND_RECEIVE), "send-receive");
}

} // namespace photonic
} // namespace ns3
