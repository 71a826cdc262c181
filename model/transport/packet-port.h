/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PACKET_PORT_H
#define PHOTONIC_PACKET_PORT_H

#include "roce-port.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief Messages as packets of a NIC port (packet fidelity).
 *
 * A message becomes packets of up to the device's MTU, made when the line is free for them.
 * Messages of one communicator go in the order in which they were posted; different communicators,
 * and the sources of relayed messages, alternate packet by packet. A connection is what RDMA calls
 * a reliable connection, from a communicator and source to a peer's port. A packet out of sequence
 * means that one was lost: it and all after it on the connection are counted and dropped, and the
 * message never completes.
 *
 * Where packets overtake each other, because switches spray them, SetAnyOrder() has the receiver
 * place them as they come, as NICs do for adaptive routing: every packet says which message it is
 * of. A message arrives when all of its bytes are there, whatever the order of messages; one that
 * has lost a packet never does.
 *
 * A lossless path needs no acknowledgements, and by default there are none: a sender knows when its
 * message arrives. With them the last packet of a message asks for one, and the sender knows when
 * it has come back. A port sends them before its data, at the next end of a packet, as they are
 * made by hardware and wait for nothing else.
 */
class PacketPort : public RocePort
{
  public:
    /**
     * @param endpoint that the port belongs to
     * @param device of the endpoint's node
     * @param address IPv4 address that its packets bear, as an integer
     */
    PacketPort(MessageEndpoint& endpoint, Ptr<OpticalNetDevice> device, uint32_t address);

    /**
     * @param on whether arrivals of this port's messages are acknowledged; off if not set
     * @throws std::logic_error if packets may come in any order
     */
    void SetAcknowledgements(bool on);

    /**
     * Take packets in any order; to be set at both ends (else std::logic_error with the first
     * message), before the first message. Both are in one process.
     * @param on whether they may come so; off if not set
     * @throws std::logic_error if arrivals are acknowledged: a count stands for messages in order
     */
    void SetAnyOrder(bool on);

    /**
     * What packets say to switches; to be set before the first message.
     * @param priority class of traffic, 3 if not set @param ecn whether they can be marked, if not
     *        set they cannot
     */
    void SetTraffic(uint8_t priority, Ecn ecn);

    // inherited from MessagePort
    void Post(Ptr<Message> message) override;
    uint64_t GetBacklog() override;

    // inherited from PacketSource
    bool HasPacket() const override;
    bool CanOvertake() const override;
    void SendNext(const ExactTime& start) override;
    void ReceiveLazy(const Frame& frame) override;
    void LightCame(Time waited) override;

  private:
    /// In a connection number: the sender, in another process, has given it.
    static constexpr uint32_t REMOTE = 1u << 23;

    /// A message that has arrived, and whose acknowledgement has not.
    struct Arrived
    {
        Ptr<Message> message;
        Cause cause; ///< why its acknowledgement arrives when it does
    };

    /// The sending side of a connection.
    struct Outgoing
    {
        RoceHeader header; ///< addresses and connection are filled in
        PacketPort* peer;  ///< the receiving port
        Mac48Address peerAddress;
        bool remote{false}; ///< the peer is in another process
        bool opened{false}; ///< and has been told of the connection
        uint32_t number{0}; ///< at this port; acknowledgements bear it
        uint32_t packetSequence{0};
        std::deque<Ptr<Message>> undelivered; ///< posted, and not arrived whole
        std::deque<Arrived> arrived;          ///< and not acknowledged
        uint32_t acknowledged{0};             ///< messages, 24 bits
    };

    /// A message that has arrived in part.
    struct Partial
    {
        uint32_t operation{0};
        uint32_t step{0};
        uint64_t received{0}; ///< bytes
        Time firstBit{};
    };

    /// The receiving side of a connection.
    struct Incoming
    {
        Outgoing* sender; ///< null: in another process
        PacketPort* peer; ///< the sending port
        uint32_t number;  ///< at that port
        uint32_t from;    ///< rank
        uint32_t communicator;
        uint32_t packetSequence{0};
        uint32_t arrived{0};            ///< messages, 24 bits
        bool broken{false};             ///< a packet was lost
        Partial present{};              ///< the message under way
        std::vector<Partial> partial{}; ///< messages under way, where packets have any order
        // Of its last packet, if the sender is remote:
        Cause cause{};     ///< why it arrives when it does
        bool asked{false}; ///< whether it asks for an acknowledgement
    };

    /// An acknowledgement that waits for the line.
    struct Acknowledgement
    {
        Ptr<RocePackets> packet;
        uint32_t sequence; ///< of the packet that asked for it
    };

    /// Messages of one communicator and source that wait for the line, in order.
    struct Flow
    {
        /// A message that waits.
        struct Entry
        {
            /// That waits.
            Ptr<Message> message;
            /// Its connection, null if packets go without.
            Outgoing* connection;
        };

        std::deque<Entry> entries;
        uint64_t sent{0};         ///< bytes of the first entry
        Ptr<RocePackets> packets; ///< of the first entry, once its first packet was sent
    };

    Outgoing& GetConnection(const Message& message);
    uint32_t OpenIncoming(const Incoming& connection);
    PacketPort* FindPeer(uint32_t rank, uint32_t address) const;
    void ReceivePacket(const RoceHeader& header, const Packet& packet) override;
    Ptr<RocePackets> MakeRemote(const RocePackets& packets,
                                Ptr<Message> message,
                                Outgoing& connection) const;
    static Ptr<RocePackets> MakeRemote(const RocePackets& acknowledgement, const Cause& cause);
    bool ReceiveRemote(RoceHeading& heading, const RoceHeader& header, const Packet& packet);
    void ReceiveRemoteArrival(const RoceHeading& heading, const Packet& packet);
    void DeliverRemotely(Ptr<Message> message, Outgoing& connection);
    static std::deque<Ptr<Message>>::iterator FindMessage(Outgoing& sender,
                                                          const RoceHeading& heading);
    Ptr<Message> TakeMessage(Incoming& connection, const RoceHeading& heading);
    static Partial& FindPartial(Incoming& connection, const RoceHeading& heading);
    void Accept(const RoceHeading& heading,
                uint32_t sequence,
                uint32_t payload,
                uint64_t wireBytes);

    void CheckModes(bool acknowledges, bool anyOrder) const;
    void CheckPeer(const Outgoing& connection, const Message& message) const;
    void Acknowledge(Incoming& connection, Ptr<Message> message, uint32_t sequence);
    void Complete(const RoceHeading& heading);

    Ecn m_ecn{Ecn::NOT_ECT};
    /// By communicator, source, destination and its port: relayed messages have other sources.
    std::map<std::array<uint32_t, 4>, std::unique_ptr<Outgoing>> m_outgoing;
    std::vector<Outgoing*> m_outgoingByNumber;
    std::vector<Incoming> m_incoming; ///< by connection number
    /// Connection numbers of senders in other processes, by their address and number for it.
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_remote;
    std::map<std::pair<uint32_t, uint32_t>, Flow> m_flows; ///< by communicator and source
    std::deque<Flow*> m_active;  ///< flows with entries; the first is next
    Flow* m_lastServed{nullptr}; ///< whose packet went onto the line last
    bool m_acknowledges{false};
    bool m_anyOrder{false};
    std::deque<Acknowledgement> m_acknowledgements;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PACKET_PORT_H
