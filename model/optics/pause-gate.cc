/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "pause-gate.h"

#include <utility>

namespace ns3
{
namespace photonic
{

PauseGate::PauseGate(std::function<void()> before, std::function<void()> after)
    : m_before(std::move(before)),
      m_after(std::move(after))
{
}

PauseGate::~PauseGate()
{
    for (auto& end : m_ends)
    {
        end.Cancel();
    }
}

void
PauseGate::Receive(const PauseHeader& header, const LineRate& rate)
{
    m_before();
    for (uint8_t p = 0; p < PRIORITIES; p++)
    {
        if (header.IsMeant(p))
        {
            const uint64_t quanta = header.GetTime(p);
            m_ends[p].Remove(); // not Cancel(): it would lengthen the simulation
            Set(p, quanta > 0);
            if (quanta > 0)
            {
                m_ends[p] = Simulator::Schedule(
                    rate.Serialise(quanta * PauseHeader::QUANTUM_BYTES).ToTime(),
                    &PauseGate::Expire,
                    this,
                    p);
            }
        }
    }
    m_after();
}

Time
PauseGate::GetPausedTime(uint8_t priority) const
{
    const bool paused = m_paused >> priority & 1;
    return m_total[priority] + (paused ? Simulator::Now() - m_since[priority] : Time(0));
}

void
PauseGate::Set(uint8_t priority, bool paused)
{
    const uint8_t bit = 1 << priority;
    if (!paused)
    {
        m_total[priority] = GetPausedTime(priority);
        m_paused &= ~bit;
    }
    else if (!(m_paused & bit))
    {
        m_since[priority] = Simulator::Now();
        m_paused |= bit;
    }
}

void
PauseGate::Expire(uint8_t priority)
{
    m_before();
    Set(priority, false);
    m_after();
}

} // namespace photonic
} // namespace ns3
