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

/// In a connection number: the sender, in another process, has given it.
constexpr uint32_t REMOTE = 1u << 23;

} // namespace

PacketPort::PacketPort(MessageEndpoint& endpoint, Ptr<OpticalNetDevice> device, uint32_t address)
    : m_endpoint(endpoint),
      m_device(device),
      m_address(address),
      m_maxPayload(RoceHeader::GetMaxPayload(device->GetMtu())),
      m_rate(device->GetDataRate())
{
    device->SetPacketSource(this);
    device->GetNode()->RegisterProtocolHandler(MakeCallback(&PacketPort::Receive, this),
                                               RoceHeader::PROTOCOL,
                                               device);
}

PacketPort::~PacketPort()
{
    m_device->SetPacketSource(nullptr);
}

void
PacketPort::Post(Ptr<Message> message)
{
    NS_LOG_FUNCTION(this << message->destination << message->bytes);
    Outgoing& connection = GetConnection(*message);
    // What follows a packet on the line, or others that wait for it, ends when it does because of
    // whatever made the line busy.
    if (m_device->IsBusy())
    {
        message->cause = m_busyCause;
    }
    else
    {
        m_busyCause = message->cause;
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
        connection->peerAddress = peer->m_device->GetAddress();
        connection->header.SetAddresses(m_address, peer->m_address);
        connection->remote = IsRemote(peer->m_device->GetNode());
        connection->header.SetConnection(
            connection->remote
                ? REMOTE | m_outgoing.size()
                : peer->OpenIncoming(connection.get(), message.source, message.key.communicator));
    }
    return *connection;
}

uint32_t
PacketPort::OpenIncoming(Outgoing* sender, uint32_t from, uint32_t communicator)
{
    m_incoming.push_back({sender, from, communicator, 0, false, 0, Time()});
    return m_incoming.size() - 1;
}

uint32_t
PacketPort::FindRemote(const RoceHeader& header, const Packet& packet)
{
    const auto key = std::make_pair(header.GetSource(), header.GetConnection());
    auto known = m_remote.find(key);
    if (known == m_remote.end())
    {
        ConnectionTag tag;
        if (!packet.PeekPacketTag(tag))
        {
            return REMOTE; // the packet that opens the connection was lost
        }
        const uint32_t number = OpenIncoming(nullptr, tag.GetRank(), tag.GetCommunicator());
        known = m_remote.emplace(key, number).first;
    }
    return known->second;
}

bool
PacketPort::HasPacket() const
{
    return !m_active.empty();
}

void
PacketPort::SendNext(const ExactTime& start)
{
    Flow& flow = *m_active.front();
    auto& [message, connection] = flow.entries.front();
    if (flow.sent == 0)
    {
        message->firstBit = start.ToTime();
        connection->header.SetMessage(*message);
    }
    const uint32_t payload = std::min<uint64_t>(message->bytes - flow.sent, m_maxPayload);
    connection->header.SetPacket(connection->packetSequence, payload);
    connection->packetSequence = (connection->packetSequence + 1) & 0xffffff;
    auto packet = Create<Packet>(payload + RoceHeader::ICRC_BYTES);
    packet->AddHeader(connection->header);
    const Address& peer = connection->peerAddress;
    flow.sent += payload;
    Outgoing& sender = *connection;
    Ptr<Message> sent; // whole, to a peer that cannot tell
    if (sender.remote)
    {
        sent = AddTags(*packet, message, sender, flow.sent == message->bytes);
    }
    if (flow.sent == message->bytes)
    {
        flow.sent = 0;
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
    const bool onLine = m_device->Send(packet, peer, RoceHeader::PROTOCOL);
    if (sent && onLine)
    {
        DeliverRemotely(sent, sender);
    }
}

Ptr<Message>
PacketPort::AddTags(Packet& packet, Ptr<Message> message, Outgoing& connection, bool last)
{
    if (!connection.opened)
    {
        connection.opened = true;
        packet.AddPacketTag(ConnectionTag(message->source, message->key.communicator));
    }
    if (!last)
    {
        return nullptr;
    }
    packet.AddPacketTag(CauseTag(message->cause));
    return message;
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
PacketPort::Receive(Ptr<NetDevice>,
                    Ptr<const Packet> packet,
                    uint16_t,
                    const Address&,
                    const Address&,
                    NetDevice::PacketType)
{
    RoceHeader header;
    header.ReadFrom(*packet);
    if (!header.IsTraining())
    {
        return; // for the node's Internet stack
    }
    uint32_t number = header.GetConnection();
    if (number & REMOTE)
    {
        number = FindRemote(header, *packet);
        if (number == REMOTE)
        {
            m_outOfSequence++;
            return;
        }
    }
    if (number >= m_incoming.size())
    {
        m_endpoint.Fail("rank " + std::to_string(m_endpoint.GetRank()) +
                        " received a packet for connection " + std::to_string(number) +
                        ", which does not exist");
        return;
    }
    Incoming* connection = &m_incoming[number];
    if (connection->broken || header.GetPacketSequence() != connection->packetSequence)
    {
        connection->broken = true; // for good: the numbers come round after 2^24 packets
        m_outOfSequence++;
        return;
    }
    connection->packetSequence = (connection->packetSequence + 1) & 0xffffff;
    m_packetsReceived++;
    const uint32_t payload = header.GetPayload();
    const uint64_t bytes = header.GetMessageBytes();
    if (connection->received == 0)
    {
        const auto wire =
            m_rate.Serialise(packet->GetSize() + 14 + OpticalNetDevice::GetLineOverhead());
        connection->firstBit = Simulator::Now() - wire.ToTime();
        m_endpoint.Announce(
            connection->from,
            {connection->communicator, header.GetOperationSequence(), header.GetStep()},
            bytes);
    }
    connection->received += payload;
    if (connection->received == bytes)
    {
        connection->received = 0;
        m_endpoint.Deliver(TakeMessage(*connection, header, *packet), connection->firstBit);
    }
}

Ptr<Message>
PacketPort::TakeMessage(Incoming& connection, const RoceHeader& header, const Packet& packet)
{
    Ptr<Message> message;
    if (connection.sender)
    {
        message = connection.sender->undelivered.front();
        connection.sender->undelivered.pop_front();
        return message;
    }
    CauseTag tag;
    packet.PeekPacketTag(tag);
    message = Create<Message>();
    message->key = {connection.communicator, header.GetOperationSequence(), header.GetStep()};
    message->source = connection.from;
    message->destination = m_endpoint.GetRank();
    message->bytes = header.GetMessageBytes();
    message->cause = tag.GetCause();
    return message;
}

uint64_t
PacketPort::GetPacketsReceived() const
{
    return m_packetsReceived;
}

uint64_t
PacketPort::GetOutOfSequence() const
{
    return m_outOfSequence;
}

Ptr<OpticalNetDevice>
PacketPort::GetDevice() const
{
    return m_device;
}

} // namespace photonic
} // namespace ns3
