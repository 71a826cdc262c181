/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CLUSTER_FORMULA_H
#define PHOTONIC_CLUSTER_FORMULA_H

#include "fabric-inventory.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-economics
 * @brief The parts of a cluster by the papers' formulas (arXiv 2507.08119, Fig. 7, and 2602.12521),
 * which size switches to the cluster.
 *
 * They give what a fabric of any size would need, without building it; where a fabric can be built,
 * SwitchTopology counts the parts of one with switches that exist.
 */
struct ClusterFormula
{
    /// Of the cluster.
    uint32_t gpus;
    /// GPUs that share a scale-up domain.
    uint32_t gpusPerServer;

    /// @return servers, in whole numbers as all of these: GPUs beyond have transceivers only
    uint32_t GetServers() const
    {
        return gpus / gpusPerServer;
    }

    /// @return parts of a fat-tree of k = round((4 G)^(1/3)) ports: k^2 + k^2 / 4 switches
    FabricInventory CountFatTree() const;

    /**
     * @return parts of rail-optimized rails of k = round(sqrt(4 S)) ports: per rail 2 (S / (k / 2))
     *         switches, and g S / k spines, in whole numbers
     */
    FabricInventory CountRailOptimized() const;

    /// @return parts of photonic rails: two ports of a circuit switch for each GPU
    FabricInventory CountPhotonic() const;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CLUSTER_FORMULA_H
