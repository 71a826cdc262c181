/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optical-net-device.h"

#include "transmit-queue.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/photonic-compat.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpticalNetDevice");
NS_OBJECT_ENSURE_REGISTERED(OpticalNetDevice);

namespace
{

constexpr uint16_t MIN_MTU = 68; ///< the least that IPv4 works with
constexpr uint16_t MAX_MTU = 9216;

} // namespace

TypeId
OpticalNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::OpticalNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<OpticalNetDevice>()
            .AddAttribute("Address",
                          "The MAC address of this port.",
                          Mac48AddressValue(Mac48Address("ff:ff:ff:ff:ff:ff")),
                          MakeMac48AddressAccessor(&OpticalNetDevice::SetMacAddress,
                                                   &OpticalNetDevice::GetMacAddress),
                          MakeMac48AddressChecker())
            .AddAttribute("DataRate",
                          "The rate of the line, above 0.",
                          DataRateValue(DataRate("200Gbps")),
                          MakeDataRateAccessor(&OpticalNetDevice::SetDataRate,
                                               &OpticalNetDevice::GetDataRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "Mtu",
                "The largest payload of a frame (the IP MTU), in bytes.",
                UintegerValue(4096),
                MakeUintegerAccessor(&OpticalNetDevice::SetMtu, &OpticalNetDevice::GetMtu),
                MakeUintegerChecker<uint16_t>(MIN_MTU, MAX_MTU))
            .AddAttribute("DarkPolicy",
                          "What happens to packets while there is no light.",
                          EnumValue(WAIT),
                          EnumAccessor(&OpticalNetDevice::m_darkPolicy),
                          MakeEnumChecker(WAIT, "wait", DROP, "drop"))
            .AddAttribute("Arp",
                          "Whether IP resolves addresses; a circuit has one peer and needs not.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&OpticalNetDevice::m_arp),
                          MakeBooleanChecker())
            .AddAttribute("LazyPackets",
                          "Whether a packet of a PacketSource is made only if a trace, an error "
                          "model or a receive callback looks at it. Set it to false for protocol "
                          "handlers of the node that want to see such packets.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&OpticalNetDevice::m_lazyPackets),
                          MakeBooleanChecker())
            .AddAttribute("TxQueue",
                          "The transmit queue of stock traffic.",
                          PointerValue(),
                          MakePointerAccessor(&OpticalNetDevice::m_queue),
                          MakePointerChecker<Queue<Packet>>())
            .AddAttribute("ReceiveErrorModel",
                          "Corrupts arriving packets.",
                          PointerValue(),
                          MakePointerAccessor(&OpticalNetDevice::m_errorModel),
                          MakePointerChecker<ErrorModel>())
            .AddAttribute("BringUpTime",
                          "Distribution of the time in seconds from light that comes during the "
                          "simulation to the first packet. Null: none.",
                          PointerValue(),
                          MakePointerAccessor(&OpticalNetDevice::m_bringUpTime),
                          MakePointerChecker<RandomVariableStream>())
            .AddTraceSource("MacTx",
                            "A packet was accepted for transmission.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet was refused by the device before it was queued.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_macTxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "A packet begins to occupy the line.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_phyTxBeginTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxEnd",
                            "The last bit of a packet has left.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_phyTxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxDrop",
                            "A packet was lost between this transmitter and its peer.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_phyTxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "The last bit of a packet has arrived.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_phyRxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "A packet arrived corrupted.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_phyRxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacPromiscRx",
                            "A packet arrived, whomever it was for.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_macPromiscRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A packet for this port arrived.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_macRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource(
                "Sniffer",
                "Packets sent, and those received for this port, with their link header.",
                MakeTraceSourceAccessor(&OpticalNetDevice::m_snifferTrace),
                "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "Packets sent, and all received, with their link header.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_promiscSnifferTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Drop",
                            "A packet was dropped or lost, with the reason.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_dropTrace),
                            "ns3::photonic::OpticalCircuitSwitch::DropTracedCallback")
            .AddTraceSource("Pause",
                            "A pause frame arrived; once for each class that it means.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_pauseTrace),
                            "ns3::photonic::OpticalNetDevice::PauseTracedCallback")
            .AddTraceSource("BringUp",
                            "The link is up after light came during the simulation.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_bringUpTrace),
                            "ns3::photonic::OpticalNetDevice::BringUpTracedCallback")
            .AddTraceSource("Failed",
                            "The port failed, or is repaired.",
                            MakeTraceSourceAccessor(&OpticalNetDevice::m_failedTrace),
                            "ns3::photonic::OpticalNetDevice::FailedTracedCallback");
    return tid;
}

OpticalNetDevice::OpticalNetDevice()
{
    NS_LOG_FUNCTION(this);
    m_queue = CreateObject<TransmitQueue>();
}

OpticalNetDevice::~OpticalNetDevice()
{
    NS_LOG_FUNCTION(this);
}

void
OpticalNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_advance.Cancel();
    m_bringUp.Cancel();
    m_pause = nullptr;
    m_source = nullptr;
    m_path = nullptr;
    m_comingPath = nullptr;
    m_fibre = nullptr;
    m_node = nullptr;
    m_queue = nullptr;
    m_errorModel = nullptr;
    m_receive = ReceiveCallback();
    m_promiscReceive = PromiscReceiveCallback();
    NetDevice::DoDispose();
}

void
OpticalNetDevice::Attach(Ptr<OpticalChannel> fibre)
{
    NS_LOG_FUNCTION(this << fibre);
    if (m_fibre)
    {
        throw std::logic_error("a device was attached to a second fibre");
    }
    fibre->Attach(*this);
    m_fibre = fibre;
}

void
OpticalNetDevice::SetPacketSource(PacketSource* source)
{
    m_source = source;
}

void
OpticalNetDevice::NotifySource()
{
    if (!HasQueued())
    {
        m_readyAt = Simulator::Now();
    }
    if (!m_path || m_held)
    {
        BlockSource(Simulator::Now());
    }
    Advance();
}

Ptr<Queue<Packet>>
OpticalNetDevice::GetQueue() const
{
    return m_queue;
}

void
OpticalNetDevice::SetQueue(Ptr<Queue<Packet>> queue)
{
    m_queue = queue;
}

DataRate
OpticalNetDevice::GetDataRate() const
{
    return m_rate;
}

void
OpticalNetDevice::SetDataRate(DataRate rate)
{
    if (m_path)
    {
        Advance();
    }
    m_line.SetRate(LineRate(rate));
    m_rate = rate;
}

const std::map<std::string, uint64_t>&
OpticalNetDevice::GetDrops() const
{
    return m_drops;
}

bool
OpticalNetDevice::IsBusy()
{
    Advance();
    return !m_queue->IsEmpty() || (m_source && m_source->HasPacket()) ||
           m_line.GetFree() > ExactTime(Simulator::Now());
}

bool
OpticalNetDevice::IsPaused(uint8_t priority) const
{
    return m_pause && (m_pause->GetPaused() >> priority & 1);
}

Time
OpticalNetDevice::GetPausedTime(uint8_t priority) const
{
    return m_pause ? m_pause->GetPausedTime(priority) : Time(0);
}

bool
OpticalNetDevice::CanTransmit() const
{
    return static_cast<bool>(m_path);
}

int64_t
OpticalNetDevice::AssignStreams(int64_t stream)
{
    int64_t used = 0;
    if (m_bringUpTime)
    {
        m_bringUpTime->SetStream(stream);
        used++;
    }
    if (auto rate = DynamicCast<RateErrorModel>(m_errorModel))
    {
        used += rate->AssignStreams(stream + used);
    }
    return used;
}

ExactTime
OpticalNetDevice::GetLastArrival() const
{
    return m_line.GetFree() + m_path->GetPropagation();
}

bool
OpticalNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocol)
{
    return SendFrame(packet, m_address, Mac48Address::ConvertFrom(dest), protocol);
}

bool
OpticalNetDevice::SendFrom(Ptr<Packet> packet,
                           const Address& source,
                           const Address& dest,
                           uint16_t protocol)
{
    return SendFrame(packet,
                     Mac48Address::ConvertFrom(source),
                     Mac48Address::ConvertFrom(dest),
                     protocol);
}

uint64_t
OpticalNetDevice::GetLineBytes()
{
    Advance();
    return m_line.GetBytes();
}

bool
OpticalNetDevice::IsWatched() const
{
    return m_source || HasQueued() || !m_linkChange.IsEmpty();
}

uint32_t
OpticalNetDevice::GetContext() const
{
    return m_node ? m_node->GetId() : Simulator::NO_CONTEXT;
}

Ptr<NetDevice>
OpticalNetDevice::GetDevice() const
{
    return Ptr<NetDevice>(const_cast<OpticalNetDevice*>(this));
}

void
OpticalNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
OpticalNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
OpticalNetDevice::GetChannel() const
{
    return m_fibre;
}

void
OpticalNetDevice::SetAddress(Address address)
{
    SetMacAddress(Mac48Address::ConvertFrom(address));
}

void
OpticalNetDevice::SetMacAddress(Mac48Address address)
{
    m_address = address;
    m_addressNumber = ToInteger(address);
}

Mac48Address
OpticalNetDevice::GetMacAddress() const
{
    return m_address;
}

Address
OpticalNetDevice::GetAddress() const
{
    return m_address;
}

bool
OpticalNetDevice::SetMtu(const uint16_t mtu)
{
    if (mtu < MIN_MTU || mtu > MAX_MTU)
    {
        return false;
    }
    m_mtu = mtu;
    return true;
}

uint16_t
OpticalNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
OpticalNetDevice::IsLinkUp() const
{
    return !m_failed && !m_comingPath && (m_path || m_receiverLit);
}

void
OpticalNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.ConnectWithoutContext(callback);
}

bool
OpticalNetDevice::IsBroadcast() const
{
    return true;
}

Address
OpticalNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
OpticalNetDevice::IsMulticast() const
{
    return true;
}

Address
OpticalNetDevice::GetMulticast(Ipv4Address group) const
{
    return Mac48Address::GetMulticast(group);
}

Address
OpticalNetDevice::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
OpticalNetDevice::IsBridge() const
{
    return false;
}

bool
OpticalNetDevice::IsPointToPoint() const
{
    // One peer at a time, but not always the same: routing must not take it for a fixed link.
    return false;
}

Ptr<Node>
OpticalNetDevice::GetNode() const
{
    return m_node;
}

void
OpticalNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
    m_joiningNode = true; // Node::AddDevice() sets its receive callback next
}

bool
OpticalNetDevice::NeedsArp() const
{
    return m_arp;
}

void
OpticalNetDevice::SetReceiveCallback(ReceiveCallback cb)
{
    m_receive = cb;
    m_receiveIsNode = m_joiningNode;
    m_joiningNode = false;
}

void
OpticalNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_promiscReceive = cb;
}

bool
OpticalNetDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace photonic
} // namespace ns3
