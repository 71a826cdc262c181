/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "light-path.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

LightPath::LightPath(FibreEnd& from, FibreEnd& to, Time toSwitch, Time total)
    : m_from(&from),
      m_to(&to),
      m_toSwitch(toSwitch),
      m_total(total),
      m_cutThrough(to.IsCutThrough())
{
}

ExactTime
LightPath::ArrivalOf(const Frame& frame) const
{
    return (m_cutThrough ? frame.start : frame.end) + m_total;
}

void
LightPath::ScheduleAt(int64_t tick, int64_t now)
{
    tick = std::max(tick, now);
    if (tick < m_next)
    {
        m_next = tick;
        Ref(); // the simulator drops one reference per event
        Simulator::ScheduleWithContext(m_to->GetContext(), TimeStep(tick - now), this);
    }
}

void
LightPath::Transmit(const Frame& frame)
{
    const bool first = m_frames.IsEmpty();
    m_frames.Push(frame);
    if (first && !m_serving)
    {
        ScheduleAt(ArrivalOf(frame).Ceil(), Simulator::Now().GetTimeStep());
    }
}

uint64_t
LightPath::CutTrain(const LineRate& rate, const ExactTime& now, ExactTime& end)
{
    if (m_frames.IsEmpty() || !m_frames.Back().train || m_frames.Back().end <= now)
    {
        return 0;
    }
    Frame& frame = m_frames.Back();
    const uint64_t cut = frame.train->Cut(frame.start, rate, now);
    if (cut > 0)
    {
        frame.wireBytes = frame.train->GetBytes();
        frame.end = end = frame.start + rate.Serialise(frame.wireBytes);
        ScheduleAt(ArrivalOf(frame).Ceil(), Simulator::Now().GetTimeStep());
    }
    return cut;
}

void
LightPath::Notify()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (now != m_next)
    {
        return; // something came before what this event was for, and has seen to the rest
    }
    m_serving = true;
    m_from->Advance();
    while (!m_frames.IsEmpty() && ArrivalOf(m_frames.Front()).Ceil() <= now)
    {
        Frame frame = m_frames.Pop();
        if (Survives(frame))
        {
            m_to->Arrive(frame, m_total);
        }
        else
        {
            if (m_lost)
            {
                m_lost(frame);
            }
            m_from->Lost(frame, m_reason);
        }
    }
    m_serving = false;
    m_next = NOTHING;
    ScheduleNext(now);
}

void
LightPath::ScheduleNext(int64_t now)
{
    ExactTime start;
    if (!m_frames.IsEmpty())
    {
        ScheduleAt(ArrivalOf(m_frames.Front()).Ceil(), now);
    }
    else if (m_from->GetNextStart(*this, start))
    {
        // Whatever the next packet will be, nobody can see it here earlier than its first bit.
        ScheduleAt((start + m_total).Ceil(), now);
    }
}

bool
LightPath::Survives(const Frame& frame) const
{
    return !m_cut || frame.end + m_toSwitch <= m_cutAt;
}

void
LightPath::Cut(Time at, std::function<void(Frame&)> lost, const char* reason)
{
    m_cut = true;
    m_cutAt = ExactTime(at);
    m_lost = std::move(lost);
    m_reason = reason;
}

} // namespace photonic
} // namespace ns3
