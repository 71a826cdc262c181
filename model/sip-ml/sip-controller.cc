/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-controller.h"

#include "ns3/log.h"
#include "ns3/photonic-compat.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("SipController");
NS_OBJECT_ENSURE_REGISTERED(SipController);

TypeId
SipController::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::SipController")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<SipController>()
                            .AddAttribute("LiveTime",
                                          "How long circuits have light in an epoch.",
                                          TimeValue(MicroSeconds(100)),
                                          MakeTimeAccessor(&SipController::m_liveTime),
                                          MakeTimeChecker(Time(0)))
                            .AddTraceSource("Choice",
                                            "Circuits were chosen for bytes that wait.",
                                            MakeTraceSourceAccessor(&SipController::m_choiceTrace),
                                            "ns3::photonic::SipController::ChoiceTracedCallback");
    return tid;
}

SipController::SipController()
{
    NS_LOG_FUNCTION(this);
}

SipController::~SipController()
{
    NS_LOG_FUNCTION(this);
}

void
SipController::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_next.Cancel();
    m_ports.clear();
    m_numbers.clear();
    m_fabric = nullptr;
    m_strategy = nullptr;
    Object::DoDispose();
}

void
SipController::AddPort(uint32_t gpu, uint32_t peer, Ptr<MessageEndpoint> endpoint, uint32_t port)
{
    m_ports.push_back({gpu, peer, endpoint, port});
    m_gpus = std::max({m_gpus, gpu + 1, peer + 1});
}

void
SipController::Start(Ptr<WdmFabric> fabric, Ptr<const SipStrategy> strategy)
{
    NS_LOG_FUNCTION(this << fabric);
    const auto slowest = strategy->GetSlowest();
    const Time packet = fabric->GetPacketTime(slowest.wavelengths, slowest.propagation);
    if (m_liveTime < packet)
    {
        std::ostringstream line;
        line << "a live time of " << m_liveTime.ToDouble(Time::US)
             << " us is too short to send anything: a packet takes up to "
             << packet.ToDouble(Time::US) << " us on " << slowest.wavelengths
             << (slowest.wavelengths == 1 ? " wavelength" : " wavelengths");
        throw std::invalid_argument(line.str());
    }
    m_fabric = fabric;
    m_strategy = strategy;
    std::set<uint32_t> gpus;
    for (const auto& [gpu, peer, endpoint, port] : m_ports)
    {
        m_numbers.insert({gpu, port});
        if (gpus.insert(gpu).second)
        {
            endpoint->TraceConnectWithoutContext(
                "Post",
                FunctionCallback([this, of = gpu](uint32_t number, const Message& message) {
                    Posted(of, number, message.bytes);
                }));
        }
    }
    m_epochStart = Simulator::Now();
    m_lastChoice = Simulator::Now() - TimeStep(1);
    m_asleep = true;
}

TrafficMatrix
SipController::GetDemand() const
{
    TrafficMatrix demand(m_gpus);
    for (const auto& watched : m_ports)
    {
        if (const uint64_t bytes = watched.endpoint->GetPort(watched.port).GetBacklog())
        {
            demand.Set(watched.gpu, watched.peer, bytes);
        }
    }
    return demand;
}

bool
SipController::IsAsleep() const
{
    return m_asleep;
}

void
SipController::Posted(uint32_t gpu, uint32_t port, uint64_t bytes)
{
    if (m_numbers.count({gpu, port}) == 0)
    {
        return; // it has others, as into its scale-up domain
    }
    m_posted += bytes;
    if (m_asleep)
    {
        m_asleep = false;
        ScheduleNext();
    }
}

void
SipController::ScheduleNext()
{
    // Packets that start no later than this are over at the end of a live time.
    const Time first = m_epochStart + m_liveTime - m_fabric->GetSettlingTime();
    const Time earliest = std::max(Simulator::Now(), m_lastChoice + TimeStep(1));
    const int64_t live = m_liveTime.GetTimeStep();
    const int64_t late = std::max<int64_t>((earliest - first).GetTimeStep(), 0);
    const Time at = first + TimeStep((late + live - 1) / live * live);
    // What this tick brings comes first, whatever the order of its events.
    m_next = Simulator::Schedule(at - Simulator::Now(), [this] {
        m_next = Simulator::ScheduleNow(&SipController::Choose, this);
    });
}

void
SipController::Choose()
{
    m_lastChoice = Simulator::Now();
    const auto demand = GetDemand();
    uint64_t bytes = 0;
    for (const auto& pair : demand.GetDemands())
    {
        bytes += pair.bytes;
    }
    const uint64_t sent = m_posted - bytes;
    const bool stuck = m_chosen && sent == m_sent;
    m_sent = sent;
    const auto circuits = stuck ? std::vector<WdmCircuit>() : m_strategy->Allocate(demand);
    m_chosen = !circuits.empty();
    if (!m_chosen)
    {
        NS_LOG_LOGIC(bytes << " bytes wait" << (stuck ? " for ever" : "") << ": circuits stay");
        m_asleep = true;
        return;
    }
    NS_LOG_LOGIC(circuits.size() << " circuits for " << bytes << " bytes");
    m_choiceTrace(bytes, circuits);
    m_fabric->Retune(circuits,
                     [self = Ptr<SipController>(this)](const auto&) { self->BeginEpoch(); });
}

void
SipController::BeginEpoch()
{
    if (m_fabric)
    {
        m_epochStart = Simulator::Now();
        ScheduleNext();
    }
}

} // namespace photonic
} // namespace ns3
