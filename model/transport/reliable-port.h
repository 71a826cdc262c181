/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RELIABLE_PORT_H
#define PHOTONIC_RELIABLE_PORT_H

#include "connection-receiver.h"
#include "reliable-transport.h"
#include "roce-port.h"

#include "ns3/event-id.h"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief Messages as packets of a NIC port, on connections that recover from losses and react to
 * congestion.
 *
 * What a PacketPort is where nothing is lost. A connection leads from a communicator and source
 * to a peer's port; connections with something to send alternate packet by packet. A
 * ConnectionSender and a ConnectionReceiver say what is sent and what has come, a CongestionControl
 * how fast; this class makes packets, timers and completions of it. Acknowledgements and
 * notifications go before data.
 *
 * A connection that is paced waits for its time without an event: the device is told when the
 * port's next packet starts at the earliest.
 */
class ReliablePort : public RocePort
{
  public:
    /**
     * @param endpoint that the port belongs to
     * @param device of the endpoint's node
     * @param address IPv4 address that its packets bear, as an integer
     * @param transport settings, the same for all ports that send to each other
     */
    ReliablePort(MessageEndpoint& endpoint,
                 Ptr<OpticalNetDevice> device,
                 uint32_t address,
                 Ptr<const ReliableTransport> transport);
    ~ReliablePort() override;

    /**
     * @param communicator of a connection @param destination rank @param remotePort its port
     * @return the congestion control of the endpoint's own connection, or null if it was never used
     */
    Ptr<CongestionControl> GetControl(uint32_t communicator,
                                      uint32_t destination,
                                      uint32_t remotePort) const;

    // inherited from MessagePort
    void Post(Ptr<Message> message) override;
    TransportCounters GetCounters() const override;

    // inherited from PacketSource
    bool HasPacket() const override;
    ExactTime GetEarliest() const override;
    void SendNext(const ExactTime& start) override;
    void ReceiveLazy(const Frame& frame) override;

  private:
    /// A message that is not acknowledged.
    struct Entry
    {
        Ptr<Message> message;
        uint64_t first; ///< of its packets
        uint64_t packets;
        Ptr<RocePackets> maker; ///< once its first packet was sent
        Cause cause;            ///< why its acknowledgement arrives when it does
    };

    /// Where a connection waits for the line.
    enum class Place
    {
        NOWHERE,
        ACTIVE,  ///< for its turn
        WAITING, ///< for its time
    };

    /// The sending side of a connection.
    struct Outgoing
    {
        explicit Outgoing(const ReliableTransport& transport);

        RoceHeader header; ///< addresses and connection are filled in
        ReliablePort* peer;
        Mac48Address peerAddress;
        uint32_t number; ///< at this port; acknowledgements bear it
        uint32_t destination;
        ConnectionSender sender;
        Ptr<CongestionControl> control;
        std::deque<Entry> messages;
        std::size_t arrived{0}; ///< of the messages
        EventId timer;
        Time ready; ///< its next packet starts no earlier
        Place place{Place::NOWHERE};
        bool failed{false};
    };

    /// The receiving side of a connection.
    struct Incoming
    {
        Outgoing* sender;
        ReliablePort* peer;
        uint32_t from; ///< rank
        uint32_t communicator;
        ConnectionReceiver receiver;
        uint32_t messages{0}; ///< that have arrived, 24 bits
        uint64_t received{0}; ///< bytes of the present message
        Time firstBit{};      ///< of the present message
        Time nextNotification{};
    };

    /// An acknowledgement or notification that waits for the line.
    struct Control
    {
        Ptr<RocePackets> packet;
        uint32_t sequence;
        uint32_t bytes;
    };

    /// A message that has arrived whole.
    struct Completed
    {
        Ptr<Message> message;
        Time firstBit;
    };

    Outgoing& GetConnection(const Message& message);
    uint32_t OpenIncoming(Outgoing& sender,
                          ReliablePort& peer,
                          uint32_t from,
                          uint32_t communicator);
    void ReceivePacket(const RoceHeader& header, const Packet& packet) override;
    void Accept(const RoceHeading& heading,
                uint32_t sequence,
                uint32_t payload,
                uint64_t wireBytes,
                bool marked);
    void AcceptData(Incoming& connection,
                    uint32_t sequence,
                    const ConnectionReceiver::Arrival& arrival,
                    bool asks);
    void Take(Incoming& connection,
              const ConnectionReceiver::Arrival& arrival,
              std::vector<Completed>& completed);
    void AcceptControl(Outgoing& connection, const RoceHeading& heading, uint32_t sequence);
    void Answer(const Incoming& connection, RoceHeading::Kind kind, uint32_t sequence);
    void NotifyOfMark(Incoming& connection);

    bool CanStart() const;
    void Changed(Outgoing& connection, bool couldStart);
    void Enlist(Outgoing& connection, Time now);
    void Remove(Outgoing& connection);
    uint32_t GetWindow(const Outgoing& connection) const;
    void SetTimer(Outgoing& connection);
    void TimeOut(Outgoing* connection);
    void Lose(Outgoing& connection);

    Ptr<const ReliableTransport> m_transport;
    /// By communicator, source, destination and its port: relayed messages have other sources.
    std::map<std::array<uint32_t, 4>, std::unique_ptr<Outgoing>> m_outgoing;
    std::vector<Outgoing*> m_byNumber;
    std::vector<Incoming> m_incoming; ///< by connection number
    std::deque<Control> m_control;
    std::deque<Outgoing*> m_active;                ///< the first is next
    std::set<std::pair<Time, uint32_t>> m_waiting; ///< by time, and number of the connection
    Outgoing* m_lastServed{nullptr};               ///< whose packet went onto the line last
    TransportCounters m_counters;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RELIABLE_PORT_H
