/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "packet-maker.h"

#include "optical-frame.h"

#include "ns3/ethernet-header.h"

namespace ns3
{
namespace photonic
{

PacketMaker::PacketMaker(Mac48Address source,
                         Mac48Address destination,
                         uint16_t protocol,
                         const PacketSource& receiver,
                         const TrafficLabel& label)
    : m_source(source),
      m_destination(destination),
      m_destinationNumber(ToInteger(destination)),
      m_protocol(protocol),
      m_receiver(&receiver),
      m_label(label)
{
}

Ptr<Packet>
PacketMaker::MakeFramed(uint32_t sequence, uint32_t bytes) const
{
    auto packet = MakePacket(sequence, bytes);
    EthernetHeader header(false);
    header.SetSource(m_source);
    header.SetDestination(m_destination);
    header.SetLengthType(m_protocol);
    packet->AddHeader(header);
    return packet;
}

} // namespace photonic
} // namespace ns3
