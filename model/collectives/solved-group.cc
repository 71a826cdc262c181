/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "solved-group.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace ns3
{
namespace photonic
{

void
SolvedGroup::Join(Communicator& communicator,
                  Ptr<MessageEndpoint> endpoint,
                  const std::vector<Communicator::Lane>& lanes)
{
    if (m_ranks.empty())
    {
        m_id = communicator.GetId();
        m_ranks = communicator.GetRanks();
        m_members.resize(m_ranks.size());
    }
    else if (m_id != communicator.GetId() || m_ranks != communicator.GetRanks())
    {
        throw std::invalid_argument("rank " + std::to_string(endpoint->GetRank()) +
                                    " joins communicator " + std::to_string(m_id) +
                                    " with other ranks or another number than " + Rank(0));
    }
    Member member{&communicator, endpoint, {}};
    for (const auto& lane : lanes)
    {
        auto port = dynamic_cast<SolvedPort*>(&endpoint->GetPort(lane.localPort));
        if (!port || std::count(member.ports.begin(), member.ports.end(), port) > 0)
        {
            throw std::invalid_argument(
                "port " + std::to_string(lane.localPort) + " of rank " +
                std::to_string(endpoint->GetRank()) +
                (port ? " serves two lanes" : " sends messages instead of solving") +
                ": communicator " + std::to_string(m_id) + " cannot be solved");
        }
        member.ports.push_back(port);
    }
    m_members[communicator.GetPosition()] = std::move(member);
}

void
SolvedGroup::Leave(uint32_t position)
{
    m_members[position].communicator = nullptr;
}

void
SolvedGroup::Start(uint32_t position, Communicator::Request&& request)
{
    if (request.kind >= CollectiveKind::SEND)
    {
        StartExchange(position, std::move(request));
    }
    else
    {
        StartCollective(position, std::move(request));
    }
}

std::string
SolvedGroup::Rank(uint32_t position) const
{
    return "rank " + std::to_string(m_ranks[position]);
}

std::string
SolvedGroup::Name(uint32_t sequence) const
{
    return "communicator " + std::to_string(m_id) + ", operation " + std::to_string(sequence);
}

void
SolvedGroup::Fail(uint32_t position, const std::string& what)
{
    m_members[position].endpoint->Fail(what);
}

bool
SolvedGroup::Claim(uint32_t position, uint32_t lane, uint32_t sequence)
{
    const auto other = m_members[position].ports[lane]->Claim({m_id, sequence});
    if (other)
    {
        Fail(position,
             Rank(position) + " would send " + Name(sequence) + ", over a port that communicator " +
                 std::to_string(other->communicator) + ", operation " +
                 std::to_string(other->sequence) +
                 ", still sends over: collective fidelity cannot tell how they share it");
    }
    return !other;
}

void
SolvedGroup::ShareMemory(const SolvedGroup& other)
{
    m_pool = other.m_pool;
}

void
SolvedGroup::ToPool::Delete(Collective* collective)
{
    collective->parts.clear(); // and what their callbacks hold
    collective->causes.clear();
    collective->dues.clear();
    const auto pool = std::move(collective->pool);
    pool->emplace_back(collective);
}

Ptr<SolvedGroup::Collective>
SolvedGroup::MakeCollective(const Communicator::Request& request, uint32_t position)
{
    const uint32_t n = m_ranks.size();
    Ptr<Collective> collective;
    if (m_pool->empty())
    {
        collective = Create<Collective>();
    }
    else
    {
        collective = Ptr<Collective>(m_pool->back().release());
        m_pool->pop_back();
    }
    collective->pool = m_pool;
    collective->solver.Begin(request.kind, request.bytes, n, m_members[position].ports.size());
    collective->kind = request.kind;
    collective->bytes = request.bytes;
    collective->sequence = request.sequence;
    collective->first = position;
    collective->known = 0;
    collective->parts.resize(n);
    collective->causes.resize(collective->solver.GetOrigins());
    return collective;
}

void
SolvedGroup::StartCollective(uint32_t position, Communicator::Request&& request)
{
    const uint32_t n = m_ranks.size();
    const auto& ports = m_members[position].ports;
    auto& entry = m_collectives[request.sequence];
    if (!entry)
    {
        entry = MakeCollective(request, position);
    }
    // Kept alive: callbacks may start further operations.
    const auto collective = entry;
    if (collective->kind != request.kind || collective->bytes != request.bytes)
    {
        Fail(position,
             Rank(position) + " starts " + ToString(request.kind) + " of " +
                 std::to_string(request.bytes) + " bytes, " + Rank(collective->first) + " " +
                 ToString(collective->kind) + " of " + std::to_string(collective->bytes) + " (" +
                 Name(request.sequence) + ")");
        return;
    }
    auto& part = collective->parts[position];
    if (part.started)
    {
        Fail(position, Rank(position) + " starts " + Name(request.sequence) + " twice");
        return;
    }
    auto& solver = collective->solver;
    for (uint32_t lane = 0; lane < ports.size(); lane++)
    {
        const uint64_t sent = solver.GetLane(lane).GetSentBytes(position);
        if (sent == 0)
        {
            continue;
        }
        part.sent += sent;
        if (!Claim(position, lane, request.sequence))
        {
            return;
        }
        solver.SetLine(lane, position, ports[lane]->GetModel(), ports[lane]->GetFree());
        collective->causes[n + lane * n + position] = ports[lane]->GetCause();
    }
    const Time now = Simulator::Now();
    part.started = true;
    part.begin = now;
    part.received = std::move(request.received);
    part.done = std::move(request.done);
    collective->causes[position] = request.cause;
    solver.Start(position, now);
    const auto& known = solver.GetKnown();
    collective->known += known.size();
    if (collective->known == n)
    {
        m_collectives.erase(collective->sequence);
    }
    for (uint32_t p : known)
    {
        for (uint32_t lane = 0; lane < ports.size(); lane++)
        {
            if (solver.GetLane(lane).GetSentBytes(p) > 0)
            {
                const auto& line = solver.GetLineEnd(lane, p);
                m_members[p].ports[lane]->Leave(line, collective->causes[line.origin]);
            }
        }
    }
    Schedule(collective, position);
}

void
SolvedGroup::Schedule(const Ptr<Collective>& collective, uint32_t self)
{
    const Time now = Simulator::Now();
    auto& dues = collective->dues;
    const std::size_t begin = dues.size();
    for (uint32_t p : collective->solver.GetKnown())
    {
        const auto& end = collective->solver.GetEnd(p);
        const bool early = end.received < end.done && collective->parts[p].received;
        if (early)
        {
            dues.push_back({end.received, p, true, false});
        }
        dues.push_back({end.done, p, !early, true});
    }
    // What the member that starts is to be told at once comes first, the others in order of time.
    const auto atOnce = [&](const Due& due) { return due.position == self && due.at == now; };
    std::sort(dues.begin() + begin, dues.end(), [&](const Due& a, const Due& b) {
        return std::make_tuple(!atOnce(a), a.at, a.position, a.done) <
               std::make_tuple(!atOnce(b), b.at, b.position, b.done);
    });
    const std::size_t end = dues.size();
    std::size_t first = begin;
    while (first < end && atOnce(dues[first]))
    {
        first++;
    }
    const std::size_t scheduled = first;
    while (first < end)
    {
        std::size_t last = first + 1;
        while (last < end && dues[last].at == dues[first].at)
        {
            last++;
        }
        Simulator::Schedule(dues[first].at - now,
                            [self = Ptr<SolvedGroup>(this), collective, first, last] {
                                self->Tell(*collective, first, last);
                            });
        first = last;
    }
    Tell(*collective, begin, scheduled);
}

void
SolvedGroup::Tell(Collective& collective, std::size_t first, std::size_t last)
{
    for (std::size_t i = first; i < last; i++)
    {
        const Due due = collective.dues[i]; // another start may add some in between
        Tell(collective, due);
    }
}

void
SolvedGroup::Tell(Collective& collective, const Due& due)
{
    const auto& member = m_members[due.position];
    const auto& end = collective.solver.GetEnd(due.position);
    auto& part = collective.parts[due.position];
    CollectiveResult result{};
    result.cause = collective.causes[end.receivedOrigin];
    result.firstBit = std::min(end.firstBit, due.at);
    result.sent = part.sent;
    result.traffic.Add(std::max(result.firstBit, part.begin), due.at);
    if (due.received && part.received && member.communicator)
    {
        std::exchange(part.received, nullptr)(result);
    }
    if (due.done && member.communicator)
    {
        result.cause = collective.causes[end.doneOrigin];
        member.communicator->Complete(collective.kind, std::exchange(part.done, nullptr), result);
    }
}

void
SolvedGroup::StartExchange(uint32_t position, Communicator::Request&& request)
{
    auto exchange = std::make_shared<Exchange>();
    exchange->position = position;
    exchange->received = exchange->done = exchange->begin = Simulator::Now();
    exchange->receivedCause = exchange->doneCause = request.cause;
    exchange->request = std::move(request);
    const CollectiveKind kind = exchange->request.kind;
    if (kind != CollectiveKind::RECEIVE && !SendTransfer(*exchange))
    {
        return;
    }
    if (kind == CollectiveKind::SEND || ReceiveTransfer(exchange))
    {
        Schedule(exchange);
    }
}

bool
SolvedGroup::SendTransfer(Exchange& exchange)
{
    const uint32_t position = exchange.position;
    const auto& request = exchange.request;
    const auto& ports = m_members[position].ports;
    const TransferKey key{position, request.peer, request.sequence};
    auto& transfer = m_transfers[key];
    if (transfer.posted && !CheckSize(key, request.bytes, transfer.bytes, position))
    {
        return false;
    }
    transfer.bytes = request.bytes;
    transfer.sent = true;
    transfer.arrival = Simulator::Now();
    transfer.cause = request.cause;
    for (uint32_t lane = 0; lane < ports.size(); lane++)
    {
        const uint64_t bytes = GetLaneBytes(request.bytes, ports.size(), lane);
        if (bytes == 0)
        {
            continue;
        }
        if (!Claim(position, lane, request.sequence))
        {
            return false;
        }
        auto& port = *ports[lane];
        const auto& model = port.GetModel();
        const Time post = Simulator::Now() + model.softwareLatency;
        const bool waits = port.GetFree() > ExactTime(post);
        const ExactTime start = waits ? port.GetFree() : ExactTime(post);
        const Cause cause = waits ? port.GetCause() : request.cause;
        const ExactTime end = start + model.Serialise(bytes);
        const Time arrival = (end + model.propagation).ToTime();
        if (arrival > transfer.arrival)
        {
            transfer.arrival = arrival;
            transfer.cause = cause;
        }
        transfer.firstBit =
            std::min(transfer.firstBit, model.GetFirstBit(start, model.SerialiseFirst(bytes)));
        exchange.firstBit = std::min(exchange.firstBit, start.ToTime());
        exchange.traffic.Add(start.ToTime(), arrival);
        port.Leave({end, post, 0}, cause);
    }
    exchange.done = transfer.arrival;
    exchange.doneCause = transfer.cause;
    if (transfer.posted)
    {
        const auto receiver = transfer.receiver;
        if (receiver)
        {
            Absorb(transfer, *receiver);
            Schedule(receiver);
        }
        m_transfers.erase(key);
    }
    return true;
}

bool
SolvedGroup::ReceiveTransfer(const std::shared_ptr<Exchange>& exchange)
{
    const auto& request = exchange->request;
    const TransferKey key{request.peer, exchange->position, request.sequence};
    auto& transfer = m_transfers[key];
    if (transfer.posted)
    {
        Fail(exchange->position,
             Rank(exchange->position) + " expects one message of " + Rank(request.peer) +
                 " twice (" + Name(request.sequence) + ")");
        return false;
    }
    if (transfer.sent)
    {
        if (!CheckSize(key, transfer.bytes, request.receiveBytes, exchange->position))
        {
            return false;
        }
        Absorb(transfer, *exchange);
        m_transfers.erase(key);
        return true;
    }
    // An empty receive is complete, but has to match its send.
    transfer.posted = true;
    transfer.bytes = request.receiveBytes;
    transfer.receiver = request.receiveBytes > 0 ? exchange : nullptr;
    return !transfer.receiver;
}

void
SolvedGroup::Absorb(const Transfer& transfer, Exchange& exchange)
{
    if (transfer.arrival > exchange.received)
    {
        exchange.received = transfer.arrival;
        exchange.receivedCause = transfer.cause;
    }
    if (exchange.received > exchange.done)
    {
        exchange.done = exchange.received;
        exchange.doneCause = exchange.receivedCause;
    }
    exchange.firstBit = std::min(exchange.firstBit, transfer.firstBit);
    if (transfer.bytes > 0)
    {
        exchange.traffic.Add(std::max(transfer.firstBit, exchange.begin), transfer.arrival);
    }
}

bool
SolvedGroup::CheckSize(const TransferKey& key, uint64_t sent, uint64_t expected, uint32_t position)
{
    if (sent != expected)
    {
        Fail(position,
             Rank(key[0]) + " sends " + std::to_string(sent) + " bytes to " + Rank(key[1]) +
                 ", which expects " + std::to_string(expected) + " (" + Name(key[2]) + ")");
    }
    return sent == expected;
}

void
SolvedGroup::Schedule(const std::shared_ptr<Exchange>& exchange)
{
    const Time now = Simulator::Now();
    const auto at = [&](Time when, bool received, bool done) {
        if (when == now)
        {
            Tell(*exchange, received, done);
            return;
        }
        Simulator::Schedule(when - now, [self = Ptr<SolvedGroup>(this), exchange, received, done] {
            self->Tell(*exchange, received, done);
        });
    };
    const bool early = exchange->received < exchange->done && exchange->request.received;
    if (early)
    {
        at(exchange->received, true, false);
    }
    at(exchange->done, !early, true);
}

void
SolvedGroup::Tell(Exchange& exchange, bool received, bool done)
{
    const auto& member = m_members[exchange.position];
    auto& request = exchange.request;
    const bool sends = request.kind != CollectiveKind::RECEIVE;
    CollectiveResult result{};
    result.cause = exchange.receivedCause;
    result.firstBit = std::min(exchange.firstBit, Simulator::Now());
    result.sent = sends ? request.bytes : 0;
    result.traffic = exchange.traffic;
    if (received && request.received && member.communicator)
    {
        std::exchange(request.received, nullptr)(result);
    }
    if (done && member.communicator)
    {
        result.cause = exchange.doneCause;
        member.communicator->Complete(request.kind, std::exchange(request.done, nullptr), result);
    }
}

std::string
SolvedGroup::DescribeWaiting() const
{
    std::string text;
    const auto add = [&text](const std::string& more) {
        text += (text.empty() ? "" : "; ") + more;
    };
    for (const auto& [sequence, collective] : m_collectives)
    {
        std::string missing;
        for (uint32_t p = 0; p < m_ranks.size(); p++)
        {
            if (!collective->parts[p].started)
            {
                missing += " " + std::to_string(m_ranks[p]);
            }
        }
        add(Name(sequence) + " (" + ToString(collective->kind) + ") waits for rank" + missing);
    }
    for (const auto& [key, transfer] : m_transfers)
    {
        if (transfer.receiver)
        {
            add(Name(key[2]) + ": " + Rank(key[1]) + " waits for " + Rank(key[0]) + " to send");
        }
    }
    return text;
}

} // namespace photonic
} // namespace ns3
