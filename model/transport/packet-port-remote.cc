/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * What a PacketPort and its peer in another process have to tell each other. Within a process they
 * do it by calls.
 */
#include "packet-port.h"
#include "remote-tags.h"

#include "ns3/simulator.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr uint32_t NONE = 0xffffffff; ///< no sequence number

/// The packets of one message to another process: what a receiver is told by a call goes with them.
class RemotePackets : public RocePackets
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

/// An acknowledgement to another process: what a sender is told by a call goes with it.
class RemoteAcknowledgement : public RocePackets
{
  public:
    /**
     * @param packets the acknowledgement
     * @param cause why it arrives when it does
     */
    RemoteAcknowledgement(const RocePackets& packets, const Cause& cause)
        : RocePackets(packets),
          m_cause(cause),
          m_arrival(Simulator::Now())
    {
    }

    Ptr<Packet> MakePacket(uint32_t sequence, uint32_t bytes) const override
    {
        auto packet = RocePackets::MakePacket(sequence, bytes);
        packet->AddPacketTag(CauseTag(m_cause));
        packet->AddPacketTag(ArrivalTag(m_arrival));
        return packet;
    }

  private:
    Cause m_cause;
    Time m_arrival; ///< of the message
};

} // namespace

Ptr<RocePackets>
PacketPort::MakeRemote(const RocePackets& packets, Ptr<Message> message, Outgoing& connection) const
{
    const uint32_t first = connection.opened ? NONE : connection.packetSequence;
    const uint32_t more = (message->bytes - 1) / m_maxPayload;
    connection.opened = true;
    return Create<RemotePackets>(packets,
                                 message,
                                 first,
                                 RocePackets::Advance24(connection.packetSequence, more));
}

Ptr<RocePackets>
PacketPort::MakeRemote(const RocePackets& acknowledgement, const Cause& cause)
{
    return Create<RemoteAcknowledgement>(acknowledgement, cause);
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
        const auto number = OpenIncoming({nullptr,
                                          FindPeer(tag.GetRank(), header.GetSource()),
                                          heading.connection & ~REMOTE,
                                          tag.GetRank(),
                                          tag.GetCommunicator()});
        known = m_remote.emplace(key, number).first;
    }
    heading.connection = known->second;
    Incoming& connection = m_incoming[heading.connection];
    connection.asked = header.RequestsAcknowledgement();
    CauseTag tag;
    if (packet.PeekPacketTag(tag))
    {
        connection.cause = tag.GetCause();
    }
    return true;
}

PacketPort*
PacketPort::FindPeer(uint32_t rank, uint32_t address) const
{
    const auto& endpoint = m_endpoint.GetDirectory().Get(rank);
    for (uint32_t i = 0; i < endpoint.GetNPorts(); i++)
    {
        auto port = dynamic_cast<PacketPort*>(&endpoint.GetPort(i));
        if (port && port->m_address == address)
        {
            return port;
        }
    }
    throw std::logic_error("packets come from an address that no port of rank " +
                           std::to_string(rank) + " has");
}

void
PacketPort::ReceiveRemoteArrival(const RoceHeading& heading, const Packet& packet)
{
    ArrivalTag arrival;
    CauseTag cause;
    if (heading.connection >= m_outgoingByNumber.size() || !packet.PeekPacketTag(arrival) ||
        !packet.PeekPacketTag(cause))
    {
        return;
    }
    Outgoing& connection = *m_outgoingByNumber[heading.connection];
    const auto messages = (heading.acknowledged - connection.acknowledged) & 0xffffff;
    while (connection.arrived.size() < messages && !connection.undelivered.empty())
    {
        auto message = connection.undelivered.front();
        connection.undelivered.pop_front();
        message->lastBit = arrival.GetTime();
        connection.arrived.push_back({message, cause.GetCause()});
    }
}

} // namespace photonic
} // namespace ns3
