/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "collective-solver.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace photonic
{

ExactTime
LineModel::Serialise(uint64_t bytes) const
{
    const uint64_t packets = maxPayload == 0 ? 0 : (bytes + maxPayload - 1) / maxPayload;
    return rate.Serialise(bytes + packets * overhead);
}

Time
LineModel::GetFirstBit(const ExactTime& start, uint64_t bytes) const
{
    if (maxPayload == 0)
    {
        return (start + propagation).ToTime();
    }
    // A device learns of a packet at its end and counts back whole ticks.
    const ExactTime packet = Serialise(std::min<uint64_t>(bytes, maxPayload));
    return (start + packet + propagation).ToTime() - packet.ToTime();
}

RingLane::RingLane(CollectiveKind kind, uint64_t bytes, uint32_t n, uint32_t lanes, uint32_t lane)
    : m_chunks{GetLaneBytes(bytes, lanes, lane), n},
      m_lead(kind == CollectiveKind::ALL_GATHER ? 0 : 1),
      m_forward(lane == 0),
      m_rotation(kind != CollectiveKind::BROADCAST)
{
    if (n > 1)
    {
        m_steps = kind == CollectiveKind::BROADCAST    ? n
                  : kind == CollectiveKind::ALL_REDUCE ? 2 * (n - 1)
                                                       : n - 1;
    }
}

uint64_t
RingLane::GetSentBytes(uint32_t position) const
{
    if (!m_rotation)
    {
        return GetSends(position) > 0 ? m_chunks.laneBytes : 0;
    }
    // Whole rounds, without the chunks that would come before the first and after the last step.
    const uint64_t rounds = (m_steps + m_chunks.n - 1) / m_chunks.n;
    uint64_t bytes = rounds * m_chunks.laneBytes;
    for (uint32_t s = m_steps; s < rounds * m_chunks.n; s++)
    {
        bytes -= m_chunks.GetBytes(GetSendChunk(position, s));
    }
    return bytes;
}

CollectiveSolver::CollectiveSolver(CollectiveKind kind, uint64_t bytes, uint32_t n, uint32_t lanes)
    : m_n(n),
      m_needsAll(true),
      m_starts(n, Time::Max()),
      m_ends(n)
{
    m_lanes.reserve(lanes);
    for (uint32_t lane = 0; lane < lanes; lane++)
    {
        m_lanes.push_back(
            {RingLane(kind, bytes, n, lanes, lane), std::vector<Flow>(n), nullptr, {}});
        const auto& ring = m_lanes.back().ring;
        // Every chunk passes every rank. Without one of them, some ranks have less to wait for.
        m_needsAll = m_needsAll && n > 1 && ring.IsRotation() && ring.GetChunks().laneBytes >= n;
        for (uint32_t position = 0; position < n; position++)
        {
            m_lanes[lane].flows[position].line.origin = n + lane * n + position;
        }
    }
}

void
CollectiveSolver::FollowEveryStep()
{
    m_closedForm = false;
}

void
CollectiveSolver::SetLine(uint32_t lane,
                          uint32_t position,
                          const LineModel& model,
                          const ExactTime& free)
{
    auto& flow = m_lanes[lane].flows[position];
    flow.model = &model;
    flow.line.free = free;
}

void
CollectiveSolver::Start(uint32_t position, Time start)
{
    m_starts[position] = start;
    m_started++;
    if (m_needsAll && m_started < m_n)
    {
        return;
    }
    if (m_needsAll && m_closedForm && SolveEqualStarts())
    {
        m_closedFormUsed = true;
        return;
    }
    for (auto& lane : m_lanes)
    {
        for (uint32_t p = m_needsAll ? 0 : position; p < (m_needsAll ? m_n : position + 1); p++)
        {
            Prepare(lane, p);
        }
    }
    for (auto& lane : m_lanes)
    {
        for (uint32_t p = m_needsAll ? 0 : position; p < (m_needsAll ? m_n : position + 1); p++)
        {
            Follow(lane, p);
        }
    }
}

void
CollectiveSolver::Prepare(Lane& lane, uint32_t position)
{
    auto& flow = lane.flows[position];
    flow.started = true;
    flow.ready = {m_starts[position].GetTimeStep(), position};
    flow.arrived = flow.ready;
    flow.line.lastPost = Time::Min();
    if (!lane.model && flow.model)
    {
        const auto& chunks = lane.ring.GetChunks();
        lane.model = flow.model;
        lane.duration[0] = flow.model->Serialise(chunks.laneBytes / chunks.n);
        lane.duration[1] = flow.model->Serialise(chunks.laneBytes / chunks.n + 1);
    }
    flow.common = flow.model && *flow.model == *lane.model;
}

void
CollectiveSolver::Follow(Lane& lane, uint32_t position)
{
    // Only the successor of a rank that has sent may have got something to do.
    while (Advance(lane, position))
    {
        position = lane.ring.GetNext(position);
    }
}

bool
CollectiveSolver::Advance(Lane& lane, uint32_t position)
{
    const auto& ring = lane.ring;
    auto& flow = lane.flows[position];
    if (!flow.started || flow.complete)
    {
        return false;
    }
    const uint32_t sends = ring.GetSends(position);
    const uint32_t receives = ring.GetReceives(position);
    const uint32_t before = flow.sent;
    while (true)
    {
        while (flow.sent < sends && ring.GetNeeded(position, flow.sent) <= flow.received)
        {
            Send(lane, position);
        }
        if (flow.received == receives)
        {
            flow.complete = true;
            Conclude(position);
            break;
        }
        const uint32_t chunk = ring.GetReceiveChunk(position, flow.received);
        if (ring.GetChunks().GetBytes(chunk) > 0) // else it counts as arrived
        {
            if (flow.head == flow.arrivals.size())
            {
                break;
            }
            const Arrival& arrival = flow.arrivals[flow.head++];
            if (arrival.tick > flow.ready.tick)
            {
                flow.ready = arrival;
            }
            if (flow.head == flow.arrivals.size())
            {
                flow.arrivals.clear();
                flow.head = 0;
            }
        }
        flow.received++;
    }
    return flow.sent > before;
}

void
CollectiveSolver::Send(Lane& lane, uint32_t position)
{
    const auto& chunks = lane.ring.GetChunks();
    auto& flow = lane.flows[position];
    const uint32_t chunk = lane.ring.GetSendChunk(position, flow.sent);
    flow.sent++;
    const uint64_t bytes = chunks.GetBytes(chunk);
    if (bytes == 0)
    {
        return;
    }
    const Time post = TimeStep(flow.ready.tick) + flow.model->softwareLatency;
    ExactTime start(post);
    if (flow.line.free > start)
    {
        start = flow.line.free;
    }
    else
    {
        flow.line.origin = flow.ready.origin;
    }
    flow.line.lastPost = post;
    flow.line.free = start + (flow.common ? lane.duration[bytes > chunks.laneBytes / chunks.n]
                                          : flow.model->Serialise(bytes));
    flow.arrived = {(flow.line.free + flow.model->propagation).Ceil(), flow.line.origin};
    auto& peer = lane.flows[lane.ring.GetNext(position)];
    peer.arrivals.push_back(flow.arrived);
    // Later messages have later first bits.
    flow.firstBit = std::min(flow.firstBit, start.ToTime());
    if (!peer.heard)
    {
        peer.heard = true;
        peer.firstBit = std::min(peer.firstBit, flow.model->GetFirstBit(start, bytes));
    }
}

void
CollectiveSolver::Conclude(uint32_t position)
{
    Arrival received{INT64_MIN, 0};
    Arrival done{INT64_MIN, 0};
    Time firstBit = Time::Max();
    for (const auto& lane : m_lanes)
    {
        const auto& flow = lane.flows[position];
        if (!flow.complete)
        {
            return;
        }
        if (flow.ready.tick >= received.tick)
        {
            received = flow.ready;
        }
        const auto& last = flow.arrived.tick >= flow.ready.tick ? flow.arrived : flow.ready;
        if (last.tick >= done.tick)
        {
            done = last;
        }
        firstBit = std::min(firstBit, flow.firstBit);
    }
    m_ends[position] = {TimeStep(received.tick),
                        TimeStep(done.tick),
                        firstBit,
                        received.origin,
                        done.origin};
    m_known.push_back(position);
}

bool
CollectiveSolver::SolveEqualStarts()
{
    const Time start = m_starts[0];
    for (const auto& s : m_starts)
    {
        if (s != start)
        {
            return false;
        }
    }
    for (auto& lane : m_lanes)
    {
        Prepare(lane, 0);
        const ExactTime post(start + lane.model->softwareLatency);
        for (const auto& flow : lane.flows)
        {
            if (!(*flow.model == *lane.model) || flow.line.free > post)
            {
                return false;
            }
        }
        // Fractions of a tick disappear if every rank moves at every step.
        const auto& chunks = lane.ring.GetChunks();
        const auto& [small, large] = lane.duration;
        if (chunks.laneBytes % chunks.n != 0 && small.Ceil() != large.Ceil() &&
            !(small.IsWhole() && large.IsWhole()))
        {
            return false;
        }
    }
    for (auto& lane : m_lanes)
    {
        const auto& ring = lane.ring;
        const auto& chunks = ring.GetChunks();
        const auto& model = *lane.model;
        const uint32_t last = ring.GetSends(0) - 1;
        const Time post = start + model.softwareLatency;
        Time firstReceive[2];
        for (uint32_t large = 0; large < 2; large++)
        {
            firstReceive[large] =
                model.GetFirstBit(ExactTime(post), chunks.laneBytes / chunks.n + large);
        }
        for (uint32_t position = 0; position < m_n; position++)
        {
            auto& flow = lane.flows[position];
            flow.started = true;
            flow.complete = true;
            flow.ready = GetArrival(lane, position, last);
            flow.arrived = GetArrival(lane, ring.GetNext(position), last);
            flow.firstBit =
                std::min(post, firstReceive[IsLarge(lane, ring.GetReceiveChunk(position, 0))]);
            flow.line.lastPost =
                model.softwareLatency +
                (last == 0 ? start : TimeStep(GetArrival(lane, position, last - 1).tick));
            flow.line.origin = flow.arrived.origin;
            // With fractions every send follows a receive; without, the arrival is exact.
            const auto& duration = lane.duration[IsLarge(lane, ring.GetSendChunk(position, last))];
            flow.line.free = duration.IsWhole()
                                 ? ExactTime(TimeStep(flow.arrived.tick) - model.propagation)
                                 : ExactTime(flow.line.lastPost) + duration;
        }
    }
    m_known.reserve(m_n);
    for (uint32_t position = 0; position < m_n; position++)
    {
        Conclude(position);
    }
    return true;
}

bool
CollectiveSolver::IsLarge(const Lane& lane, uint32_t chunk)
{
    const auto& chunks = lane.ring.GetChunks();
    return chunk < chunks.laneBytes % chunks.n;
}

CollectiveSolver::Arrival
CollectiveSolver::GetArrival(const Lane& lane, uint32_t position, uint32_t s) const
{
    const auto& ring = lane.ring;
    const auto& chunks = ring.GetChunks();
    const uint32_t larger = chunks.laneBytes % chunks.n;
    const uint32_t chunk = ring.GetReceiveChunk(position, s);
    const int64_t latency = lane.model->softwareLatency.GetTimeStep();
    const int64_t move = lane.model->propagation.GetTimeStep() + latency;
    const int64_t small = lane.duration[0].Ceil();
    const int64_t large = lane.duration[1].Ceil();
    const int64_t own = chunk < larger ? large : small;
    const int64_t start = m_starts[0].GetTimeStep();
    // Only moves: this chunk has come all the way.
    Arrival arrival{start + (s + 1) * (move + own), ring.GetBehind(position, s + 1)};
    if (larger > 0 && chunk >= larger)
    {
        // Chunks are sent in falling order in lane 0 and in rising order in lane 1.
        const uint32_t stays = ring.IsForward() ? chunks.n - chunk : chunk - (larger - 1);
        if (stays <= s)
        {
            const int64_t moves = s - stays;
            const int64_t tick = start + moves * (move + large) + large + stays * small + move;
            if (tick > arrival.tick)
            {
                arrival = {tick, ring.GetBehind(position, moves + 1)};
            }
        }
    }
    return arrival;
}

std::vector<uint32_t>
CollectiveSolver::TakeKnown()
{
    return std::exchange(m_known, {});
}

const CollectiveSolver::End&
CollectiveSolver::GetEnd(uint32_t position) const
{
    return m_ends[position];
}

const CollectiveSolver::LineEnd&
CollectiveSolver::GetLineEnd(uint32_t lane, uint32_t position) const
{
    return m_lanes[lane].flows[position].line;
}

const RingLane&
CollectiveSolver::GetLane(uint32_t lane) const
{
    return m_lanes[lane].ring;
}

bool
CollectiveSolver::IsClosedForm() const
{
    return m_closedFormUsed;
}

uint32_t
CollectiveSolver::GetOrigins() const
{
    return m_n * (1 + m_lanes.size());
}

} // namespace photonic
} // namespace ns3
