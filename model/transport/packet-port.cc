/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "packet-port.h"

#include "ns3/log.h"
#include "ns3/node.h"
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

constexpr uint32_t ETHERNET_BYTES = 14;

/// Bytes of an IP packet beside its payload.
constexpr uint32_t OVERHEAD = RoceHeader::SIZE + RoceHeader::ICRC_BYTES;

} // namespace

/// The packets of one message.
class PacketPort::MessagePackets : public PacketMaker
{
  public:
    /// @param port that sends @param connection of the message @param message whose packets they
    /// are
    MessagePackets(const PacketPort& port, const Outgoing& connection, const Message& message)
        : PacketMaker(Mac48Address::ConvertFrom(port.m_device->GetAddress()),
                      connection.peerAddress,
                      RoceHeader::PROTOCOL,
                      *connection.peer,
                      connection.header.GetLabel()),
          m_header(connection.header)
    {
        m_header.SetMessage(message);
        m_heading = Heading(m_header);
    }

    Ptr<Packet> MakePacket(uint32_t sequence, uint32_t bytes) const override
    {
        RoceHeader header = m_header;
        header.SetPacket(sequence, bytes - OVERHEAD);
        auto packet = Create<Packet>(bytes - RoceHeader::SIZE);
        packet->AddHeader(header);
        return packet;
    }

    const Heading& GetHeading() const
    {
        return m_heading;
    }

  private:
    RoceHeader m_header; ///< of each packet, but for its sequence number and size
    Heading m_heading;
};

PacketPort::Heading::Heading(const RoceHeader& header)
    : connection(header.GetConnection()),
      operation(header.GetOperationSequence()),
      step(header.GetStep()),
      bytes(header.GetMessageBytes())
{
}

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
PacketPort::SetTraffic(uint8_t priority, Ecn ecn)
{
    if (priority >= PRIORITIES)
    {
        throw std::invalid_argument("priority " + std::to_string(priority) +
                                    " was given: there are 0 to 7");
    }
    m_priority = priority;
    m_ecn = ecn;
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
        connection->peer = peer;
        connection->peerAddress = Mac48Address::ConvertFrom(peer->m_device->GetAddress());
        const uint32_t number =
            peer->OpenIncoming(*connection, message.source, message.key.communicator);
        connection->header.SetAddresses(m_address, peer->m_address);
        connection->header.SetTraffic(m_priority, m_ecn);
        connection->header.SetConnection(number);
        connection->header.SetEntropy(number);
    }
    return *connection;
}

uint32_t
PacketPort::OpenIncoming(Outgoing& sender, uint32_t from, uint32_t communicator)
{
    m_incoming.push_back({&sender, from, communicator, 0, false, 0, Time()});
    return m_incoming.size() - 1;
}

bool
PacketPort::HasPacket() const
{
    return !m_active.empty();
}

uint8_t
PacketPort::GetPriority() const
{
    return m_priority;
}

void
PacketPort::SendNext(const ExactTime& start)
{
    Flow& flow = *m_active.front();
    auto& [message, connection] = flow.entries.front();
    if (flow.sent == 0)
    {
        message->firstBit = start.ToTime();
        flow.packets = Create<MessagePackets>(*this, *connection, *message);
    }
    const auto packets = flow.packets;
    const uint32_t sequence = connection->packetSequence;
    const uint32_t payload = std::min<uint64_t>(message->bytes - flow.sent, m_maxPayload);
    connection->packetSequence = (sequence + 1) & 0xffffff;
    flow.sent += payload;
    if (flow.sent == message->bytes)
    {
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
    m_device->SendLazy(packets, sequence, payload + OVERHEAD);
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
    Accept(Heading(header),
           header.GetPacketSequence(),
           header.GetPayload(),
           packet->GetSize() + ETHERNET_BYTES + OpticalNetDevice::GetLineOverhead());
}

void
PacketPort::ReceiveLazy(const Frame& frame)
{
    const auto& packets = static_cast<const MessagePackets&>(*frame.maker);
    Accept(packets.GetHeading(), frame.sequence, frame.bytes - OVERHEAD, frame.wireBytes);
}

void
PacketPort::Accept(const Heading& heading, uint32_t sequence, uint32_t payload, uint64_t wireBytes)
{
    const uint32_t number = heading.connection;
    if (number >= m_incoming.size())
    {
        m_endpoint.Fail("rank " + std::to_string(m_endpoint.GetRank()) +
                        " received a packet for connection " + std::to_string(number) +
                        ", which does not exist");
        return;
    }
    Incoming* connection = &m_incoming[number];
    if (connection->broken || sequence != connection->packetSequence)
    {
        connection->broken = true; // for good: the numbers come round after 2^24 packets
        m_outOfSequence++;
        return;
    }
    connection->packetSequence = (sequence + 1) & 0xffffff;
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
        auto message = connection->sender->undelivered.front();
        connection->sender->undelivered.pop_front();
        m_endpoint.Deliver(message, connection->firstBit);
    }
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
