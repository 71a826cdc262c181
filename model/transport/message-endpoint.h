/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_MESSAGE_ENDPOINT_H
#define PHOTONIC_MESSAGE_ENDPOINT_H

#include "message.h"

#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-transport Transport
 * @ingroup photonic-rails
 * @brief Messages between ranks, over NIC ports and scale-up domains.
 */

class MessageEndpoint;

/**
 * @ingroup photonic-rails-transport
 * @brief What reliable connections have counted.
 */
struct TransportCounters
{
    uint64_t retransmitted{0}; ///< data packets sent again
    uint64_t negative{0};      ///< negative acknowledgements received
    uint64_t timeouts{0};      ///< of retransmission timers
    uint64_t duplicates{0};    ///< data packets that had arrived before
    uint64_t marked{0};        ///< data packets that arrived with a congestion mark
    uint64_t notifications{0}; ///< of congestion, received

    /// @param o counters of another part @return the sum, this
    TransportCounters& operator+=(const TransportCounters& o);

    static const std::array<uint64_t TransportCounters::*, 6> ALL; ///< of them
};

/**
 * @ingroup photonic-rails-transport
 * @brief Something that happens to a reliable connection out of the ordinary.
 */
enum class TransportEvent
{
    RETRANSMISSION,
    NEGATIVE_ACKNOWLEDGEMENT,
    TIMEOUT,
    DUPLICATE,
    CONGESTION_NOTIFICATION,
};

/// @param event one of them @return its name, for people
const char* ToString(TransportEvent event);

/**
 * @ingroup photonic-rails-transport
 * @brief One way out of an endpoint: a NIC port, or the scale-up domain.
 */
class MessagePort
{
  public:
    virtual ~MessagePort() = default;

    /**
     * Take a message of at least one byte. It is sent behind those of its communicator and source;
     * those of different ones alternate where the port sends packets.
     * @param message to be sent
     */
    virtual void Post(Ptr<Message> message) = 0;

    /// @return bytes that were posted and whose packets have not started on the line; 0 where a
    ///         port does not tell
    virtual uint64_t GetBacklog()
    {
        return 0;
    }

    /// @return data packets that arrived here in sequence
    virtual uint64_t GetPacketsReceived() const
    {
        return 0;
    }

    /// @return data packets dropped because one before them was lost
    virtual uint64_t GetOutOfSequence() const
    {
        return 0;
    }

    /// @return what its connections have counted, if they recover from losses
    virtual TransportCounters GetCounters() const
    {
        return {};
    }
};

/**
 * @ingroup photonic-rails-transport
 * @brief Finds the endpoint of a rank.
 */
class MessageDirectory : public SimpleRefCount<MessageDirectory>
{
  public:
    /// @param rank of the endpoint @param endpoint to be found
    void Add(uint32_t rank, Ptr<MessageEndpoint> endpoint);

    /// @param rank which was added (else std::out_of_range) @return its endpoint
    MessageEndpoint& Get(uint32_t rank) const;

    /// Forget all endpoints.
    void Clear();

  private:
    std::vector<Ptr<MessageEndpoint>> m_endpoints;
};

/**
 * @ingroup photonic-rails-transport
 * @brief The message interface of a rank: 64-bit sends and receives over ports.
 *
 * Send and receive match by the two ranks and the MessageKey. Sends are eager: they never wait for
 * the receive, and what arrives early is kept. On a lossless path the sender learns that its last
 * bit has arrived without a packet, unless its port waits for acknowledgements. A message of zero
 * bytes completes at once at both ends and puts nothing on the wire.
 */
class MessageEndpoint : public Object
{
  public:
    /**
     * Called when a receive is complete.
     * @param message the message that arrived
     * @param firstBit when its first bit arrived here
     */
    using Received = std::function<void(const Message& message, Time firstBit)>;

    /// Called with one line when a message contradicts what the receiver expects.
    using Failure = std::function<void(const std::string& what)>;

    /// @return the TypeId
    static TypeId GetTypeId();

    MessageEndpoint();
    ~MessageEndpoint() override;

    /**
     * @param rank of this endpoint
     * @param directory in which it is entered, and finds its peers
     */
    void SetRank(uint32_t rank, Ptr<MessageDirectory> directory);
    /// @return of this endpoint
    uint32_t GetRank() const;

    /// @return software and NIC latency before a message is posted to its port
    Time GetMessageLatency() const;

    /**
     * Add a way out.
     * @param port the port
     * @return its number, from 0
     */
    uint32_t AddPort(std::unique_ptr<MessagePort> port);
    /// @param number of a port (else std::out_of_range) @return the port
    MessagePort& GetPort(uint32_t number) const;
    /// @return number of ports, by number
    uint32_t GetNPorts() const;

    /**
     * @param failure called instead of throwing std::runtime_error out of the simulator
     */
    void SetFailureCallback(Failure failure);

    /**
     * Send a message.
     * @param to rank of the peer
     * @param localPort that it leaves by
     * @param remotePort that it comes in by
     * @param key what the receive has to match
     * @param bytes of payload, 64 bits
     * @param cause why it is sent now
     * @param delivered called when the last bit has arrived, or that is acknowledged; may be empty
     */
    void Send(uint32_t to,
              uint32_t localPort,
              uint32_t remotePort,
              const MessageKey& key,
              uint64_t bytes,
              const Cause& cause,
              std::function<void(const Message&)> delivered);

    /**
     * Expect a message.
     * @param from rank of the peer
     * @param key that the send has
     * @param bytes that the send has; another size is a failure that names both ranks
     * @param received called when the last bit has arrived, perhaps before this returns
     */
    void Receive(uint32_t from, const MessageKey& key, uint64_t bytes, Received received);

    /**
     * For ports: the beginning of a message has arrived.
     * @param from rank of the sender @param key of the message @param bytes of the whole message
     */
    void Announce(uint32_t from, const MessageKey& key, uint64_t bytes);

    /**
     * For ports: a message has arrived whole. One that is relayed here goes on.
     * @param message which
     * @param firstBit when its first bit arrived
     */
    void Deliver(const Ptr<Message>& message, Time firstBit);

    /// For ports: trace an event. @param event which @param peer rank
    /// @param packet its number, 24 bits
    void Note(TransportEvent event, uint32_t peer, uint32_t packet);

    /// For ports. @return the directory
    const MessageDirectory& GetDirectory() const;

    /// Report what cannot be: to the failure callback, or as std::runtime_error. @param what it is
    void Fail(const std::string& what);

    /// Nothing more is handed to ports, of this rank or relayed; what they have goes on.
    void Silence();

    /// @return data packets and whole messages that have arrived: it grows while traffic does
    uint64_t GetArrived() const;

    /// @return messages that arrived and that nobody expected yet
    uint64_t GetUnexpected() const;

    /// Trace of messages that ports get: number of the port, message.
    typedef void (*PostTracedCallback)(uint32_t port, const Message& message);

  protected:
    void DoDispose() override;

  private:
    /// A receive that waits for its message.
    struct Posted
    {
        uint32_t from;
        MessageKey key;
        uint64_t bytes;
        Received received;
    };

    /// What is known of a message that nobody waits for.
    struct Match
    {
        bool posted{false};    ///< an empty receive, complete before its send is known
        bool announced{false}; ///< the beginning arrived
        bool failed{false};    ///< the sizes differ
        uint64_t bytes{0};     ///< as said by whoever came first
        Ptr<Message> message;  ///< once it has arrived whole
        Time firstBit;
    };

    struct MatchKey
    {
        uint32_t from;
        MessageKey key;

        bool operator==(const MatchKey& o) const
        {
            return from == o.from && key == o.key;
        }
    };

    struct MatchKeyHash
    {
        std::size_t operator()(const MatchKey& k) const;
    };

    void Post(uint32_t localPort, Ptr<Message> message);
    void PostNow(uint32_t localPort, const Ptr<Message>& message);
    /// @return the receive that waits for a message, or null
    Posted* FindPosted(uint32_t from, const MessageKey& key);
    /// @param posted from FindPosted() @return it; it waits no more
    Posted TakePosted(Posted* posted);
    bool CheckSize(Posted* posted, uint64_t sent);
    Match* KeepUnexpected(uint32_t from, const MessageKey& key, uint64_t bytes);
    void FailSize(uint32_t from, const MessageKey& key, uint64_t sent, uint64_t expected);

    uint32_t m_rank{0};
    bool m_silent{false};
    Time m_messageLatency;
    std::vector<std::unique_ptr<MessagePort>> m_ports;
    TracedCallback<const Message&> m_sendTrace;
    TracedCallback<uint32_t, const Message&> m_postTrace;
    TracedCallback<const Message&> m_receiveTrace;
    TracedCallback<TransportEvent, uint32_t, uint32_t> m_transportTrace;
    uint64_t m_delivered{0};
    std::vector<Posted> m_posted; ///< a few, which most ranks never have more of
    std::unordered_map<MatchKey, Posted, MatchKeyHash> m_morePosted; ///< all others
    std::unordered_map<MatchKey, Match, MatchKeyHash> m_matches;
    Ptr<MessageDirectory> m_directory;
    Failure m_failure;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_MESSAGE_ENDPOINT_H
