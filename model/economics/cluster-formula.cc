/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "cluster-formula.h"

#include <cmath>

namespace ns3
{
namespace photonic
{

namespace
{

/// @return a number rounded as the papers do
uint32_t
Round(double value)
{
    return static_cast<uint32_t>(value + 0.5);
}

/// Every port of a switch is used.
FabricInventory
CountSwitches(uint32_t gpus, uint32_t switches, uint32_t ports)
{
    FabricInventory inventory;
    inventory.gpus = gpus;
    inventory.nicPorts = gpus;
    inventory.packetSwitches = switches;
    inventory.packetSwitchPorts = switches * ports;
    inventory.transceivers = gpus + inventory.packetSwitchPorts;
    inventory.fibres = inventory.transceivers / 2;
    return inventory;
}

} // namespace

FabricInventory
ClusterFormula::CountFatTree() const
{
    const uint32_t k = Round(std::cbrt(4.0 * gpus));
    return CountSwitches(gpus, k * k + k * k / 4, k);
}

FabricInventory
ClusterFormula::CountRailOptimized() const
{
    const uint32_t k = Round(std::sqrt(4.0 * GetServers()));
    const uint32_t perRail = 2 * (GetServers() / (k / 2));
    const uint32_t spines = gpusPerServer * GetServers() / k;
    return CountSwitches(gpus, gpusPerServer * perRail + spines, k);
}

FabricInventory
ClusterFormula::CountPhotonic() const
{
    FabricInventory inventory;
    inventory.gpus = gpus;
    inventory.nicPorts = 2 * gpus;
    inventory.circuitSwitches = gpusPerServer;
    inventory.circuitSwitchPorts = 2 * GetServers() * gpusPerServer;
    inventory.fibres = inventory.circuitSwitchPorts;
    inventory.transceivers = inventory.nicPorts;
    return inventory;
}

} // namespace photonic
} // namespace ns3
