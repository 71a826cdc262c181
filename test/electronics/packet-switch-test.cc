/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics/optics-test-helper.h"

#include "ns3/arp-cache.h"
#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/node-container.h"
#include "ns3/packet-switch.h"
#include "ns3/rail-helper.h"
#include "ns3/socket.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <random>

namespace ns3
{
namespace photonic
{

/// Devices on the ports of a packet switch, device i on port i.
class PacketSwitchTest : public OpticsTest
{
  protected:
    PacketSwitchTest()
    {
        CreateSwitch();
    }

    void StartOver() override
    {
        OpticsTest::StartOver();
        drops.clear();
        enqueued.clear();
        CreateSwitch();
    }

    void CreateSwitch()
    {
        packetSwitch = CreateObject<PacketSwitch>();
        packetSwitch->TraceConnectWithoutContext(
            "Drop",
            Callback<void, Ptr<const Packet>, const std::string&>(
                [this](Ptr<const Packet>, const std::string& reason) { drops[reason]++; }));
        packetSwitch->TraceConnectWithoutContext(
            "Enqueue",
            Callback<void, Ptr<const Packet>, uint32_t>([this](Ptr<const Packet>, uint32_t egress) {
                enqueued.emplace_back(Simulator::Now(), egress);
            }));
    }

    void AddPorts(const std::vector<Time>& fibres, uint64_t bitRate = ROUND_RATE)
    {
        for (Time delay : fibres)
        {
            const uint32_t i = AddDevice(bitRate);
            auto fibre = CreateFibre(delay);
            devices[i]->Attach(fibre);
            ASSERT_EQ(packetSwitch->Attach(fibre, DataRate(bitRate)), i);
            packetSwitch->SetForwarding(Mac48Address::ConvertFrom(devices[i]->GetAddress()), i);
        }
    }

    Address AddressOf(uint32_t device) const
    {
        return devices[device]->GetAddress();
    }

    /// Send packets to a device.
    void SendTo(uint32_t from, uint32_t to, uint32_t count = 1, uint32_t payload = PAYLOAD)
    {
        devices[from]->GetQueue()->SetMaxSize(QueueSize("100000p"));
        for (uint32_t i = 0; i < count; i++)
        {
            Send(from, payload, AddressOf(to));
        }
    }

    /// @return instants: the first, and so many more, one packet time apart
    static std::vector<Time> BackToBack(Time first, std::size_t count)
    {
        std::vector<Time> times;
        for (std::size_t k = 0; k < count; k++)
        {
            times.push_back(first + PacketTime() * static_cast<int64_t>(k));
        }
        return times;
    }

    Ptr<PacketSwitch> packetSwitch;
    std::map<std::string, uint64_t> drops;
    std::vector<std::pair<Time, uint32_t>> enqueued;
};

TEST_F(PacketSwitchTest, AnUncontendedPacketCostsOneSerialisationAndTwoPropagations)
{
    // Packets of about 1,143 ns over fibres that are shorter, longer, and of no length.
    constexpr uint64_t bitRate = 7'000'000'000;
    for (Time fibre : {Time(0), NanoSeconds(50), NanoSeconds(5000)})
    {
        SCOPED_TRACE(fibre);
        AddPorts({fibre, fibre + NanoSeconds(30)}, bitRate);
        SendTo(0, 1, 200);
        Simulator::Run();
        std::vector<Time> expected;
        for (uint64_t k = 1; k <= 200; k++)
        {
            expected.push_back(LineTime(k * 1000, bitRate) + fibre + fibre + NanoSeconds(30));
        }
        EXPECT_EQ(ArrivalsAt(1), expected);
        // The switch sees each first bit, and holds nothing back.
        ASSERT_EQ(enqueued.size(), 200U);
        for (uint64_t k = 0; k < 200; k++)
        {
            EXPECT_EQ(enqueued[k].first, LineTime(k * 1000, bitRate) + fibre);
            EXPECT_EQ(enqueued[k].second, 1U);
        }
        EXPECT_EQ(packetSwitch->GetForwarded(), 200U);
        EXPECT_LE(packetSwitch->GetLongestQueue(1), 1U);
        StartOver();
    }
}

TEST_F(PacketSwitchTest, ASourceThatPostsWhileItsLineIsBusyIsServed)
{
    // Over a short fibre the switch has each packet before its last bit has left the device, so
    // that no event is left which would fetch the next.
    AddPorts({NanoSeconds(10), NanoSeconds(10)});
    ListSource source(devices[0]);
    for (int64_t at : {0, 50, 99, 205, 290, 300, 550})
    {
        At(NanoSeconds(at), [this, &source]() { source.Post(PAYLOAD, 1, AddressOf(1)); });
    }
    Simulator::Run();
    std::vector<Time> expected;
    for (int64_t end : {100, 200, 300, 400, 500, 600, 700})
    {
        expected.push_back(NanoSeconds(end + 20));
    }
    EXPECT_EQ(ArrivalsAt(1), expected);
    EXPECT_EQ(source.GetNPackets(), 0U);
}

TEST_F(PacketSwitchTest, IncastLeavesFirstInFirstOutAtTheRateOfTheLine)
{
    for (uint32_t senders : {2, 8})
    {
        SCOPED_TRACE(senders);
        constexpr uint32_t each = 50;
        std::vector<Time> fibres(senders + 1, NanoSeconds(70));
        AddPorts(fibres);
        // Sender i starts 10 i ns late, so that the order of arrival is theirs in turn.
        for (uint32_t i = 0; i < senders; i++)
        {
            At(NanoSeconds(10 * i), [this, i, senders]() { SendTo(i, senders, each, PAYLOAD); });
        }
        std::vector<uint32_t> order;
        std::map<uint64_t, uint32_t> senderOf;
        for (uint32_t i = 0; i < senders; i++)
        {
            devices[i]->TraceConnectWithoutContext(
                "MacTx",
                Callback<void, Ptr<const Packet>>(
                    [&senderOf, i](Ptr<const Packet> p) { senderOf[p->GetUid()] = i; }));
        }
        Simulator::Run();
        EXPECT_EQ(ArrivalsAt(senders), BackToBack(NanoSeconds(240), senders * each));
        for (std::size_t k = 0; k < received.size(); k++)
        {
            ASSERT_EQ(senderOf.at(received[k].uid), k % senders) << "packet " << k;
        }
        // Until the senders stop, (senders - 1) of senders packets pile up.
        EXPECT_NEAR(packetSwitch->GetLongestQueue(senders), (senders - 1) * each, senders);
        EXPECT_EQ(packetSwitch->GetQueueLength(senders), 0U);
        StartOver();
    }
}

TEST_F(PacketSwitchTest, SimultaneousIncastDrainsInTheSumOfItsPackets)
{
    constexpr uint64_t bitRate = 7'000'000'000;
    for (uint32_t senders : {2, 8})
    {
        AddPorts(std::vector<Time>(senders + 1, NanoSeconds(70)), bitRate);
        for (uint32_t i = 0; i < senders; i++)
        {
            SendTo(i, senders, 20);
        }
        Simulator::Run();
        std::vector<Time> expected;
        for (uint64_t k = 1; k <= senders * 20; k++)
        {
            expected.push_back(LineTime(k * 1000, bitRate) + NanoSeconds(140));
        }
        EXPECT_EQ(ArrivalsAt(senders), expected);
        StartOver();
    }
}

TEST_F(PacketSwitchTest, PacketsOfOneInstantLeaveInTheOrderOfTheirPorts)
{
    // At 7 Gbps neither the packets' ends nor the instants are whole ticks.
    constexpr uint64_t bitRate = 7'000'000'000;
    std::vector<uint32_t> order{0, 1, 2, 3};
    do
    {
        AddPorts(std::vector<Time>(5, NanoSeconds(70)), bitRate);
        for (uint32_t from : order)
        {
            SendTo(from, 4, 2, 100 + from);
        }
        std::size_t waiting = 0;
        At(NanoSeconds(70), [this, &waiting] { waiting = packetSwitch->GetQueueLength(4); });
        Simulator::Run();
        ASSERT_EQ(received.size(), 8U);
        for (uint32_t k = 0; k < 4; k++)
        {
            EXPECT_EQ(received[k].bytes, 100 + k);
        }
        EXPECT_EQ(waiting, 3U) << "one has started";
        EXPECT_EQ(packetSwitch->GetLongestQueue(4), 6U);
        StartOver();
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(PacketSwitchTest, DifferentOutputsDoNotBlockEachOther)
{
    AddPorts(std::vector<Time>(4, NanoSeconds(200)));
    SendTo(0, 1, 50);
    SendTo(1, 2, 50);
    SendTo(2, 3, 50);
    SendTo(3, 0, 50);
    Simulator::Run();
    for (uint32_t i = 0; i < 4; i++)
    {
        EXPECT_EQ(ArrivalsAt(i), BackToBack(NanoSeconds(500), 50));
        EXPECT_LE(packetSwitch->GetLongestQueue(i), 1U);
    }
}

TEST_F(PacketSwitchTest, ABlockedOutputQueuesAndLeavesTheOthersAlone)
{
    AddPorts(std::vector<Time>(4, NanoSeconds(200)));
    packetSwitch->SetBlocked(1, true);
    SendTo(0, 1, 30);
    SendTo(2, 3, 30);
    std::vector<std::size_t> lengths;
    for (int64_t at : {0, 250, 1250, 2250, 6000})
    {
        At(NanoSeconds(at),
           [this, &lengths]() { lengths.push_back(packetSwitch->GetQueueLength(1)); });
    }
    const Time unblocked = NanoSeconds(10'000);
    At(unblocked, [this]() { packetSwitch->SetBlocked(1, false); });
    // In the middle of packet 11 the output is blocked again: that packet goes on, no other starts.
    At(unblocked + NanoSeconds(1050), [this]() { packetSwitch->SetBlocked(1, true); });
    At(unblocked + NanoSeconds(5000), [this, &lengths]() {
        lengths.push_back(packetSwitch->GetQueueLength(1));
        packetSwitch->SetBlocked(1, false);
    });
    Simulator::Run();
    // First bits come at 200 + 100 k ns.
    EXPECT_EQ(lengths, (std::vector<std::size_t>{0, 1, 11, 21, 30, 19}));
    EXPECT_EQ(packetSwitch->GetLongestQueue(1), 30U);
    auto expected = BackToBack(unblocked + NanoSeconds(300), 11);
    const auto rest = BackToBack(unblocked + NanoSeconds(5300), 19);
    expected.insert(expected.end(), rest.begin(), rest.end());
    EXPECT_EQ(ArrivalsAt(1), expected);
    EXPECT_EQ(ArrivalsAt(3), BackToBack(NanoSeconds(500), 30));
    EXPECT_EQ(packetSwitch->GetForwarded(), 60U);
}

TEST_F(PacketSwitchTest, GroupAddressesReachAllOthers)
{
    AddPorts(std::vector<Time>(4, NanoSeconds(200)));
    Send(1);
    Simulator::Run();
    ASSERT_EQ(received.size(), 3U);
    std::vector<uint32_t> receivers;
    for (const auto& r : received)
    {
        EXPECT_EQ(r.at, NanoSeconds(500));
        EXPECT_EQ(r.bytes, PAYLOAD);
        receivers.push_back(r.device);
    }
    std::sort(receivers.begin(), receivers.end());
    EXPECT_EQ(receivers, (std::vector<uint32_t>{0, 2, 3}));
    Send(0, PAYLOAD, devices[0]->GetMulticast(Ipv4Address("224.0.0.5")));
    Simulator::Run();
    EXPECT_EQ(received.size(), 6U);
}

TEST_F(PacketSwitchTest, AnUnknownDestinationIsDroppedWithAReason)
{
    AddPorts(std::vector<Time>(3, NanoSeconds(200)));
    Send(0, PAYLOAD, Mac48Address("00:00:00:de:ad:00"));
    SendTo(0, 2);
    Simulator::Run();
    EXPECT_EQ(drops, (std::map<std::string, uint64_t>{{"unknown destination", 1}}));
    EXPECT_EQ(ArrivalsAt(2), (std::vector<Time>{NanoSeconds(600)}))
        << "it took its time on the line";
    EXPECT_EQ(received.size(), 1U);
    EXPECT_EQ(packetSwitch->GetForwarded(), 1U);
}

TEST_F(PacketSwitchTest, RefusesWhatItCannotAttachOrReach)
{
    AddPorts({NanoSeconds(10)});
    EXPECT_EQ(packetSwitch->GetNPorts(), 1U);
    const auto refusal = GetRefusal<std::invalid_argument>(
        [this] { packetSwitch->SetForwarding(Mac48Address("00:00:00:00:00:01"), 1); });
    EXPECT_NE(refusal.find("port 1 is out of range"), std::string::npos) << refusal;
    EXPECT_THROW(packetSwitch->SetBlocked(1, true), std::out_of_range);
    auto taken = DynamicCast<OpticalChannel>(devices[0]->GetChannel());
    EXPECT_THROW(packetSwitch->Attach(taken, DataRate(ROUND_RATE)), std::logic_error);
    const uint32_t other = AddDevice();
    auto fibre = CreateFibre(Time(0));
    devices[other]->Attach(fibre);
    EXPECT_THROW(packetSwitch->Attach(fibre, DataRate(0)), std::invalid_argument);
    EXPECT_EQ(packetSwitch->GetNPorts(), 1U);
    EXPECT_EQ(packetSwitch->Attach(fibre, DataRate(ROUND_RATE)), 1U)
        << "what was refused left none";
}

TEST_F(PacketSwitchTest, LivesAsLongAsItsFibres)
{
    AddPorts({NanoSeconds(10), NanoSeconds(10)});
    packetSwitch = nullptr; // as when the helper that made it goes out of scope
    SendTo(0, 1);
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(1), (std::vector<Time>{NanoSeconds(120)}));
}

TEST_F(PacketSwitchTest, ASingleFlowArrivesAsOverACircuit)
{
    constexpr uint32_t seed = 41;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    for (int round = 0; round < 40; round++)
    {
        SCOPED_TRACE("round " + std::to_string(round));
        const uint64_t bitRate = 1'000'000'000 + random();
        const Time fibres[]{NanoSeconds(random() % (round % 2 ? 50 : 20000)),
                            NanoSeconds(random() % 5000)};

        struct Posting
        {
            Time at;
            uint32_t payload;
            uint32_t count;
            bool stock;
        };

        std::vector<Posting> postings;
        for (int i = 0; i < 30; i++)
        {
            postings.push_back({NanoSeconds(random() % 60000),
                                static_cast<uint32_t>(random() % 1500),
                                static_cast<uint32_t>(1 + random() % 3),
                                round % 4 > 1 && random() % 2});
        }
        std::vector<Time> arrivals[2];
        for (bool electrical : {false, true})
        {
            if (electrical)
            {
                AddPorts({fibres[0], fibres[1]}, bitRate);
            }
            else
            {
                auto ocs = CreateObject<OpticalCircuitSwitch>();
                for (uint32_t port : {0, 1})
                {
                    AddDevice(bitRate);
                    auto fibre = CreateFibre(fibres[port]);
                    devices[port]->Attach(fibre);
                    ocs->Attach(port, fibre);
                }
                ocs->Preset({{0, 1}});
            }
            ListSource source(devices[0]);
            for (const auto& posting : postings)
            {
                At(posting.at, [this, &source, posting]() {
                    if (posting.stock)
                    {
                        SendTo(0, 1, posting.count, posting.payload);
                    }
                    else
                    {
                        source.Post(posting.payload, posting.count, AddressOf(1));
                    }
                });
            }
            Simulator::Run();
            arrivals[electrical] = ArrivalsAt(1);
            StartOver();
        }
        ASSERT_GE(arrivals[0].size(), 30U);
        ASSERT_EQ(arrivals[0], arrivals[1]);
    }
}

TEST_F(PacketSwitchTest, RandomContentionMatchesAQueueWrittenApart)
{
    constexpr uint32_t seed = 42;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    for (int round = 0; round < 20; round++)
    {
        SCOPED_TRACE("round " + std::to_string(round));
        constexpr uint32_t ports = 5;
        std::vector<Time> fibres;
        for (uint32_t i = 0; i < ports; i++)
        {
            fibres.push_back(NanoSeconds(random() % (round % 2 ? 60 : 3000)));
        }
        AddPorts(fibres);

        struct Sent
        {
            Time head; ///< first bit at the switch
            Time duration;
            uint32_t to;
        };

        std::vector<Sent> packets;
        std::vector<std::unique_ptr<ListSource>> sources;
        for (uint32_t from = 0; from < ports; from++)
        {
            sources.push_back(std::make_unique<ListSource>(devices[from]));
            Time free;
            Time at;
            for (int k = 0; k < 80; k++)
            {
                at += NanoSeconds(random() % 2 ? 0 : random() % 400);
                const uint32_t to = (from + 1 + random() % (ports - 1)) % ports;
                const uint32_t payload = 10 * (1 + random() % 200) - 8; // whole ns on the line
                At(at, [this, &sources, from, to, payload]() {
                    sources[from]->Post(payload, 1, AddressOf(to));
                });
                const Time duration = LineTime(WireBytes(payload), ROUND_RATE);
                const Time start = std::max(at, free);
                free = start + duration;
                packets.push_back({start + fibres[from], duration, to});
            }
        }
        Simulator::Run();
        for (uint32_t to = 0; to < ports; to++)
        {
            // Simultaneous heads may be served in either order: the times at which the output is
            // busy are the same, and those at which it finishes are compared as a whole.
            std::vector<Sent> queue;
            std::copy_if(packets.begin(),
                         packets.end(),
                         std::back_inserter(queue),
                         [to](const Sent& s) { return s.to == to; });
            std::stable_sort(queue.begin(), queue.end(), [](const Sent& a, const Sent& b) {
                return a.head < b.head;
            });
            const auto arrivals = ArrivalsAt(to);
            ASSERT_EQ(arrivals.size(), queue.size());
            Time free;
            for (std::size_t k = 0; k < queue.size();)
            {
                std::size_t same = k;
                while (same < queue.size() && queue[same].head == queue[k].head)
                {
                    free = std::max(free, queue[same].head) + queue[same].duration;
                    same++;
                }
                ASSERT_EQ(arrivals[same - 1], free + fibres[to]) << "packet " << same - 1;
                k = same;
            }
        }
        sources.clear();
        StartOver();
    }
}

TEST_F(PacketSwitchTest, IpFindsItsNeighboursByArp)
{
    NodeContainer nodes;
    nodes.Create(3);
    ElectricalRailHelper rail;
    rail.SetDeviceAttribute("Arp", BooleanValue(true));
    auto ports = rail.Install(nodes, 1);
    InternetStackHelper stack;
    stack.Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    auto interfaces = addresses.Assign(ports);
    uint32_t arrived = 0;
    auto receiver = Socket::CreateSocket(nodes.Get(2), UdpSocketFactory::GetTypeId());
    receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), 4000));
    receiver->SetRecvCallback(Callback<void, Ptr<Socket>>([&arrived](Ptr<Socket> socket) {
        while (auto packet = socket->Recv())
        {
            arrived += packet->GetSize();
        }
    }));
    auto sender = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
    const Address to = InetSocketAddress(interfaces.GetAddress(2), 4000);
    // ARP jitters its request and holds three packets meanwhile.
    for (int k = 0; k < 10; k++)
    {
        At(Seconds(1) * (k / 3), [sender, to]() { sender->SendTo(Create<Packet>(500), 0, to); });
    }
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    EXPECT_EQ(arrived, 10U * 500);
}

} // namespace photonic
} // namespace ns3
