/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FIFO_PORT_H
#define PHOTONIC_FIFO_PORT_H

#include "switch-port.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-electronics
 * @brief The port of an ideal switch: packets start at the exact instant of their first bit, or one
 * after the other, first in, first out. There is room for all.
 *
 * Of packets whose first bits arrive at one instant the one of the lower ingress goes first,
 * whichever the simulator handles first: a packet leaves the queue when its tick is over.
 */
class FifoPort : public SwitchPort
{
  public:
    using SwitchPort::SwitchPort;

    // inherited from SwitchPort
    void Enqueue(const Frame& frame, uint32_t ingress) override;
    std::size_t GetQueueLength() override;
    std::size_t GetLongestQueue() const override;
    void Advance() override;
    bool GetNextStart(const LightPath& path, ExactTime& start) const override;

  private:
    bool IsInOrder(const Frame& front, const ExactTime& now) const;
    std::size_t CountWaiting();

    FrameQueue m_queue; ///< in order of arrival; start is when the first bit arrived here
    std::size_t m_longest{0};
    uint32_t m_lastIngress{0};   ///< of the last train
    ExactTime m_lastPacketStart; ///< of the last train
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FIFO_PORT_H
