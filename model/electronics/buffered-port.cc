/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "buffered-port.h"

#include "shared-buffer-switch.h"

#include "ns3/ethernet-header.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

BufferedPort::BufferedPort(SharedBufferSwitch& parent,
                           uint32_t number,
                           DataRate rate,
                           const EgressScheduler::Settings& scheduling,
                           const EcnMarker::Settings& marking)
    : SwitchPort(parent, number, rate),
      m_owner(parent),
      m_queues(scheduling),
      m_marker(marking),
      m_gate([this] { Advance(); },
             [this] {
                 m_unblockedAt = Simulator::Now(); // what could start before has
                 Advance();
             })
{
}

BufferedPort::~BufferedPort()
{
    m_watch.Cancel();
}

void
BufferedPort::SendPause(uint8_t priority, uint16_t quanta)
{
    PauseHeader pause;
    pause.SetTime(priority, quanta);
    EthernetHeader ethernet(false);
    ethernet.SetDestination(Mac48Address("01:80:c2:00:00:01"));
    ethernet.SetLengthType(PauseHeader::PROTOCOL);
    Frame frame;
    frame.packet = Create<Packet>();
    frame.packet->AddHeader(pause);
    frame.packet->AddHeader(ethernet);
    frame.destination = PauseHeader::DESTINATION;
    frame.wireBytes = PauseHeader::LINE_BYTES;
    frame.start = ExactTime(Simulator::Now());
    m_pauses.Push(frame); // at once, so that a pause and its end keep their order
    Advance();
}

void
BufferedPort::ReceivePause(Frame& frame)
{
    auto packet = frame.GetPacket()->Copy();
    EthernetHeader ethernet(false);
    packet->RemoveHeader(ethernet);
    PauseHeader pause;
    packet->PeekHeader(pause);
    if (ethernet.GetLengthType() == PauseHeader::PROTOCOL && pause.IsPause())
    {
        // The port sees a frame at its first bit; a pause holds from its last.
        Simulator::Schedule(frame.end.ToTime() - Simulator::Now(),
                            [this, pause] { m_gate.Receive(pause, m_line.GetRate()); });
    }
}

uint64_t
BufferedPort::GetQueueBytes(uint8_t priority)
{
    Advance();
    return m_queues.GetBytes(priority);
}

Time
BufferedPort::GetPausedTime(uint8_t priority) const
{
    return m_gate.GetPausedTime(priority);
}

void
BufferedPort::SetStream(int64_t stream)
{
    m_marker.SetStream(stream);
}

std::size_t
BufferedPort::GetQueueLength()
{
    Advance();
    return m_queues.GetSize() + m_crossing.GetSize();
}

std::size_t
BufferedPort::GetLongestQueue() const
{
    return m_longest;
}

void
BufferedPort::Enqueue(const Frame& frame, uint32_t ingress)
{
    Advance();
    const ExactTime ready = GetReady(frame, ingress);
    m_crossing.Push(frame);
    m_crossing.Back().start = ready;
    for (auto i = m_crossing.GetSize() - 1; i > 0 && ready < m_crossing[i - 1].start; i--)
    {
        std::swap(m_crossing[i], m_crossing[i - 1]);
    }
    Advance();
    m_longest = std::max(m_longest, m_queues.GetSize() + m_crossing.GetSize());
}

ExactTime
BufferedPort::GetReady(const Frame& frame, uint32_t ingress)
{
    const Time latency = m_owner.GetLatency();
    ExactTime ready = frame.end + latency;
    if (m_owner.CanCutThrough(ingress, m_number))
    {
        // A packet may go through at its first bit if the line will be idle for it.
        const ExactTime early = frame.start + latency;
        m_busyUntil = std::max(m_busyUntil, m_line.GetFree());
        if (m_queues.GetSize() == 0 && m_busyUntil <= early)
        {
            ready = early;
        }
        m_busyUntil = std::max(m_busyUntil, ready) + m_line.GetRate().Serialise(frame.wireBytes);
    }
    return ready;
}

void
BufferedPort::Join(Frame frame)
{
    const Ecn ecn = frame.label.ecn;
    if ((ecn == Ecn::ECT_0 || ecn == Ecn::ECT_1) &&
        m_marker.Decide(m_queues.GetBytes(frame.label.priority)))
    {
        frame.Mark();
    }
    m_queues.Push(frame);
}

bool
BufferedPort::FindStart(ExactTime& start) const
{
    const ExactTime* ready = m_pauses.IsEmpty() ? nullptr : &m_pauses.Front().start;
    const uint8_t waiting = m_queues.GetWaiting() & ~m_gate.GetPaused();
    for (uint8_t p = 0; waiting >> p != 0; p++)
    {
        if (waiting >> p & 1 && (!ready || m_queues.Front(p).start < *ready))
        {
            ready = &m_queues.Front(p).start;
        }
    }
    if (!ready || !CanTransmit())
    {
        return false;
    }
    start = GetStart(*ready);
    return true;
}

bool
BufferedPort::GetNextStart(const LightPath&, ExactTime& start) const
{
    const bool found = FindStart(start);
    if (m_crossing.IsEmpty() || !CanTransmit())
    {
        return found;
    }
    const ExactTime next = GetStart(m_crossing.Front().start);
    start = found ? std::min(start, next) : next;
    return true;
}

void
BufferedPort::Advance()
{
    if (m_advancing || (m_crossing.IsEmpty() && m_queues.GetSize() == 0 && m_pauses.IsEmpty()))
    {
        return;
    }
    m_advancing = true;
    const ExactTime now(Simulator::Now());
    for (;;)
    {
        // Packets join and leave the queues in the order of time, as marks depend on it.
        ExactTime start;
        const bool found = FindStart(start);
        if (!m_crossing.IsEmpty() &&
            m_crossing.Front().start <= (found ? std::min(start, now) : now))
        {
            Join(m_crossing.Pop());
        }
        else if (found && start <= now)
        {
            SendNext(start);
        }
        else
        {
            break;
        }
    }
    m_advancing = false;
    if (m_path)
    {
        ExactTime start;
        m_path->Expect();
        if (m_owner.IsPausing() && GetNextStart(*m_path, start))
        {
            Watch(start);
        }
    }
}

void
BufferedPort::SendNext(const ExactTime& start)
{
    if (!m_pauses.IsEmpty() && m_pauses.Front().start <= start)
    {
        Frame frame = m_pauses.Pop();
        Transmit(frame, start);
        return;
    }
    uint8_t eligible = m_queues.GetWaiting() & ~m_gate.GetPaused();
    for (uint8_t p = 0; p < PRIORITIES; p++)
    {
        if (eligible >> p & 1 && m_queues.Front(p).start > start)
        {
            eligible &= ~(1 << p);
        }
    }
    Frame frame = m_queues.Pop(eligible);
    Transmit(frame, start);
    m_owner.Release(frame, m_number);
}

void
BufferedPort::Watch(const ExactTime& start)
{
    const Time at = start.ToTime();
    if (!m_watch.IsExpired() && TimeStep(m_watch.GetTs()) <= at)
    {
        return;
    }
    m_watch.Remove();
    m_watch =
        Simulator::Schedule(std::max(at - Simulator::Now(), Time(0)), &BufferedPort::Advance, this);
}

} // namespace photonic
} // namespace ns3
