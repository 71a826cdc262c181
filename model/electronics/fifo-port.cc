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

namespace
{

/// @param a has arrived for an output @param b as well @return whether a goes out first
bool
IsBefore(const Frame& a, const Frame& b)
{
    return a.start < b.start || (a.start == b.start && a.label.ingress < b.label.ingress);
}

} // namespace

void
FifoPort::Enqueue(const Frame& frame, uint32_t ingress)
{
    Advance();
    if (frame.train)
    {
        // Packets of two trains would come out one after the other.
        if (m_lastIngress != ingress && (CountWaiting() > 0 || frame.start < m_lastPacketStart))
        {
            frame.train->Contended("output " + std::to_string(m_number) + " of a packet switch");
        }
        m_lastIngress = ingress;
        m_lastPacketStart =
            frame.train->GetLastStart(std::max(frame.start, m_line.GetFree()), m_line.GetRate());
    }
    m_queue.Push(frame);
    m_queue.Back().label.ingress = ingress;
    // Two heads in one tick may come in the other order; the exact times decide.
    for (auto i = m_queue.GetSize() - 1; i > 0 && IsBefore(m_queue[i], m_queue[i - 1]); i--)
    {
        std::swap(m_queue[i], m_queue[i - 1]);
    }
    Advance();
    m_longest = std::max(m_longest, CountWaiting());
}

std::size_t
FifoPort::GetQueueLength()
{
    Advance();
    return CountWaiting();
}

std::size_t
FifoPort::CountWaiting()
{
    if (!CanTransmit())
    {
        return m_queue.GetSize();
    }
    // Some that are still here have started in this tick.
    const ExactTime now(Simulator::Now());
    std::size_t started = 0;
    ExactTime free = m_line.GetFree();
    for (; started < m_queue.GetSize(); started++)
    {
        const Frame& frame = m_queue[started];
        const ExactTime start = std::max(GetStart(frame.start), free);
        if (start > now)
        {
            break;
        }
        free = start + m_line.GetRate().Serialise(frame.wireBytes);
    }
    return m_queue.GetSize() - started;
}

std::size_t
FifoPort::GetLongestQueue() const
{
    return m_longest;
}

void
FifoPort::Advance()
{
    if (m_queue.IsEmpty())
    {
        return;
    }
    const ExactTime now(Simulator::Now());
    while (CanTransmit() && !m_queue.IsEmpty())
    {
        const ExactTime start = GetStart(m_queue.Front().start);
        if (start > now || !IsInOrder(m_queue.Front(), now))
        {
            m_path->Expect();
            break;
        }
        Frame frame = m_queue.Pop();
        Transmit(frame, start);
    }
}

bool
FifoPort::IsInOrder(const Frame& front, const ExactTime& now) const
{
    return front.start.Ceil() < now.GetTick() || front.train || !m_path->HidesThisTick();
}

bool
FifoPort::GetNextStart(const LightPath& path, ExactTime& start) const
{
    if (!CanTransmit() || m_queue.IsEmpty())
    {
        return false;
    }
    const Frame& front = m_queue.Front();
    start = GetStart(front.start);
    if (!path.IsCutThrough())
    {
        start = start + m_line.GetRate().Serialise(front.wireBytes);
    }
    return true;
}

} // namespace photonic
} // namespace ns3
