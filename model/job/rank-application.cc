/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rank-application.h"

#include "ns3/log.h"
#include "ns3/message-endpoint.h"
#include "ns3/object-vector.h"
#include "ns3/partition.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("RankApplication");
NS_OBJECT_ENSURE_REGISTERED(RankApplication);

TypeId
RankApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::RankApplication")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<RankApplication>()
            .AddAttribute("Gate",
                          "What is asked before every scale-out operation: an OpusShim, say.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&RankApplication::GetGate),
                          MakePointerChecker<CollectiveGate>())
            .AddAttribute("Communicators",
                          "The rank's communicators, in order of their slots.",
                          TypeId::ATTR_GET,
                          ObjectVectorValue(),
                          MakeObjectVectorAccessor(&RankApplication::GetCommunicator,
                                                   &RankApplication::GetNCommunicators),
                          MakeObjectVectorChecker<Communicator>())
            .AddAttribute("Slowdown",
                          "Distribution of the factor by which each computation takes longer. "
                          "Null: 1.",
                          PointerValue(),
                          MakePointerAccessor(&RankApplication::m_slowdown),
                          MakePointerChecker<RandomVariableStream>())
            .AddTraceSource("Slowed",
                            "A computation begins that takes longer, or shorter, than planned.",
                            MakeTraceSourceAccessor(&RankApplication::m_slowedTrace),
                            "ns3::photonic::RankApplication::SlowedTracedCallback")
            .AddTraceSource("Failed",
                            "The rank has failed.",
                            MakeTraceSourceAccessor(&RankApplication::m_failedTrace),
                            "ns3::photonic::RankApplication::FailedTracedCallback")
            .AddTraceSource("Operation",
                            "An operation is complete at this rank.",
                            MakeTraceSourceAccessor(&RankApplication::m_operationTrace),
                            "ns3::photonic::RankApplication::OperationTracedCallback")
            .AddTraceSource("Step",
                            "A step is over at this rank.",
                            MakeTraceSourceAccessor(&RankApplication::m_stepTrace),
                            "ns3::photonic::RankApplication::StepTracedCallback");
    return tid;
}

RankApplication::RankApplication()
    : m_computeEnds(MakeComputeEnds())
{
    NS_LOG_FUNCTION(this);
}

RankApplication::~RankApplication()
{
    NS_LOG_FUNCTION(this);
}

void
RankApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (auto& communicator : m_communicators)
    {
        if (communicator)
        {
            communicator->Dispose();
            communicator = nullptr;
        }
    }
    if (m_gate)
    {
        m_gate->Dispose();
        m_gate = nullptr;
    }
    Application::DoDispose();
}

uint32_t
RankApplication::GetNCommunicators() const
{
    return std::count_if(m_communicators.begin(),
                         m_communicators.end(),
                         [](const Ptr<Communicator>& communicator) { return communicator; });
}

Ptr<Communicator>
RankApplication::GetCommunicator(uint32_t i) const
{
    for (const auto& communicator : m_communicators)
    {
        if (communicator && i-- == 0)
        {
            return communicator;
        }
    }
    return nullptr;
}

void
RankApplication::Configure(uint32_t rank,
                           Ptr<const StepProgram> program,
                           std::shared_ptr<const GateSequence> sequence,
                           Ptr<CollectiveGate> gate)
{
    const uint32_t n = program->GetOperations().size();
    for (uint32_t i = 0; i < n; i++)
    {
        if (program->GetPredecessorCount(i) > std::numeric_limits<uint16_t>::max())
        {
            throw std::invalid_argument(
                "operation " + std::to_string(i) + " of a program waits for " +
                std::to_string(program->GetPredecessorCount(i)) + " others: at most 65535");
        }
    }
    m_rank = rank;
    m_program = program;
    m_sequence = std::move(sequence);
    m_gate = gate;
}

void
RankApplication::SetCommunicator(GroupSlot slot, Ptr<Communicator> communicator)
{
    m_communicators[static_cast<std::size_t>(slot)] = communicator;
}

void
RankApplication::SetScaleOutGroups(std::vector<RankGroup> groups)
{
    m_groups = std::move(groups);
}

void
RankApplication::SetSteps(uint32_t steps)
{
    if (steps == 0)
    {
        throw std::invalid_argument("a job of 0 steps was asked for: at least 1");
    }
    m_steps = steps;
}

void
RankApplication::SetHostAhead(bool ahead)
{
    m_hostAhead = ahead;
}

std::shared_ptr<RankApplication::ComputeEnds>
RankApplication::MakeComputeEnds()
{
    return std::make_shared<ComputeEnds>([](RankApplication*& rank) { rank->ComputeDone(); });
}

void
RankApplication::SetComputeEnds(std::shared_ptr<ComputeEnds> ends)
{
    m_computeEnds = std::move(ends);
}

void
RankApplication::SetObserver(RankObserver* observer)
{
    m_observer = observer;
}

uint32_t
RankApplication::GetRank() const
{
    return m_rank;
}

uint32_t
RankApplication::GetSteps() const
{
    return m_steps;
}

bool
RankApplication::IsFinished() const
{
    return m_finished;
}

uint64_t
RankApplication::GetCompleted() const
{
    return m_completed;
}

bool
RankApplication::IsComputing() const
{
    return m_computing;
}

Ptr<CollectiveGate>
RankApplication::GetGate() const
{
    return m_gate;
}

const StepProgram&
RankApplication::GetProgram() const
{
    return *m_program;
}

const GateSequence&
RankApplication::GetSequence() const
{
    return *m_sequence;
}

std::string
RankApplication::DescribeWaiting() const
{
    std::ostringstream os;
    os << "rank " << m_rank << ", step " << m_step << ":";
    if (m_failed)
    {
        os << " failed at " << m_failedAt.As(Time::S);
        return os.str();
    }
    if (m_finished)
    {
        os << " finished";
    }
    else if (m_active.empty())
    {
        os << " waits to begin";
    }
    const char* separator = " ";
    auto active = m_active;
    std::sort(active.begin(), active.end(), [](const Active& a, const Active& b) {
        return a.index < b.index;
    });
    constexpr std::size_t shown = 8; // of the receives of an operator graph most wait
    for (std::size_t i = 0; i < std::min(active.size(), shown); i++)
    {
        const auto& [index, running, begin] = active[i];
        const auto& operation = m_program->GetOperations()[index];
        os << separator << operation.label << " (" << ToString(operation.slot)
           << (running ? "" : ", waits for its circuits");
        if (operation.slot == GroupSlot::MP)
        {
            os << ", with rank "
               << m_communicators[static_cast<std::size_t>(GroupSlot::MP)]
                      ->GetRanks()[operation.peer];
        }
        else if (!operation.IsCompute() && running)
        {
            os << ", with rank";
            for (uint32_t peer :
                 m_communicators[static_cast<std::size_t>(operation.slot)]->GetRanks())
            {
                if (peer != m_rank)
                {
                    os << " " << peer;
                }
            }
        }
        os << ")";
        separator = ", ";
    }
    if (active.size() > shown)
    {
        os << " and " << active.size() - shown << " more";
    }
    const std::string gate = m_gate ? m_gate->DescribeWaiting() : "";
    if (!gate.empty())
    {
        os << "; " << gate;
    }
    return os.str();
}

void
RankApplication::Fail()
{
    NS_LOG_FUNCTION(this << m_rank);
    if (m_failed || m_finished)
    {
        return;
    }
    m_failed = true;
    m_failedAt = Simulator::Now();
    if (const auto endpoint = GetNode() ? GetNode()->GetObject<MessageEndpoint>() : nullptr)
    {
        endpoint->Silence();
    }
    m_failedTrace(m_rank);
    if (m_observer)
    {
        m_observer->RankFailed(m_rank);
    }
}

bool
RankApplication::IsFailed() const
{
    return m_failed;
}

Time
RankApplication::GetFailedAt() const
{
    return m_failedAt;
}

bool
RankApplication::WaitsFor(uint32_t rank) const
{
    if (rank == m_rank || m_finished || m_failed)
    {
        return false;
    }
    return std::any_of(m_active.begin(), m_active.end(), [this, rank](const Active& active) {
        const auto& operation = m_program->GetOperations()[active.index];
        if (operation.IsCompute())
        {
            return false;
        }
        const auto& ranks = m_communicators[static_cast<std::size_t>(operation.slot)]->GetRanks();
        return operation.slot == GroupSlot::MP
                   ? ranks[operation.peer] == rank
                   : std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
    });
}

int64_t
RankApplication::AssignStreams(int64_t stream)
{
    if (!m_slowdown)
    {
        return 0;
    }
    m_slowdown->SetStream(stream);
    return 1;
}

void
RankApplication::CheckCommunicators() const
{
    for (const auto& operation : m_program->GetOperations())
    {
        if (!operation.IsCompute() && !m_communicators[static_cast<std::size_t>(operation.slot)])
        {
            throw std::logic_error("rank " + std::to_string(m_rank) + " has no communicator for '" +
                                   operation.label + "'");
        }
    }
}

void
RankApplication::StartApplication()
{
    NS_LOG_FUNCTION(this << m_rank);
    if (IsRemote(GetNode()))
    {
        return; // the rank runs in the process of its node
    }
    m_gate->Register(m_groups, [this](const Cause& cause) { BeginStep(cause); });
}

void
RankApplication::StopApplication()
{
    NS_LOG_FUNCTION(this << m_rank);
}

void
RankApplication::BeginStep(const Cause& cause)
{
    m_gate->BeginStep(m_step, cause, [this](const Cause& why) { RunStep(why); });
}

void
RankApplication::RunStep(const Cause& cause)
{
    NS_LOG_FUNCTION(this << m_rank << m_step);
    if (m_failed)
    {
        return;
    }
    if (m_step > 0)
    {
        // What the gate held this step back for belongs to the one before.
        TellStep(m_step - 1, cause);
    }
    m_stepStart = Simulator::Now();
    const uint32_t n = m_program->GetOperations().size();
    m_left = n;
    m_pending.resize(n);
    for (uint32_t i = 0; i < n; i++)
    {
        m_pending[i] = m_program->GetPredecessorCount(i);
    }
    AnnounceStep();
    // Operations without predecessors start in program order; each may complete at once.
    std::vector<uint32_t> first;
    for (uint32_t i = 0; i < n; i++)
    {
        if (m_pending[i] == 0)
        {
            first.push_back(i);
        }
    }
    for (uint32_t i : first)
    {
        Start(i, cause);
    }
    if (n == 0)
    {
        EndStep(cause);
    }
}

void
RankApplication::AnnounceStep()
{
    if (!m_hostAhead)
    {
        return;
    }
    std::vector<GatedOperation> operations;
    for (uint32_t i = 0; i < m_left; i++)
    {
        if (m_sequence->IsGated(i))
        {
            operations.push_back(Gated(i));
        }
    }
    m_gate->Announce(std::move(operations));
}

GatedOperation
RankApplication::Gated(uint32_t index) const
{
    const auto& operation = m_program->GetOperations()[index];
    return {m_step,
            m_sequence->Get(index),
            m_communicators[static_cast<std::size_t>(operation.slot)]->GetId(),
            operation.counter,
            operation.slot};
}

void
RankApplication::Start(uint32_t index, const Cause& cause)
{
    const bool gated = m_sequence->IsGated(index);
    m_active.push_back({index, !gated, Simulator::Now()});
    if (m_program->GetOperations()[index].IsCompute())
    {
        m_computing = true;
        m_computation = index;
        m_computeCause = cause;
        m_computeEnds->Schedule(GetDuration(m_program->GetOperations()[index]), this);
    }
    else if (gated)
    {
        m_gate->Enter(Gated(index), cause, [this, index](const Cause& why) {
            if (m_failed)
            {
                return;
            }
            Active& active = Find(index);
            active.running = true;
            active.begin = Simulator::Now();
            Communicate(index, why);
        });
    }
    else
    {
        Communicate(index, cause);
    }
}

RankApplication::Active&
RankApplication::Find(uint32_t index)
{
    return *std::find_if(m_active.begin(), m_active.end(), [index](const Active& a) {
        return a.index == index;
    });
}

Time
RankApplication::GetSettled() const
{
    Time settled = Simulator::Now();
    for (const auto& active : m_active)
    {
        settled = active.running ? std::min(settled, active.begin) : settled;
    }
    return settled;
}

Time
RankApplication::GetDuration(const Operation& computation)
{
    if (!m_slowdown)
    {
        return computation.duration;
    }
    constexpr double most = 1e6; // more would be no rank
    const double factor = std::clamp(m_slowdown->GetValue(), 0.0, most);
    const Time duration = TimeStep(static_cast<int64_t>(
        std::llround(static_cast<long double>(computation.duration.GetTimeStep()) * factor)));
    if (factor != 1)
    {
        m_slowedTrace(m_rank, factor, duration);
    }
    return duration;
}

void
RankApplication::ComputeDone()
{
    if (m_failed)
    {
        m_computing = false;
        return;
    }
    m_computing = false;
    // Another computation may begin before this returns.
    const Cause cause = std::move(m_computeCause);
    Complete(m_computation, Find(m_computation).begin, 0, nullptr, cause);
}

void
RankApplication::Communicate(uint32_t index, const Cause& cause)
{
    const auto& operation = m_program->GetOperations()[index];
    Communicator::Request request;
    request.kind = operation.kind;
    request.bytes = operation.bytes;
    request.receiveBytes = operation.receiveBytes;
    request.shares = operation.shares;
    const bool transfer = operation.slot == GroupSlot::MP;
    request.peer = transfer ? operation.peer : operation.slot == GroupSlot::PP_NEXT ? 1 : 0;
    const uint32_t each = transfer ? m_sequence->GetTransfers(operation.peer)
                                   : m_sequence->GetOperations(operation.slot);
    request.sequence = m_step * each + operation.counter;
    request.cause = cause;
    request.received = [this, index](const CollectiveResult& result) {
        if (m_failed)
        {
            return;
        }
        Release(index, Operation::Dependency::Part::RECEIVED, result.cause);
    };
    request.done = [this, index](const CollectiveResult& result) {
        if (m_failed)
        {
            return;
        }
        // What arrived early, before this rank came to the operation, is not its traffic yet.
        const Time start = std::max(result.firstBit, Find(index).begin);
        Complete(index, start, result.sent, &result.traffic, result.cause);
    };
    m_communicators[static_cast<std::size_t>(operation.slot)]->Start(std::move(request));
}

void
RankApplication::Complete(uint32_t index,
                          Time start,
                          uint64_t sent,
                          const IntervalUnion* traffic,
                          const Cause& cause)
{
    Active& active = Find(index);
    active = m_active.back();
    m_active.pop_back();
    m_completed++;
    const bool gated = m_sequence->IsGated(index);
    const OperationRecord record{m_rank,
                                 m_step,
                                 index,
                                 &m_program->GetOperations()[index],
                                 gated,
                                 start,
                                 Simulator::Now(),
                                 sent,
                                 traffic,
                                 GetSettled()};
    m_operationTrace(record);
    if (m_observer)
    {
        m_observer->OperationDone(record);
    }
    if (gated)
    {
        m_gate->Leave(Gated(index), cause);
    }
    m_left--;
    Release(index, Operation::Dependency::Part::WHOLE, cause);
    if (m_left == 0)
    {
        EndStep(cause);
    }
}

void
RankApplication::TellStep(uint32_t step, const Cause& cause)
{
    const StepRecord record{m_rank, step, m_stepStart, Simulator::Now(), cause};
    m_stepTrace(record);
    if (m_observer)
    {
        m_observer->StepDone(record);
    }
}

void
RankApplication::EndStep(const Cause& cause)
{
    m_left = UINT32_MAX; // so that a caller further up does not end the step again
    const uint32_t step = m_step++;
    m_finished = m_step == m_steps;
    m_gate->EndStep(step, cause);
    if (m_finished)
    {
        TellStep(step, cause);
    }
    else
    {
        BeginStep(cause);
    }
}

void
RankApplication::Release(uint32_t index, Operation::Dependency::Part part, const Cause& cause)
{
    for (const auto& dependent : m_program->GetDependents(index))
    {
        if (m_failed) // whoever was told of what came before may have ended it
        {
            return;
        }
        if (dependent.part == part && --m_pending[dependent.operation] == 0)
        {
            Start(dependent.operation, cause);
        }
    }
}

} // namespace photonic
} // namespace ns3
