/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ml/sip-ml-test-helper.h"

#include "ns3/sip-ocs-allocation.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

using Matrix = std::vector<uint32_t>; // circuits, by source and destination

/// Visit the sum of every choice of k permutations of n.
void
ForEachSum(uint32_t n, uint32_t k, const std::function<void(const Matrix&)>& visit)
{
    std::vector<Matrix> permutations;
    std::vector<uint32_t> p(n);
    std::iota(p.begin(), p.end(), 0);
    do
    {
        permutations.push_back(p);
    } while (std::next_permutation(p.begin(), p.end()));
    Matrix sum(n * n);
    const std::function<void(size_t, uint32_t)> choose = [&](size_t first, uint32_t left) {
        if (left == 0)
        {
            visit(sum);
            return;
        }
        for (size_t i = first; i < permutations.size(); ++i)
        {
            for (uint32_t s = 0; s < n; ++s)
            {
                ++sum[s * n + permutations[i][s]];
            }
            choose(i, left - 1);
            for (uint32_t s = 0; s < n; ++s)
            {
                --sum[s * n + permutations[i][s]];
            }
        }
    };
    choose(0, k);
}

/// Expect permutations that realise what the pairs count. @return circuits that pairs count
Matrix
ExpectRealisable(const TrafficMatrix& demand, uint32_t k, const SipOcsAllocation& allocation)
{
    const uint32_t n = demand.GetSize();
    Matrix counted(n * n);
    Matrix realised(n * n);
    const auto demands = demand.GetDemands();
    EXPECT_EQ(allocation.pairs.size(), demands.size());
    SipShare worst{UINT32_MAX, 1};
    for (size_t i = 0; i < demands.size(); ++i)
    {
        const auto& pair = allocation.pairs[i];
        EXPECT_EQ(pair.source, demands[i].source);
        EXPECT_EQ(pair.destination, demands[i].destination);
        counted[pair.source * n + pair.destination] = pair.circuits;
        worst = std::min(worst, SipShare{pair.circuits, demands[i].bytes});
    }
    EXPECT_EQ(allocation.worst, worst);
    EXPECT_EQ(allocation.permutations.size(), k);
    for (auto permutation : allocation.permutations)
    {
        for (uint32_t s = 0; s < n; ++s)
        {
            ++realised[s * n + permutation[s]];
        }
        std::sort(permutation.begin(), permutation.end());
        for (uint32_t s = 0; s < n; ++s)
        {
            EXPECT_EQ(permutation[s], s);
        }
    }
    for (uint32_t s = 0; s < n; ++s)
    {
        uint32_t row = 0;
        uint32_t column = 0;
        for (uint32_t d = 0; d < n; ++d)
        {
            EXPECT_LE(counted[s * n + d], realised[s * n + d]);
            row += counted[s * n + d];
            column += counted[d * n + s];
        }
        EXPECT_LE(row, k);
        EXPECT_LE(column, k);
    }
    return counted;
}

/// Expect that no two free ports could serve a pair.
void
ExpectNoWaste(const TrafficMatrix& demand, uint32_t k, const Matrix& counted)
{
    const uint32_t n = demand.GetSize();
    std::vector<uint32_t> sent(n);
    std::vector<uint32_t> received(n);
    for (uint32_t i = 0; i < n * n; ++i)
    {
        sent[i / n] += counted[i];
        received[i % n] += counted[i];
    }
    for (const auto& [source, destination, bytes] : demand.GetDemands())
    {
        EXPECT_TRUE(sent[source] == k || received[destination] == k);
    }
}

double
GetZ(const TrafficMatrix& demand, uint32_t k)
{
    return SipOcsAllocation::MaximiseWorst(demand, k).worst.Normalise(demand.GetMax());
}

} // namespace

TEST(SipOcsAllocation, ReferenceVectors)
{
    EXPECT_EQ(GetZ(MakeAllToAll(4), 3), 1);
    EXPECT_EQ(GetZ(MakeNeighbours(4), 3), 3);
}

TEST(SipOcsAllocation, NoDemandKeepsThePresentCircuits)
{
    for (const auto& allocation : {SipOcsAllocation::MaximiseWorst(TrafficMatrix(4), 3),
                                   SipOcsAllocation::MaximiseTotal(TrafficMatrix(4), 3)})
    {
        EXPECT_TRUE(allocation.permutations.empty());
        EXPECT_TRUE(allocation.pairs.empty());
    }
}

TEST(SipOcsAllocation, IdleGpusSendToThemselves)
{
    TrafficMatrix demand(4);
    demand.Set(0, 1, 9);
    demand.Set(1, 0, 1);
    const auto allocation = SipOcsAllocation::MaximiseWorst(demand, 2);
    const std::vector<uint32_t> swapped{1, 0, 2, 3};
    EXPECT_EQ(allocation.permutations, (std::vector<std::vector<uint32_t>>{swapped, swapped}));
}

TEST(SipOcsAllocation, NamesTheGpuWithTooFewPorts)
{
    TrafficMatrix demand(5);
    for (uint32_t i = 0; i < 4; ++i)
    {
        demand.Set(i, 4, 1);
    }
    const auto refusal = [](const TrafficMatrix& d, uint32_t k) -> std::string {
        try
        {
            SipOcsAllocation::MaximiseWorst(d, k);
        }
        catch (const std::invalid_argument& error)
        {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refusal(demand, 3), "GPU 4 has demand from 4 others, but ports to 3 switches only");
    EXPECT_EQ(refusal(demand, 4), "");
    EXPECT_EQ(refusal(MakeAllToAll(3), 1),
              "GPU 0 has demand for 2 others, but ports to 1 switches only");
    EXPECT_EQ(refusal(demand, 0), "SiP-OCS needs at least 1 switch");
    EXPECT_THROW(SipOcsAllocation::MaximiseTotal(demand, 0), std::invalid_argument);
    EXPECT_THROW(SipOcsAllocation::MaximiseTotal(demand, 1, 0), std::invalid_argument);
}

TEST(SipOcsAllocation, AgreesWithAllSumsOfPermutations)
{
    const uint64_t seed = 20210823;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    int refused = 0;
    for (int i = 0; i < 150; ++i)
    {
        const uint32_t n = 2 + random() % 3;
        const uint32_t k = 1 + random() % (n == 4 ? 3 : 5);
        const auto demand = MakeRandom(random, n, i % 3 == 0 ? UINT64_MAX / 32 : 1 + i % 7);
        const auto demands = demand.GetDemands();
        const uint32_t limit = 1 + random() % (k + 1);
        SipShare best{0, 1};
        uint64_t total = 0;
        uint64_t limited = 0;
        ForEachSum(n, k, [&](const Matrix& sum) {
            SipShare worst{UINT32_MAX, 1};
            uint64_t bytes = 0;
            uint64_t some = 0;
            for (const auto& pair : demands)
            {
                const uint32_t circuits = sum[pair.source * n + pair.destination];
                worst = std::min(worst, SipShare{circuits, pair.bytes});
                bytes += pair.bytes * circuits;
                some += pair.bytes * std::min(circuits, limit);
            }
            best = std::max(best, worst);
            total = std::max(total, bytes);
            limited = std::max(limited, some);
        });
        for (const uint32_t most : {UINT32_MAX, limit})
        {
            const auto allocation = SipOcsAllocation::MaximiseTotal(demand, k, most);
            ExpectRealisable(demand, k, allocation);
            uint64_t found = 0;
            for (const auto& pair : allocation.pairs)
            {
                EXPECT_LE(pair.circuits, most);
                found += pair.circuits * demand.Get(pair.source, pair.destination);
            }
            EXPECT_EQ(found, most == limit ? limited : total);
        }
        if (best.count == 0)
        {
            EXPECT_THROW(SipOcsAllocation::MaximiseWorst(demand, k), std::invalid_argument);
            ++refused;
            continue;
        }
        const auto allocation = SipOcsAllocation::MaximiseWorst(demand, k);
        EXPECT_EQ(allocation.worst, best);
        ExpectNoWaste(demand, k, ExpectRealisable(demand, k, allocation));
    }
    EXPECT_LT(refused, 100);
}

TEST(SipOcsAllocation, WithoutLimitAllSwitchesAgree)
{
    std::mt19937_64 random(5);
    const auto demand = MakeRandom(random, 9, 1000);
    const auto allocation = SipOcsAllocation::MaximiseTotal(demand, 4);
    for (const auto& permutation : allocation.permutations)
    {
        EXPECT_EQ(permutation, allocation.permutations.front());
    }
}

TEST(SipOcsAllocation, ThousandGpus)
{
    const auto demand = MakeHybrid(128, 8);
    const auto allocation = SipOcsAllocation::MaximiseWorst(demand, 20);
    // 5 bytes to 3: two circuits for each of seven others, four for the next group.
    EXPECT_EQ(allocation.worst, (SipShare{2, 3}));
    ExpectNoWaste(demand, 20, ExpectRealisable(demand, 20, allocation));
    ExpectRealisable(demand, 20, SipOcsAllocation::MaximiseTotal(demand, 20, 1));
}
