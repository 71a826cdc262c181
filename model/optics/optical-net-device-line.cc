/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * The transmitter and the receiver of OpticalNetDevice. What ns-3 sees of the device is in
 * optical-net-device.cc.
 */
#include "optical-net-device.h"
#include "transmit-queue.h"

#include "ns3/ethernet-header.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpticalNetDeviceLine");

namespace
{

constexpr uint64_t BROADCAST = 0xffffffffffff;
constexpr double LONGEST_BRING_UP = 1e6; ///< seconds; more would be no link

const char* const NO_LIGHT = "no light";
const char* const PORT_FAILED = "NIC port failed";

} // namespace

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
    // What is paced is not in the way.
    const bool idle =
        !HasQueued() && !(IsFetchable() && m_source->GetEarliest() <= ExactTime(Simulator::Now()));
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
OpticalNetDevice::HasQueued() const
{
    const bool queued = !m_queue->IsEmpty();
    if (!queued || !m_pause || m_pause->GetPaused() == 0)
    {
        return queued;
    }
    const auto head = m_queue->Peek();
    return head && !IsPaused(TrafficLabel::Of(*head).priority);
}

bool
OpticalNetDevice::IsFetchable() const
{
    return m_source && m_source->HasPacket() && (!m_pause || !IsPaused(m_source->GetPriority()));
}

bool
OpticalNetDevice::HasBacklog() const
{
    return IsFetchable() || HasQueued();
}

ExactTime
OpticalNetDevice::NextStart(bool queued, bool& fetchable) const
{
    const ExactTime ready(m_readyAt);
    const ExactTime start = ready < m_line.GetFree() ? m_line.GetFree() : ready;
    if (fetchable)
    {
        const ExactTime earliest = m_source->GetEarliest();
        if (earliest > start)
        {
            if (!queued)
            {
                return earliest;
            }
            fetchable = false; // stock traffic passes it
        }
    }
    return start;
}

void
OpticalNetDevice::Advance()
{
    const bool mayWait = m_path && m_source && m_source->CanOvertake() && m_path->HidesThisTick();
    AdvanceTo(ExactTime(Simulator::Now()), !mayWait);
}

void
OpticalNetDevice::AdvanceWithinTick()
{
    AdvanceTo(ExactTime(Simulator::Now()), true);
}

void
OpticalNetDevice::AdvanceTo(const ExactTime& now, bool tickIsOver)
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
        bool queued = HasQueued();
        bool fetchable = IsFetchable();
        while (queued || fetchable)
        {
            const ExactTime start = NextStart(queued, fetchable);
            if (start > now || (start == now && !queued && !tickIsOver))
            {
                ScheduleAdvance(start, queued);
                m_path->Expect();
                break;
            }
            StartNext(start, queued, fetchable);
            queued = HasQueued();
            fetchable = IsFetchable();
        }
    }
    m_advancing = false;
}

void
OpticalNetDevice::ScheduleAdvance(const ExactTime& start, bool queued)
{
    if (!queued && !IsTransmissionSeen())
    {
        return;
    }
    const Time at = start.ToTime();
    if (m_advance.IsExpired() || at < TimeStep(m_advance.GetTs()))
    {
        m_advance.Cancel();
        m_advance =
            Simulator::Schedule(at - Simulator::Now(), &OpticalNetDevice::AdvanceWithinTick, this);
    }
}

bool
OpticalNetDevice::IsTransmissionSeen() const
{
    return !m_macTxTrace.IsEmpty() || !m_phyTxBeginTrace.IsEmpty() || !m_phyTxEndTrace.IsEmpty() ||
           !m_snifferTrace.IsEmpty() || !m_promiscSnifferTrace.IsEmpty();
}

bool
OpticalNetDevice::IsReceptionSeen() const
{
    return !m_receiveIsNode || m_errorModel || !m_promiscReceive.IsNull() ||
           !m_phyRxEndTrace.IsEmpty() || !m_promiscSnifferTrace.IsEmpty() ||
           !m_snifferTrace.IsEmpty() || !m_macPromiscRxTrace.IsEmpty() || !m_macRxTrace.IsEmpty();
}

void
OpticalNetDevice::StartNext(const ExactTime& start, bool queued, bool fetchable)
{
    if (fetchable && (m_sourceNext || !queued))
    {
        m_sourceNext = false;
        m_fetching = true;
        m_fetchStart = start;
        m_source->SendNext(start);
        m_fetching = false; // whatever the device thought of the packet
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
    frame.packet = packet;
    frame.label = TrafficLabel::Of(*packet);
    frame.destination = destination;
    frame.wireBytes = packet->GetSize() + GetLineOverhead();
    PutOnLine(frame, start);
    if (!m_phyTxEndTrace.IsEmpty())
    {
        // A trace that is connected in mid-run may meet a packet that a lazy transmitter accounts
        // for after its end.
        const Time left = std::max(frame.end.ToTime() - Simulator::Now(), Time(0));
        m_txEnd =
            Simulator::Schedule(left, [this, sent = packet->Copy()] { m_phyTxEndTrace(sent); });
    }
}

void
OpticalNetDevice::PutOnLine(Frame& frame, const ExactTime& start)
{
    frame.start = start;
    frame.end = m_line.Transmit(start, frame.wireBytes);
    m_path->Transmit(frame);
}

void
OpticalNetDevice::SendLazy(const Ptr<const PacketMaker>& maker, uint32_t sequence, uint32_t bytes)
{
    // Without m_fetching the source is being emptied into the dark.
    if (!m_fetching || !m_lazyPackets || bytes > m_mtu || IsTransmissionSeen())
    {
        Send(maker->MakePacket(sequence, bytes), maker->GetDestination(), maker->GetProtocol());
        return;
    }
    m_fetching = false;
    Frame frame;
    frame.maker = maker;
    frame.sequence = sequence;
    frame.bytes = bytes;
    frame.label = maker->GetLabel();
    frame.destination = maker->GetDestinationNumber();
    frame.wireBytes = bytes + GetFrameOverhead();
    PutOnLine(frame, m_fetchStart);
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
    PutOnLine(frame, m_fetchStart);
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
    if (m_failed)
    {
        Lost(frame, PORT_FAILED);
        return;
    }
    const bool toThis = frame.destination == m_addressNumber;
    if (frame.train)
    {
        if (m_source && toThis)
        {
            m_source->ReceiveTrain(frame, frame.start + propagation);
        }
        else
        {
            m_drops["for another port"] += frame.train->GetPackets();
        }
        return;
    }
    if (!frame.packet && toThis && frame.maker->IsFor(m_source) && m_lazyPackets &&
        !IsReceptionSeen())
    {
        m_source->ReceiveLazy(frame);
        return;
    }
    Ptr<Packet> packet = frame.GetPacket();
    m_phyRxEndTrace(packet);
    if (m_errorModel && m_errorModel->IsCorrupt(packet))
    {
        m_phyRxDropTrace(packet);
        Drop(packet, "corrupted");
        return;
    }
    PacketType type = PACKET_OTHERHOST;
    if (toThis)
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
    if (frame.destination == PauseHeader::DESTINATION && protocol == PauseHeader::PROTOCOL)
    {
        ReceivePause(*packet);
        return;
    }
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
OpticalNetDevice::ReceivePause(const Packet& packet)
{
    PauseHeader header;
    packet.PeekHeader(header);
    if (!header.IsPause())
    {
        return; // another kind of MAC control
    }
    if (!m_pause)
    {
        m_pause = std::make_unique<PauseGate>([this] { Advance(); }, [this] { ApplyPause(); });
    }
    m_pause->Receive(header, m_line.GetRate());
    for (uint8_t priority = 0; priority < PRIORITIES; priority++)
    {
        if (header.IsMeant(priority))
        {
            m_pauseTrace(priority, header.GetTime(priority));
        }
    }
}

void
OpticalNetDevice::ApplyPause()
{
    if (auto queue = DynamicCast<TransmitQueue>(m_queue))
    {
        queue->SetPaused(m_pause ? m_pause->GetPaused() : 0);
    }
    m_readyAt = Simulator::Now(); // what could start before has
    Advance();
}

void
OpticalNetDevice::Lost(Frame& frame, const char* reason)
{
    if (frame.train)
    {
        m_drops[reason] += frame.train->GetPackets();
        return;
    }
    if (!frame.packet && m_phyTxDropTrace.IsEmpty() && m_dropTrace.IsEmpty())
    {
        m_drops[reason]++;
        return;
    }
    m_phyTxDropTrace(frame.GetPacket());
    Drop(frame.GetPacket(), reason);
}

void
OpticalNetDevice::LightUp(Ptr<LightPath> path)
{
    NS_LOG_FUNCTION(this);
    if (!m_failed)
    {
        TakeLight(std::move(path), false, IsLinkUp());
    }
}

void
OpticalNetDevice::BringUp(Ptr<LightPath> path)
{
    NS_LOG_FUNCTION(this);
    if (m_failed || (m_comingPath && m_comingPath == path))
    {
        m_held = false; // it may go on after all
        return;
    }
    if (!m_bringUpTime || m_path == path)
    {
        LightUp(path);
        return;
    }
    const bool wasUp = IsLinkUp(); // a simplex circuit to this port
    m_comingPath = path;
    m_held = false;
    m_comingSince = Simulator::Now();
    const Time duration = Seconds(std::clamp(m_bringUpTime->GetValue(), 0.0, LONGEST_BRING_UP));
    m_bringUp = Simulator::Schedule(duration, &OpticalNetDevice::EndBringUp, this);
    if (wasUp)
    {
        m_linkChange();
    }
}

void
OpticalNetDevice::EndBringUp()
{
    const auto path = m_comingPath;
    m_comingPath = nullptr;
    m_bringUpTrace(m_comingSince, Simulator::Now() - m_comingSince);
    TakeLight(path, m_held, false);
}

void
OpticalNetDevice::TakeLight(Ptr<LightPath> path, bool held, bool wasUp)
{
    m_path = path;
    m_held = held;
    m_readyAt = Simulator::Now();
    if (m_sourceBlocked && !held)
    {
        m_sourceBlocked = false;
        if (m_source)
        {
            m_source->LightCame(Simulator::Now() - m_blockedAt);
        }
    }
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
    const bool wasUp = IsLinkUp();
    if (m_comingPath)
    {
        m_bringUp.Cancel();
        m_comingPath = nullptr;
        m_receiverLit = false; // nobody was told that the link is up
    }
    // A packet whose turn comes at this tick has started, traced or not, in whatever order the
    // events of the tick are run.
    AdvanceWithinTick();
    m_advance.Cancel();
    m_path = nullptr;
    const ExactTime now(Simulator::Now());
    if (m_line.GetFree() > now)
    {
        m_txEnd.Cancel(); // its last bit never leaves
    }
    m_line.Abandon(now);
    BlockSource(Simulator::Now());
    if (m_pause)
    {
        m_pause = nullptr; // the next peer has paused nothing
        ApplyPause();
    }
    Advance();
    if (wasUp && !IsLinkUp())
    {
        m_linkChange();
    }
}

void
OpticalNetDevice::SetFailed(bool failed)
{
    NS_LOG_FUNCTION(this << failed);
    if (failed == m_failed)
    {
        return;
    }
    m_failedTrace(failed);
    if (failed)
    {
        LightDown();
    }
    const bool wasUp = IsLinkUp();
    m_failed = failed;
    if (m_fibre)
    {
        m_fibre->SetEndFailed(*this, failed);
    }
    if (IsLinkUp() != wasUp)
    {
        m_linkChange();
    }
}

bool
OpticalNetDevice::IsFailed() const
{
    return m_failed;
}

ExactTime
OpticalNetDevice::FinishPacket()
{
    AdvanceWithinTick(); // as in LightDown()
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
    const ExactTime finished = m_line.GetFree() < now ? now : m_line.GetFree();
    BlockSource(finished.ToTime());
    return finished;
}

void
OpticalNetDevice::BlockSource(Time at)
{
    if (!m_sourceBlocked && m_source && m_source->HasPacket())
    {
        m_sourceBlocked = true;
        m_blockedAt = at;
    }
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
    bool fetchable = IsFetchable();
    start = NextStart(HasQueued(), fetchable);
    return true;
}

bool
OpticalNetDevice::IsCutThrough() const
{
    return false;
}

} // namespace photonic
} // namespace ns3
