/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "switch-topology.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

/// Ports of a leaf.
struct Leaf
{
    uint32_t up;
    uint32_t down;
};

uint32_t
Divide(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/// @return the leaf with the oversubscription, or the nearest one below, and most ports
Leaf
MakeLeaf(const SwitchTiers& shape)
{
    Leaf best{0, 0};
    for (uint32_t up = 1; up < shape.radix; up++)
    {
        const double most = std::min<double>(up * shape.oversubscription + 1e-9, shape.radix - up);
        uint32_t down = static_cast<uint32_t>(most);
        down -= down % shape.portsPerHost;
        // As fractions: what is even is better with more ports.
        if (down > 0 && uint64_t(down) * best.up >= uint64_t(best.down) * up)
        {
            best = {up, down};
        }
    }
    if (best.down == 0)
    {
        throw std::invalid_argument("a switch of " + std::to_string(shape.radix) +
                                    " ports cannot have " + std::to_string(shape.oversubscription) +
                                    " of them down for each one up, for hosts of " +
                                    std::to_string(shape.portsPerHost) + " ports");
    }
    return best;
}

void
Check(const SwitchTiers& shape)
{
    if (!(shape.oversubscription >= 1) || shape.portsPerHost == 0)
    {
        throw std::invalid_argument("an oversubscription of " +
                                    std::to_string(shape.oversubscription) +
                                    " was asked for: expected at least 1");
    }
}

uint32_t
AddSwitches(SwitchTopology& topology, uint32_t count, uint32_t tier)
{
    const uint32_t first = topology.tiers.size();
    topology.tiers.insert(topology.tiers.end(), count, tier);
    return first;
}

/// Leaves with consecutive hosts, so many on each. @return number of leaves
uint32_t
AddLeaves(SwitchTopology& topology, uint32_t hosts, uint32_t perLeaf)
{
    const uint32_t leaves = Divide(hosts, perLeaf);
    const uint32_t first = AddSwitches(topology, leaves, 0);
    for (uint32_t host = 0; host < hosts; host++)
    {
        topology.hosts.push_back(first + host / perLeaf);
    }
    return leaves;
}

/**
 * Join each of some switches to as few others as have ports enough, and to each of them by as many
 * links: with one more to some, traffic between two that differ would not fit.
 * @param lower their numbers @param up links of each @param radix of the others, at least as many
 * as there are switches @param tier of the others
 */
void
JoinAbove(SwitchTopology& topology,
          const std::vector<uint32_t>& lower,
          uint32_t up,
          uint32_t radix,
          uint32_t tier)
{
    uint32_t count = Divide(uint64_t(lower.size()) * up, radix);
    while (up % count != 0)
    {
        count++;
    }
    const uint32_t first = AddSwitches(topology, count, tier);
    for (uint32_t s : lower)
    {
        for (uint32_t i = 0; i < up; i++)
        {
            topology.links.push_back({s, first + i % count});
        }
    }
}

/// @return numbers from one on
std::vector<uint32_t>
Sequence(uint32_t first, uint32_t count)
{
    std::vector<uint32_t> numbers(count);
    for (uint32_t i = 0; i < count; i++)
    {
        numbers[i] = first + i;
    }
    return numbers;
}

/// Pods of edges and aggregation switches; cores join aggregation switches of one place in a pod.
void
JoinPods(SwitchTopology& topology, uint32_t edges, uint32_t up, uint32_t radix)
{
    const uint32_t half = radix / 2;
    const uint32_t pods = Divide(edges, half);
    const uint32_t aggregations = AddSwitches(topology, pods * up, 1);
    for (uint32_t edge = 0; edge < edges; edge++)
    {
        for (uint32_t i = 0; i < up; i++)
        {
            topology.links.push_back({edge, aggregations + edge / half * up + i});
        }
    }
    for (uint32_t i = 0; i < up; i++)
    {
        std::vector<uint32_t> place;
        for (uint32_t pod = 0; pod < pods; pod++)
        {
            place.push_back(aggregations + pod * up + i);
        }
        JoinAbove(topology, place, half, radix, 2);
    }
}

} // namespace

SwitchTopology
SwitchTopology::Rails(uint32_t rails, uint32_t hostsPerRail, const SwitchTiers& shape)
{
    if (hostsPerRail > shape.radix)
    {
        throw std::invalid_argument("a rail has " + std::to_string(hostsPerRail) +
                                    " ports, and without spines it is one switch, of " +
                                    std::to_string(shape.radix) + " ports");
    }
    SwitchTopology topology;
    for (uint32_t rail = 0; rail < rails; rail++)
    {
        AddLeaves(topology, hostsPerRail, shape.radix);
    }
    return topology;
}

SwitchTopology
SwitchTopology::LeafSpine(uint32_t rails, uint32_t hostsPerRail, const SwitchTiers& shape)
{
    Check(shape);
    if (hostsPerRail <= shape.radix)
    {
        return Rails(rails, hostsPerRail, shape);
    }
    const Leaf leaf = MakeLeaf(shape);
    SwitchTopology topology;
    uint32_t leaves = 0;
    for (uint32_t rail = 0; rail < rails; rail++)
    {
        leaves += AddLeaves(topology, hostsPerRail, leaf.down);
    }
    if (leaves > shape.radix)
    {
        throw std::invalid_argument(std::to_string(rails) + " rails of " +
                                    std::to_string(hostsPerRail) + " ports are " +
                                    std::to_string(leaves) + " leaves: spines of " +
                                    std::to_string(shape.radix) + " ports join at most as many");
    }
    topology.oversubscription = double(leaf.down) / leaf.up;
    JoinAbove(topology, Sequence(0, leaves), leaf.up, shape.radix, 1);
    return topology;
}

SwitchTopology
SwitchTopology::FatTree(uint32_t hosts, const SwitchTiers& shape)
{
    Check(shape);
    SwitchTopology topology;
    if (hosts <= shape.radix)
    {
        AddLeaves(topology, hosts, shape.radix);
        return topology;
    }
    const Leaf leaf = MakeLeaf(shape);
    const uint32_t edges = AddLeaves(topology, hosts, leaf.down);
    const uint64_t most = uint64_t(shape.radix) * (shape.radix / 2);
    if (edges > most)
    {
        throw std::invalid_argument("a fat-tree for " + std::to_string(hosts) + " ports has " +
                                    std::to_string(edges) + " edge switches: with " +
                                    std::to_string(shape.radix) + " ports each, at most " +
                                    std::to_string(most));
    }
    topology.oversubscription = double(leaf.down) / leaf.up;
    if (edges <= shape.radix)
    {
        JoinAbove(topology, Sequence(0, edges), leaf.up, shape.radix, 1);
    }
    else
    {
        JoinPods(topology, edges, leaf.up, shape.radix);
    }
    return topology;
}

} // namespace photonic
} // namespace ns3
