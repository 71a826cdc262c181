/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ml/sip-ml-test-helper.h"

#include "ns3/sip-arc-packing.h"
#include "ns3/sip-arc-search.h"

#include <functional>
#include <random>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

using Counts = std::vector<uint32_t>;

/// @return segments of an arc in a direction, as bits
uint64_t
GetBits(const SipArcProblem& problem, uint32_t arc, uint32_t direction)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < problem.arcs[arc].length[direction]; ++i)
    {
        bits |= uint64_t{1} << ((problem.arcs[arc].start[direction] + i) % problem.segments);
    }
    return bits;
}

/// @return whether arcs can be placed one after another: all circles are tried
bool
CanPlace(const SipArcProblem& problem, Counts& needs, std::vector<uint64_t>& circles)
{
    uint32_t arc = 0;
    while (arc < needs.size() && needs[arc] == 0)
    {
        ++arc;
    }
    if (arc == needs.size())
    {
        return true;
    }
    --needs[arc];
    for (uint32_t i = 0; i < circles.size(); ++i)
    {
        const uint64_t bits = GetBits(problem, arc, i < problem.circles[0] ? 0 : 1);
        if (bits != 0 && (circles[i] & bits) == 0)
        {
            circles[i] |= bits;
            const bool can = CanPlace(problem, needs, circles);
            circles[i] &= ~bits;
            if (can)
            {
                ++needs[arc];
                return true;
            }
        }
    }
    ++needs[arc];
    return false;
}

/// Expect that arcs are placed often enough and do not overlap.
void
ExpectPlaced(const SipArcProblem& problem, const Counts& needs, const SipArcPacking& packing)
{
    Counts counts(needs.size());
    for (uint32_t direction = 0; direction < 2; ++direction)
    {
        for (uint32_t circle = 0; circle < problem.circles[direction]; ++circle)
        {
            uint64_t used = 0;
            for (const uint32_t arc : packing.GetArcs(direction, circle))
            {
                const uint64_t bits = GetBits(problem, arc, direction);
                EXPECT_NE(bits, 0u);
                EXPECT_EQ(used & bits, 0u);
                used |= bits;
                ++counts[arc];
            }
        }
    }
    EXPECT_EQ(packing.GetCounts(), counts);
    for (size_t arc = 0; arc < needs.size(); ++arc)
    {
        EXPECT_GE(counts[arc], needs[arc]);
    }
}

SipArcProblem
MakeProblem(std::mt19937_64& random)
{
    const uint32_t n = 2 + random() % 6;
    SipArcProblem problem{
        n,
        {static_cast<uint32_t>(random() % 4), static_cast<uint32_t>(random() % 3)},
        {}};
    const uint32_t reach = n - 1 - random() % (n / 2);
    for (uint32_t arc = 1 + random() % 6; arc > 0; --arc)
    {
        const uint32_t s = random() % n;
        problem.arcs.push_back(
            SipArcProblem::GetArc(n, s, (s + 1 + random() % (n - 1)) % n, reach));
    }
    return problem;
}

} // namespace

TEST(SipArcSearch, AgreesWithAllPlacements)
{
    const uint64_t seed = 4;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    int possible = 0;
    int hard = 0; // impossible, but not easy to see
    for (int i = 0; i < 20000; ++i)
    {
        const auto problem = MakeProblem(random);
        Counts needs;
        for (size_t arc = 0; arc < problem.arcs.size(); ++arc)
        {
            needs.push_back(random() % 3);
        }
        std::vector<uint64_t> circles(problem.circles[0] + problem.circles[1]);
        const bool can = CanPlace(problem, needs, circles);
        const bool may = problem.MayFit(needs);
        EXPECT_TRUE(may || !can) << i;
        possible += can ? 1 : 0;
        hard += may && !can ? 1 : 0;

        SipArcPacking packing(problem);
        const auto outcome = SipArcSearch(problem, 1'000'000).Run(needs, packing);
        EXPECT_EQ(outcome, can ? SipArcSearch::Outcome::FOUND : SipArcSearch::Outcome::IMPOSSIBLE)
            << i;
        if (can)
        {
            ExpectPlaced(problem, needs, packing);
        }
        uint32_t moves = 200;
        SipArcPacking quick(problem);
        if (quick.Build(needs) || quick.Repair(needs, moves))
        {
            EXPECT_TRUE(can) << i;
            ExpectPlaced(problem, needs, quick);
        }
        else
        {
            ExpectPlaced(problem, Counts(needs.size()), quick);
        }
    }
    EXPECT_GT(possible, 2000);
    EXPECT_GT(hard, 50);
}

TEST(SipArcSearch, EndsAfterItsSteps)
{
    SipArcProblem problem{3, {2, 0}, {}};
    for (uint32_t i = 0; i < 3; ++i)
    {
        problem.arcs.push_back(SipArcProblem::GetArc(3, i, (i + 2) % 3, 2));
    }
    SipArcPacking packing(problem);
    EXPECT_EQ(SipArcSearch(problem, 0).Run({1, 1, 1}, packing), SipArcSearch::Outcome::UNSETTLED);
    EXPECT_EQ(SipArcSearch(problem, 1).Run({1, 1, 0}, packing), SipArcSearch::Outcome::UNSETTLED);
    EXPECT_EQ(SipArcSearch(problem, 2).Run({1, 1, 0}, packing), SipArcSearch::Outcome::FOUND);
}
