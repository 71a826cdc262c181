/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ml/sip-ml-demands.h"

#include "ns3/weighted-b-matching.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3::photonic;

namespace
{

__extension__ typedef __int128 Wide;

/// An arc of the residual network and what it costs.
struct Arc
{
    uint32_t from;
    uint32_t to;
    Wide cost;
};

/// @return whether circuits can be moved so that they weigh more: whether there is a negative cycle
bool
CanImprove(const TrafficMatrix& demand,
           uint32_t capacity,
           uint32_t limit,
           const std::vector<uint32_t>& circuits)
{
    const uint32_t n = demand.GetSize();
    const auto demands = demand.GetDemands();
    std::vector<uint32_t> sent(n);
    std::vector<uint32_t> received(n);
    std::vector<Arc> arcs;
    for (size_t i = 0; i < demands.size(); ++i)
    {
        const auto& [source, destination, bytes] = demands[i];
        sent[source] += circuits[i];
        received[destination] += circuits[i];
        if (circuits[i] < limit)
        {
            arcs.push_back({source, n + destination, -Wide(bytes)});
        }
        if (circuits[i] > 0)
        {
            arcs.push_back({n + destination, source, Wide(bytes)});
        }
    }
    // A node that all ports are tied to, at no cost.
    for (uint32_t gpu = 0; gpu < n; ++gpu)
    {
        const std::vector<Arc> ports{{2 * n, gpu, 0},
                                     {n + gpu, 2 * n, 0},
                                     {gpu, 2 * n, 0},
                                     {2 * n, n + gpu, 0}};
        const bool usable[] = {sent[gpu] < capacity,
                               received[gpu] < capacity,
                               sent[gpu] > 0,
                               received[gpu] > 0};
        for (int i = 0; i < 4; ++i)
        {
            if (usable[i])
            {
                arcs.push_back(ports[i]);
            }
        }
    }
    std::vector<Wide> distance(2 * n + 1);
    for (uint32_t round = 0; round <= 2 * n + 1; ++round)
    {
        bool changed = false;
        for (const auto& arc : arcs)
        {
            if (distance[arc.from] + arc.cost < distance[arc.to])
            {
                distance[arc.to] = distance[arc.from] + arc.cost;
                changed = true;
            }
        }
        if (!changed)
        {
            return false;
        }
    }
    return true;
}

} // namespace

TEST(WeightedBMatching, NothingCanBeImproved)
{
    const uint64_t seed = 31;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int i = 0; i < 300; ++i)
    {
        const uint32_t n = 2 + random() % 25;
        const uint32_t capacity = 1 + random() % 6;
        const uint32_t limit = 1 + random() % capacity;
        const auto demand = MakeRandom(random, n, i % 4 == 0 ? UINT64_MAX : 1 + random() % 1000);
        const auto circuits = WeightedBMatching(demand, capacity, limit).Solve();
        const auto demands = demand.GetDemands();
        ASSERT_EQ(circuits.size(), demands.size());
        std::vector<uint32_t> sent(n);
        std::vector<uint32_t> received(n);
        for (size_t j = 0; j < demands.size(); ++j)
        {
            EXPECT_LE(circuits[j], limit);
            EXPECT_LE(sent[demands[j].source] += circuits[j], capacity);
            EXPECT_LE(received[demands[j].destination] += circuits[j], capacity);
        }
        EXPECT_FALSE(CanImprove(demand, capacity, limit, circuits)) << i;
    }
}

TEST(WeightedBMatching, GivesWayToWhatWeighsMore)
{
    // The first row's favourite is worth more to the second.
    TrafficMatrix demand(4);
    demand.Set(0, 2, 10);
    demand.Set(0, 3, 9);
    demand.Set(1, 2, 8);
    EXPECT_EQ(WeightedBMatching(demand, 1, 1).Solve(), (std::vector<uint32_t>{0, 1, 1}));
    EXPECT_TRUE(CanImprove(demand, 1, 1, {1, 0, 0}));
    demand.Set(0, 3, 1);
    EXPECT_EQ(WeightedBMatching(demand, 1, 1).Solve(), (std::vector<uint32_t>{1, 0, 0}));
}
