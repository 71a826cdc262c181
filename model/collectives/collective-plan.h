/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_COLLECTIVE_PLAN_H
#define PHOTONIC_COLLECTIVE_PLAN_H

#include "collective-kind.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @param bytes of an operation
 * @param lanes at least 1
 * @param lane which
 * @return bytes of the lane: even shares, the first ones having a byte more
 */
uint64_t GetLaneBytes(uint64_t bytes, uint32_t lanes, uint32_t lane);

/**
 * @ingroup photonic-rails-collectives
 * @brief Size of one chunk of a part of a collective.
 *
 * Lanes have even shares, see GetLaneBytes(); each is cut into n chunks, and the first (lane bytes
 * mod n) of them have one byte more.
 */
class RingChunks
{
  public:
    /// @param laneBytes bytes of the lane @param n ranks, and chunks
    RingChunks(uint64_t laneBytes, uint32_t n)
        : m_laneBytes(laneBytes),
          m_small(laneBytes / n),
          m_n(n),
          m_larger(laneBytes % n)
    {
    }

    /// @return bytes of the lane, which are cut into chunks
    uint64_t GetLaneBytes() const
    {
        return m_laneBytes;
    }

    /// @return number of chunks
    uint32_t GetCount() const
    {
        return m_n;
    }

    /// @return bytes of a chunk of the smaller size
    uint64_t GetSmall() const
    {
        return m_small;
    }

    /// @return number of the chunks that have a byte more
    uint32_t GetLarger() const
    {
        return m_larger;
    }

    /// @param chunk 0 to n-1 @return whether it has a byte more
    bool IsLarger(uint32_t chunk) const
    {
        return chunk < m_larger;
    }

    /// @param chunk 0 to n-1 @return its bytes
    uint64_t GetBytes(uint32_t chunk) const
    {
        return m_small + IsLarger(chunk);
    }

  private:
    uint64_t m_laneBytes;
    uint64_t m_small;
    uint32_t m_n;
    uint32_t m_larger;
};

/**
 * @ingroup photonic-rails-collectives
 * @brief A collective as a ring, in one of one or two directions (bandwidth-optimal; Thakur,
 * Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH", 2005).
 *
 * In even lanes data goes from position i to i+1, in odd ones from i to i-1. All-gather and
 * reduce-scatter take n-1 steps, all-reduce 2(n-1); a step starts when the whole chunk of the step
 * before it has arrived. A ring exchange is one step, with a chunk of its own at every rank (of
 * Liu, Zaharia and Abbeel, "Ring Attention with Blockwise Transformers", 2023). In a broadcast the
 * root (position 0) sends its n chunks one after another and every rank but the last passes them
 * on. It is all arithmetic: nothing is stored per step.
 */
class RingLane
{
  public:
    /**
     * @param kind before ALL_TO_ALL (else std::invalid_argument)
     * @param bytes total: what every rank has in the end (all-gather, all-reduce, broadcast), or
     *        starts with (reduce-scatter), or passes on (ring exchange)
     * @param n ranks in the ring; one of them alone does nothing
     * @param lanes of the operation, at least 1
     * @param lane which of them
     */
    RingLane(CollectiveKind kind, uint64_t bytes, uint32_t n, uint32_t lanes, uint32_t lane);

    /// @return whether every rank sends chunk after chunk round the ring (all but broadcasts)
    bool IsRotation() const
    {
        return m_rotation;
    }

    /// @return steps of a rank that takes them all
    uint32_t GetSteps() const
    {
        return m_steps;
    }

    /// @return whether it goes from each position to the next one, not to the one before
    bool IsForward() const
    {
        return m_forward;
    }

    /// @return how its bytes are cut
    const RingChunks& GetChunks() const
    {
        return m_chunks;
    }

    /// @param position of a rank @return the one that it sends to
    uint32_t GetNext(uint32_t position) const
    {
        return Move(position, m_forward);
    }

    /// @param position of a rank @return the one that it receives from
    uint32_t GetPrevious(uint32_t position) const
    {
        return Move(position, !m_forward);
    }

    /**
     * @param position of a rank @param places how many
     * @return the position so many places before it in the direction of the lane
     */
    uint32_t GetBehind(uint32_t position, uint32_t places) const
    {
        while (places >= m_chunks.GetCount())
        {
            places -= m_chunks.GetCount();
        }
        return m_forward ? (position >= places ? position - places
                                               : position + m_chunks.GetCount() - places)
                         : (position + places < m_chunks.GetCount()
                                ? position + places
                                : position + places - m_chunks.GetCount());
    }

    /// @param position in the group @return chunks that it sends
    uint32_t GetSends(uint32_t position) const
    {
        return m_rotation || GetDistance(position) + 1 < m_chunks.GetCount() ? m_steps : 0;
    }

    /// @param position in the group @return chunks that it receives
    uint32_t GetReceives(uint32_t position) const
    {
        return m_rotation || position > 0 ? m_steps : 0;
    }

    /// @param position of a rank @param s number of a send @return the chunk that it sends
    uint32_t GetSendChunk(uint32_t position, uint32_t s) const
    {
        return m_rotation ? GetBehind(position, m_lead + s) : s;
    }

    /// @param position of a rank @param s number of a receive @return the chunk that it receives
    uint32_t GetReceiveChunk(uint32_t position, uint32_t s) const
    {
        return m_rotation ? GetBehind(position, m_lead + s + 1) : s;
    }

    /// @param position of a rank @param s number of a send
    /// @return receives that have to be complete before it starts
    uint32_t GetNeeded(uint32_t position, uint32_t s) const
    {
        return m_rotation ? s : (position > 0 ? s + 1 : 0);
    }

    /// @param position of a rank @return bytes that it sends in all
    uint64_t GetSentBytes(uint32_t position) const;

  private:
    uint32_t Move(uint32_t position, bool up) const
    {
        return up ? (position + 1 == m_chunks.GetCount() ? 0 : position + 1)
                  : (position == 0 ? m_chunks.GetCount() - 1 : position - 1);
    }

    uint32_t GetDistance(uint32_t position) const
    {
        return m_forward || position == 0 ? position : m_chunks.GetCount() - position;
    }

    RingChunks m_chunks;
    uint32_t m_steps{0};
    uint32_t m_lead{0}; ///< 0 if a rank starts with its own chunk, 1 if it ends with it
    bool m_forward;
    bool m_rotation;
};

/**
 * @ingroup photonic-rails-collectives
 * @brief What one rank sends and receives in one lane of an operation.
 *
 * An operation runs on one or more lanes side by side (the directions of a ring, the stripes of a
 * send). In each lane receives complete in order, and a send starts when a given number of them
 * has completed. Both are numbered from 0, and a transfer has the same number at both ends.
 * Transfers of 0 bytes count as arrived from the start, but have to match.
 */
class LanePlan
{
  public:
    /// @param ring the lane of a collective @param position of this rank
    LanePlan(const RingLane& ring, uint32_t position);

    /**
     * A stripe of a point-to-point operation.
     * @param kind SEND, RECEIVE or SEND_RECEIVE (else std::invalid_argument)
     * @param peer position of the other rank
     * @param sendBytes bytes sent to it, if send is set
     * @param receiveBytes bytes received from it, if receive is set
     */
    LanePlan(CollectiveKind kind, uint32_t peer, uint64_t sendBytes, uint64_t receiveBytes);

    /// @return chunks that this member sends
    uint32_t GetSends() const
    {
        return m_sends;
    }

    /// @return chunks that this member receives
    uint32_t GetReceives() const
    {
        return m_receives;
    }

    /// @return position that all sends go to
    uint32_t GetSendPeer() const
    {
        return m_sendPeer;
    }

    /// @return position that all receives come from
    uint32_t GetReceivePeer() const
    {
        return m_receivePeer;
    }

    /// @param s number of a send @return its bytes
    uint64_t GetSendBytes(uint32_t s) const
    {
        return m_ring ? m_ring->GetChunks().GetBytes(m_ring->GetSendChunk(m_position, s))
                      : m_sendBytes;
    }

    /// @param r number of a receive @return its bytes
    uint64_t GetReceiveBytes(uint32_t r) const
    {
        return m_ring ? m_ring->GetChunks().GetBytes(m_ring->GetReceiveChunk(m_position, r))
                      : m_receiveBytes;
    }

    /// @param s number of a send @return receives that have to be complete before it starts
    uint32_t GetNeeded(uint32_t s) const
    {
        return m_ring ? m_ring->GetNeeded(m_position, s) : 0;
    }

  private:
    std::optional<RingLane> m_ring;
    uint32_t m_position{0};
    uint32_t m_sends;
    uint32_t m_receives;
    uint32_t m_sendPeer;
    uint32_t m_receivePeer;
    uint64_t m_sendBytes{0}; ///< if there is no ring
    uint64_t m_receiveBytes{0};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_COLLECTIVE_PLAN_H
