/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_EGRESS_SCHEDULER_H
#define PHOTONIC_EGRESS_SCHEDULER_H

#include "ns3/optical-frame.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-electronics
 * @brief The queues of an output, one for each priority, and which of them is served next.
 *
 * Strict priorities come first, the highest before all others. The rest share what these leave by
 * deficit round robin (Shreedhar and Varghese 1995) in proportion to their weights.
 */
class EgressScheduler
{
  public:
    /// Who comes first, and whose share is how large.
    struct Settings
    {
        uint8_t strict;                           ///< a bit for each strict priority
        uint32_t quantum;                         ///< line bytes of weight 1 in a round
        std::array<uint32_t, PRIORITIES> weights; ///< of the others, at least 1
    };

    /// @param settings as stated there
    explicit EgressScheduler(const Settings& settings);

    /// @param frame joins the queue of its priority
    void Push(const Frame& frame);

    /// @return a bit for each priority that has packets
    uint8_t GetWaiting() const
    {
        return m_waiting;
    }

    /// @param priority that has packets @return the first of them
    const Frame& Front(uint8_t priority) const
    {
        return m_queues[priority].frames.Front();
    }

    /// @param eligible a bit for each priority that may be served; one of them has packets
    /// @return a packet, which is gone from here
    Frame Pop(uint8_t eligible);

    /// @param priority one of them @return line bytes in its queue
    uint64_t GetBytes(uint8_t priority) const
    {
        return m_queues[priority].bytes;
    }

    /// @return packets in all queues
    std::size_t GetSize() const
    {
        return m_size;
    }

  private:
    struct ClassQueue
    {
        FrameQueue frames;
        uint64_t bytes{0};
        uint64_t deficit{0}; ///< that it may still send in this round
    };

    uint8_t Choose(uint8_t candidates);

    Settings m_settings;
    std::array<ClassQueue, PRIORITIES> m_queues;
    uint8_t m_waiting{0};
    std::size_t m_size{0};
    uint8_t m_turn{0};   ///< whose turn it is in the round
    bool m_begins{true}; ///< its turn has just begun
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_EGRESS_SCHEDULER_H
