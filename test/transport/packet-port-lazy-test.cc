/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Packets that are made only when somebody looks: whoever looks sees what is on the wire, and no
 * time changes.
 */
#include "test-rail.h"

#include "ns3/error-model.h"
#include "ns3/node.h"
#include "ns3/pointer.h"

#include <map>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr uint32_t MESSAGES = 12;

uint64_t
GetBytes(uint32_t message)
{
    return 1 + 1777 * message;
}

/// @return packets of all messages
uint64_t
CountPackets()
{
    uint64_t packets = 0;
    for (uint32_t i = 0; i < MESSAGES; i++)
    {
        packets += (GetBytes(i) + FULL - 1) / FULL;
    }
    return packets;
}

/// Messages of rank 0 to rank 1, on circuits or through a packet switch.
class LazyTraffic
{
  public:
    explicit LazyTraffic(bool electrical, bool lazy = true)
        : rail(MakeOptions(electrical))
    {
        for (const auto& device : rail.devices)
        {
            device->SetAttribute("LazyPackets", BooleanValue(lazy));
        }
        rail.JoinPair();
        for (uint32_t i = 0; i < MESSAGES; i++)
        {
            const MessageKey key{1 + i % 2, i, 7 + i};
            rail.endpoints[1]->Receive(0, key, GetBytes(i), [this](const Message&, Time first) {
                times.push_back(first);
                times.push_back(Simulator::Now());
            });
            Simulator::Schedule(NanoSeconds(313 * i), [this, key, i] {
                rail.endpoints[0]
                    ->Send(1, 0, 0, key, GetBytes(i), Cause(), [this](const Message& m) {
                        times.push_back(m.firstBit);
                    });
            });
        }
    }

    /// Note the bytes of packets.
    Callback<void, Ptr<const Packet>> Look()
    {
        return Callback<void, Ptr<const Packet>>([this](Ptr<const Packet> packet) {
            std::vector<uint8_t> bytes(packet->GetSize());
            packet->CopyData(bytes.data(), bytes.size());
            seen.push_back(bytes);
        });
    }

    static TestRail::Options MakeOptions(bool electrical)
    {
        TestRail::Options options;
        options.rate = 123'456'789'012;
        options.electrical = electrical;
        return options;
    }

    TestRail rail;
    std::vector<Time> times;
    std::vector<std::vector<uint8_t>> seen;
};

/// Expect Ethernet, IPv4, UDP and base transport headers on the wire of the packets sent.
void
ExpectWireFormat(const std::vector<std::vector<uint8_t>>& packets, bool withLinkHeader)
{
    ASSERT_EQ(packets.size(), CountPackets());
    uint64_t payload = 0;
    std::map<uint32_t, uint32_t> next; // packet sequence number, by connection
    for (const auto& p : packets)
    {
        const std::size_t ip = withLinkHeader ? 14 : 0;
        ASSERT_GT(p.size(), ip + 60);
        if (withLinkHeader)
        {
            EXPECT_EQ(p[12] * 256 + p[13], 0x0800);
        }
        EXPECT_EQ(p[ip], 0x45);
        EXPECT_EQ(p[ip + 2] * 256U + p[ip + 3], p.size() - ip);
        EXPECT_EQ(p[ip + 22] * 256 + p[ip + 23], 4791);
        const uint32_t connection = p[ip + 33] << 16 | p[ip + 34] << 8 | p[ip + 35];
        const uint32_t sequence = p[ip + 37] << 16 | p[ip + 38] << 8 | p[ip + 39];
        EXPECT_EQ(sequence, next[connection]++);
        payload += p.size() - ip - 60;
        const uint32_t operation = p[ip + 42] << 8 | p[ip + 43];
        ASSERT_LT(operation, MESSAGES);
        EXPECT_EQ(p[ip + 46] << 8 | p[ip + 47], 7 + static_cast<int>(operation));
        EXPECT_EQ(p[ip + 54] * 256U + p[ip + 55], GetBytes(operation));
    }
    EXPECT_EQ(next.size(), 2U);
    uint64_t all = 0;
    for (uint32_t i = 0; i < MESSAGES; i++)
    {
        all += GetBytes(i);
    }
    EXPECT_EQ(payload, all);
}

} // namespace

TEST(PacketPortLazy, WhatNobodySeesIsNeverMade)
{
    for (bool electrical : {false, true})
    {
        for (bool lazy : {true, false})
        {
            LazyTraffic traffic(electrical, lazy);
            const uint64_t before =
                Create<Packet>()->GetUid(); // ns-3 numbers packets as they are made
            Simulator::Run();
            const uint64_t made = Create<Packet>()->GetUid() - before - 1;
            EXPECT_EQ(made, lazy ? 0U : CountPackets());
            EXPECT_EQ(traffic.rail.GetPort(1, 0).GetPacketsReceived(), CountPackets());
        }
    }
}

TEST(PacketPortLazy, EveryTraceSeesWhatIsOnTheWireAndChangesNoTime)
{
    struct Place
    {
        const char* trace;
        uint32_t rank;
        bool withLinkHeader;
    };

    const Place places[] = {{"MacTx", 0, true},
                            {"PhyTxBegin", 0, true},
                            {"PhyTxEnd", 0, true},
                            {"Sniffer", 0, true},
                            {"PromiscSniffer", 0, true},
                            {"PhyRxEnd", 1, true},
                            {"Sniffer", 1, true},
                            {"PromiscSniffer", 1, true},
                            {"MacPromiscRx", 1, false},
                            {"MacRx", 1, false}};
    for (bool electrical : {false, true})
    {
        const auto times = [electrical] {
            LazyTraffic unseen(electrical);
            Simulator::Run();
            return unseen.times;
        }();
        ASSERT_EQ(times.size(), 3U * MESSAGES);
        for (const auto& place : places)
        {
            for (bool lazy : {true, false})
            {
                SCOPED_TRACE(std::string(place.trace) + (lazy ? ", lazy" : "") +
                             (electrical ? ", electrical" : ""));
                LazyTraffic traffic(electrical, lazy);
                traffic.rail.GetDevice(place.rank, 0)
                    ->TraceConnectWithoutContext(place.trace, traffic.Look());
                Simulator::Run();
                EXPECT_EQ(traffic.times, times);
                ExpectWireFormat(traffic.seen, place.withLinkHeader);
            }
        }
    }
}

TEST(PacketPortLazy, APacketSwitchShowsWhatItEnqueues)
{
    LazyTraffic traffic(true);
    auto look = traffic.Look();
    uint32_t outputs = 0;
    traffic.rail.packets->TraceConnectWithoutContext(
        "Enqueue",
        Callback<void, Ptr<const Packet>, uint32_t>([&](Ptr<const Packet> packet, uint32_t output) {
            look(packet);
            outputs += output == 2; // of rank 1's port 0, behind the two ports of rank 0
        }));
    Simulator::Run();
    ExpectWireFormat(traffic.seen, true);
    EXPECT_EQ(outputs, CountPackets());
}

TEST(PacketPortLazy, ATraceInMidRunSeesTheRest)
{
    LazyTraffic traffic(false);
    auto& device = *traffic.rail.GetDevice(1, 0);
    // After exactly one packet: 99 bytes take 6.4 ns at 123 Gbps, and two fibres 100 ns.
    Simulator::Schedule(NanoSeconds(200), [&] {
        EXPECT_EQ(traffic.rail.GetPort(1, 0).GetPacketsReceived(), 1U);
        device.TraceConnectWithoutContext("MacRx", traffic.Look());
    });
    Simulator::Run();
    EXPECT_EQ(traffic.seen.size(), CountPackets() - 1);
    EXPECT_EQ(traffic.times.size(), 3U * MESSAGES);
}

TEST(PacketPortLazy, APromiscuousCallbackSeesEveryPacket)
{
    LazyTraffic traffic(false);
    auto look = traffic.Look();
    traffic.rail.GetDevice(1, 0)->SetPromiscReceiveCallback(
        NetDevice::PromiscReceiveCallback([&](Ptr<NetDevice>,
                                              Ptr<const Packet> packet,
                                              uint16_t protocol,
                                              const Address& from,
                                              const Address& to,
                                              NetDevice::PacketType type) {
            EXPECT_EQ(protocol, 0x0800);
            EXPECT_EQ(from, traffic.rail.GetDevice(0, 0)->GetAddress());
            EXPECT_EQ(to, traffic.rail.GetDevice(1, 0)->GetAddress());
            EXPECT_EQ(type, NetDevice::PACKET_HOST);
            look(packet);
            return true;
        }));
    Simulator::Run();
    ExpectWireFormat(traffic.seen, false);
    EXPECT_EQ(traffic.rail.GetPort(1, 0).GetPacketsReceived(), CountPackets());
}

TEST(PacketPortLazy, AReceiveCallbackThatIsNotTheNodesGetsEveryPacket)
{
    LazyTraffic traffic(false);
    auto look = traffic.Look();
    traffic.rail.GetDevice(1, 0)->SetReceiveCallback(NetDevice::ReceiveCallback(
        [&](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&) {
            look(packet);
            return true;
        }));
    Simulator::Run();
    ExpectWireFormat(traffic.seen, false);
    EXPECT_EQ(traffic.rail.GetPort(1, 0).GetPacketsReceived(), 0U);
}

TEST(PacketPortLazy, AnotherSourceOfTheDeviceIsNotHandedThePacketsOfThePort)
{
    class Idle : public PacketSource
    {
      public:
        bool HasPacket() const override
        {
            return false;
        }

        void SendNext(const ExactTime&) override
        {
        }
    };

    Idle idle;
    LazyTraffic traffic(false);
    traffic.rail.GetDevice(1, 0)->SetPacketSource(&idle);
    Simulator::Run();
    EXPECT_EQ(traffic.rail.GetPort(1, 0).GetPacketsReceived(), CountPackets());
    EXPECT_EQ(traffic.times.size(), 3U * MESSAGES);
}

TEST(PacketPortLazy, AHandlerOfTheNodeSeesPacketsWithTheAttributeOff)
{
    for (bool lazy : {false, true})
    {
        LazyTraffic traffic(false, lazy);
        auto look = traffic.Look();
        auto device = traffic.rail.GetDevice(1, 0);
        device->GetNode()->RegisterProtocolHandler(
            Node::ProtocolHandler([&](Ptr<NetDevice>,
                                      Ptr<const Packet> packet,
                                      uint16_t,
                                      const Address&,
                                      const Address&,
                                      NetDevice::PacketType) { look(packet); }),
            0x0800,
            device);
        Simulator::Run();
        EXPECT_EQ(traffic.seen.size(), lazy ? 0U : CountPackets());
        EXPECT_EQ(traffic.times.size(), 3U * MESSAGES);
    }
}

TEST(PacketPortLazy, AnErrorModelCorruptsThePacketThatItChooses)
{
    LazyTraffic traffic(false);
    auto errors = CreateObject<ReceiveListErrorModel>();
    errors->SetList({static_cast<uint32_t>(CountPackets() - 1)}); // counted from 0: the last one
    auto device = traffic.rail.GetDevice(1, 0);
    device->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    device->TraceConnectWithoutContext("PhyRxDrop", traffic.Look());
    Simulator::Run();
    EXPECT_EQ(device->GetDrops().at("corrupted"), 1U);
    EXPECT_EQ(traffic.seen.size(), 1U);
    EXPECT_EQ(traffic.rail.GetPort(1, 0).GetPacketsReceived(), CountPackets() - 1);
    EXPECT_EQ(traffic.times.size(), 3U * (MESSAGES - 1));
}

TEST(PacketPortLazy, APacketThatIsLostIsOnePacketToAllWhoHearOfIt)
{
    LazyTraffic traffic(false);
    std::vector<uint64_t> uids;
    std::vector<uint32_t> sizes;
    const auto note = [&](Ptr<const Packet> packet) {
        uids.push_back(packet->GetUid());
        sizes.push_back(packet->GetSize());
    };
    const Callback<void, Ptr<const Packet>, const std::string&> noteDrop(
        [&](Ptr<const Packet> packet, const std::string& reason) {
            EXPECT_EQ(reason, "circuit torn down");
            note(packet);
        });
    auto device = traffic.rail.GetDevice(0, 0);
    traffic.rail.light->TraceConnectWithoutContext("Drop", noteDrop);
    device->TraceConnectWithoutContext("Drop", noteDrop);
    device->TraceConnectWithoutContext(
        "PhyTxDrop",
        Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) { note(packet); }));
    // The second message, of one packet of 1,778 bytes, starts at 313 ns and takes 122 ns.
    Simulator::Schedule(NanoSeconds(400), [&] { traffic.rail.light->Reconfigure({{0, 3}}); });
    Simulator::Run();
    EXPECT_EQ(device->GetDrops().at("circuit torn down"), 1U);
    EXPECT_EQ(traffic.rail.light->GetLostPackets(), 1U);
    ASSERT_EQ(uids.size(), 3U);
    EXPECT_EQ(uids, std::vector<uint64_t>(3, uids[0]));
    EXPECT_EQ(sizes, std::vector<uint32_t>(3, 1778 + 60 + 14));
}

TEST(PacketPortLazy, APacketOutlivesItsSender)
{
    LazyTraffic traffic(false);
    auto look = traffic.Look();
    traffic.rail.GetDevice(1, 0)->SetReceiveCallback(NetDevice::ReceiveCallback(
        [&](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&) {
            look(packet);
            return true;
        }));
    // The first message, of one byte, is in the fibre, and the second has not been sent. The node
    // goes with the endpoint that is aggregated to it.
    Simulator::Schedule(NanoSeconds(50), [&] {
        traffic.rail.endpoints[0]->Dispose();
        Simulator::Stop(NanoSeconds(100));
    });
    Simulator::Run();
    ASSERT_EQ(traffic.seen.size(), 1U);
    ASSERT_EQ(traffic.seen[0].size(), 61U);
    EXPECT_EQ(traffic.seen[0][55], 1); // bytes of the message
}

} // namespace photonic
} // namespace ns3
