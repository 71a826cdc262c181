/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "circuit-timeline.h"

#include "ns3/simulator.h"

namespace ns3
{
namespace photonic
{

CircuitTimeline::CircuitTimeline(std::shared_ptr<ChromeTrace> trace,
                                 std::shared_ptr<const TimelineRange> range,
                                 const std::string& name,
                                 uint32_t order,
                                 std::map<uint32_t, std::string> ports)
    : m_trace(std::move(trace)),
      m_range(std::move(range)),
      m_name(name),
      m_order(order)
{
    for (auto& [port, portName] : ports)
    {
        m_ports[port].name = std::move(portName);
    }
}

void
CircuitTimeline::Observe(Ptr<OpticalCircuitSwitch> ocs)
{
    for (uint32_t port = 0; port < ocs->GetRadix(); port++)
    {
        const uint32_t output = ocs->GetOutput(port);
        if (output != OpticalCircuitSwitch::NO_PORT)
        {
            GetPort(port).output = output;
        }
    }
    const Ptr<CircuitTimeline> self(this);
    ocs->TraceConnectWithoutContext("Circuit", MakeCallback(&CircuitTimeline::ChangeCircuit, self));
    ocs->TraceConnectWithoutContext("Dark", MakeCallback(&CircuitTimeline::Turned, self));
}

CircuitTimeline::Port&
CircuitTimeline::GetPort(uint32_t port)
{
    Port& found = m_ports[port];
    if (found.name.empty())
    {
        found.name = "port " + std::to_string(port);
    }
    return found;
}

const ChromeTrace::Lane&
CircuitTimeline::GetLane(uint32_t port)
{
    if (m_process == 0)
    {
        m_process = m_trace->AddProcess(m_name, m_order);
    }
    Port& found = GetPort(port);
    if (found.lane.thread == 0)
    {
        found.lane = m_trace->AddLane(m_process, found.name, port);
    }
    return found.lane;
}

void
CircuitTimeline::WriteCircuit(uint32_t in, Time end)
{
    Port& port = GetPort(in);
    if (m_range->ShowsUntil(end))
    {
        m_trace->AddSlice(GetLane(in),
                          "to " + GetPort(port.output).name,
                          "circuit",
                          m_range->Clip(port.lit),
                          end,
                          ChromeTrace::Arguments().Add("input", in).Add("output", port.output));
    }
    port.output = OpticalCircuitSwitch::NO_PORT;
}

void
CircuitTimeline::ChangeCircuit(uint32_t in, uint32_t out, uint64_t /* generation */, bool up)
{
    if (up)
    {
        GetPort(in).output = out;
        GetPort(in).lit = Simulator::Now();
    }
    else
    {
        WriteCircuit(in, Simulator::Now());
    }
}

void
CircuitTimeline::Turned(uint32_t port, uint64_t request, bool dark)
{
    if (dark)
    {
        GetPort(port).dark = Simulator::Now();
        return;
    }
    const Time start = GetPort(port).dark;
    if (!m_range->ShowsUntil(Simulator::Now()))
    {
        return;
    }
    m_trace->AddSlice(GetLane(port),
                      "dark",
                      "circuit",
                      m_range->Clip(start),
                      Simulator::Now(),
                      ChromeTrace::Arguments().Add("request", request));
    if (m_keepTurns && start >= m_range->begin)
    {
        m_turns[request].push_back({GetLane(port), start});
    }
}

void
CircuitTimeline::KeepTurns()
{
    m_keepTurns = true;
}

std::vector<CircuitTimeline::Turn>
CircuitTimeline::TakeTurns(uint64_t request)
{
    auto it = m_turns.find(request);
    if (it == m_turns.end())
    {
        return {};
    }
    auto turns = std::move(it->second);
    m_turns.erase(it);
    return turns;
}

void
CircuitTimeline::Close()
{
    for (const auto& [number, port] : m_ports)
    {
        if (port.output != OpticalCircuitSwitch::NO_PORT)
        {
            WriteCircuit(number, Simulator::Now());
        }
    }
}

WavelengthTimeline::WavelengthTimeline(std::shared_ptr<ChromeTrace> trace,
                                       std::shared_ptr<const TimelineRange> range,
                                       uint32_t order)
    : m_trace(std::move(trace)),
      m_range(std::move(range)),
      m_process(m_trace->AddProcess("wavelengths", order))
{
}

void
WavelengthTimeline::Observe(Ptr<WdmFabric> fabric, uint32_t gpus)
{
    for (uint32_t source = 0; source < gpus; source++)
    {
        for (uint32_t destination = 0; destination < gpus; destination++)
        {
            if (const uint32_t wavelengths = fabric->GetWavelengths(source, destination))
            {
                m_lit[{source, destination}] = {wavelengths, Time()};
            }
        }
    }
    fabric->TraceConnectWithoutContext(
        "Circuit",
        MakeCallback(&WavelengthTimeline::ChangeCircuit, Ptr<WavelengthTimeline>(this)));
}

void
WavelengthTimeline::ChangeCircuit(const WdmCircuit& circuit, uint64_t /* generation */, bool up)
{
    const Pair pair(circuit.source, circuit.destination);
    if (up)
    {
        m_lit[pair] = {circuit.wavelengths, Simulator::Now()};
        return;
    }
    auto it = m_lit.find(pair);
    Write(pair, it->second, Simulator::Now());
    m_lit.erase(it);
}

void
WavelengthTimeline::Write(const Pair& pair, const Lit& lit, Time end)
{
    if (!m_range->ShowsUntil(end))
    {
        return;
    }
    auto& track = m_tracks
                      .try_emplace(pair.first,
                                   m_process,
                                   "from rank " + std::to_string(pair.first),
                                   pair.first)
                      .first->second;
    const Time start = m_range->Clip(lit.since);
    m_trace->AddSlice(track.Take(*m_trace, start, end),
                      "to rank " + std::to_string(pair.second),
                      "circuit",
                      start,
                      end,
                      ChromeTrace::Arguments().Add("wavelengths", lit.wavelengths));
}

void
WavelengthTimeline::Close()
{
    for (const auto& [pair, lit] : m_lit)
    {
        Write(pair, lit, Simulator::Now());
    }
    m_lit.clear();
}

} // namespace photonic
} // namespace ns3
