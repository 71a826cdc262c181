/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_HIERARCHICAL_COLLECTIVE_H
#define PHOTONIC_HIERARCHICAL_COLLECTIVE_H

#include "collective-kind.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief A part of a collective of a group that spans rails.
 */
struct CollectiveLevel
{
    bool local; ///< among the members on a node; else among those on a rail
    /// Of this level's operation.
    CollectiveKind kind;
    uint64_t bytes; ///< total, see CollectiveKind
};

/**
 * @ingroup photonic-rails-collectives
 * @brief A collective of a group that has as many members on each of several nodes, those of a node
 *        on different rails, as collectives on nodes and on rails, one after another.
 *
 * Data change nodes on the rail of a member that needs them, and as few of them as can be, since
 * nodes are faster (Cho et al., "BlueConnect: Decomposing All-Reduce for Deep Learning on
 * Heterogeneous Network Hierarchy", 2019; for the all-to-all, NCCL's PXN). What a rail cannot share
 * evenly is rounded up to a byte.
 *
 * @param kind of the collective
 * @param bytes total
 * @param local members on a node
 * @return its levels, in order
 * @throws std::invalid_argument naming the kind, if it is none of all-gather, reduce-scatter,
 *         all-reduce and all-to-all
 */
std::vector<CollectiveLevel> MakeHierarchical(CollectiveKind kind, uint64_t bytes, uint32_t local);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_HIERARCHICAL_COLLECTIVE_H
