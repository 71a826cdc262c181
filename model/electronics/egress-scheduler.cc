/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "egress-scheduler.h"

namespace ns3
{
namespace photonic
{

EgressScheduler::EgressScheduler(const Settings& settings)
    : m_settings(settings)
{
}

void
EgressScheduler::Push(const Frame& frame)
{
    auto& queue = m_queues[frame.label.priority];
    queue.frames.Push(frame);
    queue.bytes += frame.wireBytes;
    m_waiting |= 1 << frame.label.priority;
    m_size++;
}

Frame
EgressScheduler::Pop(uint8_t eligible)
{
    const uint8_t priority = Choose(eligible & m_waiting);
    auto& queue = m_queues[priority];
    Frame frame = queue.frames.Pop();
    queue.bytes -= frame.wireBytes;
    m_size--;
    if (!(m_settings.strict >> priority & 1))
    {
        queue.deficit -= frame.wireBytes;
    }
    if (queue.frames.IsEmpty())
    {
        queue.deficit = 0;
        m_waiting &= ~(1 << priority);
    }
    return frame;
}

uint8_t
EgressScheduler::Choose(uint8_t candidates)
{
    if (const unsigned strict = candidates & m_settings.strict)
    {
        return 31 - __builtin_clz(strict);
    }
    for (;;)
    {
        if (candidates >> m_turn & 1)
        {
            auto& queue = m_queues[m_turn];
            if (m_begins)
            {
                queue.deficit += uint64_t(m_settings.quantum) * m_settings.weights[m_turn];
                m_begins = false;
            }
            if (queue.frames.Front().wireBytes <= queue.deficit)
            {
                return m_turn;
            }
        }
        m_turn = (m_turn + 1) % PRIORITIES;
        m_begins = true;
    }
}

} // namespace photonic
} // namespace ns3
