/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics-test-helper.h"

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/flow-monitor-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-flow-classifier.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/node-container.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/rail-helper.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <fstream>
#include <iterator>
#include <tuple>

namespace ns3
{
namespace photonic
{

/// The stock Internet stack on optical ports, unchanged.
class InternetStackTest : public testing::Test
{
  protected:
    static constexpr uint16_t PORT = 4000;
    static constexpr uint64_t RATE = 7'000'000'000; ///< no packet takes whole ticks

    void TearDown() override
    {
        Simulator::Destroy();
    }

    /// Nodes on a rail with one port each, and the stack on them.
    void Build(uint32_t n, bool ipv6 = false)
    {
        nodes.Create(n);
        rail.SetDeviceAttribute("DataRate", DataRateValue(DataRate(RATE)));
        rail.SetFibreAttribute("Delay", TimeValue(NanoSeconds(250)));
        devices = rail.Install(nodes, 1);
        InternetStackHelper stack;
        stack.Install(nodes);
        if (ipv6)
        {
            Ipv6AddressHelper addresses(Ipv6Address("2001:db8::"), Ipv6Prefix(64));
            interfaces6 = addresses.Assign(devices);
        }
        else
        {
            AssignAddresses();
        }
    }

    void AssignAddresses()
    {
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        interfaces = addresses.Assign(devices);
        for (uint32_t i = 0; i < nodes.GetN(); i++)
        {
            // A host does not send strangers' packets back.
            nodes.Get(i)->GetObject<Ipv4>()->SetAttribute("IpForward", BooleanValue(false));
        }
    }

    Ptr<OpticalNetDevice> Device(uint32_t i) const
    {
        return DynamicCast<OpticalNetDevice>(devices.Get(i));
    }

    /// A UDP socket that notes when datagrams arrive.
    void Listen(uint32_t node, const Address& local)
    {
        receiver = Socket::CreateSocket(nodes.Get(node), UdpSocketFactory::GetTypeId());
        receiver->SetAttribute("RcvBufSize", UintegerValue(100'000'000));
        ASSERT_EQ(receiver->Bind(local), 0);
        receiver->SetRecvCallback(Callback<void, Ptr<Socket>>([this](Ptr<Socket> socket) {
            while (Ptr<Packet> packet = socket->Recv())
            {
                arrivals.push_back(Simulator::Now());
                sizes.push_back(packet->GetSize());
            }
        }));
    }

    /// Datagrams from node 0, all at once.
    void SendDatagrams(Time at, const Address& to, uint32_t payload, uint32_t count)
    {
        auto socket = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
        senders.push_back(socket);
        Simulator::Schedule(at, [socket, to, payload, count]() {
            for (uint32_t i = 0; i < count; i++)
            {
                ASSERT_EQ(socket->SendTo(Create<Packet>(payload), 0, to), int(payload));
            }
        });
    }

    /// @return when so many datagrams of a size have passed the line and two fibres
    static std::vector<Time> BackToBack(Time start, uint32_t payload, uint32_t count)
    {
        std::vector<Time> times;
        for (uint64_t k = 1; k <= count; k++)
        {
            // UDP and IPv4 headers: 8 + 20 bytes.
            times.push_back(start + LineTime(k * WireBytes(payload + 28), RATE) + NanoSeconds(500));
        }
        return times;
    }

    PhotonicRailHelper rail;
    NodeContainer nodes;
    NetDeviceContainer devices;
    Ipv4InterfaceContainer interfaces;
    Ipv6InterfaceContainer interfaces6;
    Ptr<Socket> receiver;
    std::vector<Ptr<Socket>> senders;
    std::vector<Time> arrivals;
    std::vector<uint32_t> sizes;
};

TEST_F(InternetStackTest, TheFirstPacketNeedsNoAddressResolution)
{
    Build(2);
    rail.GetSwitch()->Preset({{0, 1}});
    Listen(1, InetSocketAddress(Ipv4Address::GetAny(), PORT));
    SendDatagrams(MicroSeconds(3), InetSocketAddress(interfaces.GetAddress(1), PORT), 1000, 1);
    Simulator::Run();
    EXPECT_EQ(arrivals, BackToBack(MicroSeconds(3), 1000, 1));
}

TEST_F(InternetStackTest, UdpArrivesAtThePaceOfTheLine)
{
    Build(2);
    rail.GetSwitch()->Preset({{0, 1}});
    Listen(1, InetSocketAddress(Ipv4Address::GetAny(), PORT));
    SendDatagrams(Time(0), InetSocketAddress(interfaces.GetAddress(1), PORT), 1472, 500);
    Simulator::Run();
    EXPECT_EQ(arrivals, BackToBack(Time(0), 1472, 500));
    EXPECT_EQ(sizes, std::vector<uint32_t>(500, 1472));
    EXPECT_TRUE(Device(0)->GetDrops().empty());
}

TEST_F(InternetStackTest, TrafficControlFeelsTheDevicesQueue)
{
    for (const char* discipline : {"ns3::PfifoFastQueueDisc", "ns3::FqCoDelQueueDisc"})
    {
        SCOPED_TRACE(discipline);
        rail = PhotonicRailHelper();
        rail.SetQueueSize(QueueSize("3p"));
        nodes = NodeContainer();
        nodes.Create(2);
        rail.SetDeviceAttribute("DataRate", DataRateValue(DataRate(RATE)));
        rail.SetFibreAttribute("Delay", TimeValue(NanoSeconds(250)));
        devices = rail.Install(nodes, 1);
        InternetStackHelper stack;
        stack.Install(nodes);
        TrafficControlHelper control;
        control.SetRootQueueDisc(discipline);
        auto disciplines = control.Install(devices);
        AssignAddresses();
        rail.GetSwitch()->Preset({{0, 1}});
        std::size_t longest = 0;
        Device(0)->GetQueue()->TraceConnectWithoutContext(
            "PacketsInQueue",
            Callback<void, uint32_t, uint32_t>([&longest](uint32_t, uint32_t now) {
                longest = std::max<std::size_t>(longest, now);
            }));
        Listen(1, InetSocketAddress(Ipv4Address::GetAny(), PORT));
        SendDatagrams(Time(0), InetSocketAddress(interfaces.GetAddress(1), PORT), 972, 400);
        Simulator::Run();
        // Nothing is lost though the device holds three packets, and the line never waits.
        EXPECT_EQ(arrivals, BackToBack(Time(0), 972, 400));
        EXPECT_TRUE(Device(0)->GetDrops().empty());
        EXPECT_LE(longest, 3U);
        EXPECT_GE(longest, 2U);
        const auto& statistics = disciplines.Get(0)->GetStats();
        EXPECT_EQ(statistics.nTotalDroppedPackets, 0U);
        EXPECT_EQ(statistics.nTotalSentPackets, 400U);
        Simulator::Destroy();
        arrivals.clear();
    }
}

TEST_F(InternetStackTest, UdpOverIpv6)
{
    Build(2, true);
    rail.GetSwitch()->Preset({{0, 1}});
    Listen(1, Inet6SocketAddress(Ipv6Address::GetAny(), PORT));
    // After duplicate address detection, which takes a second.
    SendDatagrams(Seconds(3), Inet6SocketAddress(interfaces6.GetAddress(1, 1), PORT), 1000, 20);
    Simulator::Stop(Seconds(4));
    Simulator::Run();
    std::vector<Time> expected;
    for (uint64_t k = 1; k <= 20; k++)
    {
        // UDP and IPv6 headers: 8 + 40 bytes.
        expected.push_back(Seconds(3) + LineTime(k * WireBytes(1048), RATE) + NanoSeconds(500));
    }
    EXPECT_EQ(arrivals, expected);
}

/// How packets fare during a change: device policy, switch policy.
using Policies = std::tuple<const char*, const char*>;

class TcpOverCircuitsTest : public InternetStackTest, public testing::WithParamInterface<Policies>
{
};

TEST_P(TcpOverCircuitsTest, SurvivesAReCircuitAndDeliversEveryByte)
{
    constexpr uint32_t bytes = 8'000'000;
    rail.SetDeviceAttribute("DarkPolicy", StringValue(std::get<0>(GetParam())));
    rail.SetSwitchAttribute("InFlightPolicy", StringValue(std::get<1>(GetParam())));
    rail.SetSwitchAttribute("ReconfigurationDelay", TimeValue(MicroSeconds(200)));
    Build(3);
    auto ocs = rail.GetSwitch();
    ocs->Preset({{0, 1}});

    // The content is a pattern with a period that no segment size shares.
    uint32_t written = 0;
    auto byteAt = [](uint32_t i) { return static_cast<uint8_t>(i * 31 + i / 251); };
    uint32_t arrived = 0;
    uint32_t wrong = 0;
    auto listener = Socket::CreateSocket(nodes.Get(1), TcpSocketFactory::GetTypeId());
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
    listener->Listen();
    Ptr<Socket> accepted;
    listener->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        Callback<void, Ptr<Socket>, const Address&>([&](Ptr<Socket> socket, const Address&) {
            accepted = socket;
            socket->SetRecvCallback(Callback<void, Ptr<Socket>>([&](Ptr<Socket> s) {
                std::vector<uint8_t> buffer;
                while (Ptr<Packet> packet = s->Recv())
                {
                    buffer.resize(packet->GetSize());
                    packet->CopyData(buffer.data(), buffer.size());
                    for (uint8_t byte : buffer)
                    {
                        wrong += byte != byteAt(arrived++);
                    }
                }
            }));
        }));
    auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    auto write = [&](Ptr<Socket> s, uint32_t) {
        std::vector<uint8_t> chunk;
        while (written < bytes && s->GetTxAvailable() > 0)
        {
            const uint32_t size = std::min({bytes - written, s->GetTxAvailable(), 8192U});
            chunk.resize(size);
            for (uint32_t i = 0; i < size; i++)
            {
                chunk[i] = byteAt(written + i);
            }
            const int sent = s->Send(chunk.data(), size, 0);
            if (sent <= 0)
            {
                return;
            }
            written += sent;
        }
        if (written == bytes)
        {
            s->Close();
        }
    };
    sender->SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>(write));
    sender->SetConnectCallback(
        Callback<void, Ptr<Socket>>([&write](Ptr<Socket> s) { write(s, 0); }),
        MakeNullCallback<void, Ptr<Socket>>());
    const Address destination = InetSocketAddress(interfaces.GetAddress(1), PORT);
    Simulator::Schedule(Time(0), [sender, destination]() { sender->Connect(destination); });

    // Away from 0-1 while the connection is in full flow, and back.
    uint32_t arrivedByChange = 0;
    Simulator::Schedule(MilliSeconds(2), [&]() {
        arrivedByChange = arrived;
        ocs->Reconfigure({{0, 2}});
    });
    Simulator::Schedule(MilliSeconds(20), [&]() { ocs->Reconfigure({{0, 1}}); });
    Simulator::Stop(Seconds(300));
    Simulator::Run();
    EXPECT_GT(arrivedByChange, 100'000U);
    EXPECT_LT(arrivedByChange, bytes);
    EXPECT_EQ(arrived, bytes);
    EXPECT_EQ(wrong, 0U);
    sender->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
}

INSTANTIATE_TEST_SUITE_P(Policies,
                         TcpOverCircuitsTest,
                         testing::Combine(testing::Values("wait", "drop"),
                                          testing::Values("lose", "drain-current-packet")),
                         [](const testing::TestParamInfo<Policies>& info) {
                             return std::string(std::get<0>(info.param)) +
                                    (std::get<1>(info.param) == std::string("lose") ? "Lose"
                                                                                    : "Drain");
                         });

TEST_F(InternetStackTest, StockApplicationsDeliverABulkTransfer)
{
    constexpr uint64_t bytes = 3'000'000;
    rail.SetSwitchAttribute("ReconfigurationDelay", TimeValue(MilliSeconds(1)));
    Build(3);
    auto ocs = rail.GetSwitch();
    ocs->Preset({{0, 1}});
    BulkSendHelper source("ns3::TcpSocketFactory",
                          InetSocketAddress(interfaces.GetAddress(1), PORT));
    source.SetAttribute("MaxBytes", UintegerValue(bytes));
    source.Install(nodes.Get(0)).Start(Time(0));
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
    auto sinks = sink.Install(nodes);
    Simulator::Schedule(MilliSeconds(1), [ocs]() { ocs->Reconfigure({{0, 2}}); });
    Simulator::Schedule(MilliSeconds(5), [ocs]() { ocs->Reconfigure({{0, 1}}); });
    Simulator::Stop(Seconds(100));
    Simulator::Run();
    EXPECT_EQ(DynamicCast<PacketSink>(sinks.Get(1))->GetTotalRx(), bytes);
    EXPECT_EQ(DynamicCast<PacketSink>(sinks.Get(2))->GetTotalRx(), 0U);
}

TEST_F(InternetStackTest, FlowMonitorSeesTheFlow)
{
    Build(2);
    rail.GetSwitch()->Preset({{0, 1}});
    Listen(1, InetSocketAddress(Ipv4Address::GetAny(), PORT));
    SendDatagrams(MicroSeconds(1), InetSocketAddress(interfaces.GetAddress(1), PORT), 1000, 30);
    FlowMonitorHelper helper;
    auto monitor = helper.InstallAll();
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    const auto flows = monitor->GetFlowStats();
    ASSERT_EQ(flows.size(), 1U);
    const auto& flow = flows.begin()->second;
    EXPECT_EQ(flow.txPackets, 30U);
    EXPECT_EQ(flow.rxPackets, 30U);
    EXPECT_EQ(flow.rxBytes, 30U * 1028);
    EXPECT_EQ(flow.lostPackets, 0U);
    EXPECT_EQ(flow.timeFirstRxPacket, BackToBack(MicroSeconds(1), 1000, 1).back());
    EXPECT_EQ(flow.timeLastRxPacket, BackToBack(MicroSeconds(1), 1000, 30).back());
    auto classifier = DynamicCast<Ipv4FlowClassifier>(helper.GetClassifier());
    const auto tuple = classifier->FindFlow(flows.begin()->first);
    EXPECT_EQ(tuple.sourceAddress, interfaces.GetAddress(0));
    EXPECT_EQ(tuple.destinationPort, PORT);
}

namespace
{

/// A packet as a capture file has it.
struct Captured
{
    Time at; ///< to the microsecond
    uint32_t captured;
    uint32_t original;
    std::vector<uint8_t> bytes;
};

/// Reads a classic pcap file of this machine's byte order; the format is libpcap's savefile(5).
std::vector<Captured>
ReadPcap(const std::string& name)
{
    std::ifstream file(name, std::ios::binary);
    const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
    auto word = [&content](std::size_t at) {
        uint32_t value = 0;
        EXPECT_LE(at + 4, content.size());
        std::copy_n(content.begin() + at, 4, reinterpret_cast<char*>(&value));
        return value;
    };
    EXPECT_GE(content.size(), 24U) << name;
    if (content.size() < 24)
    {
        return {};
    }
    EXPECT_EQ(word(0), 0xa1b2c3d4U) << "microseconds";
    EXPECT_EQ(word(20), 1U) << "Ethernet";
    std::vector<Captured> packets;
    for (std::size_t at = 24; at < content.size();)
    {
        Captured packet;
        packet.at = Seconds(word(at)) + MicroSeconds(word(at + 4));
        packet.captured = word(at + 8);
        packet.original = word(at + 12);
        at += 16;
        EXPECT_LE(at + packet.captured, content.size()) << "truncated";
        if (at + packet.captured > content.size())
        {
            return packets;
        }
        packet.bytes.assign(content.begin() + at, content.begin() + at + packet.captured);
        packets.push_back(packet);
        at += packet.captured;
    }
    return packets;
}

} // namespace

TEST_F(InternetStackTest, CapturesHoldWholeFramesAndChangeNoTime)
{
    const std::string names[]{testing::TempDir() + "photonic-rails-tx.pcap",
                              testing::TempDir() + "photonic-rails-rx.pcap"};
    Build(2);
    rail.GetSwitch()->Preset({{0, 1}});
    Listen(1, InetSocketAddress(Ipv4Address::GetAny(), PORT));
    const Address to = InetSocketAddress(interfaces.GetAddress(1), PORT);
    SendDatagrams(MicroSeconds(10), to, 1000, 3);
    SendDatagrams(MicroSeconds(100), to, 1, 1); // frames are not padded
    rail.EnablePcap(names[0], devices.Get(0), false, true);
    rail.EnablePcap(names[1], devices.Get(1), true, true);
    Simulator::Run();
    auto expected = BackToBack(MicroSeconds(10), 1000, 3);
    const auto last = BackToBack(MicroSeconds(100), 1, 1);
    expected.insert(expected.end(), last.begin(), last.end());
    EXPECT_EQ(arrivals, expected);

    const Mac48Address sender = Mac48Address::ConvertFrom(devices.Get(0)->GetAddress());
    Simulator::Destroy();
    // The files are complete when their devices are gone.
    receiver = nullptr;
    senders.clear();
    devices = NetDeviceContainer();
    nodes = NodeContainer();
    rail = PhotonicRailHelper();
    interfaces = Ipv4InterfaceContainer();

    std::vector<Time> starts;
    for (uint64_t k = 0; k < 3; k++)
    {
        starts.push_back(MicroSeconds(10) + LineTime(k * WireBytes(1028), RATE));
    }
    starts.push_back(MicroSeconds(100));
    for (int side : {0, 1})
    {
        SCOPED_TRACE(names[side]);
        const auto packets = ReadPcap(names[side]);
        ASSERT_EQ(packets.size(), 4U);
        for (std::size_t i = 0; i < 4; i++)
        {
            const auto& packet = packets[i];
            // Ethernet 14, IPv4 20, UDP 8 bytes.
            EXPECT_EQ(packet.captured, (i < 3 ? 1000U : 1U) + 42U);
            EXPECT_EQ(packet.original, packet.captured);
            EXPECT_EQ(packet.at, MicroSeconds((side ? expected : starts)[i].GetMicroSeconds()));
            ASSERT_GE(packet.bytes.size(), 34U);
            uint8_t address[6];
            sender.CopyTo(address);
            EXPECT_TRUE(std::equal(address, address + 6, packet.bytes.begin() + 6));
            EXPECT_EQ(packet.bytes[12] << 8 | packet.bytes[13], 0x0800) << "IPv4";
            EXPECT_EQ(packet.bytes[14], 0x45) << "version 4, header of 5 words";
            EXPECT_EQ(uint32_t(packet.bytes[16] << 8 | packet.bytes[17]), packet.captured - 14);
            EXPECT_EQ(packet.bytes[23], 17) << "UDP";
        }
        std::remove(names[side].c_str());
    }
}

} // namespace photonic
} // namespace ns3
