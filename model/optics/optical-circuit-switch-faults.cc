/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * What breaks at an OpticalCircuitSwitch, and what becomes of its circuits and requests then.
 */
#include "optical-channel.h"
#include "optical-circuit-switch.h"
#include "partition.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpticalCircuitSwitchFaults");

OpticalCircuitSwitch::Port&
OpticalCircuitSwitch::FindPort(uint32_t port)
{
    if (port >= m_ports.size() || !m_ports[port].fibre)
    {
        throw std::invalid_argument("port " + std::to_string(port) +
                                    " of the optical switch has no fibre");
    }
    return m_ports[port];
}

void
OpticalCircuitSwitch::FailPort(uint32_t port, PortFault fault)
{
    NS_LOG_FUNCTION(this << port << ToString(fault));
    Port& broken = FindPort(port);
    if (IsRemote(GetObject<Node>()))
    {
        return; // the process that has the switch does it
    }
    if (fault == PortFault::NONE)
    {
        RepairPort(port);
        return;
    }
    broken.fault = fault;
    broken.faultSince = Simulator::Now();
    m_faultTrace(port, ToString(fault), broken.faultSince);
    if (fault == PortFault::DEAD)
    {
        TearDownAll(port, "port dead");
    }
}

void
OpticalCircuitSwitch::RepairPort(uint32_t port)
{
    NS_LOG_FUNCTION(this << port);
    Port& broken = FindPort(port);
    if (broken.fault == PortFault::NONE)
    {
        return;
    }
    broken.fault = PortFault::NONE;
    m_faultTrace(port, "repaired", broken.faultSince);
}

PortFault
OpticalCircuitSwitch::GetPortFault(uint32_t port) const
{
    return port < m_ports.size() ? m_ports[port].fault : PortFault::NONE;
}

void
OpticalCircuitSwitch::SetOutage(bool out)
{
    NS_LOG_FUNCTION(this << out);
    if (out == m_out || IsRemote(GetObject<Node>()))
    {
        return;
    }
    m_out = out;
    if (!out)
    {
        m_faultTrace(NO_PORT, "back", m_outSince);
        StartWaiting();
        return;
    }
    m_outSince = Simulator::Now();
    m_faultTrace(NO_PORT, "outage", m_outSince);
    auto active = std::move(m_active);
    m_active.clear();
    // The latest first: each goes to the front.
    std::sort(active.begin(), active.end(), [](const auto& a, const auto& b) {
        return a->outcome.id > b->outcome.id;
    });
    for (const auto& request : active)
    {
        StartAnew(request);
    }
    for (uint32_t port = 0; port < m_ports.size(); port++)
    {
        if (m_ports[port].output != NO_PORT)
        {
            TearDown(port, "switch outage");
        }
    }
}

bool
OpticalCircuitSwitch::IsOut() const
{
    return m_out;
}

void
OpticalCircuitSwitch::StartAnew(const std::shared_ptr<Request>& request)
{
    request->attempt++;
    request->state = Request::WAITING;
    Undarken(*request);
    request->changes.clear();
    request->held.clear();
    request->blocked.clear();
    request->outcome.failed.clear();
    request->outcome.portsChanged = 0;
    request->outcome.portsDark = 0;
    for (uint32_t port : request->ports)
    {
        m_ports[port].busy = nullptr;
    }
    m_waiting.push_front(request);
}

bool
OpticalCircuitSwitch::IsCurrent(const std::shared_ptr<Request>& request, uint32_t attempt) const
{
    return request->attempt == attempt;
}

void
OpticalCircuitSwitch::Undarken(Request& request)
{
    for (uint32_t port : request.dark)
    {
        m_ports[port].dark = false;
        m_darkTrace(port, request.outcome.id, false);
    }
    m_darkTicks +=
        Ticks((Simulator::Now() - request.outcome.started).GetTimeStep()) * request.dark.size();
    request.dark.clear();
}

Time
OpticalCircuitSwitch::DrawTurningTime() const
{
    constexpr double longest = 1e6; // seconds; more would be no switch
    return m_turningTime ? Seconds(std::clamp(m_turningTime->GetValue(), 0.0, longest)) : m_delay;
}

int64_t
OpticalCircuitSwitch::AssignStreams(int64_t stream)
{
    if (!m_turningTime)
    {
        return 0;
    }
    m_turningTime->SetStream(stream);
    return 1;
}

bool
OpticalCircuitSwitch::NeedsStuckPort(const Circuit& change) const
{
    const Port& in = m_ports[change.in];
    const Port& out = m_ports[change.out];
    const auto isStuck = [this](uint32_t port) {
        return port != NO_PORT && m_ports[port].fault == PortFault::STUCK;
    };
    return isStuck(change.in) || isStuck(change.out) || isStuck(in.output) || isStuck(out.input);
}

void
OpticalCircuitSwitch::LeaveStuck(Request& request)
{
    auto& changes = request.changes;
    const auto stuck =
        std::stable_partition(changes.begin(), changes.end(), [this](const Circuit& c) {
            return !NeedsStuckPort(c);
        });
    for (auto change = stuck; change != changes.end(); ++change)
    {
        // A circuit that DrainAll would have put back just stays.
        if (m_ports[change->in].output != change->out)
        {
            request.blocked.push_back(*change);
            request.outcome.failed.insert(request.outcome.failed.end(), {change->in, change->out});
        }
    }
    changes.erase(stuck, changes.end());
}

bool
OpticalCircuitSwitch::IsHeld(uint32_t input) const
{
    return std::any_of(m_active.begin(), m_active.end(), [input](const auto& request) {
        return std::any_of(request->held.begin(), request->held.end(), [input](const auto& held) {
            return held.first == input;
        });
    });
}

void
OpticalCircuitSwitch::ReleaseHeld(Request& request)
{
    const auto held = std::move(request.held);
    request.held.clear();
    for (const auto& [input, generation] : held)
    {
        Port& port = m_ports[input];
        if (port.generation == generation && port.path && !IsHeld(input))
        {
            port.fibre->TellLightUp(port.path, *m_ports[port.output].fibre, generation);
        }
    }
}

void
OpticalCircuitSwitch::TearDownAll(uint32_t port, const char* reason)
{
    for (uint32_t input : {port, m_ports[port].input})
    {
        if (input != NO_PORT && m_ports[input].output != NO_PORT)
        {
            TearDown(input, reason);
        }
    }
}

void
OpticalCircuitSwitch::FibreChanged(uint32_t port, const char* reason)
{
    NS_LOG_FUNCTION(this << port);
    std::vector<uint32_t> lit;
    for (uint32_t input : {port, m_ports[port].input})
    {
        if (input == NO_PORT || m_ports[input].output == NO_PORT)
        {
            continue;
        }
        Port& in = m_ports[input];
        if (reason)
        {
            Extinguish(input, reason);
        }
        else if (!in.path && !IsHeld(input) && MakePath(input))
        {
            in.fibre->TellLightUp(in.path, *m_ports[in.output].fibre, in.generation);
            lit.push_back(input);
        }
    }
    for (uint32_t input : lit)
    {
        m_ports[m_ports[input].output].fibre->TellReceiverLit(true, m_ports[input].generation);
    }
}

} // namespace photonic
} // namespace ns3
