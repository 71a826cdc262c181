/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_GROUP_CIRCUITS_H
#define PHOTONIC_GROUP_CIRCUITS_H

#include "ns3/optical-circuit-switch.h"
#include "ns3/parallel-plan.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{
namespace photonic
{

/// Where a NIC port (0 or 1) of a rank is plugged in: a port of its rail's circuit switch.
using OcsPortOf = std::function<uint32_t(uint32_t rank, uint32_t nicPort)>;

/**
 * @ingroup photonic-rails-opus
 * @param slot kind of a group
 * @return whether it is a pipeline pair, which takes one port of each end; others are rings
 */
bool IsPair(GroupSlot slot);

/**
 * @ingroup photonic-rails-opus
 * @param slot kind of a group
 * @return whether its traffic belongs to the pipeline
 */
bool IsPipeline(GroupSlot slot);

/**
 * @ingroup photonic-rails-opus
 * @brief How many ports of each end a pipeline pair takes.
 */
enum class PairPorts
{
    ONE,  ///< one per neighbour: a stage is joined to both neighbours at once
    BOTH, ///< all: twice the rate, and a change of circuits for each neighbour
};

/**
 * @ingroup photonic-rails-opus
 * @param slot kind of a group
 * @param position of a member
 * @param pairPorts of pipeline pairs
 * @return the NIC ports that the group uses at this member: bit i is set for port i
 */
uint8_t NicPortsOf(GroupSlot slot, uint32_t position, PairPorts pairPorts = PairPorts::ONE);

/**
 * @ingroup photonic-rails-opus
 * @brief The circuits of a group.
 *
 * A ring joins port 0 of each member to port 1 of the next, the last one's to the first; two
 * members are joined by both ports. A pair joins port 0 of its first member to port 1 of its
 * second, or is joined by both ports as a ring of two.
 *
 * @param group with its members in order, at least two
 * @param portOf the cabling
 * @param pairPorts of pipeline pairs
 * @return duplex circuits
 */
std::vector<Circuit> GroupCircuits(const RankGroup& group,
                                   const OcsPortOf& portOf,
                                   PairPorts pairPorts = PairPorts::ONE);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_GROUP_CIRCUITS_H
