/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RING_ROUNDS_H
#define PHOTONIC_RING_ROUNDS_H

#include "ns3/exact-time.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief All ranks of a ring step by step: when each starts to send.
 *
 * In a step every place sends a chunk to the next one. It starts the next step when the chunk from
 * the place before it has arrived, which is called a move, or when its line is free, if that is
 * later, which is called a wait. Time is ticks and fractions of them with one denominator; after a
 * move there is no fraction, as arrivals are told at whole ticks.
 *
 * Places are looked at in a frame that goes along with the chunks, in which a move adds a constant.
 * Where nobody in a block of neighbours waits, it is left alone for as many steps as that lasts:
 * until a larger chunk lags so much behind a smaller one before it that its line is the later, or
 * until the block after it brings in a wait.
 */
class RingRounds
{
  public:
    /**
     * Begin with a ring, and forget the one before, if any.
     * @param durations on the line of a chunk of the smaller and of the larger size, above 0
     * @param larger for each place, whether its first chunk is of the larger size; in step s a
     *        place has the first chunk of the place s before it
     * @param travel in ticks from the end of a send until what it leads to is posted
     */
    void Begin(const ExactTime (&durations)[2], const std::vector<char>& larger, int64_t travel);

    /**
     * @param place in the direction of the ring
     * @param start of its first send; a fraction has the denominator of the durations
     * @param origin a label that goes along with what determines a start
     */
    void SetStart(uint32_t place, const ExactTime& start, uint32_t origin);

    /// @param steps to go on for, once all first starts are set; called once per ring
    void Run(uint32_t steps);

    /// @param place of a rank @return the start of its last send so far
    ExactTime GetStart(uint32_t place) const
    {
        return Exact(m_ticks[place], m_fractions[place]);
    }

    /// @param place of a rank @return the end of that send on the line
    ExactTime GetEnd(uint32_t place) const;

    /// @param place of a rank @return when that send was posted; if there was a step
    int64_t GetPost(uint32_t place) const
    {
        return m_posts[place];
    }

    /// @param place of a rank @return the label of what determined that start
    uint32_t GetOrigin(uint32_t place) const
    {
        return m_origins[place];
    }

  private:
    ExactTime Exact(int64_t tick, uint64_t fraction) const
    {
        return ExactTime(tick, fraction, fraction == 0 ? 1 : m_denominator);
    }

    /// A start, or the end that it leads to.
    struct Instant
    {
        int64_t tick;
        uint64_t fraction;
        uint32_t origin;

        int64_t Ceil() const
        {
            return tick + (fraction != 0);
        }
    };

    /// Neighbours that are looked at together.
    struct Block
    {
        uint32_t steps{0}; ///< taken
        uint32_t calm{0};  ///< before this step nobody in it waits
        bool waited{false};
        bool firstWaited{false};
    };

    /// @return ticks of a move of a chunk
    int64_t GetMove(bool larger) const
    {
        return m_wholes[larger] + (m_parts[larger] != 0) + m_travel;
    }

    std::size_t BeginOf(std::size_t block) const;
    std::size_t EndOf(std::size_t block) const;
    std::size_t After(std::size_t block) const;
    Instant GetFront(std::size_t block, uint32_t step) const;
    template <bool FRACTIONS>
    Instant Finish(const Instant& start, bool larger) const;
    void MoveTo(std::size_t block, uint32_t step);
    template <bool FRACTIONS>
    void Step(std::size_t block, const Instant& front);
    template <bool FRACTIONS>
    void Run(uint32_t steps);
    uint32_t CountMoves(std::size_t block, const Instant& front) const;

    int64_t m_wholes[2]{}; ///< durations: ticks
    uint64_t m_parts[2]{}; ///< durations: fractions
    uint64_t m_denominator{1};
    int64_t m_travel{0};
    std::vector<Block> m_blocks;
    std::vector<std::size_t> m_due; ///< blocks that take the step
    std::vector<char> m_larger;     ///< these and the following by place in the first step
    std::vector<int64_t> m_ticks;
    std::vector<uint64_t> m_fractions;
    std::vector<int64_t> m_posts;
    std::vector<uint32_t> m_origins;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RING_ROUNDS_H
