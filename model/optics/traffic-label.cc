/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "traffic-label.h"

#include "ns3/ethernet-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"

#include <array>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr std::size_t ETHERNET_BYTES = 14;
constexpr std::size_t IPV4_BYTES = 20;
constexpr std::size_t IPV6_BYTES = 40;
constexpr std::size_t IPV4_CHECKSUM = 10;
constexpr uint16_t IPV4 = 0x0800;
constexpr uint16_t IPV6 = 0x86dd;
constexpr uint8_t TCP = 6;
constexpr uint8_t UDP = 17;

/// @return 32 bits in which every bit of the bytes counts: FNV-1a, and MurmurHash3's finaliser
uint32_t
Hash(const uint8_t* bytes, std::size_t count, uint32_t hash = 2166136261)
{
    for (std::size_t i = 0; i < count; i++)
    {
        hash = (hash ^ bytes[i]) * 16777619;
    }
    hash = (hash ^ hash >> 16) * 0x85ebca6b;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35;
    return hash ^ hash >> 16;
}

uint16_t
GetProtocol(const uint8_t* frame)
{
    return frame[12] << 8 | frame[13];
}

} // namespace

TrafficLabel
TrafficLabel::OfIp(const uint8_t* ip, std::size_t bytes)
{
    TrafficLabel label;
    uint8_t service; // DSCP and ECN
    uint8_t protocol;
    std::size_t ports;
    if (bytes >= IPV4_BYTES && ip[0] >> 4 == 4)
    {
        service = ip[1];
        protocol = ip[9];
        ports = (ip[0] & 0xf) * 4;
        label.flow = Hash(ip + 12, 8);
    }
    else if (bytes >= IPV6_BYTES && ip[0] >> 4 == 6)
    {
        service = ip[0] << 4 | ip[1] >> 4;
        protocol = ip[6];
        ports = IPV6_BYTES;
        label.flow = Hash(ip + 8, 32);
    }
    else
    {
        return label;
    }
    label.priority = service >> 5;
    label.ecn = static_cast<Ecn>(service & 3);
    label.flow = Hash(&protocol, 1, label.flow);
    if ((protocol == TCP || protocol == UDP) && bytes >= ports + 4)
    {
        label.flow = Hash(ip + ports, 4, label.flow);
    }
    return label;
}

TrafficLabel
TrafficLabel::Of(const Packet& packet)
{
    std::array<uint8_t, ETHERNET_BYTES + IPV6_BYTES + 4> bytes{};
    const std::size_t count = packet.CopyData(bytes.data(), bytes.size());
    const uint16_t protocol = GetProtocol(bytes.data());
    if (count > ETHERNET_BYTES && (protocol == IPV4 || protocol == IPV6))
    {
        return OfIp(bytes.data() + ETHERNET_BYTES, count - ETHERNET_BYTES);
    }
    TrafficLabel label;
    label.flow = Hash(bytes.data(), ETHERNET_BYTES);
    return label;
}

void
MarkCongestion(Packet& packet)
{
    std::array<uint8_t, ETHERNET_BYTES + IPV4_BYTES> bytes{};
    packet.CopyData(bytes.data(), bytes.size());
    const uint16_t protocol = GetProtocol(bytes.data());
    if (protocol != IPV4 && protocol != IPV6)
    {
        return;
    }
    EthernetHeader ethernet(false);
    packet.RemoveHeader(ethernet);
    if (protocol == IPV4)
    {
        const uint8_t* checksum = bytes.data() + ETHERNET_BYTES + IPV4_CHECKSUM;
        Ipv4Header ip;
        packet.RemoveHeader(ip);
        ip.SetEcn(Ipv4Header::ECN_CE);
        if (checksum[0] != 0 || checksum[1] != 0)
        {
            ip.EnableChecksum();
        }
        packet.AddHeader(ip);
    }
    else
    {
        Ipv6Header ip;
        packet.RemoveHeader(ip);
        ip.SetEcn(Ipv6Header::ECN_CE);
        packet.AddHeader(ip);
    }
    packet.AddHeader(ethernet);
}

} // namespace photonic
} // namespace ns3
