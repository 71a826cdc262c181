/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAFFIC_LABEL_H
#define PHOTONIC_TRAFFIC_LABEL_H

#include "ns3/packet.h"

#include <cstddef>
#include <cstdint>

namespace ns3
{
namespace photonic
{

/// Classes of traffic on a line, IEEE 802.1Q.
constexpr uint8_t PRIORITIES = 8;

/// The ECN field of an IP header, RFC 3168.
enum class Ecn : uint8_t
{
    NOT_ECT = 0, ///< the transport does not react to congestion marks
    ECT_1 = 1,
    ECT_0 = 2, ///< it does
    CE = 3,    ///< marked
};

/**
 * @ingroup photonic-rails-optics
 * @brief What a packet switch reads of a packet's headers, so that it needs no packet.
 */
struct TrafficLabel
{
    uint32_t flow{0};      ///< hash of what tells flows apart
    uint8_t priority{0};   ///< class of traffic, below PRIORITIES
    Ecn ecn{Ecn::NOT_ECT}; ///< congestion mark
    uint16_t ingress{0};   ///< of the switch that holds the packet, for its own use

    /**
     * Of an IP packet: the priority is the class selector of its DSCP (RFC 2474, 4.2.2), the flow
     * a hash of addresses, protocol and, where they are, UDP or TCP ports.
     * @param ip first byte of an IPv4 or IPv6 header
     * @param bytes that can be read
     * @return the label; the default one if this is neither
     */
    static TrafficLabel OfIp(const uint8_t* ip, std::size_t bytes);

    /// @param packet with its Ethernet header @return its label; of other protocols a flow only
    static TrafficLabel Of(const Packet& packet);
};

/**
 * @ingroup photonic-rails-optics
 * Set the ECN field of an IP packet to CE, and its IPv4 checksum, if it has one, to what follows.
 * @param packet with its Ethernet header; another than an IP packet stays as it is
 */
void MarkCongestion(Packet& packet);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAFFIC_LABEL_H
