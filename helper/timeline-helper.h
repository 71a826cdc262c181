/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TIMELINE_HELPER_H
#define PHOTONIC_TIMELINE_HELPER_H

#include "circuit-timeline.h"
#include "control-timeline.h"
#include "job-timeline.h"
#include "opus-helper.h"
#include "training-fabric-helper.h"

#include <memory>
#include <ostream>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief Writes a run as a picture that Perfetto and chrome://tracing show, see ChromeTrace.
 *
 * Groups of rows are rails (phases by stage), the Opus controller (requests by rail), circuit
 * switches (circuits and dark times by port) and ranks (computation, a row for each communicator,
 * waits for circuits, control messages). Arrows join sends to receives, messages to the requests
 * that they ask for, and these to ports that turn and to messages that grant them.
 */
class TimelineHelper
{
  public:
    /**
     * @param os gets the trace, and must outlive the simulation
     * @param firstStep the first one that is shown, and what happens from its beginning on
     */
    explicit TimelineHelper(std::ostream& os, uint32_t firstStep = 0);

    /**
     * Show a job, before it starts. Once.
     * @param job of one process (else it tells of its operations at the end)
     * @param plan who is where
     * @param fabric that it runs on, with the circuits that it starts with
     */
    void Install(Ptr<TrainingJob> job, const ParallelPlan& plan, const TrainingFabric& fabric);

    /// Show what turns its circuits. @param opus installed on the same fabric @throws
    /// std::logic_error if no job is shown
    void Install(const OpusHelper& opus);

    /// Write what goes on still, and the end; after the simulation, before it is destroyed.
    void Close();

  private:
    std::shared_ptr<ChromeTrace> m_trace;
    std::shared_ptr<TimelineRange> m_range;
    Ptr<JobTimeline> m_job;
    uint32_t m_ranks{0};
    std::vector<Ptr<CircuitTimeline>> m_switches; ///< by rail
    Ptr<WavelengthTimeline> m_wavelengths;
    Ptr<ControlTimeline> m_control;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TIMELINE_HELPER_H
