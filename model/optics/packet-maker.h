/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PACKET_MAKER_H
#define PHOTONIC_PACKET_MAKER_H

#include "traffic-label.h"

#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{
namespace photonic
{

class PacketSource;

/**
 * @ingroup photonic-rails-optics
 * @brief What a transport's packets have in common, and how to make one of them.
 *
 * Most packets cross a fabric without anybody looking at their bytes. Such a packet is a maker and
 * a number, and becomes a Packet when somebody does look. A maker keeps all that this takes: a
 * packet in flight may outlive its sender.
 */
class PacketMaker : public SimpleRefCount<PacketMaker>
{
  public:
    /**
     * @param source link address of the sender @param destination link address of the receiver
     * @param protocol number of the protocol above Ethernet
     * @param receiver whom the packets are for
     * @param label of all packets
     */
    PacketMaker(Mac48Address source,
                Mac48Address destination,
                uint16_t protocol,
                const PacketSource& receiver,
                const TrafficLabel& label);
    virtual ~PacketMaker() = default;

    /**
     * @param sequence which packet @param bytes its size
     * @return the packet, without a link header
     */
    virtual Ptr<Packet> MakePacket(uint32_t sequence, uint32_t bytes) const = 0;

    /// @param sequence which packet @param bytes its size @return it, with its link header
    Ptr<Packet> MakeFramed(uint32_t sequence, uint32_t bytes) const;

    /// @return address of the link to which they go
    Mac48Address GetDestination() const
    {
        return m_destination;
    }

    /// @return the destination as a number, see ToInteger()
    uint64_t GetDestinationNumber() const
    {
        return m_destinationNumber;
    }

    /// @return EtherType
    uint16_t GetProtocol() const
    {
        return m_protocol;
    }

    /// @return what switches read of the packets
    const TrafficLabel& GetLabel() const
    {
        return m_label;
    }

    /// @param receiver a port @return whether the packets are for this one
    bool IsFor(const PacketSource* receiver) const
    {
        return m_receiver == receiver;
    }

  private:
    Mac48Address m_source;
    Mac48Address m_destination;
    uint64_t m_destinationNumber;
    uint16_t m_protocol;
    const PacketSource* m_receiver; ///< compared, never followed
    TrafficLabel m_label;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PACKET_MAKER_H
