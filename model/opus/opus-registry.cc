/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus-registry.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

void
OpusRegistry::SetCabling(uint32_t rank, const OpusCabling& cabling)
{
    m_cabling[rank] = cabling;
}

const std::map<uint32_t, OpusCabling>&
OpusRegistry::GetCabling() const
{
    return m_cabling;
}

void
OpusRegistry::Forget()
{
    m_groups.clear();
    m_positions.clear();
    m_groupsOf.clear();
}

const OpusRegistry::Group&
OpusRegistry::Register(const OpusMessage& message)
{
    const uint32_t id = message.key.group;
    const std::string who =
        "rank " + std::to_string(message.rank) + " registers group " + std::to_string(id);
    CablingOf(message.rank);
    if (message.size < 2)
    {
        throw std::invalid_argument(who + " with " + std::to_string(message.size) +
                                    " members: a group has at least 2");
    }
    auto inserted = m_groups.emplace(id, Group());
    Group& group = inserted.first->second;
    if (inserted.second)
    {
        group.members.id = id;
        group.members.slot = message.slot;
        group.joined.resize(message.size, NO_RANK);
        group.missing = message.size;
    }
    if (group.members.slot != message.slot || group.joined.size() != message.size)
    {
        throw std::invalid_argument(who + " as " + ToString(message.slot) + " with " +
                                    std::to_string(message.size) + " members, others as " +
                                    ToString(group.members.slot) + " with " +
                                    std::to_string(group.joined.size()));
    }
    if (message.position >= message.size || group.joined[message.position] != NO_RANK)
    {
        throw std::invalid_argument(who + " at position " + std::to_string(message.position) +
                                    ", which is taken or does not exist");
    }
    if (!m_positions.emplace(uint64_t(id) << 32 | message.rank, message.position).second)
    {
        throw std::invalid_argument(who + " twice");
    }
    group.joined[message.position] = message.rank;
    m_groupsOf[message.rank].push_back(id);
    if (--group.missing == 0)
    {
        group.members.ranks = group.joined;
        group.scaleUp = IsScaleUp(group.members);
        if (!group.scaleUp)
        {
            group.rail = GetRail(group.members);
            group.circuits = GetCircuits(group.members);
        }
    }
    return group;
}

const OpusRegistry::Group*
OpusRegistry::Find(uint32_t id) const
{
    auto it = m_groups.find(id);
    return it == m_groups.end() || it->second.missing > 0 ? nullptr : &it->second;
}

const std::vector<uint32_t>&
OpusRegistry::GetGroups(uint32_t rank) const
{
    static const std::vector<uint32_t> none;
    auto it = m_groupsOf.find(rank);
    return it == m_groupsOf.end() ? none : it->second;
}

uint32_t
OpusRegistry::GetPosition(uint32_t group, uint32_t rank) const
{
    auto it = m_positions.find(uint64_t(group) << 32 | rank);
    return it == m_positions.end() ? NOT_A_MEMBER : it->second;
}

std::vector<Circuit>
OpusRegistry::GetCircuits(const RankGroup& group) const
{
    return GroupCircuits(
        group,
        [this](uint32_t rank, uint32_t nicPort) { return CablingOf(rank).ports[nicPort]; },
        m_pairPorts);
}

void
OpusRegistry::SetPairPorts(PairPorts pairPorts)
{
    m_pairPorts = pairPorts;
}

uint32_t
OpusRegistry::GetRail(const RankGroup& group) const
{
    const uint32_t rail = CablingOf(group.ranks.front()).rail;
    for (uint32_t rank : group.ranks)
    {
        if (CablingOf(rank).rail != rail)
        {
            throw std::invalid_argument(
                "group " + std::to_string(group.id) + " spans rails: rank " + std::to_string(rank) +
                " is on rail " + std::to_string(CablingOf(rank).rail) + ", rank " +
                std::to_string(group.ranks.front()) + " on rail " + std::to_string(rail));
        }
    }
    return rail;
}

const OpusCabling&
OpusRegistry::CablingOf(uint32_t rank) const
{
    auto it = m_cabling.find(rank);
    if (it == m_cabling.end())
    {
        throw std::invalid_argument("rank " + std::to_string(rank) + " is not cabled");
    }
    return it->second;
}

bool
OpusRegistry::IsScaleUp(const RankGroup& group) const
{
    return std::all_of(group.ranks.begin(), group.ranks.end(), [&](uint32_t rank) {
        return CablingOf(rank).domain == CablingOf(group.ranks.front()).domain;
    });
}

} // namespace photonic
} // namespace ns3
