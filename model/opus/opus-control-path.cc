/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus-control-path.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

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
            .AddAttribute("RetransmissionTimeout",
                          "After which a message that was not acknowledged is sent again, and "
                          "then after twice as long each time; 0: messages are neither numbered "
                          "nor acknowledged, and none may be lost.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OpusControlPath::m_timeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Retries",
                          "How often a message is sent again before its receiver is given up.",
                          UintegerValue(20),
                          MakeUintegerAccessor(&OpusControlPath::m_retries),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Faults",
                          "What happens to messages on the way; null: nothing.",
                          PointerValue(),
                          MakePointerAccessor(&OpusControlPath::m_faults),
                          MakePointerChecker<ControlFaults>())
            .AddTraceSource("Fault",
                            "A message was lost, is late or was sent twice.",
                            MakeTraceSourceAccessor(&OpusControlPath::m_faultTrace),
                            "ns3::photonic::OpusControlPath::FaultTracedCallback")
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
    m_rankLost = nullptr;
    m_streams.clear();
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
    if (direction == TO_CONTROLLER && IsStopped(message.rank))
    {
        return; // it says nothing
    }
    ++m_messages;
    m_sendTrace(message, direction);
    if (IsReliable())
    {
        GetStream(message.rank, direction).Send(message, cause);
    }
    else
    {
        Transmit(message, direction, cause);
    }
}

void
OpusControlPath::Transmit(const OpusMessage& message, Direction direction, const Cause& cause)
{
    if (!m_faults)
    {
        DoSend(message, direction, cause);
        return;
    }
    const auto delays = m_faults->GetDelays(message);
    if (delays.empty())
    {
        m_faultTrace(message, "lost");
        Lose(std::string("control message ") + ToString(message.type) + " of rank " +
             std::to_string(message.rank) + " (" + ToString(message.key) + ") was lost");
        return;
    }
    if (delays.size() > 1)
    {
        m_faultTrace(message, "twice");
    }
    for (const Time& delay : delays)
    {
        if (delay.IsZero())
        {
            DoSend(message, direction, cause);
            continue;
        }
        m_faultTrace(message, "late");
        Simulator::Schedule(delay, [self = Ptr<OpusControlPath>(this), message, direction, cause] {
            if (self->m_controller) // or it was disposed of meanwhile
            {
                self->DoSend(message, direction, cause);
                self->DoFlush();
            }
        });
    }
}

bool
OpusControlPath::IsCut(const OpusMessage& message, Direction direction) const
{
    return (m_controllerStopped && direction == TO_CONTROLLER) || IsStopped(message.rank);
}

bool
OpusControlPath::IsStopped(uint32_t rank) const
{
    return rank < m_rankStopped.size() && m_rankStopped[rank];
}

void
OpusControlPath::Lose(const std::string& what)
{
    if (!IsReliable())
    {
        Fail(what);
    }
}

void
OpusControlPath::Deliver(const OpusMessage& message, Direction direction, const Cause& cause)
{
    NS_LOG_FUNCTION(this << ToString(message.type) << message.rank << direction);
    if (IsCut(message, direction))
    {
        m_faultTrace(message, "lost");
        return;
    }
    if (message.sequence == 0)
    {
        Hand(message, direction, cause);
        return;
    }
    const Direction back = direction == TO_CONTROLLER ? TO_RANK : TO_CONTROLLER;
    if (message.type == OpusMessage::ACK)
    {
        GetStream(message.rank, back).HandleAck(message.session, message.sequence);
        return;
    }
    auto& stream = GetStream(message.rank, direction);
    const auto due = stream.Receive(message, cause);
    Transmit(stream.GetAck(message.rank), back, cause);
    for (const auto& [inOrder, why] : due)
    {
        if (inOrder.type == OpusMessage::HELLO)
        {
            GetStream(inOrder.rank, TO_CONTROLLER).StartSending(inOrder.session);
        }
        Hand(inOrder, direction, why);
    }
    DoFlush();
}

void
OpusControlPath::Hand(const OpusMessage& message, Direction direction, const Cause& cause)
{
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

bool
OpusControlPath::IsReliable() const
{
    return !m_timeout.IsZero();
}

ControlStream&
OpusControlPath::GetStream(uint32_t rank, Direction direction)
{
    auto& stream = m_streams[{rank, direction}];
    if (!stream)
    {
        ControlStream::Settings settings;
        settings.timeout = m_timeout;
        settings.retries = m_retries;
        settings.transmit = [this, direction](const OpusMessage& message, const Cause& cause) {
            Transmit(message, direction, cause);
            DoFlush();
        };
        settings.giveUp = [this, direction](const OpusMessage& message, Time since) {
            GiveUp(message, direction, since);
        };
        stream = std::make_unique<ControlStream>(std::move(settings));
        // A rank learns of a session from the controller.
        if (direction == TO_RANK)
        {
            stream->StartSending(m_session);
        }
        else
        {
            stream->StartReceiving(m_session);
        }
    }
    return *stream;
}

void
OpusControlPath::GiveUp(const OpusMessage& message, Direction direction, Time since)
{
    const std::string rank = "rank " + std::to_string(message.rank);
    std::ostringstream text;
    text << (direction == TO_RANK ? rank : "the controller") << " does not answer"
         << (direction == TO_RANK ? "" : " " + rank) << ": " << ToString(message.type);
    if (message.key.group != 0 || message.key.step != 0 || message.key.counter != 0)
    {
        text << " (" << ToString(message.key) << ")";
    }
    text << " was sent " << m_retries + 1 << " times in "
         << (Simulator::Now() - since).ToDouble(Time::MS) << " ms";
    if (direction == TO_RANK && m_rankLost)
    {
        m_rankLost(message.rank, text.str());
    }
    else
    {
        Fail(text.str());
    }
}

void
OpusControlPath::StopController()
{
    if (!IsReliable())
    {
        throw std::logic_error("RetransmissionTimeout is 0: what a controller that stops does not "
                               "hear would be lost");
    }
    m_controllerStopped = true;
    for (auto& [rankAndDirection, stream] : m_streams)
    {
        if (rankAndDirection.second == TO_RANK)
        {
            stream->Stop();
        }
    }
}

void
OpusControlPath::StartController()
{
    m_controllerStopped = false;
    m_session++;
    for (auto& [rankAndDirection, stream] : m_streams)
    {
        if (rankAndDirection.second == TO_RANK)
        {
            stream->StartSending(m_session);
        }
        else
        {
            stream->StartReceiving(m_session);
        }
    }
}

void
OpusControlPath::StopRank(uint32_t rank)
{
    if (rank >= m_rankStopped.size())
    {
        m_rankStopped.resize(rank + 1);
    }
    m_rankStopped[rank] = true;
    const auto stream = m_streams.find({rank, TO_CONTROLLER});
    if (stream != m_streams.end())
    {
        stream->second->Stop();
    }
}

void
OpusControlPath::SetRankLost(std::function<void(uint32_t, const std::string&)> lost)
{
    m_rankLost = std::move(lost);
}

std::size_t
OpusControlPath::GetUnacknowledged() const
{
    std::size_t messages = 0;
    for (const auto& entry : m_streams)
    {
        messages += entry.second->GetUnacknowledged();
    }
    return messages;
}

uint64_t
OpusControlPath::GetRepetitions() const
{
    uint64_t messages = 0;
    for (const auto& entry : m_streams)
    {
        messages += entry.second->GetRepetitions();
    }
    return messages;
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
