/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload/workload-test-helper.h"

#include "ns3/sip-ocs-allocation.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace ns3
{
namespace photonic
{
namespace
{

using Matrix = std::vector<std::vector<uint32_t>>;

/// @return the smallest number of circuits for a byte, over all pairs with demand
double
GetZ(const TrafficBySender& traffic, const Matrix& circuits)
{
    double z = 1e300;
    for (std::size_t s = 0; s < traffic.size(); s++)
    {
        for (std::size_t d = 0; d < traffic.size(); d++)
        {
            if (s != d && traffic[s][d] > 0)
            {
                z = std::min(z, double(circuits[s][d]) / traffic[s][d]);
            }
        }
    }
    return z;
}

/// Check that the switches hold the circuits, each a partial permutation.
void
ExpectPermutations(const Matrix& circuits, const Matrix& permutations)
{
    Matrix held(circuits.size(), std::vector<uint32_t>(circuits.size()));
    for (const auto& permutation : permutations)
    {
        ASSERT_EQ(permutation.size(), circuits.size());
        std::vector<bool> heard(circuits.size());
        for (uint32_t from = 0; from < permutation.size(); from++)
        {
            if (permutation[from] != from)
            {
                EXPECT_FALSE(heard[permutation[from]]);
                heard[permutation[from]] = true;
                held[from][permutation[from]]++;
            }
        }
    }
    EXPECT_EQ(held, circuits);
}

/// @return the best z of all sums of so many permutations, tried one after another
double
TryAll(const TrafficBySender& traffic, uint32_t switches, Matrix& circuits)
{
    if (switches == 0)
    {
        return GetZ(traffic, circuits);
    }
    std::vector<uint32_t> permutation(traffic.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    double best = 0;
    do
    {
        for (uint32_t from = 0; from < permutation.size(); from++)
        {
            circuits[from][permutation[from]]++;
        }
        best = std::max(best, TryAll(traffic, switches - 1, circuits));
        for (uint32_t from = 0; from < permutation.size(); from++)
        {
            circuits[from][permutation[from]]--;
        }
    } while (std::next_permutation(permutation.begin(), permutation.end()));
    return best;
}

/// @return a demand of 1 from each GPU to those so many places after it
TrafficBySender
MakeShifts(uint32_t n, const std::vector<uint32_t>& shifts)
{
    TrafficBySender traffic(n, std::vector<uint64_t>(n));
    for (uint32_t s = 0; s < n; s++)
    {
        for (uint32_t shift : shifts)
        {
            traffic[s][(s + shift) % n] = 1;
        }
    }
    return traffic;
}

TEST(SipOcsAllocation, UniformDemand)
{
    const auto all = MakeShifts(4, {1, 2, 3});
    EXPECT_EQ(GetZ(all, AllocateSipOcs(all, 3)), 1);
    const auto next = MakeShifts(4, {1});
    EXPECT_EQ(GetZ(next, AllocateSipOcs(next, 3)), 3);
    const auto ring = MakeShifts(1024, {1, 1023});
    const auto circuits = AllocateSipOcs(ring, 20);
    EXPECT_EQ(GetZ(ring, circuits), 10);
    ExpectPermutations(circuits, SplitIntoPermutations(circuits, 20));
}

TEST(SipOcsAllocation, NothingDemandedNothingAllocated)
{
    const auto none = AllocateSipOcs(TrafficBySender(3, std::vector<uint64_t>(3)), 4);
    EXPECT_EQ(none, Matrix(3, std::vector<uint32_t>(3)));
    ExpectPermutations(none, SplitIntoPermutations(none, 4));
}

TEST(SipOcsAllocation, IsAsGoodAsTheBestOfAllSumsOfPermutations)
{
    const uint32_t seed = 20210823;
    RecordProperty("seed", static_cast<int>(seed));
    std::mt19937 random(seed);
    for (int round = 0; round < 1000; round++)
    {
        const uint32_t n = 2 + random() % 3;
        const uint32_t switches = n - 1 + random() % (n == 4 ? 1 : 3);
        TrafficBySender traffic(n, std::vector<uint64_t>(n));
        for (uint32_t s = 0; s < n; s++)
        {
            for (uint32_t d = 0; d < n; d++)
            {
                traffic[s][d] = s == d || random() % 3 == 0 ? 0 : 1 + random() % 10;
            }
        }
        SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
        const auto circuits = AllocateSipOcs(traffic, switches);
        Matrix sum(n, std::vector<uint32_t>(n));
        EXPECT_EQ(GetZ(traffic, circuits), TryAll(traffic, switches, sum));
        ExpectPermutations(circuits, SplitIntoPermutations(circuits, switches));
    }
}

TEST(SipOcsAllocation, PortsThatCanServeAPairServeIt)
{
    std::mt19937 random(7);
    for (int round = 0; round < 100; round++)
    {
        const uint32_t n = 3 + random() % 12;
        TrafficBySender traffic(n, std::vector<uint64_t>(n));
        for (auto& row : traffic)
        {
            for (auto& bytes : row)
            {
                bytes = random() % 4 == 0 ? random() : 0;
            }
        }
        const uint32_t switches = n + random() % 8;
        const auto circuits = AllocateSipOcs(traffic, switches);
        std::vector<uint32_t> out(n);
        std::vector<uint32_t> in(n);
        for (uint32_t s = 0; s < n; s++)
        {
            for (uint32_t d = 0; d < n; d++)
            {
                out[s] += circuits[s][d];
                in[d] += circuits[s][d];
            }
        }
        for (uint32_t s = 0; s < n; s++)
        {
            EXPECT_LE(out[s], switches);
            EXPECT_LE(in[s], switches);
            for (uint32_t d = 0; d < n; d++)
            {
                EXPECT_TRUE(s == d || traffic[s][d] == 0 || out[s] == switches ||
                            in[d] == switches);
            }
        }
        ExpectPermutations(circuits, SplitIntoPermutations(circuits, switches));
    }
}

TEST(SipOcsAllocation, RefusesMorePeersThanSwitches)
{
    EXPECT_CONTAINS(GetRefusal([] { AllocateSipOcs(MakeShifts(4, {1, 2, 3}), 2); }),
                    "more than 2 others");
    EXPECT_THROW(SplitIntoPermutations({{0, 3}, {0, 0}}, 2), std::invalid_argument);
}

} // namespace
} // namespace photonic
} // namespace ns3
