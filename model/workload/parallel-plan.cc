/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "parallel-plan.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

/// A range of group identifiers per kind of group: they have to fit into 32 bits.
constexpr uint64_t MAX_RANKS = uint64_t{1} << 29;

} // namespace

ParallelPlan::ParallelPlan(const Degrees& degrees)
    : m_degrees(degrees)
{
    const std::string product = "tp " + std::to_string(degrees.tp) + " x fsdp " +
                                std::to_string(degrees.fsdp) +
                                (degrees.dp == 1 ? "" : " x dp " + std::to_string(degrees.dp)) +
                                " x pp " + std::to_string(degrees.pp);
    if (degrees.tp == 0 || degrees.fsdp == 0 || degrees.dp == 0 || degrees.pp == 0)
    {
        throw std::invalid_argument("every parallel degree has to be at least 1, found " + product);
    }
    if (degrees.interleave == 0)
    {
        throw std::invalid_argument("a pipeline stage holds at least 1 chunk of layers, found 0");
    }
    uint64_t ranks = degrees.tp;
    for (uint32_t degree : {degrees.fsdp, degrees.dp, degrees.pp})
    {
        ranks = std::min(ranks, MAX_RANKS + 1) * degree; // cannot overflow
    }
    if (ranks > MAX_RANKS)
    {
        throw std::invalid_argument(product + " is more than " + std::to_string(MAX_RANKS) +
                                    " ranks");
    }
    if (m_degrees.gpusPerNode == 0)
    {
        m_degrees.gpusPerNode = degrees.tp;
    }
    if (degrees.graph && (ranks != degrees.pp || m_degrees.gpusPerNode != 1))
    {
        throw std::invalid_argument("an operator graph has " + product + " ranks, " +
                                    std::to_string(m_degrees.gpusPerNode) +
                                    " per node: expected pp alone, and 1 per node");
    }
    if (GetRanks() % m_degrees.gpusPerNode != 0)
    {
        throw std::invalid_argument(product + " = " + std::to_string(GetRanks()) +
                                    " ranks are not a multiple of " +
                                    std::to_string(m_degrees.gpusPerNode) + " GPUs per node");
    }

    for (GroupSlot slot : {GroupSlot::TP, GroupSlot::FSDP, GroupSlot::DP, GroupSlot::PP})
    {
        for (uint32_t rank = 0; rank < GetRanks(); ++rank)
        {
            const Span span = GetSpan(rank, slot);
            // Comparing every member with the first is enough: some member of a group that leaves
            // its node and spans rails differs from the first in the rail.
            const uint32_t lastMember = span.first + (span.size - 1) * span.stride;
            if (GetNode(span.first) != GetNode(lastMember) && GetRail(span.first) != GetRail(rank))
            {
                throw std::invalid_argument(
                    "rank " + std::to_string(rank) + " is on rail " +
                    std::to_string(GetRail(rank)) + ", but the first member of its " +
                    ToString(slot) + " group (ranks " + std::to_string(span.first) + " to " +
                    std::to_string(lastMember) + " in steps of " + std::to_string(span.stride) +
                    ") is on rail " + std::to_string(GetRail(span.first)) +
                    ": a group that leaves its node has to stay on one rail (" +
                    std::to_string(m_degrees.gpusPerNode) + " GPUs per node)");
            }
        }
    }
    if (m_degrees.gpusPerNode % m_degrees.tp != 0)
    {
        throw std::invalid_argument("a tensor parallel group of " + std::to_string(m_degrees.tp) +
                                    " does not fit into a node of " +
                                    std::to_string(m_degrees.gpusPerNode) +
                                    " GPUs: its traffic stays inside the node");
    }
}

ParallelPlan::Span
ParallelPlan::GetSpan(uint32_t rank, GroupSlot slot) const
{
    const Coordinates c = GetCoordinates(rank);
    const uint32_t perReplica = m_degrees.tp * m_degrees.fsdp;
    const uint32_t perStage = perReplica * m_degrees.dp;
    const bool isRing = m_degrees.interleave > 1 && m_degrees.pp > 2; // two stages have one pair
    switch (slot)
    {
    case GroupSlot::TP:
        return {rank - c.tp, 1, m_degrees.tp};
    case GroupSlot::FSDP:
        return {rank - c.fsdp * m_degrees.tp, m_degrees.tp, m_degrees.fsdp};
    case GroupSlot::DP:
        return {rank - c.dp * perReplica, perReplica, m_degrees.dp};
    case GroupSlot::PP:
    case GroupSlot::MP:
        return (slot == GroupSlot::MP) == m_degrees.graph
                   ? Span{rank - c.pp * perStage, perStage, m_degrees.pp}
                   : Span{rank, perStage, 1};
    case GroupSlot::PP_NEXT:
        return {rank, perStage, !m_degrees.graph && (isRing || c.pp + 1 < m_degrees.pp) ? 2U : 1U};
    case GroupSlot::PP_PREVIOUS:
        if (m_degrees.graph || (c.pp == 0 && !isRing))
        {
            return {rank, perStage, 1};
        }
        return {c.pp > 0 ? rank - perStage : rank + (m_degrees.pp - 1) * perStage, perStage, 2};
    case GroupSlot::NONE:
        break;
    }
    throw std::invalid_argument("a computation has no group");
}

const ParallelPlan::Degrees&
ParallelPlan::GetDegrees() const
{
    return m_degrees;
}

uint32_t
ParallelPlan::GetRanks() const
{
    return m_degrees.tp * m_degrees.fsdp * m_degrees.dp * m_degrees.pp;
}

uint32_t
ParallelPlan::GetNodes() const
{
    return GetRanks() / m_degrees.gpusPerNode;
}

ParallelPlan::Coordinates
ParallelPlan::GetCoordinates(uint32_t rank) const
{
    if (rank >= GetRanks())
    {
        throw std::invalid_argument("rank " + std::to_string(rank) + " of " +
                                    std::to_string(GetRanks()) + " ranks");
    }
    const uint32_t shards = rank / m_degrees.tp;
    const uint32_t replicas = shards / m_degrees.fsdp;
    return {rank % m_degrees.tp,
            shards % m_degrees.fsdp,
            replicas / m_degrees.dp,
            replicas % m_degrees.dp};
}

uint32_t
ParallelPlan::GetRank(const Coordinates& c) const
{
    return ((c.pp * m_degrees.dp + c.dp) * m_degrees.fsdp + c.fsdp) * m_degrees.tp + c.tp;
}

uint32_t
ParallelPlan::GetNode(uint32_t rank) const
{
    return rank / m_degrees.gpusPerNode;
}

uint32_t
ParallelPlan::GetRail(uint32_t rank) const
{
    return rank % m_degrees.gpusPerNode;
}

bool
ParallelPlan::HasGroup(uint32_t rank, GroupSlot slot) const
{
    return slot != GroupSlot::NONE && GetSpan(rank, slot).size > 1;
}

RankGroup
ParallelPlan::GetGroup(uint32_t rank, GroupSlot slot) const
{
    const Span span = GetSpan(rank, slot);
    if (span.size == 1)
    {
        throw std::invalid_argument("rank " + std::to_string(rank) + " has no " + ToString(slot) +
                                    " group");
    }
    RankGroup group;
    group.slot = slot == GroupSlot::PP_PREVIOUS ? GroupSlot::PP_NEXT : slot;
    // Kind of group and first member identify it.
    group.id = static_cast<uint32_t>(group.slot) * GetRanks() + span.first;
    std::vector<uint32_t> ranks;
    ranks.reserve(span.size);
    for (uint32_t i = 0; i < span.size; ++i)
    {
        ranks.push_back((span.first + i * span.stride) % GetRanks());
    }
    group.ranks = std::move(ranks);
    return group;
}

bool
ParallelPlan::IsScaleUp(const RankGroup& group) const
{
    for (uint32_t rank : group.ranks)
    {
        if (GetNode(rank) != GetNode(group.ranks.front()))
        {
            return false;
        }
    }
    return true;
}

} // namespace photonic
} // namespace ns3
