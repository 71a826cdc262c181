/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "transmit-queue.h"

#include "traffic-label.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(TransmitQueue);

TypeId
TransmitQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::TransmitQueue")
            .SetParent<Queue<Packet>>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<TransmitQueue>()
            .AddAttribute("MaxSize",
                          "The most that waits.",
                          QueueSizeValue(QueueSize("100p")),
                          MakeQueueSizeAccessor(&QueueBase::SetMaxSize, &QueueBase::GetMaxSize),
                          MakeQueueSizeChecker());
    return tid;
}

void
TransmitQueue::SetPaused(uint8_t priorities)
{
    m_paused = priorities;
}

bool
TransmitQueue::Enqueue(Ptr<Packet> packet)
{
    return DoEnqueue(End(), packet);
}

Ptr<Packet>
TransmitQueue::Dequeue()
{
    const auto at = Find();
    return at == End() ? nullptr : DoDequeue(at);
}

Ptr<Packet>
TransmitQueue::Remove()
{
    const auto at = Find();
    return at == End() ? nullptr : DoRemove(at);
}

Ptr<const Packet>
TransmitQueue::Peek() const
{
    const auto at = Find();
    return at == End() ? nullptr : DoPeek(at);
}

TransmitQueue::ConstIterator
TransmitQueue::Find() const
{
    if (m_paused == 0)
    {
        return Begin();
    }
    return std::find_if(Begin(), End(), [this](const Ptr<Packet>& packet) {
        return !(m_paused >> TrafficLabel::Of(*packet).priority & 1);
    });
}

} // namespace photonic
} // namespace ns3
