/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "collective-solver.h"

#include "ring-rounds.h"

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

ExactTime
LineModel::SerialiseFirst(uint64_t bytes) const
{
    return maxPayload == 0 ? ExactTime() : Serialise(std::min<uint64_t>(bytes, maxPayload));
}

Time
LineModel::GetFirstBit(const ExactTime& start, const ExactTime& first) const
{
    // A device learns of a packet at its end and counts back whole ticks.
    return (start + first + propagation).ToTime() - first.ToTime();
}

void
CollectiveSolver::Begin(CollectiveKind kind, uint64_t bytes, uint32_t n, uint32_t lanes)
{
    m_n = n;
    m_needsAll = true;
    m_method = Method::STARTS;
    m_started = 0;
    m_starts.assign(n, Time::Max());
    m_ends.resize(n);
    m_known.clear();
    while (m_lanes.size() > lanes)
    {
        m_lanes.pop_back();
    }
    for (uint32_t lane = 0; lane < lanes; lane++)
    {
        const RingLane ring(kind, bytes, n, lanes, lane);
        if (lane == m_lanes.size())
        {
            m_lanes.push_back({ring, {}, nullptr, {}, {}});
        }
        auto& flows = m_lanes[lane].flows;
        m_lanes[lane].ring = ring;
        m_lanes[lane].model = nullptr;
        flows.assign(n, Flow());
        // Every chunk passes every rank. Without one of them, some ranks have less to wait for.
        // With fewer steps than other ranks, none hears of them all.
        m_needsAll = m_needsAll && n > 1 && ring.IsRotation() && ring.GetSteps() + 1 >= n &&
                     ring.GetChunks().GetLaneBytes() >= n;
        for (uint32_t position = 0; position < n; position++)
        {
            flows[position].line.origin = n + lane * n + position;
        }
    }
}

void
CollectiveSolver::SetFastest(Method method)
{
    m_fastest = method;
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
    m_known.clear();
    if (m_needsAll && m_started < m_n)
    {
        return;
    }
    if (m_needsAll && m_fastest == Method::ROUNDS && SolveRounds())
    {
        m_method = Method::ROUNDS;
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
        for (uint32_t large = 0; large < 2; large++)
        {
            const uint64_t bytes = chunks.GetSmall() + large;
            lane.duration[large] = flow.model->Serialise(bytes);
            lane.first[large] = flow.model->SerialiseFirst(bytes);
        }
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
    flow.line.free = start + (flow.common ? lane.duration[chunks.IsLarger(chunk)]
                                          : flow.model->Serialise(bytes));
    flow.arrived = {(flow.line.free + flow.model->propagation).Ceil(), flow.line.origin};
    auto& peer = lane.flows[lane.ring.GetNext(position)];
    peer.arrivals.push_back(flow.arrived);
    // Later messages have later first bits.
    flow.firstBit = std::min(flow.firstBit, start.ToTime());
    if (!peer.heard)
    {
        peer.heard = true;
        peer.firstBit = std::min(peer.firstBit,
                                 flow.model->GetFirstBit(start, flow.model->SerialiseFirst(bytes)));
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
CollectiveSolver::SolveRounds()
{
    for (auto& lane : m_lanes)
    {
        Prepare(lane, 0);
        for (uint32_t position = 0; position < m_n; position++)
        {
            const auto& flow = lane.flows[position];
            const ExactTime post(m_starts[position] + lane.model->softwareLatency);
            // All fractions have one denominator.
            if (!(*flow.model == *lane.model) ||
                (flow.line.free > post && !flow.line.free.IsWhole() &&
                 flow.line.free.GetDenominator() != lane.duration[0].GetDenominator()))
            {
                return false;
            }
        }
    }
    for (auto& lane : m_lanes)
    {
        RunRounds(lane);
    }
    m_known.reserve(m_n);
    for (uint32_t position = 0; position < m_n; position++)
    {
        Conclude(position);
    }
    return true;
}

void
CollectiveSolver::RunRounds(Lane& lane)
{
    const auto& ring = lane.ring;
    const auto& chunks = ring.GetChunks();
    const auto& model = *lane.model;
    const uint32_t n = m_n;
    // By place in the direction of the lane, so that each place receives from the one before it.
    const auto position = [&](uint32_t place) { return ring.IsForward() ? place : n - 1 - place; };
    // Rings are solved one after another, in the same memory.
    thread_local RingRounds rounds;
    thread_local std::vector<char> larger;
    larger.resize(n);
    for (uint32_t place = 0; place < n; place++)
    {
        larger[place] = chunks.IsLarger(ring.GetSendChunk(position(place), 0));
    }
    rounds.Begin(lane.duration, larger, (model.propagation + model.softwareLatency).GetTimeStep());
    for (uint32_t place = 0; place < n; place++)
    {
        const uint32_t p = position(place);
        auto& flow = lane.flows[p];
        flow.line.lastPost = m_starts[p] + model.softwareLatency;
        const ExactTime post(flow.line.lastPost);
        const bool waits = flow.line.free > post;
        const ExactTime start = waits ? flow.line.free : post;
        rounds.SetStart(place, start, waits ? flow.line.origin : p);
        flow.firstBit = std::min(flow.firstBit, start.ToTime());
        auto& peer = lane.flows[ring.GetNext(p)];
        peer.firstBit =
            std::min(peer.firstBit, model.GetFirstBit(start, lane.first[larger[place] != 0]));
    }
    const uint32_t steps = ring.GetSends(0);
    rounds.Run(steps - 1);
    for (uint32_t place = 0; place < n; place++)
    {
        auto& flow = lane.flows[position(place)];
        flow.line.free = rounds.GetEnd(place);
        flow.line.origin = rounds.GetOrigin(place);
        if (steps > 1)
        {
            flow.line.lastPost = std::max(flow.line.lastPost, TimeStep(rounds.GetPost(place)));
        }
        flow.arrived = {(flow.line.free + model.propagation).Ceil(), flow.line.origin};
        flow.started = flow.complete = true;
    }
    for (uint32_t p = 0; p < n; p++)
    {
        const auto& arrived = lane.flows[ring.GetPrevious(p)].arrived;
        const int64_t start = m_starts[p].GetTimeStep();
        lane.flows[p].ready = arrived.tick > start ? arrived : Arrival{start, p};
    }
}

const std::vector<uint32_t>&
CollectiveSolver::GetKnown() const
{
    return m_known;
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

CollectiveSolver::Method
CollectiveSolver::GetMethod() const
{
    return m_method;
}

uint32_t
CollectiveSolver::GetOrigins() const
{
    return m_n * (1 + m_lanes.size());
}

} // namespace photonic
} // namespace ns3
