/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_EXACT_TIME_H
#define PHOTONIC_EXACT_TIME_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @brief An instant or a duration with its exact fraction of a tick.
 *
 * The end of a packet on a line is seldom a whole number of ticks: 4,134 bytes at 300 Gbps take
 * 110,240 ps, but at 7 Gbps 4,724,571 3/7 ps. Clocks that carry the fraction from packet to packet
 * and from hop to hop do not drift. The value is tick + num/den with 0 <= num < den.
 */
class ExactTime
{
  public:
    constexpr ExactTime() = default;

    /// @param time a whole number of ticks
    explicit ExactTime(Time time)
        : m_tick(time.GetTimeStep())
    {
    }

    /**
     * @param tick whole ticks
     * @param num numerator of the fraction, smaller than den
     * @param den denominator, at least 1
     */
    constexpr ExactTime(int64_t tick, uint64_t num, uint64_t den)
        : m_tick(tick),
          m_num(num),
          m_den(den)
    {
    }

    /// @return the first tick that is not before this instant: when software may know of it
    int64_t Ceil() const
    {
        return m_tick + (m_num != 0);
    }

    /// @return whether there is no fraction
    bool IsWhole() const
    {
        return m_num == 0;
    }

    /// @return whole ticks
    int64_t GetTick() const
    {
        return m_tick;
    }

    /// @return numerator of the fraction
    uint64_t GetNumerator() const
    {
        return m_num;
    }

    /// @return denominator of the fraction
    uint64_t GetDenominator() const
    {
        return m_den;
    }

    /// @return Ceil() as a Time
    Time ToTime() const
    {
        return TimeStep(Ceil());
    }

    /// @param o a duration @return the sum, exact
    ExactTime operator+(const ExactTime& o) const
    {
        ExactTime sum(m_tick + o.m_tick, m_num, m_den);
        if (o.m_num != 0)
        {
            sum.AddFraction(o.m_num, o.m_den);
        }
        return sum;
    }

    /// @param t a duration @return the sum, exact
    ExactTime operator+(Time t) const
    {
        return ExactTime(m_tick + t.GetTimeStep(), m_num, m_den);
    }

    /// @param o another time @return whether this is earlier
    bool operator<(const ExactTime& o) const
    {
        if (m_tick != o.m_tick)
        {
            return m_tick < o.m_tick;
        }
        return m_den == o.m_den ? m_num < o.m_num : FractionLess(o);
    }

    /// @param o another time @return whether this is later
    bool operator>(const ExactTime& o) const
    {
        return o < *this;
    }

    /// @param o another time @return whether this is not later
    bool operator<=(const ExactTime& o) const
    {
        return !(o < *this);
    }

    /// @param o another time @return whether this is not earlier
    bool operator>=(const ExactTime& o) const
    {
        return !(*this < o);
    }

    /// @param o another time @return whether they are the same to the fraction of a tick
    bool operator==(const ExactTime& o) const
    {
        return !(*this < o) && !(o < *this);
    }

  private:
    void AddFraction(uint64_t num, uint64_t den)
    {
        if (m_den == den)
        {
            m_num += num;
            if (m_num >= den)
            {
                m_num -= den;
                m_tick++;
            }
        }
        else
        {
            AddOtherFraction(num, den);
        }
    }

    void AddOtherFraction(uint64_t num, uint64_t den);
    bool FractionLess(const ExactTime& o) const;

    int64_t m_tick{0};
    uint64_t m_num{0};
    uint64_t m_den{1};
};

/**
 * @ingroup photonic-rails-optics
 * @brief A bit rate that serialises exactly, whatever the time resolution.
 *
 * DataRate::CalculateBytesTxTime() multiplies in 32 bits and rounds; this does neither.
 */
class LineRate
{
  public:
    LineRate() = default;

    /// @param rate above 0 (else std::invalid_argument)
    explicit LineRate(DataRate rate);

    /**
     * @param bytes on the wire, up to 2^60
     * @return how long they take
     */
    ExactTime Serialise(uint64_t bytes) const;

    /// @return bit/s
    uint64_t GetBitRate() const
    {
        return m_bitRate;
    }

  private:
    uint64_t m_bitRate{0};
    uint64_t m_ticksNum{0}; ///< ticks per byte, as a reduced fraction
    uint64_t m_ticksDen{1};
};

/**
 * @ingroup photonic-rails-optics
 * @brief The clock of one transmitter: when its line is free, to the exact fraction.
 */
class LineClock
{
  public:
    /// @param rate of the line
    void SetRate(LineRate rate)
    {
        m_rate = rate;
        m_lastBytes = 0;
        m_lastDuration = ExactTime();
    }

    /// @return of the line
    const LineRate& GetRate() const
    {
        return m_rate;
    }

    /// @return the end of the last transmission
    const ExactTime& GetFree() const
    {
        return m_free;
    }

    /// @param at the line is idle from then on, whatever was being sent
    void Abandon(ExactTime at)
    {
        m_free = at;
    }

    /**
     * Occupy the line.
     * @param start not before GetFree()
     * @param bytes on the wire
     * @return the end of the transmission
     */
    ExactTime Transmit(const ExactTime& start, uint64_t bytes)
    {
        if (bytes != m_lastBytes)
        {
            m_lastBytes = bytes;
            m_lastDuration = m_rate.Serialise(bytes);
        }
        m_free = start + m_lastDuration;
        m_bytes += bytes;
        return m_free;
    }

    /// @return all bytes that went onto the line
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

  private:
    LineRate m_rate;
    ExactTime m_free;
    uint64_t m_lastBytes{0}; ///< packets of a message are mostly of one size
    ExactTime m_lastDuration;
    uint64_t m_bytes{0};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_EXACT_TIME_H
