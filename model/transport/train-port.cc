/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "train-port.h"

#include "roce-header.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("TrainPort");

namespace
{

/// Line bytes of a packet beside its payload.
constexpr uint32_t OVERHEAD =
    RoceHeader::SIZE + RoceHeader::ICRC_BYTES + OpticalNetDevice::GetFrameOverhead();

} // namespace

/// Packets of one message; the last train of a message completes it.
class TrainPort::Train : public PacketTrain
{
  public:
    Train(TrainPort& port, const Entry& entry)
        : PacketTrain(entry.packets,
                      port.m_maxPayload + OVERHEAD,
                      (entry.message->bytes - 1) % port.m_maxPayload + 1 + OVERHEAD),
          m_port(port),
          m_message(entry.message),
          m_left(entry.packets),
          m_rate(port.m_device->GetLineRate())
    {
    }

    void Contended(const std::string& where) override
    {
        m_port.m_endpoint.Fail("message fidelity cannot represent that a message of rank " +
                               std::to_string(m_message->source) + " to rank " +
                               std::to_string(m_message->destination) +
                               " shares a line with another one: " + where);
    }

    /// @return whether the message is complete with this train
    bool IsLast() const
    {
        return GetPackets() == m_left;
    }

    const Ptr<Message>& GetMessage() const
    {
        return m_message;
    }

    /// @return of the line that it was sent on; the receiver's may have another one
    const LineRate& GetRate() const
    {
        return m_rate;
    }

  private:
    TrainPort& m_port;
    Ptr<Message> m_message;
    uint64_t m_left; ///< packets of the message from the first of this train on
    LineRate m_rate;
};

TrainPort::TrainPort(MessageEndpoint& endpoint, Ptr<OpticalNetDevice> device)
    : m_endpoint(endpoint),
      m_device(device),
      m_maxPayload(RoceHeader::GetMaxPayload(device->GetMtu()))
{
    m_line.SetRate(LineRate(device->GetDataRate()));
    device->SetPacketSource(this);
}

TrainPort::~TrainPort()
{
    m_device->SetPacketSource(nullptr);
}

bool
TrainPort::IsBusy()
{
    if (HasPacket())
    {
        m_device->Advance(); // what has started is gone
    }
    // A line that went dark may be idle earlier than its clock says.
    return HasPacket() || (m_line.GetFree() > ExactTime(Simulator::Now()) && m_device->IsBusy());
}

void
TrainPort::Post(Ptr<Message> message)
{
    NS_LOG_FUNCTION(this << message->destination << message->bytes);
    if (IsBusy())
    {
        RefuseSharing(*message);
        message->cause = m_busyCause;
    }
    else
    {
        m_busyCause = message->cause;
    }
    const bool idle = !HasPacket();
    const uint64_t packets = (message->bytes + m_maxPayload - 1) / m_maxPayload;
    const auto peer = GetPeer(*message);
    m_entries.push_back({std::move(message), packets, peer, false});
    if (idle)
    {
        m_device->NotifySource();
    }
}

void
TrainPort::LightCame(Time waited)
{
    m_busyCause = m_busyCause.AfterStall(waited);
    for (std::size_t i = m_first; i < m_entries.size(); i++)
    {
        m_entries[i].message->cause = m_busyCause; // as of all of a busy period
    }
}

uint64_t
TrainPort::GetBacklog()
{
    m_device->Advance(); // what has started is gone
    uint64_t bytes = 0;
    const auto count = [this, &bytes](const Message& message, uint64_t packets, bool last) {
        // All are full but the last one of a message.
        bytes += packets * m_maxPayload;
        if (packets > 0 && last)
        {
            bytes -= m_maxPayload - 1 - (message.bytes - 1) % m_maxPayload;
        }
    };
    for (std::size_t i = m_first; i < m_entries.size(); i++)
    {
        count(*m_entries[i].message, m_entries[i].packets, true);
    }
    if (m_lastTrain)
    {
        const uint64_t started = m_lastTrain->CountStarted(m_lastStart,
                                                           m_lastTrain->GetRate(),
                                                           ExactTime(Simulator::Now()));
        count(*m_last.message, m_lastTrain->GetPackets() - started, m_lastTrain->IsLast());
    }
    return bytes;
}

void
TrainPort::RefuseSharing(const Message& message)
{
    const Message* other = nullptr;
    if (HasPacket())
    {
        other = PeekPointer(m_entries.back().message);
    }
    else if (m_lastStart +
                 m_line.GetRate().Serialise((m_last.packets - 1) * (m_maxPayload + OVERHEAD)) >
             ExactTime(Simulator::Now()))
    {
        other = PeekPointer(m_last.message); // its last packet has not started
    }
    const auto refuse = [this](const std::string& who, uint32_t first, uint32_t second) {
        m_endpoint.Fail("message fidelity cannot represent that " + who + " " +
                        std::to_string(first) + " and " + std::to_string(second) +
                        " share a NIC port of rank " + std::to_string(m_endpoint.GetRank()));
    };
    if (other && other->key.communicator != message.key.communicator)
    {
        refuse("communicators", other->key.communicator, message.key.communicator);
    }
    else if (other && other->source != message.source)
    {
        refuse("messages of ranks", other->source, message.source);
    }
}

Mac48Address
TrainPort::GetPeer(const Message& message)
{
    for (const auto& known : m_peers)
    {
        if (known.rank == message.destination && known.port == message.remotePort)
        {
            return known.address;
        }
    }
    auto& port = m_endpoint.GetDirectory().Get(message.destination).GetPort(message.remotePort);
    auto peer = dynamic_cast<TrainPort*>(&port);
    if (!peer)
    {
        throw std::logic_error("port " + std::to_string(message.remotePort) + " of rank " +
                               std::to_string(message.destination) +
                               " does not receive trains of packets");
    }
    const auto address = Mac48Address::ConvertFrom(peer->m_device->GetAddress());
    m_peers.push_back({message.destination, message.remotePort, address});
    return address;
}

bool
TrainPort::HasPacket() const
{
    return m_first < m_entries.size();
}

void
TrainPort::PopFirst()
{
    m_first++;
    if (2 * m_first > m_entries.size())
    {
        m_entries.erase(m_entries.begin(), m_entries.begin() + m_first);
        m_first = 0;
    }
}

void
TrainPort::SendNext(const ExactTime& start)
{
    m_last = std::move(m_entries[m_first]);
    PopFirst();
    m_lastStart = start;
    if (!m_last.begun)
    {
        m_last.message->firstBit = start.ToTime();
    }
    auto train = Create<Train>(*this, m_last);
    m_lastTrain = train;
    if (m_line.GetRate().GetBitRate() != train->GetRate().GetBitRate())
    {
        m_line.SetRate(train->GetRate());
    }
    m_line.Transmit(start, train->GetBytes());
    m_device->SendTrain(train, m_last.peer);
}

void
TrainPort::TakeBack(uint64_t packets)
{
    m_entries.insert(m_entries.begin() + m_first, {m_last.message, packets, m_last.peer, true});
    m_last.packets -= packets;
}

void
TrainPort::ReceiveTrain(const Frame& frame, const ExactTime& head)
{
    auto& train = static_cast<Train&>(*frame.train);
    const auto& message = train.GetMessage();
    m_packetsReceived += train.GetPackets();
    const ExactTime duration = train.GetRate().Serialise(train.GetFirstBytes());
    const Time firstBit = (head + duration).ToTime() - duration.ToTime();
    message->arrived = std::min(message->arrived, firstBit);
    if (train.IsLast())
    {
        m_endpoint.Deliver(message, message->arrived);
    }
}

uint64_t
TrainPort::GetPacketsReceived() const
{
    return m_packetsReceived;
}

} // namespace photonic
} // namespace ns3
