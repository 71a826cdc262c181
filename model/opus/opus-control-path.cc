/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus-control-path.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpusControlPath");
NS_OBJECT_ENSURE_REGISTERED(OpusControlPath);
NS_OBJECT_ENSURE_REGISTERED(OpusInstantPath);
NS_OBJECT_ENSURE_REGISTERED(OpusTimedPath);
NS_OBJECT_ENSURE_REGISTERED(OpusDelayPath);

namespace
{

constexpr uint32_t UDP_IPV4_PPP_BYTES = 8 + 20 + 2;

} // namespace

TypeId
OpusControlPath::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::OpusControlPath")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddTraceSource("Send",
                            "A message was sent.",
                            MakeTraceSourceAccessor(&OpusControlPath::m_sendTrace),
                            "ns3::photonic::OpusControlPath::MessageTracedCallback")
            .AddTraceSource("Receive",
                            "A message arrived.",
                            MakeTraceSourceAccessor(&OpusControlPath::m_receiveTrace),
                            "ns3::photonic::OpusControlPath::MessageTracedCallback");
    return tid;
}

OpusControlPath::OpusControlPath()
{
    NS_LOG_FUNCTION(this);
}

OpusControlPath::~OpusControlPath()
{
    NS_LOG_FUNCTION(this);
}

void
OpusControlPath::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_controller = nullptr;
    m_ranks.clear();
    m_failure = nullptr;
    Object::DoDispose();
}

void
OpusControlPath::SetControllerReceiver(Receiver receiver)
{
    m_controller = std::move(receiver);
}

void
OpusControlPath::SetRankReceiver(uint32_t rank, Receiver receiver)
{
    if (rank >= m_ranks.size())
    {
        m_ranks.resize(rank + 1);
    }
    m_ranks[rank] = std::move(receiver);
}

void
OpusControlPath::SetFailure(Failure failure)
{
    m_failure = std::move(failure);
}

void
OpusControlPath::SendToController(const OpusMessage& message, const Cause& cause)
{
    Send(message, TO_CONTROLLER, cause);
    DoFlush();
}

void
OpusControlPath::SendToRank(const OpusMessage& message, const Cause& cause)
{
    Send(message, TO_RANK, cause);
    DoFlush();
}

void
OpusControlPath::SendToRanks(const std::vector<OpusMessage>& messages, const Cause& cause)
{
    for (const auto& message : messages)
    {
        Send(message, TO_RANK, cause);
    }
    DoFlush();
}

void
OpusControlPath::DoFlush()
{
}

uint64_t
OpusControlPath::GetMessages() const
{
    return m_messages;
}

void
OpusControlPath::Fail(const std::string& reason)
{
    NS_LOG_ERROR(reason);
    if (!m_failure)
    {
        NS_FATAL_ERROR(reason);
    }
    m_failure(reason);
}

void
OpusControlPath::Send(const OpusMessage& message, Direction direction, const Cause& cause)
{
    NS_LOG_FUNCTION(this << ToString(message.type) << message.rank << direction);
    ++m_messages;
    m_sendTrace(message, direction);
    DoSend(message, direction, cause);
}

void
OpusControlPath::Deliver(const OpusMessage& message, Direction direction, const Cause& cause)
{
    NS_LOG_FUNCTION(this << ToString(message.type) << message.rank << direction);
    const Receiver* receiver = &m_controller;
    if (direction == TO_RANK)
    {
        receiver = message.rank < m_ranks.size() ? &m_ranks[message.rank] : nullptr;
    }
    if (!receiver || !*receiver)
    {
        Fail("nobody receives control messages of rank " + std::to_string(message.rank));
        return;
    }
    m_receiveTrace(message, direction);
    (*receiver)(message, cause);
}

TypeId
OpusInstantPath::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::OpusInstantPath")
                            .SetParent<OpusControlPath>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<OpusInstantPath>();
    return tid;
}

bool
OpusInstantPath::TakesTime() const
{
    return false;
}

void
OpusInstantPath::DoDispose()
{
    m_sent.clear();
    OpusControlPath::DoDispose();
}

void
OpusInstantPath::DoSend(const OpusMessage& message, Direction direction, const Cause& cause)
{
    m_sent.push_back({message, direction, cause});
}

void
OpusInstantPath::DoFlush()
{
    if (m_delivering)
    {
        return; // the call that delivers now goes on with the new ones
    }
    m_delivering = true;
    while (!m_sent.empty())
    {
        const Sent first = std::move(m_sent.front());
        m_sent.pop_front();
        Deliver(first.message, first.direction, first.cause);
    }
    m_delivering = false;
}

TypeId
OpusTimedPath::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::OpusTimedPath")
                            .SetParent<OpusControlPath>()
                            .SetGroupName("PhotonicRails")
                            .AddAttribute("ControlDelay",
                                          "Propagation from a rank to the controller, one way.",
                                          TimeValue(MicroSeconds(10)),
                                          MakeTimeAccessor(&OpusTimedPath::m_controlDelay),
                                          MakeTimeChecker(Time(0)))
                            .AddAttribute("FrontEndRate",
                                          "Rate of every link of the front-end network, above 0.",
                                          DataRateValue(DataRate("10Gbps")),
                                          MakeDataRateAccessor(&OpusTimedPath::m_rate),
                                          MakeDataRateChecker());
    return tid;
}

bool
OpusTimedPath::TakesTime() const
{
    return true;
}

Time
OpusTimedPath::GetControlDelay() const
{
    return m_controlDelay;
}

DataRate
OpusTimedPath::GetRate() const
{
    NS_ABORT_MSG_IF(m_rate.GetBitRate() == 0, "FrontEndRate has to be above 0");
    return m_rate;
}

Time
OpusTimedPath::GetTxTime(uint32_t payload) const
{
    return GetRate().CalculateBytesTxTime(payload + UDP_IPV4_PPP_BYTES);
}

TypeId
OpusDelayPath::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::OpusDelayPath")
                            .SetParent<OpusTimedPath>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<OpusDelayPath>();
    return tid;
}

void
OpusDelayPath::DoDispose()
{
    m_arrival.clear();
    m_underWay.clear();
    OpusTimedPath::DoDispose();
}

void
OpusDelayPath::DoSend(const OpusMessage& message, Direction direction, const Cause& cause)
{
    const uint32_t bytes = OpusHeader::GetSize(message);
    const Time alone = Simulator::Now() + GetControlDelay() + 2 * GetTxTime(bytes);
    if (message.rank >= m_arrival.size())
    {
        m_arrival.resize(message.rank + 1);
    }
    Time& arrival = m_arrival[message.rank][direction];
    arrival = std::max(arrival, alone);
    auto& together = m_underWay[arrival];
    if (together.empty())
    {
        Simulator::Schedule(arrival - Simulator::Now(), &OpusDelayPath::Arrive, this);
    }
    together.push_back({message, direction, cause});
}

void
OpusDelayPath::Arrive()
{
    auto arrived = m_underWay.extract(Simulator::Now());
    if (arrived.empty())
    {
        return; // disposed of
    }
    // In order of rank, as at the router of a network of packets.
    auto& together = arrived.mapped();
    std::stable_sort(together.begin(), together.end(), [](const Sent& a, const Sent& b) {
        return std::make_pair(a.direction, a.message.rank) <
               std::make_pair(b.direction, b.message.rank);
    });
    for (const auto& sent : together)
    {
        Deliver(sent.message, sent.direction, sent.cause);
    }
}

} // namespace photonic
} // namespace ns3
