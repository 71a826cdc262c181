/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FABRIC_INVENTORY_H
#define PHOTONIC_FABRIC_INVENTORY_H

#include <cstdint>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-economics Economics
 * @ingroup photonic-rails
 * @brief What a fabric consists of.
 */

/**
 * @ingroup photonic-rails-economics
 * @brief The parts of a fabric, counted.
 *
 * Ports and transceivers are those of NIC ports, of which a GPU may have several: a switch with 64
 * ports of 400 Gbps is one with 128 where GPUs have two ports of 200.
 */
struct FabricInventory
{
    /// Of the fabric.
    uint32_t gpus{0};
    uint32_t nicPorts{0};           ///< of all GPUs
    uint32_t packetSwitches{0};     ///< electrical
    uint32_t tiers{0};              ///< of those
    double oversubscription{1};     ///< of leaves
    uint32_t packetSwitchPorts{0};  ///< that are used
    uint32_t circuitSwitches{0};    ///< optical
    uint32_t circuitSwitchPorts{0}; ///< that are used
    uint32_t fibres{0};             ///< duplex
    uint32_t transceivers{0};       ///< at NICs and packet switches; circuit switches have none
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FABRIC_INVENTORY_H
