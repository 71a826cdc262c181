/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PAUSE_GATE_H
#define PHOTONIC_PAUSE_GATE_H

#include "light-path.h"
#include "pause-header.h"

#include "ns3/event-id.h"

#include <array>
#include <functional>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @brief Which classes of traffic the peer of a transmitter has paused, and for how long.
 *
 * A pause holds from when its frame has arrived until its time is over or another frame says
 * otherwise; a packet on the line goes on. The line is lazy: it is told before and after a change.
 */
class PauseGate
{
  public:
    /**
     * @param before called before a change: what has started goes out
     * @param after called after a change: what may start now can
     */
    PauseGate(std::function<void()> before, std::function<void()> after);
    ~PauseGate();

    PauseGate(const PauseGate&) = delete;
    PauseGate& operator=(const PauseGate&) = delete;

    /// @param header which has arrived now @param rate of the line
    void Receive(const PauseHeader& header, const LineRate& rate);

    /// @return a bit for each priority that is paused
    uint8_t GetPaused() const
    {
        return m_paused;
    }

    /// @param priority a class @return for how long it has been paused, all pauses together
    Time GetPausedTime(uint8_t priority) const;

  private:
    void Set(uint8_t priority, bool paused);
    void Expire(uint8_t priority);

    std::function<void()> m_before;
    std::function<void()> m_after;
    uint8_t m_paused{0};
    std::array<EventId, PRIORITIES> m_ends;
    std::array<Time, PRIORITIES> m_since;
    std::array<Time, PRIORITIES> m_total;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PAUSE_GATE_H
