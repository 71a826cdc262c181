/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "communicator-run.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

Communicator::Run::Run(Communicator& communicator, Request request)
    : m_communicator(communicator),
      m_endpoint(PeekPointer(communicator.m_endpoint)),
      m_request(std::move(request))
{
}

void
Communicator::Run::Start(std::list<std::unique_ptr<Run>>::iterator self)
{
    m_self = self;
    m_busy = true;
    Begin();
    m_busy = false;
    CheckReceived(m_request.cause);
    CheckDone(m_request.cause);
}

MessageKey
Communicator::Run::GetKey(uint32_t lane, uint32_t step) const
{
    // Five bits number the lane, three the kind, the others the step.
    // Another collective of the same sizes is no match. A batch may meet a send and a receive.
    const auto kind =
        static_cast<uint32_t>(IsPointToPoint() ? CollectiveKind::SEND : m_request.kind);
    return {m_communicator.m_id, m_request.sequence, lane << 27 | kind << 24 | step};
}

void
Communicator::Run::Send(uint32_t to,
                        const Lane& ports,
                        const MessageKey& key,
                        uint64_t bytes,
                        const Cause& cause)
{
    m_sent += bytes;
    m_endpoint->Send(to,
                     ports.localPort,
                     ports.remotePort,
                     key,
                     bytes,
                     cause,
                     [this](const Message& message) {
                         m_sendsLeft--;
                         SeeBits(message, message.firstBit);
                         CheckDone(message.cause);
                     });
}

void
Communicator::Run::SeeBits(const Message& message, Time firstBit)
{
    if (message.bytes > 0)
    {
        m_firstBit = std::min(m_firstBit, firstBit);
        m_traffic.Add(std::max(firstBit, m_begin), message.lastBit);
    }
}

void
Communicator::Run::CheckReceived(const Cause& cause)
{
    if (m_receivesLeft == 0 && m_request.received)
    {
        Done received = std::move(m_request.received);
        m_request.received = nullptr;
        received(GetResult(cause));
    }
}

void
Communicator::Run::CheckDone(const Cause& cause)
{
    if (m_receivesLeft == 0 && m_sendsLeft == 0 && !m_busy && !m_finished)
    {
        m_finished = true;
        m_communicator.Finish(m_self, cause); // deletes this
    }
}

Communicator::LanesRun::LanesRun(Communicator& communicator, Request request)
    : Run(communicator, std::move(request))
{
    const auto& ranks = communicator.m_ranks;
    const auto& ports = GetPorts();
    const uint32_t lanes = ports.size();
    m_lanes.reserve(lanes);
    for (uint32_t lane = 0; lane < lanes; lane++)
    {
        const LanePlan plan = Plan(lanes, lane);
        m_lanes.push_back({plan,
                           ports[lane],
                           ranks[plan.GetSendPeer()],
                           ranks[plan.GetReceivePeer()],
                           GetKey(lane, 0)});
        m_receivesLeft += plan.GetReceives();
        m_sendsLeft += plan.GetSends();
    }
}

void
Communicator::LanesRun::Begin()
{
    for (auto& lane : m_lanes)
    {
        Progress(lane, m_request.cause);
    }
}

const std::vector<Communicator::Lane>&
Communicator::LanesRun::GetPorts() const
{
    if (IsPointToPoint())
    {
        const auto own = m_communicator.m_peerLanes.find(m_request.peer);
        if (own != m_communicator.m_peerLanes.end())
        {
            return own->second;
        }
    }
    return m_communicator.m_lanes;
}

LanePlan
Communicator::LanesRun::Plan(uint32_t lanes, uint32_t lane) const
{
    const auto& r = m_request;
    return IsPointToPoint()
               ? LanePlan(r.kind,
                          r.peer,
                          GetLaneBytes(r.bytes, lanes, lane),
                          GetLaneBytes(r.receiveBytes, lanes, lane))
               : LanePlan(RingLane(r.kind, r.bytes, m_communicator.m_ranks.size(), lanes, lane),
                          m_communicator.m_position);
}

/// Start what may start in a lane.
void
Communicator::LanesRun::Progress(LaneRun& lane, const Cause& cause)
{
    const auto& plan = lane.plan;
    do
    {
        while (lane.sent < plan.GetSends() && plan.GetNeeded(lane.sent) <= lane.received)
        {
            const uint32_t number = lane.sent++;
            Send(lane.to, lane.ports, lane.GetKey(number), plan.GetSendBytes(number), cause);
        }
        if (lane.waiting || lane.received == plan.GetReceives())
        {
            return;
        }
        lane.waiting = true;
        m_endpoint->Receive(lane.from,
                            lane.GetKey(lane.received),
                            plan.GetReceiveBytes(lane.received),
                            [this, &lane](const Message& message, Time firstBit) {
                                Received(lane, message, firstBit);
                            });
        // Data that had arrived early is there already: go on.
    } while (!lane.waiting);
}

void
Communicator::LanesRun::Received(LaneRun& lane, const Message& message, Time firstBit)
{
    lane.waiting = false;
    lane.received++;
    m_receivesLeft--;
    SeeBits(message, firstBit);
    if (m_busy)
    {
        return; // within Progress(), which goes on
    }
    const Cause cause = message.cause;
    m_busy = true;
    Progress(lane, cause);
    m_busy = false;
    CheckReceived(cause);
    CheckDone(cause);
}

} // namespace photonic
} // namespace ns3
