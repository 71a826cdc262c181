/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "training-job.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/object-vector.h"
#include "ns3/partition.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("TrainingJob");
NS_OBJECT_ENSURE_REGISTERED(TrainingJob);

TypeId
TrainingJob::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::TrainingJob")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<TrainingJob>()
            .AddAttribute("StallTimeout",
                          "Simulated time without a completed operation, a computation under "
                          "way or traffic that moves, after which the watchdog stops the "
                          "simulation; 0: never.",
                          TimeValue(Hours(1)),
                          MakeTimeAccessor(&TrainingJob::m_stallTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FailureTimeout",
                          "Simulated time from the failure of a rank to the end of the job. That "
                          "of PyTorch's process groups is the default.",
                          TimeValue(Minutes(10)),
                          MakeTimeAccessor(&TrainingJob::m_failureTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("StopWhenFinished",
                          "Stop the simulation when the last rank has finished. If not, somebody "
                          "else does, and is told when the watchdog stops it: the job fails.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&TrainingJob::m_stopWhenFinished),
                          MakeBooleanChecker())
            .AddAttribute("ScaleUpDomains",
                          "What joins the ranks of each node, if it is simulated message by "
                          "message.",
                          TypeId::ATTR_GET,
                          ObjectVectorValue(),
                          MakeObjectVectorAccessor(&TrainingJob::m_domains),
                          MakeObjectVectorChecker<ScaleUpDomain>())
            .AddTraceSource("Operation",
                            "An operation is complete at one of the ranks.",
                            MakeTraceSourceAccessor(&TrainingJob::m_operationTrace),
                            "ns3::photonic::RankApplication::OperationTracedCallback")
            .AddTraceSource("Step",
                            "A step is over at one of the ranks.",
                            MakeTraceSourceAccessor(&TrainingJob::m_stepTrace),
                            "ns3::photonic::RankApplication::StepTracedCallback")
            .AddTraceSource("Failed",
                            "The run ends because something cannot be.",
                            MakeTraceSourceAccessor(&TrainingJob::m_failedTrace),
                            "ns3::photonic::TrainingJob::FailedTracedCallback")
            .AddTraceSource("Finished",
                            "All ranks of this process have run all their steps.",
                            MakeTraceSourceAccessor(&TrainingJob::m_finishedTrace),
                            "ns3::photonic::TrainingJob::FinishedTracedCallback");
    return tid;
}

TrainingJob::TrainingJob()
{
    NS_LOG_FUNCTION(this);
}

TrainingJob::~TrainingJob()
{
    NS_LOG_FUNCTION(this);
}

void
TrainingJob::DoInitialize()
{
    NS_LOG_FUNCTION(this);
    if (!m_stallTimeout.IsZero())
    {
        m_watch = Simulator::Schedule(m_stallTimeout, &TrainingJob::Watch, this);
    }
    Object::DoInitialize();
}

void
TrainingJob::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_watch.Cancel();
    m_movement = nullptr;
    for (const auto& rank : m_ranks)
    {
        rank->SetObserver(nullptr);
    }
    m_ranks.clear();
    m_lastEnds.clear();
    Object::DoDispose();
}

void
TrainingJob::Add(Ptr<RankApplication> rank)
{
    if (rank->GetRank() != m_ranks.size()) // who observes the job keeps its ranks by number
    {
        throw std::logic_error("rank " + std::to_string(rank->GetRank()) +
                               " was added to the job where rank " +
                               std::to_string(m_ranks.size()) + " is next");
    }
    rank->CheckCommunicators();
    rank->SetObserver(this);
    rank->SetComputeEnds(m_computeEnds);
    m_ranks.push_back(rank);
    m_local += !IsRemote(rank->GetNode());
}

void
TrainingJob::SetRecorder(Recorder* recorder)
{
    m_recorder = recorder;
}

void
TrainingJob::Replay(const OperationRecord& record)
{
    m_operationTrace(record);
}

void
TrainingJob::Replay(const StepRecord& record)
{
    m_stepTrace(record);
}

void
TrainingJob::AddScaleUpDomain(Ptr<ScaleUpDomain> domain)
{
    m_domains.push_back(domain);
}

void
TrainingJob::SetMovement(std::function<uint64_t()> movement)
{
    m_movement = std::move(movement);
}

const std::vector<Ptr<RankApplication>>&
TrainingJob::GetRanks() const
{
    return m_ranks;
}

bool
TrainingJob::IsFinished() const
{
    return m_finished == m_local && m_failure.empty();
}

uint64_t
TrainingJob::GetCompleted() const
{
    uint64_t completed = 0;
    for (const auto& rank : m_ranks)
    {
        completed += rank->GetCompleted();
    }
    return completed;
}

void
TrainingJob::OperationDone(const OperationRecord& record)
{
    if (m_recorder)
    {
        m_recorder->Record(record);
        return;
    }
    m_operationTrace(record);
}

void
TrainingJob::StepDone(const StepRecord& record)
{
    if (m_recorder)
    {
        m_recorder->Record(record);
    }
    else
    {
        m_stepTrace(record);
        ForgetCauses(record);
    }
    if (m_ranks[record.rank]->IsFinished() && ++m_finished == m_local)
    {
        Simulator::Remove(m_watch); // a cancelled event would still move the clock
        m_finishedTrace();
        if (m_stopWhenFinished)
        {
            // After what the last rank still has to do in this instant.
            Simulator::ScheduleNow([] { Simulator::Stop(); });
        }
    }
}

void
TrainingJob::ForgetCauses(const StepRecord& record)
{
    m_lastEnds.resize(m_ranks.size());
    m_lastEnds[record.rank] = record.cause;
    OpenStep& step = m_openSteps[record.step];
    step.start = std::min(step.start, record.start);
    if (++step.ended < m_ranks.size())
    {
        return;
    }
    // Nobody has asked for circuits of a later step before the first rank began this one.
    for (const auto& cause : m_lastEnds)
    {
        cause.Forget(step.start);
    }
    m_openSteps.erase(record.step);
}

void
TrainingJob::RankFailed(uint32_t rank)
{
    Simulator::Schedule(m_failureTimeout, &TrainingJob::EndByFailure, Ptr<TrainingJob>(this), rank);
}

void
TrainingJob::EndByFailure(uint32_t rank)
{
    constexpr std::size_t shown = 8;
    std::vector<uint32_t> waiting;
    for (const auto& other : m_ranks)
    {
        if (!IsRemote(other->GetNode()) && other->WaitsFor(rank))
        {
            waiting.push_back(other->GetRank());
        }
    }
    std::ostringstream line;
    line << "rank " << rank << " failed at " << m_ranks[rank]->GetFailedAt().As(Time::S) << "; ";
    if (waiting.empty())
    {
        line << "no rank waits for it yet";
    }
    else
    {
        line << "waiting for it: rank" << (waiting.size() > 1 ? "s" : "");
    }
    for (std::size_t i = 0; i < std::min(waiting.size(), shown); i++)
    {
        line << (i > 0 ? ", " : " ") << waiting[i];
    }
    if (waiting.size() > shown)
    {
        line << " and " << waiting.size() - shown << " more";
    }
    Fail(line.str());
}

void
TrainingJob::Fail(const std::string& reason)
{
    NS_LOG_ERROR(reason);
    if (m_failure.empty())
    {
        m_failure = reason;
        Simulator::Stop();
        m_failedTrace(reason);
    }
}

const std::string&
TrainingJob::GetFailure() const
{
    return m_failure;
}

std::vector<std::string>
TrainingJob::DescribeWaiting(std::size_t atMost) const
{
    std::vector<std::string> lines;
    std::size_t more = 0;
    for (const auto& rank : m_ranks)
    {
        if (rank->IsFinished() || IsRemote(rank->GetNode()))
        {
            continue;
        }
        if (lines.size() < atMost)
        {
            lines.push_back(rank->DescribeWaiting());
        }
        else
        {
            more++;
        }
    }
    if (more > 0)
    {
        lines.push_back("and " + std::to_string(more) + " more ranks");
    }
    return lines;
}

void
TrainingJob::Watch()
{
    const uint64_t completed = GetCompleted();
    const uint64_t movement = m_movement ? m_movement() : 0;
    const bool computing =
        std::any_of(m_ranks.begin(), m_ranks.end(), [](const auto& r) { return r->IsComputing(); });
    if (completed == m_lastCompleted && movement == m_lastMovement && !computing)
    {
        const auto failed = std::find_if(m_ranks.begin(), m_ranks.end(), [](const auto& rank) {
            return rank->IsFailed();
        });
        if (failed != m_ranks.end())
        {
            EndByFailure((*failed)->GetRank());
            return;
        }
        NS_LOG_WARN("nothing moved for " << m_stallTimeout.As(Time::S));
        Simulator::Stop();
        if (!m_stopWhenFinished)
        {
            Fail("nothing has moved for " + std::to_string(m_stallTimeout.GetSeconds()) + " s");
        }
        return;
    }
    m_lastCompleted = completed;
    m_lastMovement = movement;
    m_watch = Simulator::Schedule(m_stallTimeout, &TrainingJob::Watch, this);
}

} // namespace photonic
} // namespace ns3
