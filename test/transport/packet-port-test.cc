/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "test-rail.h"

#include "ns3/ethernet-header.h"
#include "ns3/pcap-file.h"

#include <cstdio>
#include <random>

namespace ns3
{
namespace photonic
{

namespace
{

/// @return time at which the last bit of a message sent alone at time 0 arrives
Time
MeasureMessage(const TestRail::Options& options, uint64_t bytes)
{
    TestRail rail(options);
    rail.JoinPair();
    Time sent;
    Time received;
    rail.SendAndReceive({1, 0, 0}, bytes, sent, received);
    Simulator::Run();
    EXPECT_EQ(sent, received);
    const uint64_t payload = options.mtu - 60;
    EXPECT_EQ(rail.GetPort(1, 0).GetPacketsReceived(), (bytes + payload - 1) / payload);
    EXPECT_EQ(rail.GetPort(1, 0).GetOutOfSequence(), 0U);
    return received;
}

} // namespace

TEST(PacketPort, OnePacketCostsOneSerialisationAndPropagation)
{
    for (bool electrical : {false, true})
    {
        TestRail::Options options;
        options.electrical = electrical;
        // 4,134 bytes take 1 us, and two fibres 50 ns each; 99 bytes take 23.947... ns.
        EXPECT_EQ(MeasureMessage(options, FULL), NanoSeconds(1100));
        EXPECT_EQ(MeasureMessage(options, 10 * FULL), NanoSeconds(10100));
        const Time smallest = MeasureMessage(options, 1);
        EXPECT_GT(smallest, NanoSeconds(123));
        EXPECT_LE(smallest, NanoSeconds(124));
    }
}

TEST(PacketPort, LastBitArrivesAfterOverheadIncludedBitsAndPropagation)
{
    const unsigned seed = 20240611;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&random](uint64_t low, uint64_t high) {
        return std::uniform_int_distribution<uint64_t>(low, high)(random);
    };
    for (int i = 0; i < 60; i++)
    {
        TestRail::Options options;
        options.electrical = i % 2 == 1;
        options.mtu = i % 5 == 0 ? 1280 : i % 5 == 1 ? 9216 : pick(1280, 9216);
        options.rate = pick(1'000'000'000, 800'000'000'000);
        options.fibre = NanoSeconds(pick(0, 3000));
        const uint64_t payload = options.mtu - 60;
        // At and around whole packets, and anywhere.
        const uint64_t bytes =
            i % 3 == 0 ? pick(1, 3'000'000) : payload * pick(1, 9) + pick(0, 2) - 1;
        SCOPED_TRACE(std::to_string(bytes) + " bytes, MTU " + std::to_string(options.mtu) + ", " +
                     std::to_string(options.rate) + " bit/s");
        const ExactLine line{options.rate};
        EXPECT_EQ(MeasureMessage(options, bytes),
                  line.Arrival(Time(0), GetWireBytes(bytes, options.mtu), options.fibre * 2));
    }
}

TEST(PacketPort, SixteenGibibytesAreCountedIn64Bits)
{
    TestRail::Options options;
    options.mtu = 9216;
    options.rate = 399'999'999'999;
    const uint64_t bytes = (uint64_t(1) << 34) + 12'345;
    const ExactLine line{options.rate};
    EXPECT_EQ(MeasureMessage(options, bytes),
              line.Arrival(Time(0), GetWireBytes(bytes, options.mtu), options.fibre * 2));
}

TEST(PacketPort, MessagesOfACommunicatorFollowEachOtherWithoutDrift)
{
    TestRail::Options options;
    options.rate = 7'000'000'001;
    TestRail rail(options);
    rail.JoinPair();
    constexpr uint32_t n = 200;
    std::vector<Time> sent(n);
    std::vector<Time> received(n);
    for (uint32_t i = 0; i < n; i++)
    {
        rail.SendAndReceive({1, i, 0}, 1 + 37 * i, sent[i], received[i]);
    }
    Simulator::Run();
    uint64_t wire = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        wire += GetWireBytes(1 + 37 * i, options.mtu);
        EXPECT_EQ(received[i], rail.line.Arrival(Time(0), wire, rail.GetPropagation()));
        EXPECT_EQ(sent[i], received[i]);
    }
}

TEST(PacketPort, SeventyThousandMessagesOnOnePair)
{
    TestRail::Options options;
    options.rate = 800'000'000'000;
    TestRail rail(options);
    rail.JoinPair();
    constexpr uint32_t n = 70'000;
    uint32_t arrived = 0;
    uint32_t delivered = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        rail.endpoints[1]->Receive(0, {1, i, 0}, 3, [&arrived, i](const Message& m, Time) {
            EXPECT_EQ(m.key.sequence, i);
            EXPECT_EQ(arrived, i);
            arrived++;
        });
        rail.endpoints[0]->Send(1, 0, 0, {1, i, 0}, 3, Cause(), [&delivered](const Message&) {
            delivered++;
        });
    }
    Simulator::Run();
    EXPECT_EQ(arrived, n);
    EXPECT_EQ(delivered, n);
    EXPECT_EQ(Simulator::Now(),
              rail.line.Arrival(Time(0), uint64_t(n) * 101, rail.GetPropagation()));
    EXPECT_EQ(rail.endpoints[1]->GetUnexpected(), 0U);
}

TEST(PacketPort, AMessagePostedOnABusyLineStartsAtItsExactEnd)
{
    TestRail::Options options;
    options.rate = 7'000'000'000;
    TestRail rail(options);
    rail.JoinPair();
    Time sent[3];
    Time received[3];
    rail.SendAndReceive({1, 0, 0}, 1000, sent[0], received[0]); // 1,098 bytes: 1,254 6/7 ns
    Simulator::Schedule(NanoSeconds(1000),
                        [&] { rail.SendAndReceive({1, 1, 0}, 500, sent[1], received[1]); });
    // Idle in between: 598 bytes more take 683 3/7 ns.
    Simulator::Schedule(NanoSeconds(5000),
                        [&] { rail.SendAndReceive({1, 2, 0}, 2, sent[2], received[2]); });
    Simulator::Run();
    EXPECT_EQ(received[0], rail.line.Arrival(Time(0), 1098, rail.GetPropagation()));
    EXPECT_EQ(received[1], rail.line.Arrival(Time(0), 1098 + 598, rail.GetPropagation()));
    EXPECT_EQ(received[2], rail.line.Arrival(NanoSeconds(5000), 100, rail.GetPropagation()));
    // By hand, in whole nanoseconds rounded up: 1,354.86, 2,038.29 and 5,214.29.
    EXPECT_LE(received[0], NanoSeconds(1355));
    EXPECT_LE(received[1], NanoSeconds(2039));
    EXPECT_LE(received[2], NanoSeconds(5215));
}

TEST(PacketPort, CommunicatorsAlternatePacketByPacket)
{
    struct Case
    {
        Time second; ///< when communicator B posts
        const char* what;
    };

    // A sends three packets and B two: A B A B A, whether B comes at the same time or while the
    // first packet is on the line.
    for (const auto& c : {Case{Time(0), "together"}, Case{NanoSeconds(500), "a little later"}})
    {
        SCOPED_TRACE(c.what);
        for (bool electrical : {false, true})
        {
            TestRail::Options options;
            options.electrical = electrical;
            TestRail rail(options);
            rail.JoinPair();
            Time sent[2];
            Time received[2];
            rail.SendAndReceive({1, 0, 0}, 3 * FULL, sent[0], received[0]);
            Simulator::Schedule(c.second, [&] {
                rail.SendAndReceive({2, 0, 0}, 2 * FULL, sent[1], received[1]);
            });
            Simulator::Run();
            EXPECT_EQ(received[1], NanoSeconds(4100));
            EXPECT_EQ(received[0], NanoSeconds(5100));
        }
    }
}

TEST(PacketPort, ThreeCommunicatorsTakeTurns)
{
    TestRail rail(TestRail::Options{});
    rail.JoinPair();
    Time sent[4];
    Time received[4];
    rail.SendAndReceive({1, 0, 0}, 2 * FULL, sent[0], received[0]);
    rail.SendAndReceive({2, 0, 0}, 2 * FULL, sent[1], received[1]);
    rail.SendAndReceive({3, 0, 0}, 1 * FULL, sent[2], received[2]);
    // In order behind the other message of its communicator: A B C A B A.
    rail.SendAndReceive({1, 1, 0}, 1 * FULL, sent[3], received[3]);
    Simulator::Run();
    EXPECT_EQ(received[2], NanoSeconds(3100));
    EXPECT_EQ(received[0], NanoSeconds(4100));
    EXPECT_EQ(received[1], NanoSeconds(5100));
    EXPECT_EQ(received[3], NanoSeconds(6100));
}

TEST(PacketPort, TheLastServedStandsBehindANewcomer)
{
    TestRail rail(TestRail::Options{});
    rail.JoinPair();
    Time sent[3];
    Time received[3];
    rail.SendAndReceive({1, 0, 0}, FULL, sent[0], received[0]);
    // On the line is A's only packet so far. A posts another one, then B its first.
    Simulator::Schedule(NanoSeconds(300), [&] {
        rail.SendAndReceive({1, 1, 0}, FULL, sent[1], received[1]);
        rail.SendAndReceive({2, 0, 0}, FULL, sent[2], received[2]);
    });
    Simulator::Run();
    EXPECT_EQ(received[0], NanoSeconds(1100));
    EXPECT_EQ(received[2], NanoSeconds(2100));
    EXPECT_EQ(received[1], NanoSeconds(3100));
}

TEST(PacketPort, TwoSendersShareAnEgressOfAPacketSwitch)
{
    TestRail::Options options;
    options.ranks = 3;
    options.electrical = true;
    TestRail rail(options);
    Time received[2];
    for (uint32_t from : {0U, 2U})
    {
        Time* at = &received[from / 2];
        rail.endpoints[1]->Receive(from, {1, 0, from}, 2 * FULL, [at](const Message&, Time) {
            *at = Simulator::Now();
        });
        rail.endpoints[from]->Send(1, 0, 0, {1, 0, from}, 2 * FULL, Cause(), nullptr);
    }
    Simulator::Run();
    // First bits arrive at the switch in pairs, and leave it one by one: a b a b.
    EXPECT_EQ(std::min(received[0], received[1]), NanoSeconds(3100));
    EXPECT_EQ(std::max(received[0], received[1]), NanoSeconds(4100));
}

TEST(PacketPort, FirstBitIsAPropagationAfterItsStart)
{
    TestRail rail(TestRail::Options{});
    rail.JoinPair();
    Time first[2];
    for (uint32_t i : {0U, 1U})
    {
        rail.endpoints[1]->Receive(0, {1, i, 0}, 2 * FULL, [&first, i](const Message& m, Time bit) {
            first[i] = bit;
            EXPECT_EQ(m.firstBit + NanoSeconds(100), bit);
        });
        rail.endpoints[0]->Send(1, 0, 0, {1, i, 0}, 2 * FULL, Cause(), nullptr);
    }
    Simulator::Run();
    EXPECT_EQ(first[0], NanoSeconds(100));
    EXPECT_EQ(first[1], NanoSeconds(2100));
}

TEST(PacketPort, MessagesInheritTheCauseOfTheBusyPeriod)
{
    TestRail rail(TestRail::Options{});
    rail.JoinPair();
    std::vector<uint64_t> causes;
    const auto send = [&](uint32_t communicator, uint64_t id) {
        const MessageKey key{communicator, static_cast<uint32_t>(id), 0};
        rail.endpoints[1]->Receive(0, key, FULL, [](const Message&, Time) {});
        rail.endpoints[0]->Send(1,
                                0,
                                0,
                                key,
                                FULL,
                                Cause().AfterReconfiguration(id),
                                [&causes](const Message& m) {
                                    m.cause.WalkBack([&causes](uint64_t met) {
                                        causes.push_back(met);
                                        return true;
                                    });
                                });
    };
    send(1, 71);
    Simulator::Schedule(NanoSeconds(200), [&] { send(2, 72); });  // behind the first
    Simulator::Schedule(NanoSeconds(2000), [&] { send(1, 73); }); // the line has just become idle
    Simulator::Schedule(NanoSeconds(2500), [&] { send(2, 74); });
    Simulator::Run();
    EXPECT_EQ(causes, (std::vector<uint64_t>{71, 71, 73, 73}));
}

TEST(PacketPort, MessageLatencyPrecedesThePort)
{
    TestRail::Options options;
    options.messageLatency = MicroSeconds(3);
    EXPECT_EQ(MeasureMessage(options, FULL), NanoSeconds(3000 + 1100));
    EXPECT_EQ(MeasureMessage(options, 5 * FULL), NanoSeconds(3000 + 5100));
}

namespace
{

/// Rank 0 sends ten packets of 1 us to rank 1 while its circuit is turned to rank 2 and back.
class TornCircuit : public ::testing::Test
{
  protected:
    TornCircuit()
        : rail(MakeOptions())
    {
        rail.light->Preset({{rail.GetSwitchPort(0, 0), rail.GetSwitchPort(1, 0)}});
    }

    static TestRail::Options MakeOptions()
    {
        TestRail::Options options;
        options.ranks = 3;
        options.ports = 1;
        options.fibre = NanoSeconds(100);
        return options;
    }

    void TurnAt(Time at, uint32_t peer)
    {
        Simulator::Schedule(at, [this, peer] { rail.light->Reconfigure({{0, peer}}); });
    }

    TestRail rail;
};

} // namespace

TEST_F(TornCircuit, ALostPacketEndsItsConnectionAndNothingElse)
{
    bool delivered = false;
    bool received = false;
    rail.endpoints[1]->Receive(0, {1, 0, 0}, 10 * FULL, [&](const Message&, Time) {
        received = true;
    });
    rail.endpoints[0]->Send(1, 0, 0, {1, 0, 0}, 10 * FULL, Cause(), [&](const Message&) {
        delivered = true;
    });
    // Packet k is on the line from k to k+1 us, and 100 ns later at the switch. At 3.5 us packets
    // 0 to 2 have left it and 3 has not. The port learns at 3.6 us and has light again at 5.6 us.
    TurnAt(NanoSeconds(3500), 2);
    // From 5.6 us on packets 4, 5 and 6 go towards rank 2. At 8.05 us two of them have left.
    TurnAt(NanoSeconds(8050), 1);
    // From 10.15 us on packets 7, 8 and 9 reach rank 1. Later another communicator starts.
    Time sent = Time::Max();
    Time other = Time::Max();
    Simulator::Schedule(MicroSeconds(20),
                        [&] { rail.SendAndReceive({2, 0, 0}, FULL, sent, other); });
    // The broken connection stays so.
    Time late = Time::Max();
    Time lateSent = Time::Max();
    Simulator::Schedule(MicroSeconds(30),
                        [&] { rail.SendAndReceive({1, 1, 0}, 2 * FULL, lateSent, late); });
    Simulator::Run();
    EXPECT_FALSE(received);
    EXPECT_FALSE(delivered);
    EXPECT_EQ(rail.light->GetLostPackets(), 2U);
    EXPECT_EQ(rail.GetPort(2, 0).GetPacketsReceived(), 0U);
    EXPECT_EQ(rail.GetDevice(2, 0)->GetDrops().at("for another port"), 2U);
    EXPECT_EQ(rail.GetPort(1, 0).GetPacketsReceived(), 3U + 1);
    EXPECT_EQ(rail.GetPort(1, 0).GetOutOfSequence(), 3U + 2);
    EXPECT_EQ(other, NanoSeconds(20000 + 1000 + 200));
    EXPECT_EQ(sent, other);
    EXPECT_EQ(late, Time::Max());
    EXPECT_EQ(lateSent, Time::Max());
    EXPECT_TRUE(rail.failures.empty());
}

TEST_F(TornCircuit, MessagesWaitForLight)
{
    Time sent = Time::Max();
    Time received = Time::Max();
    TurnAt(Time(0), 2);
    TurnAt(MicroSeconds(10), 1);
    Simulator::Schedule(MicroSeconds(11),
                        [&] { rail.SendAndReceive({1, 0, 0}, 3 * FULL, sent, received); });
    Simulator::Run();
    // Dark from 10 to 12 us, light at the port 100 ns later.
    EXPECT_EQ(received, NanoSeconds(12100 + 3000 + 200));
    EXPECT_EQ(rail.GetPort(1, 0).GetOutOfSequence(), 0U);
}

TEST_F(TornCircuit, WhoWaitedFirstForLightGoesFirst)
{
    Time sent[3];
    Time received[3];
    rail.SendAndReceive({1, 0, 0}, FULL, sent[0], received[0]);
    TurnAt(MicroSeconds(4), 2);
    TurnAt(MicroSeconds(10), 1);
    Simulator::Schedule(MicroSeconds(11), [&] {
        // That the first communicator had the last packet, long ago, is no reason to wait.
        rail.SendAndReceive({1, 1, 0}, FULL, sent[1], received[1]);
        rail.SendAndReceive({2, 0, 0}, FULL, sent[2], received[2]);
    });
    Simulator::Run();
    EXPECT_EQ(received[0], NanoSeconds(1200));
    EXPECT_EQ(received[1], NanoSeconds(12'100 + 1000 + 200));
    EXPECT_EQ(received[2], NanoSeconds(12'100 + 2000 + 200));
}

TEST(PacketPort, ABrokenConnectionStaysBrokenWhenItsNumbersComeRound)
{
    TestRail::Options options;
    options.darkPolicy = "drop";
    TestRail rail(options);
    Time sent[2];
    Time received[2];
    rail.SendAndReceive({1, 0, 0}, FULL, sent[0], received[0]); // number 0 is lost in the dark
    Simulator::Schedule(MicroSeconds(1), [&] { rail.light->Reconfigure({{0, 2}}); });
    Simulator::Schedule(MicroSeconds(9), [&] {
        rail.SendAndReceive({1, 1, 0}, FULL, sent[1], received[1]); // number 1
    });
    // What 2^24 packets later would look like: number 0 again.
    Simulator::Schedule(MicroSeconds(19), [&] {
        Message message;
        message.key = {1, 1, 0};
        message.bytes = FULL;
        RoceHeader header;
        header.SetAddresses(0x0a000000, 0x0a000010);
        header.SetConnection(0);
        header.SetMessage(message);
        header.SetPacket(0, FULL);
        auto packet = Create<Packet>(FULL + 4);
        packet->AddHeader(header);
        rail.GetDevice(0, 0)->Send(packet, rail.GetDevice(1, 0)->GetAddress(), 0x0800);
    });
    Simulator::Run();
    EXPECT_EQ(rail.GetDevice(0, 0)->GetDrops().at("no light"), 1U);
    EXPECT_EQ(rail.GetPort(1, 0).GetOutOfSequence(), 2U);
    EXPECT_EQ(rail.GetPort(1, 0).GetPacketsReceived(), 0U);
    EXPECT_EQ(received[0], Time::Max());
    EXPECT_EQ(received[1], Time::Max());
}

TEST(PacketPort, APacketForNoConnectionIsAFailure)
{
    TestRail rail(TestRail::Options{});
    rail.JoinPair();
    RoceHeader header;
    header.SetConnection(5);
    header.SetPacket(0, 10);
    auto packet = Create<Packet>(14);
    packet->AddHeader(header);
    rail.GetDevice(0, 0)->Send(packet, rail.GetDevice(1, 0)->GetAddress(), 0x0800);
    Simulator::Run();
    ASSERT_EQ(rail.failures.size(), 1U);
    EXPECT_SAYS(rail.failures[0], "rank 1");
    EXPECT_SAYS(rail.failures[0], "connection 5");
}

namespace
{

/// Two communicators both ways between two ranks; @return all times of delivery
std::vector<Time>
RunTraffic(const std::string& pcapPrefix, bool electrical)
{
    TestRail::Options options;
    options.rate = 123'456'789'012;
    options.electrical = electrical;
    TestRail rail(options);
    rail.JoinPair();
    if (!pcapPrefix.empty())
    {
        OpticalPortHelper helper;
        helper.EnablePcap(pcapPrefix + "-0.pcap", rail.GetDevice(0, 0), false, true);
        helper.EnablePcap(pcapPrefix + "-1.pcap", rail.GetDevice(1, 0), false, true);
    }
    std::vector<Time> times;
    for (uint32_t i = 0; i < 40; i++)
    {
        const uint32_t from = i % 2;
        const MessageKey key{1 + i % 3, i, 0};
        const uint64_t bytes = 1 + 997 * i;
        rail.endpoints[1 - from]->Receive(from, key, bytes, [&times](const Message&, Time first) {
            times.push_back(first);
            times.push_back(Simulator::Now());
        });
        Simulator::Schedule(NanoSeconds(113 * i), [&rail, from, key, bytes, &times] {
            rail.endpoints[from]
                ->Send(1 - from, 0, 0, key, bytes, Cause(), [&times](const Message& m) {
                    times.push_back(m.firstBit);
                    times.push_back(Simulator::Now());
                });
        });
    }
    Simulator::Run();
    EXPECT_EQ(times.size(), 40U * 4);
    return times;
}

} // namespace

TEST(PacketPort, CapturingChangesNoTimeAndSeesPayloadAndHeaders)
{
    for (bool electrical : {false, true})
    {
        const std::string prefix =
            ::testing::TempDir() + "packet-port-test-" + std::to_string(electrical);
        const auto plain = RunTraffic("", electrical);
        const auto captured = RunTraffic(prefix, electrical);
        EXPECT_EQ(plain, captured);

        uint64_t payload = 0;
        uint64_t packets = 0;
        for (uint32_t i = 0; i < 40; i++)
        {
            payload += 1 + 997 * i;
            packets += (1 + 997 * i + FULL - 1) / FULL;
        }
        for (int end : {0, 1})
        {
            // Both ends see both directions: what they sent and what they received.
            const std::string name = prefix + "-" + std::to_string(end) + ".pcap";
            PcapFile file;
            file.Open(name, std::ios::in);
            ASSERT_FALSE(file.Fail());
            EXPECT_EQ(file.GetDataLinkType(), 1U); // Ethernet
            uint64_t bytes = 0;
            uint64_t frames = 0;
            std::vector<uint8_t> data(10'000);
            for (;;)
            {
                uint32_t seconds;
                uint32_t microseconds;
                uint32_t included;
                uint32_t original;
                uint32_t read;
                file.Read(data.data(),
                          data.size(),
                          seconds,
                          microseconds,
                          included,
                          original,
                          read);
                if (file.Eof() || file.Fail())
                {
                    break;
                }
                frames++;
                bytes += original;
                ASSERT_EQ(read, original);
                ASSERT_EQ(data[12] * 256 + data[13], 0x0800);
                // The IP length covers all that follows the 14 bytes of Ethernet.
                EXPECT_EQ(data[16] * 256U + data[17], original - 14);
                EXPECT_EQ(data[36] * 256 + data[37], 4791);
            }
            EXPECT_EQ(frames, packets);
            EXPECT_EQ(bytes, payload + packets * (60 + 14));
            std::remove(name.c_str());
        }
    }
}

} // namespace photonic
} // namespace ns3
