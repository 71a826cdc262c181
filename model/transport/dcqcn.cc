/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "dcqcn.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(Dcqcn);

TypeId
Dcqcn::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::Dcqcn")
                            .SetParent<CongestionControl>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<Dcqcn>()
                            .AddAttribute("Gain",
                                          "Weight of a notification in alpha (g).",
                                          DoubleValue(1.0 / 256),
                                          MakeDoubleAccessor(&Dcqcn::m_gain),
                                          MakeDoubleChecker<double>(0, 1))
                            .AddAttribute("AlphaInterval",
                                          "Time without notification after which alpha decays (K).",
                                          TimeValue(MicroSeconds(55)),
                                          MakeTimeAccessor(&Dcqcn::m_alphaInterval),
                                          MakeTimeChecker(NanoSeconds(1)))
                            .AddAttribute("IncreaseInterval",
                                          "Period of the timer that raises the rate (T).",
                                          TimeValue(MicroSeconds(55)),
                                          MakeTimeAccessor(&Dcqcn::m_increaseInterval),
                                          MakeTimeChecker(NanoSeconds(1)))
                            .AddAttribute("ByteCounter",
                                          "Bytes after which the rate is raised as well (B).",
                                          UintegerValue(10'000'000),
                                          MakeUintegerAccessor(&Dcqcn::m_byteCounter),
                                          MakeUintegerChecker<uint64_t>(1))
                            .AddAttribute("Threshold",
                                          "Events at which fast recovery ends (F).",
                                          UintegerValue(5),
                                          MakeUintegerAccessor(&Dcqcn::m_threshold),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("AdditiveIncrease",
                                          "Growth of the target per event (R_AI).",
                                          DataRateValue(DataRate("40Mbps")),
                                          MakeDataRateAccessor(&Dcqcn::m_additive),
                                          MakeDataRateChecker())
                            .AddAttribute("HyperIncrease",
                                          "The same after the threshold of both (R_HAI).",
                                          DataRateValue(DataRate("400Mbps")),
                                          MakeDataRateAccessor(&Dcqcn::m_hyper),
                                          MakeDataRateChecker())
                            .AddAttribute("MinimumRate",
                                          "The rate is not cut below.",
                                          DataRateValue(DataRate("100Mbps")),
                                          MakeDataRateAccessor(&Dcqcn::m_minimum),
                                          MakeDataRateChecker());
    return tid;
}

double
Dcqcn::GetAlpha() const
{
    return m_alpha;
}

double
Dcqcn::GetTarget() const
{
    return m_target;
}

void
Dcqcn::Start(DataRate lineRate, uint32_t)
{
    m_lineRate = m_rate = m_target = lineRate.GetBitRate();
}

bool
Dcqcn::UsesMarks() const
{
    return true;
}

void
Dcqcn::OnSend(uint32_t bytes, Time now)
{
    if (!m_limited)
    {
        return;
    }
    AdvanceTo(now);
    m_bytes += bytes;
    while (m_bytes >= m_byteCounter && m_limited)
    {
        m_bytes -= m_byteCounter;
        m_byteEvents++;
        Increase();
    }
}

void
Dcqcn::OnMark(Time now)
{
    AdvanceTo(now);
    if (m_marked)
    {
        // It counts only now.
        const int64_t decays = (now - m_alphaFrom).GetTimeStep() / m_alphaInterval.GetTimeStep();
        m_alpha *= std::pow(1 - m_gain, decays);
    }
    m_target = m_rate;
    m_rate = std::max<double>(m_rate * (1 - m_alpha / 2), m_minimum.GetBitRate());
    m_alpha = (1 - m_gain) * m_alpha + m_gain;
    m_alphaFrom = m_increaseFrom = now;
    m_bytes = 0;
    m_timeEvents = m_byteEvents = 0;
    m_marked = m_limited = true;
}

double
Dcqcn::GetRate(Time now)
{
    if (!m_limited)
    {
        return UNLIMITED;
    }
    AdvanceTo(now);
    return m_limited ? m_rate : UNLIMITED;
}

void
Dcqcn::AdvanceTo(Time now)
{
    while (m_limited && m_increaseFrom + m_increaseInterval <= now)
    {
        m_increaseFrom += m_increaseInterval;
        m_timeEvents++;
        Increase();
    }
}

void
Dcqcn::Increase()
{
    if (std::min(m_timeEvents, m_byteEvents) > m_threshold)
    {
        m_target += m_hyper.GetBitRate();
    }
    else if (std::max(m_timeEvents, m_byteEvents) >= m_threshold)
    {
        m_target += m_additive.GetBitRate();
    }
    m_target = std::min(m_target, m_lineRate);
    m_rate = (m_rate + m_target) / 2;
    if (m_rate > m_lineRate * (1 - 1e-6))
    {
        m_rate = m_target = m_lineRate;
        m_limited = false; // nothing is left to be raised
    }
}

} // namespace photonic
} // namespace ns3
