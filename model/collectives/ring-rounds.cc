/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ring-rounds.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

RingRounds::RingRounds(const ExactTime (&durations)[2],
                       const std::vector<char>& larger,
                       int64_t travel)
    : m_wholes{durations[0].GetTick(), durations[1].GetTick()},
      m_parts{durations[0].GetNumerator(), durations[1].GetNumerator()},
      m_denominator(durations[0].GetDenominator()),
      m_travel(travel),
      m_larger(larger),
      m_ticks(larger.size()),
      m_fractions(larger.size()),
      m_posts(larger.size()),
      m_origins(larger.size())
{
    m_larger.insert(m_larger.end(), larger.begin(), larger.end());
}

void
RingRounds::SetStart(uint32_t place, const ExactTime& start, uint32_t origin)
{
    m_ticks[place] = start.GetTick();
    m_fractions[place] = start.GetNumerator();
    m_origins[place] = origin;
}

void
RingRounds::Run(uint32_t steps)
{
    const bool fractions =
        m_parts[0] != 0 || m_parts[1] != 0 ||
        std::any_of(m_fractions.begin(), m_fractions.end(), [](uint64_t f) { return f != 0; });
    bool waited = fractions; // or starts may have fractions of their own
    while (steps > 0)
    {
        const uint32_t moves = waited ? 0 : CountMoves(steps);
        if (moves > 0)
        {
            Move(moves);
            steps -= moves;
            continue;
        }
        waited = fractions ? Step<true>() : Step<false>();
        steps--;
    }
}

/// @return whether a place has waited
template <bool FRACTIONS>
bool
RingRounds::Step()
{
    const std::size_t n = m_ticks.size();
    const char* const larger = GetLarger();
    // Whether an end with its fraction is later than a whole tick, its next whole tick tells.
    const auto getEnd = [&](std::size_t i, int64_t& tick, uint64_t& fraction) {
        const bool large = larger[i];
        tick = m_ticks[i] + m_wholes[large];
        fraction = 0;
        if (FRACTIONS)
        {
            fraction = m_fractions[i] + m_parts[large];
            const bool carry = fraction >= m_denominator;
            fraction -= carry ? m_denominator : 0;
            tick += carry;
        }
        return tick + (fraction != 0);
    };
    int64_t tick;
    uint64_t fraction;
    int64_t arrived = getEnd(n - 1, tick, fraction) + m_travel;
    uint32_t origin = m_origins[n - 1];
    bool waited = false;
    for (std::size_t i = 0; i < n; i++)
    {
        const int64_t end = getEnd(i, tick, fraction);
        const uint32_t own = m_origins[i];
        const bool waits = end > arrived;
        m_ticks[i] = waits ? tick : arrived;
        if (FRACTIONS)
        {
            m_fractions[i] = waits ? fraction : 0;
        }
        m_origins[i] = waits ? own : origin;
        m_posts[i] = arrived;
        waited |= waits;
        arrived = end + m_travel;
        origin = own;
    }
    NextRow(1);
    return waited;
}

/// @return steps, at most so many, in which nobody waits; starts must have no fractions
uint32_t
RingRounds::CountMoves(uint32_t most) const
{
    const std::size_t n = m_ticks.size();
    const char* const larger = GetLarger();
    const int64_t lengths[2] = {m_wholes[0] + (m_parts[0] != 0), m_wholes[1] + (m_parts[1] != 0)};
    int64_t before = m_ticks[n - 1] + lengths[larger[n - 1] != 0];
    bool largerBefore = larger[n - 1];
    for (std::size_t i = 0; i < n; i++)
    {
        const int64_t end = m_ticks[i] + lengths[larger[i] != 0];
        const int64_t slack = m_travel - (end - before);
        if (slack < 0)
        {
            return 0;
        }
        const int64_t growth = lengths[larger[i] != 0] - lengths[largerBefore];
        if (growth > 0 && slack / growth < most)
        {
            most = slack / growth + 1;
        }
        before = end;
        largerBefore = larger[i];
    }
    return most;
}

void
RingRounds::Move(uint32_t steps)
{
    const std::size_t n = m_ticks.size();
    const char* const larger = GetLarger();
    for (std::size_t i = 0; i < n; i++)
    {
        const bool large = larger[i];
        m_ticks[i] += steps * (m_wholes[large] + (m_parts[large] != 0) + m_travel);
    }
    const std::size_t places = steps % n;
    std::rotate(m_ticks.begin(), m_ticks.end() - places, m_ticks.end());
    std::rotate(m_origins.begin(), m_origins.end() - places, m_origins.end());
    m_posts = m_ticks;
    NextRow(steps);
}

void
RingRounds::NextRow(uint32_t steps)
{
    const std::size_t n = m_ticks.size();
    m_row = (m_row + n - steps % n) % n;
}

ExactTime
RingRounds::GetEnd(uint32_t place) const
{
    const bool large = GetLarger()[place];
    return GetStart(place) + Exact(m_wholes[large], m_parts[large]);
}

} // namespace photonic
} // namespace ns3
