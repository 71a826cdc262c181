/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "packet-port.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/partition.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("PacketPort");

PacketPort::PacketPort(MessageEndpoint& endpoint, Ptr<OpticalNetDevice> device, uint32_t address)
    : RocePort(endpoint, device, address)
{
}

void
PacketPort::SetAcknowledgements(bool on)
{
    CheckModes(on, m_anyOrder);
    m_acknowledges = on;
}

void
PacketPort::SetAnyOrder(bool on)
{
    CheckModes(m_acknowledges, on);
    m_anyOrder = on;
}

void
PacketPort::CheckModes(bool acknowledges, bool anyOrder) const
{
    if (acknowledges && anyOrder)
    {
        throw std::logic_error("a port of rank " + std::to_string(m_endpoint.GetRank()) +
                               " takes packets in any order and acknowledges messages: it can do "
                               "only one of the two");
    }
}

void
PacketPort::SetTraffic(uint8_t priority, Ecn ecn)
{
    SetPriority(priority);
    m_ecn = ecn;
}

void
PacketPort::Post(Ptr<Message> message)
{
    NS_LOG_FUNCTION(this << message->destination << message->bytes);
    Outgoing& connection = GetConnection(*message);
    message->acknowledged = m_acknowledges;
    if (JoinBusyPeriod(message->cause))
    {
        m_lastServed = nullptr;
    }
    const bool hadPacket = HasPacket();
    connection.undelivered.push_back(message);
    Flow& flow = m_flows[{message->key.communicator, message->source}];
    flow.entries.push_back({message, &connection});
    if (flow.entries.size() == 1)
    {
        // Whoever has just sent a packet stands behind a newcomer: that is what alternating means.
        const bool behind = !m_active.empty() && m_active.back() == m_lastServed;
        m_active.insert(behind ? std::prev(m_active.end()) : m_active.end(), &flow);
    }
    if (!hadPacket)
    {
        m_device->NotifySource();
    }
}

void
PacketPort::LightCame(Time waited)
{
    m_busyCause = m_busyCause.AfterStall(waited);
    for (const auto* flow : m_active)
    {
        for (const auto& entry : flow->entries)
        {
            entry.message->cause = m_busyCause; // as of all of a busy period
        }
    }
}

uint64_t
PacketPort::GetBacklog()
{
    m_device->Advance(); // what has started is gone
    uint64_t bytes = 0;
    for (const auto* flow : m_active)
    {
        for (const auto& entry : flow->entries)
        {
            bytes += entry.message->bytes;
        }
        bytes -= flow->sent;
    }
    return bytes;
}

PacketPort::Outgoing&
PacketPort::GetConnection(const Message& message)
{
    auto& connection = m_outgoing
        [{message.key.communicator, message.source, message.destination, message.remotePort}];
    if (!connection)
    {
        auto& port = m_endpoint.GetDirectory().Get(message.destination).GetPort(message.remotePort);
        auto peer = dynamic_cast<PacketPort*>(&port);
        if (!peer)
        {
            throw std::logic_error("port " + std::to_string(message.remotePort) + " of rank " +
                                   std::to_string(message.destination) +
                                   " does not receive packets");
        }
        connection = std::make_unique<Outgoing>();
        connection->number = m_outgoingByNumber.size();
        m_outgoingByNumber.push_back(connection.get());
        connection->peer = peer;
        connection->peerAddress = Mac48Address::ConvertFrom(peer->m_device->GetAddress());
        connection->header.SetAddresses(m_address, peer->m_address);
        connection->remote = IsRemote(peer->m_device->GetNode());
        CheckPeer(*connection, message);
        const uint32_t number = connection->remote ? REMOTE | connection->number
                                                   : peer->OpenIncoming({connection.get(),
                                                                         this,
                                                                         connection->number,
                                                                         message.source,
                                                                         message.key.communicator});
        connection->header.SetTraffic(m_priority, m_ecn);
        connection->header.SetConnection(number);
        connection->header.SetEntropy(number);
    }
    return *connection;
}

void
PacketPort::CheckPeer(const Outgoing& connection, const Message& message) const
{
    if (m_anyOrder == connection.peer->m_anyOrder && !(m_anyOrder && connection.remote))
    {
        return;
    }
    const std::string reason = connection.remote
                                   ? "are in different processes, where packets keep their order"
                                   : "have ports that differ in it";
    throw std::logic_error("packets in any order: rank " + std::to_string(message.source) +
                           " and rank " + std::to_string(message.destination) + " " + reason);
}

uint32_t
PacketPort::OpenIncoming(const Incoming& connection)
{
    m_incoming.push_back(connection);
    return m_incoming.size() - 1;
}

bool
PacketPort::HasPacket() const
{
    return !m_active.empty() || !m_acknowledgements.empty();
}

bool
PacketPort::CanOvertake() const
{
    return m_acknowledges; // acknowledgements go first
}

void
PacketPort::SendNext(const ExactTime& start)
{
    if (!m_acknowledgements.empty())
    {
        const auto [packet, sequence] = m_acknowledgements.front();
        m_acknowledgements.pop_front();
        m_device->SendLazy(packet, sequence, RocePackets::ACK_BYTES);
        return;
    }
    Flow& flow = *m_active.front();
    auto& [message, connection] = flow.entries.front();
    if (flow.sent == 0)
    {
        message->firstBit = start.ToTime();
        connection->header.SetMessage(*message);
        flow.packets = MakePackets(*connection->peer, connection->peerAddress, connection->header);
        if (connection->remote)
        {
            flow.packets = MakeRemote(*flow.packets, message, *connection);
        }
    }
    const auto packets = flow.packets;
    uint32_t sequence = connection->packetSequence;
    const uint32_t payload = std::min<uint64_t>(message->bytes - flow.sent, m_maxPayload);
    connection->packetSequence = RocePackets::Advance24(sequence, 1);
    flow.sent += payload;
    Outgoing& sender = *connection;
    Ptr<Message> sent; // whole, to a peer that cannot tell
    if (flow.sent == message->bytes)
    {
        sequence |= message->acknowledged ? RocePackets::ASK : 0;
        if (sender.remote && !message->acknowledged)
        {
            sent = message;
        }
        flow.sent = 0;
        flow.packets = nullptr;
        flow.entries.pop_front();
    }
    m_lastServed = &flow;
    if (flow.entries.empty())
    {
        m_active.pop_front();
    }
    else if (m_active.size() > 1)
    {
        m_active.pop_front();
        m_active.push_back(&flow);
    }
    m_device->SendLazy(packets, sequence, payload + RocePackets::OVERHEAD);
    if (sent && m_device->CanTransmit())
    {
        DeliverRemotely(sent, sender);
    }
}

void
PacketPort::ReceivePacket(const RoceHeader& header, const Packet& packet)
{
    RoceHeading heading(header);
    if (heading.kind != RoceHeading::DATA)
    {
        ReceiveRemoteArrival(heading, packet);
    }
    else if ((heading.connection & REMOTE) && !ReceiveRemote(heading, header, packet))
    {
        m_outOfSequence++; // the packet that opens the connection was lost
        return;
    }
    Accept(heading,
           header.GetPacketSequence(),
           header.GetPayload(),
           packet.GetSize() + OpticalNetDevice::GetFrameOverhead());
}

std::deque<Ptr<Message>>::iterator
PacketPort::FindMessage(Outgoing& sender, const RoceHeading& heading)
{
    return std::find_if(sender.undelivered.begin(),
                        sender.undelivered.end(),
                        [&heading](const auto& candidate) {
                            return candidate->key.sequence == heading.operation &&
                                   candidate->key.step == heading.step;
                        });
}

Ptr<Message>
PacketPort::TakeMessage(Incoming& connection, const RoceHeading& heading)
{
    Ptr<Message> message;
    if (connection.sender)
    {
        const auto found = FindMessage(*connection.sender, heading);
        message = *found;
        connection.sender->undelivered.erase(found);
        return message;
    }
    message = Create<Message>();
    message->key = {connection.communicator, heading.operation, heading.step};
    message->source = connection.from;
    message->destination = m_endpoint.GetRank();
    message->bytes = heading.bytes;
    message->cause = connection.cause;
    message->acknowledged = connection.asked;
    return message;
}

PacketPort::Partial&
PacketPort::FindPartial(Incoming& connection, const RoceHeading& heading)
{
    auto& partial = connection.partial;
    const auto found = std::find_if(partial.begin(), partial.end(), [&heading](const Partial& p) {
        return p.operation == heading.operation && p.step == heading.step;
    });
    return found != partial.end()
               ? *found
               : partial.emplace_back(Partial{heading.operation, heading.step, 0, Time()});
}

void
PacketPort::ReceiveLazy(const Frame& frame)
{
    const auto& packets = static_cast<const RocePackets&>(*frame.maker);
    Accept(packets.GetHeading(),
           frame.sequence & 0xffffff,
           frame.bytes - RocePackets::OVERHEAD,
           frame.wireBytes);
}

void
PacketPort::Accept(const RoceHeading& heading,
                   uint32_t sequence,
                   uint32_t payload,
                   uint64_t wireBytes)
{
    if (heading.kind != RoceHeading::DATA)
    {
        Complete(heading);
        return;
    }
    if (heading.connection >= m_incoming.size())
    {
        FailConnection(heading.connection);
        return;
    }
    Incoming* connection = &m_incoming[heading.connection];
    if (!m_anyOrder && (connection->broken || sequence != connection->packetSequence))
    {
        connection->broken = true; // for good: the numbers come round after 2^24 packets
        m_outOfSequence++;
        return;
    }
    connection->packetSequence = RocePackets::Advance24(sequence, 1);
    m_packetsReceived++;
    Partial& part = m_anyOrder ? FindPartial(*connection, heading) : connection->present;
    if (part.received == 0)
    {
        // Circuits may have another rate each way.
        const LineRate& rate = connection->peer->m_device->GetLineRate();
        part.firstBit = Simulator::Now() - rate.Serialise(wireBytes).ToTime();
        // What goes on from here is for nobody here.
        if (!connection->sender || !(*FindMessage(*connection->sender, heading))->relayed)
        {
            m_endpoint.Announce(connection->from,
                                {connection->communicator, heading.operation, heading.step},
                                heading.bytes);
        }
    }
    part.received += payload;
    if (part.received == heading.bytes)
    {
        const Time firstBit = part.firstBit;
        part.received = 0;
        if (m_anyOrder)
        {
            std::swap(part, connection->partial.back());
            connection->partial.pop_back();
        }
        auto message = TakeMessage(*connection, heading);
        connection->arrived = RocePackets::Advance24(connection->arrived, 1);
        if (message->acknowledged)
        {
            Acknowledge(*connection, message, sequence);
        }
        m_endpoint.Deliver(message, firstBit);
    }
}

void
PacketPort::Acknowledge(Incoming& connection, Ptr<Message> message, uint32_t sequence)
{
    Cause cause = message->cause;
    if (JoinBusyPeriod(cause))
    {
        m_lastServed = nullptr;
    }
    const bool hadPacket = HasPacket();
    if (connection.sender)
    {
        connection.sender->arrived.push_back({message, cause});
    }
    RoceHeader header;
    header.SetAcknowledgement(connection.arrived);
    header.SetAddresses(m_address, connection.peer->m_address);
    header.SetTraffic(m_priority, Ecn::NOT_ECT);
    header.SetConnection(connection.number);
    header.SetEntropy(connection.number);
    const auto destination = Mac48Address::ConvertFrom(connection.peer->m_device->GetAddress());
    auto packets = MakePackets(*connection.peer, destination, header);
    if (!connection.sender)
    {
        packets = MakeRemote(*packets, cause);
    }
    m_acknowledgements.push_back({packets, sequence});
    if (!hadPacket)
    {
        m_device->NotifySource();
    }
}

void
PacketPort::Complete(const RoceHeading& heading)
{
    if (heading.connection >= m_outgoingByNumber.size())
    {
        FailConnection(heading.connection);
        return;
    }
    Outgoing& connection = *m_outgoingByNumber[heading.connection];
    // One acknowledgement stands for all before it, should they have been lost.
    while (connection.acknowledged != heading.acknowledged && !connection.arrived.empty())
    {
        const auto [message, cause] = connection.arrived.front();
        connection.arrived.pop_front();
        connection.acknowledged = RocePackets::Advance24(connection.acknowledged, 1);
        message->cause = cause;
        if (message->delivered)
        {
            message->delivered(*message);
        }
    }
}

} // namespace photonic
} // namespace ns3
