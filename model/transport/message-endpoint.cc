/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "message-endpoint.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <functional>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("MessageEndpoint");
NS_OBJECT_ENSURE_REGISTERED(MessageEndpoint);

namespace
{

/// Receives that are looked for one by one, which is faster than a hash of so few.
constexpr std::size_t FEW_POSTED = 16;

} // namespace

const std::array<uint64_t TransportCounters::*, 6> TransportCounters::ALL = {
    &TransportCounters::retransmitted,
    &TransportCounters::negative,
    &TransportCounters::timeouts,
    &TransportCounters::duplicates,
    &TransportCounters::marked,
    &TransportCounters::notifications,
};

TransportCounters&
TransportCounters::operator+=(const TransportCounters& o)
{
    for (auto counter : ALL)
    {
        this->*counter += o.*counter;
    }
    return *this;
}

const char*
ToString(TransportEvent event)
{
    switch (event)
    {
    case TransportEvent::RETRANSMISSION:
        return "retransmission";
    case TransportEvent::NEGATIVE_ACKNOWLEDGEMENT:
        return "negative acknowledgement";
    case TransportEvent::TIMEOUT:
        return "timeout";
    case TransportEvent::DUPLICATE:
        return "duplicate";
    case TransportEvent::CONGESTION_NOTIFICATION:
        return "congestion notification";
    }
    return "";
}

void
MessageDirectory::Add(uint32_t rank, Ptr<MessageEndpoint> endpoint)
{
    if (rank >= m_endpoints.size())
    {
        m_endpoints.resize(rank + 1);
    }
    m_endpoints[rank] = endpoint;
}

MessageEndpoint&
MessageDirectory::Get(uint32_t rank) const
{
    if (rank >= m_endpoints.size() || !m_endpoints[rank])
    {
        throw std::out_of_range("rank " + std::to_string(rank) + " has no message endpoint");
    }
    return *m_endpoints[rank];
}

void
MessageDirectory::Clear()
{
    m_endpoints.clear();
}

std::size_t
MessageEndpoint::MatchKeyHash::operator()(const MatchKey& k) const
{
    std::size_t seed = k.from;
    boost::hash_combine(seed, k.key.communicator);
    boost::hash_combine(seed, k.key.sequence);
    boost::hash_combine(seed, k.key.step);
    return seed;
}

TypeId
MessageEndpoint::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::MessageEndpoint")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<MessageEndpoint>()
            .AddAttribute("MessageLatency",
                          "Software and NIC latency before a message is posted to its port.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&MessageEndpoint::m_messageLatency),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Send",
                            "A message was handed over for sending.",
                            MakeTraceSourceAccessor(&MessageEndpoint::m_sendTrace),
                            "ns3::photonic::MessageEndpoint::MessageTracedCallback")
            .AddTraceSource("Post",
                            "A port has got a message, and may have sent its beginning.",
                            MakeTraceSourceAccessor(&MessageEndpoint::m_postTrace),
                            "ns3::photonic::MessageEndpoint::PostTracedCallback")
            .AddTraceSource("Receive",
                            "A message has arrived whole.",
                            MakeTraceSourceAccessor(&MessageEndpoint::m_receiveTrace),
                            "ns3::photonic::MessageEndpoint::MessageTracedCallback")
            .AddTraceSource("Transport",
                            "A reliable connection sent again, timed out, got a duplicate or a "
                            "notification: what, the other rank, the packet's number.",
                            MakeTraceSourceAccessor(&MessageEndpoint::m_transportTrace),
                            "ns3::photonic::MessageEndpoint::TransportTracedCallback");
    return tid;
}

MessageEndpoint::MessageEndpoint()
{
    NS_LOG_FUNCTION(this);
}

MessageEndpoint::~MessageEndpoint()
{
    NS_LOG_FUNCTION(this);
}

void
MessageEndpoint::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_ports.clear();
    m_posted.clear();
    m_morePosted.clear();
    m_matches.clear();
    if (m_directory)
    {
        m_directory->Clear();
    }
    m_directory = nullptr;
    m_failure = nullptr;
    Object::DoDispose();
}

void
MessageEndpoint::SetRank(uint32_t rank, Ptr<MessageDirectory> directory)
{
    m_rank = rank;
    m_directory = directory;
    directory->Add(rank, this);
}

uint32_t
MessageEndpoint::GetRank() const
{
    return m_rank;
}

Time
MessageEndpoint::GetMessageLatency() const
{
    return m_messageLatency;
}

uint32_t
MessageEndpoint::AddPort(std::unique_ptr<MessagePort> port)
{
    m_ports.push_back(std::move(port));
    return m_ports.size() - 1;
}

MessagePort&
MessageEndpoint::GetPort(uint32_t number) const
{
    if (number >= m_ports.size())
    {
        throw std::out_of_range("rank " + std::to_string(m_rank) + " has no port " +
                                std::to_string(number) + ", only " +
                                std::to_string(m_ports.size()));
    }
    return *m_ports[number];
}

uint32_t
MessageEndpoint::GetNPorts() const
{
    return m_ports.size();
}

void
MessageEndpoint::SetFailureCallback(Failure failure)
{
    m_failure = std::move(failure);
}

const MessageDirectory&
MessageEndpoint::GetDirectory() const
{
    return *m_directory;
}

void
MessageEndpoint::Silence()
{
    m_silent = true;
}

void
MessageEndpoint::Note(TransportEvent event, uint32_t peer, uint32_t packet)
{
    m_transportTrace(event, peer, packet);
}

void
MessageEndpoint::Fail(const std::string& what)
{
    NS_LOG_ERROR(what);
    if (!m_failure)
    {
        throw std::runtime_error(what);
    }
    m_failure(what);
}

void
MessageEndpoint::Send(uint32_t to,
                      uint32_t localPort,
                      uint32_t remotePort,
                      const MessageKey& key,
                      uint64_t bytes,
                      const Cause& cause,
                      std::function<void(const Message&)> delivered)
{
    NS_LOG_FUNCTION(this << to << localPort << bytes);
    if (m_silent)
    {
        return;
    }
    auto message = Create<Message>();
    message->key = key;
    message->source = m_rank;
    message->destination = to;
    message->remotePort = remotePort;
    message->bytes = bytes;
    message->cause = cause;
    message->posted = Simulator::Now();
    message->delivered = std::move(delivered);
    m_sendTrace(*message);
    if (bytes == 0)
    {
        message->firstBit = Simulator::Now();
        m_directory->Get(to).Announce(m_rank, key, 0);
        if (message->delivered)
        {
            message->delivered(*message);
        }
        return;
    }
    Post(localPort, std::move(message));
}

void
MessageEndpoint::Post(uint32_t localPort, Ptr<Message> message)
{
    if (m_messageLatency.IsZero())
    {
        PostNow(localPort, message);
        return;
    }
    GetPort(localPort); // or it throws
    Simulator::Schedule(m_messageLatency,
                        [this, localPort, message] { PostNow(localPort, message); });
}

void
MessageEndpoint::PostNow(uint32_t localPort, const Ptr<Message>& message)
{
    if (m_silent)
    {
        return;
    }
    GetPort(localPort).Post(message);
    m_postTrace(localPort, *message);
}

void
MessageEndpoint::FailSize(uint32_t from, const MessageKey& key, uint64_t sent, uint64_t expected)
{
    Fail("rank " + std::to_string(from) + " sends " + std::to_string(sent) + " bytes to rank " +
         std::to_string(m_rank) + ", which expects " + std::to_string(expected) +
         " (communicator " + std::to_string(key.communicator) + ", operation " +
         std::to_string(key.sequence) + ", transfer " + std::to_string(key.step) + ")");
}

MessageEndpoint::Posted*
MessageEndpoint::FindPosted(uint32_t from, const MessageKey& key)
{
    const auto posted = std::find_if(m_posted.begin(), m_posted.end(), [&](const Posted& p) {
        return p.key == key && p.from == from;
    });
    if (posted != m_posted.end())
    {
        return &*posted;
    }
    if (m_morePosted.empty())
    {
        return nullptr;
    }
    const auto more = m_morePosted.find({from, key});
    return more != m_morePosted.end() ? &more->second : nullptr;
}

MessageEndpoint::Posted
MessageEndpoint::TakePosted(Posted* posted)
{
    Posted taken = std::move(*posted);
    const auto first = m_posted.data();
    if (std::less<>()(posted, first) || !std::less<>()(posted, first + m_posted.size()))
    {
        m_morePosted.erase({taken.from, taken.key});
        return taken;
    }
    if (posted != &m_posted.back())
    {
        *posted = std::move(m_posted.back());
    }
    m_posted.pop_back();
    return taken;
}

void
MessageEndpoint::Receive(uint32_t from, const MessageKey& key, uint64_t bytes, Received received)
{
    NS_LOG_FUNCTION(this << from << bytes);
    const MatchKey matchKey{from, key};
    const auto known = m_matches.empty() ? m_matches.end() : m_matches.find(matchKey);
    if (FindPosted(from, key) || (known != m_matches.end() && known->second.posted))
    {
        Fail("rank " + std::to_string(m_rank) + " expects one message of rank " +
             std::to_string(from) + " twice (communicator " + std::to_string(key.communicator) +
             ", operation " + std::to_string(key.sequence) + ", transfer " +
             std::to_string(key.step) + ")");
        return;
    }
    Ptr<Message> message;
    Time firstBit;
    if (known != m_matches.end())
    {
        Match& match = known->second;
        if (match.failed)
        {
            return;
        }
        if (match.bytes != bytes)
        {
            match.failed = true;
            FailSize(from, key, match.bytes, bytes);
            return;
        }
        if (match.message)
        {
            message = match.message;
            firstBit = match.firstBit;
        }
        m_matches.erase(known);
    }
    else if (bytes == 0)
    {
        m_matches[matchKey].posted = true; // until its send is known
    }
    if (!message && bytes > 0)
    {
        Posted posted{from, key, bytes, std::move(received)};
        if (m_posted.size() < FEW_POSTED)
        {
            m_posted.push_back(std::move(posted));
        }
        else
        {
            m_morePosted.emplace(matchKey, std::move(posted));
        }
        return;
    }
    if (!message)
    {
        message = Create<Message>();
        message->key = key;
        message->source = from;
        message->destination = m_rank;
        message->bytes = 0;
        firstBit = Simulator::Now();
    }
    received(*message, firstBit);
}

bool
MessageEndpoint::CheckSize(Posted* posted, uint64_t sent)
{
    if (posted->bytes == sent)
    {
        return true;
    }
    const Posted wrong = TakePosted(posted);
    m_matches[{wrong.from, wrong.key}].failed = true;
    FailSize(wrong.from, wrong.key, sent, wrong.bytes);
    return false;
}

MessageEndpoint::Match*
MessageEndpoint::KeepUnexpected(uint32_t from, const MessageKey& key, uint64_t bytes)
{
    const auto it = m_matches.emplace(MatchKey{from, key}, Match()).first;
    Match& match = it->second;
    if (match.failed)
    {
        return nullptr;
    }
    if (match.posted)
    {
        if (bytes == 0)
        {
            m_matches.erase(it);
            return nullptr;
        }
        match.failed = true;
        FailSize(from, key, bytes, 0);
        return nullptr;
    }
    match.announced = true;
    match.bytes = bytes;
    return &match;
}

void
MessageEndpoint::Announce(uint32_t from, const MessageKey& key, uint64_t bytes)
{
    if (Posted* posted = FindPosted(from, key))
    {
        CheckSize(posted, bytes);
    }
    else
    {
        KeepUnexpected(from, key, bytes);
    }
}

void
MessageEndpoint::Deliver(const Ptr<Message>& message, Time firstBit)
{
    NS_LOG_FUNCTION(this << message->source << message->bytes);
    message->lastBit = Simulator::Now();
    m_delivered++;
    if (message->relayed)
    {
        message->relayed->cause = message->cause;
        Post(message->relayPort, message->relayed);
        return;
    }
    m_receiveTrace(*message);
    // If one of the sizes is wrong, nobody is told that the message is complete.
    if (Posted* posted = FindPosted(message->source, message->key))
    {
        if (!CheckSize(posted, message->bytes))
        {
            return;
        }
        TakePosted(posted).received(*message, firstBit);
    }
    else
    {
        Match* match = KeepUnexpected(message->source, message->key, message->bytes);
        if (!match)
        {
            return;
        }
        match->message = message;
        match->firstBit = firstBit;
    }
    if (message->delivered && !message->acknowledged)
    {
        message->delivered(*message);
    }
}

uint64_t
MessageEndpoint::GetArrived() const
{
    uint64_t arrived = m_delivered;
    for (const auto& port : m_ports)
    {
        arrived += port->GetPacketsReceived();
    }
    return arrived;
}

uint64_t
MessageEndpoint::GetUnexpected() const
{
    return std::count_if(m_matches.begin(), m_matches.end(), [](const auto& entry) {
        return entry.second.announced && !entry.second.posted;
    });
}

} // namespace photonic
} // namespace ns3
