/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PHASE_RECORDER_H
#define PHOTONIC_PHASE_RECORDER_H

#include "training-job.h"

#include "ns3/parallel-plan.h"
#include "ns3/phase-trace.h"
#include "ns3/traced-callback.h"

#include <map>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-job
 * @brief Watches the phases and windows of a job on its rails.
 *
 * Phases follow from the order of the program, and are the same in every step. They are told, in
 * order, when the ranks of a stage on a rail have ended a step.
 */
class PhaseRecorder : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    PhaseRecorder();
    ~PhaseRecorder() override;

    /**
     * @param job whose ranks are watched, before the start
     * @param plan who is where
     */
    void Observe(Ptr<TrainingJob> job, const ParallelPlan& plan);

    /// Trace of phases. @param phase that has ended
    typedef void (*PhaseTracedCallback)(const Phase& phase);
    /// Trace of windows. @param window that has ended
    typedef void (*WindowTracedCallback)(const Window& window);

  private:
    /// What the program of a stage says about its phases.
    struct StagePhases
    {
        std::vector<Phase> phases;         ///< parallelism and collectives are filled in
        std::vector<uint32_t> ofOperation; ///< phase of an operation, where it has one
    };

    /// A step of the ranks of one stage on one rail, as far as it has come.
    struct Progress
    {
        std::vector<Phase> phases;
        uint32_t ranksDone{0};
    };

    /// Rail and stage of a rank.
    struct Place
    {
        uint32_t rail;
        uint32_t stage;

        bool operator<(const Place& o) const
        {
            return rail != o.rail ? rail < o.rail : stage < o.stage;
        }
    };

    static StagePhases FindPhases(const RankApplication& rank);
    Progress& GetProgress(uint32_t rank, uint32_t step);
    void OperationDone(const OperationRecord& record);
    void StepDone(const StepRecord& record);
    void Tell(const std::vector<Phase>& phases);

    std::vector<Place> m_places;         ///< by rank
    std::map<Place, uint32_t> m_members; ///< ranks of the stage on the rail
    std::map<uint32_t, StagePhases> m_stages;
    std::map<std::pair<Place, uint32_t>, Progress> m_progress; ///< by place and step
    TracedCallback<const Phase&> m_phaseTrace;
    TracedCallback<const Window&> m_windowTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PHASE_RECORDER_H
