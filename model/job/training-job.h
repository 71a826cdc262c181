/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_JOB_H
#define PHOTONIC_TRAINING_JOB_H

#include "rank-application.h"

#include "ns3/event-id.h"
#include "ns3/object.h"

#include <functional>
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
 * @brief All ranks of a training job, and the watchdog over them.
 *
 * When the last rank has finished, the simulation is stopped (attribute StopWhenFinished), so that
 * nothing periodic keeps it alive. A job that cannot go on ends in one of two ways: the simulator
 * runs out of events, or, where something else keeps it busy, the watchdog finds that no rank has
 * computed or completed anything, and no traffic has moved, for StallTimeout. Either way
 * IsFinished() is false afterwards and DescribeWaiting() says who waits for what.
 */
class TrainingJob : public Object, private RankObserver
{
  public:
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

    const std::vector<Ptr<RankApplication>>& GetRanks() const;

    /// @return whether all ranks have run all their steps
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

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    // inherited from RankObserver
    void OperationDone(const OperationRecord& record) override;
    void StepDone(const StepRecord& record) override;

    void Watch();

    std::vector<Ptr<RankApplication>> m_ranks;
    std::size_t m_finished{0};
    std::string m_failure;
    Time m_stallTimeout;
    bool m_stopWhenFinished;
    EventId m_watch;
    std::function<uint64_t()> m_movement;
    uint64_t m_lastCompleted{0};
    uint64_t m_lastMovement{0};
    TracedCallback<const OperationRecord&> m_operationTrace;
    TracedCallback<const StepRecord&> m_stepTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_JOB_H
