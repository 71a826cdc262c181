/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus-shim.h"

#include "group-circuits.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpusShim");
NS_OBJECT_ENSURE_REGISTERED(OpusShim);

namespace
{

/// @param operation one @return names it
OpusKey
KeyOf(const GatedOperation& operation)
{
    return {operation.step, operation.group, operation.counter};
}

/// @param operation one @return "fsdp group 7 counter 3"
std::string
Describe(const GatedOperation& operation)
{
    return std::string(ToString(operation.slot)) + " group " + std::to_string(operation.group) +
           " counter " + std::to_string(operation.counter);
}

} // namespace

TypeId
OpusShim::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::OpusShim")
            .SetParent<CollectiveGate>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<OpusShim>()
            .AddAttribute(
                "Provisioned",
                "Whether circuits are requested ahead, by the profile, or on demand only.",
                BooleanValue(true),
                MakeBooleanAccessor(&OpusShim::m_provisioned),
                MakeBooleanChecker())
            .AddAttribute("PairsUseBothPorts",
                          "Whether a pipeline pair takes both ports of each end; the same at the "
                          "controller.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&OpusShim::SetPairsUseBothPorts),
                          MakeBooleanChecker())
            .AddAttribute("ForeseesFirst",
                          "Whether, with a profile, the first operation of a step is requested "
                          "when the step begins, and not when the operation is issued.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&OpusShim::m_foreseesFirst),
                          MakeBooleanChecker())
            .AddAttribute("ProfilingSteps",
                          "First steps, run on demand, the last of which becomes the profile; used "
                          "if provisioned and no profile is loaded.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&OpusShim::m_profilingSteps),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Request",
                            "A request was sent.",
                            MakeTraceSourceAccessor(&OpusShim::m_requestTrace),
                            "ns3::photonic::OpusShim::RequestTracedCallback")
            .AddTraceSource("Misprediction",
                            "A request was sent, and another operation came next.",
                            MakeTraceSourceAccessor(&OpusShim::m_mispredictionTrace),
                            "ns3::photonic::OpusShim::MispredictionTracedCallback")
            .AddTraceSource("Wait",
                            "An operation passed, and what it had waited for.",
                            MakeTraceSourceAccessor(&OpusShim::m_waitTrace),
                            "ns3::photonic::OpusShim::WaitTracedCallback");
    return tid;
}

OpusShim::OpusShim()
{
    NS_LOG_FUNCTION(this);
}

OpusShim::~OpusShim()
{
    NS_LOG_FUNCTION(this);
}

void
OpusShim::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_path = nullptr;
    m_inquiry = nullptr;
    m_registered = nullptr;
    m_go = nullptr;
    m_presented.clear();
    CollectiveGate::DoDispose();
}

void
OpusShim::SetControlPath(uint32_t rank, Ptr<OpusControlPath> path)
{
    m_rank = rank;
    m_path = path;
    path->SetRankReceiver(rank, [this](const OpusMessage& message, const Cause& cause) {
        Receive(message, cause);
    });
}

void
OpusShim::SetInquiry(Inquiry inquiry)
{
    m_inquiry = std::move(inquiry);
}

void
OpusShim::LoadProfile(const PhaseProfile::Sequence& sequence)
{
    m_profile = sequence;
    m_hasProfile = true;
}

const PhaseProfile::Sequence&
OpusShim::GetProfile() const
{
    return m_profile;
}

bool
OpusShim::HasProfile() const
{
    return m_hasProfile;
}

uint32_t
OpusShim::GetProfilingSteps() const
{
    return m_provisioned && !m_hasProfile ? m_profilingSteps : 0;
}

void
OpusShim::SetPairsUseBothPorts(bool both)
{
    m_phases.SetPairPorts(both ? PairPorts::BOTH : PairPorts::ONE);
}

void
OpusShim::Register(const std::vector<RankGroup>& groups, Pass ready)
{
    NS_LOG_FUNCTION(this << m_rank << groups.size());
    m_hasProfile = m_hasProfile && m_provisioned;
    m_registrations.clear();
    for (const auto& group : groups)
    {
        const auto& added = m_phases.Add(group, m_rank);
        OpusMessage message;
        message.type = OpusMessage::REGISTER;
        message.rank = m_rank;
        message.key.group = group.id;
        message.size = group.ranks.size();
        message.position = added.position;
        message.slot = IsPair(group.slot) ? GroupSlot::PP_NEXT : group.slot;
        m_registrations.push_back(message);
        m_unregistered.insert(group.id);
    }
    if (m_hasProfile)
    {
        m_phases.UseProfile(m_profile);
    }
    if (m_registrations.empty())
    {
        ready(Cause());
        return;
    }
    m_registered = std::move(ready);
    for (const auto& message : m_registrations)
    {
        m_path->SendToController(message, Cause());
    }
}

void
OpusShim::BeginStep(uint32_t step, const Cause& cause, Pass go)
{
    NS_LOG_FUNCTION(this << m_rank << step);
    m_step = step;
    m_next = 0;
    m_foresees = m_hasProfile;
    m_phases.BeginStep(step);
    if (step < GetProfilingSteps())
    {
        m_profile.clear();
    }
    else if (GetProfilingSteps() > 0)
    {
        m_go = std::move(go); // the profile is on its way
        return;
    }
    go(cause);
    ForeseeFirst(cause);
}

void
OpusShim::ForeseeFirst(const Cause& cause)
{
    if (m_foreseesFirst)
    {
        Advance(cause);
    }
}

void
OpusShim::Announce(std::vector<GatedOperation> operations)
{
    NS_LOG_FUNCTION(this << m_rank << operations.size());
    m_announced = std::move(operations);
    if (!m_advancing)
    {
        Advance(m_cause);
    }
}

void
OpusShim::Enter(const GatedOperation& operation, const Cause& ready, Pass pass)
{
    NS_LOG_FUNCTION(this << m_rank << operation.sequence << Describe(operation));
    const Group* group = m_phases.Find(operation.group);
    if (!group)
    {
        Fail(Describe(operation) + " is not of a registered group");
        return;
    }
    if (group->scaleUp)
    {
        pass(ready);
        return;
    }
    m_presented[operation.sequence] = Presented{operation, ready, Simulator::Now(), pass};
    if (!m_advancing)
    {
        Advance(ready);
    }
}

void
OpusShim::Leave(const GatedOperation& operation, const Cause& cause)
{
    NS_LOG_FUNCTION(this << m_rank << operation.sequence << Describe(operation));
    if (m_phases.Find(operation.group)->scaleUp)
    {
        return;
    }
    --m_open;
    Advance(cause);
}

void
OpusShim::EndStep(uint32_t step, const Cause& cause)
{
    NS_LOG_FUNCTION(this << m_rank << step);
    if (m_open > 0 || !m_presented.empty())
    {
        Fail("step " + std::to_string(step) + " ends with operations that are not over");
        return;
    }
    m_foresees = false; // never across a step boundary
    m_announced.clear();
    if (m_guessing)
    {
        Mispredicted(cause);
    }
    if (step + 1 == GetProfilingSteps())
    {
        Upload(cause);
    }
}

void
OpusShim::Advance(const Cause& cause)
{
    m_cause = cause;
    if (m_advancing)
    {
        return; // called from within Act(): its caller looks again
    }
    m_advancing = true;
    while (Act())
    {
    }
    m_advancing = false;
}

bool
OpusShim::Act()
{
    auto head = m_presented.find(m_next);
    const bool presented = head != m_presented.end();
    if (presented)
    {
        Compare(head->second.operation);
    }
    if (m_requesting || !m_recalling.empty())
    {
        return false;
    }
    if (!presented)
    {
        const Group* group = Predict();
        return group && Request(*group, m_cause, true);
    }
    const Presented& next = head->second;
    const Group& group = *m_phases.Find(next.operation.group);
    if (m_phases.GetNext(group) != KeyOf(next.operation))
    {
        Fail(Describe(next.operation) + " comes out of order: counter " +
             std::to_string(group.next) + " of step " + std::to_string(m_step) + " is next");
        return false;
    }
    if (!m_phases.NeedsRequest(group))
    {
        PassHead();
        return true;
    }
    // The ports may be turned only when nothing of this rank uses them any more.
    return m_open == 0 &&
           Request(group, next.readyAt == Simulator::Now() ? next.ready : m_cause, false);
}

void
OpusShim::Compare(const GatedOperation& operation)
{
    if (m_foresees)
    {
        m_foresees = m_next < m_profile.size() && m_profile[m_next].slot == operation.slot &&
                     m_profile[m_next].counter == operation.counter;
    }
    if (m_guessing)
    {
        m_guessing = false;
        if (m_request != KeyOf(operation))
        {
            Mispredicted(m_cause);
        }
    }
}

void
OpusShim::Mispredicted(const Cause& cause)
{
    NS_LOG_LOGIC("rank " << m_rank << " mispredicted " << ToString(m_request));
    m_guessing = false;
    ++m_mispredictions;
    m_mispredictionTrace(m_rank, m_request);
    if (m_requesting)
    {
        m_withdrawing = true;
        Send(OpusMessage::WITHDRAW, m_request, cause);
    }
}

const OpusShim::Group*
OpusShim::Predict() const
{
    const bool announced = m_next < m_announced.size();
    const bool foreseen =
        m_foresees && (m_next > 0 || m_foreseesFirst) && m_next < m_profile.size();
    if (m_open > 0 || !(announced || foreseen))
    {
        return nullptr;
    }
    const GroupSlot slot = announced ? m_announced[m_next].slot : m_profile[m_next].slot;
    const uint32_t counter = announced ? m_announced[m_next].counter : m_profile[m_next].counter;
    const Group* group = m_phases.Find(slot);
    const bool certain = group->next == counter && m_phases.FindBroken(*group).empty();
    return certain && m_phases.NeedsRequest(*group) ? group : nullptr;
}

bool
OpusShim::Request(const Group& group, const Cause& cause, bool predicted)
{
    const auto broken = m_phases.FindBroken(group);
    if (!broken.empty())
    {
        m_recalling = broken;
        m_recalls += broken.size();
        for (const auto& key : broken)
        {
            m_phases.Recall(key);
        }
        for (const auto& key : broken)
        {
            Send(OpusMessage::RECALL, key, cause);
        }
        return true;
    }
    m_requesting = true;
    m_guessing = predicted;
    m_request = m_phases.GetNext(group);
    m_requestedAt = Simulator::Now();
    ++m_requests;
    m_requestTrace(m_rank, m_request, predicted);
    SendRequest(cause);
    return true;
}

OpusShim::Wait
OpusShim::Account(const Presented& head, const OpusKey& key) const
{
    const Time now = Simulator::Now();
    Wait wait{m_rank, head.operation, head.readyAt, now, now - head.readyAt, Time(), Time()};
    if (m_request == key && m_grantedAt > head.readyAt)
    {
        const Time asked = std::max(head.readyAt, m_requestedAt);
        const Time complete = std::max(asked, m_lastRequestAt);
        wait.serialisation = asked - head.readyAt;
        wait.peers = complete - asked;
        wait.circuits = now - complete;
    }
    return wait;
}

void
OpusShim::PassHead()
{
    auto it = m_presented.find(m_next);
    const Presented head = std::move(it->second);
    m_presented.erase(it);
    Group& group = *m_phases.Find(head.operation.group);
    const Wait wait = Account(head, KeyOf(head.operation));
    m_serialisationWait += wait.serialisation;
    m_circuitWait += wait.circuits;
    m_waitTrace(wait);
    if (m_step < GetProfilingSteps())
    {
        m_profile.push_back({head.operation.slot, head.operation.counter, m_phases.Opens(group)});
    }
    m_phases.Pass(group);
    ++m_next;
    ++m_open;
    m_cause = (head.readyAt == Simulator::Now() ? head.ready : m_cause).AfterStall(wait.circuits);
    head.pass(m_cause);
}

void
OpusShim::Fail(const std::string& reason) const
{
    m_path->Fail("rank " + std::to_string(m_rank) + ": " + reason);
}

bool
OpusShim::HasPendingRequest() const
{
    return m_requesting || !m_recalling.empty();
}

uint64_t
OpusShim::GetRequests() const
{
    return m_requests;
}

uint64_t
OpusShim::GetMispredictions() const
{
    return m_mispredictions;
}

uint64_t
OpusShim::GetRecalls() const
{
    return m_recalls;
}

Time
OpusShim::GetSerialisationWait() const
{
    return m_serialisationWait;
}

Time
OpusShim::GetCircuitWait() const
{
    return m_circuitWait;
}

std::string
OpusShim::DescribeWaiting() const
{
    std::string text;
    if (!m_unregistered.empty())
    {
        text = "registration of " + std::to_string(m_unregistered.size()) + " groups";
    }
    else if (m_go)
    {
        text = "the phase profile of all ranks";
    }
    else if (m_requesting)
    {
        const Group* group = m_phases.Find(m_request.group);
        text = std::string(m_withdrawing ? "the withdrawal of" : "circuits for") + " " +
               ToString(m_request) + " (" + ToString(group->slot) + ")" +
               (m_inquiry ? ": " + m_inquiry(m_request) : "");
    }
    else if (!m_recalling.empty())
    {
        text = "answers to " + std::to_string(m_recalling.size()) + " recalls";
    }
    else if (!m_presented.empty())
    {
        text = m_presented.count(m_next) > 0
                   ? std::to_string(m_open) + " operations in progress"
                   : "operation " + std::to_string(m_next) + " of the step, not presented yet";
    }
    for (const auto& sequenceAndPresented : m_presented)
    {
        text += "; " + Describe(sequenceAndPresented.second.operation) + " is held back";
    }
    return text.empty() ? "" : "rank " + std::to_string(m_rank) + " waits for " + text;
}

} // namespace photonic
} // namespace ns3
