/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_ROCE_HEADER_H
#define PHOTONIC_ROCE_HEADER_H

#include "message.h"

#include "ns3/header.h"
#include "ns3/packet.h"
#include "ns3/traffic-label.h"

#include <array>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief The headers of a training packet above Ethernet, as RoCEv2 carries them.
 *
 * IPv4 (20 bytes, RFC 791), UDP to port 4791 (8, RFC 768), InfiniBand base transport header (12,
 * IBTA volume 1, 9.2) and a 16-byte extended header in the place and size of the RDMA one:
 * operation sequence, transfer step and size of the whole message, which is what a receiver matches
 * by. The 4-byte invariant check sequence follows the payload and is accounted for by ICRC_BYTES.
 * In an acknowledgement the extended header is the ACK one (AETH, 4 bytes, 9.2), and there is no
 * payload. A selective one (Mittal et al. 2018) has 4 bytes more, the sequence number of a packet;
 * its syndrome is one that IBTA reserves. A congestion notification (annex A17, 17.9.3) has 16
 * bytes of zeroes.
 *
 * Kept as the bytes on the wire, since a header is written and read once per packet.
 */
class RoceHeader : public Header
{
  public:
    /// Of the IPv4 header.
    static constexpr uint32_t IP_BYTES = 20;
    static constexpr uint32_t SIZE = 56;      ///< all four headers
    static constexpr uint32_t ACK_SIZE = 44;  ///< the same of an acknowledgement
    static constexpr uint32_t SACK_SIZE = 48; ///< of a selective one
    static constexpr uint32_t ICRC_BYTES = 4; ///< after the payload
    /// EtherType of IPv4.
    static constexpr uint16_t PROTOCOL = 0x0800;
    /// Destination port of RoCEv2.
    static constexpr uint16_t UDP_PORT = 4791;

    /// @param mtu IP MTU in bytes @return payload that fits into a packet
    static constexpr uint32_t GetMaxPayload(uint16_t mtu)
    {
        return mtu - SIZE - ICRC_BYTES;
    }

    /// @return the TypeId
    static TypeId GetTypeId();

    RoceHeader();

    /**
     * @param source IPv4 address of the sending port, as an integer
     * @param destination IPv4 address of the receiving port
     */
    void SetAddresses(uint32_t source, uint32_t destination);
    /// @param connection at the receiver (destination queue pair), 24 bits
    void SetConnection(uint32_t connection);
    /// @param priority class of traffic, as the class selector of the DSCP @param ecn the ECN field
    void SetTraffic(uint8_t priority, Ecn ecn);
    /// @param entropy that tells this flow from others of its ports: 14 bits of UDP source port
    void SetEntropy(uint32_t entropy);
    /// @param message whose packets these are
    void SetMessage(const Message& message);
    /// @param sequence packet sequence number, 24 bits @param payload bytes in this packet
    void SetPacket(uint32_t sequence, uint32_t payload);
    /// Ask for an acknowledgement of this packet.
    void RequestAcknowledgement();
    /// Make it an acknowledgement. @param messages that have arrived (MSN), 24 bits
    void SetAcknowledgement(uint32_t messages);
    /// Make it a negative acknowledgement of a packet that is missing. @param messages as above
    void SetNegative(uint32_t messages);
    /// Make it a selective one of a packet behind the missing one. @param messages as above
    /// @param sequence of the packet that has arrived, 24 bits
    void SetSelective(uint32_t messages, uint32_t sequence);
    /// Make it a congestion notification, after SetConnection().
    void SetCongestion();

    /**
     * The same as Packet::PeekHeader(), in a tenth of its time: a header is read once per packet.
     * @param packet whose first bytes are read; missing ones count as 0
     */
    void ReadFrom(const Packet& packet);

    /// @return IPv4 address of the sending port
    uint32_t GetSource() const;
    /// @return whether this is a packet of the training transport at all
    bool IsTraining() const;
    /// @return whether it is one that this module sends: of the training transport, of a known
    /// kind,
    ///         and of a length that holds its headers
    bool IsValid() const;
    /// @return whether it is an acknowledgement of any kind
    bool IsAcknowledgement() const;
    /// @return whether a packet is reported missing, selectively or not
    bool IsNegative() const;
    /// @return whether it says which packet has arrived behind the missing one
    bool IsSelective() const;
    /// @return whether it is a congestion notification
    bool IsCongestion() const;
    /// @return sequence number of the packet that has arrived; of a selective acknowledgement
    uint32_t GetSelected() const;
    /// @return the ECN field
    Ecn GetEcn() const;
    /// @return whether an acknowledgement is asked for
    bool RequestsAcknowledgement() const;
    /// @return messages that have arrived, 24 bits; of an acknowledgement
    uint32_t GetAcknowledged() const;
    /// @return number of the connection
    uint32_t GetConnection() const;
    /// @return number of the packet, 24 bits
    uint32_t GetPacketSequence() const;
    /// @return number of the operation in its communicator
    uint32_t GetOperationSequence() const;
    /// @return number of the transfer within the operation
    uint32_t GetStep() const;
    /// @return bytes of the whole message
    uint64_t GetMessageBytes() const;
    /// @return bytes of the packet that belong to the message
    uint32_t GetPayload() const;
    /// @return what switches read
    TrafficLabel GetLabel() const;

    // inherited from Header
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    void Put16(uint32_t at, uint16_t value);
    void Put32(uint32_t at, uint32_t value);
    uint16_t Get16(uint32_t at) const;
    uint32_t Get32(uint32_t at) const;
    void SetIpChecksum();

    std::array<uint8_t, SIZE> m_bytes{};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_ROCE_HEADER_H
