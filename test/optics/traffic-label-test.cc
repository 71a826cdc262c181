/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "electronics/fabric-test-helper.h"

#include "ns3/ethernet-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/traffic-label.h"

#include <set>

namespace ns3
{
namespace photonic
{

namespace
{

/// Gives access to the packets of FabricTest.
class Packets : public FabricTest
{
  public:
    static Ptr<Packet> Make(uint32_t to, uint16_t port, uint8_t priority, Ipv4Header::EcnType ecn)
    {
        auto packet = MakeUdp(1, to, 200, port, priority, ecn);
        AddLink(*packet, IPV4);
        return packet;
    }

    static void AddLink(Packet& packet, uint16_t protocol)
    {
        EthernetHeader ethernet(false);
        ethernet.SetLengthType(protocol);
        packet.AddHeader(ethernet);
    }

    void TestBody() override
    {
    }
};

Ptr<Packet>
MakeUdpPacket(bool checksum)
{
    auto packet = Create<Packet>(100);
    Ipv4Header ip;
    ip.SetSource(Ipv4Address("10.1.2.3"));
    ip.SetDestination(Ipv4Address("10.4.5.6"));
    ip.SetProtocol(17);
    ip.SetPayloadSize(100);
    ip.SetTtl(63);
    ip.SetIdentification(4711);
    ip.SetDontFragment();
    ip.SetTos(3 << 5);
    ip.SetEcn(Ipv4Header::ECN_ECT0);
    if (checksum)
    {
        ip.EnableChecksum();
    }
    packet->AddHeader(ip);
    Packets::AddLink(*packet, 0x0800);
    return packet;
}

std::vector<uint8_t>
GetBytes(const Packet& packet)
{
    std::vector<uint8_t> bytes(packet.GetSize());
    packet.CopyData(bytes.data(), bytes.size());
    return bytes;
}

} // namespace

TEST(TrafficLabel, ReadsClassAndMarkOfIp)
{
    for (uint8_t priority = 0; priority < 8; priority++)
    {
        const auto label =
            TrafficLabel::Of(*Packets::Make(2, 0xc000, priority, Ipv4Header::ECN_ECT0));
        EXPECT_EQ(label.priority, priority);
        EXPECT_EQ(label.ecn, Ecn::ECT_0);
    }
    EXPECT_EQ(TrafficLabel::Of(*Packets::Make(2, 1, 0, Ipv4Header::ECN_NotECT)).ecn, Ecn::NOT_ECT);
    EXPECT_EQ(TrafficLabel::Of(*Packets::Make(2, 1, 0, Ipv4Header::ECN_CE)).ecn, Ecn::CE);
    Ipv6Header ip;
    ip.SetTrafficClass(5 << 5 | 2);
    auto packet = Create<Packet>(100);
    packet->AddHeader(ip);
    Packets::AddLink(*packet, 0x86dd);
    EXPECT_EQ(TrafficLabel::Of(*packet).priority, 5);
    EXPECT_EQ(TrafficLabel::Of(*packet).ecn, Ecn::ECT_0);
}

TEST(TrafficLabel, TellsFlowsApartAndPacketsOfOneNot)
{
    std::set<uint32_t> flows;
    for (uint32_t to = 2; to < 34; to++)
    {
        for (uint16_t port = 0xc000; port < 0xc020; port++)
        {
            const auto label = TrafficLabel::Of(*Packets::Make(to, port, 3, Ipv4Header::ECN_ECT0));
            flows.insert(label.flow);
            // Neither the class nor a mark on the way may change the path.
            EXPECT_EQ(TrafficLabel::Of(*Packets::Make(to, port, 3, Ipv4Header::ECN_CE)).flow,
                      label.flow);
        }
    }
    EXPECT_EQ(flows.size(), 32U * 32);
}

TEST(TrafficLabel, AMarkChangesTheEcnFieldAndTheChecksumOnly)
{
    for (bool checksum : {false, true})
    {
        auto packet = MakeUdpPacket(checksum);
        const auto before = GetBytes(*packet);
        MarkCongestion(*packet);
        const auto after = GetBytes(*packet);
        ASSERT_EQ(before.size(), after.size());
        for (std::size_t i = 0; i < before.size(); i++)
        {
            if (i != 15 && (!checksum || (i != 24 && i != 25)))
            {
                EXPECT_EQ(after[i], before[i]) << "byte " << i;
            }
        }
        EXPECT_EQ(after[15], before[15] | 3);
        // RFC 1071: the sum over the header, checksum included, is all ones.
        uint32_t sum = 0;
        for (std::size_t i = 14; i < 34; i += 2)
        {
            sum += after[i] << 8 | after[i + 1];
        }
        sum = (sum & 0xffff) + (sum >> 16);
        EXPECT_EQ(checksum, sum == 0xffff);
    }
}

TEST(TrafficLabel, LeavesOtherPacketsAlone)
{
    auto packet = Create<Packet>(100);
    Packets::AddLink(*packet, PROTOCOL);
    const auto before = GetBytes(*packet);
    MarkCongestion(*packet);
    EXPECT_EQ(GetBytes(*packet), before);
    EXPECT_EQ(TrafficLabel::Of(*packet).priority, 0);
}

} // namespace photonic
} // namespace ns3
