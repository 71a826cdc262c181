/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "group-circuits.h"

namespace ns3
{
namespace photonic
{

bool
IsPair(GroupSlot slot)
{
    return slot == GroupSlot::PP_NEXT || slot == GroupSlot::PP_PREVIOUS;
}

bool
IsPipeline(GroupSlot slot)
{
    return slot == GroupSlot::PP || IsPair(slot);
}

uint8_t
NicPortsOf(GroupSlot slot, uint32_t position, PairPorts pairPorts)
{
    if (!IsPair(slot) || pairPorts == PairPorts::BOTH)
    {
        return 0b11;
    }
    return position == 0 ? 0b01 : 0b10;
}

std::vector<Circuit>
GroupCircuits(const RankGroup& group, const OcsPortOf& portOf, PairPorts pairPorts)
{
    const std::size_t size = group.ranks.size();
    const std::size_t count = IsPair(group.slot) && pairPorts == PairPorts::ONE ? 1 : size;
    std::vector<Circuit> circuits;
    circuits.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
    {
        circuits.push_back({portOf(group.ranks[i], 0), portOf(group.ranks[(i + 1) % size], 1)});
    }
    return circuits;
}

} // namespace photonic
} // namespace ns3
