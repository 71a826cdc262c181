/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_JOB_TIMELINE_H
#define PHOTONIC_JOB_TIMELINE_H

#include "chrome-trace.h"
#include "timeline-range.h"

#include "ns3/phase-recorder.h"
#include "ns3/training-job.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief A job in a trace: rows for each rank's streams, with arrows from sends to receives, and
 * for the phases of each stage on each rail.
 */
class JobTimeline : public SimpleRefCount<JobTimeline>
{
  public:
    /**
     * @param trace that is written to @param range of time, whose begin this finds
     * @param plan who is where
     * @param railOrder place of rails among groups of rows @param rankOrder that of ranks
     */
    JobTimeline(std::shared_ptr<ChromeTrace> trace,
                std::shared_ptr<TimelineRange> range,
                const ParallelPlan& plan,
                uint32_t railOrder,
                uint32_t rankOrder);

    /// @param job with the ranks of the plan
    void Observe(Ptr<TrainingJob> job);

    /// @param rank which @return its group of rows
    uint32_t GetProcess(uint32_t rank) const;

  private:
    /// A bar on a row, as an end of an arrow.
    struct End
    {
        ChromeTrace::Lane lane;
        Time at;
    };

    /// Both ends of a transfer, as far as they are known.
    struct Transfer
    {
        End from;
        End to;
    };

    /// A pair of pipeline stages, from one end.
    struct Peer
    {
        uint32_t group;
        uint32_t rank;
    };

    /// Step, group, counter in it, and rank that sends.
    using TransferKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;
    using Place = std::pair<uint32_t, uint32_t>; ///< of a row: process and its order in it

    void OperationDone(const OperationRecord& record);
    void StepDone(const StepRecord& record);
    void PhaseDone(const Phase& phase);
    ChromeTrack& GetTrack(uint32_t process, uint32_t order, const std::string& name);
    Peer GetPeer(uint32_t rank, const Operation& operation);
    void AddTransfers(const OperationRecord& record, const ChromeTrace::Lane& lane);
    void Join(const TransferKey& key);

    std::shared_ptr<ChromeTrace> m_trace;
    std::shared_ptr<TimelineRange> m_range;
    ParallelPlan m_plan;
    uint32_t m_railOrder;
    Ptr<PhaseRecorder> m_phases;
    std::vector<uint32_t> m_processes; ///< by rank
    std::vector<uint32_t> m_rails;     ///< by rail: its process; 0: none yet
    std::map<Place, ChromeTrack> m_tracks;
    std::map<std::pair<uint32_t, GroupSlot>, Peer> m_peers;
    std::map<TransferKey, Transfer> m_transfers; ///< of which one end is not known
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_JOB_TIMELINE_H
