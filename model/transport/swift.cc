/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "swift.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(Swift);

TypeId
Swift::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::Swift")
            .SetParent<CongestionControl>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<Swift>()
            .AddAttribute("AdditiveIncrease",
                          "Packets by which the window grows per round trip (ai).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&Swift::m_additive),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Beta",
                          "How strongly it shrinks with the excess over the target.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&Swift::m_beta),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("GreatestDecrease",
                          "Share of the window that it loses at most at a time (max_mdf).",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&Swift::m_greatestDecrease),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("BaseTarget",
                          "Target of the round-trip time of a large window: the path without "
                          "queues, and what queue is wanted.",
                          TimeValue(MicroSeconds(25)),
                          MakeTimeAccessor(&Swift::m_base),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("ScalingRange",
                          "What is added to the target of the smallest window (fs_range).",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&Swift::m_range),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ScalingLeast",
                          "Window up to which all of the range is added (fs_min_cwnd).",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&Swift::m_rangeLeast),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("ScalingMost",
                          "Window from which on nothing is added (fs_max_cwnd).",
                          DoubleValue(100),
                          MakeDoubleAccessor(&Swift::m_rangeMost),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("LeastWindow",
                          "In packets (min_cwnd).",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&Swift::m_least),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("MostWindow",
                          "In packets (max_cwnd); a connection starts with it.",
                          DoubleValue(256),
                          MakeDoubleAccessor(&Swift::m_most),
                          MakeDoubleChecker<double>(1))
            .AddAttribute("ResetAfter",
                          "Timeouts in a row after which the window is the least one.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Swift::m_resetAfter),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
Swift::Start(DataRate, uint32_t packetBytes)
{
    m_packetBits = packetBytes * 8;
    m_window = m_most;
}

Time
Swift::GetTarget(double window) const
{
    const double range = m_range.GetTimeStep();
    const double atMost = 1 / std::sqrt(m_rangeMost);
    const double slope = range / (1 / std::sqrt(m_rangeLeast) - atMost);
    const double scaling = std::clamp(slope * (1 / std::sqrt(window) - atMost), 0.0, range);
    return m_base + TimeStep(static_cast<uint64_t>(scaling));
}

void
Swift::OnAcknowledged(uint64_t packets, Time roundTrip, Time now)
{
    m_timeouts = 0;
    m_roundTrip = roundTrip;
    const Time target = GetTarget(m_window);
    if (roundTrip < target)
    {
        m_window += m_additive * packets / std::max(m_window, 1.0);
        Clamp();
        return;
    }
    const double excess = double((roundTrip - target).GetTimeStep()) / roundTrip.GetTimeStep();
    Shrink(std::max(1 - m_beta * excess, 1 - m_greatestDecrease), now);
}

void
Swift::OnLoss(Time now)
{
    m_timeouts = 0;
    Shrink(1 - m_greatestDecrease, now);
}

void
Swift::OnTimeout(Time now)
{
    m_timeouts++;
    if (m_timeouts >= m_resetAfter)
    {
        m_window = m_least;
        m_lastDecrease = now;
        return;
    }
    Shrink(1 - m_greatestDecrease, now);
}

void
Swift::Shrink(double factor, Time now)
{
    if (m_lastDecrease != Time::Min() && now - m_lastDecrease < m_roundTrip)
    {
        return;
    }
    m_window *= factor;
    Clamp();
    m_lastDecrease = now;
}

void
Swift::Clamp()
{
    m_window = std::clamp(m_window, m_least, m_most);
}

double
Swift::GetRate(Time)
{
    return m_window < 1 && !m_roundTrip.IsZero()
               ? m_packetBits * m_window / m_roundTrip.GetSeconds()
               : UNLIMITED;
}

double
Swift::GetWindow() const
{
    return m_window;
}

} // namespace photonic
} // namespace ns3
