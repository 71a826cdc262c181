/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_JOB_H
#define PHOTONIC_TRAINING_JOB_H

#include "rank-application.h"

#include "ns3/event-id.h"
#include "ns3/object.h"
#include "ns3/scale-up-domain.h"
#include "ns3/traced-callback.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-job Job
 * @ingroup photonic-rails
 * @brief A training job that runs, and what is recorded of it.
 */

/**
 * @ingroup photonic-rails-job
 * @brief Keeps the records of a job's ranks for later.
 */
class Recorder
{
  public:
    virtual ~Recorder() = default;

    /// @param record of an operation that is complete at a rank; valid during the call
    virtual void Record(const OperationRecord& record) = 0;
    /// @param record of a step that is over at a rank
    virtual void Record(const StepRecord& record) = 0;
};

/**
 * @ingroup photonic-rails-job
 * @brief All ranks of a training job, and the watchdog over them.
 *
 * When the last rank has finished, the simulation is stopped (attribute StopWhenFinished), so that
 * nothing periodic keeps it alive. A job that cannot go on ends in one of two ways: the simulator
 * runs out of events, or, where something else keeps it busy, the watchdog finds that no rank has
 * computed or completed anything, and no traffic has moved, for StallTimeout. Either way
 * IsFinished() is false afterwards and DescribeWaiting() says who waits for what. A rank that fails
 * ends the job FailureTimeout later, as the watchdogs of collective libraries do, with one line
 * that says which, when, and who waits for it.
 *
 * Where several processes share the job, a process has all ranks and runs its own: it is finished
 * when these are, and what is told of the job as a whole has to be put together first. A recorder
 * takes the records of a process; replayed in one process, in order of time, they give what a run
 * of one process does.
 */
class TrainingJob : public Object, private RankObserver
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    TrainingJob();
    ~TrainingJob() override;

    /**
     * @param rank the next rank of the job, from 0, configured, before the start
     * @throws std::logic_error if ranks come in another order, or if an operation of its program
     *         has no communicator
     */
    void Add(Ptr<RankApplication> rank);

    /// @param movement a number that changes while traffic moves: the watchdog looks at it
    void SetMovement(std::function<uint64_t()> movement);

    /// @return one application per rank, in order
    const std::vector<Ptr<RankApplication>>& GetRanks() const;

    /// @param domain the next of those that join the ranks of a node, for its path
    void AddScaleUpDomain(Ptr<ScaleUpDomain> domain);

    /// @param recorder that gets all records, instead of the trace sources; null: they do
    void SetRecorder(Recorder* recorder);

    /// Fire the trace source of operations. @param record of any rank
    void Replay(const OperationRecord& record);
    /// Fire the trace source of steps. @param record of any rank
    void Replay(const StepRecord& record);

    /// @return whether all ranks of this process have run all their steps
    bool IsFinished() const;

    /// @return operations completed by all ranks
    uint64_t GetCompleted() const;

    /**
     * End the run because something cannot be.
     * @param reason one line; the first one is kept
     */
    void Fail(const std::string& reason);

    /// @return why the job failed, or empty
    const std::string& GetFailure() const;

    /**
     * @param atMost lines
     * @return who waits for what, a line per rank
     */
    std::vector<std::string> DescribeWaiting(std::size_t atMost) const;

    /// Trace of the end.
    typedef void (*FinishedTracedCallback)();
    /// Trace of a failure, with its reason.
    typedef void (*FailedTracedCallback)(const std::string& reason);

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    // inherited from RankObserver
    void OperationDone(const OperationRecord& record) override;
    void StepDone(const StepRecord& record) override;
    void RankFailed(uint32_t rank) override;

    void Watch();
    void EndByFailure(uint32_t rank);

    /// What all ranks have ended needs no names any more. @param record of the end of a step
    void ForgetCauses(const StepRecord& record);

    /// A step that not all ranks have ended.
    struct OpenStep
    {
        std::size_t ended{0};
        Time start{Time::Max()}; ///< the earliest of those that have
    };

    std::vector<Ptr<RankApplication>> m_ranks;
    std::vector<Ptr<ScaleUpDomain>> m_domains;
    std::shared_ptr<RankApplication::ComputeEnds> m_computeEnds{RankApplication::MakeComputeEnds()};
    std::size_t m_local{0};    ///< ranks of this process
    std::size_t m_finished{0}; ///< of these
    std::map<uint32_t, OpenStep> m_openSteps;
    std::vector<Cause> m_lastEnds; ///< why each rank's latest step ended when it did
    Recorder* m_recorder{nullptr};
    std::string m_failure;
    Time m_stallTimeout;
    Time m_failureTimeout;
    bool m_stopWhenFinished;
    EventId m_watch;
    std::function<uint64_t()> m_movement;
    uint64_t m_lastCompleted{0};
    uint64_t m_lastMovement{0};
    TracedCallback<const OperationRecord&> m_operationTrace;
    TracedCallback<const StepRecord&> m_stepTrace;
    TracedCallback<> m_finishedTrace;
    TracedCallback<const std::string&> m_failedTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_JOB_H
