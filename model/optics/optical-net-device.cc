/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optical-net-device.h"

#include "ns3/boolean.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/enum.h"
#include "ns3/ethernet-header.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <array>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpticalNetDevice");
NS_OBJECT_ENSURE_REGISTERED(OpticalNetDevice);

namespace
{

constexpr uint32_t ETHERNET_BYTES = 14;
constexpr uint64_t BROADCAST = 0xffffffffffff;

constexpr uint16_t MIN_MTU = 68; ///< the least that IPv4 works with
constexpr uint16_t MAX_MTU = 9216;

const char* const NO_LIGHT = "no light";

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
                          MakeMac48AddressAccessor(&OpticalNetDevice::m_address),
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
                          MakeEnumAccessor(&OpticalNetDevice::m_darkPolicy),
                          MakeEnumChecker(WAIT, "wait", DROP, "drop"))
            .AddAttribute("Arp",
                          "Whether IP resolves addresses; a circuit has one peer and needs not.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&OpticalNetDevice::m_arp),
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
                            "ns3::photonic::OpticalCircuitSwitch::DropTracedCallback");
    return tid;
}

OpticalNetDevice::OpticalNetDevice()
{
    NS_LOG_FUNCTION(this);
    m_queue = CreateObject<DropTailQueue<Packet>>();
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
    m_source = nullptr;
    m_path = nullptr;
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
    if (m_queue->IsEmpty())
    {
        m_readyAt = Simulator::Now();
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
    return HasBacklog() || m_line.GetFree() > ExactTime(Simulator::Now());
}

bool
OpticalNetDevice::CanTransmit() const
{
    return static_cast<bool>(m_path);
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

bool
OpticalNetDevice::SendFrame(Ptr<Packet> packet,
                            Mac48Address from,
                            Mac48Address to,
                            uint16_t protocol)
{
    NS_LOG_FUNCTION(this << packet << from << to << protocol);
    if (packet->GetSize() > m_mtu)
    {
        m_macTxDropTrace(packet);
        Drop(packet, "larger than the MTU");
        return false;
    }
    EthernetHeader header(false);
    header.SetSource(from);
    header.SetDestination(to);
    header.SetLengthType(protocol);
    if (m_fetching)
    {
        m_fetching = false;
        packet->AddHeader(header);
        m_macTxTrace(packet);
        Transmit(packet, ToInteger(to), m_fetchStart);
        return true;
    }
    Advance();
    if (!m_path && m_darkPolicy == DROP)
    {
        m_macTxDropTrace(packet);
        Drop(packet, NO_LIGHT);
        return false;
    }
    packet->AddHeader(header);
    const bool idle = !HasBacklog();
    if (!m_queue->Enqueue(packet))
    {
        m_macTxDropTrace(packet);
        Drop(packet, "queue full");
        return false;
    }
    m_macTxTrace(packet);
    if (idle)
    {
        m_readyAt = Simulator::Now();
    }
    Advance();
    return true;
}

bool
OpticalNetDevice::HasBacklog() const
{
    return !m_queue->IsEmpty() || (m_source && m_source->HasPacket());
}

ExactTime
OpticalNetDevice::NextStart() const
{
    const ExactTime ready(m_readyAt);
    return ready < m_line.GetFree() ? m_line.GetFree() : ready;
}

void
OpticalNetDevice::Advance()
{
    if (m_advancing)
    {
        return;
    }
    m_advancing = true;
    if (!m_path)
    {
        if (m_darkPolicy == DROP)
        {
            DropBacklog();
        }
    }
    else if (!m_held)
    {
        const ExactTime now(Simulator::Now());
        while (HasBacklog())
        {
            const ExactTime start = NextStart();
            if (start > now)
            {
                break;
            }
            StartNext(start);
        }
        ScheduleAdvance();
        if (HasBacklog())
        {
            m_path->Expect();
        }
    }
    m_advancing = false;
}

void
OpticalNetDevice::ScheduleAdvance()
{
    if (m_advance.IsExpired() && IsEager() && HasBacklog())
    {
        m_advance = Simulator::Schedule(NextStart().ToTime() - Simulator::Now(),
                                        &OpticalNetDevice::Advance,
                                        this);
    }
}

bool
OpticalNetDevice::IsEager() const
{
    return !m_queue->IsEmpty() || !m_macTxTrace.IsEmpty() || !m_phyTxBeginTrace.IsEmpty() ||
           !m_phyTxEndTrace.IsEmpty() || !m_snifferTrace.IsEmpty() ||
           !m_promiscSnifferTrace.IsEmpty();
}

void
OpticalNetDevice::StartNext(const ExactTime& start)
{
    const bool sourceHasPacket = m_source && m_source->HasPacket();
    if (sourceHasPacket && (m_sourceNext || m_queue->IsEmpty()))
    {
        m_sourceNext = false;
        m_fetching = true;
        m_fetchStart = start;
        m_source->SendNext(start);
        m_fetching = false; // whatever Send() thought of the packet
        return;
    }
    m_sourceNext = true;
    Ptr<Packet> packet = m_queue->Dequeue();
    EthernetHeader header(false);
    packet->PeekHeader(header);
    Transmit(packet, ToInteger(header.GetDestination()), start);
}

void
OpticalNetDevice::Transmit(Ptr<Packet> packet, uint64_t destination, const ExactTime& start)
{
    m_phyTxBeginTrace(packet);
    m_snifferTrace(packet);
    m_promiscSnifferTrace(packet);
    Frame frame;
    frame.wireBytes = packet->GetSize() + GetLineOverhead();
    frame.destination = destination;
    frame.start = start;
    frame.end = m_line.Transmit(start, frame.wireBytes);
    if (!m_phyTxEndTrace.IsEmpty())
    {
        // A trace that is connected in mid-run may meet a packet that a lazy transmitter accounts
        // for after its end.
        const Time left = std::max(frame.end.ToTime() - Simulator::Now(), Time(0));
        m_txEnd =
            Simulator::Schedule(left, [this, sent = packet->Copy()] { m_phyTxEndTrace(sent); });
    }
    frame.packet = std::move(packet);
    m_path->Transmit(std::move(frame));
}

void
OpticalNetDevice::SendTrain(Ptr<PacketTrain> train, Mac48Address dest)
{
    if (!m_fetching)
    {
        m_drops[NO_LIGHT] += train->GetPackets(); // the source is being emptied into the dark
        return;
    }
    m_fetching = false;
    Frame frame;
    frame.train = train;
    frame.wireBytes = train->GetBytes();
    frame.destination = ToInteger(dest);
    frame.start = m_fetchStart;
    frame.end = m_line.Transmit(m_fetchStart, frame.wireBytes);
    m_path->Transmit(std::move(frame));
}

void
OpticalNetDevice::DropBacklog()
{
    while (!m_queue->IsEmpty())
    {
        Drop(m_queue->Dequeue(), NO_LIGHT);
    }
    // Packets of the source come through Send(), as they would with light.
    while (m_source && m_source->HasPacket())
    {
        m_source->SendNext(ExactTime(Simulator::Now()));
    }
}

void
OpticalNetDevice::Drop(Ptr<const Packet> packet, const std::string& reason)
{
    m_drops[reason]++;
    m_dropTrace(packet, reason);
}

void
OpticalNetDevice::Arrive(Frame& frame, Time propagation)
{
    NS_LOG_FUNCTION(this << frame.packet);
    if (frame.train)
    {
        if (m_source && frame.destination == ToInteger(m_address))
        {
            m_source->ReceiveTrain(frame, frame.start + propagation);
        }
        else
        {
            m_drops["for another port"] += frame.train->GetPackets();
        }
        return;
    }
    Ptr<Packet> packet = std::move(frame.packet);
    m_phyRxEndTrace(packet);
    if (m_errorModel && m_errorModel->IsCorrupt(packet))
    {
        m_phyRxDropTrace(packet);
        Drop(packet, "corrupted");
        return;
    }
    PacketType type = PACKET_OTHERHOST;
    if (frame.destination == ToInteger(m_address))
    {
        type = PACKET_HOST;
    }
    else if (frame.destination == BROADCAST)
    {
        type = PACKET_BROADCAST;
    }
    else if (frame.destination & GROUP_ADDRESS_BIT)
    {
        type = PACKET_MULTICAST;
    }
    m_promiscSnifferTrace(packet);
    if (type != PACKET_OTHERHOST)
    {
        m_snifferTrace(packet);
    }
    // What EthernetHeader would read, at the cost of a copy: this happens once per packet.
    std::array<uint8_t, ETHERNET_BYTES> header{};
    packet->CopyData(header.data(), ETHERNET_BYTES);
    packet->RemoveAtStart(ETHERNET_BYTES);
    Mac48Address source;
    source.CopyFrom(header.data() + 6);
    const uint16_t protocol = header[12] << 8 | header[13];
    m_macPromiscRxTrace(packet);
    if (!m_promiscReceive.IsNull())
    {
        Mac48Address destination;
        destination.CopyFrom(header.data());
        m_promiscReceive(this, packet->Copy(), protocol, source, destination, type);
    }
    if (type == PACKET_OTHERHOST)
    {
        Drop(packet, "for another port");
        return;
    }
    m_macRxTrace(packet);
    m_receive(this, packet, protocol, source);
}

void
OpticalNetDevice::Lost(const Frame& frame, const char* reason)
{
    if (frame.train)
    {
        m_drops[reason] += frame.train->GetPackets();
        return;
    }
    m_phyTxDropTrace(frame.packet);
    Drop(frame.packet, reason);
}

void
OpticalNetDevice::LightUp(Ptr<LightPath> path)
{
    NS_LOG_FUNCTION(this);
    const bool wasUp = IsLinkUp();
    m_path = path;
    m_held = false;
    m_readyAt = Simulator::Now();
    if (!wasUp)
    {
        m_linkChange();
    }
    Advance();
}

void
OpticalNetDevice::LightDown()
{
    NS_LOG_FUNCTION(this);
    // A packet whose turn comes at this tick has started, traced or not, in whatever order the
    // events of the tick are run.
    Advance();
    m_advance.Cancel();
    m_path = nullptr;
    const ExactTime now(Simulator::Now());
    if (m_line.GetFree() > now)
    {
        m_txEnd.Cancel(); // its last bit never leaves
    }
    m_line.Abandon(now);
    Advance();
    if (!IsLinkUp())
    {
        m_linkChange();
    }
}

ExactTime
OpticalNetDevice::FinishPacket()
{
    Advance(); // as in LightDown()
    m_advance.Cancel();
    m_held = true;
    const ExactTime now(Simulator::Now());
    ExactTime end;
    if (m_path)
    {
        if (const uint64_t cut = m_path->CutTrain(m_line.GetRate(), now, end))
        {
            m_line.Abandon(end);
            m_source->TakeBack(cut);
        }
    }
    return m_line.GetFree() < now ? now : m_line.GetFree();
}

void
OpticalNetDevice::ReceiverLit(bool lit)
{
    const bool wasUp = IsLinkUp();
    m_receiverLit = lit;
    if (IsLinkUp() != wasUp)
    {
        m_linkChange();
    }
}

bool
OpticalNetDevice::GetNextStart(const LightPath& path, ExactTime& start) const
{
    if (PeekPointer(m_path) != &path || m_held || !HasBacklog())
    {
        return false;
    }
    start = NextStart();
    return true;
}

bool
OpticalNetDevice::IsCutThrough() const
{
    return false;
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
    m_address = Mac48Address::ConvertFrom(address);
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
    return m_path || m_receiverLit;
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
