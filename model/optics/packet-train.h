/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PACKET_TRAIN_H
#define PHOTONIC_PACKET_TRAIN_H

#include "exact-time.h"

#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @brief Packets of one sender, back to back, as one frame: message fidelity.
 *
 * Where nothing can come between them, when the last packet of a message arrives follows from when
 * the first one starts. A train stands for all of them and costs one event per hop. It can be cut
 * between two packets. Where something does come between them it says so, and nobody may go on.
 */
class PacketTrain : public SimpleRefCount<PacketTrain>
{
  public:
    /**
     * @param packets at least 1
     * @param packetBytes line bytes of each packet but the last
     * @param lastBytes line bytes of the last packet
     */
    PacketTrain(uint64_t packets, uint32_t packetBytes, uint32_t lastBytes)
        : m_packets(packets),
          m_packetBytes(packetBytes),
          m_lastBytes(lastBytes)
    {
    }

    virtual ~PacketTrain() = default;

    /// Called when another train would have to share a line with this one. @param where a place
    virtual void Contended(const std::string& where) = 0;

    /// @return packets in the train
    uint64_t GetPackets() const
    {
        return m_packets;
    }

    /// @return line bytes of all its packets
    uint64_t GetBytes() const
    {
        return (m_packets - 1) * m_packetBytes + m_lastBytes;
    }

    /// @return line bytes of its first packet
    uint32_t GetFirstBytes() const
    {
        return m_packets == 1 ? m_lastBytes : m_packetBytes;
    }

    /**
     * @param start of the train on a line @param rate of the line
     * @return when its last packet starts
     */
    ExactTime GetLastStart(const ExactTime& start, const LineRate& rate) const
    {
        return start + rate.Serialise((m_packets - 1) * m_packetBytes);
    }

    /**
     * @param start of the train on a line, not after now
     * @param rate of the line
     * @param now an instant
     * @return packets that have started by then
     */
    uint64_t CountStarted(const ExactTime& start, const LineRate& rate, const ExactTime& now) const
    {
        uint64_t kept = 1; // the smallest number whose successor has not started
        uint64_t most = m_packets;
        while (kept < most)
        {
            const uint64_t middle = kept + (most - kept) / 2;
            if (start + rate.Serialise(middle * m_packetBytes) <= now)
            {
                kept = middle + 1;
            }
            else
            {
                most = middle;
            }
        }
        return kept;
    }

    /**
     * Keep the packets that have started.
     * @param start of the train on a line
     * @param rate of the line
     * @param now at which the line is told to start no further packet
     * @return packets that were cut off, the last one among them; 0 if all have started
     */
    uint64_t Cut(const ExactTime& start, const LineRate& rate, const ExactTime& now)
    {
        const uint64_t kept = CountStarted(start, rate, now);
        const uint64_t cut = m_packets - kept;
        if (cut > 0)
        {
            m_packets = kept;
            m_lastBytes = m_packetBytes;
        }
        return cut;
    }

  private:
    uint64_t m_packets;
    uint32_t m_packetBytes;
    uint32_t m_lastBytes;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PACKET_TRAIN_H
