/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_RUN_H
#define PHOTONIC_TRAINING_RUN_H

#include "options.h"
#include "run-files.h"
#include "run-processes.h"
#include "run-result.h"
#include "run-timeline.h"

#include "ns3/job-statistics.h"
#include "ns3/opus-helper.h"
#include "ns3/phase-recorder.h"
#include "ns3/training-job-helper.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * One simulation of a training job, from options to result.
 *
 * The constructor builds everything and throws std::invalid_argument where the options do not fit
 * together; nothing has been written by then.
 */
class TrainingRun
{
  public:
    /**
     * @param options of the run
     * @param processes that share it; must outlive it
     */
    TrainingRun(const Options& options, RunProcesses& processes);
    ~TrainingRun();

    /// @return programs of the pipeline stages
    const std::vector<Ptr<const StepProgram>>& GetPrograms() const;

    /// Write what is to be exported, if anything is. @throws std::runtime_error
    void Export() const;

    /// @return what a user should know before the run, a line each
    std::vector<std::string> GetWarnings() const;

    /// @return whether circuits change during the run
    bool HasController() const;
    /// @return profiling steps, which come before the measured ones
    uint32_t GetProfilingSteps() const;

    /**
     * Simulate.
     * @param files that get the measured steps, or null
     * @return whether the job finished; if not, see DescribeStall()
     */
    bool Simulate(RunFiles* files);

    /// @return why the job did not finish, a line each
    std::vector<std::string> DescribeStall() const;

    /// Save the profile that was asked for and not there before. @throws std::runtime_error
    void SaveProfile() const;

    const RunResult& GetResult() const;

  private:
    std::vector<Ptr<const StepProgram>> BuildPrograms();
    std::vector<Ptr<const StepProgram>> BuildOperators() const;
    uint32_t GetProcessOf(uint32_t rank) const;
    void BuildOpus();
    void BuildJob();
    Ptr<const ReliableTransport> MakeTransport() const;
    void ObserveProfiling();
    void OpenTimeline();
    std::string GetFingerprint() const;

    bool IsMeasured(uint32_t step) const;
    void RankStepDone(const StepRecord& record);
    void StepDone(const StepSummary& summary);
    void PhaseDone(const Phase& phase);
    void WindowDone(const Window& window);
    void RequestDone(const OpusController::Record& record);
    void Waited(const OpusShim::Wait& wait);
    uint64_t CountPackets() const;
    uint64_t CountDrops() const;
    void CollectResult();

    Options m_options;
    RunProcesses& m_processes;
    ParallelPlan m_plan;
    std::vector<std::string> m_replayWarnings;
    std::vector<Ptr<const StepProgram>> m_programs;
    TrainingFabric m_fabric;
    std::unique_ptr<OpusHelper> m_opus;
    double m_longestStep{0}; ///< seconds, if nothing overlapped
    bool m_saveProfile{false};
    uint32_t m_profilingSteps{0};
    Ptr<TrainingJob> m_job;
    std::unique_ptr<TrainingJobHelper> m_jobHelper;
    Ptr<JobStatistics> m_statistics;
    Ptr<PhaseRecorder> m_phases;
    RunFiles* m_files{nullptr};
    std::unique_ptr<RunTimeline> m_timeline;
    std::map<uint64_t, OpusController::Record> m_requests; ///< of steps that are not over, by id
    uint64_t m_profilingPackets{0};
    double m_serialisation{0}; ///< seconds, summed over ranks
    RunResult m_result;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_RUN_H
