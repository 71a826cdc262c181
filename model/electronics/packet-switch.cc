/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "packet-switch.h"

#include "fifo-port.h"

#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/photonic-compat.h"
#include "ns3/uinteger.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("PacketSwitch");
NS_OBJECT_ENSURE_REGISTERED(PacketSwitch);

TypeId
PacketSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::PacketSwitch")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<PacketSwitch>()
            .AddAttribute("LoadBalancing",
                          "Which of several equally good ports a packet takes.",
                          EnumValue(FLOW_HASH),
                          EnumAccessor(&PacketSwitch::m_balancing),
                          MakeEnumChecker(FLOW_HASH,
                                          "flow-hash",
                                          ROUND_ROBIN,
                                          "round-robin",
                                          RANDOM,
                                          "random"))
            .AddAttribute("EcmpSeed",
                          "Of the flow hash. Switches with equal seeds choose alike, and leave "
                          "paths of a fabric empty.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&PacketSwitch::m_seed),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Enqueue",
                            "The first bit of a packet arrived for an output.",
                            MakeTraceSourceAccessor(&PacketSwitch::m_enqueueTrace),
                            "ns3::photonic::PacketSwitch::EnqueueTracedCallback")
            .AddTraceSource("Drop",
                            "A packet was dropped, with the reason.",
                            MakeTraceSourceAccessor(&PacketSwitch::m_dropTrace),
                            "ns3::photonic::OpticalCircuitSwitch::DropTracedCallback");
    return tid;
}

PacketSwitch::PacketSwitch()
    : m_random(CreateObject<UniformRandomVariable>())
{
    NS_LOG_FUNCTION(this);
}

PacketSwitch::~PacketSwitch()
{
    NS_LOG_FUNCTION(this);
}

void
PacketSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_ports.clear();
    m_forwarding.Clear();
    m_random = nullptr;
    Object::DoDispose();
}

uint32_t
PacketSwitch::Attach(Ptr<OpticalChannel> fibre, DataRate rate)
{
    NS_LOG_FUNCTION(this << fibre << rate);
    const uint32_t number = m_ports.size();
    auto port = MakePort(number, rate);
    fibre->Attach(*port, this);
    m_ports.push_back(std::move(port));
    m_flooding.push_back(false);
    m_turns.push_back(0);
    PortAdded(number, fibre->GetDelay());
    return number;
}

std::unique_ptr<SwitchPort>
PacketSwitch::MakePort(uint32_t number, DataRate rate)
{
    return std::make_unique<FifoPort>(*this, number, rate);
}

void
PacketSwitch::PortAdded(uint32_t, Time)
{
}

void
PacketSwitch::CheckPort(uint32_t port) const
{
    if (port >= m_ports.size())
    {
        throw std::invalid_argument("port " + std::to_string(port) +
                                    " is out of range: the packet switch has " +
                                    std::to_string(m_ports.size()) + " ports");
    }
}

void
PacketSwitch::SetForwarding(Mac48Address address, uint32_t port)
{
    CheckPort(port);
    m_forwarding.AddAddress(ToInteger(address), port);
}

void
PacketSwitch::SetForwarding(uint32_t first, uint32_t last, const std::vector<uint32_t>& ports)
{
    for (uint32_t port : ports)
    {
        CheckPort(port);
    }
    m_forwarding.AddHosts(first, last, ports);
}

const ForwardingTable&
PacketSwitch::GetForwardingTable() const
{
    return m_forwarding;
}

void
PacketSwitch::ClearForwarding()
{
    m_forwarding.Clear();
}

void
PacketSwitch::SetFlooding(uint32_t port)
{
    CheckPort(port);
    m_flooding[port] = true;
}

void
PacketSwitch::SetBlocked(uint32_t port, bool blocked)
{
    m_ports.at(port)->SetBlocked(blocked);
}

std::size_t
PacketSwitch::GetQueueLength(uint32_t port) const
{
    return m_ports.at(port)->GetQueueLength();
}

SwitchPort&
PacketSwitch::GetPort(uint32_t port) const
{
    return *m_ports.at(port);
}

std::size_t
PacketSwitch::GetLongestQueue(uint32_t port) const
{
    return m_ports.at(port)->GetLongestQueue();
}

uint32_t
PacketSwitch::GetNPorts() const
{
    return m_ports.size();
}

const SwitchPort*
PacketSwitch::GetPeer(uint32_t port) const
{
    return dynamic_cast<const SwitchPort*>(m_ports.at(port)->GetPeer());
}

Ptr<NetDevice>
PacketSwitch::GetDevice(uint32_t port) const
{
    const auto peer = m_ports.at(port)->GetPeer();
    return peer ? peer->GetDevice() : nullptr;
}

uint64_t
PacketSwitch::GetForwarded() const
{
    return m_forwarded;
}

const std::map<std::string, uint64_t>&
PacketSwitch::GetDrops() const
{
    return m_drops;
}

int64_t
PacketSwitch::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
PacketSwitch::Drop(Frame& frame, const std::string& reason)
{
    m_drops[reason] += frame.train ? frame.train->GetPackets() : 1;
    if (!frame.train && !m_dropTrace.IsEmpty())
    {
        m_dropTrace(frame.GetPacket(), reason);
    }
}

void
PacketSwitch::Forward(Frame& frame, uint32_t ingress)
{
    if (frame.destination & GROUP_ADDRESS_BIT)
    {
        Flood(frame, ingress);
        return;
    }
    const auto ports = m_forwarding.Find(frame.destination);
    if (ports.size == 0)
    {
        Drop(frame, "unknown destination");
        return;
    }
    const uint32_t egress = ports.size == 1 ? *ports.first : Choose(ports, frame.label.flow);
    if (!frame.train && !m_enqueueTrace.IsEmpty())
    {
        m_enqueueTrace(frame.GetPacket(), egress);
    }
    Pass(frame, ingress, egress);
}

void
PacketSwitch::Flood(Frame& frame, uint32_t ingress)
{
    for (uint32_t egress = 0; egress < m_ports.size(); egress++)
    {
        if (egress != ingress && (m_flooding[egress] || GetDevice(egress)))
        {
            Frame copy = frame;
            copy.packet = frame.GetPacket()->Copy();
            m_enqueueTrace(copy.packet, egress);
            Pass(copy, ingress, egress);
        }
    }
}

uint32_t
PacketSwitch::Choose(const ForwardingTable::Ports& ports, uint32_t flow)
{
    switch (m_balancing)
    {
    case ROUND_ROBIN: {
        uint32_t& turn = m_turns[*ports.first];
        turn = (turn + 1) % ports.size;
        return ports.first[turn];
    }
    case RANDOM:
        return ports.first[m_random->GetInteger(0, ports.size - 1)];
    case FLOW_HASH:
        break;
    }
    // The finaliser of SplitMix64, which changes half of the bits for any bit of flow or seed.
    uint64_t hash = (uint64_t(m_seed) << 32 | flow) + 0x9e3779b97f4a7c15;
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111eb;
    hash ^= hash >> 31;
    return ports.first[(hash >> 32) * ports.size >> 32];
}

void
PacketSwitch::Pass(Frame& frame, uint32_t ingress, uint32_t egress)
{
    m_forwarded++;
    m_ports[egress]->Enqueue(frame, ingress);
}

} // namespace photonic
} // namespace ns3
