/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ml-demands.h"

#include "ns3/sip-strategy.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{
namespace
{

using Counts = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;
using Mode = SipOcsStrategy::Mode;

Counts
CountWavelengths(const std::vector<WdmCircuit>& circuits)
{
    Counts counts;
    for (const auto& circuit : circuits)
    {
        counts[{circuit.source, circuit.destination}] += circuit.wavelengths;
    }
    return counts;
}

TEST(SipStrategy, OnARingPlacesDecideAndNotNumbers)
{
    // On the ring 0, 2, 1, 3: whoever is next to whom has one segment to go.
    TrafficMatrix demand(4);
    demand.Set(0, 2, 1);
    demand.Set(2, 1, 1);
    demand.Set(1, 3, 1);
    demand.Set(3, 0, 1);
    const WdmRing ring({4, 1, 4, 16, NanoSeconds(10)});
    const auto placed = SipRingStrategy(ring, {0, 2, 1, 3}).Allocate(demand);
    EXPECT_EQ(CountWavelengths(placed),
              (Counts{{{0, 2}, 5}, {{1, 3}, 5}, {{2, 1}, 5}, {{3, 0}, 5}}));
    // By number 1 -> 3 and 0 -> 2 are two segments away.
    EXPECT_NE(CountWavelengths(SipRingStrategy(ring).Allocate(demand)), CountWavelengths(placed));
    for (const auto& order : std::vector<std::vector<uint32_t>>{{0, 1, 2}, {0, 1, 2, 2}})
    {
        EXPECT_THROW(SipRingStrategy(ring, order), std::invalid_argument);
    }
}

TEST(SipStrategy, WhoIsBeyondTheReachIsNamed)
{
    TrafficMatrix demand(8);
    demand.Set(0, 4, 1);
    try
    {
        SipRingStrategy(WdmRing({8, 1, 4, 3})).Allocate(demand);
        ADD_FAILURE() << "was not refused";
    }
    catch (const std::invalid_argument& refusal)
    {
        EXPECT_EQ(std::string(refusal.what()),
                  "GPU 0 has demand for GPU 4, 4 segments away: expected at most the reach of 3");
    }
}

TEST(SipStrategy, ParallelCircuitsAreOneOfAllTheirWavelengths)
{
    // Three switches with 4 wavelengths a port: one demand gets all three, or two if two share.
    TrafficMatrix demand(4);
    demand.Set(0, 1, 100);
    demand.Set(2, 3, 90);
    demand.Set(2, 1, 1);
    for (const auto mode : {Mode::ONE_SHOT, Mode::PERIODIC})
    {
        const auto counts = CountWavelengths(SipOcsStrategy(mode, 3, 4).Allocate(demand));
        EXPECT_EQ(counts, (Counts{{{0, 1}, 8}, {{2, 3}, 8}, {{2, 1}, 4}}));
    }
    EXPECT_TRUE(SipOcsStrategy(Mode::PERIODIC, 3, 4).Allocate(TrafficMatrix(4)).empty());
}

TEST(SipStrategy, PeriodicallyNobodyStarvesWhoHasAPort)
{
    constexpr uint32_t seed = 3;
    std::cout << "seed " << seed << '\n';
    std::mt19937_64 random(seed);
    for (uint32_t round = 0; round < 300; round++)
    {
        const uint32_t gpus = 2 + random() % 7;
        const uint32_t switches = 1 + random() % 8;
        const auto demand = MakeRandom(random, gpus, 1000);
        std::map<uint32_t, uint32_t> peers;
        uint32_t most = 0;
        for (const auto& pair : demand.GetDemands())
        {
            most = std::max({most, ++peers[pair.source], ++peers[gpus + pair.destination]});
        }
        const auto counts =
            CountWavelengths(SipOcsStrategy(Mode::PERIODIC, switches, 1).Allocate(demand));
        std::map<uint32_t, uint32_t> ports;
        for (const auto& [pair, wavelengths] : counts)
        {
            EXPECT_GT(demand.Get(pair.first, pair.second), 0U);
            EXPECT_LE(ports[pair.first] += wavelengths, switches);
            EXPECT_LE(ports[gpus + pair.second] += wavelengths, switches);
        }
        EXPECT_GT(counts.size(), 0U);
        if (most <= switches)
        {
            EXPECT_EQ(counts.size(), demand.GetDemands().size());
        }
    }
}

} // namespace
} // namespace photonic
} // namespace ns3
