/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reliable-port.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("ReliablePort");

ReliablePort::Outgoing::Outgoing(const ReliableTransport& transport)
    : sender(transport.GetSettings()),
      control(transport.CreateControl())
{
}

ReliablePort::ReliablePort(MessageEndpoint& endpoint,
                           Ptr<OpticalNetDevice> device,
                           uint32_t address,
                           Ptr<const ReliableTransport> transport)
    : RocePort(endpoint, device, address),
      m_transport(transport)
{
}

ReliablePort::~ReliablePort()
{
    for (Outgoing* connection : m_byNumber)
    {
        connection->timer.Cancel();
    }
}

Ptr<CongestionControl>
ReliablePort::GetControl(uint32_t communicator, uint32_t destination, uint32_t remotePort) const
{
    const auto found =
        m_outgoing.find({communicator, m_endpoint.GetRank(), destination, remotePort});
    return found == m_outgoing.end() ? nullptr : found->second->control;
}

void
ReliablePort::Post(Ptr<Message> message)
{
    NS_LOG_FUNCTION(this << message->destination << message->bytes);
    Outgoing& connection = GetConnection(*message);
    message->acknowledged = true;
    if (JoinBusyPeriod(message->cause, connection.sender.HasUnsent()))
    {
        m_lastServed = nullptr;
    }
    const bool couldStart = CanStart();
    Entry entry{message, 0, (message->bytes - 1) / m_maxPayload + 1, nullptr, {}};
    entry.first = connection.messages.empty()
                      ? connection.sender.GetFirst()
                      : connection.messages.back().first + connection.messages.back().packets;
    connection.sender.Post(entry.packets);
    connection.messages.push_back(std::move(entry));
    Changed(connection, couldStart);
}

ReliablePort::Outgoing&
ReliablePort::GetConnection(const Message& message)
{
    auto& connection = m_outgoing
        [{message.key.communicator, message.source, message.destination, message.remotePort}];
    if (connection)
    {
        return *connection;
    }
    auto& port = m_endpoint.GetDirectory().Get(message.destination).GetPort(message.remotePort);
    auto peer = dynamic_cast<ReliablePort*>(&port);
    if (!peer)
    {
        throw std::logic_error("port " + std::to_string(message.remotePort) + " of rank " +
                               std::to_string(message.destination) +
                               " is no end of reliable connections");
    }
    connection = std::make_unique<Outgoing>(*m_transport);
    connection->number = m_byNumber.size();
    m_byNumber.push_back(connection.get());
    connection->peer = peer;
    connection->destination = message.destination;
    connection->peerAddress = Mac48Address::ConvertFrom(peer->m_device->GetAddress());
    connection->control->Start(m_device->GetDataRate(),
                               m_maxPayload + RocePackets::OVERHEAD +
                                   OpticalNetDevice::GetFrameOverhead());
    const uint32_t number =
        peer->OpenIncoming(*connection, *this, message.source, message.key.communicator);
    connection->header.SetAddresses(m_address, peer->m_address);
    connection->header.SetTraffic(m_priority,
                                  connection->control->UsesMarks() ? Ecn::ECT_0 : Ecn::NOT_ECT);
    connection->header.SetConnection(number);
    connection->header.SetEntropy(number);
    return *connection;
}

uint32_t
ReliablePort::OpenIncoming(Outgoing& sender,
                           ReliablePort& peer,
                           uint32_t from,
                           uint32_t communicator)
{
    const auto settings = m_transport->GetSettings();
    const ConnectionReceiver receiver(settings.scheme,
                                      settings.window,
                                      m_transport->GetReorderTolerance());
    m_incoming.push_back({&sender, &peer, from, communicator, receiver});
    return m_incoming.size() - 1;
}

bool
ReliablePort::HasPacket() const
{
    return CanStart() || !m_waiting.empty();
}

ExactTime
ReliablePort::GetEarliest() const
{
    return CanStart() ? ExactTime() : ExactTime(m_waiting.begin()->first);
}

bool
ReliablePort::CanStart() const
{
    return !m_active.empty() || !m_control.empty();
}

uint32_t
ReliablePort::GetWindow(const Outgoing& connection) const
{
    const double window = connection.control->GetWindow();
    return std::clamp(window, 1.0, double(connection.sender.GetSettings().window));
}

void
ReliablePort::Changed(Outgoing& connection, bool couldStart)
{
    Enlist(connection, Simulator::Now());
    SetTimer(connection);
    if (!couldStart && HasPacket())
    {
        m_device->NotifySource();
    }
}

void
ReliablePort::Enlist(Outgoing& connection, Time now)
{
    const bool can = !connection.failed && connection.sender.HasNext(GetWindow(connection));
    if (!can)
    {
        Remove(connection);
    }
    else if (connection.place == Place::NOWHERE && connection.ready > now)
    {
        connection.place = Place::WAITING;
        m_waiting.insert({connection.ready, connection.number});
    }
    else if (connection.place == Place::NOWHERE)
    {
        connection.place = Place::ACTIVE;
        // Whoever has just sent a packet stands behind a newcomer: that is what alternating means.
        const bool behind =
            &connection != m_lastServed && !m_active.empty() && m_active.back() == m_lastServed;
        m_active.insert(behind ? std::prev(m_active.end()) : m_active.end(), &connection);
    }
}

void
ReliablePort::Remove(Outgoing& connection)
{
    if (connection.place == Place::WAITING)
    {
        m_waiting.erase({connection.ready, connection.number});
    }
    else if (connection.place == Place::ACTIVE)
    {
        m_active.erase(std::find(m_active.begin(), m_active.end(), &connection));
    }
    connection.place = Place::NOWHERE;
}

void
ReliablePort::SendNext(const ExactTime& start)
{
    if (!m_control.empty())
    {
        const Control control = m_control.front();
        m_control.pop_front();
        m_device->SendLazy(control.packet, control.sequence, control.bytes);
        return;
    }
    const Time now = start.ToTime();
    // A port that empties itself into the dark does not wait for anybody's time.
    while (!m_waiting.empty() && (m_waiting.begin()->first <= now || m_active.empty()))
    {
        Outgoing& connection = *m_byNumber[m_waiting.begin()->second];
        m_waiting.erase(m_waiting.begin());
        connection.place = Place::ACTIVE;
        m_active.push_back(&connection);
    }
    Outgoing& connection = *m_active.front();
    m_active.pop_front();
    connection.place = Place::NOWHERE;
    m_lastServed = &connection;

    const auto next = connection.sender.Take(now, GetWindow(connection));
    const auto entry = std::prev(std::upper_bound(
        connection.messages.begin(),
        connection.messages.end(),
        next.packet,
        [](uint64_t packet, const Entry& candidate) { return packet < candidate.first; }));
    const Message& message = *entry->message;
    if (!entry->maker)
    {
        entry->message->firstBit = now;
        connection.header.SetMessage(message);
        entry->maker = MakePackets(*connection.peer, connection.peerAddress, connection.header);
    }
    const uint64_t offset = (next.packet - entry->first) * m_maxPayload;
    const uint32_t payload = std::min<uint64_t>(message.bytes - offset, m_maxPayload);
    const bool last = offset + payload == message.bytes;
    const uint32_t sequence = next.packet & 0xffffff;
    const auto maker = entry->maker;
    if (next.again)
    {
        m_counters.retransmitted++;
        m_endpoint.Note(TransportEvent::RETRANSMISSION, connection.destination, sequence);
    }
    const uint32_t bytes = payload + RocePackets::OVERHEAD;
    connection.control->OnSend(bytes + OpticalNetDevice::GetFrameOverhead(), now);
    const double rate = connection.control->GetRate(now);
    if (rate < m_rate.GetBitRate())
    {
        const double gap =
            (bytes + OpticalNetDevice::GetFrameOverhead()) * 8 / rate * Seconds(1).GetTimeStep();
        connection.ready = now + TimeStep(static_cast<uint64_t>(std::llround(gap)));
    }
    Enlist(connection, now);
    SetTimer(connection);
    m_device->SendLazy(maker, sequence | (next.ask || last ? RocePackets::ASK : 0), bytes);
}

void
ReliablePort::SetTimer(Outgoing& connection)
{
    const Time deadline = connection.sender.GetDeadline();
    if (deadline == Time::Max() || connection.failed)
    {
        // Removed, not only cancelled: nothing is left to hold up the end of the simulation.
        if (!connection.timer.IsExpired())
        {
            Simulator::Remove(connection.timer);
        }
        return;
    }
    // An event that is too early looks again when it comes: most are never needed.
    if (connection.timer.IsExpired() || TimeStep(connection.timer.GetTs()) > deadline)
    {
        connection.timer.Cancel();
        connection.timer = Simulator::Schedule(std::max(deadline - Simulator::Now(), Time(0)),
                                               &ReliablePort::TimeOut,
                                               this,
                                               &connection);
    }
}

void
ReliablePort::TimeOut(Outgoing* connection)
{
    m_device->Advance();
    if (connection->sender.GetDeadline() > Simulator::Now())
    {
        SetTimer(*connection);
        return;
    }
    const bool couldStart = CanStart();
    if (!connection->sender.Expire(Simulator::Now()))
    {
        Lose(*connection);
        return;
    }
    m_counters.timeouts++;
    m_endpoint.Note(TransportEvent::TIMEOUT,
                    connection->destination,
                    connection->sender.GetFirst() & 0xffffff);
    connection->control->OnTimeout(Simulator::Now());
    Changed(*connection, couldStart);
}

void
ReliablePort::Lose(Outgoing& connection)
{
    connection.failed = true;
    Remove(connection);
    const Message& message = *connection.messages.front().message;
    const auto& key = message.key;
    m_endpoint.Fail("a message of " + std::to_string(message.bytes) + " bytes from rank " +
                    std::to_string(message.source) + " to rank " +
                    std::to_string(message.destination) + " is lost (communicator " +
                    std::to_string(key.communicator) + ", operation " +
                    std::to_string(key.sequence) + ", transfer " + std::to_string(key.step) +
                    "): no acknowledgement after " +
                    std::to_string(connection.sender.GetSettings().retries) + " retransmissions");
}

void
ReliablePort::AcceptControl(Outgoing& connection, const RoceHeading& heading, uint32_t sequence)
{
    m_device->Advance(); // what has started did so before this arrived
    const bool couldStart = CanStart();
    const Time now = Simulator::Now();
    if (heading.kind == RoceHeading::CONGESTION)
    {
        m_counters.notifications++;
        m_endpoint.Note(TransportEvent::CONGESTION_NOTIFICATION, connection.destination, sequence);
        connection.control->OnMark(now);
        Changed(connection, couldStart);
        return;
    }
    ConnectionSender::Progress progress;
    if (heading.kind == RoceHeading::ACKNOWLEDGEMENT)
    {
        progress = connection.sender.Acknowledge(sequence, now);
    }
    else
    {
        m_counters.negative++;
        m_endpoint.Note(TransportEvent::NEGATIVE_ACKNOWLEDGEMENT, connection.destination, sequence);
        progress = heading.kind == RoceHeading::NEGATIVE
                       ? connection.sender.Miss(sequence, now)
                       : connection.sender.Select(sequence, heading.selected, now);
    }
    if (progress.HasRoundTrip())
    {
        connection.control->OnAcknowledged(progress.packets, progress.roundTrip, now);
    }
    if (progress.loss)
    {
        connection.control->OnLoss(now);
    }
    std::vector<Ptr<Message>> done;
    while (!connection.messages.empty() &&
           connection.messages.front().first + connection.messages.front().packets <=
               connection.sender.GetFirst())
    {
        Entry& entry = connection.messages.front();
        entry.message->cause = entry.cause;
        done.push_back(entry.message);
        connection.messages.pop_front();
        connection.arrived--;
    }
    Changed(connection, couldStart);
    for (const auto& message : done)
    {
        if (message->delivered)
        {
            message->delivered(*message);
        }
    }
}

} // namespace photonic
} // namespace ns3
