/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "phase-recorder.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("PhaseRecorder");
NS_OBJECT_ENSURE_REGISTERED(PhaseRecorder);

TypeId
PhaseRecorder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::PhaseRecorder")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<PhaseRecorder>()
                            .AddTraceSource("Phase",
                                            "A phase of a step that is over.",
                                            MakeTraceSourceAccessor(&PhaseRecorder::m_phaseTrace),
                                            "ns3::photonic::PhaseRecorder::PhaseTracedCallback")
                            .AddTraceSource("Window",
                                            "A window of a step that is over.",
                                            MakeTraceSourceAccessor(&PhaseRecorder::m_windowTrace),
                                            "ns3::photonic::PhaseRecorder::WindowTracedCallback");
    return tid;
}

PhaseRecorder::PhaseRecorder()
{
    NS_LOG_FUNCTION(this);
}

PhaseRecorder::~PhaseRecorder()
{
    NS_LOG_FUNCTION(this);
}

void
PhaseRecorder::Observe(Ptr<TrainingJob> job, const ParallelPlan& plan)
{
    for (const auto& rank : job->GetRanks())
    {
        const Place place{plan.GetRail(rank->GetRank()), plan.GetCoordinates(rank->GetRank()).pp};
        m_places.push_back(place);
        m_members[place]++;
        if (m_stages.count(place.stage) == 0)
        {
            m_stages[place.stage] = FindPhases(*rank);
        }
    }
    job->TraceConnectWithoutContext("Operation", MakeCallback(&PhaseRecorder::OperationDone, this));
    job->TraceConnectWithoutContext("Step", MakeCallback(&PhaseRecorder::StepDone, this));
}

PhaseRecorder::StagePhases
PhaseRecorder::FindPhases(const RankApplication& rank)
{
    StagePhases stage;
    const auto& operations = rank.GetProgram().GetOperations();
    for (uint32_t i = 0; i < operations.size(); i++)
    {
        if (rank.GetSequence().IsGated(i))
        {
            const Parallelism parallelism = operations[i].parallelism;
            if (stage.phases.empty() || stage.phases.back().parallelism != parallelism)
            {
                Phase phase;
                phase.number = stage.phases.size();
                phase.parallelism = parallelism;
                phase.start = Time::Max();
                stage.phases.push_back(phase);
            }
            stage.phases.back().collectives++;
        }
        stage.ofOperation.push_back(stage.phases.empty() ? 0 : stage.phases.size() - 1);
    }
    return stage;
}

PhaseRecorder::Progress&
PhaseRecorder::GetProgress(uint32_t rank, uint32_t step)
{
    const Place& place = m_places[rank];
    Progress& progress = m_progress[{place, step}];
    if (progress.phases.empty())
    {
        progress.phases = m_stages[place.stage].phases;
        for (auto& phase : progress.phases)
        {
            phase.rail = place.rail;
            phase.stage = place.stage;
            phase.step = step;
        }
    }
    return progress;
}

void
PhaseRecorder::OperationDone(const OperationRecord& record)
{
    if (!record.scaleOut)
    {
        return;
    }
    const auto& stage = m_stages[m_places[record.rank].stage];
    auto& phase = GetProgress(record.rank, record.step).phases[stage.ofOperation[record.index]];
    phase.start = std::min(phase.start, record.start);
    phase.end = std::max(phase.end, record.end);
    phase.bytes += record.sent;
}

void
PhaseRecorder::StepDone(const StepRecord& record)
{
    const Place& place = m_places[record.rank];
    Progress& progress = GetProgress(record.rank, record.step);
    if (++progress.ranksDone == m_members[place])
    {
        Tell(progress.phases);
        m_progress.erase({place, record.step});
    }
}

void
PhaseRecorder::Tell(const std::vector<Phase>& phases)
{
    for (const auto& phase : phases)
    {
        m_phaseTrace(phase);
    }
    for (const auto& window : FindWindows(phases))
    {
        m_windowTrace(window);
    }
}

} // namespace photonic
} // namespace ns3
