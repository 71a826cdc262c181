/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "packet-port.h"

#include "remote-tags.h"

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

namespace
{

constexpr uint32_t NONE = 0xffffffff; ///< no sequence number

/// In a connection number: the sender, in another process, has given it.
constexpr uint32_t REMOTE = 1u << 23;

} // namespace

/// The packets of one message to another process: what a receiver is told by a call goes with them.
class PacketPort::RemotePackets : public RocePackets
{
  public:
    /**
     * @param packets of the message
     * @param message to be sent
     * @param first sequence number of the packet that opens the connection, if one does
     * @param last sequence number of the last packet
     */
    RemotePackets(const RocePackets& packets, Ptr<Message> message, uint32_t first, uint32_t last)
        : RocePackets(packets),
          m_message(message),
          m_first(first),
          m_last(last)
    {
    }

    Ptr<Packet> MakePacket(uint32_t sequence, uint32_t bytes) const override
    {
        auto packet = RocePackets::MakePacket(sequence, bytes);
        if ((sequence & 0xffffff) == m_first)
        {
            packet->AddPacketTag(ConnectionTag(m_message->source, m_message->key.communicator));
        }
        if ((sequence & 0xffffff) == m_last)
        {
            packet->AddPacketTag(CauseTag(m_message->cause));
        }
        return packet;
    }

  private:
    Ptr<Message> m_message;
    uint32_t m_first;
    uint32_t m_last;
};

PacketPort::PacketPort(MessageEndpoint& endpoint, Ptr<OpticalNetDevice> device, uint32_t address)
    : RocePort(endpoint, device, address)
{
}

void
PacketPort::SetAcknowledgements(bool on)
{
    m_acknowledges = on;
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
    Flow& flow = m_flows[message->key.communicator];
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

PacketPort::Outgoing&
PacketPort::GetConnection(const Message& message)
{
    auto& connection =
        m_outgoing[{message.key.communicator, message.destination, message.remotePort}];
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
        const uint32_t number = connection->remote ? REMOTE | connection->number
                                                   : peer->OpenIncoming(connection.get(),
                                                                        this,
                                                                        message.source,
                                                                        message.key.communicator);
        connection->header.SetTraffic(m_priority, m_ecn);
        connection->header.SetConnection(number);
        connection->header.SetEntropy(number);
    }
    return *connection;
}

uint32_t
PacketPort::OpenIncoming(Outgoing* sender, PacketPort* peer, uint32_t from, uint32_t communicator)
{
    m_incoming.push_back({sender, peer, from, communicator});
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
            const uint32_t more = (message->bytes - 1) / m_maxPayload;
            flow.packets =
                Create<RemotePackets>(*flow.packets,
                                      message,
                                      connection->opened ? NONE : connection->packetSequence,
                                      RocePackets::Advance24(connection->packetSequence, more));
            connection->opened = true;
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
        if (sender.remote)
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
PacketPort::DeliverRemotely(Ptr<Message> message, Outgoing& connection)
{
    // On a lossless path this is when the peer has it.
    const Time left = m_device->GetLastArrival().ToTime() - Simulator::Now();
    Simulator::Schedule(left, [message, &connection] {
        connection.undelivered.pop_front();
        message->lastBit = Simulator::Now();
        if (message->delivered)
        {
            message->delivered(*message);
        }
    });
}

void
PacketPort::ReceivePacket(const RoceHeader& header, const Packet& packet)
{
    RoceHeading heading(header);
    if ((heading.connection & REMOTE) && heading.kind == RoceHeading::DATA &&
        !ReceiveRemote(heading, header, packet))
    {
        m_outOfSequence++; // the packet that opens the connection was lost
        return;
    }
    Accept(heading,
           header.GetPacketSequence(),
           header.GetPayload(),
           packet.GetSize() + OpticalNetDevice::GetFrameOverhead());
}

bool
PacketPort::ReceiveRemote(RoceHeading& heading, const RoceHeader& header, const Packet& packet)
{
    const auto key = std::make_pair(header.GetSource(), heading.connection);
    auto known = m_remote.find(key);
    if (known == m_remote.end())
    {
        ConnectionTag tag;
        if (!packet.PeekPacketTag(tag))
        {
            return false;
        }
        const auto number = OpenIncoming(nullptr, nullptr, tag.GetRank(), tag.GetCommunicator());
        known = m_remote.emplace(key, number).first;
    }
    heading.connection = known->second;
    CauseTag tag;
    if (packet.PeekPacketTag(tag))
    {
        m_incoming[heading.connection].cause = tag.GetCause();
    }
    return true;
}

Ptr<Message>
PacketPort::TakeMessage(Incoming& connection, const RoceHeading& heading)
{
    Ptr<Message> message;
    if (connection.sender)
    {
        message = connection.sender->undelivered.front();
        connection.sender->undelivered.pop_front();
        return message;
    }
    message = Create<Message>();
    message->key = {connection.communicator, heading.operation, heading.step};
    message->source = connection.from;
    message->destination = m_endpoint.GetRank();
    message->bytes = heading.bytes;
    message->cause = connection.cause;
    return message;
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
    if (connection->broken || sequence != connection->packetSequence)
    {
        connection->broken = true; // for good: the numbers come round after 2^24 packets
        m_outOfSequence++;
        return;
    }
    connection->packetSequence = RocePackets::Advance24(sequence, 1);
    m_packetsReceived++;
    if (connection->received == 0)
    {
        connection->firstBit = Simulator::Now() - m_rate.Serialise(wireBytes).ToTime();
        m_endpoint.Announce(connection->from,
                            {connection->communicator, heading.operation, heading.step},
                            heading.bytes);
    }
    connection->received += payload;
    if (connection->received == heading.bytes)
    {
        connection->received = 0;
        auto message = TakeMessage(*connection, heading);
        connection->arrived = RocePackets::Advance24(connection->arrived, 1);
        if (message->acknowledged)
        {
            Acknowledge(*connection, message, sequence);
        }
        m_endpoint.Deliver(message, connection->firstBit);
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
    Outgoing& sender = *connection.sender;
    sender.arrived.push_back({message, cause});
    RoceHeader header;
    header.SetAcknowledgement(connection.arrived);
    header.SetAddresses(m_address, connection.peer->m_address);
    header.SetTraffic(m_priority, Ecn::NOT_ECT);
    header.SetConnection(sender.number);
    header.SetEntropy(sender.number);
    const auto destination = Mac48Address::ConvertFrom(connection.peer->m_device->GetAddress());
    m_acknowledgements.push_back({MakePackets(*connection.peer, destination, header), sequence});
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
