/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ring-rounds.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

namespace
{
constexpr std::size_t BLOCK = 16; ///< places: few enough to be quiet together
} // namespace

void
RingRounds::Begin(const ExactTime (&durations)[2], const std::vector<char>& larger, int64_t travel)
{
    for (int large : {0, 1})
    {
        m_wholes[large] = durations[large].GetTick();
        m_parts[large] = durations[large].GetNumerator();
    }
    m_denominator = durations[0].GetDenominator();
    m_travel = travel;
    const std::size_t places = larger.size();
    m_blocks.assign((places + BLOCK - 1) / BLOCK, Block());
    m_larger = larger;
    m_ticks.resize(places);
    m_fractions.resize(places);
    m_posts.resize(places);
    m_origins.resize(places);
}

void
RingRounds::SetStart(uint32_t place, const ExactTime& start, uint32_t origin)
{
    m_ticks[place] = start.GetTick();
    m_fractions[place] = start.GetNumerator();
    m_origins[place] = origin;
}

std::size_t
RingRounds::BeginOf(std::size_t block) const
{
    return block * BLOCK;
}

std::size_t
RingRounds::EndOf(std::size_t block) const
{
    return std::min(BeginOf(block) + BLOCK, m_ticks.size());
}

std::size_t
RingRounds::After(std::size_t block) const
{
    return block + 1 < m_blocks.size() ? block + 1 : 0;
}

/// @return the start of the first of a block in a step that it may not have taken yet
RingRounds::Instant
RingRounds::GetFront(std::size_t block, uint32_t step) const
{
    const std::size_t i = BeginOf(block);
    const int64_t moves = step - m_blocks[block].steps;
    return {m_ticks[i] + moves * GetMove(m_larger[i]), m_fractions[i], m_origins[i]};
}

/// @return the end on the line
template <bool FRACTIONS>
RingRounds::Instant
RingRounds::Finish(const Instant& start, bool larger) const
{
    Instant end = start;
    end.tick += m_wholes[larger];
    if (FRACTIONS)
    {
        end.fraction += m_parts[larger];
        const bool carry = end.fraction >= m_denominator;
        end.fraction -= carry ? m_denominator : 0;
        end.tick += carry;
    }
    return end;
}

/// Take the steps up to this one, in which nobody waits.
void
RingRounds::MoveTo(std::size_t block, uint32_t step)
{
    const int64_t moves = step - m_blocks[block].steps;
    if (moves > 0)
    {
        for (std::size_t i = BeginOf(block); i < EndOf(block); i++)
        {
            m_ticks[i] += moves * GetMove(m_larger[i]);
            m_posts[i] = m_ticks[i];
        }
        m_blocks[block].steps = step;
    }
}

/// Take a step. @param front the first start of the block after this one, before the step
template <bool FRACTIONS>
void
RingRounds::Step(std::size_t block, const Instant& front)
{
    const std::size_t begin = BeginOf(block);
    const std::size_t end = EndOf(block);
    auto& state = m_blocks[block];
    state.waited = false;
    const auto start = [this](std::size_t i) {
        return Instant{m_ticks[i], m_fractions[i], m_origins[i]};
    };
    Instant own = Finish<FRACTIONS>(start(begin), m_larger[begin]);
    for (std::size_t i = begin; i < end; i++)
    {
        // Who takes over this chunk had the next one before.
        const Instant line = i + 1 < end
                                 ? Finish<FRACTIONS>(start(i + 1), m_larger[i + 1])
                                 : Finish<FRACTIONS>(front, m_larger[BeginOf(After(block))]);
        const int64_t arrived = own.Ceil() + m_travel;
        const bool waits = line.Ceil() > arrived; // arrivals are whole ticks
        m_ticks[i] = waits ? line.tick : arrived;
        if (FRACTIONS)
        {
            m_fractions[i] = waits ? line.fraction : 0;
        }
        m_origins[i] = waits ? line.origin : own.origin;
        m_posts[i] = arrived;
        state.waited |= waits;
        if (i == begin)
        {
            state.firstWaited = waits;
        }
        own = line;
    }
    state.steps++;
}

/**
 * @param block in which all starts are whole ticks
 * @param front the first start of the block after it
 * @return steps in which nobody of the block waits, as long as that one does not either
 */
uint32_t
RingRounds::CountMoves(std::size_t block, const Instant& front) const
{
    const std::size_t end = EndOf(block);
    int64_t most = UINT32_MAX / 2;
    for (std::size_t i = BeginOf(block); i < end; i++)
    {
        const bool inside = i + 1 < end;
        const int64_t move = GetMove(m_larger[i]);
        const int64_t lineMove = GetMove(m_larger[inside ? i + 1 : BeginOf(After(block))]);
        const int64_t line = (inside ? m_ticks[i + 1] : front.tick) + lineMove - m_travel;
        const int64_t slack = m_ticks[i] + move - line;
        if (slack < 0)
        {
            return 0;
        }
        if (lineMove > move)
        {
            most = std::min(most, slack / (lineMove - move) + 1);
        }
    }
    return most;
}

void
RingRounds::Run(uint32_t steps)
{
    const bool fractions =
        m_parts[0] != 0 || m_parts[1] != 0 ||
        std::any_of(m_fractions.begin(), m_fractions.end(), [](uint64_t f) { return f != 0; });
    fractions ? Run<true>(steps) : Run<false>(steps);
    for (std::size_t block = 0; block < m_blocks.size(); block++)
    {
        MoveTo(block, steps);
    }
    // A place has now what started so many places before it.
    const std::size_t places = steps % m_ticks.size();
    const auto turn = [places](auto& values) {
        std::rotate(values.begin(), values.end() - places, values.end());
    };
    turn(m_larger);
    turn(m_ticks);
    turn(m_fractions);
    turn(m_posts);
    turn(m_origins);
}

template <bool FRACTIONS>
void
RingRounds::Run(uint32_t steps)
{
    const std::size_t blocks = m_blocks.size();
    while (true)
    {
        const uint32_t step =
            std::min_element(m_blocks.begin(), m_blocks.end(), [](const auto& a, const auto& b) {
                return a.calm < b.calm;
            })->calm;
        if (step >= steps)
        {
            return;
        }
        const Instant first = GetFront(0, step);
        m_due.clear();
        for (std::size_t block = 0; block < blocks; block++)
        {
            if (m_blocks[block].calm == step)
            {
                MoveTo(block, step);
                Step<FRACTIONS>(block, block + 1 < blocks ? GetFront(block + 1, step) : first);
                m_due.push_back(block);
            }
        }
        for (std::size_t block : m_due)
        {
            auto& state = m_blocks[block];
            state.calm = step + 1;
            if (!state.waited)
            {
                state.calm += CountMoves(block, GetFront(After(block), step + 1));
            }
        }
        // The block before one whose first place has waited cannot tell yet.
        for (std::size_t block : m_due)
        {
            if (m_blocks[block].firstWaited)
            {
                m_blocks[block == 0 ? blocks - 1 : block - 1].calm = step + 1;
            }
        }
    }
}

ExactTime
RingRounds::GetEnd(uint32_t place) const
{
    const bool large = m_larger[place];
    return GetStart(place) + Exact(m_wholes[large], m_parts[large]);
}

} // namespace photonic
} // namespace ns3
