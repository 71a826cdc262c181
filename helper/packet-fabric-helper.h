/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PACKET_FABRIC_HELPER_H
#define PHOTONIC_PACKET_FABRIC_HELPER_H

#include "rail-helper.h"

#include "ns3/fabric-inventory.h"
#include "ns3/switch-topology.h"

#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief Makes a fabric of packet switches: hosts, links and forwarding tables.
 *
 * Each switch is aggregated to a node of its own, which keeps it for as long as the simulation. All
 * links have the rate of the first host port.
 */
class PacketFabricHelper : public OpticalPortHelper
{
  public:
    /// A port of a node.
    struct Host
    {
        /// The host itself.
        Ptr<Node> node;
        uint32_t port; ///< number at its node
    };

    PacketFabricHelper();

    /// @param name of an attribute of SharedBufferSwitch @param value of it
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);

    /// @param seed from which each switch has its own for its choice among equal paths
    void SetHashSeed(uint32_t seed);

    /**
     * @param topology of the fabric
     * @param hosts as many as the topology has; host i has the link address MakeHostAddress(i)
     * @return their devices
     * @throws std::invalid_argument if the numbers differ
     */
    std::vector<Ptr<OpticalNetDevice>> Install(const SwitchTopology& topology,
                                               const std::vector<Host>& hosts);

    /// @return the switches of the last fabric that was installed, as the topology numbers them
    const std::vector<Ptr<PacketSwitch>>& GetSwitches() const;

    /**
     * Random variables of the last fabric.
     * @param stream of the first
     * @return how many there are
     */
    int64_t AssignStreams(int64_t stream);

    /// @param topology of a fabric @return its parts, but for the GPUs
    static FabricInventory Count(const SwitchTopology& topology);

  private:
    ObjectFactory m_switchFactory;
    uint32_t m_hashSeed{1};
    std::vector<Ptr<PacketSwitch>> m_switches;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PACKET_FABRIC_HELPER_H
