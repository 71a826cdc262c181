/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * What ReliablePort does with packets that arrive. Its sending half is in reliable-port.cc.
 */
#include "reliable-port.h"

#include "ns3/simulator.h"

namespace ns3
{
namespace photonic
{

void
ReliablePort::ReceivePacket(const RoceHeader& header, const Packet& packet)
{
    const uint32_t ask = header.RequestsAcknowledgement() ? RocePackets::ASK : 0;
    Accept(RoceHeading(header),
           header.GetPacketSequence() | ask,
           header.GetPayload(),
           packet.GetSize() + OpticalNetDevice::GetFrameOverhead(),
           header.GetEcn() == Ecn::CE);
}

void
ReliablePort::ReceiveLazy(const Frame& frame)
{
    Accept(static_cast<const RocePackets&>(*frame.maker).GetHeading(),
           frame.sequence,
           frame.bytes - RocePackets::OVERHEAD,
           frame.wireBytes,
           frame.label.ecn == Ecn::CE);
}

void
ReliablePort::Accept(const RoceHeading& heading,
                     uint32_t sequence,
                     uint32_t payload,
                     uint64_t wireBytes,
                     bool marked)
{
    const bool isData = heading.kind == RoceHeading::DATA;
    if (heading.connection >= (isData ? m_incoming.size() : m_byNumber.size()))
    {
        FailConnection(heading.connection);
        return;
    }
    if (!isData)
    {
        AcceptControl(*m_byNumber[heading.connection], heading, sequence & 0xffffff);
        return;
    }
    Incoming& connection = m_incoming[heading.connection];
    if (marked)
    {
        m_counters.marked++;
        NotifyOfMark(connection);
    }
    AcceptData(connection,
               sequence & 0xffffff,
               {heading.operation,
                heading.step,
                heading.bytes,
                payload,
                Simulator::Now() - m_rate.Serialise(wireBytes).ToTime()},
               sequence & RocePackets::ASK);
}

void
ReliablePort::AcceptData(Incoming& connection,
                         uint32_t sequence,
                         const ConnectionReceiver::Arrival& arrival,
                         bool asks)
{
    using Verdict = ConnectionReceiver::Verdict;
    std::vector<Completed> completed;
    const Verdict verdict = connection.receiver.Receive(sequence, arrival);
    switch (verdict)
    {
    case Verdict::IN_ORDER:
        Take(connection, arrival, completed);
        for (ConnectionReceiver::Arrival kept; connection.receiver.TakeKept(kept);)
        {
            Take(connection, kept, completed);
            asks = true; // it was not answered as it would have been in order
        }
        break;
    case Verdict::DUPLICATE:
    case Verdict::DUPLICATE_KEPT:
        m_counters.duplicates++;
        m_endpoint.Note(TransportEvent::DUPLICATE, connection.from, sequence);
        break;
    case Verdict::GAP:
    case Verdict::DROPPED:
        m_outOfSequence++;
        break;
    case Verdict::KEPT:
        break;
    }
    switch (verdict)
    {
    case Verdict::IN_ORDER:
    case Verdict::DUPLICATE:
        if (asks)
        {
            Answer(connection, RoceHeading::ACKNOWLEDGEMENT, sequence);
        }
        break;
    case Verdict::GAP:
        Answer(connection, RoceHeading::NEGATIVE, sequence);
        break;
    case Verdict::KEPT:
        for (uint32_t report; connection.receiver.TakeReport(report);)
        {
            Answer(connection, RoceHeading::SELECTIVE, report);
        }
        break;
    case Verdict::DUPLICATE_KEPT:
        Answer(connection, RoceHeading::SELECTIVE, sequence);
        break;
    case Verdict::DROPPED:
        break;
    }
    for (const auto& [message, firstBit] : completed)
    {
        m_endpoint.Deliver(message, firstBit);
    }
}

void
ReliablePort::Take(Incoming& connection,
                   const ConnectionReceiver::Arrival& arrival,
                   std::vector<Completed>& completed)
{
    m_packetsReceived++;
    if (connection.received == 0)
    {
        connection.firstBit = arrival.firstBit;
        const Outgoing& sender = *connection.sender;
        if (!sender.messages[sender.arrived].message->relayed) // else it is for nobody here
        {
            m_endpoint.Announce(connection.from,
                                {connection.communicator, arrival.operation, arrival.step},
                                arrival.bytes);
        }
    }
    connection.received += arrival.payload;
    if (connection.received == arrival.bytes)
    {
        Outgoing& sender = *connection.sender;
        Entry& entry = sender.messages[sender.arrived++];
        entry.cause = entry.message->cause;
        if (JoinBusyPeriod(entry.cause))
        {
            m_lastServed = nullptr;
        }
        completed.push_back({entry.message, connection.firstBit});
        connection.messages = RocePackets::Advance24(connection.messages, 1);
        connection.received = 0;
    }
}

void
ReliablePort::Answer(const Incoming& connection, RoceHeading::Kind kind, uint32_t sequence)
{
    m_device->Advance();
    const bool couldStart = CanStart();
    const uint32_t expected = connection.receiver.GetExpected();
    Control answer{nullptr, expected, RocePackets::ACK_BYTES};
    RoceHeader header;
    header.SetAddresses(m_address, connection.peer->m_address);
    header.SetTraffic(m_priority, Ecn::NOT_ECT);
    header.SetConnection(connection.sender->number);
    header.SetEntropy(connection.sender->number);
    switch (kind)
    {
    case RoceHeading::ACKNOWLEDGEMENT:
        header.SetAcknowledgement(connection.messages);
        answer.sequence = (expected - 1) & 0xffffff;
        break;
    case RoceHeading::NEGATIVE:
        header.SetNegative(connection.messages);
        break;
    case RoceHeading::SELECTIVE:
        header.SetSelective(connection.messages, sequence);
        answer.bytes = RocePackets::SACK_BYTES;
        break;
    default:
        header.SetCongestion();
        answer.sequence = 0;
        answer.bytes = RocePackets::OVERHEAD;
        break;
    }
    const auto destination = Mac48Address::ConvertFrom(connection.peer->m_device->GetAddress());
    answer.packet = MakePackets(*connection.peer, destination, header);
    m_control.push_back(answer);
    if (!couldStart)
    {
        m_device->NotifySource();
    }
}

void
ReliablePort::NotifyOfMark(Incoming& connection)
{
    const Time now = Simulator::Now();
    if (now >= connection.nextNotification)
    {
        connection.nextNotification = now + m_transport->GetNotificationInterval();
        Answer(connection, RoceHeading::CONGESTION, 0);
    }
}

TransportCounters
ReliablePort::GetCounters() const
{
    return m_counters;
}

} // namespace photonic
} // namespace ns3
