/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_REPLAYED_STEP_H
#define PHOTONIC_REPLAYED_STEP_H

#include "phase-trace.h"
#include "training-plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief A communication of a recorded step, as one pipeline stage takes part in it.
 */
struct ReplayedOperation
{
    std::size_t phase; ///< index among the phases of its stage
    /// Group that does it.
    GroupSlot slot{GroupSlot::NONE};
    /// Of a collective.
    CollectiveKind kind{CollectiveKind::ALL_GATHER};
    uint64_t bytes{0};        ///< as in Operation
    uint64_t receiveBytes{0}; ///< as in Operation
    uint32_t counter{0};      ///< number of this operation in its group
    std::size_t peer{0};      ///< of a pair: index among the operations of the other stage
    bool waits{true};         ///< the stage goes on when it is over; else when it is posted

    /// @return whether it is between two stages
    bool IsPair() const
    {
        return slot == GroupSlot::PP_NEXT || slot == GroupSlot::PP_PREVIOUS;
    }
};

/// @param parallelism of a phase @return whether its operations are rings with computation between
constexpr bool
IsRing(Parallelism parallelism)
{
    return parallelism == Parallelism::FSDP || parallelism == Parallelism::DP;
}

/**
 * @ingroup photonic-rails-workload
 * @brief What one pipeline stage did in a recorded step.
 */
struct ReplayedStage
{
    std::vector<Phase> phases;                 ///< in order, at least one
    std::vector<ReplayedOperation> operations; ///< in order of the phases

    /// @param i index of an operation @return whether its phase ends with it
    bool IsLastOfPhase(std::size_t i) const
    {
        return i + 1 == operations.size() || operations[i + 1].phase != operations[i].phase;
    }
};

/**
 * @ingroup photonic-rails-workload
 * @brief One step of a phase trace, with what the trace does not say: who was the other end of a
 *        pipeline operation, who waited for it, and which bytes it moved. See doc/workload.md.
 *
 * The lowest rail of the trace speaks for all.
 */
class ReplayedStep
{
  public:
    /**
     * @param trace of a job
     * @param step one of its steps
     * @param plan the job: its degrees, and, where the trace has no bytes, its model
     * @throws std::invalid_argument naming step, stage and phase if they do not go together
     */
    ReplayedStep(const PhaseTrace& trace, uint32_t step, const TrainingPlan& plan);

    /// @return by stage
    const std::vector<ReplayedStage>& GetStages() const;

    /// @return the earliest start of a phase, over all stages
    Time GetStart() const;

    /// @return when the next step of the trace starts, if there is one
    std::optional<Time> GetNextStart() const;

    /// @return the step of the trace before this one, if there is one
    std::optional<uint32_t> GetStepBefore() const;

  private:
    void FindSteps(const PhaseTrace& trace);
    void AddPhases(const PhaseTrace& trace);
    void AddOperations(uint32_t stage);
    void FindPairs();
    void FindWaits();
    void SetVolumes(bool recorded);
    void SetDirections(bool recorded);
    void SetCounters();

    /// @param stage of a pair operation @param o the operation @return its other end
    ReplayedOperation& GetPeer(std::size_t stage, const ReplayedOperation& o);
    /// @param phase of this step @return bytes that a rank sends in it
    uint64_t GetBytesOfRank(const Phase& phase) const;
    /// @return groups of the job that use rails, in the order of the end-of-step collectives
    std::vector<GroupSlot> GetGroups() const;
    [[noreturn]] void Refuse(const std::string& where, const std::string& what) const;

    uint32_t m_step;
    TrainingPlan m_plan;
    uint32_t m_rail{0};
    std::vector<GroupSlot> m_groups;
    uint32_t m_ranks{1}; ///< of a stage on a rail
    Time m_start;
    std::optional<uint32_t> m_stepBefore;
    std::optional<Time> m_nextStart;
    std::vector<ReplayedStage> m_stages;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_REPLAYED_STEP_H
