/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "exact-time.h"

#include <numeric>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

__extension__ typedef unsigned __int128 Wide;

void
ExactTime::AddOtherFraction(uint64_t num, uint64_t den)
{
    const uint64_t common = std::gcd(m_den, den);
    const Wide lcm = Wide(m_den / common) * den;
    Wide sum;
    if (lcm >> 63)
    {
        // Lines of unrelated odd rates in a row: the fraction is rounded up to 2^-62 of a tick, so
        // that nothing arrives early.
        constexpr uint64_t fine = uint64_t(1) << 62;
        sum = (Wide(m_num) * fine + m_den - 1) / m_den + (Wide(num) * fine + den - 1) / den;
        m_den = fine;
    }
    else
    {
        sum = Wide(m_num) * (den / common) + Wide(num) * (m_den / common);
        m_den = static_cast<uint64_t>(lcm);
    }
    while (sum >= m_den)
    {
        sum -= m_den;
        m_tick++;
    }
    m_num = static_cast<uint64_t>(sum);
    if (m_num == 0)
    {
        m_den = 1;
    }
}

bool
ExactTime::FractionLess(const ExactTime& o) const
{
    return Wide(m_num) * o.m_den < Wide(o.m_num) * m_den;
}

LineRate::LineRate(DataRate rate)
    : m_bitRate(rate.GetBitRate())
{
    if (m_bitRate == 0)
    {
        throw std::invalid_argument("a line rate of 0 bit/s was given: it has to be above 0");
    }
    const uint64_t ticksOfAByte = 8 * static_cast<uint64_t>(Seconds(1).GetTimeStep());
    const uint64_t common = std::gcd(ticksOfAByte, m_bitRate);
    m_ticksNum = ticksOfAByte / common;
    m_ticksDen = m_bitRate / common;
}

ExactTime
LineRate::Serialise(uint64_t bytes) const
{
    const Wide ticks = Wide(bytes) * m_ticksNum;
    const Wide whole = ticks / m_ticksDen;
    return ExactTime(static_cast<int64_t>(whole),
                     static_cast<uint64_t>(ticks - whole * m_ticksDen),
                     m_ticksDen);
}

} // namespace photonic
} // namespace ns3
