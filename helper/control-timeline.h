/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CONTROL_TIMELINE_H
#define PHOTONIC_CONTROL_TIMELINE_H

#include "chrome-trace.h"
#include "circuit-timeline.h"
#include "opus-helper.h"
#include "timeline-range.h"

#include <list>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief Opus in a trace: rows for the controller's requests of each rail, and at each rank for its
 * waits and for the messages between the two. Arrows lead from a message that asks for circuits to
 * the request, from there to the ports that turn and to the messages that grant it.
 */
class ControlTimeline : public SimpleRefCount<ControlTimeline>
{
  public:
    /**
     * @param trace that is written to @param range of time
     * @param order place of the controller among groups of rows
     * @param ranks groups of rows of the ranks
     * @param switches by rail
     */
    ControlTimeline(std::shared_ptr<ChromeTrace> trace,
                    std::shared_ptr<const TimelineRange> range,
                    uint32_t order,
                    std::vector<uint32_t> ranks,
                    std::vector<Ptr<CircuitTimeline>> switches);

    /// @param opus installed on these
    void Observe(const OpusHelper& opus);

  private:
    /// A message that has not arrived.
    struct Sent
    {
        OpusMessage message;
        Time at;
    };

    /// A bar, and where arrows to and from it go.
    struct Bar
    {
        ChromeTrace::Lane lane;
        Time start;
        Time end;
    };

    /// The latest request of a group that was fulfilled.
    struct Fulfilled
    {
        OpusKey key;
        Bar bar;
    };

    void MessageSent(const OpusMessage& message, OpusControlPath::Direction direction);
    void MessageReceived(const OpusMessage& message, OpusControlPath::Direction direction);
    void RequestDone(const OpusController::Record& record);
    void Waited(const OpusShim::Wait& wait);
    bool Shows(const OpusMessage& message) const;

    std::shared_ptr<ChromeTrace> m_trace;
    std::shared_ptr<const TimelineRange> m_range;
    uint32_t m_process;
    std::vector<Ptr<CircuitTimeline>> m_switches;
    std::map<uint32_t, ChromeTrack> m_requests;                      ///< by rail
    std::vector<ChromeTrack> m_waits;                                ///< by rank
    std::vector<ChromeTrack> m_messages;                             ///< by rank
    std::map<std::pair<uint32_t, bool>, std::list<Sent>> m_underWay; ///< by rank and direction
    std::map<OpusKey, std::map<uint32_t, Bar>> m_asked; ///< messages by request and rank
    std::map<uint32_t, Fulfilled> m_fulfilled;          ///< by group
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CONTROL_TIMELINE_H
