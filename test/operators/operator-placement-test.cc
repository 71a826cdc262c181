/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "operator-test-helper.h"
#include "workload/workload-test-helper.h"

#include "ns3/operator-model.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace photonic
{

namespace
{

using Positions = std::vector<uint32_t>;

/// @return whether every set of destinations and sources, and every way, is within the limits
bool
KeepsLimits(const OperatorGraph& graph, const OperatorPlacement& placement)
{
    const PlacementLimits& limits = placement.GetLimits();
    const uint32_t ring = limits.gpus * limits.groups;
    std::map<uint32_t, uint32_t> destinations;
    std::map<uint32_t, uint32_t> sources;
    bool keeps = true;
    for (const auto& [from, to] : ListTransfers(graph, placement))
    {
        const uint32_t clockwise = (to + ring - from) % ring;
        keeps &= limits.degree == 0 ||
                 (++destinations[from] <= limits.degree && ++sources[to] <= limits.degree);
        keeps &= limits.reach == 0 || std::min(clockwise, ring - clockwise) <= limits.reach;
    }
    return keeps;
}

/// The rule of the greedy placement without limits, once more.
std::vector<Positions>
PlaceGreedily(const OperatorGraph& graph, uint32_t gpus)
{
    std::vector<double> busy(gpus);
    std::vector<double> ends;
    std::vector<Positions> holders;
    for (uint32_t i = 0; i < graph.GetSize(); ++i)
    {
        const double duration = std::floor(graph.Get(i).forward.flops * 1e-3) * 1e-3; // us
        const double pieces = duration < 2 ? 1
                                           : std::min(std::exp2(std::floor(std::log2(duration))),
                                                      std::exp2(std::floor(std::log2(gpus))));
        double begin = 0;
        for (uint32_t input : graph.Get(i).inputs)
        {
            begin = std::max(begin, ends[input]);
        }
        Positions chosen;
        double end = 0;
        while (chosen.size() < pieces)
        {
            uint32_t best = gpus;
            for (uint32_t g = 0; g < gpus; ++g)
            {
                const bool isTaken = std::count(chosen.begin(), chosen.end(), g) > 0;
                best = !isTaken && (best == gpus || busy[g] < busy[best]) ? g : best;
            }
            chosen.push_back(best);
        }
        for (uint32_t g : chosen)
        {
            busy[g] = std::max(busy[g], begin) + graph.Get(i).forward.flops * 1e-6 / pieces;
            end = std::max(end, busy[g]);
        }
        ends.push_back(end);
        std::sort(chosen.begin(), chosen.end());
        holders.push_back(chosen);
    }
    return holders;
}

} // namespace

TEST(OperatorPlacement, SplitsByTheLogarithmOfTime)
{
    EXPECT_EQ(CountPieces(Time(0), MicroSeconds(1), 8), 1U);
    EXPECT_EQ(CountPieces(NanoSeconds(1999), MicroSeconds(1), 8), 1U);
    EXPECT_EQ(CountPieces(MicroSeconds(2), MicroSeconds(1), 8), 2U);
    EXPECT_EQ(CountPieces(Seconds(1), MicroSeconds(1), 7), 4U);
    EXPECT_EQ(CountPieces(Hours(1), NanoSeconds(1), 4'000'000'000U), 1U << 31);
    for (uint32_t us = 1; us < 600; ++us)
    {
        const uint32_t p = std::exp2(std::floor(std::log2(us + 0.5)));
        EXPECT_EQ(CountPieces(NanoSeconds(1000 * us + 500), MicroSeconds(1), 64), std::min(p, 64U));
    }
    EXPECT_EQ(GetShareBytes(MakeOperator("a", Time(0), 0, 10, {}), 4), 3U);
}

TEST(OperatorPlacement, TakesTheGpusThatAreFreeEarliest)
{
    OperatorGraph graph("three", 1);
    graph.Add(MakeOperator("a", MicroSeconds(2), 1, 1, {}));   // 0, 1 until 1 us
    graph.Add(MakeOperator("b", NanoSeconds(1500), 1, 1, {})); // 2 until 1.5 us
    graph.Add(MakeOperator("c", MicroSeconds(4), 1, 1, {0}));  // 3, then 0, 1, then 2
    graph.Add(MakeOperator("d", NanoSeconds(500), 1, 1, {1, 2}));
    const OperatorPlacement placement(graph, MakePicosecondGpu(), {4, 2, 0, 0});
    EXPECT_EQ(placement.GetHolders(0), (Positions{0, 1}));
    EXPECT_EQ(placement.GetHolders(1), (Positions{2}));
    EXPECT_EQ(placement.GetHolders(2), (Positions{0, 1, 2, 3}));
    // Free at 2 us: 0, 1 and 3 (c waited for a there); 2 at 2.5 us.
    EXPECT_EQ(placement.GetHolders(3), (Positions{0}));
    EXPECT_EQ(placement.GetReaders(0), (Positions{0, 1, 2, 3}));
    EXPECT_EQ(placement.GetReaders(1), (Positions{0}));
    EXPECT_EQ(placement.GetReaders(3), Positions());
}

TEST(OperatorPlacement, IsTheGreedyOneWhereNothingLimits)
{
    std::mt19937 random(1);
    for (uint32_t round = 0; round < 200; ++round)
    {
        const OperatorGraph graph = MakeRandomGraph(random, 2 + random() % 10);
        const uint32_t gpus = 1 + random() % 9;
        const OperatorPlacement placement(graph, MakePicosecondGpu(), {gpus, 2, 0, 0});
        const auto expected = PlaceGreedily(graph, gpus);
        for (uint32_t i = 0; i < graph.GetSize(); ++i)
        {
            ASSERT_EQ(placement.GetHolders(i), expected[i]) << "round " << round << " of " << i;
        }
    }
}

TEST(OperatorPlacement, KeepsDegreeAndReach)
{
    std::mt19937 random(2);
    uint32_t refused = 0;
    for (uint32_t round = 0; round < 500; ++round)
    {
        const OperatorGraph graph = MakeRandomGraph(random, 2 + random() % 12);
        PlacementLimits limits;
        limits.gpus = 1 + random() % 12;
        limits.groups = 1 + random() % 3;
        limits.degree = random() % 6;
        limits.reach = random() % 14;
        // A whole model on one GPU of each group is always possible, unless that is too far.
        bool hasParameters = false;
        for (uint32_t i = 0; i < graph.GetSize(); ++i)
        {
            hasParameters |= graph.Get(i).parameters != 0;
        }
        const bool isTooFar =
            limits.groups > 1 && hasParameters && limits.reach != 0 && limits.reach < limits.gpus;
        if (isTooFar)
        {
            // Unless what has parameters can be on two GPUs, none can send to one nearer.
            try
            {
                const OperatorPlacement placement(graph, MakePicosecondGpu(), limits);
                EXPECT_TRUE(KeepsLimits(graph, placement));
                ADD_FAILURE() << "gradients go round in a group: one goes " << limits.gpus;
            }
            catch (const std::invalid_argument& e)
            {
                EXPECT_CONTAINS(e.what(), "reach is only " + std::to_string(limits.reach));
                ++refused;
            }
            continue;
        }
        const OperatorPlacement placement(graph, MakePicosecondGpu(), limits);
        EXPECT_TRUE(KeepsLimits(graph, placement)) << "round " << round;
        for (uint32_t i = 0; i < graph.GetSize(); ++i)
        {
            const Positions& holders = placement.GetHolders(i);
            EXPECT_TRUE(std::is_sorted(holders.begin(), holders.end()));
            EXPECT_EQ(std::set<uint32_t>(holders.begin(), holders.end()).size(), holders.size());
            EXPECT_LT(holders.back(), limits.gpus);
        }
    }
    EXPECT_GT(refused, 20U);
}

TEST(OperatorPlacement, LimitsOnlyWhatTheyHaveTo)
{
    // Eight GPUs and 20 circuit switches, or 16 GPUs of reach: nothing to give up.
    const ComputeModel compute(FindGpu("a100"), 0.4);
    for (const OperatorModel& model : GetOperatorModels())
    {
        const OperatorGraph graph = model.Build(8);
        const OperatorPlacement free(graph, compute, {8, 2, 0, 0});
        const OperatorPlacement ocs(graph, compute, {8, 2, 20, 0});
        const OperatorPlacement ring(graph, compute, {8, 2, 0, 16});
        for (uint32_t i = 0; i < graph.GetSize(); ++i)
        {
            EXPECT_EQ(ocs.GetHolders(i), free.GetHolders(i));
            EXPECT_EQ(ring.GetHolders(i), free.GetHolders(i));
        }
    }
    // Of 64 GPUs more than 20 / 2 are of use.
    const OperatorGraph graph = BuildGpt2Medium(8, 1024);
    const OperatorPlacement wide(graph, compute, {64, 2, 20, 0});
    EXPECT_TRUE(KeepsLimits(graph, wide));
    std::set<uint32_t> used;
    for (uint32_t i = 0; i < graph.GetSize(); ++i)
    {
        used.insert(wide.GetHolders(i).begin(), wide.GetHolders(i).end());
    }
    EXPECT_GT(used.size(), 10U);
}

TEST(OperatorPlacement, RefusesNothingAtAll)
{
    const OperatorGraph graph("empty", 1);
    EXPECT_CONTAINS(
        GetRefusal([&] { OperatorPlacement(graph, MakePicosecondGpu(), {0, 1, 0, 0}); }),
        "found 0 GPUs");
    EXPECT_CONTAINS(
        GetRefusal([&] { OperatorPlacement(graph, MakePicosecondGpu(), {1, 1, 0, 0, Time(0)}); }),
        "and 0 ns");
    EXPECT_NO_THROW(OperatorPlacement(graph, MakePicosecondGpu(), {1, 1, 0, 0}));
}

} // namespace photonic
} // namespace ns3
