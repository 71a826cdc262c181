/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "connection-sender.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

ConnectionSender::ConnectionSender(const Settings& settings)
    : m_settings(settings)
{
}

void
ConnectionSender::Post(uint64_t packets)
{
    m_end += packets;
}

uint64_t
ConnectionSender::GetNext() const
{
    return m_repeat < m_repeatEnd ? m_repeat : m_highest;
}

bool
ConnectionSender::HasNext(uint32_t window) const
{
    const uint64_t next = GetNext();
    return next < m_end && next < m_first + std::min(window, m_settings.window);
}

ConnectionSender::Next
ConnectionSender::Take(Time start, uint32_t window)
{
    Next next{GetNext(), false, m_ask};
    m_ask = false;
    next.again = next.packet < m_highest;
    if (next.again)
    {
        m_sent[next.packet - m_first] = {start, true, false};
        m_repeat++;
        SkipArrived();
        // Each of them fills a gap, so that the answer tells much.
        next.ask = next.ask || m_settings.scheme == Retransmission::SELECTIVE_REPEAT;
    }
    else
    {
        m_sent.push_back({start, false, false});
        m_highest++;
    }
    m_unasked++;
    // When the window closes nothing would bring an acknowledgement that was not asked for, and
    // congestion control may halve it at any time.
    window = std::min(window, m_settings.window);
    const bool closes = GetNext() >= m_first + window;
    next.ask = next.ask || closes || m_unasked >= std::clamp(window / 4, 1U, m_settings.askEvery);
    if (next.ask)
    {
        m_unasked = 0;
    }
    if (m_deadline == Time::Max() && m_settings.scheme != Retransmission::NONE)
    {
        m_deadline = start + m_settings.timeout;
    }
    return next;
}

uint64_t
ConnectionSender::Widen(uint32_t sequence) const
{
    // The difference of 24 bits, with its sign.
    const int32_t difference = static_cast<int32_t>((sequence - m_first) << 8) >> 8;
    return m_first + difference;
}

void
ConnectionSender::AdvanceTo(uint64_t first, Time now, Progress& progress)
{
    if (first == m_first)
    {
        return;
    }
    progress.packets = first - m_first;
    // A packet that was sent twice does not tell which of the two is answered (Karn), nor does one
    // whose acknowledgement waited for it.
    bool again = false;
    for (uint64_t i = 0; i < progress.packets; i++)
    {
        again = again || m_sent[i].again;
    }
    if (!again)
    {
        progress.roundTrip = now - m_sent[progress.packets - 1].at;
    }
    m_sent.erase(m_sent.begin(), m_sent.begin() + progress.packets);
    m_first = first;
    m_repeat = std::max(m_repeat, first);
    SkipArrived();
    m_expiries = 0;
    if (m_settings.scheme != Retransmission::NONE)
    {
        m_deadline = m_first == m_highest ? Time::Max() : now + m_settings.timeout;
    }
}

ConnectionSender::Progress
ConnectionSender::Acknowledge(uint32_t sequence, Time now)
{
    Progress progress;
    const uint64_t packet = Widen(sequence);
    if (packet >= m_first && packet < m_highest)
    {
        AdvanceTo(packet + 1, now, progress);
    }
    return progress;
}

ConnectionSender::Progress
ConnectionSender::Miss(uint32_t sequence, Time now)
{
    Progress progress;
    const uint64_t packet = Widen(sequence);
    if (packet >= m_first && packet < m_highest)
    {
        AdvanceTo(packet, now, progress);
        progress.roundTrip = Time::Min(); // the answer is to the packet behind the gap
        progress.loss = true;
        m_repeat = m_first;
        Repeat(m_highest);
    }
    return progress;
}

ConnectionSender::Progress
ConnectionSender::Select(uint32_t sequence, uint32_t arrived, Time now)
{
    Progress progress;
    const uint64_t packet = Widen(sequence);
    const uint64_t behind = Widen(arrived);
    if (packet < m_first || behind <= packet || behind >= m_highest)
    {
        return progress;
    }
    AdvanceTo(packet, now, progress);
    progress.roundTrip = Time::Min();
    m_sent[behind - m_first].arrived = true;
    const bool repeats = m_repeat < m_repeatEnd;
    m_repeatEnd = std::max(m_repeatEnd, behind); // what is below m_repeat has had its repetition
    SkipArrived();
    progress.loss = !repeats && m_repeat < m_repeatEnd;
    return progress;
}

void
ConnectionSender::Repeat(uint64_t end)
{
    m_repeatEnd = end;
    m_ask = true;
    SkipArrived();
}

void
ConnectionSender::SkipArrived()
{
    while (m_repeat < m_repeatEnd && m_sent[m_repeat - m_first].arrived)
    {
        m_repeat++;
    }
}

bool
ConnectionSender::Expire(Time now)
{
    if (m_expiries == m_settings.retries)
    {
        m_deadline = Time::Max();
        return false;
    }
    m_expiries++;
    m_deadline = now + m_settings.timeout * (int64_t(1) << std::min(m_expiries, 30U));
    m_repeat = m_first;
    Repeat(m_highest);
    return true;
}

} // namespace photonic
} // namespace ns3
