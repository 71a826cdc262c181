/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_STAGE_PROGRAM_WRITER_H
#define PHOTONIC_STAGE_PROGRAM_WRITER_H

#include "compute-model.h"
#include "pipeline-schedule.h"
#include "stage-layout.h"
#include "step-program.h"
#include "training-plan.h"

#include <array>
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
     */
    StageProgramWriter(const TrainingPlan& plan, uint32_t stage);

    /**
     * @param items the stage's pipeline order
     * @return the operations of a step, in program order
     */
    std::vector<Operation> Write(const std::vector<PipelineItem>& items);

  private:
    using Dependency = Operation::Dependency;
    using Segment = StageLayout::Segment;

    /// Which TP collectives stand around a part of a segment.
    enum class Around : uint8_t
    {
        BOTH,
        BEFORE,
        AFTER,
    };

    void WritePass(const PipelinePass& pass);
    void WriteWeights(const PipelinePass& pass);
    /// A segment of a pass is computed: if it is the last of its unit, reduce that or put it off.
    void FinishSegment(const std::vector<Segment>& segments,
                       std::size_t index,
                       const PipelinePass& pass);
    void WriteSegment(const Segment& segment, const PipelinePass& pass);
    void WritePart(const std::string& label, const Work& work, Around around);
    void WriteBackward(const std::string& label, const Work& forward, Around around);
    void WriteTransfer(const PipelineItem& item);
    /// Take the input of a pass, if it has been received.
    std::optional<Dependency> TakeInput(const PipelinePass& pass);
    void WriteReduction(uint32_t unit, const PipelinePass& pass, const Dependency& after);
    void WriteEndOfStep();

    /// Gather the unit of a segment, unless it is gathered.
    void Gather(uint32_t unit, const PipelinePass& pass);

    /// @return index of the operation, a communication, now in the program
    uint32_t Append(Operation operation);
    void Compute(const std::string& label, const Work& work, std::vector<Dependency> after);
    /// @return index of the new operation, which has the next counter of its slot
    uint32_t Collective(GroupSlot slot,
                        Parallelism parallelism,
                        CollectiveKind kind,
                        uint64_t bytes,
                        const std::string& what,
                        std::vector<Dependency> after);
    /// A collective that is next in the pass's chain; nothing if the TP group is one rank.
    void TensorParallel(CollectiveKind kind, const std::string& what);

    bool IsReduced(const PipelinePass& pass) const;
    bool IsGathered(const PipelinePass& pass) const;

    const TrainingPlan& m_plan;
    StageLayout m_layout;
    ComputeModel m_compute;
    std::vector<Operation> m_operations;
    std::array<uint32_t, GROUP_SLOTS> m_counters{};

    std::optional<uint32_t> m_lastCompute;
    std::vector<std::pair<PipelinePass, Dependency>> m_inputs; ///< received, of passes to come
    std::optional<Dependency> m_received;   ///< input of the present pass, until it has begun
    std::optional<Dependency> m_parameters; ///< all-gather that the next computation needs
    std::optional<Dependency> m_before;     ///< tail of the pass before, for the first all-gathers
    std::optional<Dependency> m_tail; ///< last of the pass's chain of parts and TP collectives
    std::vector<std::optional<uint32_t>> m_gathered; ///< all-gather of each unit in this pass
    std::vector<uint32_t> m_unreduced;               ///< units whose gradients wait for the send
    std::optional<uint32_t> m_lastCommunication;
    std::vector<Dependency> m_atEnd; ///< sends and reductions that the end of step waits for
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_STAGE_PROGRAM_WRITER_H
