/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "parallel-plan.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

/// A range of group identifiers per kind of group: they have to fit into 32 bits.
constexpr uint64_t MAX_RANKS = uint64_t{1} << 26;
static_assert(MAX_RANKS * (GROUP_SLOTS + 1) <= uint64_t{1} << 32);

/// @param values degrees or coordinates @param dimension a dimension @return the one of it
template <typename Values>
uint32_t
Select(const Values& values, Dimension dimension)
{
    switch (dimension)
    {
    case Dimension::TP:
        return values.tp;
    case Dimension::CP:
        return values.cp;
    case Dimension::EP:
        return values.ep;
    case Dimension::FSDP:
        return values.fsdp;
    case Dimension::DP:
        return values.dp;
    case Dimension::PP:
        break;
    }
    return values.pp;
}

/// @param dimension a dimension @return its index
constexpr std::size_t
At(Dimension dimension)
{
    return static_cast<std::size_t>(dimension);
}

} // namespace

uint32_t
ParallelPlan::Degrees::Get(Dimension dimension) const
{
    return Select(*this, dimension);
}

uint32_t
ParallelPlan::Coordinates::Get(Dimension dimension) const
{
    return Select(*this, dimension);
}

std::vector<Dimension>
ParallelPlan::Degrees::GetDimensions(GroupSlot slot) const
{
    const bool sharded = fsdp > 1;
    const bool experts = ep > 1;
    switch (GetWholeSlot(slot))
    {
    case GroupSlot::TP:
        return {Dimension::TP};
    case GroupSlot::CP:
        return {Dimension::CP};
    case GroupSlot::EP:
        return {Dimension::EP};
    case GroupSlot::FSDP:
        return sharded ? std::vector<Dimension>{Dimension::CP, Dimension::EP, Dimension::FSDP}
                       : std::vector<Dimension>();
    case GroupSlot::EXPERT_FSDP:
        return sharded && experts ? std::vector<Dimension>{Dimension::CP, Dimension::FSDP}
                                  : std::vector<Dimension>();
    case GroupSlot::DP:
        return sharded ? std::vector<Dimension>{Dimension::DP}
                       : std::vector<Dimension>{Dimension::CP, Dimension::EP, Dimension::DP};
    case GroupSlot::EXPERT_DP:
        return !sharded && experts ? std::vector<Dimension>{Dimension::CP, Dimension::DP}
                                   : std::vector<Dimension>();
    case GroupSlot::PP:
        return graph ? std::vector<Dimension>() : std::vector<Dimension>{Dimension::PP};
    case GroupSlot::MP:
        return graph ? std::vector<Dimension>{Dimension::PP} : std::vector<Dimension>();
    default:
        return {};
    }
}

uint32_t
ParallelPlan::Degrees::GetGroupSize(GroupSlot slot) const
{
    uint32_t size = 1;
    for (Dimension dimension : GetDimensions(slot))
    {
        size *= Get(dimension);
    }
    return size;
}

ParallelPlan::ParallelPlan(const Degrees& degrees)
    : m_degrees(degrees)
{
    CheckDegrees();
    if (m_degrees.gpusPerNode == 0)
    {
        m_degrees.gpusPerNode = degrees.tp;
    }
    if (degrees.graph && (GetRanks() != degrees.pp || m_degrees.gpusPerNode != 1))
    {
        throw std::invalid_argument("an operator graph has " + Describe() + " ranks, " +
                                    std::to_string(m_degrees.gpusPerNode) +
                                    " per node: expected pp alone, and 1 per node");
    }
    if (GetRanks() % m_degrees.gpusPerNode != 0)
    {
        throw std::invalid_argument(Describe() + " = " + std::to_string(GetRanks()) +
                                    " ranks are not a multiple of " +
                                    std::to_string(m_degrees.gpusPerNode) + " GPUs per node");
    }
    uint32_t stride = 1;
    m_local.fill(1);
    for (Dimension dimension : degrees.order)
    {
        m_strides[At(dimension)] = stride;
        const uint32_t degree = degrees.Get(dimension);
        // A node is full with the inner dimensions and a part of the next one; else with none.
        if (m_degrees.gpusPerNode % stride == 0)
        {
            const uint32_t room = m_degrees.gpusPerNode / stride;
            m_local[At(dimension)] = room % degree == 0 ? degree : degree % room == 0 ? room : 1;
        }
        stride *= degree;
    }
    for (GroupSlot slot : TRAFFIC_SLOTS)
    {
        m_axes[static_cast<std::size_t>(slot)] = GetAxes(slot);
    }
    CheckGroups();
}

/// @return the degrees, for people; those of 1 that are seldom given are left out
std::string
ParallelPlan::Describe() const
{
    std::string product;
    for (Dimension dimension : m_degrees.order)
    {
        const uint32_t degree = m_degrees.Get(dimension);
        const bool always = dimension == Dimension::TP || dimension == Dimension::FSDP ||
                            dimension == Dimension::PP;
        if (always || degree != 1)
        {
            product += (product.empty() ? "" : " x ") + std::string(ToString(dimension)) + " " +
                       std::to_string(degree);
        }
    }
    return product;
}

void
ParallelPlan::CheckDegrees() const
{
    RankOrder sorted = m_degrees.order;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    {
        throw std::invalid_argument("rank order " + ToString(m_degrees.order) +
                                    ": expected every dimension once");
    }
    uint64_t ranks = 1;
    for (Dimension dimension : m_degrees.order)
    {
        const uint32_t degree = m_degrees.Get(dimension);
        if (degree == 0)
        {
            throw std::invalid_argument("every parallel degree has to be at least 1, found " +
                                        Describe());
        }
        ranks = std::min(ranks, MAX_RANKS + 1) * degree; // cannot overflow
    }
    if (m_degrees.interleave == 0)
    {
        throw std::invalid_argument("a pipeline stage holds at least 1 chunk of layers, found 0");
    }
    if (ranks > MAX_RANKS)
    {
        throw std::invalid_argument(Describe() + " is more than " + std::to_string(MAX_RANKS) +
                                    " ranks");
    }
}

void
ParallelPlan::CheckGroups() const
{
    if (GetRounds() > MAX_ROUNDS)
    {
        throw std::invalid_argument(
            "a cycle of matchings has a round for every two members, at most " +
            std::to_string(MAX_ROUNDS) + ": too few for ep " + std::to_string(m_degrees.ep));
    }
    for (GroupSlot slot : TRAFFIC_SLOTS)
    {
        const bool isPair = slot == GroupSlot::PP_NEXT || slot == GroupSlot::PP_PREVIOUS;
        if (GetRound(slot) > 0 || slot == GroupSlot::MP ||
            (!isPair && m_axes[static_cast<std::size_t>(slot)].empty()))
        {
            continue; // members of another group, or none
        }
        for (uint32_t rank = 0; rank < GetRanks(); ++rank)
        {
            if (!HasGroup(rank, slot) || GetFirst(rank, slot) != rank)
            {
                continue; // or seen from another member
            }
            const auto members = GetMembers(rank, slot);
            const auto elsewhere = [&](const auto& place) {
                return std::find_if(members.begin(), members.end(), [&](uint32_t member) {
                    return (this->*place)(member) != (this->*place)(members.front());
                });
            };
            const bool leaves = elsewhere(&ParallelPlan::GetNode) != members.end();
            const auto other = elsewhere(&ParallelPlan::GetRail);
            if (leaves && other != members.end())
            {
                throw std::invalid_argument(
                    "rank " + std::to_string(*other) + " is on rail " +
                    std::to_string(GetRail(*other)) + ", but the first member of its " +
                    ToString(slot) + " group (" + std::to_string(members.size()) + " ranks from " +
                    std::to_string(members.front()) + " to " + std::to_string(members.back()) +
                    ") is on rail " + std::to_string(GetRail(members.front())) +
                    ": a group that leaves its node has to stay on one rail, or to be as many "
                    "ranks of as many nodes (" +
                    std::to_string(m_degrees.gpusPerNode) + " GPUs per node)");
            }
        }
    }
    if (m_local[At(Dimension::TP)] != m_degrees.tp)
    {
        throw std::invalid_argument("a tensor parallel group of " + std::to_string(m_degrees.tp) +
                                    " does not fit into a node of " +
                                    std::to_string(m_degrees.gpusPerNode) +
                                    " GPUs: its traffic stays inside the node");
    }
}

/// @return the axes of a group or a part of it, from the inside out; none if there is no such group
std::vector<ParallelPlan::Axis>
ParallelPlan::GetAxes(GroupSlot slot) const
{
    const GroupSlot whole = GetWholeSlot(slot);
    const auto dimensions = m_degrees.GetDimensions(slot);
    std::vector<Axis> local;
    std::vector<Axis> rail;
    std::vector<Axis> all;
    uint32_t onNode = 1;
    uint32_t onRail = 1;
    for (Dimension dimension : m_degrees.order)
    {
        if (std::find(dimensions.begin(), dimensions.end(), dimension) == dimensions.end())
        {
            continue;
        }
        const uint32_t size = m_degrees.Get(dimension);
        const uint32_t inside = m_local[At(dimension)];
        const uint32_t stride = m_strides[At(dimension)];
        const auto add = [](std::vector<Axis>& axes, const Axis& axis) {
            if (axis.size > 1)
            {
                axes.push_back(axis);
            }
        };
        add(all, {stride, size});
        add(local, {stride, inside});
        add(rail, {stride * inside, size / inside});
        onNode *= inside;
        onRail *= size / inside;
    }
    const bool isPipeline = whole == GroupSlot::PP || whole == GroupSlot::MP;
    const bool spans = onNode > 1 && onRail > 1 && whole != GroupSlot::TP && !isPipeline;
    if (slot != whole && GetRound(slot) == 0)
    {
        return spans ? local : std::vector<Axis>();
    }
    if (GetRound(slot) > 0)
    {
        return GetRound(slot) <= GetRounds() ? rail : std::vector<Axis>();
    }
    return spans ? rail : all;
}

const ParallelPlan::Degrees&
ParallelPlan::GetDegrees() const
{
    return m_degrees;
}

uint32_t
ParallelPlan::GetRanks() const
{
    uint32_t ranks = 1;
    for (Dimension dimension : m_degrees.order)
    {
        ranks *= m_degrees.Get(dimension);
    }
    return ranks;
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
    const auto get = [&](Dimension dimension) {
        return rank / m_strides[At(dimension)] % m_degrees.Get(dimension);
    };
    Coordinates c;
    c.tp = get(Dimension::TP);
    c.fsdp = get(Dimension::FSDP);
    c.pp = get(Dimension::PP);
    c.dp = get(Dimension::DP);
    c.cp = get(Dimension::CP);
    c.ep = get(Dimension::EP);
    return c;
}

uint32_t
ParallelPlan::GetRank(const Coordinates& c) const
{
    uint32_t rank = 0;
    for (Dimension dimension : m_degrees.order)
    {
        rank += c.Get(dimension) * m_strides[At(dimension)];
    }
    return rank;
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

/// @return the pair with the next or the previous stage; one rank if there is none
std::vector<uint32_t>
ParallelPlan::GetPair(uint32_t rank, bool next) const
{
    Coordinates c = GetCoordinates(rank);
    const uint32_t stages = m_degrees.pp;
    const bool isRing = m_degrees.interleave > 1 && stages > 2; // two stages have one pair
    if (m_degrees.graph || (!isRing && (next ? c.pp + 1 == stages : c.pp == 0)))
    {
        return {rank};
    }
    c.pp = (c.pp + (next ? 1 : stages - 1)) % stages;
    const uint32_t other = GetRank(c);
    return next ? std::vector<uint32_t>{rank, other} : std::vector<uint32_t>{other, rank};
}

/// @return the first member of a group
uint32_t
ParallelPlan::GetFirst(uint32_t rank, GroupSlot slot) const
{
    if (slot == GroupSlot::PP_NEXT || slot == GroupSlot::PP_PREVIOUS)
    {
        return GetPair(rank, slot == GroupSlot::PP_NEXT).front();
    }
    uint32_t first = rank;
    for (const Axis& axis : m_axes.at(static_cast<std::size_t>(slot)))
    {
        first -= rank / axis.stride % axis.size * axis.stride;
    }
    return first;
}

std::vector<uint32_t>
ParallelPlan::GetMembers(uint32_t rank, GroupSlot slot) const
{
    if (slot == GroupSlot::PP_NEXT || slot == GroupSlot::PP_PREVIOUS)
    {
        return GetPair(rank, slot == GroupSlot::PP_NEXT);
    }
    std::vector<uint32_t> members{GetFirst(rank, slot)};
    for (const Axis& axis : m_axes.at(static_cast<std::size_t>(slot)))
    {
        const std::size_t inner = members.size();
        for (uint32_t i = 1; i < axis.size; ++i)
        {
            for (std::size_t j = 0; j < inner; ++j)
            {
                members.push_back(members[j] + i * axis.stride);
            }
        }
    }
    const uint32_t round = GetRound(slot);
    if (round == 0)
    {
        return members;
    }
    // Round by round, those that so many places lead to from the first of them.
    const std::size_t n = members.size();
    const std::size_t cycles = std::gcd<std::size_t>(n, round);
    const std::size_t position = std::find(members.begin(), members.end(), rank) - members.begin();
    std::vector<uint32_t> cycle;
    std::size_t at = position % cycles;
    for (std::size_t i = 0; i < n / cycles; ++i)
    {
        cycle.push_back(members[at]);
        at = (at + round) % n;
    }
    return cycle;
}

bool
ParallelPlan::HasGroup(uint32_t rank, GroupSlot slot) const
{
    if (slot == GroupSlot::PP_NEXT || slot == GroupSlot::PP_PREVIOUS)
    {
        return GetPair(rank, slot == GroupSlot::PP_NEXT).size() > 1;
    }
    if (slot == GroupSlot::NONE)
    {
        return false;
    }
    return !m_axes[static_cast<std::size_t>(slot)].empty();
}

RankGroup
ParallelPlan::GetGroup(uint32_t rank, GroupSlot slot) const
{
    if (!HasGroup(rank, slot))
    {
        throw std::invalid_argument("rank " + std::to_string(rank) + " has no " + ToString(slot) +
                                    " group");
    }
    auto members = GetMembers(rank, slot);
    RankGroup group;
    group.slot = slot == GroupSlot::PP_PREVIOUS ? GroupSlot::PP_NEXT : slot;
    // Kind of group and first member identify it.
    group.id = static_cast<uint32_t>(group.slot) * GetRanks() + members.front();
    group.ranks = std::move(members);
    return group;
}

uint32_t
ParallelPlan::GetLocalSize(GroupSlot slot) const
{
    uint32_t size = 1;
    for (const Axis& axis : m_axes[static_cast<std::size_t>(GetLocalSlot(slot))])
    {
        size *= axis.size;
    }
    return size;
}

uint32_t
ParallelPlan::GetRounds() const
{
    const auto onRail = m_degrees.ep / m_local[At(Dimension::EP)];
    return m_degrees.matchings && onRail > 1 ? onRail / 2 : 0;
}

std::size_t
ParallelPlan::GetProgramIndex(uint32_t rank, std::size_t programs) const
{
    const Coordinates c = GetCoordinates(rank);
    return programs == m_degrees.pp ? c.pp : c.pp * m_degrees.ep + c.ep;
}

bool
ParallelPlan::IsScaleUp(const RankGroup& group) const
{
    return std::all_of(group.ranks.begin(), group.ranks.end(), [&](uint32_t rank) {
        return GetNode(rank) == GetNode(group.ranks.front());
    });
}

} // namespace photonic
} // namespace ns3
