/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fifo-port.h"

#include <algorithm>
#include <string>

namespace ns3
{
namespace photonic
{

void
FifoPort::Enqueue(const Frame& frame, uint32_t ingress)
{
    const ExactTime now(Simulator::Now());
    AdvanceTo(now);
    if (frame.train)
    {
        // Packets of two trains would come out one after the other.
        if (m_lastIngress != ingress && (!m_queue.IsEmpty() || frame.start < m_lastPacketStart))
        {
            frame.train->Contended("output " + std::to_string(m_number) + " of a packet switch");
        }
        m_lastIngress = ingress;
        m_lastPacketStart =
            frame.train->GetLastStart(std::max(frame.start, m_line.GetFree()), m_line.GetRate());
    }
    m_queue.Push(frame);
    // Two heads in one tick may come in the other order; the exact times decide.
    for (auto i = m_queue.GetSize() - 1; i > 0 && frame.start < m_queue[i - 1].start; i--)
    {
        std::swap(m_queue[i], m_queue[i - 1]);
    }
    AdvanceTo(now);
    m_longest = std::max(m_longest, m_queue.GetSize());
}

std::size_t
FifoPort::GetQueueLength()
{
    Advance();
    return m_queue.GetSize();
}

std::size_t
FifoPort::GetLongestQueue() const
{
    return m_longest;
}

void
FifoPort::Advance()
{
    if (!m_queue.IsEmpty())
    {
        AdvanceTo(ExactTime(Simulator::Now()));
    }
}

bool
FifoPort::GetNextStart(const LightPath&, ExactTime& start) const
{
    if (!CanTransmit() || m_queue.IsEmpty())
    {
        return false;
    }
    start = GetStart(m_queue.Front().start);
    return true;
}

void
FifoPort::AdvanceTo(const ExactTime& now)
{
    while (CanTransmit() && !m_queue.IsEmpty())
    {
        const ExactTime start = GetStart(m_queue.Front().start);
        if (start > now)
        {
            m_path->Expect();
            break;
        }
        Frame frame = m_queue.Pop();
        Transmit(frame, start);
    }
}

} // namespace photonic
} // namespace ns3
