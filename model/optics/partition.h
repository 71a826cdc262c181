/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PARTITION_H
#define PHOTONIC_PARTITION_H

#include "ns3/node.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @return whether this process simulates a part of a whole that several processes share
 */
bool IsDistributed();

/**
 * @ingroup photonic-rails-optics
 * @param systemId of a node
 * @return whether another process simulates it; in a run of one process all nodes are local,
 *         whatever their system identifiers
 */
bool IsRemote(uint32_t systemId);

/// @param node a node, or null @return whether another process simulates it
bool IsRemote(Ptr<const Node> node);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PARTITION_H
