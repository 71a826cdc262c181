/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-header.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(RoceHeader);

namespace
{

// Offsets of fields, from the first byte of the IPv4 header.
constexpr uint32_t IP_SERVICE = 1;
constexpr uint32_t IP_LENGTH = 2;
constexpr uint32_t IP_FLAGS = 6;
constexpr uint32_t IP_TTL = 8;
constexpr uint32_t IP_PROTOCOL = 9;
constexpr uint32_t IP_CHECKSUM = 10;
constexpr uint32_t IP_SOURCE = 12;
constexpr uint32_t IP_DESTINATION = 16;
constexpr uint32_t UDP_SOURCE = 20;
constexpr uint32_t UDP_DESTINATION = 22;
constexpr uint32_t UDP_LENGTH = 24;
constexpr uint32_t BTH_OPCODE = 28;
constexpr uint32_t BTH_PARTITION = 30;
constexpr uint32_t BTH_CONNECTION = 32;
constexpr uint32_t BTH_SEQUENCE = 36;
constexpr uint32_t AETH = 40;
constexpr uint32_t MESSAGE_SEQUENCE = 40;
constexpr uint32_t MESSAGE_STEP = 44;
constexpr uint32_t MESSAGE_BYTES = 48;

constexpr uint8_t RDMA_WRITE_ONLY = 0x0a; // reliable connection, IBTA volume 1, table 38
constexpr uint8_t ACKNOWLEDGE = 0x11;     // the same
constexpr uint8_t ACK_REQUEST = 0x80;     // in the octet before the packet sequence number
constexpr uint8_t CONGESTION = 0x81;      // annex A17, 17.9.3
constexpr uint8_t BECN = 0x40;            // in the octet before the connection
constexpr uint32_t NO_CREDITS = 0x1f;     // AETH syndrome: a positive one, without credit count
constexpr uint32_t NEGATIVE = 0x60;       // AETH syndrome: packet sequence error
constexpr uint32_t SELECTIVE = 0x7f;      // a negative one with a code that is reserved
constexpr uint32_t SELECTED = 44;         // behind the AETH
constexpr uint8_t UDP = 17;
constexpr uint16_t DYNAMIC_PORTS = 0xc000; // as InfiniBand annex A17 advises for the source port

} // namespace

TypeId
RoceHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::RoceHeader")
                            .SetParent<Header>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<RoceHeader>();
    return tid;
}

RoceHeader::RoceHeader()
{
    m_bytes[0] = 0x45;        // version 4, five words
    m_bytes[IP_FLAGS] = 0x40; // do not fragment
    m_bytes[IP_TTL] = 64;
    m_bytes[IP_PROTOCOL] = UDP;
    Put16(UDP_SOURCE, DYNAMIC_PORTS);
    Put16(UDP_DESTINATION, UDP_PORT);
    m_bytes[BTH_OPCODE] = RDMA_WRITE_ONLY;
    Put16(BTH_PARTITION, 0xffff);
}

void
RoceHeader::SetAddresses(uint32_t source, uint32_t destination)
{
    Put32(IP_SOURCE, source);
    Put32(IP_DESTINATION, destination);
    SetIpChecksum();
}

void
RoceHeader::SetConnection(uint32_t connection)
{
    Put32(BTH_CONNECTION, connection & 0xffffff);
}

void
RoceHeader::SetTraffic(uint8_t priority, Ecn ecn)
{
    m_bytes[IP_SERVICE] = priority << 5 | static_cast<uint8_t>(ecn);
    SetIpChecksum();
}

void
RoceHeader::SetEntropy(uint32_t entropy)
{
    Put16(UDP_SOURCE, DYNAMIC_PORTS | (entropy & 0x3fff));
}

void
RoceHeader::SetMessage(const Message& message)
{
    Put32(MESSAGE_SEQUENCE, message.key.sequence);
    Put32(MESSAGE_STEP, message.key.step);
    Put32(MESSAGE_BYTES, message.bytes >> 32);
    Put32(MESSAGE_BYTES + 4, message.bytes & 0xffffffff);
}

void
RoceHeader::SetPacket(uint32_t sequence, uint32_t payload)
{
    Put32(BTH_SEQUENCE, sequence & 0xffffff);
    const uint16_t length = GetSerializedSize() + payload + ICRC_BYTES;
    if (Get16(IP_LENGTH) != length)
    {
        Put16(IP_LENGTH, length);
        Put16(UDP_LENGTH, length - IP_BYTES);
        SetIpChecksum();
    }
}

void
RoceHeader::RequestAcknowledgement()
{
    m_bytes[BTH_SEQUENCE] |= ACK_REQUEST;
}

void
RoceHeader::SetAcknowledgement(uint32_t messages)
{
    m_bytes[BTH_OPCODE] = ACKNOWLEDGE;
    Put32(AETH, NO_CREDITS << 24 | (messages & 0xffffff));
}

void
RoceHeader::SetNegative(uint32_t messages)
{
    m_bytes[BTH_OPCODE] = ACKNOWLEDGE;
    Put32(AETH, NEGATIVE << 24 | (messages & 0xffffff));
}

void
RoceHeader::SetSelective(uint32_t messages, uint32_t sequence)
{
    m_bytes[BTH_OPCODE] = ACKNOWLEDGE;
    Put32(AETH, SELECTIVE << 24 | (messages & 0xffffff));
    Put32(SELECTED, sequence & 0xffffff);
}

void
RoceHeader::SetCongestion()
{
    m_bytes[BTH_OPCODE] = CONGESTION;
    m_bytes[BTH_CONNECTION] |= BECN;
}

void
RoceHeader::SetIpChecksum()
{
    Put16(IP_CHECKSUM, 0);
    uint32_t sum = 0;
    for (uint32_t at = 0; at < IP_BYTES; at += 2)
    {
        sum += Get16(at);
    }
    while (sum >> 16)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    Put16(IP_CHECKSUM, ~sum);
}

void
RoceHeader::ReadFrom(const Packet& packet)
{
    const uint32_t bytes = packet.CopyData(m_bytes.data(), SIZE);
    std::fill(m_bytes.begin() + bytes, m_bytes.end(), 0);
}

uint32_t
RoceHeader::GetSource() const
{
    return Get32(IP_SOURCE);
}

bool
RoceHeader::IsTraining() const
{
    return m_bytes[IP_PROTOCOL] == UDP && Get16(UDP_DESTINATION) == UDP_PORT;
}

bool
RoceHeader::IsValid() const
{
    constexpr uint8_t ipv4 = 0x45; // without options
    const uint8_t opcode = m_bytes[BTH_OPCODE];
    return IsTraining() && m_bytes[0] == ipv4 &&
           (opcode == RDMA_WRITE_ONLY || opcode == ACKNOWLEDGE || opcode == CONGESTION) &&
           Get16(IP_LENGTH) >= GetSerializedSize() + ICRC_BYTES;
}

bool
RoceHeader::IsAcknowledgement() const
{
    return m_bytes[BTH_OPCODE] == ACKNOWLEDGE;
}

bool
RoceHeader::IsNegative() const
{
    return IsAcknowledgement() && m_bytes[AETH] >= NEGATIVE;
}

bool
RoceHeader::IsSelective() const
{
    return IsAcknowledgement() && m_bytes[AETH] == SELECTIVE;
}

bool
RoceHeader::IsCongestion() const
{
    return m_bytes[BTH_OPCODE] == CONGESTION;
}

uint32_t
RoceHeader::GetSelected() const
{
    return Get32(SELECTED) & 0xffffff;
}

Ecn
RoceHeader::GetEcn() const
{
    return static_cast<Ecn>(m_bytes[IP_SERVICE] & 3);
}

bool
RoceHeader::RequestsAcknowledgement() const
{
    return m_bytes[BTH_SEQUENCE] & ACK_REQUEST;
}

uint32_t
RoceHeader::GetAcknowledged() const
{
    return Get32(AETH) & 0xffffff;
}

uint32_t
RoceHeader::GetConnection() const
{
    return Get32(BTH_CONNECTION) & 0xffffff;
}

uint32_t
RoceHeader::GetPacketSequence() const
{
    return Get32(BTH_SEQUENCE) & 0xffffff;
}

uint32_t
RoceHeader::GetOperationSequence() const
{
    return Get32(MESSAGE_SEQUENCE);
}

uint32_t
RoceHeader::GetStep() const
{
    return Get32(MESSAGE_STEP);
}

uint64_t
RoceHeader::GetMessageBytes() const
{
    return uint64_t(Get32(MESSAGE_BYTES)) << 32 | Get32(MESSAGE_BYTES + 4);
}

uint32_t
RoceHeader::GetPayload() const
{
    return Get16(IP_LENGTH) - SIZE - ICRC_BYTES;
}

TrafficLabel
RoceHeader::GetLabel() const
{
    return TrafficLabel::OfIp(m_bytes.data(), SIZE);
}

TypeId
RoceHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RoceHeader::Print(std::ostream& os) const
{
    os << "connection=" << GetConnection() << " packet=" << GetPacketSequence();
    if (IsCongestion())
    {
        os << " congestion";
        return;
    }
    if (IsAcknowledgement())
    {
        os << (IsNegative() ? " missing, acknowledged=" : " acknowledged=") << GetAcknowledged();
        if (IsSelective())
        {
            os << " arrived=" << GetSelected();
        }
        return;
    }
    os << " operation=" << GetOperationSequence() << " step=" << GetStep()
       << " message=" << GetMessageBytes() << " B payload=" << GetPayload() << " B";
}

uint32_t
RoceHeader::GetSerializedSize() const
{
    return IsSelective() ? SACK_SIZE : IsAcknowledgement() ? ACK_SIZE : SIZE;
}

void
RoceHeader::Serialize(Buffer::Iterator start) const
{
    start.Write(m_bytes.data(), GetSerializedSize());
}

uint32_t
RoceHeader::Deserialize(Buffer::Iterator start)
{
    const uint32_t bytes = std::min(SIZE, start.GetRemainingSize());
    start.Read(m_bytes.data(), bytes);
    std::fill(m_bytes.begin() + bytes, m_bytes.end(), 0);
    return std::min(bytes, GetSerializedSize());
}

void
RoceHeader::Put16(uint32_t at, uint16_t value)
{
    m_bytes[at] = value >> 8;
    m_bytes[at + 1] = value & 0xff;
}

void
RoceHeader::Put32(uint32_t at, uint32_t value)
{
    Put16(at, value >> 16);
    Put16(at + 2, value & 0xffff);
}

uint16_t
RoceHeader::Get16(uint32_t at) const
{
    return m_bytes[at] << 8 | m_bytes[at + 1];
}

uint32_t
RoceHeader::Get32(uint32_t at) const
{
    return uint32_t(Get16(at)) << 16 | Get16(at + 2);
}

} // namespace photonic
} // namespace ns3
