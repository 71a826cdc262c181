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
    if (lanes == 1)
    {
        return bytes;
    }
    return lane == 0 ? bytes - bytes / 2 : bytes / 2;
}

namespace
{

/**
 * Plan the rotating collectives. Data moves in steps from each position to the next one in the
 * direction of the lane; a chunk goes one position per step.
 * @param lead 0 if a rank starts with its own chunk (all-gather), 1 if it ends with it
 */
CollectivePlan::Lane
PlanRotation(RingChunks chunks, uint32_t position, bool forward, uint32_t lead, uint32_t steps)
{
    const uint32_t n = chunks.n;
    const auto behind = [&](uint32_t distance) {
        distance %= n;
        return (position + (forward ? n - distance : distance)) % n;
    };
    CollectivePlan::Lane lane;
    lane.sends.reserve(steps);
    lane.receives.reserve(steps);
    for (uint32_t s = 0; s < steps; s++)
    {
        lane.sends.push_back({behind(n - 1), chunks.GetBytes(behind(lead + s)), s, s});
        lane.receives.push_back({behind(1), chunks.GetBytes(behind(lead + s + 1)), s});
    }
    return lane;
}

/// Plan a broadcast that is pipelined along the ring, chunk by chunk.
CollectivePlan::Lane
PlanPipeline(RingChunks chunks, uint32_t position, bool forward)
{
    const uint32_t n = chunks.n;
    const uint32_t up = (position + 1) % n;
    const uint32_t down = (position + n - 1) % n;
    const uint32_t distance = forward ? position : (n - position) % n; // from the root
    CollectivePlan::Lane lane;
    for (uint32_t chunk = 0; chunk < n; chunk++)
    {
        if (distance > 0)
        {
            lane.receives.push_back({forward ? down : up, chunks.GetBytes(chunk), chunk});
        }
        if (distance + 1 < n)
        {
            lane.sends.push_back(
                {forward ? up : down, chunks.GetBytes(chunk), chunk, distance > 0 ? chunk + 1 : 0});
        }
    }
    return lane;
}

} // namespace

CollectivePlan
PlanRing(CollectiveKind kind, uint64_t bytes, uint32_t n, uint32_t position, uint32_t lanes)
{
    CollectivePlan plan;
    plan.lanes.resize(lanes);
    if (n == 1)
    {
        return plan;
    }
    for (uint32_t lane = 0; lane < lanes; lane++)
    {
        const RingChunks chunks{GetLaneBytes(bytes, lanes, lane), n};
        const bool forward = lane == 0;
        switch (kind)
        {
        case CollectiveKind::ALL_GATHER:
            plan.lanes[lane] = PlanRotation(chunks, position, forward, 0, n - 1);
            break;
        case CollectiveKind::REDUCE_SCATTER:
            plan.lanes[lane] = PlanRotation(chunks, position, forward, 1, n - 1);
            break;
        case CollectiveKind::ALL_REDUCE:
            plan.lanes[lane] = PlanRotation(chunks, position, forward, 1, 2 * (n - 1));
            break;
        case CollectiveKind::BROADCAST:
            plan.lanes[lane] = PlanPipeline(chunks, position, forward);
            break;
        default:
            throw std::invalid_argument(std::string("a ring does not serve '") + ToString(kind) +
                                        "', which is point to point");
        }
    }
    return plan;
}

CollectivePlan
PlanPointToPoint(CollectiveKind kind,
                 uint32_t peer,
                 uint64_t sendBytes,
                 uint64_t receiveBytes,
                 uint32_t lanes)
{
    const bool sends = kind == CollectiveKind::SEND || kind == CollectiveKind::SEND_RECEIVE;
    const bool receives = kind == CollectiveKind::RECEIVE || kind == CollectiveKind::SEND_RECEIVE;
    if (!sends && !receives)
    {
        throw std::invalid_argument(std::string("'") + ToString(kind) + "' is not point to point");
    }
    CollectivePlan plan;
    plan.lanes.resize(lanes);
    for (uint32_t lane = 0; lane < lanes; lane++)
    {
        if (sends)
        {
            plan.lanes[lane].sends.push_back({peer, GetLaneBytes(sendBytes, lanes, lane), 0, 0});
        }
        if (receives)
        {
            plan.lanes[lane].receives.push_back({peer, GetLaneBytes(receiveBytes, lanes, lane), 0});
        }
    }
    return plan;
}

} // namespace photonic
} // namespace ns3
