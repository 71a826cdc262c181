/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/bipartite-edge-colouring.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <string>

using namespace ns3::photonic;

TEST(BipartiteEdgeColouring, AsManyColoursAsEdgesAtANode)
{
    const uint64_t seed = 11;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int i = 0; i < 300; ++i)
    {
        const uint32_t n = 1 + random() % 12;
        const uint32_t k = 1 + random() % 6;
        // Full: the sum of k permutations, in random order.
        std::vector<std::pair<uint32_t, uint32_t>> edges;
        std::vector<uint32_t> permutation(n);
        std::vector<uint32_t> sum(n * n);
        for (uint32_t s = 0; s < n; ++s)
        {
            permutation[s] = s;
        }
        for (uint32_t colour = 0; colour < k; ++colour)
        {
            std::shuffle(permutation.begin(), permutation.end(), random);
            for (uint32_t s = 0; s < n; ++s)
            {
                edges.emplace_back(s, permutation[s]);
            }
        }
        std::shuffle(edges.begin(), edges.end(), random);
        if (i % 2 == 0)
        {
            edges.resize(random() % (edges.size() + 1));
        }
        BipartiteEdgeColouring colouring(n, k);
        for (const auto& [s, d] : edges)
        {
            colouring.Add(s, d);
            ++sum[s * n + d];
        }
        for (uint32_t colour = 0; colour < k; ++colour)
        {
            auto found = colouring.GetPermutation(colour);
            for (uint32_t s = 0; s < n; ++s)
            {
                uint32_t& left = sum[s * n + found[s]];
                left -= left > 0 ? 1 : 0;
            }
            std::sort(found.begin(), found.end());
            for (uint32_t s = 0; s < n; ++s)
            {
                EXPECT_EQ(found[s], s);
            }
        }
        EXPECT_EQ(std::count(sum.begin(), sum.end(), 0), n * n);
    }
}

TEST(BipartiteEdgeColouring, CompletesPermutations)
{
    BipartiteEdgeColouring colouring(5, 1);
    colouring.Add(0, 3);
    colouring.Add(3, 1);
    EXPECT_EQ(colouring.GetPermutation(0), (std::vector<uint32_t>{3, 0, 2, 1, 4}));
    EXPECT_THROW(colouring.Add(0, 2), std::invalid_argument);
    EXPECT_THROW(colouring.Add(2, 1), std::invalid_argument);
}
