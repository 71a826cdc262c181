/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_ROCE_PACKETS_H
#define PHOTONIC_ROCE_PACKETS_H

#include "roce-header.h"

#include "ns3/packet-maker.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief What the headers of all packets of a message say, or those of an acknowledgement.
 */
struct RoceHeading
{
    /// What a packet is.
    enum Kind
    {
        DATA,
        ACKNOWLEDGEMENT,
        NEGATIVE,  ///< the acknowledgement of a gap
        SELECTIVE, ///< the same, and of a packet behind it
        CONGESTION,
    };

    /// @param header to be taken apart
    explicit RoceHeading(const RoceHeader& header);

    /// What the packets are.
    Kind kind;
    /// Number of the connection.
    uint32_t connection;
    uint32_t acknowledged; ///< messages, 24 bits; meaningless in data
    uint32_t selected;     ///< a packet behind a gap, 24 bits; meaningless if not SELECTIVE
    uint32_t operation;    ///< this and what follows: meaningless but in data
    /// Number of the transfer within the operation.
    uint32_t step;
    uint64_t bytes; ///< of the message
};

/**
 * @ingroup photonic-rails-transport
 * @brief The packets of one message, or an acknowledgement or notification.
 */
class RocePackets : public PacketMaker
{
  public:
    /// Joined to a packet's number: it asks for an acknowledgement. It is the bit of the header.
    static constexpr uint32_t ASK = 0x80000000;

    /// Bytes of a data packet beside its payload, and of the others; without link header.
    static constexpr uint32_t OVERHEAD = RoceHeader::SIZE + RoceHeader::ICRC_BYTES;
    /// Bytes of an acknowledgement, without link header.
    static constexpr uint32_t ACK_BYTES = RoceHeader::ACK_SIZE + RoceHeader::ICRC_BYTES;
    /// The same, of one that reports a packet beyond a gap.
    static constexpr uint32_t SACK_BYTES = RoceHeader::SACK_SIZE + RoceHeader::ICRC_BYTES;

    /**
     * @param source link address of the sender @param destination link address of the receiver
     * @param receiver the receiving port
     * @param header of each packet, but for its sequence number and size
     */
    RocePackets(Mac48Address source,
                Mac48Address destination,
                const PacketSource& receiver,
                const RoceHeader& header);

    Ptr<Packet> MakePacket(uint32_t sequence, uint32_t bytes) const override;

    /// @return what all of them have in common
    const RoceHeading& GetHeading() const
    {
        return m_heading;
    }

    /// @param number of 24 bits @param more how many @return the number after so many, in 24 bits
    static constexpr uint32_t Advance24(uint32_t number, uint32_t more)
    {
        return (number + more) & 0xffffff;
    }

  private:
    RoceHeader m_header;
    RoceHeading m_heading;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_ROCE_PACKETS_H
