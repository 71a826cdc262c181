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
            {RingLane(kind, bytes, n, lanes, lane), std::vector<Flow>(n), nullptr, {}, {}});
        const auto& ring = m_lanes.back().ring;
        // Every chunk passes every rank. Without one of them, some ranks have less to wait for.
        m_needsAll =
            m_needsAll && n > 1 && ring.IsRotation() && ring.GetChunks().GetLaneBytes() >= n;
        for (uint32_t position = 0; position < n; position++)
        {
            m_lanes[lane].flows[position].line.origin = n + lane * n + position;
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
    if (m_needsAll && m_started < m_n)
    {
        return;
    }
    if (m_needsAll && m_fastest == Method::CLOSED_FORM && SolveEqualStarts())
    {
        m_method = Method::CLOSED_FORM;
        return;
    }
    if (m_needsAll && m_fastest != Method::STARTS && SolveRounds())
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
        if (chunks.GetLarger() != 0 && small.Ceil() != large.Ceil() &&
            !(small.IsWhole() && large.IsWhole()))
        {
            return false;
        }
    }
    for (auto& lane : m_lanes)
    {
        const auto& ring = lane.ring;
        const auto& model = *lane.model;
        const uint32_t last = ring.GetSends(0) - 1;
        const Time post = start + model.softwareLatency;
        Time firstReceive[2];
        for (uint32_t large = 0; large < 2; large++)
        {
            firstReceive[large] = model.GetFirstBit(ExactTime(post), lane.first[large]);
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
    ConcludeAll();
    return true;
}

void
CollectiveSolver::ConcludeAll()
{
    m_known.reserve(m_n);
    for (uint32_t position = 0; position < m_n; position++)
    {
        Conclude(position);
    }
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
    ConcludeAll();
    return true;
}

namespace
{

/// When a send starts, in ticks and fractions of a lane's denominator.
struct Instant
{
    int64_t tick;
    uint64_t num;
    int64_t post; ///< when it was posted
    uint32_t origin;
};

/// Durations of the two sizes of chunks.
struct Durations
{
    int64_t ticks[2];
    uint64_t nums[2];
    uint64_t den;

    /// @return when a send ends; lines without fractions save their arithmetic
    template <bool FRACTIONS>
    Instant GetEnd(Instant start, bool large) const
    {
        start.tick += ticks[large];
        if (FRACTIONS)
        {
            start.num += nums[large];
            const bool carry = start.num >= den;
            start.num -= carry ? den : 0;
            start.tick += carry;
        }
        return start;
    }

    /**
     * Take a step with all ranks.
     * @param starts of their sends in this step, replaced by those in the next one; each receives
     *        from the one before it, the first from the last
     * @param large whether the chunk is of the larger size, for each
     * @param travel from the end of a send until what it leads to is posted
     */
    template <bool FRACTIONS>
    void Step(std::vector<Instant>& starts, const char* large, int64_t travel) const
    {
        Instant before = GetEnd<FRACTIONS>(starts.back(), large[starts.size() - 1]);
        for (auto& start : starts)
        {
            const int64_t post = before.tick + (FRACTIONS && before.num != 0) + travel;
            const Instant end = GetEnd<FRACTIONS>(start, *large++);
            const bool waits = end.tick > post || (FRACTIONS && end.tick == post && end.num != 0);
            start.tick = waits ? end.tick : post;
            start.num = waits ? end.num : 0;
            start.origin = waits ? end.origin : before.origin;
            start.post = post;
            before = end;
        }
    }
};

} // namespace

void
CollectiveSolver::RunRounds(Lane& lane)
{
    const auto& ring = lane.ring;
    const auto& model = *lane.model;
    const uint32_t n = m_n;
    const int64_t propagation = model.propagation.GetTimeStep();
    const int64_t latency = model.softwareLatency.GetTimeStep();
    const auto& [small, large] = lane.duration;
    const Durations durations{{small.GetTick(), large.GetTick()},
                              {small.GetNumerator(), large.GetNumerator()},
                              small.GetDenominator()};
    // By place in the direction of the lane, so that each place receives from the one before it.
    const auto position = [&](uint32_t place) { return ring.IsForward() ? place : n - 1 - place; };

    std::vector<Instant> starts(n);
    for (uint32_t place = 0; place < n; place++)
    {
        auto& flow = lane.flows[position(place)];
        const Time post = m_starts[position(place)] + model.softwareLatency;
        const bool waits = flow.line.free > ExactTime(post);
        const ExactTime start = waits ? flow.line.free : ExactTime(post);
        starts[place] = {start.GetTick(),
                         start.GetNumerator(),
                         post.GetTimeStep(),
                         waits ? flow.line.origin : position(place)};
        const uint32_t chunk = ring.GetSendChunk(position(place), 0);
        auto& peer = lane.flows[ring.GetNext(position(place))];
        flow.firstBit = std::min(flow.firstBit, start.ToTime());
        peer.firstBit =
            std::min(peer.firstBit, model.GetFirstBit(start, lane.first[IsLarge(lane, chunk)]));
    }
    // Chunks in the order of the places that send them, which shifts by one from step to step.
    std::vector<char> larger(2 * n);
    for (uint32_t i = 0; i < 2 * n; i++)
    {
        larger[i] = IsLarge(lane, position(i % n));
    }
    const bool fractions =
        small.GetNumerator() != 0 || large.GetNumerator() != 0 ||
        std::any_of(starts.begin(), starts.end(), [](const Instant& i) { return i.num != 0; });
    const uint32_t steps = ring.GetSends(0);
    for (uint32_t s = 0; s + 1 < steps; s++)
    {
        const char* row = &larger[position(ring.GetSendChunk(position(0), s))];
        if (fractions)
        {
            durations.Step<true>(starts, row, propagation + latency);
        }
        else
        {
            durations.Step<false>(starts, row, propagation + latency);
        }
    }
    for (uint32_t place = 0; place < n; place++)
    {
        const uint32_t p = position(place);
        const auto& start = starts[place];
        auto& flow = lane.flows[p];
        const Instant end =
            durations.GetEnd<true>(start, IsLarge(lane, ring.GetSendChunk(p, steps - 1)));
        flow.line.free = ExactTime(end.tick, end.num, end.num == 0 ? 1 : durations.den);
        flow.line.lastPost = TimeStep(std::max(start.post, m_starts[p].GetTimeStep() + latency));
        flow.line.origin = start.origin;
        flow.arrived = {end.tick + (end.num != 0) + propagation, start.origin};
        flow.started = flow.complete = true;
    }
    for (uint32_t p = 0; p < n; p++)
    {
        const auto& arrived = lane.flows[ring.GetPrevious(p)].arrived;
        const int64_t start = m_starts[p].GetTimeStep();
        lane.flows[p].ready = arrived.tick > start ? arrived : Arrival{start, p};
    }
}

bool
CollectiveSolver::IsLarge(const Lane& lane, uint32_t chunk)
{
    const auto& chunks = lane.ring.GetChunks();
    return chunk < chunks.GetLarger();
}

CollectiveSolver::Arrival
CollectiveSolver::GetArrival(const Lane& lane, uint32_t position, uint32_t s) const
{
    const auto& ring = lane.ring;
    const auto& chunks = ring.GetChunks();
    const uint32_t larger = chunks.GetLarger();
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
        const uint32_t stays = ring.IsForward() ? chunks.GetCount() - chunk : chunk - (larger - 1);
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
