/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/switch-topology.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

/// @return ports of a switch that are used
uint32_t
CountPorts(const SwitchTopology& topology, uint32_t s)
{
    uint32_t ports = std::count(topology.hosts.begin(), topology.hosts.end(), s);
    for (const auto& link : topology.links)
    {
        ports += (link.lower == s) + (link.upper == s);
    }
    return ports;
}

/// @return switches of each tier
std::vector<uint32_t>
CountTiers(const SwitchTopology& topology)
{
    std::vector<uint32_t> counts;
    for (uint32_t tier : topology.tiers)
    {
        counts.resize(std::max<std::size_t>(counts.size(), tier + 1));
        counts[tier]++;
    }
    return counts;
}

/// @return switches that can be reached from one, by breadth-first search
std::size_t
CountReachable(const SwitchTopology& topology, uint32_t from)
{
    std::multimap<uint32_t, uint32_t> edges;
    for (const auto& link : topology.links)
    {
        edges.emplace(link.lower, link.upper);
        edges.emplace(link.upper, link.lower);
    }
    std::set<uint32_t> seen = {from};
    std::queue<uint32_t> todo({from});
    while (!todo.empty())
    {
        const auto range = edges.equal_range(todo.front());
        todo.pop();
        for (auto it = range.first; it != range.second; ++it)
        {
            if (seen.insert(it->second).second)
            {
                todo.push(it->second);
            }
        }
    }
    return seen.size();
}

std::string
WhyNot(const std::function<void()>& make)
{
    try
    {
        make();
    }
    catch (const std::invalid_argument& reason)
    {
        return reason.what();
    }
    return "nothing";
}

} // namespace

TEST(SwitchTopology, ACompleteFatTreeIsThatOfThePaper)
{
    // Al-Fares et al. 2008, section 3.
    for (uint32_t k : {4, 6, 8, 16})
    {
        const uint32_t hosts = k * k * k / 4;
        const auto topology = SwitchTopology::FatTree(hosts, {k, 1, 1});
        EXPECT_EQ(CountTiers(topology), (std::vector<uint32_t>{k * k / 2, k * k / 2, k * k / 4}));
        EXPECT_EQ(topology.hosts.size(), hosts);
        EXPECT_EQ(topology.links.size(), 2 * hosts);
        for (uint32_t s = 0; s < topology.tiers.size(); s++)
        {
            EXPECT_EQ(CountPorts(topology, s), k);
        }
        // Each core reaches every pod by one link.
        std::set<std::pair<uint32_t, uint32_t>> pairs;
        for (const auto& link : topology.links)
        {
            if (topology.tiers[link.upper] == 2)
            {
                const uint32_t pod = (link.lower - k * k / 2) / (k / 2);
                EXPECT_TRUE(pairs.insert({link.upper, pod}).second);
            }
        }
        EXPECT_EQ(WhyNot([&] { SwitchTopology::FatTree(hosts + 1, {k, 1, 1}); }),
                  "a fat-tree for " + std::to_string(hosts + 1) + " ports has " +
                      std::to_string(k * k / 2 + 1) + " edge switches: with " + std::to_string(k) +
                      " ports each, at most " + std::to_string(k * k / 2));
    }
}

TEST(SwitchTopology, AFabricHasNoMoreTiersThanItNeeds)
{
    EXPECT_EQ(CountTiers(SwitchTopology::FatTree(64, {64, 1, 1})), std::vector<uint32_t>{1});
    EXPECT_EQ(CountTiers(SwitchTopology::FatTree(65, {64, 1, 1})), (std::vector<uint32_t>{3, 2}));
    EXPECT_EQ(CountTiers(SwitchTopology::FatTree(2048, {64, 1, 1})),
              (std::vector<uint32_t>{64, 32}));
    EXPECT_EQ(CountTiers(SwitchTopology::FatTree(2049, {64, 1, 1})).size(), 3U);
    EXPECT_EQ(CountTiers(SwitchTopology::LeafSpine(8, 64, {64, 1, 1})), std::vector<uint32_t>{8});
    // 4 rails of 4 leaves each, 32 of whose ports lead up to 8 spines.
    EXPECT_EQ(CountTiers(SwitchTopology::LeafSpine(4, 128, {64, 1, 1})),
              (std::vector<uint32_t>{16, 8}));
}

TEST(SwitchTopology, OversubscriptionIsThatOfTheLeaves)
{
    // 12 ports up for 48 down are 4 to 1, and 60 of 64 ports.
    const auto topology = SwitchTopology::LeafSpine(1, 480, {64, 4, 2});
    EXPECT_EQ(CountTiers(topology), (std::vector<uint32_t>{10, 2}));
    EXPECT_EQ(topology.links.size(), 120U);
    EXPECT_EQ(CountPorts(topology, 0), 60U);
    EXPECT_EQ(CountPorts(topology, 10), 60U);
    // 24 up and 36 down are 1.5 to 1, and more even than 25 and 37.
    EXPECT_EQ(CountTiers(SwitchTopology::LeafSpine(1, 360, {64, 1.5, 2})),
              (std::vector<uint32_t>{10, 4}));
    EXPECT_EQ(WhyNot([] { SwitchTopology::LeafSpine(1, 480, {64, 0.5, 2}); }),
              "an oversubscription of 0.500000 was asked for: expected at least 1");
    EXPECT_EQ(
        WhyNot([] { SwitchTopology::LeafSpine(1, 480, {3, 4, 3}); }),
        "a switch of 3 ports cannot have 4.000000 of them down for each one up, for hosts of 3 "
        "ports");
}

TEST(SwitchTopology, WhatDoesNotFitIsRefusedWithTheNumbers)
{
    EXPECT_EQ(WhyNot([] { SwitchTopology::Rails(4, 65, {64, 1, 1}); }),
              "a rail has 65 ports, and without spines it is one switch, of 64 ports");
    EXPECT_EQ(WhyNot([] { SwitchTopology::LeafSpine(8, 512, {64, 1, 1}); }),
              "8 rails of 512 ports are 128 leaves: spines of 64 ports join at most as many");
}

TEST(SwitchTopology, WhateverTheNumbersPortsSufficeAndHostsReachEachOther)
{
    const uint32_t seed = 20250111;
    std::mt19937 random(seed);
    const auto choose = [&random](uint32_t low, uint32_t high) {
        return std::uniform_int_distribution<uint32_t>(low, high)(random);
    };
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 600; i++)
    {
        const SwitchTiers shape{choose(2, 20), choose(2, 12) / 2.0, choose(1, 2)};
        const bool tree = choose(0, 1);
        const uint32_t rails = tree ? 1 : choose(1, 4);
        const uint32_t hosts = choose(1, 300) * shape.portsPerHost;
        SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i) + ": " +
                     (tree ? "fat-tree" : "rails") + " of " + std::to_string(rails) + " x " +
                     std::to_string(hosts) + " ports, radix " + std::to_string(shape.radix) +
                     ", oversubscription " + std::to_string(shape.oversubscription));
        SwitchTopology topology;
        try
        {
            topology = tree ? SwitchTopology::FatTree(hosts, shape)
                            : SwitchTopology::LeafSpine(rails, hosts, shape);
        }
        catch (const std::invalid_argument&)
        {
            refused++;
            continue;
        }
        ASSERT_EQ(topology.hosts.size(), rails * hosts);
        std::map<uint32_t, uint32_t> down; // hosts of a leaf
        for (uint32_t host = 0; host < topology.hosts.size(); host++)
        {
            ASSERT_EQ(topology.tiers[topology.hosts[host]], 0U);
            ASSERT_EQ(topology.hosts[host], topology.hosts[host - host % shape.portsPerHost]);
            down[topology.hosts[host]]++;
        }
        std::map<uint32_t, uint32_t> up;
        for (const auto& link : topology.links)
        {
            ASSERT_EQ(topology.tiers[link.lower] + 1, topology.tiers[link.upper]);
            up[link.lower]++;
        }
        for (uint32_t s = 0; s < topology.tiers.size(); s++)
        {
            ASSERT_LE(CountPorts(topology, s), shape.radix);
            ASSERT_GT(CountPorts(topology, s), 0U);
        }
        if (topology.links.empty())
        {
            ASSERT_EQ(topology.tiers.size(), rails);
            continue;
        }
        ASSERT_EQ(CountReachable(topology, 0), topology.tiers.size());
        for (const auto& [leaf, hostsOfLeaf] : down)
        {
            ASSERT_LE(hostsOfLeaf, up[leaf] * shape.oversubscription + 1e-6);
        }
        // A switch has as many links to each of those that it is joined to above.
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> bundles;
        for (const auto& link : topology.links)
        {
            bundles[{link.lower, link.upper}]++;
        }
        std::map<uint32_t, std::set<uint32_t>> sizes;
        for (const auto& [ends, links] : bundles)
        {
            sizes[topology.tiers[ends.first]].insert(links);
        }
        for (const auto& tierAndSizes : sizes)
        {
            ASSERT_EQ(tierAndSizes.second.size(), 1U) << "tier " << tierAndSizes.first;
        }
        // Two leaves of two tiers have all spines in common, which shortest paths rest on.
        const auto counts = CountTiers(topology);
        if (counts.size() == 2)
        {
            ASSERT_EQ(bundles.size(), counts[0] * counts[1]);
        }
    }
    EXPECT_LT(refused, 400U);
    EXPECT_GT(refused, 20U);
}

} // namespace photonic
} // namespace ns3
