/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-packets.h"

namespace ns3
{
namespace photonic
{

namespace
{

RoceHeading::Kind
KindOf(const RoceHeader& header)
{
    if (header.IsCongestion())
    {
        return RoceHeading::CONGESTION;
    }
    if (!header.IsAcknowledgement())
    {
        return RoceHeading::DATA;
    }
    return header.IsSelective()  ? RoceHeading::SELECTIVE
           : header.IsNegative() ? RoceHeading::NEGATIVE
                                 : RoceHeading::ACKNOWLEDGEMENT;
}

} // namespace

RoceHeading::RoceHeading(const RoceHeader& header)
    : kind(KindOf(header)),
      connection(header.GetConnection()),
      acknowledged(header.GetAcknowledged()),
      selected(header.GetSelected()),
      operation(header.GetOperationSequence()),
      step(header.GetStep()),
      bytes(header.GetMessageBytes())
{
}

RocePackets::RocePackets(Mac48Address source,
                         Mac48Address destination,
                         const PacketSource& receiver,
                         const RoceHeader& header)
    : PacketMaker(source, destination, RoceHeader::PROTOCOL, receiver, header.GetLabel()),
      m_header(header),
      m_heading(header)
{
}

Ptr<Packet>
RocePackets::MakePacket(uint32_t sequence, uint32_t bytes) const
{
    RoceHeader header = m_header;
    const uint32_t behind = bytes - header.GetSerializedSize();
    header.SetPacket(sequence, behind - RoceHeader::ICRC_BYTES);
    if (sequence & ASK)
    {
        header.RequestAcknowledgement();
    }
    auto packet = Create<Packet>(behind);
    packet->AddHeader(header);
    return packet;
}

} // namespace photonic
} // namespace ns3
