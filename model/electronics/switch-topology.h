/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SWITCH_TOPOLOGY_H
#define PHOTONIC_SWITCH_TOPOLOGY_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-electronics
 * @brief What the switches of a fabric are like.
 */
struct SwitchTiers
{
    uint32_t radix{64}; ///< ports of a switch, at least 2
    /// Ports of a leaf down to hosts for each one up, at least 1; where the numbers do not come
    /// out, the nearest ratio below.
    double oversubscription{1};
    uint32_t portsPerHost{1}; ///< of a host that belong on one leaf
};

/**
 * @ingroup photonic-rails-electronics
 * @brief Which packet switch is joined to which, and which host port to which. Pure arithmetic.
 *
 * A fabric has no more tiers than it needs: one switch where all hosts fit, then leaves and spines,
 * then pods of leaves, aggregation switches and cores. There are as many switches of the upper
 * tiers as it takes to connect all ports that lead up to them, evenly; two switches may be joined
 * by several links.
 */
struct SwitchTopology
{
    /// A fibre between two switches.
    struct Link
    {
        /// Switch of the lower tier.
        uint32_t lower;
        /// Switch of the upper tier.
        uint32_t upper;
    };

    std::vector<uint32_t> tiers; ///< of each switch, from 0
    double oversubscription{1};  ///< of its leaves; 1 if there is one tier
    std::vector<uint32_t> hosts; ///< switch of each host port
    /// Between switches; parallel ones stand several times.
    std::vector<Link> links;

    /**
     * Each rail is one switch, and nothing joins them.
     * @param rails how many
     * @param hostsPerRail host ports, numbered rail by rail
     * @param shape of the switches
     * @return the topology
     * @throws std::invalid_argument with both numbers if a switch has too few ports
     */
    static SwitchTopology Rails(uint32_t rails, uint32_t hostsPerRail, const SwitchTiers& shape);

    /**
     * Each rail has leaves of its own, and spines join the leaves of all rails (rail-optimized). If
     * every rail fits on one switch, it is one, and there are no spines.
     * @param rails how many
     * @param hostsPerRail host ports, numbered rail by rail
     * @param shape of the switches
     * @return the topology
     * @throws std::invalid_argument with the numbers if two tiers are not enough
     */
    static SwitchTopology LeafSpine(uint32_t rails,
                                    uint32_t hostsPerRail,
                                    const SwitchTiers& shape);

    /**
     * A fat-tree of up to three tiers. Complete, with radix k and without oversubscription, it has
     * k^3 / 4 hosts on 5 k^2 / 4 switches (Al-Fares, Loukissas and Vahdat, "A Scalable, Commodity
     * Data Center Network Architecture", SIGCOMM 2008).
     * @param hosts host ports
     * @param shape of the switches
     * @return the topology
     * @throws std::invalid_argument with the numbers if three tiers are not enough
     */
    static SwitchTopology FatTree(uint32_t hosts, const SwitchTiers& shape);
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SWITCH_TOPOLOGY_H
