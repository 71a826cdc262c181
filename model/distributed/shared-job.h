/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SHARED_JOB_H
#define PHOTONIC_SHARED_JOB_H

#include "ns3/training-job.h"

#include <deque>
#include <string>
#include <variant>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-distributed
 * @brief A training job that several processes share: ends their runs together, and puts what they
 * have recorded together afterwards.
 *
 * When the ranks of a process have finished, it tells process 0, which stops all processes at one
 * simulated instant once all have said so: until then each may have to carry what others send. The
 * job's own StopWhenFinished has to be off.
 */
class SharedJob : private Recorder
{
  public:
    /// @param job of this process, with all ranks added, before the start
    explicit SharedJob(Ptr<TrainingJob> job);
    ~SharedJob() override;

    SharedJob(const SharedJob&) = delete;
    SharedJob& operator=(const SharedJob&) = delete;

    /**
     * After the run, in all processes: in process 0 the trace sources of the job fire for all
     * ranks, in order of time.
     */
    void Replay();

    /// @return whether all ranks of all processes have finished; the same in all processes
    bool IsFinished() const;

  private:
    /// With the traffic that the record points to.
    struct KeptOperation
    {
        OperationRecord record;
        IntervalUnion traffic;
    };

    using Kept = std::variant<KeptOperation, StepRecord>;

    void Record(const OperationRecord& record) override;
    void Record(const StepRecord& record) override;
    void Finished();
    void ProcessFinished();
    static Time GetEnd(const Kept& kept);
    std::string Serialise() const;
    void Deserialise(const std::string& bytes);

    Ptr<TrainingJob> m_job;
    std::deque<Kept> m_kept; ///< in order of time
    uint32_t m_finished{0};  ///< processes, as process 0 knows
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SHARED_JOB_H
