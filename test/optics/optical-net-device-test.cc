/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics-test-helper.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/error-model.h"
#include "ns3/ethernet-header.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <random>

namespace ns3
{
namespace photonic
{

class OpticalNetDeviceTest : public OpticsTest
{
  protected:
    using PacketTrace = Callback<void, Ptr<const Packet>>;

    /// Two devices on one fibre.
    void AddPair(uint64_t bitRate = ROUND_RATE, Time delay = NanoSeconds(300))
    {
        AddDevice(bitRate);
        AddDevice(bitRate);
        Join(0, 1, delay);
    }

    /// Note when a trace source fires, and with how many bytes.
    void Record(uint32_t device, const std::string& trace)
    {
        ASSERT_TRUE(devices[device]->TraceConnectWithoutContext(
            trace,
            PacketTrace([this, trace](Ptr<const Packet> p) {
                traced[trace].emplace_back(Simulator::Now(), p->GetSize());
            })));
    }

    /// Note the reasons of drops.
    void RecordDrops(uint32_t device)
    {
        devices[device]->TraceConnectWithoutContext(
            "Drop",
            Callback<void, Ptr<const Packet>, const std::string&>(
                [this](Ptr<const Packet>, const std::string& reason) { reasons[reason]++; }));
    }

    using Firings = std::vector<std::pair<Time, uint32_t>>;
    std::map<std::string, Firings> traced;
    std::map<std::string, uint64_t> reasons;
};

TEST_F(OpticalNetDeviceTest, APacketCostsOneSerialisationAndPropagation)
{
    for (uint64_t bitRate : {7'000'000'000L, 80'000'000'000L, 333'333'333L})
    {
        SCOPED_TRACE(bitRate);
        AddPair(bitRate, NanoSeconds(77));
        Send(0, 1500);
        Simulator::Run();
        ASSERT_EQ(received.size(), 1U);
        EXPECT_EQ(received[0].at, LineTime(WireBytes(1500), bitRate) + NanoSeconds(77));
        EXPECT_EQ(received[0].device, 1U);
        EXPECT_EQ(received[0].bytes, 1500U);
        StartOver();
    }
}

TEST_F(OpticalNetDeviceTest, BackToBackPacketsOfBothSourcesDoNotDrift)
{
    constexpr uint64_t bitRate = 800'000'000'000;
    constexpr uint64_t packets = 5000;
    for (Time delay : {Time(0), NanoSeconds(1), MicroSeconds(20)})
    {
        for (bool stock : {false, true})
        {
            SCOPED_TRACE(testing::Message() << delay << " stock " << stock);
            AddPair(bitRate, delay);
            devices[0]->GetQueue()->SetMaxSize(QueueSize("10000p"));
            ListSource source(devices[0]);
            for (uint64_t i = 0; stock && i < packets; i++)
            {
                Send(0, 22);
            }
            if (!stock)
            {
                source.Post(22, packets);
            }
            Simulator::Run();
            ASSERT_EQ(received.size(), packets);
            for (uint64_t k = 1; k <= packets; k++)
            {
                ASSERT_EQ(received[k - 1].at, LineTime(k * WireBytes(22), bitRate) + delay);
            }
            // The source is told the exact starts: k x 60 bytes x 8 / 800 Gbps = k x 0.6 ns.
            for (uint64_t k = 0; k < source.starts.size(); k++)
            {
                ASSERT_EQ(source.starts[k],
                          ExactTime(k * 3 * TicksPerSecond() / 5'000'000'000,
                                    k * 3 * TicksPerSecond() % 5'000'000'000,
                                    5'000'000'000));
            }
            StartOver();
        }
    }
}

TEST_F(OpticalNetDeviceTest, AnIdleLineStartsWhenThePacketComes)
{
    AddPair();
    SendAt(NanoSeconds(1000), 0);
    SendAt(NanoSeconds(1030), 0); // waits for the line until 1100
    SendAt(NanoSeconds(1200), 0); // the line has just become idle
    SendAt(NanoSeconds(1350), 0); // it was idle for 50 ns
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(1),
              (std::vector<Time>{NanoSeconds(1400),
                                 NanoSeconds(1500),
                                 NanoSeconds(1600),
                                 NanoSeconds(1750)}));
}

TEST_F(OpticalNetDeviceTest, APacketSourceThatGetsAPacketLaterIsServed)
{
    AddPair();
    ListSource source(devices[0]);
    for (int64_t at : {0, 50, 99, 100, 101, 250, 500, 1000})
    {
        At(NanoSeconds(at), [&source]() { source.Post(PAYLOAD); });
    }
    Simulator::Run();
    // By hand: a line of 100 ns packets; busy 0-500, 500-600, idle, 1000-1100.
    std::vector<Time> expected;
    for (int64_t end : {100, 200, 300, 400, 500, 600, 700, 1100})
    {
        expected.push_back(NanoSeconds(end + 300));
    }
    EXPECT_EQ(ArrivalsAt(1), expected);
}

TEST_F(OpticalNetDeviceTest, QueueAndSourceAlternatePacketByPacket)
{
    AddPair();
    ListSource source(devices[0]);
    source.Post(200, 3);
    for (int i = 0; i < 5; i++)
    {
        Send(0, 100);
    }
    Simulator::Run();
    std::vector<uint32_t> sizes;
    for (const auto& r : received)
    {
        sizes.push_back(r.bytes);
    }
    EXPECT_EQ(sizes, (std::vector<uint32_t>{200, 100, 200, 100, 200, 100, 100, 100}));
}

TEST_F(OpticalNetDeviceTest, RefusesWhatIsLargerThanTheMtu)
{
    AddPair();
    RecordDrops(0);
    Record(0, "MacTx");
    Record(0, "MacTxDrop");
    EXPECT_EQ(devices[0]->GetMtu(), 4096U);
    EXPECT_TRUE(Send(0, 4096));
    EXPECT_FALSE(Send(0, 4097));
    EXPECT_TRUE(devices[0]->SetMtu(9216));
    EXPECT_EQ(devices[0]->GetMtu(), 9216U);
    EXPECT_TRUE(Send(0, 9216));
    EXPECT_FALSE(Send(0, 9217));
    EXPECT_FALSE(devices[0]->SetMtu(9217)) << "the attribute's limits hold here, too";
    EXPECT_FALSE(devices[0]->SetMtu(67));
    EXPECT_EQ(devices[0]->GetMtu(), 9216U);
    Simulator::Run();
    EXPECT_EQ(received.size(), 2U);
    EXPECT_EQ(traced["MacTx"].size(), 2U);
    EXPECT_EQ(traced["MacTxDrop"].size(), 2U);
    EXPECT_EQ(Drops(0, "larger than the MTU"), 2U);
    EXPECT_EQ(reasons["larger than the MTU"], 2U);
}

TEST_F(OpticalNetDeviceTest, AnOversizedPacketOfASourceDoesNotSpoilTheNextOne)
{
    AddPair();
    ListSource source(devices[0]);
    source.Post(PAYLOAD);
    source.Post(5000);
    SendAt(NanoSeconds(750), 0);
    Simulator::Run();
    EXPECT_EQ(source.accepted, (std::vector<bool>{true, false}));
    EXPECT_EQ(Drops(0, "larger than the MTU"), 1U);
    EXPECT_EQ(ArrivalsAt(1), (std::vector<Time>{NanoSeconds(400), NanoSeconds(1150)}));
}

TEST_F(OpticalNetDeviceTest, AFullQueueRefuses)
{
    AddPair();
    RecordDrops(0);
    Record(0, "MacTxDrop");
    devices[0]->GetQueue()->SetMaxSize(QueueSize("2p"));
    // One on the line, two in the queue.
    EXPECT_TRUE(Send(0));
    EXPECT_TRUE(Send(0));
    EXPECT_TRUE(Send(0));
    EXPECT_FALSE(Send(0));
    Simulator::Run();
    EXPECT_EQ(received.size(), 3U);
    EXPECT_EQ(Drops(0, "queue full"), 1U);
    EXPECT_EQ(reasons["queue full"], 1U);
    EXPECT_EQ(traced["MacTxDrop"].size(), 1U);
    auto other = CreateObject<DropTailQueue<Packet>>();
    devices[0]->SetQueue(other);
    EXPECT_EQ(devices[0]->GetQueue(), other);
}

TEST_F(OpticalNetDeviceTest, BusyUntilTheLastBitHasLeft)
{
    AddPair();
    EXPECT_FALSE(devices[0]->IsBusy());
    Send(0);
    std::vector<bool> busy;
    for (Time at : {Time(0), NanoSeconds(100) - TimeStep(1), NanoSeconds(100), NanoSeconds(350)})
    {
        At(at, [this, &busy]() { busy.push_back(devices[0]->IsBusy()); });
    }
    Simulator::Run();
    EXPECT_EQ(busy, (std::vector<bool>{true, true, false, false}));
}

TEST_F(OpticalNetDeviceTest, TracesOfTheLineFireWhenItIsUsed)
{
    constexpr uint64_t bitRate = 7'000'000'000;
    AddPair(bitRate, NanoSeconds(20)); // shorter than a packet
    Record(0, "PhyTxBegin");
    Record(0, "PhyTxEnd");
    Record(1, "PhyRxEnd");
    Record(1, "MacRx");
    Record(1, "MacPromiscRx");
    ListSource source(devices[0]);
    source.Post(100, 3);
    SendAt(MicroSeconds(3), 0, 200);
    Simulator::Run();
    Firings begin;
    Firings end;
    Firings arrival;
    Firings mac;
    for (uint64_t k = 0; k < 3; k++)
    {
        begin.emplace_back(LineTime(k * WireBytes(100), bitRate), 114);
        end.emplace_back(LineTime((k + 1) * WireBytes(100), bitRate), 114);
    }
    begin.emplace_back(MicroSeconds(3), 214);
    end.emplace_back(MicroSeconds(3) + LineTime(WireBytes(200), bitRate), 214);
    for (const auto& [time, bytes] : end)
    {
        arrival.emplace_back(time + NanoSeconds(20), bytes);
        mac.emplace_back(time + NanoSeconds(20), bytes - 14);
    }
    EXPECT_EQ(traced["PhyTxBegin"], begin);
    EXPECT_EQ(traced["PhyTxEnd"], end);
    EXPECT_EQ(traced["PhyRxEnd"], arrival);
    EXPECT_EQ(traced["MacRx"], mac);
    EXPECT_EQ(traced["MacPromiscRx"], mac);
}

TEST_F(OpticalNetDeviceTest, TheEndOfAPacketIsTracedInTimeEvenIfNothingElseIs)
{
    // On a fibre longer than a packet a lazy transmitter would look only after the end.
    AddPair(ROUND_RATE, MicroSeconds(5));
    Record(0, "PhyTxEnd");
    ListSource source(devices[0]);
    source.Post(PAYLOAD, 3);
    std::size_t seen = 0;
    At(NanoSeconds(301), [this, &seen]() { seen = traced["PhyTxEnd"].size(); });
    Simulator::Run();
    EXPECT_EQ(seen, 3U);
    const uint32_t frame = PAYLOAD + FRAME_HEADER;
    EXPECT_EQ(
        traced["PhyTxEnd"],
        (Firings{{NanoSeconds(100), frame}, {NanoSeconds(200), frame}, {NanoSeconds(300), frame}}));
    EXPECT_EQ(received.size(), 3U);
}

TEST_F(OpticalNetDeviceTest, ATraceMayBeConnectedWhilePacketsAreOnTheLine)
{
    AddPair(ROUND_RATE, MicroSeconds(5));
    ListSource source(devices[0]);
    source.Post(PAYLOAD, 3); // a lazy transmitter accounts for two of them when it is looked at
    At(NanoSeconds(150), [this]() { Record(0, "PhyTxEnd"); });
    At(NanoSeconds(350), [this]() { devices[0]->IsBusy(); });
    Simulator::Run();
    const uint32_t frame = PAYLOAD + FRAME_HEADER;
    EXPECT_EQ(traced["PhyTxEnd"], (Firings{{NanoSeconds(350), frame}, {NanoSeconds(350), frame}}));
    EXPECT_EQ(received.size(), 3U);
}

TEST_F(OpticalNetDeviceTest, TracesDoNotChangeTimes)
{
    std::vector<Time> times[2];
    for (int traces : {0, 1})
    {
        AddPair(7'000'000'000, NanoSeconds(20));
        for (const char* trace : {"MacTx", "PhyTxBegin", "PhyTxEnd", "Sniffer", "PromiscSniffer"})
        {
            if (traces)
            {
                Record(0, trace);
            }
        }
        ListSource source(devices[0]);
        source.Post(333, 20);
        SendAt(NanoSeconds(1234), 0, 50);
        At(MicroSeconds(60), [&source]() { source.Post(444, 5); });
        Simulator::Run();
        times[traces] = ArrivalsAt(1);
        StartOver();
    }
    EXPECT_EQ(times[0].size(), 26U);
    EXPECT_EQ(times[0], times[1]);
}

TEST_F(OpticalNetDeviceTest, CorruptedPacketsAreCountedAndNotDelivered)
{
    AddPair();
    Record(1, "PhyRxDrop");
    RecordDrops(1);
    auto errors = CreateObject<ReceiveListErrorModel>();
    errors->SetList({0, 2});
    devices[1]->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    for (int i = 0; i < 4; i++)
    {
        Send(0);
    }
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(1), (std::vector<Time>{NanoSeconds(500), NanoSeconds(700)}));
    EXPECT_EQ(traced["PhyRxDrop"].size(), 2U);
    EXPECT_EQ(Drops(1, "corrupted"), 2U);
    EXPECT_EQ(reasons["corrupted"], 2U);
}

TEST_F(OpticalNetDeviceTest, FramesForOthersAreCountedAndOnlyOverheard)
{
    AddPair();
    Record(1, "MacRx");
    Record(1, "MacPromiscRx");
    Record(1, "Sniffer");
    Record(1, "PromiscSniffer");
    RecordDrops(1);
    std::vector<NetDevice::PacketType> types;
    std::vector<Address> sources;
    devices[1]->SetPromiscReceiveCallback(
        NetDevice::PromiscReceiveCallback([&types, &sources](Ptr<NetDevice>,
                                                             Ptr<const Packet>,
                                                             uint16_t protocol,
                                                             const Address& from,
                                                             const Address&,
                                                             NetDevice::PacketType type) {
            EXPECT_EQ(protocol, PROTOCOL);
            types.push_back(type);
            sources.push_back(from);
            return true;
        }));
    Send(0, 100, Mac48Address("00:00:00:aa:bb:cc"));
    Send(0, 100, devices[1]->GetAddress());
    Send(0, 100, devices[0]->GetBroadcast());
    Send(0, 100, devices[0]->GetMulticast(Ipv4Address("224.0.0.9")));
    Send(0, 100, devices[0]->GetMulticast(Ipv6Address("ff02::1")));
    Simulator::Run();
    EXPECT_EQ(types,
              (std::vector<NetDevice::PacketType>{NetDevice::PACKET_OTHERHOST,
                                                  NetDevice::PACKET_HOST,
                                                  NetDevice::PACKET_BROADCAST,
                                                  NetDevice::PACKET_MULTICAST,
                                                  NetDevice::PACKET_MULTICAST}));
    EXPECT_EQ(sources, std::vector<Address>(5, devices[0]->GetAddress()));
    EXPECT_EQ(received.size(), 4U);
    EXPECT_EQ(traced["MacRx"].size(), 4U);
    EXPECT_EQ(traced["MacPromiscRx"].size(), 5U);
    EXPECT_EQ(traced["PromiscSniffer"].size(), 5U);
    EXPECT_EQ(traced["Sniffer"].size(), 4U) << "as with other devices, only the port's own frames";
    EXPECT_EQ(Drops(1, "for another port"), 1U);
    EXPECT_EQ(reasons["for another port"], 1U);
}

TEST_F(OpticalNetDeviceTest, SendFromNamesAnotherSender)
{
    AddPair();
    EXPECT_TRUE(devices[0]->SupportsSendFrom());
    Address from;
    uint16_t protocol = 0;
    devices[1]->SetReceiveCallback(NetDevice::ReceiveCallback(
        [&from, &protocol](Ptr<NetDevice>, Ptr<const Packet>, uint16_t number, const Address& a) {
            from = a;
            protocol = number;
            return true;
        }));
    const Mac48Address other("00:00:00:11:22:33");
    devices[0]->SendFrom(Create<Packet>(10), other, devices[1]->GetAddress(), 0x0800);
    Simulator::Run();
    EXPECT_EQ(Mac48Address::ConvertFrom(from), other);
    EXPECT_EQ(protocol, 0x0800);
}

TEST_F(OpticalNetDeviceTest, TheFrameIsEthernetAndTheContentIsKept)
{
    AddPair();
    const std::string text = "light is not a fluid";
    devices[0]->TraceConnectWithoutContext(
        "Sniffer",
        PacketTrace([this](Ptr<const Packet> p) {
            EthernetHeader header(false);
            p->PeekHeader(header);
            EXPECT_EQ(Address(header.GetSource()), devices[0]->GetAddress());
            EXPECT_EQ(Address(header.GetDestination()), devices[1]->GetAddress());
            EXPECT_EQ(header.GetLengthType(), PROTOCOL);
            traced["seen"].emplace_back(Simulator::Now(), p->GetSize());
        }));
    std::string arrived;
    devices[1]->SetReceiveCallback(NetDevice::ReceiveCallback(
        [&arrived](Ptr<NetDevice>, Ptr<const Packet> p, uint16_t, const Address&) {
            arrived.resize(p->GetSize());
            p->CopyData(reinterpret_cast<uint8_t*>(arrived.data()), p->GetSize());
            return true;
        }));
    devices[0]->Send(Create<Packet>(reinterpret_cast<const uint8_t*>(text.data()), text.size()),
                     devices[1]->GetAddress(),
                     PROTOCOL);
    Simulator::Run();
    EXPECT_EQ(arrived, text);
    EXPECT_EQ(traced["seen"], (Firings{{Time(0), 34}}));
}

TEST_F(OpticalNetDeviceTest, ADarkPortLetsPacketsWaitOrDropsThem)
{
    AddDevice();
    AddDevice();
    devices[1]->SetAttribute("DarkPolicy", StringValue("drop"));
    ListSource source(devices[1]);
    RecordDrops(1);
    Record(1, "MacTxDrop");
    for (uint32_t i : {0, 1})
    {
        EXPECT_FALSE(devices[i]->IsLinkUp());
        EXPECT_EQ(Send(i), i == 0);
    }
    source.Post(PAYLOAD, 2);
    EXPECT_EQ(Drops(1, "no light"), 3U);
    EXPECT_EQ(reasons["no light"], 3U);
    EXPECT_EQ(traced["MacTxDrop"].size(), 3U);
    EXPECT_EQ(source.accepted, (std::vector<bool>{false, false}));
    At(MicroSeconds(2), [this]() { Join(0, 1, NanoSeconds(300)); });
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(1), (std::vector<Time>{NanoSeconds(2400)}));
    EXPECT_TRUE(ArrivalsAt(0).empty());
    EXPECT_EQ(linkChanges[0], (LinkChanges{{MicroSeconds(2), true}}));
    EXPECT_EQ(linkChanges[1], (LinkChanges{{MicroSeconds(2), true}}));
}

TEST_F(OpticalNetDeviceTest, ARateOfZeroIsRefusedAndANewRateServesTheNextPacket)
{
    AddPair();
    EXPECT_THROW(devices[0]->SetDataRate(DataRate(0)), std::invalid_argument);
    EXPECT_EQ(devices[0]->GetDataRate(), DataRate(ROUND_RATE)) << "nothing has changed";
    Send(0);
    Send(0);
    // The second packet waits; it is sent at a tenth of the rate.
    At(NanoSeconds(30), [this]() { devices[0]->SetDataRate(DataRate(ROUND_RATE / 10)); });
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(1), (std::vector<Time>{NanoSeconds(400), NanoSeconds(1400)}));
}

TEST_F(OpticalNetDeviceTest, AttributesAreWhatTheyAreSetTo)
{
    AddPair();
    auto device = devices[0];
    EXPECT_FALSE(device->NeedsArp());
    device->SetAttribute("Arp", BooleanValue(true));
    EXPECT_TRUE(device->NeedsArp());
    device->SetAttribute("Mtu", UintegerValue(1280));
    EXPECT_EQ(device->GetMtu(), 1280U);
    EXPECT_FALSE(device->SetAttributeFailSafe("Mtu", UintegerValue(20)));
    EXPECT_FALSE(device->SetAttributeFailSafe("Mtu", UintegerValue(9217)));
    device->SetAddress(Mac48Address("00:00:00:00:00:77"));
    EXPECT_EQ(device->GetAddress(), Address(Mac48Address("00:00:00:00:00:77")));
    device->SetIfIndex(3);
    EXPECT_EQ(device->GetIfIndex(), 3U);
    EXPECT_TRUE(device->IsBroadcast());
    EXPECT_TRUE(device->IsMulticast());
    EXPECT_FALSE(device->IsBridge());
    EXPECT_FALSE(device->IsPointToPoint());
    EXPECT_EQ(device->GetBroadcast(), Address(Mac48Address("ff:ff:ff:ff:ff:ff")));
    EXPECT_EQ(Mac48Address::ConvertFrom(device->GetMulticast(Ipv4Address("224.0.0.9"))),
              Mac48Address("01:00:5e:00:00:09"));
}

TEST_F(OpticalNetDeviceTest, RandomTrafficMatchesAQueueWrittenApart)
{
    constexpr uint32_t seed = 21;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    for (int round = 0; round < 20; round++)
    {
        const uint64_t bitRate = 1'000'000'000 + random();
        const Time delay = NanoSeconds(random() % 3 ? random() % 20 : random() % 20000);
        AddPair(bitRate, delay);
        ListSource source(devices[0]);
        const bool stock = random() % 2;
        std::vector<std::pair<int64_t, uint32_t>> packets; // in ticks, payload
        int64_t at = 0;
        for (int i = 0; i < 60; i++)
        {
            at += (random() % 2) * (random() % NanoSeconds(3000).GetTimeStep());
            packets.emplace_back(at, random() % 1500);
        }
        for (auto [tick, payload] : packets)
        {
            At(TimeStep(tick), [this, &source, stock, payload = payload]() {
                if (stock)
                {
                    Send(0, payload);
                }
                else
                {
                    source.Post(payload);
                }
            });
        }
        // One server, first in, first out: in units of 1 / bitRate of a tick.
        Int128 free = 0;
        std::vector<Time> expected;
        for (auto [tick, payload] : packets)
        {
            free = std::max(free, Int128(tick) * bitRate) +
                   Int128(WireBytes(payload)) * 8 * TicksPerSecond();
            expected.push_back(TimeStep(int64_t((free + bitRate - 1) / bitRate)) + delay);
        }
        Simulator::Run();
        ASSERT_EQ(ArrivalsAt(1), expected) << "round " << round;
        StartOver();
    }
}

} // namespace photonic
} // namespace ns3
