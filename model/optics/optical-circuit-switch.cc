/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optical-circuit-switch.h"

#include "optical-channel.h"
#include "partition.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/photonic-compat.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpticalCircuitSwitch");
NS_OBJECT_ENSURE_REGISTERED(OpticalCircuitSwitch);

const char*
ToString(PortFault fault)
{
    switch (fault)
    {
    case PortFault::DEAD:
        return "dead";
    case PortFault::STUCK:
        return "stuck";
    case PortFault::NONE:
        break;
    }
    return "none";
}

TypeId
OpticalCircuitSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::OpticalCircuitSwitch")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<OpticalCircuitSwitch>()
            .AddAttribute("Radix",
                          "Number of ports, each a fibre pair.",
                          UintegerValue(576),
                          MakeUintegerAccessor(&OpticalCircuitSwitch::m_radix),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ReconfigurationDelay",
                          "How long a changed port is dark.",
                          TimeValue(MilliSeconds(25)),
                          MakeTimeAccessor(&OpticalCircuitSwitch::m_delay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TurningTime",
                          "Distribution of the time in seconds for which changed ports are dark, "
                          "drawn for each request: that of its slowest port. Null: "
                          "ReconfigurationDelay.",
                          PointerValue(),
                          MakePointerAccessor(&OpticalCircuitSwitch::m_turningTime),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute(
                "InFlightPolicy",
                "What happens to packets on a circuit that is torn down.",
                EnumValue(LOSE),
                EnumAccessor(&OpticalCircuitSwitch::m_inFlight),
                MakeEnumChecker(LOSE, "lose", DRAIN_CURRENT_PACKET, "drain-current-packet"))
            .AddAttribute("DrainAll",
                          "Whether a change stops the whole switch: all its circuits finish their "
                          "packets and are dark.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&OpticalCircuitSwitch::m_drainAll),
                          MakeBooleanChecker())
            .AddAttribute("Simplex",
                          "Whether the two directions of a port are switched independently "
                          "(a permutation) or together (a matching).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&OpticalCircuitSwitch::m_simplex),
                          MakeBooleanChecker())
            .AddAttribute("AllowLoops",
                          "Whether a port may be joined to itself (simplex only).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&OpticalCircuitSwitch::m_loops),
                          MakeBooleanChecker())
            .AddTraceSource(
                "Reconfiguration",
                "A request was fulfilled: its outcome, and whether it had to wait for another one.",
                MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_reconfigurationTrace),
                "ns3::photonic::OpticalCircuitSwitch::ReconfigurationTracedCallback")
            .AddTraceSource("Circuit",
                            "A circuit came up or went down.",
                            MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_circuitTrace),
                            "ns3::photonic::OpticalCircuitSwitch::CircuitTracedCallback")
            .AddTraceSource("Dark",
                            "A port went dark to be turned, or is through with it.",
                            MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_darkTrace),
                            "ns3::photonic::OpticalCircuitSwitch::DarkTracedCallback")
            .AddTraceSource("Drop",
                            "A packet was lost because its circuit was torn down, or lost its "
                            "light.",
                            MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_dropTrace),
                            "ns3::photonic::OpticalCircuitSwitch::DropTracedCallback")
            .AddTraceSource("Fault",
                            "A port, or the whole switch, broke or is repaired.",
                            MakeTraceSourceAccessor(&OpticalCircuitSwitch::m_faultTrace),
                            "ns3::photonic::OpticalCircuitSwitch::FaultTracedCallback");
    return tid;
}

OpticalCircuitSwitch::OpticalCircuitSwitch()
    : m_notices(std::make_shared<OpticalChannel::Notices>([](auto& notice) { notice(); }))
{
    NS_LOG_FUNCTION(this);
}

OpticalCircuitSwitch::~OpticalCircuitSwitch()
{
    NS_LOG_FUNCTION(this);
}

void
OpticalCircuitSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_waiting.clear();
    m_active.clear();
    m_ports.clear();
    Object::DoDispose();
}

void
OpticalCircuitSwitch::SetTechnology(const OcsTechnology& technology)
{
    m_radix = technology.radix;
    m_delay = technology.reconfigurationDelay;
}

void
OpticalCircuitSwitch::Attach(uint32_t port, Ptr<OpticalChannel> fibre)
{
    NS_LOG_FUNCTION(this << port << fibre);
    if (port >= m_radix)
    {
        throw std::invalid_argument("port " + std::to_string(port) +
                                    " is out of range: the optical switch has " +
                                    std::to_string(m_radix) + " ports");
    }
    if (port >= m_ports.size())
    {
        m_ports.resize(port + 1);
    }
    if (m_ports[port].fibre)
    {
        throw std::invalid_argument("port " + std::to_string(port) +
                                    " of the optical switch has a fibre already");
    }
    fibre->AttachToSwitch([this](Frame& frame) { Lost(frame, LightPath::TORN_DOWN); });
    fibre->SetNotices(m_notices);
    fibre->SetBreakHandler([this, port](const char* reason) { FibreChanged(port, reason); });
    m_ports[port].fibre = fibre;
}

std::string
OpticalCircuitSwitch::Validate(const std::vector<Circuit>& circuits) const
{
    std::vector<uint32_t> ins;
    std::vector<uint32_t> outs;
    for (const auto& circuit : circuits)
    {
        const std::string name =
            "circuit " + std::to_string(circuit.in) + "-" + std::to_string(circuit.out) + ": ";
        for (uint32_t port : {circuit.in, circuit.out})
        {
            if (port >= m_radix)
            {
                return name + "port " + std::to_string(port) + " is out of range, the switch has " +
                       std::to_string(m_radix);
            }
            if (port >= m_ports.size() || !m_ports[port].fibre)
            {
                return name + "port " + std::to_string(port) + " has no fibre";
            }
        }
        if (circuit.in == circuit.out && !(m_simplex && m_loops))
        {
            return name + "a port cannot be joined to itself";
        }
        ins.push_back(circuit.in);
        (m_simplex ? outs : ins).push_back(circuit.out);
    }
    for (auto* used : {&ins, &outs})
    {
        std::sort(used->begin(), used->end());
        auto twice = std::adjacent_find(used->begin(), used->end());
        if (twice != used->end())
        {
            return "port " + std::to_string(*twice) + " is used twice" +
                   (m_simplex ? (used == &ins ? " as an input" : " as an output") : "");
        }
    }
    return "";
}

std::vector<Circuit>
OpticalCircuitSwitch::Directed(const std::vector<Circuit>& circuits) const
{
    std::vector<Circuit> directed = circuits;
    if (!m_simplex)
    {
        for (const auto& circuit : circuits)
        {
            directed.push_back({circuit.out, circuit.in});
        }
    }
    return directed;
}

void
OpticalCircuitSwitch::TearDown(uint32_t input, const char* reason)
{
    Port& port = m_ports[input];
    const uint32_t output = port.output;
    NS_LOG_LOGIC("circuit " << input << "-" << output << " down");
    const bool lit = CutPath(input, reason);
    port.output = NO_PORT;
    m_ports[output].input = NO_PORT;
    m_circuitTrace(input, output, port.generation, false);
    if (lit)
    {
        TellDark(input, output, port.generation);
    }
    port.generation = 0;
}

bool
OpticalCircuitSwitch::CutPath(uint32_t input, const char* reason)
{
    const auto path = m_ports[input].path;
    if (!path)
    {
        return false;
    }
    m_ports[input].path = nullptr;
    path->Cut(
        Simulator::Now(),
        [self = Ptr<OpticalCircuitSwitch>(this), reason](Frame& f) { self->Lost(f, reason); },
        reason);
    return true;
}

void
OpticalCircuitSwitch::TellDark(uint32_t input, uint32_t output, uint64_t generation)
{
    m_ports[input].fibre->TellLightDown(generation);
    m_ports[output].fibre->TellReceiverLit(false, generation);
}

void
OpticalCircuitSwitch::Extinguish(uint32_t input, const char* reason)
{
    if (CutPath(input, reason))
    {
        TellDark(input, m_ports[input].output, m_ports[input].generation);
    }
}

void
OpticalCircuitSwitch::SetUp(const Circuit& circuit)
{
    Port& in = m_ports[circuit.in];
    Port& out = m_ports[circuit.out];
    NS_LOG_LOGIC("circuit " << circuit.in << "-" << circuit.out << " up");
    in.output = circuit.out;
    out.input = circuit.in;
    in.generation = ++m_generations;
    MakePath(circuit.in);
}

Ptr<LightPath>
OpticalCircuitSwitch::MakePath(uint32_t input)
{
    Port& in = m_ports[input];
    const Port& out = m_ports[in.output];
    if (in.fibre->IsWhole() && out.fibre->IsWhole())
    {
        in.path = in.fibre->CreatePath(*out.fibre, in.generation);
    }
    return in.path;
}

void
OpticalCircuitSwitch::Preset(const std::vector<Circuit>& circuits)
{
    const std::string reason = Validate(circuits);
    if (!reason.empty())
    {
        throw std::invalid_argument(reason);
    }
    const auto directed = Directed(circuits);
    for (const auto& circuit : directed)
    {
        if (m_ports[circuit.in].output != NO_PORT || m_ports[circuit.out].input != NO_PORT ||
            m_ports[circuit.in].busy || m_ports[circuit.out].busy)
        {
            throw std::invalid_argument("circuit " + std::to_string(circuit.in) + "-" +
                                        std::to_string(circuit.out) + ": a port is in use");
        }
        if (m_out || m_ports[circuit.in].fault != PortFault::NONE ||
            m_ports[circuit.out].fault != PortFault::NONE)
        {
            throw std::invalid_argument("circuit " + std::to_string(circuit.in) + "-" +
                                        std::to_string(circuit.out) + ": a port is broken");
        }
    }
    for (const auto& circuit : directed)
    {
        SetUp(circuit);
        if (const auto path = m_ports[circuit.in].path)
        {
            m_ports[circuit.in].fibre->GetEnd().LightUp(path);
        }
    }
    for (const auto& circuit : directed)
    {
        if (m_ports[circuit.in].path)
        {
            m_ports[circuit.out].fibre->GetEnd().ReceiverLit(true);
        }
    }
}

void
OpticalCircuitSwitch::Lost(Frame& frame, const char* reason)
{
    if (frame.train)
    {
        m_lost += frame.train->GetPackets();
        return;
    }
    m_lost++;
    if (!m_dropTrace.IsEmpty())
    {
        m_dropTrace(frame.GetPacket(), reason);
    }
}

uint32_t
OpticalCircuitSwitch::GetOutput(uint32_t port) const
{
    return port < m_ports.size() ? m_ports[port].output : NO_PORT;
}

uint64_t
OpticalCircuitSwitch::GetGeneration(uint32_t port) const
{
    return port < m_ports.size() ? m_ports[port].generation : 0;
}

bool
OpticalCircuitSwitch::IsDark(uint32_t port) const
{
    return port < m_ports.size() && m_ports[port].dark;
}

bool
OpticalCircuitSwitch::HasFibre(uint32_t port) const
{
    return port < m_ports.size() && m_ports[port].fibre;
}

uint32_t
OpticalCircuitSwitch::GetRadix() const
{
    return m_radix;
}

Time
OpticalCircuitSwitch::GetReconfigurationDelay() const
{
    return m_delay;
}

Time
OpticalCircuitSwitch::GetDarkTime() const
{
    // A sum over ports can exceed what Time holds.
    return m_darkTicks > Time::Max().GetTimeStep() ? Time::Max()
                                                   : TimeStep(static_cast<int64_t>(m_darkTicks));
}

uint64_t
OpticalCircuitSwitch::GetLostPackets() const
{
    return m_lost;
}

} // namespace photonic
} // namespace ns3
