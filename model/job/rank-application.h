/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RANK_APPLICATION_H
#define PHOTONIC_RANK_APPLICATION_H

#include "collective-gate.h"
#include "gate-sequence.h"
#include "operation-record.h"

#include "ns3/application.h"
#include "ns3/communicator.h"
#include "ns3/event-batch.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <array>
#include <boost/container/small_vector.hpp>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-job
 * @brief One rank of a training job: runs its StepProgram, step after step.
 *
 * There is one compute stream and one stream per communicator, as in PyTorch: an operation starts
 * when the one before it in its stream is complete and its dependencies are fulfilled. Scale-out
 * operations ask the gate first. There is no barrier between steps: the next one begins when the
 * rank's own ends. If the node belongs to another process, the rank does not run here.
 *
 * A straggler takes longer for each computation, by a factor (attribute Slowdown). A rank that has
 * failed begins and ends nothing any more, and posts no message; what its ports hold already is
 * sent. In collective fidelity an operation that all members have begun completes at the others.
 */
class RankApplication : public Application
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RankApplication();
    ~RankApplication() override;

    /**
     * @param rank of the application
     * @param program of its stage
     * @param sequence numbers of the operations that pass the gate
     * @param gate asked before every scale-out operation
     */
    void Configure(uint32_t rank,
                   Ptr<const StepProgram> program,
                   std::shared_ptr<const GateSequence> sequence,
                   Ptr<CollectiveGate> gate);

    /**
     * @param slot that the program names it by
     * @param communicator that serves the slot
     */
    void SetCommunicator(GroupSlot slot, Ptr<Communicator> communicator);

    /// @param groups of the rank that leave the node: announced to the gate at the start
    void SetScaleOutGroups(std::vector<RankGroup> groups);

    /// @param steps to run, profiling steps included; at least 1 (else std::invalid_argument)
    void SetSteps(uint32_t steps);

    /// @param ahead whether the host announces a step's operations to the gate; off if not set
    void SetHostAhead(bool ahead);

    /// Ends of computations.
    using ComputeEnds = EventBatch<RankApplication*>;

    /// @return ends of computations, for ranks of one process
    static std::shared_ptr<ComputeEnds> MakeComputeEnds();

    /// @param ends shared by ranks whose computations are to share events; not set: own ones
    void SetComputeEnds(std::shared_ptr<ComputeEnds> ends);

    /// @param observer told beside the rank's own trace sources, or null
    void SetObserver(RankObserver* observer);

    /// @throws std::logic_error if an operation of the program has no communicator
    void CheckCommunicators() const;

    /// The rank fails now; nothing happens if it has finished or failed.
    void Fail();
    /// @return whether it has failed
    bool IsFailed() const;
    /// @return when it did
    Time GetFailedAt() const;

    /// @param rank another one @return whether an operation under way here needs it, too
    bool WaitsFor(uint32_t rank) const;

    /**
     * Fix the random variable of the slowdown.
     * @param stream of it
     * @return how many there are
     */
    int64_t AssignStreams(int64_t stream);

    /// @return number in the job
    uint32_t GetRank() const;
    /// @return how many steps it runs
    uint32_t GetSteps() const;
    /// @return whether it has ended its last step
    bool IsFinished() const;
    /// @return operations completed since the start of the job
    uint64_t GetCompleted() const;
    /// @return whether a computation is under way
    bool IsComputing() const;
    /// @return what it asks before operations
    Ptr<CollectiveGate> GetGate() const;
    /// @return how many groups it belongs to, as communicators
    uint32_t GetNCommunicators() const;
    /// @param i one of these, in order of their slots @return it
    Ptr<Communicator> GetCommunicator(uint32_t i) const;
    /// @return what it does in a step
    const StepProgram& GetProgram() const;
    /// @return its operations that pass the gate, in order
    const GateSequence& GetSequence() const;

    /// @return one line on what the rank is waiting for, for people
    std::string DescribeWaiting() const;

    /// Trace of computations that take longer. @param rank whose @param factor by which
    /// @param duration what they take then
    typedef void (*SlowedTracedCallback)(uint32_t rank, double factor, Time duration);
    /// Trace of failure. @param rank whose
    typedef void (*FailedTracedCallback)(uint32_t rank);
    /// Trace of finished operations. @param record of the operation
    typedef void (*OperationTracedCallback)(const OperationRecord& record);
    /// Trace of finished steps. @param record of the step
    typedef void (*StepTracedCallback)(const StepRecord& record);

  protected:
    void DoDispose() override;

  private:
    /// An operation that has all its predecessors behind it and is not complete.
    struct Active
    {
        uint32_t index;
        bool running; ///< or it is at the gate
        Time begin;   ///< of one that runs
    };

    void StartApplication() override;
    void StopApplication() override;

    void BeginStep(const Cause& cause);
    void RunStep(const Cause& cause);
    void AnnounceStep();
    void Start(uint32_t index, const Cause& cause);
    void Communicate(uint32_t index, const Cause& cause);
    void ComputeDone();
    Time GetDuration(const Operation& computation);
    void Complete(uint32_t index,
                  Time start,
                  uint64_t sent,
                  const IntervalUnion* traffic,
                  const Cause& cause);
    void Release(uint32_t index, Operation::Dependency::Part part, const Cause& cause);
    void EndStep(const Cause& cause);
    void TellStep(uint32_t step, const Cause& cause);
    GatedOperation Gated(uint32_t index) const;
    Active& Find(uint32_t index);
    Time GetSettled() const;

    uint32_t m_rank{0};
    Ptr<const StepProgram> m_program;
    std::shared_ptr<const GateSequence> m_sequence;
    Ptr<CollectiveGate> m_gate;
    std::array<Ptr<Communicator>, GROUP_SLOTS> m_communicators;
    std::vector<RankGroup> m_groups;
    uint32_t m_steps{1};
    bool m_hostAhead{false};

    uint32_t m_step{0};
    Time m_stepStart;
    std::vector<uint16_t> m_pending; ///< predecessors that are not over, by operation
    uint32_t m_left{0};              ///< operations of the step that are not complete
    boost::container::small_vector<Active, 6> m_active;
    std::shared_ptr<ComputeEnds> m_computeEnds;
    bool m_computing{false};
    uint32_t m_computation{0}; ///< index of the latest one: there is one compute stream
    Cause m_computeCause;      ///< why it began
    bool m_finished{false};
    bool m_failed{false};
    Time m_failedAt;
    Ptr<RandomVariableStream> m_slowdown; ///< factor of a computation; null: 1
    uint64_t m_completed{0};

    RankObserver* m_observer{nullptr};
    TracedCallback<const OperationRecord&> m_operationTrace;
    TracedCallback<const StepRecord&> m_stepTrace;
    TracedCallback<uint32_t, double, Time> m_slowedTrace;
    TracedCallback<uint32_t> m_failedTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RANK_APPLICATION_H
