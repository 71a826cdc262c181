/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_JOB_STATISTICS_H
#define PHOTONIC_JOB_STATISTICS_H

#include "training-job.h"

#include "ns3/interval-union.h"
#include "ns3/traced-callback.h"

#include <array>
#include <map>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-job
 * @brief What a training step came to, over all ranks.
 */
struct StepSummary
{
    /// Number, profiling steps included.
    uint32_t step;
    Time end;      ///< latest end of the step at any rank
    Time duration; ///< end minus the end of the step before
    Cause cause;   ///< of the latest end
    /// Those on the way to the end less those on the way to the end of the step before: what the
    /// duration changes by, in reconfiguration delays. Below 0 if the two ways are different ones
    /// and the one before met more.
    int64_t exposedReconfigurations;
    Time stall;         ///< waits for circuits on the same way
    Time compute;       ///< busy time of computations, mean over ranks
    Time communication; ///< union of the times in which bits passed the rank, mean over ranks
    Time exposedCommunication; ///< the part of it that no computation covers, mean over ranks
    std::array<uint64_t, PARALLELISMS> bytes; ///< payload sent by all ranks, by Parallelism
};

/**
 * @ingroup photonic-rails-job
 * @brief Sums up a job's steps as they end.
 *
 * Keeps no more than what is under way at each rank; a step is told when its last rank has ended
 * it.
 */
class JobStatistics : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    JobStatistics();
    ~JobStatistics() override;

    /// @param job whose ranks are watched, before the start
    void Observe(Ptr<TrainingJob> job);

    /// Trace of finished steps. @param summary of the step
    typedef void (*StepTracedCallback)(const StepSummary& summary);

  private:
    __extension__ typedef __int128 Ticks;

    struct RankState
    {
        /// What lies before an instant to which nothing will be added is summed up. @param until it
        void Settle(Time until);

        IntervalUnion compute; ///< not summed up yet
        IntervalUnion communication;
        Time computeTime;
        Time communicationTime;
        Time exposedTime; ///< of communication, without computation
        std::array<uint64_t, PARALLELISMS> bytes{};
    };

    struct StepState
    {
        std::size_t ranks{0};
        Time end;
        Cause cause;
        // In ticks: a sum over ranks can exceed what Time holds.
        Ticks compute{0};
        Ticks communication{0};
        Ticks exposed{0};
        std::array<uint64_t, PARALLELISMS> bytes{};
    };

    void OperationDone(const OperationRecord& record);
    void StepDone(const StepRecord& record);

    std::vector<RankState> m_ranks;
    std::map<uint32_t, StepState> m_steps; ///< those that not all ranks have ended
    Time m_lastEnd;
    Cause m_lastCause;
    TracedCallback<const StepSummary&> m_stepTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_JOB_STATISTICS_H
