/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * ConnectionSender and ConnectionReceiver against each other, without packets.
 */
#include "ns3/connection-receiver.h"

#include <deque>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

using Verdict = ConnectionReceiver::Verdict;

ConnectionSender::Settings
MakeSettings(Retransmission::Scheme scheme)
{
    ConnectionSender::Settings settings;
    settings.scheme = scheme;
    settings.timeout = MicroSeconds(100);
    return settings;
}

/// Send so many packets and take them as acknowledged at once.
void
Skip(ConnectionSender& sender, ConnectionReceiver& receiver, uint64_t packets)
{
    sender.Post(packets);
    uint64_t arrived = 0;
    while (sender.HasNext(1000))
    {
        const auto next = sender.Take(Time(0), 1000);
        arrived += receiver.Receive(next.packet & 0xffffff, {}) == Verdict::IN_ORDER;
        if (!sender.HasNext(1000))
        {
            sender.Acknowledge(next.packet & 0xffffff, Time(0));
        }
    }
    ASSERT_EQ(arrived, packets);
}

/// A connection over a pipe of 20 packets that loses what it is told to.
class Pipe
{
  public:
    Pipe(const ConnectionSender::Settings& settings, double loss, unsigned seed)
        : m_sender(settings),
          m_receiver(settings.scheme, settings.window),
          m_random(seed),
          m_lost(loss)
    {
    }

    /// Send so many packets. @return those that were delivered, in order and once
    uint64_t Carry(uint64_t packets)
    {
        m_sender.Post(packets);
        uint64_t idle = 0;
        while (m_delivered < m_goal + packets || m_sender.GetFirst() < m_goal + packets)
        {
            m_now += NanoSeconds(100);
            const bool sent = m_sender.HasNext(1'000'000);
            if (sent)
            {
                const auto next = m_sender.Take(m_now, 1'000'000);
                again += next.again;
                m_forth.push_back({uint32_t(next.packet & 0xffffff), next.packet, next.ask});
            }
            if (m_forth.size() > 20 || (!sent && !m_forth.empty()))
            {
                Arrive();
            }
            if (m_back.size() > 20 || (!sent && !m_back.empty()))
            {
                Answer();
            }
            if (m_now >= m_sender.GetDeadline())
            {
                timeouts++;
                EXPECT_TRUE(m_sender.Expire(m_now));
            }
            idle = sent ? 0 : idle + 1;
            if (idle > 1'000'000)
            {
                ADD_FAILURE() << "nothing moves";
                break;
            }
        }
        m_goal += packets;
        return m_delivered;
    }

    /// Nothing is lost of so many packets, the first ones.
    void SkipTo(uint64_t packets)
    {
        Skip(m_sender, m_receiver, packets);
        m_delivered = m_goal = packets;
    }

    uint64_t again{0};
    uint64_t duplicates{0};
    uint64_t timeouts{0};

  private:
    struct Forth
    {
        uint32_t sequence;
        uint64_t packet;
        bool ask;
    };

    struct Back
    {
        Verdict verdict;
        uint32_t expected;
        uint32_t arrived;
    };

    bool Loses()
    {
        return m_lost > 0 && std::bernoulli_distribution(m_lost)(m_random);
    }

    void Deliver(uint64_t packet)
    {
        EXPECT_EQ(packet, m_delivered);
        m_delivered++;
    }

    void Arrive()
    {
        const Forth packet = m_forth.front();
        m_forth.pop_front();
        if (Loses())
        {
            return;
        }
        ConnectionReceiver::Arrival arrival{};
        arrival.bytes = packet.packet;
        const Verdict verdict = m_receiver.Receive(packet.sequence, arrival);
        bool answer = packet.ask || (verdict != Verdict::IN_ORDER && verdict != Verdict::DUPLICATE);
        if (verdict == Verdict::IN_ORDER)
        {
            Deliver(packet.packet);
            while (m_receiver.TakeKept(arrival))
            {
                Deliver(arrival.bytes);
                answer = true;
            }
        }
        duplicates += verdict == Verdict::DUPLICATE || verdict == Verdict::DUPLICATE_KEPT;
        if (verdict == Verdict::KEPT)
        {
            for (uint32_t report; m_receiver.TakeReport(report);)
            {
                m_back.push_back({verdict, m_receiver.GetExpected(), report});
            }
        }
        else if (answer && verdict != Verdict::DROPPED)
        {
            m_back.push_back({verdict, m_receiver.GetExpected(), packet.sequence});
        }
    }

    void Answer()
    {
        const Back answer = m_back.front();
        m_back.pop_front();
        if (Loses())
        {
            return;
        }
        switch (answer.verdict)
        {
        case Verdict::IN_ORDER:
        case Verdict::DUPLICATE:
            m_sender.Acknowledge((answer.expected - 1) & 0xffffff, m_now);
            break;
        case Verdict::GAP:
            m_sender.Miss(answer.expected, m_now);
            break;
        default:
            m_sender.Select(answer.expected, answer.arrived, m_now);
            break;
        }
    }

    ConnectionSender m_sender;
    ConnectionReceiver m_receiver;
    std::mt19937 m_random;
    double m_lost;
    Time m_now;
    std::deque<Forth> m_forth;
    std::deque<Back> m_back;
    uint64_t m_delivered{0};
    uint64_t m_goal{0};
};

} // namespace

TEST(Connection, DeliversAllOnceAndInOrderWhateverIsLost)
{
    for (auto scheme : {Retransmission::GO_BACK_N, Retransmission::SELECTIVE_REPEAT})
    {
        for (unsigned seed = 1; seed <= 20; seed++)
        {
            auto settings = MakeSettings(scheme);
            settings.retries = 1000;
            settings.window = 1 + seed * seed;
            settings.askEvery = 1 + seed % 7;
            const double loss = 0.01 * seed;
            SCOPED_TRACE("scheme " + std::to_string(scheme) + ", seed " + std::to_string(seed));
            Pipe pipe(settings, loss, seed);
            EXPECT_EQ(pipe.Carry(1), 1U);
            EXPECT_EQ(pipe.Carry(1500), 1501U);
            EXPECT_EQ(pipe.Carry(499), 2000U);
            // At least what was lost is sent again; 2,000 packets, mean 2,000 x loss.
            EXPECT_GT(pipe.again, 2000 * loss / 2);
        }
    }
}

TEST(Connection, SelectiveRepeatSendsAgainLittleMoreThanWasLost)
{
    // The pipe holds 20 packets: what go-back-N sends again with every loss.
    uint64_t again[2];
    int i = 0;
    for (auto scheme : {Retransmission::GO_BACK_N, Retransmission::SELECTIVE_REPEAT})
    {
        auto settings = MakeSettings(scheme);
        settings.retries = 1000;
        Pipe pipe(settings, 0.01, 7);
        pipe.Carry(20'000);
        again[i++] = pipe.again;
    }
    // 200 losses expected, standard deviation 14; and what time-outs and lost answers add.
    EXPECT_GT(again[0], 10 * again[1]);
    EXPECT_GT(again[1], 140U);
    EXPECT_LT(again[1], 400U);
}

TEST(Connection, NumbersComeRoundAfterTwoToThe24)
{
    for (auto scheme : {Retransmission::GO_BACK_N, Retransmission::SELECTIVE_REPEAT})
    {
        const unsigned seed = 4711;
        auto settings = MakeSettings(scheme);
        settings.retries = 1000;
        SCOPED_TRACE("seed " + std::to_string(seed));
        Pipe pipe(settings, 0.02, seed);
        pipe.SkipTo((1 << 24) - 3000);
        EXPECT_EQ(pipe.Carry(6000), uint64_t((1 << 24) + 3000));
        EXPECT_GT(pipe.again, 60U);
    }
}

TEST(Connection, AGapAcrossTheWrapIsFilled)
{
    const uint64_t before = (1 << 24) - 2;
    for (auto scheme : {Retransmission::GO_BACK_N, Retransmission::SELECTIVE_REPEAT})
    {
        ConnectionSender sender(MakeSettings(scheme));
        ConnectionReceiver receiver(scheme, 256);
        Skip(sender, receiver, before);
        sender.Post(4);
        for (uint64_t i = 0; i < 4; i++)
        {
            EXPECT_EQ(sender.Take(NanoSeconds(i), 1000).packet, before + i);
        }
        // 0xfffffe is lost; 0xffffff, 0 and 1 come.
        const bool selective = scheme == Retransmission::SELECTIVE_REPEAT;
        EXPECT_EQ(receiver.Receive(0xffffff, {}), selective ? Verdict::KEPT : Verdict::GAP);
        EXPECT_EQ(receiver.Receive(0, {}), selective ? Verdict::KEPT : Verdict::DROPPED);
        EXPECT_EQ(receiver.GetExpected(), 0xfffffeU);
        if (selective)
        {
            EXPECT_TRUE(sender.Select(0xfffffe, 0xffffff, NanoSeconds(9)).loss);
            EXPECT_FALSE(sender.Select(0xfffffe, 0, NanoSeconds(9)).loss);
        }
        else
        {
            EXPECT_TRUE(sender.Miss(0xfffffe, NanoSeconds(9)).loss);
        }
        for (uint64_t i = 0; i < (selective ? 1 : 4); i++)
        {
            ASSERT_TRUE(sender.HasNext(1000));
            const auto next = sender.Take(NanoSeconds(10), 1000);
            EXPECT_EQ(next.packet, before + i);
            EXPECT_TRUE(next.again);
        }
        EXPECT_FALSE(sender.HasNext(1000));
        EXPECT_EQ(sender.Acknowledge(1, NanoSeconds(20)).packets, 4U);
        EXPECT_EQ(sender.GetDeadline(), Time::Max());
    }
}

TEST(Connection, AsksForAnAcknowledgementBeforeItsWindowCloses)
{
    auto settings = MakeSettings(Retransmission::GO_BACK_N);
    settings.window = 100;
    settings.askEvery = 16;
    ConnectionSender sender(settings);
    sender.Post(1000);
    std::vector<uint64_t> asked;
    while (sender.HasNext(1000))
    {
        const auto next = sender.Take(Time(0), 1000);
        if (next.ask)
        {
            asked.push_back(next.packet);
        }
    }
    EXPECT_EQ(asked, (std::vector<uint64_t>{15, 31, 47, 63, 79, 95, 99}));
    EXPECT_FALSE(sender.HasNext(1000));
    sender.Acknowledge(15, Time(0));
    EXPECT_TRUE(sender.HasNext(1000));
    EXPECT_FALSE(sender.HasNext(84)); // congestion control has another window: 84 are under way
    EXPECT_TRUE(sender.HasNext(85));
}

TEST(Connection, MeasuresARoundTripOnlyWhereItIsClear)
{
    ConnectionSender sender(MakeSettings(Retransmission::GO_BACK_N));
    sender.Post(5);
    for (int i = 0; i < 5; i++)
    {
        sender.Take(MicroSeconds(i), 1000);
    }
    const auto first = sender.Acknowledge(1, MicroSeconds(8));
    EXPECT_EQ(first.packets, 2U);
    EXPECT_EQ(first.roundTrip, MicroSeconds(7)); // of packet 1
    EXPECT_EQ(sender.Acknowledge(1, MicroSeconds(9)).packets, 0U);
    EXPECT_FALSE(sender.Miss(3, MicroSeconds(9)).HasRoundTrip());
    sender.Take(MicroSeconds(10), 1000);
    // Packet 3 was sent twice: Karn.
    const auto second = sender.Acknowledge(4, MicroSeconds(12));
    EXPECT_EQ(second.packets, 2U);
    EXPECT_FALSE(second.HasRoundTrip());
}

TEST(Connection, DoublesItsTimeoutAndGivesUp)
{
    auto settings = MakeSettings(Retransmission::SELECTIVE_REPEAT);
    settings.retries = 3;
    ConnectionSender sender(settings);
    EXPECT_EQ(sender.GetDeadline(), Time::Max());
    sender.Post(1);
    sender.Take(MicroSeconds(5), 1000);
    for (int expected : {105, 305, 705, 1505})
    {
        EXPECT_EQ(sender.GetDeadline(), MicroSeconds(expected));
        EXPECT_EQ(sender.Expire(MicroSeconds(expected)), expected != 1505);
    }
    EXPECT_EQ(sender.GetDeadline(), Time::Max());
}

TEST(Connection, WithoutRetransmissionALossIsTheEnd)
{
    ConnectionSender sender(MakeSettings(Retransmission::NONE));
    sender.Post(1);
    sender.Take(Time(0), 1000);
    EXPECT_EQ(sender.GetDeadline(), Time::Max());
    ConnectionReceiver receiver(Retransmission::NONE, 256);
    EXPECT_EQ(receiver.Receive(0, {}), Verdict::IN_ORDER);
    EXPECT_EQ(receiver.Receive(2, {}), Verdict::DROPPED);
    EXPECT_EQ(receiver.Receive(1, {}), Verdict::DROPPED);
}

} // namespace photonic
} // namespace ns3
