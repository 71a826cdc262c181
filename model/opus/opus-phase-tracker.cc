/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus-phase-tracker.h"

#include "group-circuits.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

void
OpusPhaseTracker::SetPairPorts(PairPorts pairPorts)
{
    m_pairPorts = pairPorts;
}

const OpusPhaseTracker::Group&
OpusPhaseTracker::Add(const RankGroup& group, uint32_t rank)
{
    auto self = std::find(group.ranks.begin(), group.ranks.end(), rank);
    if (self == group.ranks.end() || Find(group.id))
    {
        throw std::invalid_argument("rank " + std::to_string(rank) + " cannot join group " +
                                    std::to_string(group.id) + ": it is " +
                                    (self == group.ranks.end() ? "not a member" : "in it already"));
    }
    Group added;
    added.id = group.id;
    added.position = self - group.ranks.begin();
    added.slot = group.slot;
    if (IsPair(group.slot))
    {
        added.slot = added.position == 0 ? GroupSlot::PP_NEXT : GroupSlot::PP_PREVIOUS;
    }
    added.ports = NicPortsOf(added.slot, added.position, m_pairPorts);
    m_groups.push_back(added);
    return m_groups.back();
}

OpusPhaseTracker::Group*
OpusPhaseTracker::Find(uint32_t id)
{
    auto it =
        std::find_if(m_groups.begin(), m_groups.end(), [&](const Group& g) { return g.id == id; });
    return it == m_groups.end() ? nullptr : &*it;
}

const OpusPhaseTracker::Group*
OpusPhaseTracker::Find(uint32_t id) const
{
    return const_cast<OpusPhaseTracker*>(this)->Find(id);
}

const OpusPhaseTracker::Group*
OpusPhaseTracker::Find(GroupSlot slot) const
{
    auto it = std::find_if(m_groups.begin(), m_groups.end(), [&](const Group& g) {
        return g.slot == slot;
    });
    return it == m_groups.end() ? nullptr : &*it;
}

void
OpusPhaseTracker::BeginStep(uint32_t step)
{
    m_step = step;
    m_first = true;
    for (auto& group : m_groups)
    {
        group.next = 0;
    }
}

void
OpusPhaseTracker::UseProfile(const PhaseProfile::Sequence& profile)
{
    m_profiled = true;
    for (const auto& entry : profile)
    {
        auto it = std::find_if(m_groups.begin(), m_groups.end(), [&](const Group& g) {
            return g.slot == entry.slot;
        });
        if (it == m_groups.end())
        {
            throw std::invalid_argument(std::string("the profile has operations of a ") +
                                        ToString(entry.slot) + " group, the rank has none");
        }
        it->known = std::max(it->known, entry.counter + 1);
        if (entry.opens)
        {
            it->openings.Insert(entry.counter);
        }
    }
}

bool
OpusPhaseTracker::Opens(const Group& group) const
{
    return m_first || group.overtaken;
}

bool
OpusPhaseTracker::NeedsRequest(const Group& group) const
{
    const OpusKey key = GetNext(group);
    if (group.granted && group.grant == key)
    {
        return false;
    }
    if (!group.used || (!group.recalls.empty() && !(key < *group.recalls.begin())))
    {
        return true;
    }
    if (m_profiled && key.counter <= group.known)
    {
        return key.counter == group.known || group.openings.Contains(key.counter);
    }
    return Opens(group) || IsPipeline(group.slot);
}

std::vector<OpusKey>
OpusPhaseTracker::FindBroken(const Group& group) const
{
    std::vector<OpusKey> broken;
    for (const auto& other : m_groups)
    {
        const OpusKey key = GetNext(other);
        const bool loses = (other.ports & group.ports) || other.overtaken;
        // Without a profile nobody starts anything ahead of the others.
        if (m_profiled && other.id != group.id && !other.scaleUp && loses && !NeedsRequest(other))
        {
            broken.push_back(key);
        }
    }
    return broken;
}

OpusKey
OpusPhaseTracker::GetNext(const Group& group) const
{
    return {m_step, group.id, group.next};
}

std::vector<OpusKey>
OpusPhaseTracker::FindHeld() const
{
    std::vector<OpusKey> held;
    for (const auto& group : m_groups)
    {
        const bool granted = group.granted && (!group.used || group.last < group.grant);
        if (!group.scaleUp && (granted || group.used))
        {
            held.push_back(granted ? group.grant : group.last);
        }
    }
    return held;
}

void
OpusPhaseTracker::Pass(Group& group)
{
    const OpusKey key = GetNext(group);
    group.recalls.erase(group.recalls.begin(), group.recalls.upper_bound(key));
    group.granted = false;
    group.used = true;
    group.last = key;
    group.next++;
    m_first = false;
    for (auto& other : m_groups)
    {
        other.overtaken = other.overtaken || (other.ports & group.ports);
    }
    group.overtaken = false;
}

void
OpusPhaseTracker::Grant(const OpusKey& key)
{
    Group& group = *Find(key.group);
    group.recalls.erase(group.recalls.begin(), group.recalls.upper_bound(key));
    group.granted = true;
    group.grant = key;
}

bool
OpusPhaseTracker::Recall(const OpusKey& key)
{
    Group& group = *Find(key.group);
    if (group.used && !(group.last < key))
    {
        return true;
    }
    group.recalls.insert(key);
    if (group.granted && !(group.grant < key))
    {
        group.granted = false;
    }
    return false;
}

} // namespace photonic
} // namespace ns3
