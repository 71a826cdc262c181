/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * How requests at an OpticalCircuitSwitch wait for ports, and become circuits.
 */
#include "optical-channel.h"
#include "optical-circuit-switch.h"
#include "partition.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpticalCircuitSwitchRequests");

namespace
{

/// Sort, and keep one of each.
void
MakeSet(std::vector<uint32_t>& ports)
{
    std::sort(ports.begin(), ports.end());
    ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
}

/// @return the ports of circuits, each once
std::vector<uint32_t>
GetEnds(const std::vector<Circuit>& circuits)
{
    std::vector<uint32_t> ends;
    for (const auto& circuit : circuits)
    {
        ends.push_back(circuit.in);
        ends.push_back(circuit.out);
    }
    MakeSet(ends);
    return ends;
}

} // namespace

void
OpticalCircuitSwitch::Reconfigure(const std::vector<Circuit>& circuits, Done done)
{
    NS_LOG_FUNCTION(this << circuits.size());
    const std::string reason = Validate(circuits);
    if (!reason.empty())
    {
        throw std::invalid_argument(reason);
    }
    if (IsRemote(GetObject<Node>()))
    {
        return; // the process that has the switch does it
    }
    auto request = std::make_shared<Request>();
    request->circuits = Directed(circuits);
    request->ports = GetEnds(circuits);
    request->whole = m_drainAll;
    if (request->whole)
    {
        request->ports.resize(m_ports.size());
        std::iota(request->ports.begin(), request->ports.end(), 0);
    }
    request->done = std::move(done);
    request->outcome.requested = Simulator::Now();
    request->outcome.portsChanged = 0;
    request->outcome.portsDark = 0;
    request->outcome.id = ++m_requests;
    m_waiting.push_back(request);
    StartWaiting();
    // Whoever is not served in the call itself has to wait for another request.
    if (std::find(m_waiting.begin(), m_waiting.end(), request) != m_waiting.end())
    {
        request->queued = true;
    }
}

void
OpticalCircuitSwitch::StartWaiting()
{
    // A request that needs no change is done at once, and its ports are free for those behind it.
    while (StartFree())
    {
    }
}

bool
OpticalCircuitSwitch::StartFree()
{
    if (m_out)
    {
        return false;
    }
    // In order, but a request passes those that it shares no port with.
    std::vector<std::shared_ptr<Request>> startable;
    std::vector<bool> claimed(m_ports.size(), false);
    for (auto it = m_waiting.begin(); it != m_waiting.end();)
    {
        const auto& ports = (*it)->ports;
        const bool free = std::all_of(ports.begin(), ports.end(), [&](uint32_t p) {
            return !m_ports[p].busy && !claimed[p];
        });
        for (uint32_t port : ports)
        {
            claimed[port] = true;
        }
        if (free)
        {
            startable.push_back(*it);
            it = m_waiting.erase(it);
        }
        else
        {
            ++it;
        }
    }
    for (const auto& request : startable)
    {
        for (uint32_t port : request->ports)
        {
            m_ports[port].busy = request.get();
        }
        request->state = Request::GRANTED;
        m_active.push_back(request);
    }
    bool done = false;
    for (const auto& request : startable)
    {
        // Unless whoever was told that an earlier one is done has cut the power.
        if (request->state == Request::GRANTED)
        {
            done = Start(request) || done;
        }
    }
    return done;
}

bool
OpticalCircuitSwitch::Start(const std::shared_ptr<Request>& request)
{
    request->state = Request::BEGUN;
    for (const auto& circuit : request->circuits)
    {
        if (m_ports[circuit.in].output != circuit.out)
        {
            request->changes.push_back(circuit);
        }
    }
    if (request->changes.empty())
    {
        request->outcome.started = Simulator::Now();
        Finish(request);
        return true;
    }
    request->outcome.portsChanged = GetEnds(request->changes).size();
    LeaveStuck(*request);
    if (request->whole)
    {
        // To put a circuit back is to cut it and to set it up again.
        const auto untouched = GetUntouched(request->changes);
        request->changes.insert(request->changes.end(), untouched.begin(), untouched.end());
    }
    const auto inputs = InputsToCut(*request);
    if ((m_inFlight == DRAIN_CURRENT_PACKET || request->whole) && !inputs.empty())
    {
        Drain(request, inputs);
    }
    else
    {
        Darken(request);
    }
    return false;
}

std::vector<Circuit>
OpticalCircuitSwitch::GetUntouched(const std::vector<Circuit>& changes) const
{
    std::vector<bool> in(m_ports.size(), false);
    std::vector<bool> out(m_ports.size(), false);
    for (const auto& change : changes)
    {
        in[change.in] = true;
        out[change.out] = true;
    }
    std::vector<Circuit> untouched;
    for (uint32_t port = 0; port < m_ports.size(); port++)
    {
        const uint32_t output = m_ports[port].output;
        const bool moves = m_ports[port].fault != PortFault::STUCK && output != NO_PORT &&
                           m_ports[output].fault != PortFault::STUCK;
        if (moves && !in[port] && !out[output])
        {
            untouched.push_back({port, output});
        }
    }
    return untouched;
}

std::vector<uint32_t>
OpticalCircuitSwitch::InputsToCut(const Request& request) const
{
    std::vector<uint32_t> inputs;
    for (const auto& change : request.changes)
    {
        if (m_ports[change.in].output != NO_PORT)
        {
            inputs.push_back(change.in);
        }
        if (m_ports[change.out].input != NO_PORT)
        {
            inputs.push_back(m_ports[change.out].input);
        }
    }
    MakeSet(inputs);
    return inputs;
}

void
OpticalCircuitSwitch::Drain(const std::shared_ptr<Request>& request,
                            const std::vector<uint32_t>& inputs)
{
    request->draining = inputs.size();
    request->drained = Simulator::Now();
    for (uint32_t input : inputs)
    {
        const auto& fibre = m_ports[input].fibre;
        request->held.emplace_back(input, m_ports[input].generation);
        fibre->AskToFinishPacket([self = Ptr<OpticalCircuitSwitch>(this),
                                  request,
                                  attempt = request->attempt,
                                  delay = fibre->GetDelay()](const ExactTime& end) {
            self->PacketFinished(request, attempt, end + delay);
        });
    }
}

void
OpticalCircuitSwitch::PacketFinished(const std::shared_ptr<Request>& request,
                                     uint32_t attempt,
                                     const ExactTime& gone)
{
    if (!IsCurrent(request, attempt))
    {
        return;
    }
    request->drained = std::max(request->drained, gone.ToTime());
    if (--request->draining == 0)
    {
        Simulator::Schedule(request->drained - Simulator::Now(),
                            [self = Ptr<OpticalCircuitSwitch>(this), request, attempt] {
                                if (self->IsCurrent(request, attempt))
                                {
                                    self->Darken(request);
                                }
                            });
    }
}

void
OpticalCircuitSwitch::Darken(const std::shared_ptr<Request>& request)
{
    request->outcome.started = Simulator::Now();
    LeaveStuck(*request); // a port may be so since then
    request->dark = GetEnds(request->changes);
    // A peer's circuit may have gone since the request started to drain: look again.
    for (uint32_t input : InputsToCut(*request))
    {
        if (request->whole)
        {
            request->dark.push_back(input);
            request->dark.push_back(m_ports[input].output);
        }
        TearDown(input);
    }
    MakeSet(request->dark);
    for (uint32_t port : request->dark)
    {
        m_ports[port].dark = true;
        m_darkTrace(port, request->outcome.id, true);
    }
    request->outcome.portsDark = request->dark.size();
    ReleaseHeld(*request);
    Simulator::Schedule(
        DrawTurningTime(),
        [self = Ptr<OpticalCircuitSwitch>(this), request, attempt = request->attempt] {
            if (self->IsCurrent(request, attempt))
            {
                self->Light(request);
            }
        });
}

void
OpticalCircuitSwitch::Light(const std::shared_ptr<Request>& request)
{
    Undarken(*request);
    auto& failed = request->outcome.failed;
    const auto isBroken = [this](uint32_t port) { return m_ports[port].fault != PortFault::NONE; };
    Time lit; // until the light is known at every end
    std::vector<Circuit> up;
    for (const auto& change : request->changes)
    {
        Port& in = m_ports[change.in];
        Port& out = m_ports[change.out];
        lit = std::max({lit, in.fibre->GetDelay(), out.fibre->GetDelay()});
        if (isBroken(change.in) || isBroken(change.out))
        {
            // What was there before is nobody's request.
            const auto& asked = request->circuits;
            if (std::find(asked.begin(), asked.end(), change) != asked.end())
            {
                failed.insert(failed.end(), {change.in, change.out});
            }
            continue;
        }
        SetUp(change);
        m_circuitTrace(change.in, change.out, in.generation, true);
        if (in.path)
        {
            in.fibre->TellLightUp(in.path, *out.fibre, in.generation);
            up.push_back(change);
        }
    }
    // After the transmitters, so that who is told of a duplex link can send into it.
    for (const auto& change : up)
    {
        m_ports[change.out].fibre->TellReceiverLit(true, m_ports[change.in].generation);
    }
    for (const auto& change : request->blocked) // they take as long
    {
        lit = std::max(
            {lit, m_ports[change.in].fibre->GetDelay(), m_ports[change.out].fibre->GetDelay()});
    }
    MakeSet(failed);
    request->outcome.portsChanged -= failed.size();
    Simulator::Schedule(
        lit,
        [self = Ptr<OpticalCircuitSwitch>(this), request, attempt = request->attempt] {
            if (self->IsCurrent(request, attempt))
            {
                self->Finish(request);
                self->StartWaiting();
            }
        });
}

void
OpticalCircuitSwitch::Finish(const std::shared_ptr<Request>& request)
{
    request->outcome.done = Simulator::Now();
    for (uint32_t port : request->ports)
    {
        m_ports[port].busy = nullptr;
    }
    m_active.erase(std::find(m_active.begin(), m_active.end(), request));
    m_reconfigurationTrace(request->outcome, request->queued);
    if (request->done)
    {
        request->done(request->outcome);
    }
}

} // namespace photonic
} // namespace ns3
