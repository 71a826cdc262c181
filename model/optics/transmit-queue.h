/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRANSMIT_QUEUE_H
#define PHOTONIC_TRANSMIT_QUEUE_H

#include "ns3/packet.h"
#include "ns3/photonic-compat.h"

#include <cstdint>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @brief A drop-tail queue of packets with their Ethernet headers, first in, first out, that passes
 * over classes of traffic which are paused.
 */
class TransmitQueue : public OpenQueue
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param priorities a bit for each class that waits
    void SetPaused(uint8_t priorities);

    // inherited from Queue
    bool Enqueue(Ptr<Packet> packet) override;
    Ptr<Packet> Dequeue() override;
    Ptr<Packet> Remove() override;
    /// @return the packet that Dequeue() would, or null
    Ptr<const Packet> Peek() const override;

  private:
    ConstIterator Find() const;

    uint8_t m_paused{0};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRANSMIT_QUEUE_H
