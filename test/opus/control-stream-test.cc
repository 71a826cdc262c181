/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/control-faults.h"
#include "ns3/control-stream.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cmath>
#include <gtest/gtest.h>
#include <iostream>
#include <random>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

OpusMessage
Numbered(uint32_t counter)
{
    OpusMessage message;
    message.type = OpusMessage::REQUEST;
    message.key.counter = counter;
    return message;
}

/// A stream over a network that answers after a time, or not at all.
struct StreamTest : public ::testing::Test
{
    ~StreamTest() override
    {
        Simulator::Destroy();
    }

    ControlStream::Settings Settings()
    {
        ControlStream::Settings settings;
        settings.timeout = MilliSeconds(1);
        settings.retries = 9;
        settings.transmit = [this](const OpusMessage& message, const Cause&) {
            sent.emplace_back(Simulator::Now(), message);
        };
        settings.giveUp = [this](const OpusMessage& message, Time since) {
            givenUp.emplace_back(since, message);
        };
        return settings;
    }

    std::vector<std::pair<Time, OpusMessage>> sent;
    std::vector<std::pair<Time, OpusMessage>> givenUp;
};

} // namespace

TEST_F(StreamTest, RepeatsAfterTimesThatDoubleAndGivesUp)
{
    ControlStream stream(Settings());
    Simulator::Schedule(MilliSeconds(5), [&] { stream.Send(Numbered(7), Cause()); });
    Simulator::Run();
    ASSERT_EQ(sent.size(), 10U);
    Time at = MilliSeconds(5);
    for (uint32_t i = 0; i < sent.size(); ++i)
    {
        EXPECT_EQ(sent[i].first, at) << i;
        at += MilliSeconds(1 << std::min(i, 6U));
    }
    ASSERT_EQ(givenUp.size(), 1U);
    EXPECT_EQ(givenUp[0].first, MilliSeconds(5));
    EXPECT_EQ(givenUp[0].second.key.counter, 7U);
    EXPECT_EQ(Simulator::Now(), at) << "1 + 2 + ... + 64 + 3 * 64 ms later";
    EXPECT_EQ(stream.GetRepetitions(), 9U);
    EXPECT_EQ(stream.GetUnacknowledged(), 0U);
}

TEST_F(StreamTest, AnAcknowledgementEndsTheRepetitionsOfAllBefore)
{
    ControlStream stream(Settings());
    for (uint32_t i = 0; i < 5; ++i)
    {
        stream.Send(Numbered(i), Cause());
    }
    stream.HandleAck(1, 4);
    EXPECT_EQ(stream.GetUnacknowledged(), 2U);
    stream.HandleAck(1, 2); // an older one
    stream.HandleAck(7, 6); // of another session
    EXPECT_EQ(stream.GetUnacknowledged(), 2U);
    Simulator::Schedule(MicroSeconds(1500), [&] { stream.HandleAck(1, 6); });
    Simulator::Run();
    EXPECT_EQ(sent.size(), 5U + 2U);
    EXPECT_TRUE(givenUp.empty());
}

TEST_F(StreamTest, AnOldSessionIsHeardNoMore)
{
    ControlStream rank(Settings());
    ControlStream controller(Settings());
    rank.Send(Numbered(0), Cause());
    rank.Send(Numbered(1), Cause());
    EXPECT_EQ(controller.Receive(sent[0].second, Cause()).size(), 1U);
    controller.StartReceiving(2);
    EXPECT_TRUE(controller.Receive(sent[1].second, Cause()).empty());
    EXPECT_EQ(controller.GetAck(3).session, 2U);
    EXPECT_EQ(controller.GetAck(3).sequence, 1U);
    EXPECT_EQ(controller.GetAck(3).rank, 3U);
    rank.StartSending(2);
    EXPECT_EQ(rank.GetUnacknowledged(), 0U);
    rank.Send(Numbered(2), Cause());
    const auto due = controller.Receive(sent[2].second, Cause());
    ASSERT_EQ(due.size(), 1U);
    EXPECT_EQ(due[0].first.key.counter, 2U);
    // Who hears of a later session from the other end follows.
    ControlStream late(Settings());
    EXPECT_EQ(late.Receive(sent[2].second, Cause()).size(), 1U);
    EXPECT_TRUE(late.Receive(sent[0].second, Cause()).empty());
    rank.Stop();
}

TEST(ControlStream, DeliversAllInOrderOnceOverAnyNetwork)
{
    uint64_t repetitions = 0;
    for (uint32_t seed = 1; seed <= 200; ++seed)
    {
        std::mt19937 random(seed);
        const double loss = random() % 60 / 100.0;
        const auto chance = [&] { return random() % 1000000 / 1e6; };
        constexpr uint32_t COUNT = 100;
        std::vector<uint32_t> arrived;
        ControlStream* ends[2] = {nullptr, nullptr}; // sender's, receiver's
        const auto network = [&](std::function<void()> arrive) {
            for (uint32_t copies = 1 + random() % 5 / 4; copies > 0; --copies)
            {
                if (chance() >= loss)
                {
                    Simulator::Schedule(MicroSeconds(random() % 3000), arrive);
                }
            }
        };
        ControlStream::Settings settings;
        settings.timeout = MilliSeconds(1 + random() % 4);
        settings.retries = 1000;
        settings.giveUp = [](const OpusMessage&, Time) { FAIL(); };
        settings.transmit = [&](const OpusMessage& message, const Cause& cause) {
            network([&, message, cause] {
                for (const auto& due : ends[1]->Receive(message, cause))
                {
                    arrived.push_back(due.first.key.counter);
                }
                const OpusMessage ack = ends[1]->GetAck(0);
                network([&, ack] { ends[0]->HandleAck(ack.session, ack.sequence); });
            });
        };
        ControlStream sender(settings);
        ControlStream receiver(settings);
        ends[0] = &sender;
        ends[1] = &receiver;
        uint32_t next = 0;
        std::vector<uint32_t> expected;
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            expected.push_back(i);
            Simulator::Schedule(MicroSeconds(random() % 20000),
                                [&] { sender.Send(Numbered(next++), Cause()); });
        }
        Simulator::Run();
        EXPECT_EQ(arrived, expected) << "seed " << seed;
        EXPECT_EQ(sender.GetUnacknowledged(), 0U);
        repetitions += sender.GetRepetitions();
        Simulator::Destroy();
    }
    std::cout << "seeds 1 to 200, " << repetitions << " repetitions" << std::endl;
    EXPECT_GT(repetitions, 1000U);
}

TEST(RandomControlFaults, KeepTheirProbabilities)
{
    auto faults = CreateObject<RandomControlFaults>();
    faults->SetAttribute("Loss", DoubleValue(0.2));
    faults->SetAttribute("Duplication", DoubleValue(0.1));
    faults->SetAttribute("Delay", StringValue("ns3::ConstantRandomVariable[Constant=0.003]"));
    EXPECT_EQ(faults->AssignStreams(17), 2);
    constexpr uint32_t COUNT = 20000;
    uint32_t lost = 0;
    uint32_t twice = 0;
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        const auto delays = faults->GetDelays(OpusMessage());
        lost += delays.empty();
        twice += delays.size() == 2;
        for (const Time& delay : delays)
        {
            EXPECT_EQ(delay, MilliSeconds(3));
        }
    }
    // Five standard deviations of a binomial distribution.
    EXPECT_NEAR(lost, COUNT * 0.2, 5 * std::sqrt(COUNT * 0.2 * 0.8));
    EXPECT_NEAR(twice, COUNT * 0.8 * 0.1, 5 * std::sqrt(COUNT * 0.08 * 0.92));
    auto none = CreateObject<RandomControlFaults>();
    EXPECT_EQ(none->GetDelays(OpusMessage()), std::vector<Time>{Time()});
}
