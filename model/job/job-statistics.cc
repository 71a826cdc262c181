/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "job-statistics.h"

#include "ns3/log.h"

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("JobStatistics");
NS_OBJECT_ENSURE_REGISTERED(JobStatistics);

namespace
{

/// Intervals of a rank that may wait to be summed up: each time costs, and so does their memory.
constexpr std::size_t UNSETTLED = 4;

} // namespace

TypeId
JobStatistics::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::JobStatistics")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<JobStatistics>()
                            .AddTraceSource("Step",
                                            "All ranks have ended a step.",
                                            MakeTraceSourceAccessor(&JobStatistics::m_stepTrace),
                                            "ns3::photonic::JobStatistics::StepTracedCallback");
    return tid;
}

JobStatistics::JobStatistics()
{
    NS_LOG_FUNCTION(this);
}

JobStatistics::~JobStatistics()
{
    NS_LOG_FUNCTION(this);
}

void
JobStatistics::Observe(Ptr<TrainingJob> job)
{
    m_ranks.resize(job->GetRanks().size());
    job->TraceConnectWithoutContext("Operation", MakeCallback(&JobStatistics::OperationDone, this));
    job->TraceConnectWithoutContext("Step", MakeCallback(&JobStatistics::StepDone, this));
}

void
JobStatistics::OperationDone(const OperationRecord& record)
{
    RankState& rank = m_ranks[record.rank];
    if (record.traffic)
    {
        rank.communication.Add(*record.traffic);
    }
    else
    {
        rank.compute.Add(record.start, record.end);
    }
    rank.bytes[static_cast<std::size_t>(record.operation->parallelism)] += record.sent;
    if (rank.compute.Get().size() + rank.communication.Get().size() > UNSETTLED)
    {
        rank.Settle(record.settled);
    }
}

void
JobStatistics::RankState::Settle(Time until)
{
    const auto computed = compute.TakeBefore(until);
    const auto communicated = communication.TakeBefore(until);
    computeTime += computed.GetLength();
    communicationTime += communicated.GetLength();
    exposedTime += communicated.GetLengthWithout(computed);
}

void
JobStatistics::StepDone(const StepRecord& record)
{
    RankState& rank = m_ranks[record.rank];
    StepState& step = m_steps[record.step];
    step.ranks++;
    rank.Settle(Time::Max());
    step.compute += rank.computeTime.GetTimeStep();
    step.communication += rank.communicationTime.GetTimeStep();
    step.exposed += rank.exposedTime.GetTimeStep();
    for (std::size_t i = 0; i < step.bytes.size(); i++)
    {
        step.bytes[i] += rank.bytes[i];
    }
    rank = RankState();
    // Ranks end a step in order of time: the last one to do so is the latest.
    step.end = record.end;
    step.cause = record.cause;
    if (step.ranks < m_ranks.size())
    {
        return;
    }
    const auto mean = [this](Ticks sum) {
        return TimeStep(static_cast<int64_t>(sum / static_cast<int64_t>(m_ranks.size())));
    };
    StepSummary summary;
    summary.step = record.step;
    summary.end = step.end;
    summary.duration = step.end - m_lastEnd;
    summary.cause = step.cause;
    summary.exposedReconfigurations =
        static_cast<int64_t>(step.cause.GetReconfigurations() - m_lastCause.GetReconfigurations());
    summary.stall = step.cause.GetStall() - m_lastCause.GetStall();
    summary.compute = mean(step.compute);
    summary.communication = mean(step.communication);
    summary.exposedCommunication = mean(step.exposed);
    summary.bytes = step.bytes;
    m_lastEnd = step.end;
    m_lastCause = step.cause;
    m_steps.erase(record.step);
    m_stepTrace(summary);
}

} // namespace photonic
} // namespace ns3
