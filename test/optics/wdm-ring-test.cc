/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/wdm-ring.h"

#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <set>
#include <stdexcept>
#include <tuple>

namespace ns3
{
namespace photonic
{
namespace
{

using Direction = WdmRing::Direction;
using Lightpath = WdmRing::Lightpath;

constexpr auto UP = Direction::CLOCKWISE;
constexpr auto DOWN = Direction::COUNTERCLOCKWISE;

TEST(WdmRing, DisjointArcsShareAWavelengthAndBundlesHaveTheLongestWay)
{
    // Of six GPUs: three arcs go round one wavelength, and others are on their own.
    const WdmRing ring({6, 2, 2, 5, NanoSeconds(7)});
    const auto circuits = ring.Bundle({{0, UP, 0, 0, 2},
                                       {0, UP, 0, 2, 3},
                                       {0, UP, 0, 3, 0},
                                       {0, DOWN, 0, 0, 2}, // the long way
                                       {1, UP, 0, 0, 2},
                                       {0, UP, 1, 5, 1}});
    const std::vector<WdmCircuit> expected = {{0, 2, 3, NanoSeconds(28)},
                                              {2, 3, 1, NanoSeconds(7)},
                                              {3, 0, 1, NanoSeconds(21)},
                                              {5, 1, 1, NanoSeconds(14)}};
    EXPECT_EQ(circuits, expected);
}

TEST(WdmRing, WhatCannotBeLitIsNamed)
{
    const WdmRing ring({6, 2, 3, 2});
    const std::pair<std::vector<Lightpath>, std::string> cases[] = {
        {{{1, DOWN, 2, 3, 1}, {1, DOWN, 2, 2, 0}},
         "lightpath 3-1 and lightpath 2-0 overlap: wavelength 2 of ring 1, counterclockwise, "
         "segment 1"},
        {{{0, UP, 0, 5, 1}, {0, UP, 0, 0, 1}},
         "lightpath 5-1 and lightpath 0-1 overlap: wavelength 0 of ring 0, clockwise, segment 0"},
        {{{0, UP, 0, 0, 3}}, "lightpath 0-3 is 3 segments long: expected at most the reach of 2"},
        {{{0, UP, 0, 6, 3}}, "lightpath 6-3: there is no GPU 6, only 6"},
        {{{0, UP, 0, 2, 2}}, "lightpath 2-2: a GPU does not talk to itself"},
        {{{2, UP, 0, 0, 1}}, "there is no wavelength 0 of ring 2, only 3 of 2"},
        {{{0, UP, 3, 0, 1}}, "there is no wavelength 3 of ring 0, only 3 of 2"},
    };
    for (const auto& [paths, reason] : cases)
    {
        EXPECT_NE(ring.Validate(paths).find(reason), std::string::npos) << ring.Validate(paths);
        EXPECT_THROW(ring.Bundle(paths), std::invalid_argument);
    }
    EXPECT_THROW(WdmRing({1, 1, 1}), std::invalid_argument);
    EXPECT_THROW(WdmRing({4, 0, 1}), std::invalid_argument);
}

TEST(WdmRing, IsAsAWalkRoundTheRingSays)
{
    constexpr uint32_t seed = 5;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    uint32_t lit = 0;
    for (uint32_t round = 0; round < 5000; round++)
    {
        const uint32_t gpus = 2 + random() % 7;
        const WdmRing ring({gpus, 1 + uint32_t(random() % 2), 1 + uint32_t(random() % 2), gpus});
        std::vector<Lightpath> paths;
        std::set<std::tuple<uint32_t, bool, uint32_t, uint32_t>> used;
        bool possible = true;
        for (uint32_t i = 0; i < 2 + random() % 4; i++)
        {
            const uint32_t source = random() % gpus;
            const uint32_t destination = (source + 1 + random() % (gpus - 1)) % gpus;
            const Lightpath path{uint32_t(random() % ring.GetSize().rings),
                                 random() % 2 ? UP : DOWN,
                                 uint32_t(random() % ring.GetSize().wavelengths),
                                 source,
                                 destination};
            paths.push_back(path);
            for (uint32_t at = source; at != destination;)
            {
                const uint32_t next = (at + (path.direction == UP ? 1 : gpus - 1)) % gpus;
                const uint32_t segment = path.direction == UP ? at : next;
                possible &=
                    used.insert({path.ring, path.direction == UP, path.wavelength, segment}).second;
                at = next;
            }
        }
        EXPECT_EQ(ring.Validate(paths).empty(), possible);
        lit += possible;
    }
    EXPECT_GT(lit, 500U);
    EXPECT_LT(lit, 4500U);
}

} // namespace
} // namespace photonic
} // namespace ns3
