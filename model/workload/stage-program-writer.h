/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_STAGE_PROGRAM_WRITER_H
#define PHOTONIC_STAGE_PROGRAM_WRITER_H

#include "compute-model.h"
#include "expert-exchange.h"
#include "pipeline-schedule.h"
#include "stage-layout.h"
#include "step-program.h"
#include "training-plan.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief Writes the operations of one stage, entry by entry of its pipeline order.
 */
class StageProgramWriter
{
  public:
    /**
     * @param plan the training job; has to outlive the writer
     * @param stage from 0
     * @param expertPosition of the rank in its expert parallel group, if experts are uneven
     */
    StageProgramWriter(const TrainingPlan& plan, uint32_t stage, uint32_t expertPosition = 0);

    /**
     * @param items the stage's pipeline order
     * @return the operations of a step, in program order
     */
    std::vector<Operation> Write(const std::vector<PipelineItem>& items);

  private:
    using Dependency = Operation::Dependency;
    using Segment = StageLayout::Segment;

    /// Gradients that wait for more.
    struct Bucket
    {
        uint64_t bytes{0};
        std::string what; ///< filled it last
        Dependency after; ///< when that was
    };

    /// Which TP collectives stand around a part of a segment.
    enum class Around : uint8_t
    {
        BOTH,
        BEFORE,
        AFTER,
        NONE,
    };

    void WritePass(const PipelinePass& pass);
    void WriteWeights(const PipelinePass& pass);
    /// A segment of a pass is computed: if it is the last of its unit, reduce that or put it off.
    void FinishSegment(const std::vector<Segment>& segments,
                       std::size_t index,
                       const PipelinePass& pass);
    void WriteSegment(const Segment& segment, const PipelinePass& pass);
    /// @param work on all of the TP group @param bytes of the TP collectives, in total
    void WritePart(const std::string& label, const Work& work, Around around, uint64_t bytes);
    void WriteBackward(const std::string& label,
                       const Work& forward,
                       Around around,
                       uint64_t bytes);
    /// @return whether the backward pass computes gradients of weights after those of inputs
    bool SplitsBackward() const;
    /// @return the backward pass that the next part waits for, in forward passes
    double GetBackwardFactor() const;
    /// The gradients of weights, if they are computed right after those of inputs.
    void WriteWeightsAtOnce(const std::string& label, const Work& forward);
    void WriteAttention(const std::string& layer, bool forward);
    void WriteBlocks(const std::string& label, const Work& work, bool forward);
    void WriteGatheredScores(const std::string& label, const Work& work, bool forward);
    void WriteMlp(const std::string& label, uint32_t layer, bool forward);
    void WriteExchange(const std::string& label, const std::vector<ExpertExchange::Step>& steps);
    /// The computation that is next in the pass's chain. @param work on all of the TP group
    void WriteCompute(const std::string& label, const Work& work);
    /// @return whether tokens go to experts on other ranks
    bool HasExchange(uint32_t layer) const;
    /// @return the forward pass of a layer's attention on the TP group
    Work GetAttentionWork() const;
    /// @return that of its MLP, without experts that tokens go to
    Work GetMlpWork(uint32_t layer) const;
    /// @return that of experts that tokens come to
    Work GetExpertsWork(uint32_t layer) const;
    /// @return copies of tokens that come to experts, from all members of the TP group
    uint64_t GetReceivedCopies(uint32_t layer) const;
    /// @return copies that each member of the EP group has for each one, if they are uneven
    std::vector<uint64_t> GetCopiesByRank(uint32_t layer) const;
    ExpertExchange MakeExchange(uint32_t layer) const;
    void WriteTransfer(const PipelineItem& item);
    /// Take the input of a pass, if it has been received.
    std::optional<Dependency> TakeInput(const PipelinePass& pass);
    void WriteReduction(uint32_t unit, const PipelinePass& pass, const Dependency& after);
    void FillBucket(GroupSlot replicas,
                    uint64_t bytes,
                    const std::string& what,
                    const Dependency& after);
    void FlushBuckets();
    void ReduceBucket(GroupSlot replicas,
                      uint64_t bytes,
                      const std::string& what,
                      const Dependency& after);
    void WriteEndOfStep();

    /// Gather the unit of a segment, unless it is gathered.
    void Gather(uint32_t unit, const PipelinePass& pass);

    void WaitForAll(Operation& operation) const;
    /// @return index of the operation, a communication, now in the program
    uint32_t Append(Operation operation);
    void Compute(const std::string& label, const Work& work, std::vector<Dependency> after);
    /**
     * A collective of a group, as several if that spans rails.
     * @return index of the last operation; each has the next counter of its slot
     */
    uint32_t Collective(GroupSlot slot,
                        Parallelism parallelism,
                        CollectiveKind kind,
                        uint64_t bytes,
                        const std::string& what,
                        std::vector<Dependency> after);
    /// @return index of the new operation, which has the next counter of its slot
    uint32_t AppendCollective(GroupSlot slot,
                              Parallelism parallelism,
                              CollectiveKind kind,
                              uint64_t bytes,
                              const std::string& what,
                              std::vector<Dependency> after);
    /// A collective that is next in the pass's chain; nothing if the TP group is one rank.
    void TensorParallel(CollectiveKind kind, const std::string& what, uint64_t bytes);
    /// Reduce gradients over the ranks that shard the parameters, then over those that hold them.
    void Reduce(GroupSlot shards,
                GroupSlot replicas,
                uint64_t parameters,
                const std::string& what,
                const Dependency& after);
    /// @return what the first operation of something that follows the chain waits for
    std::vector<Dependency> GetTail() const;

    bool IsReduced(const PipelinePass& pass) const;
    bool IsGathered(const PipelinePass& pass) const;

    const TrainingPlan& m_plan;
    ParallelPlan m_ranks;
    uint32_t m_expertPosition;
    StageLayout m_layout;
    ComputeModel m_compute;
    std::vector<Operation> m_operations;
    std::array<uint32_t, GROUP_SLOTS> m_counters{};

    std::optional<uint32_t> m_lastCompute;
    std::vector<std::pair<PipelinePass, Dependency>> m_inputs; ///< received, of passes to come
    std::optional<Dependency> m_received;    ///< input of the present pass, until it has begun
    std::vector<Dependency> m_needs;         ///< what the next computation needs beside the chain
    std::optional<Dependency> m_expertNeeds; ///< all-gather that the next one of experts needs
    std::optional<Dependency> m_before;      ///< tail of the pass before, for the first all-gathers
    std::optional<Dependency> m_tail; ///< last of the pass's chain of parts and TP collectives
    std::vector<std::optional<uint32_t>> m_gathered; ///< all-gather of each unit in this pass
    std::vector<std::optional<uint32_t>> m_gatheredExperts; ///< and of its experts
    std::vector<uint32_t> m_unreduced;     ///< units whose gradients wait for the send
    std::map<GroupSlot, Bucket> m_buckets; ///< of this pass, by the group that reduces them
    std::optional<uint32_t> m_lastCommunication;
    std::vector<Dependency> m_atEnd; ///< sends and reductions that the end of step waits for
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_STAGE_PROGRAM_WRITER_H
