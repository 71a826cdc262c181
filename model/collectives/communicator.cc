/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "communicator.h"

#include "communicator-run.h"
#include "solved-group.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("Communicator");
NS_OBJECT_ENSURE_REGISTERED(Communicator);

TypeId
Communicator::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::Communicator")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<Communicator>()
                            .AddTraceSource("Start",
                                            "An operation starts at this rank: kind, bytes.",
                                            MakeTraceSourceAccessor(&Communicator::m_startTrace),
                                            "ns3::photonic::Communicator::StartTracedCallback")
                            .AddTraceSource("Done",
                                            "An operation is complete at this rank: kind, result.",
                                            MakeTraceSourceAccessor(&Communicator::m_doneTrace),
                                            "ns3::photonic::Communicator::DoneTracedCallback");
    return tid;
}

Communicator::Communicator()
{
    NS_LOG_FUNCTION(this);
}

Communicator::~Communicator()
{
    NS_LOG_FUNCTION(this);
}

void
Communicator::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_runs.clear();
    if (m_group)
    {
        m_group->Leave(m_position);
        m_group = nullptr;
    }
    m_endpoint = nullptr;
    Object::DoDispose();
}

void
Communicator::Configure(uint32_t id,
                        RankList ranks,
                        Ptr<MessageEndpoint> endpoint,
                        std::vector<Lane> lanes)
{
    auto self = std::find(ranks.begin(), ranks.end(), endpoint->GetRank());
    if (self == ranks.end())
    {
        throw std::invalid_argument("rank " + std::to_string(endpoint->GetRank()) +
                                    " is not in communicator " + std::to_string(id));
    }
    std::vector<uint32_t> sorted(ranks.begin(), ranks.end());
    std::sort(sorted.begin(), sorted.end());
    auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
    {
        throw std::invalid_argument("rank " + std::to_string(*twice) + " is in communicator " +
                                    std::to_string(id) + " twice");
    }
    m_id = id;
    CheckLanes(lanes);
    m_position = self - ranks.begin();
    m_ranks = std::move(ranks);
    m_endpoint = endpoint;
    m_lanes = std::move(lanes);
}

void
Communicator::SetPeerLanes(uint32_t peer, std::vector<Lane> lanes)
{
    CheckLanes(lanes);
    m_peerLanes[peer] = std::move(lanes);
}

void
Communicator::SetAlgorithms(Ptr<const AlgorithmTable> algorithms)
{
    m_algorithms = algorithms;
}

void
Communicator::SetNeighboursOnly()
{
    m_neighboursOnly = true;
}

void
Communicator::CheckLanes(const std::vector<Lane>& lanes) const
{
    if (lanes.empty() || lanes.size() > MAX_LANES)
    {
        throw std::invalid_argument("communicator " + std::to_string(m_id) + " has " +
                                    std::to_string(lanes.size()) + " lanes: expected 1 to " +
                                    std::to_string(MAX_LANES));
    }
}

void
Communicator::SetGroup(Ptr<SolvedGroup> group)
{
    group->Join(*this, m_endpoint, m_lanes);
    m_group = group;
}

uint32_t
Communicator::GetId() const
{
    return m_id;
}

const RankList&
Communicator::GetRanks() const
{
    return m_ranks;
}

uint32_t
Communicator::GetPosition() const
{
    return m_position;
}

void
Communicator::Collective(CollectiveKind kind, uint64_t bytes, Done done)
{
    Request request;
    request.kind = kind;
    request.bytes = bytes;
    request.sequence = m_sequence++;
    request.done = std::move(done);
    Start(std::move(request));
}

void
Communicator::AllGather(uint64_t totalBytes, Done done)
{
    Collective(CollectiveKind::ALL_GATHER, totalBytes, std::move(done));
}

void
Communicator::ReduceScatter(uint64_t totalBytes, Done done)
{
    Collective(CollectiveKind::REDUCE_SCATTER, totalBytes, std::move(done));
}

void
Communicator::AllReduce(uint64_t bytes, Done done)
{
    Collective(CollectiveKind::ALL_REDUCE, bytes, std::move(done));
}

void
Communicator::Broadcast(uint64_t bytes, Done done)
{
    Collective(CollectiveKind::BROADCAST, bytes, std::move(done));
}

void
Communicator::AllToAll(uint64_t bytes, Done done)
{
    Collective(CollectiveKind::ALL_TO_ALL, bytes, std::move(done));
}

void
Communicator::AllToAll(Ptr<const AllToAllBytes> shares, Done done)
{
    Request request;
    request.kind = CollectiveKind::ALL_TO_ALL;
    request.shares = shares;
    request.sequence = m_sequence++;
    request.done = std::move(done);
    Start(std::move(request));
}

namespace
{
/// Point-to-point operations without a number of their own are counted apart from collectives.
constexpr uint32_t POINT_TO_POINT = 1u << 31;
} // namespace

void
Communicator::Send(uint32_t peer, uint64_t bytes, Done done)
{
    Request request;
    request.kind = CollectiveKind::SEND;
    request.bytes = bytes;
    request.peer = peer;
    request.sequence = POINT_TO_POINT | m_sent[peer]++;
    request.done = std::move(done);
    Start(std::move(request));
}

void
Communicator::Receive(uint32_t peer, uint64_t bytes, Done done)
{
    Request request;
    request.kind = CollectiveKind::RECEIVE;
    request.receiveBytes = bytes;
    request.peer = peer;
    request.sequence = POINT_TO_POINT | m_received[peer]++;
    request.done = std::move(done);
    Start(std::move(request));
}

void
Communicator::Start(Request request)
{
    NS_LOG_FUNCTION(this << m_id << ToString(request.kind) << request.bytes);
    const bool pointToPoint = request.kind >= CollectiveKind::SEND;
    if (pointToPoint && (request.peer >= m_ranks.size() || request.peer == m_position))
    {
        throw std::invalid_argument("position " + std::to_string(request.peer) +
                                    " is no peer of position " + std::to_string(m_position) +
                                    " in communicator " + std::to_string(m_id) + " of " +
                                    std::to_string(m_ranks.size()) + " ranks");
    }
    if (request.shares)
    {
        request.bytes = request.shares->GetTotal(m_position);
    }
    if (m_group)
    {
        if (const auto* planned = FindPlanned(request))
        {
            throw std::invalid_argument(
                "communicator " + std::to_string(m_id) + ": collective fidelity cannot solve '" +
                ToString(request.kind) + "' by algorithm '" + planned->GetName() +
                "', expected packet or message fidelity");
        }
        m_startTrace(request.kind, request.bytes);
        m_solving++;
        m_group->Start(m_position, std::move(request));
        return;
    }
    auto made = MakeRun(std::move(request));
    m_startTrace(made->GetRequest().kind, made->GetRequest().bytes);
    m_runs.push_back(std::move(made));
    auto run = std::prev(m_runs.end());
    (*run)->Start(run);
}

CollectiveTask
Communicator::MakeTask(const Request& request) const
{
    const uint32_t n = m_ranks.size();
    return {request.kind,
            request.bytes,
            n,
            request.shares,
            !m_neighboursOnly || m_lanes.size() > 1 || n == 2};
}

/// @return the algorithm of a collective that has a plan; null: it runs on its lanes
const CollectiveAlgorithm*
Communicator::FindPlanned(const Request& request) const
{
    static const Ptr<const AlgorithmTable> defaults = Create<AlgorithmTable>();
    const auto kind = request.kind;
    if (kind >= CollectiveKind::SEND || (!m_algorithms && kind != CollectiveKind::ALL_TO_ALL))
    {
        return nullptr;
    }
    const auto& algorithm =
        (m_algorithms ? m_algorithms : defaults)
            ->Find(kind,
                   m_ranks.size(),
                   request.shares ? request.shares->GetLargestTotal() : request.bytes);
    return algorithm.UsesRingLanes(kind) ? nullptr : &algorithm;
}

/// @return lanes of a transfer; none if nothing leads there
std::vector<Communicator::Lane>
Communicator::GetLanesTo(uint32_t peer, MemberPlan::Via via) const
{
    const uint32_t n = m_ranks.size();
    const bool next = peer == (m_position + 1) % n;
    const bool previous = m_position == (peer + 1) % n;
    if (via == MemberPlan::Via::PEER)
    {
        const auto own = m_peerLanes.find(peer);
        if (own != m_peerLanes.end())
        {
            return own->second;
        }
        if (!m_neighboursOnly || (next && previous))
        {
            return m_lanes;
        }
        if (!next && (!previous || m_lanes.size() == 1))
        {
            return {};
        }
        via = next ? MemberPlan::Via::UPWARDS : MemberPlan::Via::DOWNWARDS;
    }
    if (m_lanes.size() == 1)
    {
        return m_lanes;
    }
    std::vector<Lane> lanes;
    for (std::size_t lane = via == MemberPlan::Via::UPWARDS ? 0 : 1; lane < m_lanes.size();
         lane += 2)
    {
        lanes.push_back(m_lanes[lane]);
    }
    return lanes;
}

std::unique_ptr<Communicator::Run>
Communicator::MakeRun(Request request)
{
    if (const auto* planned = FindPlanned(request))
    {
        return std::make_unique<PlannedRun>(*this, std::move(request), *planned);
    }
    return std::make_unique<LanesRun>(*this, std::move(request));
}

void
Communicator::Finish(std::list<std::unique_ptr<Run>>::iterator run, const Cause& cause)
{
    const CollectiveKind kind = (*run)->GetRequest().kind;
    const CollectiveResult result = (*run)->GetResult(cause);
    Done done = (*run)->GetRequest().done;
    // Not destroyed before its caller has returned: the run is the one that is calling.
    std::list<std::unique_ptr<Run>> finished;
    finished.splice(finished.begin(), m_runs, run);
    m_doneTrace(kind, result);
    if (done)
    {
        done(result);
    }
}

void
Communicator::Complete(CollectiveKind kind, const Done& done, const CollectiveResult& result)
{
    m_solving--;
    m_doneTrace(kind, result);
    if (done)
    {
        done(result);
    }
}

std::size_t
Communicator::GetRunning() const
{
    return m_runs.size() + m_solving;
}

} // namespace photonic
} // namespace ns3
