/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus-controller.h"

#include "fcfs-circuit-scheduler.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/object-map.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpusController");
NS_OBJECT_ENSURE_REGISTERED(OpusController);

TypeId
OpusController::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::OpusController")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<OpusController>()
            .AddAttribute("ServiceTime",
                          "How long the controller works on a message; an instant control path "
                          "takes none.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&OpusController::m_serviceTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("PairsUseBothPorts",
                          "Whether a pipeline pair takes both ports of each end, which needs a "
                          "change of circuits per neighbour; the same at all shims.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&OpusController::SetPairsUseBothPorts),
                          MakeBooleanChecker())
            .AddAttribute(
                "Scheduler",
                "Which request of a rail is fulfilled next: a type of CircuitScheduler, "
                "with its attributes in brackets if it has any.",
                ObjectFactoryValue(ObjectFactory(FcfsCircuitScheduler::GetTypeId().GetName())),
                MakeObjectFactoryAccessor(&OpusController::SetScheduler,
                                          &OpusController::GetScheduler),
                MakeObjectFactoryChecker())
            .AddAttribute("Schedulers",
                          "The schedulers, by rail.",
                          TypeId::ATTR_GET,
                          ObjectMapValue(),
                          MakeObjectMapAccessor(&OpusController::m_schedulers),
                          MakeObjectMapChecker<CircuitScheduler>())
            .AddAttribute("ControlPath",
                          "The way to the shims.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&OpusController::m_path),
                          MakePointerChecker<OpusControlPath>())
            .AddAttribute("Lease",
                          "How long a request may wait for members before these are asked whether "
                          "they are there, again and again; 0: they never are. Needs a control "
                          "path that repeats messages.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OpusController::m_lease),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("PortRetry",
                          "After which the switch is asked again for circuits that did not come up "
                          "because a port is broken; 0: the run ends by name.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OpusController::m_portRetry),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Reconfiguration",
                            "A request was fulfilled.",
                            MakeTraceSourceAccessor(&OpusController::m_reconfigurationTrace),
                            "ns3::photonic::OpusController::ReconfigurationTracedCallback")
            .AddTraceSource("State",
                            "The controller has stopped, started, or heard from all ranks.",
                            MakeTraceSourceAccessor(&OpusController::m_stateTrace),
                            "ns3::photonic::OpusController::StateTracedCallback")
            .AddTraceSource("PortFailed",
                            "A circuit did not come up because a port is broken.",
                            MakeTraceSourceAccessor(&OpusController::m_portFailedTrace),
                            "ns3::photonic::OpusController::PortFailedTracedCallback")
            .AddTraceSource("RankLost",
                            "A rank does not answer.",
                            MakeTraceSourceAccessor(&OpusController::m_rankLostTrace),
                            "ns3::photonic::OpusController::RankLostTracedCallback");
    return tid;
}

OpusController::OpusController()
{
    NS_LOG_FUNCTION(this);
}

OpusController::~OpusController()
{
    NS_LOG_FUNCTION(this);
}

void
OpusController::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_path = nullptr;
    for (const auto& railAndScheduler : m_schedulers)
    {
        railAndScheduler.second->Dispose();
    }
    m_schedulers.clear();
    m_rails.clear();
    m_requests.clear();
    Object::DoDispose();
}

void
OpusController::SetControlPath(Ptr<OpusControlPath> path)
{
    m_path = path;
    path->SetControllerReceiver(
        [this](const OpusMessage& message, const Cause& cause) { Receive(message, cause); });
    path->SetRankLost([this](uint32_t rank, const std::string& why) { LoseRank(rank, why); });
}

void
OpusController::SetRail(uint32_t rail, Ptr<OpticalCircuitSwitch> ocs)
{
    m_rails[rail] = ocs;
    auto scheduler = m_scheduler.Create<CircuitScheduler>();
    scheduler->SetAgain([this, rail] { ChooseAgain(rail); });
    m_schedulers[rail] = scheduler;
}

void
OpusController::SetCabling(uint32_t rank, const OpusCabling& cabling)
{
    m_registry.SetCabling(rank, cabling);
}

Ptr<OpticalCircuitSwitch>
OpusController::GetSwitch(uint32_t rail) const
{
    auto it = m_rails.find(rail);
    if (it == m_rails.end())
    {
        throw std::invalid_argument("rail " + std::to_string(rail) + " has no circuit switch");
    }
    return it->second;
}

void
OpusController::SetPairsUseBothPorts(bool both)
{
    m_registry.SetPairPorts(both ? PairPorts::BOTH : PairPorts::ONE);
}

void
OpusController::SetScheduler(ObjectFactory scheduler)
{
    CircuitScheduler::ParseFactory(scheduler.GetTypeId().GetName());
    m_scheduler = scheduler;
}

ObjectFactory
OpusController::GetScheduler() const
{
    return m_scheduler;
}

void
OpusController::Preset(const RankGroup& group)
{
    GetSwitch(m_registry.GetRail(group))->Preset(m_registry.GetCircuits(group));
}

void
OpusController::Receive(const OpusMessage& message, const Cause& cause)
{
    NS_LOG_FUNCTION(this << ToString(message.type) << message.rank << ToString(message.key));
    if (!m_path->TakesTime() || m_serviceTime.IsZero())
    {
        Serve(message, cause);
        return;
    }
    if (m_free <= Simulator::Now())
    {
        m_free = Simulator::Now();
        m_busyCause = cause; // and of those that will have to wait behind this one
    }
    m_free += m_serviceTime;
    Simulator::Schedule(
        m_free - Simulator::Now(),
        [self = Ptr<OpusController>(this), message, why = m_busyCause, life = m_lives] {
            if (life == self->m_lives)
            {
                self->Serve(message, why);
            }
        });
}

void
OpusController::Serve(const OpusMessage& message, const Cause& cause)
{
    if (!m_path)
    {
        return; // disposed of while a message was in service
    }
    const bool tells = message.type == OpusMessage::REGISTER || message.type == OpusMessage::HELD ||
                       message.type == OpusMessage::SYNCED;
    if (!tells && !m_unsynced.empty())
    {
        m_deferred.emplace_back(message, cause); // until it is known who holds what
        return;
    }
    try
    {
        switch (message.type)
        {
        case OpusMessage::REGISTER:
            return HandleRegister(message, cause);
        case OpusMessage::REQUEST:
            return HandleRequest(message, cause);
        case OpusMessage::WITHDRAW:
            return HandleWithdraw(message, cause);
        case OpusMessage::RECALL:
            return HandleRecall(message, cause);
        case OpusMessage::RECALLED:
            return HandleRecalled(message, cause);
        case OpusMessage::PROFILE:
            return HandleProfile(message, cause);
        case OpusMessage::READY:
            return HandleReady(message, cause);
        case OpusMessage::HELD:
            return Hold(message);
        case OpusMessage::SYNCED:
            return HandleSynced(message);
        case OpusMessage::WAITING:
            return HandleWaiting(message);
        case OpusMessage::REGISTERED:
        case OpusMessage::GRANTED:
        case OpusMessage::WITHDRAWN:
        case OpusMessage::UNION:
        case OpusMessage::ACK:
        case OpusMessage::HELLO:
        case OpusMessage::PROBE:
            throw std::invalid_argument("it is for shims");
        }
    }
    catch (const std::invalid_argument& reason)
    {
        m_path->Fail(std::string("controller: ") + ToString(message.type) + " of rank " +
                     std::to_string(message.rank) + " (" + ToString(message.key) +
                     "): " + reason.what());
    }
}

void
OpusController::HandleRegister(const OpusMessage& message, const Cause& cause)
{
    const auto& group = m_registry.Register(message);
    if (group.missing > 0)
    {
        return;
    }
    if (!group.scaleUp)
    {
        const std::string reason = GetSwitch(group.rail)->Validate(group.circuits);
        if (!reason.empty())
        {
            throw std::invalid_argument("rail " + std::to_string(group.rail) + ": " + reason);
        }
    }
    std::vector<OpusMessage> answers;
    for (uint32_t rank : group.members.ranks)
    {
        answers.push_back(
            OpusMessage::Make(OpusMessage::REGISTERED, rank, {0, group.members.id, 0}));
        answers.back().flag = group.scaleUp;
    }
    m_path->SendToRanks(answers, cause);
}

void
OpusController::HandleRequest(const OpusMessage& message, const Cause& cause)
{
    const auto* group = m_registry.Find(message.key.group);
    const uint32_t position = m_registry.GetPosition(message.key.group, message.rank);
    if (!group || group->scaleUp || position == OpusRegistry::NOT_A_MEMBER)
    {
        throw std::invalid_argument("not a registered scale-out group of this rank");
    }
    auto inserted = m_requests.emplace(message.key, Request());
    Request& request = inserted.first->second;
    if (inserted.second)
    {
        request.asked.resize(group->members.ranks.size(), false);
        request.record.rail = group->rail;
        request.record.key = message.key;
        request.record.slot = group->members.slot;
        request.record.requested = message.time;
        request.record.queued = false;
        request.number = ++m_numbers;
        ScheduleProbe(message.key, request.number);
    }
    if (request.state != Request::COLLECTING || request.asked[position])
    {
        throw std::invalid_argument("requested twice");
    }
    request.asked[position] = true;
    request.asking++;
    request.record.requested = std::min(request.record.requested, message.time);
    request.last = std::max(request.last, message.time);
    request.cause = cause;
    if (message.flag)
    {
        m_waiting[message.rank] = message.key;
    }
    FireIfHeld(message.key);
    if (message.flag)
    {
        RefuseDeadlock(message.rank, message.key);
    }
}

void
OpusController::Hold(const OpusMessage& message)
{
    const uint32_t position = m_registry.GetPosition(message.key.group, message.rank);
    if (position == OpusRegistry::NOT_A_MEMBER)
    {
        throw std::invalid_argument("not a registered group of this rank");
    }
    const auto [held, added] = m_held[message.key.group].try_emplace(position, message.key);
    held->second = std::max(held->second, message.key);
}

std::vector<uint32_t>
OpusController::GetMissing(const OpusKey& key, const Request& request) const
{
    const auto* group = m_registry.Find(key.group);
    const auto ofGroup = m_held.find(key.group);
    const auto holds = [&](uint32_t position) {
        if (ofGroup == m_held.end())
        {
            return false;
        }
        const auto held = ofGroup->second.find(position);
        return held != ofGroup->second.end() && !(held->second < key);
    };
    std::vector<uint32_t> missing;
    for (uint32_t position = 0; position < request.asked.size(); ++position)
    {
        if (!request.asked[position] && !holds(position))
        {
            missing.push_back(group->members.ranks[position]);
        }
    }
    return missing;
}

void
OpusController::FireIfHeld(const OpusKey& key)
{
    Request& request = m_requests.at(key);
    const auto ofGroup = m_held.find(key.group);
    const std::size_t held =
        request.asking + (ofGroup == m_held.end() ? 0 : ofGroup->second.size());
    // Counting comes first: a group of n asks n times.
    if (request.state != Request::COLLECTING || held < request.asked.size() ||
        !GetMissing(key, request).empty())
    {
        return;
    }
    request.record.complete = Simulator::Now();
    request.state = Request::QUEUED;
    const Record& record = request.record;
    std::vector<uint32_t> ports;
    for (const auto& circuit : m_registry.Find(key.group)->circuits)
    {
        ports.push_back(circuit.in);
        ports.push_back(circuit.out);
    }
    m_schedulers.at(record.rail)
        ->Add({key, record.slot, std::move(ports), record.requested, record.complete});
    const auto chosen = Choose(record.rail);
    if (std::find(chosen.begin(), chosen.end(), key) == chosen.end())
    {
        NS_LOG_LOGIC(ToString(key) << " waits for its turn");
        request.record.queued = true;
        ++m_queued;
    }
    FireChosen(chosen, Cause(request.cause));
}

void
OpusController::Fire(const OpusKey& key, const Cause& cause)
{
    Request& request = m_requests.at(key);
    request.state = Request::APPLYING;
    request.record.fired = Simulator::Now();
    auto& held = m_held[key.group];
    for (auto it = held.begin(); it != held.end();)
    {
        it = key < it->second ? std::next(it) : held.erase(it);
    }
    if (held.empty())
    {
        m_held.erase(key.group);
    }
    GetSwitch(request.record.rail)
        ->Reconfigure(m_registry.Find(key.group)->circuits,
                      [self = Ptr<OpusController>(this), key, cause, life = m_lives](
                          const OpticalCircuitSwitch::Outcome& outcome) {
                          if (life == self->m_lives) // or it was restarted meanwhile
                          {
                              self->Finish(key, outcome, cause);
                          }
                      });
}

void
OpusController::Finish(const OpusKey& key,
                       const OpticalCircuitSwitch::Outcome& outcome,
                       const Cause& cause)
{
    if (!m_path)
    {
        return; // disposed of while the switch was at it
    }
    if (!outcome.failed.empty())
    {
        HandleBrokenPorts(key, outcome, cause);
        return;
    }
    auto it = m_requests.find(key);
    const Request request = std::move(it->second);
    m_requests.erase(it);
    Record record = request.record;
    record.dark = outcome.started;
    record.done = outcome.done;
    record.portsChanged = outcome.portsChanged;
    record.portsDark = outcome.portsDark;
    record.request = outcome.id;
    record.id = outcome.portsChanged > 0 ? ++m_reconfigurations : 0;
    m_reconfigurationTrace(record);
    const Cause granted = record.id ? cause.AfterReconfiguration(record.id) : cause;
    // Before the answers, which may bring new requests within this call.
    m_schedulers.at(record.rail)->Remove(key);
    const auto chosen = Choose(record.rail);
    const auto& ranks = m_registry.Find(key.group)->members.ranks;
    std::vector<OpusMessage> answers;
    for (uint32_t position = 0; position < ranks.size(); ++position)
    {
        if (request.asked[position])
        {
            answers.push_back(OpusMessage::Make(OpusMessage::GRANTED, ranks[position], key));
            answers.back().time = request.last;
            m_waiting.erase(ranks[position]);
        }
    }
    m_path->SendToRanks(answers, granted);
    FireChosen(chosen, granted);
}

void
OpusController::FireChosen(const std::vector<OpusKey>& keys, const Cause& cause)
{
    for (const auto& key : keys)
    {
        auto it = m_requests.find(key);
        if (it != m_requests.end() && it->second.state == Request::QUEUED) // not withdrawn just now
        {
            Fire(key, cause);
        }
    }
}

std::vector<OpusKey>
OpusController::Choose(uint32_t rail)
{
    try
    {
        return m_schedulers.at(rail)->Choose();
    }
    catch (const std::invalid_argument& reason)
    {
        m_path->Fail("controller: rail " + std::to_string(rail) + ": " + reason.what());
        return {};
    }
}

void
OpusController::ChooseAgain(uint32_t rail)
{
    for (const auto& key : Choose(rail))
    {
        // What the policy waited for is no event of the job: the request is why it fires.
        auto it = m_requests.find(key);
        if (it != m_requests.end())
        {
            FireChosen({key}, Cause(it->second.cause));
        }
    }
}

void
OpusController::HandleWithdraw(const OpusMessage& message, const Cause& cause)
{
    auto it = m_requests.find(message.key);
    const uint32_t position = m_registry.GetPosition(message.key.group, message.rank);
    if (it == m_requests.end() || it->second.state == Request::APPLYING)
    {
        return; // fired: the grant is the answer
    }
    Request& request = it->second;
    if (position == OpusRegistry::NOT_A_MEMBER || !request.asked[position])
    {
        throw std::invalid_argument("was never requested");
    }
    std::vector<OpusKey> chosen;
    if (request.state == Request::QUEUED)
    {
        request.state = Request::COLLECTING;
        request.record.queued = false;
        m_schedulers.at(request.record.rail)->Remove(message.key);
        chosen = Choose(request.record.rail);
    }
    request.asked[position] = false;
    m_waiting.erase(message.rank);
    if (--request.asking == 0)
    {
        m_requests.erase(it);
    }
    m_path->SendToRank(OpusMessage::Make(OpusMessage::WITHDRAWN, message.rank, message.key), cause);
    FireChosen(chosen, cause);
}

void
OpusController::HandleRecall(const OpusMessage& message, const Cause& cause)
{
    const auto* group = m_registry.Find(message.key.group);
    const uint32_t asker = m_registry.GetPosition(message.key.group, message.rank);
    if (!group || asker == OpusRegistry::NOT_A_MEMBER)
    {
        throw std::invalid_argument("not a registered group of this rank");
    }
    const auto& ranks = group->members.ranks;
    m_recalls[{message.key.group, asker}] = Recall{message.key, ranks.size() - 1};
    std::vector<OpusMessage> questions;
    for (uint32_t position = 0; position < ranks.size(); ++position)
    {
        if (position != asker)
        {
            questions.push_back(
                OpusMessage::Make(OpusMessage::RECALL, ranks[position], message.key));
            questions.back().position = asker;
        }
    }
    m_path->SendToRanks(questions, cause);
}

void
OpusController::HandleRecalled(const OpusMessage& message, const Cause& cause)
{
    const uint32_t id = message.key.group;
    const uint32_t position = m_registry.GetPosition(id, message.rank);
    auto it = m_recalls.find({id, message.position});
    if (it == m_recalls.end() || position == OpusRegistry::NOT_A_MEMBER)
    {
        throw std::invalid_argument("was never recalled");
    }
    if (message.flag)
    {
        // It holds the operation as if it had asked, and its packets may be on the way: from now
        // on this rail's switch lets them pass before it turns a port.
        Hold(message);
        const auto* group = m_registry.Find(id);
        GetSwitch(group->rail)->SetAttribute("InFlightPolicy", StringValue("drain-current-packet"));
    }
    if (--it->second.missing == 0)
    {
        const OpusKey key = it->second.key;
        m_recalls.erase(it);
        const uint32_t asker = m_registry.Find(id)->members.ranks[message.position];
        m_path->SendToRank(OpusMessage::Make(OpusMessage::RECALLED, asker, key), cause);
    }
}

void
OpusController::HandleProfile(const OpusMessage& message, const Cause& cause)
{
    for (const auto& opening : message.openings)
    {
        m_union[opening.group].insert(opening.counter);
    }
    if (!message.flag || !m_profiled.insert(message.rank).second ||
        m_profiled.size() < m_registry.GetCabling().size())
    {
        return;
    }
    std::map<uint32_t, std::vector<OpusMessage::Opening>> openings; // by rank
    for (const auto& rankAndCabling : m_registry.GetCabling())
    {
        openings[rankAndCabling.first];
    }
    for (const auto& groupAndCounters : m_union)
    {
        const auto* group = m_registry.Find(groupAndCounters.first);
        if (!group)
        {
            throw std::invalid_argument("the profile names an unregistered group " +
                                        std::to_string(groupAndCounters.first));
        }
        for (uint32_t rank : group->members.ranks)
        {
            for (uint32_t counter : groupAndCounters.second)
            {
                openings[rank].push_back({groupAndCounters.first, counter});
            }
        }
    }
    std::vector<OpusMessage> answers;
    for (const auto& rankAndOpenings : openings)
    {
        const auto whole = OpusMessage::Make(OpusMessage::UNION, rankAndOpenings.first, {0, 0, 0});
        const auto parts = OpusMessage::Split(whole, rankAndOpenings.second);
        answers.insert(answers.end(), parts.begin(), parts.end());
    }
    m_path->SendToRanks(answers, cause);
}

void
OpusController::HandleReady(const OpusMessage& message, const Cause& cause)
{
    if (!m_ready.insert(message.rank).second || m_ready.size() < m_registry.GetCabling().size())
    {
        return;
    }
    std::vector<OpusMessage> answers;
    for (const auto& rankAndCabling : m_registry.GetCabling())
    {
        answers.push_back(OpusMessage::Make(OpusMessage::READY, rankAndCabling.first, {0, 0, 0}));
    }
    m_path->SendToRanks(answers, cause);
}

std::size_t
OpusController::GetPendingRequests() const
{
    return m_requests.size();
}

uint64_t
OpusController::GetReconfigurations() const
{
    return m_reconfigurations;
}

uint64_t
OpusController::GetQueuedRequests() const
{
    return m_queued;
}

std::string
OpusController::Describe(const OpusKey& key) const
{
    auto it = m_requests.find(key);
    if (it == m_requests.end())
    {
        return "no request is known to the controller";
    }
    switch (it->second.state)
    {
    case Request::APPLYING:
        return "the circuit switch is turning";
    case Request::QUEUED:
        return m_schedulers.at(it->second.record.rail)->IsHeldBack(key)
                   ? "the scheduler, " + m_scheduler.GetTypeId().GetName() + ", holds it back"
                   : "the ports are given to an earlier request";
    case Request::COLLECTING:
        break;
    }
    const auto missing = GetMissing(key, it->second);
    std::string ranks;
    for (uint32_t rank : missing)
    {
        ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    }
    return missing.size() == 1 ? "the request of rank " + ranks + " is missing"
                               : "the requests of ranks " + ranks + " are missing";
}

std::vector<std::string>
OpusController::DescribeWaiting() const
{
    std::vector<std::string> lines;
    for (const auto& [key, request] : m_requests)
    {
        lines.push_back(ToString(key) + " (" + ToString(request.record.slot) +
                        "): " + Describe(key));
    }
    return lines;
}

} // namespace photonic
} // namespace ns3
