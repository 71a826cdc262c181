/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "communicator.h"

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

/**
 * One operation under way: the executor of its LanePlans.
 */
class Communicator::Run
{
  public:
    Run(Communicator& communicator, Request request)
        : m_communicator(communicator),
          m_endpoint(PeekPointer(communicator.m_endpoint)),
          m_request(std::move(request))
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
                               GetKey(lane)});
            m_receivesLeft += plan.GetReceives();
            m_sendsLeft += plan.GetSends();
        }
    }

    /// @param self where the communicator keeps this run
    void Start(std::list<std::unique_ptr<Run>>::iterator self)
    {
        m_self = self;
        m_busy = true;
        for (auto& lane : m_lanes)
        {
            Progress(lane, m_request.cause);
        }
        m_busy = false;
        CheckReceived(m_request.cause);
        CheckDone(m_request.cause);
    }

    const Request& GetRequest() const
    {
        return m_request;
    }

    CollectiveResult GetResult(const Cause& cause) const
    {
        return {cause, std::min(m_firstBit, Simulator::Now()), m_sent, m_traffic};
    }

  private:
    /// A lane of the operation, with all that it needs of the communicator.
    struct LaneRun
    {
        MessageKey GetKey(uint32_t step) const
        {
            return {key.communicator, key.sequence, key.step | step};
        }

        LanePlan plan;
        Lane ports;
        uint32_t to;   ///< rank
        uint32_t from; ///< rank
        MessageKey key;
        uint32_t received{0}; ///< receives complete
        uint32_t sent{0};     ///< sends started
        bool waiting{false};  ///< a receive is posted
    };

    const std::vector<Lane>& GetPorts() const
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

    LanePlan Plan(uint32_t lanes, uint32_t lane) const
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

    /// @return key of a lane's transfers, to which the step is added
    MessageKey GetKey(uint32_t lane) const
    {
        // Five bits number the lane, three the kind, the others the step.
        // Another collective of the same sizes is no match. A batch may meet a send and a receive.
        const auto kind =
            static_cast<uint32_t>(IsPointToPoint() ? CollectiveKind::SEND : m_request.kind);
        return {m_communicator.m_id, m_request.sequence, lane << 27 | kind << 24};
    }

    /// Start what may start in a lane.
    void Progress(LaneRun& lane, const Cause& cause)
    {
        const auto& plan = lane.plan;
        do
        {
            while (lane.sent < plan.GetSends() && plan.GetNeeded(lane.sent) <= lane.received)
            {
                Send(lane, lane.sent++, cause);
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

    void Send(const LaneRun& lane, uint32_t number, const Cause& cause)
    {
        const uint64_t bytes = lane.plan.GetSendBytes(number);
        m_sent += bytes;
        m_endpoint->Send(lane.to,
                         lane.ports.localPort,
                         lane.ports.remotePort,
                         lane.GetKey(number),
                         bytes,
                         cause,
                         [this](const Message& message) {
                             m_sendsLeft--;
                             SeeBits(message, message.firstBit);
                             CheckDone(message.cause);
                         });
    }

    /// An empty message has no bits.
    void SeeBits(const Message& message, Time firstBit)
    {
        if (message.bytes > 0)
        {
            m_firstBit = std::min(m_firstBit, firstBit);
            m_traffic.Add(std::max(firstBit, m_begin), message.lastBit);
        }
    }

    void Received(LaneRun& lane, const Message& message, Time firstBit)
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

    void CheckReceived(const Cause& cause)
    {
        if (m_receivesLeft == 0 && m_request.received)
        {
            Done received = std::move(m_request.received);
            m_request.received = nullptr;
            received(GetResult(cause));
        }
    }

    void CheckDone(const Cause& cause)
    {
        if (m_receivesLeft == 0 && m_sendsLeft == 0 && !m_busy && !m_finished)
        {
            m_finished = true;
            m_communicator.Finish(m_self, cause); // deletes this
        }
    }

    bool IsPointToPoint() const
    {
        return m_request.kind >= CollectiveKind::SEND;
    }

    Communicator& m_communicator;
    MessageEndpoint* m_endpoint;
    std::vector<LaneRun> m_lanes;
    std::size_t m_receivesLeft{0};
    std::size_t m_sendsLeft{0}; ///< those whose last bit has not arrived
    uint64_t m_sent{0};
    Time m_begin{Simulator::Now()};
    Time m_firstBit{Time::Max()};
    bool m_busy{false}; ///< callbacks of this very moment are not looked into
    bool m_finished{false};
    IntervalUnion m_traffic;
    Request m_request;
    std::list<std::unique_ptr<Run>>::iterator m_self;
};

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
    m_startTrace(request.kind, request.bytes);
    if (m_group)
    {
        m_solving++;
        m_group->Start(m_position, std::move(request));
        return;
    }
    m_runs.push_back(std::make_unique<Run>(*this, std::move(request)));
    auto run = std::prev(m_runs.end());
    (*run)->Start(run);
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
