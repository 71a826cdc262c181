/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Acknowledged messages: when the sender knows, and what is on the wire (IBTA volume 1, 9.2 and
 * 9.7.5).
 */
#include "test-rail.h"

#include <random>

namespace ns3
{
namespace photonic
{

namespace
{

/// IPv4, UDP, base transport header, AETH, invariant check sequence; Ethernet; and beside it.
constexpr uint64_t ACK_FRAME = 14 + 20 + 8 + 12 + 4 + 4;
constexpr uint64_t ACK_WIRE = ACK_FRAME + 24;

TestRail::Options
Acknowledged()
{
    TestRail::Options options;
    options.acknowledgements = true;
    return options;
}

using Bytes = std::vector<uint8_t>;

/// Note the bytes of packets.
Callback<void, Ptr<const Packet>>
Note(std::vector<Bytes>& seen)
{
    return Callback<void, Ptr<const Packet>>([&seen](Ptr<const Packet> packet) {
        Bytes bytes(packet->GetSize());
        packet->CopyData(bytes.data(), bytes.size());
        seen.push_back(bytes);
    });
}

} // namespace

TEST(Acknowledgement, ASenderKnowsAfterASerialisationAndTwoPropagationsMore)
{
    const unsigned seed = 20240811;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&random](uint64_t low, uint64_t high) {
        return std::uniform_int_distribution<uint64_t>(low, high)(random);
    };
    for (int i = 0; i < 40; i++)
    {
        auto options = Acknowledged();
        options.electrical = i % 2 == 1;
        options.rate = pick(1'000'000'000, 800'000'000'000);
        options.fibre = NanoSeconds(pick(0, 3000));
        const uint64_t bytes = i % 3 == 0 ? pick(1, 3'000'000) : FULL * pick(1, 9) + pick(0, 2) - 1;
        SCOPED_TRACE(std::to_string(bytes) + " bytes, " + std::to_string(options.rate) + " bit/s");
        TestRail rail(options);
        rail.JoinPair();
        Time sent;
        Time received;
        rail.SendAndReceive({1, 0, 0}, bytes, sent, received);
        Simulator::Run();
        EXPECT_EQ(received,
                  rail.line.Arrival(Time(0), GetWireBytes(bytes, 4096), rail.GetPropagation()));
        EXPECT_EQ(sent, rail.line.Arrival(received, ACK_WIRE, rail.GetPropagation()));
        EXPECT_EQ(rail.GetPort(0, 0).GetPacketsReceived(), 0U); // of data
        EXPECT_EQ(rail.GetPort(1, 0).GetPacketsReceived(), (bytes + FULL - 1) / FULL);
    }
}

TEST(Acknowledgement, GoesBeforeDataWhenThePacketOnTheLineEnds)
{
    for (bool electrical : {false, true})
    {
        auto options = Acknowledged();
        options.electrical = electrical;
        TestRail rail(options);
        rail.JoinPair();
        // From rank 1, packet k is on the line from k to k+1 us.
        Time back = Time::Max();
        Time backSent = Time::Max();
        rail.endpoints[0]->Receive(1, {2, 0, 0}, 10 * FULL, [&back](const Message&, Time) {
            back = Simulator::Now();
        });
        rail.endpoints[1]->Send(0, 0, 0, {2, 0, 0}, 10 * FULL, Cause(), [&](const Message&) {
            backSent = Simulator::Now();
        });
        Time sent;
        Time received;
        Simulator::Schedule(NanoSeconds(250),
                            [&] { rail.SendAndReceive({1, 0, 0}, FULL, sent, received); });
        Simulator::Run();
        EXPECT_EQ(received, NanoSeconds(1350));
        EXPECT_EQ(sent, rail.line.Arrival(MicroSeconds(2), ACK_WIRE, NanoSeconds(100)));
        EXPECT_EQ(back, rail.line.Arrival(Time(0), 10 * 4134 + ACK_WIRE, NanoSeconds(100)));
        EXPECT_EQ(backSent, rail.line.Arrival(back, ACK_WIRE, NanoSeconds(100)));
    }
}

TEST(Acknowledgement, GoesBeforeDataOfTheSameTick)
{
    for (int i = 0; i < 8; i++)
    {
        auto options = Acknowledged();
        options.electrical = i & 1;
        TestRail rail(options);
        rail.JoinPair();
        const auto sendBack = [&rail] {
            rail.endpoints[1]->Send(0, 0, 0, {2, 0, 0}, FULL, Cause(), nullptr);
        };
        Time back;
        rail.endpoints[0]->Receive(1, {2, 0, 0}, FULL, [&back](const Message&, Time) {
            back = Simulator::Now();
        });
        if (i & 2)
        {
            // Whoever looks on changes nothing.
            rail.GetDevice(1, 0)->TraceConnectWithoutContext(
                "PhyTxBegin",
                Callback<void, Ptr<const Packet>>([](Ptr<const Packet>) {}));
        }
        const Time arrival = NanoSeconds(1100);
        Time sent;
        Time received;
        if (i & 4)
        {
            Simulator::Schedule(arrival, sendBack); // before the message arrives
            rail.SendAndReceive({1, 0, 0}, FULL, sent, received);
        }
        else
        {
            rail.endpoints[1]->Receive(0, {1, 0, 0}, FULL, [&](const Message&, Time) {
                received = Simulator::Now();
                sendBack(); // after
            });
            rail.Send({1, 0, 0}, FULL, sent);
        }
        Simulator::Run();
        EXPECT_EQ(received, arrival);
        EXPECT_EQ(sent, rail.line.Arrival(arrival, ACK_WIRE, NanoSeconds(100)));
        EXPECT_EQ(back, rail.line.Arrival(arrival, ACK_WIRE + 4134, NanoSeconds(100)));
    }
}

TEST(Acknowledgement, IsOnTheWireWhatReliableConnectionsSend)
{
    TestRail rail(Acknowledged());
    rail.JoinPair();
    std::vector<Bytes> data;
    std::vector<Bytes> acknowledgements;
    rail.GetDevice(0, 0)->TraceConnectWithoutContext("MacTx", Note(data));
    rail.GetDevice(1, 0)->TraceConnectWithoutContext("PhyTxBegin", Note(acknowledgements));
    Time sent[3];
    Time received[3];
    // On connections 0, 1 and 0 of rank 1; of 1, 1 and 3 packets.
    rail.SendAndReceive({5, 0, 0}, 10, sent[0], received[0]);
    rail.SendAndReceive({6, 0, 0}, 10, sent[1], received[1]);
    rail.SendAndReceive({5, 1, 0}, 3 * FULL, sent[2], received[2]);
    Simulator::Run();

    ASSERT_EQ(data.size(), 5U);
    for (std::size_t i = 0; i < data.size(); i++)
    {
        // The bit before the packet sequence number asks, in the last packet of a message.
        const bool last = i == 0 || i == 1 || i == 4;
        EXPECT_EQ(data[i][14 + 36], last ? 0x80 : 0) << i;
        EXPECT_EQ(data[i][14 + 39], i == 0 || i == 1 ? 0 : i - 1);
    }
    ASSERT_EQ(acknowledgements.size(), 3U);
    const uint8_t connections[] = {0, 1, 0};
    const uint8_t sequences[] = {0, 0, 3};
    const uint8_t messages[] = {1, 1, 2};
    for (std::size_t i = 0; i < 3; i++)
    {
        const Bytes& frame = acknowledgements[i];
        ASSERT_EQ(frame.size(), ACK_FRAME);
        EXPECT_TRUE(std::equal(frame.begin(), frame.begin() + 6, data[0].begin() + 6));
        EXPECT_TRUE(std::equal(frame.begin() + 6, frame.begin() + 12, data[0].begin()));
        const uint8_t* ip = frame.data() + 14;
        EXPECT_EQ(ip[2] * 256 + ip[3], 48);
        uint32_t sum = 0;
        for (int at = 0; at < 20; at += 2)
        {
            sum += ip[at] * 256 + ip[at + 1];
        }
        EXPECT_EQ(sum % 0xffff, 0U); // RFC 791
        EXPECT_EQ(ip[22] * 256 + ip[23], 4791);
        EXPECT_EQ(ip[24] * 256 + ip[25], 28);
        EXPECT_EQ(ip[28], 0x11); // reliable connection, acknowledge
        EXPECT_EQ(Bytes(ip + 32, ip + 36), (Bytes{0, 0, 0, connections[i]}));
        EXPECT_EQ(Bytes(ip + 36, ip + 40), (Bytes{0, 0, 0, sequences[i]}));
        EXPECT_EQ(Bytes(ip + 40, ip + 44), (Bytes{0x1f, 0, 0, messages[i]}));
    }
    for (int i : {0, 1, 2})
    {
        EXPECT_LT(received[i], sent[i]);
    }
}

TEST(Acknowledgement, StandsForThoseThatWereLost)
{
    auto options = Acknowledged();
    options.ranks = 3;
    options.ports = 1;
    options.fibre = NanoSeconds(100);
    TestRail rail(options);
    rail.light->Preset({{0, 1}});
    Time sent[2];
    Time received[2];
    rail.SendAndReceive({1, 0, 0}, FULL, sent[0], received[0]);
    // The message is there at 1.2 us; the acknowledgement would leave the switch 121 ns later.
    Simulator::Schedule(NanoSeconds(1250), [&] { rail.light->Reconfigure({{0, 2}}); });
    Simulator::Schedule(MicroSeconds(10), [&] { rail.light->Reconfigure({{0, 1}}); });
    Simulator::Schedule(MicroSeconds(20), [&] {
        EXPECT_EQ(sent[0], Time::Max());
        rail.SendAndReceive({1, 1, 0}, FULL, sent[1], received[1]);
    });
    Simulator::Run();
    EXPECT_EQ(rail.light->GetLostPackets(), 1U);
    EXPECT_EQ(rail.GetDevice(1, 0)->GetDrops().at("circuit torn down"), 1U);
    EXPECT_EQ(received[0], NanoSeconds(1200));
    EXPECT_EQ(received[1], NanoSeconds(21'200));
    EXPECT_EQ(sent[1], rail.line.Arrival(received[1], ACK_WIRE, NanoSeconds(200)));
    EXPECT_EQ(sent[0], sent[1]);
}

TEST(Acknowledgement, InheritsTheCauseOfTheBusyPeriodThatItWaitsIn)
{
    TestRail rail(Acknowledged());
    rail.JoinPair();
    const auto origin = [](const Message& m) {
        uint64_t found = 0;
        m.cause.WalkBack([&found](uint64_t met) {
            found = met;
            return true;
        });
        return found;
    };
    uint64_t atReceiver = 0;
    uint64_t atSender = 0;
    rail.endpoints[1]->Receive(0, {1, 0, 0}, FULL, [&](const Message& m, Time) {
        atReceiver = origin(m);
    });
    rail.endpoints[0]
        ->Send(1, 0, 0, {1, 0, 0}, FULL, Cause().AfterReconfiguration(71), [&](const Message& m) {
            atSender = origin(m);
        });
    // At 1.1 us, when the message arrives, the line back is busy.
    Simulator::Schedule(NanoSeconds(500), [&] {
        rail.endpoints[1]
            ->Send(0, 0, 0, {2, 0, 0}, FULL, Cause().AfterReconfiguration(72), nullptr);
    });
    Simulator::Run();
    EXPECT_EQ(atReceiver, 71U);
    EXPECT_EQ(atSender, 72U);
}

TEST(Acknowledgement, OfNoConnectionIsAFailure)
{
    TestRail rail(Acknowledged());
    rail.JoinPair();
    RoceHeader header;
    header.SetAcknowledgement(1);
    header.SetConnection(3);
    header.SetPacket(0, 0);
    auto packet = Create<Packet>(4);
    packet->AddHeader(header);
    rail.GetDevice(0, 0)->Send(packet, rail.GetDevice(1, 0)->GetAddress(), 0x0800);
    Simulator::Run();
    ASSERT_EQ(rail.failures.size(), 1U);
    EXPECT_SAYS(rail.failures[0], "rank 1");
    EXPECT_SAYS(rail.failures[0], "connection 3");
}

} // namespace photonic
} // namespace ns3
