/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "communicator-run.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// A transfer's number has the bits of a step, see Run::GetKey().
constexpr uint32_t MAX_TRANSFERS = 1u << 24;

} // namespace

Communicator::PlannedRun::PlannedRun(Communicator& communicator,
                                     Request request,
                                     const CollectiveAlgorithm& algorithm)
    : Run(communicator, std::move(request)),
      m_plan(algorithm.Plan(communicator.MakeTask(m_request), communicator.m_position)),
      m_streams(m_plan.streams.size()),
      m_next(m_plan.queues.size())
{
    for (const auto& queue : m_plan.queues)
    {
        for (const auto& send : queue)
        {
            CheckTransfer(send.peer, send.number, send.via, algorithm);
            m_sendsLeft += GetLanes(send.peer, send.via).size();
        }
    }
    for (const auto& stream : m_plan.streams)
    {
        for (const auto& receive : stream)
        {
            CheckTransfer(receive.peer, receive.number, receive.via, algorithm);
        }
        m_receivesLeft += stream.size();
    }
}

/// Refuse a transfer that cannot be; else keep its lanes.
void
Communicator::PlannedRun::CheckTransfer(uint32_t peer,
                                        uint32_t number,
                                        MemberPlan::Via via,
                                        const CollectiveAlgorithm& algorithm)
{
    auto& ways = m_ways[static_cast<std::size_t>(via)];
    auto way = ways.find(peer);
    if (way == ways.end())
    {
        way = ways.emplace(peer, m_communicator.GetLanesTo(peer, via)).first;
    }
    const auto refuse = [&](const std::string& why) {
        throw std::invalid_argument("algorithm '" + algorithm.GetName() +
                                    "' cannot do an operation of kind '" +
                                    ToString(m_request.kind) + "' in communicator " +
                                    std::to_string(m_communicator.m_id) + ": " + why);
    };
    if (way->second.empty())
    {
        refuse("rank " + std::to_string(m_endpoint->GetRank()) + " has no lane to rank " +
               std::to_string(m_communicator.m_ranks[peer]));
    }
    if (number >= MAX_TRANSFERS)
    {
        refuse("expected at most " + std::to_string(MAX_TRANSFERS) + " transfers");
    }
}

const std::vector<Communicator::Lane>&
Communicator::PlannedRun::GetLanes(uint32_t peer, MemberPlan::Via via) const
{
    return m_ways[static_cast<std::size_t>(via)].at(peer);
}

void
Communicator::PlannedRun::Begin()
{
    Progress(m_request.cause);
}

bool
Communicator::PlannedRun::IsReady(const MemberPlan::Send& send) const
{
    return std::all_of(m_plan.needs.begin() + send.firstNeed,
                       m_plan.needs.begin() + send.lastNeed,
                       [this](const MemberPlan::Need& need) {
                           return m_streams[need.stream].received >= need.receives;
                       });
}

/// Start what may start.
void
Communicator::PlannedRun::Progress(const Cause& cause)
{
    for (bool moved = true; moved;)
    {
        // Queues take turns, as they may share a port.
        for (bool sent = true; sent;)
        {
            sent = false;
            for (std::size_t i = 0; i < m_next.size(); i++)
            {
                const auto& queue = m_plan.queues[i];
                if (m_next[i] < queue.size() && IsReady(queue[m_next[i]]))
                {
                    Send(queue[m_next[i]++], cause);
                    sent = true;
                }
            }
        }
        // Data that had arrived early is there already: go on.
        moved = false;
        for (std::size_t i = 0; i < m_streams.size(); i++)
        {
            moved |= Receive(i);
        }
    }
}

void
Communicator::PlannedRun::Send(const MemberPlan::Send& send, const Cause& cause)
{
    const auto& lanes = GetLanes(send.peer, send.via);
    for (uint32_t lane = 0; lane < lanes.size(); lane++)
    {
        Run::Send(m_communicator.m_ranks[send.peer],
                  lanes[lane],
                  GetKey(lane, send.number),
                  GetLaneBytes(send.bytes, lanes.size(), lane),
                  cause);
    }
}

/// Post the next receive of a stream, if none is posted. @return whether it is complete already
bool
Communicator::PlannedRun::Receive(std::size_t stream)
{
    auto& state = m_streams[stream];
    if (state.pending > 0 || state.received == m_plan.streams[stream].size())
    {
        return false;
    }
    const auto& receive = m_plan.streams[stream][state.received];
    const uint32_t lanes = GetLanes(receive.peer, receive.via).size();
    state.pending = lanes;
    for (uint32_t lane = 0; lane < lanes; lane++)
    {
        m_endpoint->Receive(m_communicator.m_ranks[receive.peer],
                            GetKey(lane, receive.number),
                            GetLaneBytes(receive.bytes, lanes, lane),
                            [this, stream](const Message& message, Time firstBit) {
                                Received(stream, message, firstBit);
                            });
    }
    return state.pending == 0;
}

void
Communicator::PlannedRun::Received(std::size_t stream, const Message& message, Time firstBit)
{
    auto& state = m_streams[stream];
    state.pending--;
    SeeBits(message, firstBit);
    if (state.pending > 0)
    {
        return;
    }
    state.received++;
    m_receivesLeft--;
    if (m_busy)
    {
        return; // within Progress(), which goes on
    }
    const Cause cause = message.cause;
    m_busy = true;
    Progress(cause);
    m_busy = false;
    CheckReceived(cause);
    CheckDone(cause);
}

} // namespace photonic
} // namespace ns3
