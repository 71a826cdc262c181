/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus-packet-path.h"

#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/partition.h"
#include "ns3/photonic-compat.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/queue-size.h"
#include "ns3/remote-tags.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpusPacketPath");
NS_OBJECT_ENSURE_REGISTERED(OpusPacketPath);

namespace
{

constexpr uint16_t PORT = 4791 + 1;      // next to RoCE's
constexpr uint32_t NETWORK = 0xac100000; // 172.16.0.0
constexpr uint32_t NETWORK_MASK = 0xfff00000;
constexpr uint32_t LINK_MASK = 0xfffffffc;
constexpr uint32_t MAX_LINKS = (~NETWORK_MASK + 1) / 4;
constexpr uint32_t UNBOUNDED = std::numeric_limits<uint32_t>::max();

/// @param node with an Internet stack @return its static routing
Ptr<Ipv4StaticRouting>
RoutingOf(Ptr<Node> node)
{
    auto routing = Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>());
    if (!routing)
    {
        throw std::invalid_argument("node " + std::to_string(node->GetId()) +
                                    " has no IPv4 static routing");
    }
    return routing;
}

} // namespace

TypeId
OpusPacketPath::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::OpusPacketPath")
                            .SetParent<OpusTimedPath>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<OpusPacketPath>();
    return tid;
}

OpusPacketPath::OpusPacketPath()
{
    NS_LOG_FUNCTION(this);
}

OpusPacketPath::~OpusPacketPath()
{
    NS_LOG_FUNCTION(this);
}

void
OpusPacketPath::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_router = nullptr;
    m_controllerNode = nullptr;
    m_controller = Port();
    m_ranks.clear();
    m_devices.clear();
    m_watched.clear();
    m_atRouter.clear();
    m_causes.clear();
    OpusTimedPath::DoDispose();
}

Ptr<Node>
OpusPacketPath::GetRouterNode() const
{
    return m_router;
}

Ptr<Node>
OpusPacketPath::GetControllerNode() const
{
    return m_controllerNode;
}

const std::vector<Ptr<PointToPointNetDevice>>&
OpusPacketPath::GetDevices() const
{
    return m_devices;
}

void
OpusPacketPath::SetSystem(uint32_t systemId)
{
    m_system = systemId;
}

void
OpusPacketPath::Build(const std::map<uint32_t, Ptr<Node>>& nodes)
{
    NS_LOG_FUNCTION(this << nodes.size());
    if (nodes.size() >= MAX_LINKS)
    {
        throw std::invalid_argument("the front-end network has addresses for " +
                                    std::to_string(MAX_LINKS - 1) + " ranks, not for " +
                                    std::to_string(nodes.size()));
    }
    m_router = CreateObject<Node>(m_system);
    m_controllerNode = CreateObject<Node>(m_system);
    // The two links of a path share the delay, to the tick.
    const Time rankDelay = GetControlDelay() / 2;
    m_controller = Connect(m_controllerNode, 0, GetControlDelay() - rankDelay);
    m_controller.socket->SetRecvCallback(
        FunctionCallback([this](Ptr<Socket> s) { Receive(TO_CONTROLLER, s); }));
    uint32_t link = 0;
    for (const auto& rankAndNode : nodes)
    {
        Port port = Connect(rankAndNode.second, ++link, rankDelay);
        port.socket->SetRecvCallback(
            FunctionCallback([this](Ptr<Socket> s) { Receive(TO_RANK, s); }));
        m_ranks[rankAndNode.first] = port;
    }
}

uint32_t
OpusPacketPath::AddInterface(Ptr<Node> node, Ptr<NetDevice> device, Ipv4Address address)
{
    if (!node->GetObject<Ipv4>())
    {
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.Install(node);
    }
    if (std::find(m_watched.begin(), m_watched.end(), node) == m_watched.end())
    {
        m_watched.push_back(node);
        node->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
            "Drop",
            MakeCallback(&OpusPacketPath::Ipv4Dropped, this));
    }
    auto ipv4 = node->GetObject<Ipv4>();
    const uint32_t interface = ipv4->AddInterface(device);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask(LINK_MASK)));
    ipv4->SetUp(interface);
    return interface;
}

OpusPacketPath::Port
OpusPacketPath::Connect(Ptr<Node> node, uint32_t link, Time delay)
{
    const Ipv4Address routerAddress(NETWORK + 4 * link + 1);
    const Ipv4Address address(NETWORK + 4 * link + 2);
    PointToPointHelper links;
    links.SetDeviceAttribute("DataRate", DataRateValue(GetRate()));
    links.SetChannelAttribute("Delay", TimeValue(delay));
    links.SetQueue("ns3::DropTailQueue",
                   "MaxSize",
                   QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, UNBOUNDED)));
    DisableFlowControl(links);
    const auto devices = links.Install(node, m_router);
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        for (const char* trace : {"MacTxDrop", "PhyTxDrop", "PhyRxDrop"})
        {
            devices.Get(i)->TraceConnect(trace,
                                         "a front-end device",
                                         MakeCallback(&OpusPacketPath::Dropped, this));
        }
        m_devices.push_back(DynamicCast<PointToPointNetDevice>(devices.Get(i)));
    }
    const uint32_t interface = AddInterface(node, devices.Get(0), address);
    AddInterface(m_router, devices.Get(1), routerAddress);
    if (node != m_controllerNode)
    {
        devices.Get(1)->SetReceiveCallback(MakeCallback(&OpusPacketPath::ReachRouter, this));
    }
    if (node == m_controllerNode)
    {
        RoutingOf(node)->AddNetworkRouteTo(Ipv4Address(NETWORK),
                                           Ipv4Mask(NETWORK_MASK),
                                           routerAddress,
                                           interface);
    }
    else
    {
        RoutingOf(node)->AddHostRouteTo(m_controller.address, routerAddress, interface);
    }

    Port port{Socket::CreateSocket(node, UdpSocketFactory::GetTypeId()),
              address,
              IsDistributed() && node->GetSystemId() != m_system};
    port.socket->SetAttribute("RcvBufSize", UintegerValue(UNBOUNDED));
    port.socket->TraceConnect("Drop",
                              "a socket buffer",
                              MakeCallback(&OpusPacketPath::Dropped, this));
    if (port.socket->Bind(InetSocketAddress(address, PORT)) != 0)
    {
        throw std::runtime_error("cannot bind a control socket at node " +
                                 std::to_string(node->GetId()));
    }
    return port;
}

void
OpusPacketPath::DoSend(const OpusMessage& message, Direction direction, const Cause& cause)
{
    const uint64_t id = ++m_lastId;
    auto rank = m_ranks.find(message.rank);
    if (rank == m_ranks.end())
    {
        Fail("rank " + std::to_string(message.rank) + " is not on the front-end network");
        return;
    }
    const Port& from = direction == TO_CONTROLLER ? rank->second : m_controller;
    const Port& to = direction == TO_CONTROLLER ? m_controller : rank->second;
    auto packet = Create<Packet>();
    packet->AddHeader(OpusHeader(id, message));
    if (direction == TO_RANK)
    {
        const Time now = Simulator::Now();
        if (m_downlinkFree <= now)
        {
            m_downlinkFree = now;
            m_downlinkCause = cause;
        }
        m_downlinkFree += GetTxTime(packet->GetSize());
    }
    const Cause& why = direction == TO_RANK ? m_downlinkCause : cause;
    if (rank->second.far)
    {
        packet->AddPacketTag(CauseTag(why));
        // With a packet, the null message simulator promises not to send before the next event in
        // its queue: this event may.
        Simulator::ScheduleNow(+[] {});
    }
    else
    {
        m_causes.emplace(id, why);
    }
    if (from.socket->SendTo(packet, 0, InetSocketAddress(to.address, PORT)) < 0)
    {
        Fail(std::string("control message ") + ToString(message.type) + " of rank " +
             std::to_string(message.rank) + " could not be sent");
    }
}

bool
OpusPacketPath::ReachRouter(Ptr<NetDevice> device,
                            Ptr<const Packet> packet,
                            uint16_t protocol,
                            const Address& from)
{
    if (m_atRouter.empty())
    {
        // All that arrives in this tick has its events already: this one comes after them.
        Simulator::ScheduleNow(&OpusPacketPath::Forward, this);
    }
    m_atRouter.push_back({device, packet, protocol, from});
    return true;
}

void
OpusPacketPath::Forward()
{
    std::vector<Arrival> arrivals;
    arrivals.swap(m_atRouter);
    std::stable_sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) {
        return a.device->GetIfIndex() < b.device->GetIfIndex();
    });
    auto ipv4 = m_router->GetObject<Ipv4L3Protocol>();
    for (const auto& arrival : arrivals)
    {
        ipv4->Receive(arrival.device,
                      arrival.packet,
                      arrival.protocol,
                      arrival.from,
                      arrival.device->GetAddress(),
                      NetDevice::PACKET_HOST);
    }
}

void
OpusPacketPath::Receive(Direction direction, Ptr<Socket> socket)
{
    while (auto packet = socket->Recv())
    {
        const Time onLine = GetTxTime(packet->GetSize());
        OpusHeader header;
        packet->RemoveHeader(header);
        Cause why;
        if (!header.IsValid() || packet->GetSize() != 0 || !TakeCause(header, *packet, why))
        {
            Fail("a control message arrived that cannot be decoded");
            return;
        }
        if (direction == TO_CONTROLLER)
        {
            if (Simulator::Now() - m_lastArrival > onLine)
            {
                m_uplinkCause = why;
            }
            m_lastArrival = Simulator::Now();
            why = m_uplinkCause;
        }
        Deliver(header.GetMessage(), direction, why);
    }
}

bool
OpusPacketPath::TakeCause(const OpusHeader& header, const Packet& packet, Cause& cause)
{
    CauseTag tag;
    if (packet.PeekPacketTag(tag))
    {
        cause = tag.GetCause();
        return true;
    }
    auto it = m_causes.find(header.GetId());
    if (it == m_causes.end())
    {
        return false;
    }
    cause = it->second;
    m_causes.erase(it);
    return true;
}

void
OpusPacketPath::Dropped(std::string where, Ptr<const Packet> /* packet */)
{
    Lose("a control message was lost in " + where);
}

void
OpusPacketPath::Ipv4Dropped(const Ipv4Header& header,
                            Ptr<const Packet> /* packet */,
                            Ipv4L3Protocol::DropReason reason,
                            Ptr<Ipv4> /* ipv4 */,
                            uint32_t /* interface */)
{
    // A rank's node may also carry traffic that is none of ours.
    if ((header.GetDestination().Get() & NETWORK_MASK) == NETWORK)
    {
        Lose("a control message was lost in IPv4 (drop reason " + std::to_string(reason) + ")");
    }
}

} // namespace photonic
} // namespace ns3
