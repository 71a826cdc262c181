/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "communicator-run.h"

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

} // namespace photonic
} // namespace ns3
