/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ring-times-table.h"

#include "ns3/collective-solver.h"
#include "ns3/roce-header.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;
using Method = CollectiveSolver::Method;

constexpr Kind KINDS[] = {Kind::ALL_GATHER,
                          Kind::REDUCE_SCATTER,
                          Kind::ALL_REDUCE,
                          Kind::BROADCAST,
                          Kind::RING_EXCHANGE};

LineModel
MakeModel(uint64_t rate, uint16_t mtu, Time propagation)
{
    LineModel model;
    model.rate = LineRate(DataRate(rate));
    model.propagation = propagation;
    model.maxPayload = RoceHeader::GetMaxPayload(mtu);
    model.overhead = 98;
    return model;
}

/// Start all members of an operation that a solver has begun with, on idle lines.
void
StartAll(CollectiveSolver& solver,
         uint32_t lanes,
         const LineModel& model,
         const std::vector<Time>& starts)
{
    const uint32_t n = starts.size();
    std::vector<uint32_t> known;
    for (uint32_t position = 0; position < n; position++)
    {
        for (uint32_t lane = 0; lane < lanes; lane++)
        {
            solver.SetLine(lane, position, model, ExactTime());
        }
        solver.Start(position, starts[position]);
        known.insert(known.end(), solver.GetKnown().begin(), solver.GetKnown().end());
    }
    std::sort(known.begin(), known.end());
    EXPECT_EQ(known.size(), n);
    EXPECT_EQ(std::unique(known.begin(), known.end()), known.end());
}

/// A solver with all lines idle, all members of which have started.
CollectiveSolver
Solve(Kind kind,
      uint64_t bytes,
      uint32_t n,
      uint32_t lanes,
      const LineModel& model,
      const std::vector<Time>& starts,
      Method fastest = Method::ROUNDS)
{
    CollectiveSolver solver;
    solver.Begin(kind, bytes, n, lanes);
    solver.SetFastest(fastest);
    StartAll(solver, lanes, model, starts);
    return solver;
}

} // namespace

TEST(CollectiveSolver, AgreesWithTheReferenceToTheTick)
{
    for (const auto& row : ReadRingTimes())
    {
        SCOPED_TRACE(row.text);
        const auto model = MakeModel(row.rate, row.mtu, row.fibre * 2);
        for (Method method : {Method::STARTS, Method::ROUNDS})
        {
            const auto solver =
                Solve(row.kind, row.bytes, row.ranks, row.lanes, model, row.starts, method);
            for (uint32_t i = 0; i < row.ranks; i++)
            {
                EXPECT_EQ(solver.GetEnd(i).done, row.done[i]) << "position " << i;
            }
        }
    }
}

TEST(CollectiveSolver, AllMethodsAgree)
{
    const uint32_t seed = 20241130;
    std::mt19937_64 random(seed);
    const auto choose = [&random](uint64_t low, uint64_t high) {
        return std::uniform_int_distribution<uint64_t>(low, high)(random);
    };
    uint32_t remainders = 0;
    CollectiveSolver fast; // for all cases, one after another
    for (uint32_t i = 0; i < 4000; i++)
    {
        const Kind kind = KINDS[choose(0, 2)];
        const uint32_t n = choose(2, i % 8 == 0 ? 70 : 12);
        const uint32_t lanes = choose(1, 2);
        const uint64_t scale = uint64_t(1) << choose(0, 24);
        const uint64_t bytes = choose(0, 2) == 0 ? scale * n * lanes : n * lanes + choose(0, scale);
        // 8 Gbps and 200 Gbps have whole ticks per byte, the rest has fractions.
        const uint64_t rates[] = {8'000'000'000, 200'000'000'000, 7'000'000'000, 547'963'453'108};
        auto model = MakeModel(rates[choose(0, 3)],
                               choose(0, 1) ? 4096 : choose(1280, 9216),
                               TimeStep(choose(0, 2) * choose(0, choose(0, 1) ? 100'000 : 2'000)));
        model.softwareLatency = TimeStep(choose(0, 1) * choose(0, 10'000));
        const uint64_t spreads[] = {0, 0, 1, 100, 1'000'000};
        const uint64_t spread = spreads[choose(0, 4)];
        std::vector<Time> starts;
        for (uint32_t p = 0; p < n; p++)
        {
            starts.push_back(TimeStep(1'000'000 + choose(0, spread)));
        }
        SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i) + ": " +
                     ToString(kind) + ", " + std::to_string(n) + " ranks, " +
                     std::to_string(bytes) + " bytes, " + std::to_string(lanes) +
                     " lanes, starts within " + std::to_string(spread) + " ticks");
        const auto slow = Solve(kind, bytes, n, lanes, model, starts, Method::STARTS);
        fast.Begin(kind, bytes, n, lanes);
        StartAll(fast, lanes, model, starts);
        ASSERT_EQ(slow.GetMethod(), Method::STARTS);
        ASSERT_EQ(fast.GetMethod(), Method::ROUNDS);
        remainders += bytes % (uint64_t(n) * lanes) != 0;
        for (uint32_t p = 0; p < n; p++)
        {
            const auto& end = fast.GetEnd(p);
            ASSERT_EQ(end.received, slow.GetEnd(p).received);
            ASSERT_EQ(end.done, slow.GetEnd(p).done);
            ASSERT_EQ(end.firstBit, slow.GetEnd(p).firstBit);
            ASSERT_EQ(end.doneOrigin, slow.GetEnd(p).doneOrigin);
            ASSERT_EQ(end.receivedOrigin, slow.GetEnd(p).receivedOrigin);
            for (uint32_t lane = 0; lane < lanes; lane++)
            {
                const auto& line = fast.GetLineEnd(lane, p);
                ASSERT_TRUE(line.free == slow.GetLineEnd(lane, p).free);
                ASSERT_EQ(line.lastPost, slow.GetLineEnd(lane, p).lastPost);
                ASSERT_EQ(line.origin, slow.GetLineEnd(lane, p).origin);
            }
        }
    }
    EXPECT_GT(remainders, 1000U);
}

TEST(CollectiveSolver, ALargeRingTakesTheClosedForm)
{
    const uint32_t n = 1024;
    const auto model = MakeModel(200'000'000'000, 4096, NanoSeconds(100));
    const auto solver =
        Solve(Kind::ALL_REDUCE, 2 * n * 4036, n, 2, model, std::vector<Time>(n, Time(0)));
    const Time packet = LineRate(DataRate(200'000'000'000)).Serialise(4134).ToTime();
    for (uint32_t p = 0; p < n; p++)
    {
        EXPECT_EQ(solver.GetEnd(p).done, (packet + NanoSeconds(100)) * (2 * (n - 1)));
    }
}

TEST(CollectiveSolver, AnEndIsKnownWithTheLastStartThatItDependsOn)
{
    // One byte goes from rank 0 to rank 1 and on to rank 2: rank 0 waits for nobody.
    const auto model = MakeModel(8'000'000'000, 4096, NanoSeconds(100)); // a byte per ns
    CollectiveSolver solver;
    solver.Begin(Kind::ALL_GATHER, 1, 3, 1);
    for (uint32_t p = 0; p < 3; p++)
    {
        solver.SetLine(0, p, model, ExactTime());
    }
    solver.Start(0, NanoSeconds(10));
    EXPECT_EQ(solver.GetKnown(), std::vector<uint32_t>{0});
    EXPECT_EQ(solver.GetEnd(0).done, NanoSeconds(10 + 99 + 100));
    EXPECT_EQ(solver.GetEnd(0).received, NanoSeconds(10));
    solver.Start(2, NanoSeconds(20));
    EXPECT_TRUE(solver.GetKnown().empty());
    solver.Start(1, NanoSeconds(5000));
    EXPECT_EQ(solver.GetKnown(), (std::vector<uint32_t>{1, 2}));
    EXPECT_EQ(solver.GetEnd(1).received, NanoSeconds(5000));
    EXPECT_EQ(solver.GetEnd(1).done, NanoSeconds(5199));
    EXPECT_EQ(solver.GetEnd(2).done, NanoSeconds(5199));
    EXPECT_EQ(solver.GetEnd(2).doneOrigin, 1U);
    EXPECT_EQ(solver.GetEnd(1).firstBit, NanoSeconds(110));
}

} // namespace photonic
} // namespace ns3
