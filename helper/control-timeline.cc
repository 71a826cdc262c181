/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "control-timeline.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

namespace
{

/// Places of rows among those of a rank: after its streams.
constexpr uint32_t WAITS = GROUP_SLOTS + 2;
constexpr uint32_t MESSAGES = WAITS + 1;

/// @param message one that was sent @param other one that has arrived
/// @return whether the two can be the same
bool
IsSame(const OpusMessage& message, const OpusMessage& other)
{
    return message.type == other.type && message.key == other.key && message.flag == other.flag &&
           message.openings == other.openings;
}

} // namespace

ControlTimeline::ControlTimeline(std::shared_ptr<ChromeTrace> trace,
                                 std::shared_ptr<const TimelineRange> range,
                                 uint32_t order,
                                 std::vector<uint32_t> ranks,
                                 std::vector<Ptr<CircuitTimeline>> switches)
    : m_trace(std::move(trace)),
      m_range(std::move(range)),
      m_process(m_trace->AddProcess("Opus controller", order)),
      m_switches(std::move(switches))
{
    for (const uint32_t process : ranks)
    {
        m_waits.emplace_back(process, "waits", WAITS);
        m_messages.emplace_back(process, "control messages", MESSAGES);
    }
    for (const auto& ports : m_switches)
    {
        ports->KeepTurns();
    }
}

void
ControlTimeline::Observe(const OpusHelper& opus)
{
    const Ptr<ControlTimeline> self(this);
    opus.GetController()->TraceConnectWithoutContext(
        "Reconfiguration",
        MakeCallback(&ControlTimeline::RequestDone, self));
    const auto path = opus.GetControlPath();
    path->TraceConnectWithoutContext("Send", MakeCallback(&ControlTimeline::MessageSent, self));
    path->TraceConnectWithoutContext("Receive",
                                     MakeCallback(&ControlTimeline::MessageReceived, self));
    for (uint32_t rank = 0; rank < m_waits.size(); rank++)
    {
        opus.GetShim(rank)->TraceConnectWithoutContext(
            "Wait",
            MakeCallback(&ControlTimeline::Waited, self));
    }
}

bool
ControlTimeline::Shows(const OpusMessage& message) const
{
    return Simulator::Now() >= m_range->begin ||
           (m_range->firstStep > 0 && m_range->Has(message.key.step));
}

void
ControlTimeline::MessageSent(const OpusMessage& message, OpusControlPath::Direction direction)
{
    if (Shows(message))
    {
        m_underWay[{message.rank, direction}].push_back({message, Simulator::Now()});
    }
}

void
ControlTimeline::MessageReceived(const OpusMessage& message, OpusControlPath::Direction direction)
{
    auto& underWay = m_underWay[{message.rank, direction}];
    const auto sent = std::find_if(underWay.begin(), underWay.end(), [&](const Sent& candidate) {
        return IsSame(candidate.message, message);
    });
    if (sent == underWay.end())
    {
        return; // before what is shown
    }
    Bar bar{{}, sent->at, Simulator::Now()};
    underWay.erase(sent);
    bar.lane = m_messages.at(message.rank).Take(*m_trace, bar.start, bar.end);
    const bool up = direction == OpusControlPath::TO_CONTROLLER;
    ChromeTrace::Arguments arguments;
    arguments.Add("to", up ? "controller" : "rank " + std::to_string(message.rank));
    const bool ofRequest = message.type == OpusMessage::REQUEST ||
                           message.type == OpusMessage::WITHDRAW ||
                           message.type == OpusMessage::GRANTED;
    if (ofRequest)
    {
        arguments.Add("group", message.key.group).Add("counter", message.key.counter);
    }
    m_trace->AddSlice(bar.lane, ToString(message.type), "message", bar.start, bar.end, arguments);
    if (message.type == OpusMessage::REQUEST)
    {
        m_asked[message.key][message.rank] = bar;
    }
    else if (message.type == OpusMessage::WITHDRAW)
    {
        m_asked[message.key].erase(message.rank);
    }
    else if (message.type == OpusMessage::GRANTED)
    {
        const auto fulfilled = m_fulfilled.find(message.key.group);
        if (fulfilled != m_fulfilled.end() && fulfilled->second.key == message.key)
        {
            const Bar& request = fulfilled->second.bar;
            const Time start = ChromeTrace::GetLast(request.start, request.end);
            m_trace->AddArrow("grant",
                              request.lane,
                              start,
                              bar.lane,
                              std::max(start, ChromeTrace::GetLast(bar.start, bar.end)));
        }
    }
}

void
ControlTimeline::RequestDone(const OpusController::Record& record)
{
    if (!m_range->Has(record.key.step))
    {
        return;
    }
    auto& track =
        m_requests
            .try_emplace(record.rail, m_process, "rail " + std::to_string(record.rail), record.rail)
            .first->second;
    const Bar bar{track.Take(*m_trace, record.requested, record.done),
                  record.requested,
                  record.done};
    m_trace->AddSlice(bar.lane,
                      std::string(ToString(record.slot)) + " of group " +
                          std::to_string(record.key.group),
                      "request",
                      bar.start,
                      bar.end,
                      ChromeTrace::Arguments()
                          .Add("step", record.key.step - m_range->firstStep + 1)
                          .Add("group", record.key.group)
                          .Add("counter", record.key.counter)
                          .Add("ports changed", record.portsChanged)
                          .Add("ports dark", record.portsDark)
                          .Add("request", record.request),
                      {{"waits for members", record.complete},
                       {"waits for its turn", record.fired},
                       {"drains", record.dark},
                       {"turns", record.done}});
    const auto asked = m_asked.find(record.key);
    if (asked != m_asked.end())
    {
        for (const auto& [rank, message] : asked->second)
        {
            // It arrived while the request was open; where it takes no time, at its start.
            const Time at =
                std::clamp(message.end, bar.start, ChromeTrace::GetLast(bar.start, bar.end));
            m_trace->AddArrow("request", message.lane, message.start, bar.lane, at);
        }
        m_asked.erase(asked);
    }
    for (const auto& turn : m_switches.at(record.rail)->TakeTurns(record.request))
    {
        m_trace->AddArrow("turn", bar.lane, record.fired, turn.lane, turn.start);
    }
    m_fulfilled[record.key.group] = {record.key, bar};
}

void
ControlTimeline::Waited(const OpusShim::Wait& wait)
{
    if (!m_range->Has(wait.operation.step) || wait.pass == wait.ready)
    {
        return;
    }
    const auto lane = m_waits.at(wait.rank).Take(*m_trace, wait.ready, wait.pass);
    const Time requested = wait.ready + wait.serialisation;
    m_trace->AddSlice(lane,
                      ToString(wait.operation.slot),
                      "wait",
                      wait.ready,
                      wait.pass,
                      ChromeTrace::Arguments()
                          .Add("step", wait.operation.step - m_range->firstStep + 1)
                          .Add("group", wait.operation.group)
                          .Add("counter", wait.operation.counter),
                      {{"operations before it", requested},
                       {"peers", requested + wait.peers},
                       {"circuits", requested + wait.peers + wait.circuits}});
}

} // namespace photonic
} // namespace ns3
