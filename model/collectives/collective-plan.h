/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_COLLECTIVE_PLAN_H
#define PHOTONIC_COLLECTIVE_PLAN_H

#include "collective-kind.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief What one rank sends and receives in one operation: pure data.
 *
 * An operation runs on one or more lanes side by side (the directions of a ring, the stripes of a
 * send). In each lane receives complete in order, and a send starts when a given number of them
 * has completed.
 */
struct CollectivePlan
{
    struct Receive
    {
        uint32_t peer;  ///< position in the communicator
        uint64_t bytes; ///< 0: counts as arrived from the start, but has to match its send
        uint32_t step;  ///< the sender's number for it
    };

    struct Send
    {
        uint32_t peer;     ///< position in the communicator
        uint64_t bytes;    ///< 0: nothing goes onto the wire
        uint32_t step;     ///< number of the transfer in its lane, the same at the receiver
        uint32_t receives; ///< receives of this lane that have to be complete before it starts
    };

    struct Lane
    {
        std::vector<Receive> receives;
        std::vector<Send> sends; ///< the counts of receives do not decrease
    };

    std::vector<Lane> lanes;
};

/**
 * @ingroup photonic-rails-collectives
 * @brief Size of one chunk of a part of a collective.
 *
 * Lane 0 of two has ceil(bytes/2), each lane is cut into n chunks, and the first (lane bytes mod
 * n) of them have one byte more.
 */
struct RingChunks
{
    uint64_t laneBytes; ///< bytes of the lane
    uint32_t n;         ///< ranks, and chunks

    /// @param chunk 0 to n-1 @return its bytes
    uint64_t GetBytes(uint32_t chunk) const
    {
        return laneBytes / n + (chunk < laneBytes % n ? 1 : 0);
    }
};

/**
 * @ingroup photonic-rails-collectives
 * @param bytes of an operation
 * @param lanes 1 or 2
 * @param lane which
 * @return bytes of the lane: ceil(bytes/2) for the first of two
 */
uint64_t GetLaneBytes(uint64_t bytes, uint32_t lanes, uint32_t lane);

/**
 * @ingroup photonic-rails-collectives
 * @brief A collective as a ring, in one or two directions (bandwidth-optimal; Thakur, Rabenseifner
 * and Gropp, "Optimization of Collective Communication Operations in MPICH", 2005).
 *
 * In lane 0 data goes from position i to i+1, in lane 1 from i to i-1. All-gather and
 * reduce-scatter take n-1 steps, all-reduce 2(n-1); a step starts when the whole chunk of the step
 * before it has arrived. In a broadcast the root (position 0) sends its n chunks one after another
 * and every rank but the last passes them on.
 *
 * @param kind ALL_GATHER, REDUCE_SCATTER, ALL_REDUCE or BROADCAST (else std::invalid_argument)
 * @param bytes total: what every rank has in the end (all-gather, all-reduce, broadcast), or
 *        starts with (reduce-scatter)
 * @param n ranks in the ring
 * @param position of this rank, 0 to n-1
 * @param lanes 1 or 2
 * @return what this rank does; nothing if n is 1
 */
CollectivePlan PlanRing(CollectiveKind kind,
                        uint64_t bytes,
                        uint32_t n,
                        uint32_t position,
                        uint32_t lanes);

/**
 * @ingroup photonic-rails-collectives
 * @brief A point-to-point operation, striped over its lanes.
 * @param peer position of the other rank
 * @param sendBytes bytes sent to it, if send is set
 * @param receiveBytes bytes received from it, if receive is set
 * @param kind SEND, RECEIVE or SEND_RECEIVE
 * @param lanes 1 or 2
 * @return what this rank does
 */
CollectivePlan PlanPointToPoint(CollectiveKind kind,
                                uint32_t peer,
                                uint64_t sendBytes,
                                uint64_t receiveBytes,
                                uint32_t lanes);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_COLLECTIVE_PLAN_H
