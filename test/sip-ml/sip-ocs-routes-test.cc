/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ml-demands.h"

#include "ns3/sip-ocs-allocation.h"
#include "ns3/sip-ocs-routes.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

TEST(SipOcsRoutes, WhoHasPortsForAllForwardsNothing)
{
    const auto demand = MakeAllToAll(5);
    const auto routes = SipOcsRoutes::Find(demand, 4);
    EXPECT_TRUE(routes.detours.empty());
    EXPECT_EQ(routes.forwarded, 0U);
    for (const auto& [source, destination, bytes] : demand.GetDemands())
    {
        EXPECT_EQ(routes.links.Get(source, destination), bytes);
    }
}

TEST(SipOcsRoutes, OneSwitchIsARing)
{
    // n GPUs, all to all: paths of 1 to n - 1 circuits from each, so that n (n - 1) / 2 bytes pass
    // each circuit, of which n - 1 start on it.
    for (uint32_t n = 3; n <= 8; n++)
    {
        const auto routes = SipOcsRoutes::Find(MakeAllToAll(n), 1);
        for (uint32_t gpu = 0; gpu < n; gpu++)
        {
            EXPECT_EQ(routes.links.Get(gpu, (gpu + 1) % n), n * (n - 1) / 2) << n;
        }
        EXPECT_EQ(routes.detours.size(), n * (n - 2)) << n;
        EXPECT_EQ(routes.forwarded, uint64_t(n) * (n - 1) * (n - 2) / 2) << n;
    }
}

TEST(SipOcsRoutes, AStarGoesByTheLeastBusyPort)
{
    // GPU 0 has three destinations and two ports, of which one is the ring's, to GPU 1. 21 bytes
    // leave by two ports; 9 and 5 + 7 is as even as it gets.
    TrafficMatrix demand(4);
    demand.Set(0, 1, 5);
    demand.Set(0, 2, 7);
    demand.Set(0, 3, 9);
    const auto routes = SipOcsRoutes::Find(demand, 2);
    EXPECT_EQ(routes.links.Get(0, 3), 9U);
    ASSERT_EQ(routes.detours.size(), 1U);
    EXPECT_EQ(routes.detours[0].destination, 2U);
    EXPECT_EQ(routes.detours[0].hosts, std::vector<uint32_t>{1});
    EXPECT_EQ(routes.links.Get(0, 1), 12U);
    EXPECT_EQ(routes.links.Get(1, 2), 7U);
    EXPECT_EQ(routes.forwarded, 7U);
}

TEST(SipOcsRoutes, EqualDemandsMakeARegularGraph)
{
    // All-to-all among n: with circuits to the next K, who is d further on takes ceil(d / K).
    for (const auto& [n, k] : {std::make_pair(8U, 4U), {8U, 2U}, {9U, 4U}, {13U, 4U}})
    {
        const auto routes = SipOcsRoutes::Find(MakeAllToAll(n), k);
        uint64_t forwarded = 0;
        for (uint32_t d = 1; d < n; d++)
        {
            forwarded += n * ((d + k - 1) / k - 1);
        }
        EXPECT_EQ(routes.forwarded, forwarded) << n << " " << k;
        EXPECT_LT(routes.forwarded, SipOcsRoutes::Find(MakeAllToAll(n), k - 1).forwarded);
    }
}

TEST(SipOcsRoutes, EveryByteComesThroughWithinThePorts)
{
    for (uint32_t seed = 1; seed <= 300; seed++)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const uint32_t n = 2 + random() % 9;
        const uint32_t k = 1 + random() % 4;
        TrafficMatrix demand(n);
        for (uint32_t s = 0; s < n; s++)
        {
            for (uint32_t d = 0; d < n; d++)
            {
                if (s != d && random() % 3 > 0)
                {
                    demand.Set(s, d, 1 + random() % 1000);
                }
            }
        }
        const auto routes = SipOcsRoutes::Find(demand, k);
        // Carried anew, by the detours alone.
        std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> hosts;
        for (const auto& detour : routes.detours)
        {
            EXPECT_FALSE(detour.hosts.empty());
            hosts[{detour.source, detour.destination}] = detour.hosts;
        }
        TrafficMatrix carried(n);
        uint64_t forwarded = 0;
        for (const auto& [source, destination, bytes] : demand.GetDemands())
        {
            auto path = hosts[{source, destination}];
            forwarded += bytes * path.size();
            path.push_back(destination);
            uint32_t at = source;
            for (uint32_t next : path)
            {
                carried.Set(at, next, carried.Get(at, next) + bytes);
                at = next;
            }
        }
        EXPECT_EQ(routes.forwarded, forwarded);
        for (uint32_t s = 0; s < n; s++)
        {
            for (uint32_t d = 0; d < n; d++)
            {
                EXPECT_TRUE(s == d || routes.links.Get(s, d) == carried.Get(s, d)) << s << d;
            }
        }
        if (!demand.GetDemands().empty())
        {
            EXPECT_EQ(SipOcsAllocation::MaximiseWorst(routes.links, k).permutations.size(), k);
        }
    }
}

TEST(SipOcsRoutes, RefusesNoSwitches)
{
    EXPECT_THROW(SipOcsRoutes::Find(MakeAllToAll(3), 0), std::invalid_argument);
}

} // namespace photonic
} // namespace ns3
