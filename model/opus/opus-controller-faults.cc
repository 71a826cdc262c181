/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * What an OpusController does about restarts, ranks that do not answer, and deadlocks.
 */
#include "opus-controller.h"

#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpusControllerFaults");

void
OpusController::Stop()
{
    NS_LOG_FUNCTION(this);
    m_path->StopController();
    m_stopped = true;
    ++m_lives;
    m_registry.Forget();
    m_requests.clear();
    m_recalls.clear();
    m_held.clear();
    m_union.clear();
    m_profiled.clear();
    m_ready.clear();
    m_waiting.clear();
    m_unsynced.clear();
    m_deferred.clear();
    for (const auto& [rail, ocs] : std::map<uint32_t, Ptr<OpticalCircuitSwitch>>(m_rails))
    {
        m_schedulers.at(rail)->Dispose();
        SetRail(rail, ocs);
    }
    m_stateTrace("stopped");
}

void
OpusController::Start()
{
    NS_LOG_FUNCTION(this);
    if (!m_stopped)
    {
        throw std::logic_error("the controller runs already");
    }
    m_stopped = false;
    m_free = Simulator::Now();
    m_path->StartController();
    // Members may be using circuits that the controller knows nothing about yet.
    for (const auto& railAndSwitch : m_rails)
    {
        railAndSwitch.second->SetAttribute("InFlightPolicy", StringValue("drain-current-packet"));
    }
    m_stateTrace("started");
    std::vector<OpusMessage> questions;
    for (const auto& rankAndCabling : m_registry.GetCabling())
    {
        m_unsynced.insert(rankAndCabling.first);
        questions.push_back(OpusMessage::Make(OpusMessage::HELLO, rankAndCabling.first, {0, 0, 0}));
    }
    m_path->SendToRanks(questions, Cause());
}

bool
OpusController::IsStopped() const
{
    return m_stopped;
}

void
OpusController::HandleSynced(const OpusMessage& message)
{
    if (m_unsynced.erase(message.rank) == 0 || !m_unsynced.empty())
    {
        return;
    }
    m_stateTrace("synced");
    const auto deferred = std::move(m_deferred);
    m_deferred.clear();
    for (const auto& [waiting, cause] : deferred)
    {
        Serve(waiting, cause);
    }
}

void
OpusController::HandleWaiting(const OpusMessage& message)
{
    const auto it = m_requests.find(message.key);
    const uint32_t position = m_registry.GetPosition(message.key.group, message.rank);
    if (it != m_requests.end() && position != OpusRegistry::NOT_A_MEMBER &&
        it->second.asked[position])
    {
        m_waiting[message.rank] = message.key;
        RefuseDeadlock(message.rank, message.key);
    }
}

void
OpusController::ScheduleProbe(const OpusKey& key, uint64_t number)
{
    if (!m_lease.IsZero())
    {
        Simulator::Schedule(m_lease, [self = Ptr<OpusController>(this), key, number] {
            self->Probe(key, number);
        });
    }
}

void
OpusController::Probe(const OpusKey& key, uint64_t number)
{
    const auto it = m_requests.find(key);
    if (!m_path || it == m_requests.end() || it->second.number != number)
    {
        return; // it is over, withdrawn or forgotten
    }
    ScheduleProbe(key, number);
    if (it->second.state == Request::COLLECTING)
    {
        std::vector<OpusMessage> questions;
        for (uint32_t rank : GetMissing(key, it->second))
        {
            questions.push_back(OpusMessage::Make(OpusMessage::PROBE, rank, key));
        }
        m_path->SendToRanks(questions, it->second.cause);
    }
}

void
OpusController::LoseRank(uint32_t rank, const std::string& why)
{
    NS_LOG_FUNCTION(this << rank << why);
    m_rankLostTrace(rank);
    std::string waiting;
    for (auto it = m_requests.begin(); it != m_requests.end();)
    {
        const auto& [key, request] = *it;
        const bool over = request.state != Request::APPLYING &&
                          m_registry.GetPosition(key.group, rank) != OpusRegistry::NOT_A_MEMBER;
        if (!over)
        {
            ++it;
            continue;
        }
        // Nobody's turn is kept for what cannot happen.
        if (request.state == Request::QUEUED)
        {
            m_schedulers.at(request.record.rail)->Remove(key);
        }
        const auto& ranks = m_registry.Find(key.group)->members.ranks;
        std::string ofRequest;
        for (uint32_t position = 0; position < ranks.size(); ++position)
        {
            if (request.asked[position] && ranks[position] != rank)
            {
                ofRequest += (ofRequest.empty() ? "" : ", ") + std::to_string(ranks[position]);
            }
        }
        if (!ofRequest.empty())
        {
            const bool several = ofRequest.find(',') != std::string::npos;
            waiting += (several ? "; ranks " : "; rank ") + ofRequest +
                       (several ? " wait for it in " : " waits for it in ") + ToString(key);
        }
        it = m_requests.erase(it);
    }
    m_path->Fail(why + waiting);
}

void
OpusController::HandleBrokenPorts(const OpusKey& key,
                                  const OpticalCircuitSwitch::Outcome& outcome,
                                  const Cause& cause)
{
    const uint32_t rail = m_requests.at(key).record.rail;
    std::string ports;
    for (uint32_t port : outcome.failed)
    {
        m_portFailedTrace(rail, port, key);
        ports += (ports.empty() ? "" : ", ") + std::to_string(port);
        for (const auto& [rank, cabling] : m_registry.GetCabling())
        {
            const auto& its = cabling.ports;
            const auto found = std::find(its.begin(), its.end(), port);
            if (cabling.rail == rail && found != its.end())
            {
                ports += " (rank " + std::to_string(rank) + ", NIC port " +
                         std::to_string(found - its.begin()) + ")";
            }
        }
    }
    if (m_portRetry.IsZero())
    {
        m_path->Fail("controller: rail " + std::to_string(rail) + ": circuits of " + ToString(key) +
                     " did not come up, as a port is broken: at port " + ports);
        return;
    }
    Simulator::Schedule(m_portRetry,
                        [self = Ptr<OpusController>(this), key, cause, life = m_lives] {
                            if (self->m_path && life == self->m_lives)
                            {
                                self->Fire(key, cause);
                            }
                        });
}

bool
OpusController::IsMissed(uint32_t rank, const OpusKey& beside) const
{
    for (uint32_t id : m_registry.GetGroups(rank))
    {
        const uint32_t position = m_registry.GetPosition(id, rank);
        for (uint32_t step : {beside.step, beside.step + 1}) // others may be ahead
        {
            for (auto it = m_requests.lower_bound({step, id, 0});
                 it != m_requests.end() && it->first.step == step && it->first.group == id;
                 ++it)
            {
                if (it->second.state == Request::COLLECTING && !it->second.asked[position])
                {
                    return true;
                }
            }
        }
    }
    return false;
}

void
OpusController::RefuseDeadlock(uint32_t rank, const OpusKey& key) const
{
    const auto it = m_requests.find(key);
    if (it == m_requests.end() || it->second.state != Request::COLLECTING || !IsMissed(rank, key))
    {
        return;
    }
    std::set<OpusKey> seen;
    std::string text = ToString(key);
    if (FindCycle(key, key, seen, text))
    {
        m_path->Fail("deadlock: " + text);
    }
}

bool
OpusController::FindCycle(const OpusKey& from,
                          const OpusKey& to,
                          std::set<OpusKey>& seen,
                          std::string& text) const
{
    const auto it = m_requests.find(from);
    if (it == m_requests.end() || it->second.state != Request::COLLECTING)
    {
        return false;
    }
    for (uint32_t rank : GetMissing(from, it->second))
    {
        const auto waiting = m_waiting.find(rank);
        if (waiting == m_waiting.end() || waiting->second == from)
        {
            continue;
        }
        std::string longer = text + " waits for rank " + std::to_string(rank) +
                             ", which waits for " + ToString(waiting->second);
        const bool closed = waiting->second == to;
        if (closed ||
            (seen.insert(waiting->second).second && FindCycle(waiting->second, to, seen, longer)))
        {
            text = std::move(longer);
            return true;
        }
    }
    return false;
}

} // namespace photonic
} // namespace ns3
