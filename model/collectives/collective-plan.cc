/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "collective-plan.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

uint64_t
GetLaneBytes(uint64_t bytes, uint32_t lanes, uint32_t lane)
{
    return bytes / lanes + (lane < bytes % lanes ? 1 : 0);
}

RingLane::RingLane(CollectiveKind kind, uint64_t bytes, uint32_t n, uint32_t lanes, uint32_t lane)
    : m_chunks{GetLaneBytes(bytes, lanes, lane) * (kind == CollectiveKind::RING_EXCHANGE ? n : 1),
               n},
      m_lead(kind == CollectiveKind::ALL_GATHER ? 0 : 1),
      m_forward(lane % 2 == 0),
      m_rotation(kind != CollectiveKind::BROADCAST)
{
    if (kind >= CollectiveKind::ALL_TO_ALL)
    {
        throw std::invalid_argument(std::string("lanes of a ring do not serve '") + ToString(kind) +
                                    "'");
    }
    if (n > 1)
    {
        m_steps = kind == CollectiveKind::BROADCAST       ? n
                  : kind == CollectiveKind::ALL_REDUCE    ? 2 * (n - 1)
                  : kind == CollectiveKind::RING_EXCHANGE ? 1
                                                          : n - 1;
    }
}

uint64_t
RingLane::GetSentBytes(uint32_t position) const
{
    if (!m_rotation)
    {
        return GetSends(position) > 0 ? m_chunks.GetLaneBytes() : 0;
    }
    // Whole rounds, without the chunks that would come before the first and after the last step.
    const uint64_t rounds = (m_steps + m_chunks.GetCount() - 1) / m_chunks.GetCount();
    uint64_t bytes = rounds * m_chunks.GetLaneBytes();
    for (uint32_t s = m_steps; s < rounds * m_chunks.GetCount(); s++)
    {
        bytes -= m_chunks.GetBytes(GetSendChunk(position, s));
    }
    return bytes;
}

LanePlan::LanePlan(const RingLane& ring, uint32_t position)
    : m_ring(ring),
      m_position(position),
      m_sends(ring.GetSends(position)),
      m_receives(ring.GetReceives(position)),
      m_sendPeer(ring.GetNext(position)),
      m_receivePeer(ring.GetPrevious(position))
{
}

LanePlan::LanePlan(CollectiveKind kind, uint32_t peer, uint64_t sendBytes, uint64_t receiveBytes)
    : m_sends(kind == CollectiveKind::SEND || kind == CollectiveKind::SEND_RECEIVE),
      m_receives(kind == CollectiveKind::RECEIVE || kind == CollectiveKind::SEND_RECEIVE),
      m_sendPeer(peer),
      m_receivePeer(peer),
      m_sendBytes(sendBytes),
      m_receiveBytes(receiveBytes)
{
    if (kind < CollectiveKind::SEND)
    {
        throw std::invalid_argument(std::string("'") + ToString(kind) + "' is not point to point");
    }
}

} // namespace photonic
} // namespace ns3
