/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "connection-receiver.h"

namespace ns3
{
namespace photonic
{

ConnectionReceiver::ConnectionReceiver(Retransmission::Scheme scheme,
                                       uint32_t window,
                                       uint32_t tolerance)
    : m_scheme(scheme),
      m_window(window),
      m_tolerance(tolerance)
{
}

ConnectionReceiver::Verdict
ConnectionReceiver::Receive(uint32_t sequence, const Arrival& arrival)
{
    // The difference of 24 bits, with its sign.
    const int32_t ahead = static_cast<int32_t>((sequence - m_expected) << 8) >> 8;
    if (m_scheme == Retransmission::NONE && (m_missing || ahead != 0))
    {
        m_missing = true; // for good: the numbers come round after 2^24 packets
        return Verdict::DROPPED;
    }
    if (ahead < 0)
    {
        return Verdict::DUPLICATE;
    }
    if (ahead > 0)
    {
        return ReceiveAhead(ahead, arrival);
    }
    m_missing = false;
    Step();
    return Verdict::IN_ORDER;
}

ConnectionReceiver::Verdict
ConnectionReceiver::ReceiveAhead(uint32_t ahead, const Arrival& arrival)
{
    if (m_scheme == Retransmission::GO_BACK_N)
    {
        const bool first = !m_missing;
        m_missing = true;
        return first ? Verdict::GAP : Verdict::DROPPED;
    }
    if (ahead >= m_window)
    {
        return Verdict::DROPPED;
    }
    if (m_kept.size() <= ahead)
    {
        m_kept.resize(ahead + 1);
    }
    if (m_kept[ahead])
    {
        return Verdict::DUPLICATE_KEPT;
    }
    m_kept[ahead] = arrival;
    if (ahead < m_reported)
    {
        m_reports.push_back((m_expected + ahead) & 0xffffff);
    }
    for (; m_reported + m_tolerance < m_kept.size(); m_reported++)
    {
        if (m_kept[m_reported])
        {
            m_reports.push_back((m_expected + m_reported) & 0xffffff);
        }
    }
    return Verdict::KEPT;
}

bool
ConnectionReceiver::TakeReport(uint32_t& sequence)
{
    if (m_reports.empty())
    {
        return false;
    }
    sequence = m_reports.front();
    m_reports.pop_front();
    return true;
}

bool
ConnectionReceiver::TakeKept(Arrival& arrival)
{
    if (m_kept.empty() || !m_kept.front())
    {
        return false;
    }
    arrival = *m_kept.front();
    Step();
    return true;
}

void
ConnectionReceiver::Step()
{
    m_expected = (m_expected + 1) & 0xffffff;
    m_reported -= m_reported > 0;
    if (!m_kept.empty())
    {
        m_kept.pop_front();
    }
}

} // namespace photonic
} // namespace ns3
