/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wdm-fabric.h"

#include "ns3/log.h"
#include "ns3/photonic-compat.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("WdmFabric");
NS_OBJECT_ENSURE_REGISTERED(WdmFabric);

namespace
{

std::string
Name(const WdmCircuit& circuit)
{
    return "circuit " + std::to_string(circuit.source) + "-" + std::to_string(circuit.destination);
}

} // namespace

TypeId
WdmFabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::WdmFabric")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<WdmFabric>()
            .AddAttribute("Wavelengths",
                          "Wavelengths that a GPU can send, and as many that it can receive.",
                          UintegerValue(320),
                          MakeUintegerAccessor(&WdmFabric::m_wavelengths),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("WavelengthRate",
                          "The rate of a wavelength, above 0.",
                          DataRateValue(DataRate("25Gbps")),
                          MakeDataRateAccessor(&WdmFabric::m_wavelengthRate),
                          MakeDataRateChecker())
            .AddAttribute("RetuningDelay",
                          "How long circuits that change are dark.",
                          TimeValue(MicroSeconds(25)),
                          MakeTimeAccessor(&WdmFabric::m_delay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Darkening",
                          "Which circuits a change makes dark.",
                          EnumValue(ALL),
                          EnumAccessor(&WdmFabric::m_darkening),
                          MakeEnumChecker(ALL, "all", CHANGED, "changed"))
            .AddTraceSource("Retune",
                            "Circuits have changed, and carry light.",
                            MakeTraceSourceAccessor(&WdmFabric::m_retuneTrace),
                            "ns3::photonic::WdmFabric::RetuneTracedCallback")
            .AddTraceSource("Circuit",
                            "A circuit came up or went down.",
                            MakeTraceSourceAccessor(&WdmFabric::m_circuitTrace),
                            "ns3::photonic::WdmFabric::CircuitTracedCallback");
    return tid;
}

WdmFabric::WdmFabric()
{
    NS_LOG_FUNCTION(this);
}

WdmFabric::~WdmFabric()
{
    NS_LOG_FUNCTION(this);
}

void
WdmFabric::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_change = nullptr;
    m_ports.clear();
    Object::DoDispose();
}

void
WdmFabric::Attach(uint32_t gpu, uint32_t peer, Ptr<OpticalChannel> fibre)
{
    NS_LOG_FUNCTION(this << gpu << peer << fibre);
    const auto refuse = [gpu, peer](const char* why) {
        throw std::invalid_argument("GPU " + std::to_string(gpu) + "'s fibre for GPU " +
                                    std::to_string(peer) + ": " + why);
    };
    if (gpu == peer)
    {
        refuse("a GPU does not talk to itself");
    }
    if (m_ports.count({gpu, peer}))
    {
        refuse("there is one already");
    }
    auto device =
        fibre->GetNDevices() == 1 ? DynamicCast<OpticalNetDevice>(fibre->GetDevice(0)) : nullptr;
    if (!device)
    {
        refuse("expected an optical device at its other end, and no more");
    }
    fibre->AttachToSwitch();
    Port& port = m_ports[{gpu, peer}];
    port.fibre = fibre;
    port.device = device;
}

std::string
WdmFabric::Validate(const std::vector<WdmCircuit>& circuits) const
{
    std::set<Pair> pairs;
    std::map<uint32_t, uint64_t> sent;
    std::map<uint32_t, uint64_t> received;
    for (const auto& circuit : circuits)
    {
        const Pair there{circuit.source, circuit.destination};
        const Pair back{circuit.destination, circuit.source};
        for (const auto& pair : {there, back})
        {
            if (!m_ports.count(pair))
            {
                return Name(circuit) + ": GPU " + std::to_string(pair.first) +
                       " has no device for GPU " + std::to_string(pair.second);
            }
        }
        if (circuit.wavelengths == 0 || circuit.propagation.IsStrictlyNegative())
        {
            return Name(circuit) + ": expected at least one wavelength and no negative propagation";
        }
        if (!pairs.insert(there).second)
        {
            return Name(circuit) + " is asked for twice";
        }
        sent[circuit.source] += circuit.wavelengths;
        received[circuit.destination] += circuit.wavelengths;
    }
    for (const auto* used : {&sent, &received})
    {
        for (const auto& [gpu, wavelengths] : *used)
        {
            if (wavelengths > m_wavelengths)
            {
                return "GPU " + std::to_string(gpu) +
                       (used == &sent ? " was to send " : " was to receive ") +
                       std::to_string(wavelengths) + " wavelengths: it has " +
                       std::to_string(m_wavelengths);
            }
        }
    }
    return "";
}

void
WdmFabric::Preset(const std::vector<WdmCircuit>& circuits)
{
    const std::string reason = Validate(circuits);
    if (!reason.empty())
    {
        throw std::invalid_argument(reason);
    }
    if (m_lit > 0 || m_change)
    {
        throw std::logic_error("circuits were to be preset where there are some");
    }
    for (const auto& circuit : circuits)
    {
        SetUp(circuit, true);
    }
}

void
WdmFabric::Retune(const std::vector<WdmCircuit>& circuits, Done done)
{
    NS_LOG_FUNCTION(this << circuits.size());
    const std::string reason = Validate(circuits);
    if (!reason.empty())
    {
        throw std::invalid_argument(reason);
    }
    if (m_change)
    {
        throw std::logic_error("circuits were to change while others still do");
    }
    m_change = std::make_unique<Change>();
    m_change->done = std::move(done);
    m_change->outcome.requested = Simulator::Now();
    std::set<Pair> kept;
    for (const auto& circuit : circuits)
    {
        const Pair pair{circuit.source, circuit.destination};
        if (m_darkening == CHANGED && GetPort(pair).circuit == circuit)
        {
            kept.insert(pair);
        }
        else
        {
            m_change->up.push_back(circuit);
        }
    }
    ExactTime gone(Simulator::Now());
    for (auto& [pair, port] : m_ports)
    {
        if (port.path && !kept.count(pair))
        {
            m_change->down.push_back(pair);
            gone = std::max(gone, port.device->FinishPacket() + port.path->GetPropagation());
        }
    }
    if (m_change->up.empty() && m_change->down.empty())
    {
        const auto change = std::move(m_change);
        change->outcome.started = change->outcome.done = Simulator::Now();
        change->outcome.dark = 0;
        change->outcome.id = 0;
        if (change->done)
        {
            change->done(change->outcome);
        }
        return;
    }
    Simulator::Schedule(gone.ToTime() - Simulator::Now(),
                        [self = Ptr<WdmFabric>(this)] { self->Darken(); });
}

void
WdmFabric::Darken()
{
    if (!m_change)
    {
        return; // disposed of
    }
    m_change->outcome.started = Simulator::Now();
    std::set<Pair> dark(m_change->down.begin(), m_change->down.end());
    for (const auto& pair : m_change->down)
    {
        TearDown(pair);
    }
    for (const auto& circuit : m_change->up)
    {
        dark.insert({circuit.source, circuit.destination});
    }
    m_change->outcome.dark = dark.size();
    Simulator::Schedule(m_delay, [self = Ptr<WdmFabric>(this)] { self->Light(); });
}

void
WdmFabric::Light()
{
    if (!m_change)
    {
        return; // disposed of
    }
    const auto change = std::move(m_change);
    for (const auto& circuit : change->up)
    {
        SetUp(circuit, false);
    }
    auto& outcome = change->outcome;
    outcome.done = Simulator::Now();
    outcome.id = ++m_retunes;
    m_darkTicks += Ticks((outcome.done - outcome.started).GetTimeStep()) * outcome.dark;
    m_retuneTrace(outcome);
    if (change->done)
    {
        change->done(outcome);
    }
}

void
WdmFabric::SetUp(const WdmCircuit& circuit, bool preset)
{
    NS_LOG_LOGIC(Name(circuit) << " of " << circuit.wavelengths << " wavelengths up");
    Port& in = GetPort({circuit.source, circuit.destination});
    Port& out = GetPort({circuit.destination, circuit.source});
    in.circuit = circuit;
    in.generation = ++m_generations;
    m_lit++;
    // It can be cut at the receiver: dark is what has arrived nowhere.
    const Time total = in.fibre->GetDelay() + circuit.propagation + out.fibre->GetDelay();
    in.path = Create<LightPath>(in.fibre->GetEnd(), out.fibre->GetEnd(), total, total);
    in.device->SetDataRate(DataRate(m_wavelengthRate.GetBitRate() * circuit.wavelengths));
    if (preset)
    {
        in.fibre->GetEnd().LightUp(in.path);
        out.fibre->GetEnd().ReceiverLit(true);
        return;
    }
    m_circuitTrace(circuit, in.generation, true);
    Tell(in, [path = in.path](FibreEnd& end) { end.LightUp(path); });
    Tell(out, [](FibreEnd& end) { end.ReceiverLit(true); });
}

void
WdmFabric::TearDown(const Pair& pair)
{
    Port& in = GetPort(pair);
    Port& out = GetPort({pair.second, pair.first});
    NS_LOG_LOGIC(Name(in.circuit) << " down");
    in.path->Cut(Simulator::Now(), [self = Ptr<WdmFabric>(this)](Frame& frame) {
        self->m_lost += frame.train ? frame.train->GetPackets() : 1;
    });
    in.path = nullptr;
    m_lit--;
    m_circuitTrace(in.circuit, in.generation, false);
    in.circuit = {};
    in.generation = 0;
    Tell(in, [](FibreEnd& end) { end.LightDown(); });
    Tell(out, [](FibreEnd& end) { end.ReceiverLit(false); });
}

void
WdmFabric::Tell(Port& port, std::function<void(FibreEnd&)> notice)
{
    FibreEnd& end = port.fibre->GetEnd();
    if (!end.IsWatched())
    {
        notice(end);
        return;
    }
    Simulator::ScheduleWithContext(end.GetContext(), Time(0), [&end, notice = std::move(notice)] {
        notice(end);
    });
}

WdmFabric::Port&
WdmFabric::GetPort(const Pair& pair)
{
    return m_ports.at(pair);
}

uint32_t
WdmFabric::GetWavelengths(uint32_t source, uint32_t destination) const
{
    const auto port = m_ports.find({source, destination});
    return port == m_ports.end() ? 0 : port->second.circuit.wavelengths;
}

Time
WdmFabric::GetPacketTime(uint32_t wavelengths, Time propagation) const
{
    uint64_t bytes = 0;
    Time fibres;
    for (const auto& [pair, port] : m_ports)
    {
        bytes =
            std::max<uint64_t>(bytes, port.device->GetMtu() + OpticalNetDevice::GetFrameOverhead());
        fibres = std::max(fibres, port.fibre->GetDelay());
    }
    const LineRate rate(DataRate(m_wavelengthRate.GetBitRate() * wavelengths));
    return rate.Serialise(bytes).ToTime() + propagation + fibres * 2;
}

Time
WdmFabric::GetSettlingTime() const
{
    uint32_t slowest = m_wavelengths;
    Time longest;
    for (const auto& [pair, port] : m_ports)
    {
        if (port.path)
        {
            slowest = std::min(slowest, port.circuit.wavelengths);
            longest = std::max(longest, port.circuit.propagation);
        }
    }
    return m_lit > 0 ? GetPacketTime(slowest, longest) : Time(0);
}

bool
WdmFabric::IsRetuning() const
{
    return m_change != nullptr;
}

uint32_t
WdmFabric::GetWavelengthLimit() const
{
    return m_wavelengths;
}

Time
WdmFabric::GetRetuningDelay() const
{
    return m_delay;
}

uint64_t
WdmFabric::GetRetunes() const
{
    return m_retunes;
}

Time
WdmFabric::GetDarkTime() const
{
    // A sum over transmitters can exceed what Time holds.
    return m_darkTicks > Time::Max().GetTimeStep() ? Time::Max()
                                                   : TimeStep(static_cast<int64_t>(m_darkTicks));
}

uint64_t
WdmFabric::GetLostPackets() const
{
    return m_lost;
}

} // namespace photonic
} // namespace ns3
