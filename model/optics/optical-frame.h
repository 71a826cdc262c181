/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTICAL_FRAME_H
#define PHOTONIC_OPTICAL_FRAME_H

#include "exact-time.h"
#include "packet-maker.h"
#include "packet-train.h"
#include "traffic-label.h"

#include "ns3/mac48-address.h"
#include "ns3/packet.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @param address a link address
 * @return its 48 bits, the first octet highest: cheaper to look up than the class
 */
uint64_t ToInteger(Mac48Address address);

/// In ToInteger(): the address means a group of devices.
constexpr uint64_t GROUP_ADDRESS_BIT = uint64_t(1) << 40;

/**
 * @ingroup photonic-rails-optics
 * @brief A packet, or a train of packets, on a line.
 */
struct Frame
{
    Ptr<Packet> packet;           ///< with its link header; null for a train, or if not made yet
    Ptr<PacketTrain> train;       ///< many packets at once
    Ptr<const PacketMaker> maker; ///< of a packet that nobody has looked at when it was sent
    uint32_t sequence{0};         ///< for the maker: which packet
    uint32_t bytes{0};            ///< for the maker: its size without link header
    uint64_t destination{0};      ///< link address, see ToInteger()
    uint64_t wireBytes{0};        ///< preamble, headers, payload, check sequence and gap
    TrafficLabel label;           ///< what switches read
    ExactTime start;              ///< first bit leaves the transmitter
    ExactTime end;                ///< last bit leaves the transmitter

    /// @return the packet of a frame that is no train; made now if nobody has looked at it before
    const Ptr<Packet>& GetPacket()
    {
        if (!packet)
        {
            packet = maker->MakeFramed(sequence, bytes);
            if (label.ecn == Ecn::CE)
            {
                MarkCongestion(*packet);
            }
        }
        return packet;
    }

    /// Set the congestion mark, whether there is a packet yet or not.
    void Mark()
    {
        label.ecn = Ecn::CE;
        if (packet)
        {
            MarkCongestion(*packet);
        }
    }
};

/**
 * @ingroup photonic-rails-optics
 * @brief Frames, first in, first out, in a ring that grows: nothing is allocated as it turns.
 */
class FrameQueue
{
  public:
    /// @return whether there are no frames
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    /// @return number of frames
    std::size_t GetSize() const
    {
        return m_size;
    }

    /// @param i counted from the front, less than GetSize() @return the frame there
    Frame& operator[](std::size_t i)
    {
        return m_ring[(m_first + i) & (m_ring.size() - 1)];
    }

    /// @return the oldest, if not IsEmpty()
    const Frame& Front() const
    {
        return m_ring[m_first];
    }

    /// @return the newest, if not IsEmpty()
    Frame& Back()
    {
        return (*this)[m_size - 1];
    }

    /// @param frame the new last one
    void Push(const Frame& frame)
    {
        if (m_size == m_ring.size())
        {
            Grow();
        }
        m_size++;
        Back() = frame;
    }

    /// @return the first frame, which is gone from here
    Frame Pop()
    {
        Frame& slot = m_ring[m_first];
        Frame frame = slot;
        slot.packet = nullptr;
        slot.train = nullptr;
        slot.maker = nullptr;
        m_first = (m_first + 1) & (m_ring.size() - 1);
        m_size--;
        return frame;
    }

  private:
    void Grow();

    std::vector<Frame> m_ring; ///< its size is a power of 2, or 0
    std::size_t m_first{0};
    std::size_t m_size{0};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTICAL_FRAME_H
