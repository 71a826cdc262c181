/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Packet by packet, a mixture of experts in every combination of parallelisms, on circuits and on
 * packet switches: all bytes are those of closed forms, and every job ends.
 */
#include "mini-job.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace photonic
{
namespace
{

constexpr uint64_t LAYERS = 2;
constexpr uint64_t HIDDEN = 64;
constexpr uint64_t EXPERTS = 8;
constexpr uint64_t CHOSEN = 2;
constexpr uint64_t WIDTH = 32; ///< of an expert
constexpr uint64_t VOCABULARY = 100;
constexpr uint64_t QUERIES = 64;
constexpr uint64_t KEYS = 32; ///< and as many values
constexpr uint64_t TOKENS = 64;

/// Two layers of eight experts.
MiniJob
MakeJob(const ParallelPlan::Degrees& degrees)
{
    MiniJob job;
    TransformerShape shape = job.plan.model.GetShape();
    shape.layers = LAYERS;
    ExpertShape experts;
    experts.routed = EXPERTS;
    experts.activated = CHOSEN;
    experts.intermediate = WIDTH;
    shape.experts = experts;
    job.plan.model = TransformerModel(shape);
    job.plan.sequenceLength = TOKENS;
    job.plan.microbatches = 2;
    job.plan.degrees = degrees;
    job.delay = MicroSeconds(20);
    return job;
}

/// What all ranks send in a step, by the formulas of doc/workload.md.
std::array<uint64_t, PARALLELISMS>
GetExpected(const ParallelPlan::Degrees& d)
{
    const uint64_t m = 2; // microbatches
    const uint64_t ofStage = uint64_t{d.tp} * d.cp * d.ep * d.fsdp * d.dp;
    const uint64_t tokens = TOKENS / d.cp; // of a rank
    const uint64_t act = tokens * HIDDEN * 2;
    const uint64_t copies = tokens / d.tp * CHOSEN;
    std::array<uint64_t, PARALLELISMS> bytes{};
    const auto of = [&bytes](Parallelism p) -> uint64_t& {
        return bytes[static_cast<std::size_t>(p)];
    };
    // Gather and reduce-scatter around each part, forward and backward; embedding and head.
    const uint64_t mlp = d.ep > 1 ? copies * d.tp * HIDDEN * 2 : act;
    of(Parallelism::TP) = m * ofStage * (d.tp - 1) / d.tp * (LAYERS * 4 * (act + mlp) + 4 * act);
    of(Parallelism::CP) = m * ofStage * LAYERS * 3 * (d.cp - 1) * tokens * 2 * KEYS / d.tp * 2;
    of(Parallelism::EP) = m * ofStage * LAYERS * 4 * (d.ep - 1) * copies * HIDDEN * 2 / d.ep;
    of(Parallelism::PP) = m * ofStage * (d.pp - 1) * 2 * act / d.tp;
    // Parameters of a tensor parallel rank, of all stages.
    const uint64_t experts = LAYERS * EXPERTS / d.ep * 3 * HIDDEN * WIDTH / d.tp;
    const uint64_t layer =
        HIDDEN * (2 * QUERIES + 2 * KEYS) / d.tp + HIDDEN * EXPERTS / d.tp + 2 * HIDDEN;
    const uint64_t dense = LAYERS * layer + 2 * VOCABULARY * HIDDEN / d.tp + HIDDEN;
    const auto gathered = [&](uint64_t parameters, uint64_t n) {
        // Before every pass, and one reduce-scatter: n - 1 times all, in each of the groups.
        return (2 * m + 1) * (n - 1) * parameters * 2 * ofStage / n;
    };
    const auto reduced = [&](uint64_t parameters, uint64_t n) {
        return 2 * (n - 1) * parameters * 2 * ofStage / n;
    };
    const uint64_t together = uint64_t{d.cp} * d.ep;
    const uint64_t expertsAlone = d.ep > 1 ? experts : 0;
    const uint64_t others = dense + (d.ep > 1 ? 0 : experts);
    if (d.fsdp > 1)
    {
        of(Parallelism::FSDP) =
            gathered(others, together * d.fsdp) + gathered(expertsAlone, uint64_t{d.cp} * d.fsdp);
        of(Parallelism::DP) = reduced(others / (together * d.fsdp), d.dp) +
                              reduced(expertsAlone / (d.cp * d.fsdp), d.dp);
    }
    else
    {
        of(Parallelism::DP) =
            reduced(others, together * d.dp) + reduced(expertsAlone, uint64_t{d.cp} * d.dp);
    }
    return bytes;
}

void
ExpectBytes(const MiniJob::Outcome& outcome, const ParallelPlan::Degrees& degrees)
{
    ASSERT_TRUE(outcome.finished) << outcome.stall << outcome.failure;
    EXPECT_EQ(outcome.drops, 0U);
    const auto expected = GetExpected(degrees);
    for (auto p : {Parallelism::TP,
                   Parallelism::CP,
                   Parallelism::EP,
                   Parallelism::FSDP,
                   Parallelism::DP,
                   Parallelism::PP})
    {
        EXPECT_EQ(outcome.bytes[static_cast<std::size_t>(p)], expected[static_cast<std::size_t>(p)])
            << ToString(p);
    }
}

/// All combinations of one and two, as bits.
class Combination : public testing::TestWithParam<uint32_t>
{
  protected:
    ParallelPlan::Degrees GetDegrees() const
    {
        const auto degree = [this](uint32_t bit) { return GetParam() >> bit & 1 ? 2U : 1U; };
        ParallelPlan::Degrees degrees;
        degrees.tp = degree(0);
        degrees.cp = degree(1);
        degrees.ep = degree(2);
        degrees.fsdp = degree(3);
        degrees.dp = degree(4);
        degrees.pp = degree(5);
        return degrees;
    }
};

TEST_P(Combination, SendsTheBytesOfTheFormulasOnAnyFabric)
{
    auto job = MakeJob(GetDegrees());
    job.photonic = false;
    ExpectBytes(job.Run(), job.plan.degrees);
    job.photonic = true;
    job.plan.degrees.matchings = true;
    ExpectBytes(job.Run(), job.plan.degrees);
}

TEST_P(Combination, SpanningRailsTheyAreDoneLevelByLevel)
{
    auto job = MakeJob(GetDegrees());
    const ParallelPlan one(job.plan.degrees);
    if (one.GetRanks() % (2 * job.plan.degrees.tp) != 0)
    {
        return; // one node's worth of ranks
    }
    job.plan.degrees.gpusPerNode = 2 * job.plan.degrees.tp;
    job.plan.contextExchange = ContextExchange::ALL_GATHER;
    job.plan.degrees.matchings = true;
    const auto photonic = job.Run();
    ASSERT_TRUE(photonic.finished) << photonic.stall << photonic.failure;
    job.photonic = false;
    job.plan.degrees.matchings = false;
    const auto electrical = job.Run();
    ASSERT_TRUE(electrical.finished) << electrical.stall;
    EXPECT_EQ(photonic.bytes, electrical.bytes);
    // What needs no change of nodes or rails is as before.
    const auto expected = GetExpected(job.plan.degrees);
    for (auto p : {Parallelism::TP, Parallelism::CP, Parallelism::EP, Parallelism::PP})
    {
        EXPECT_EQ(photonic.bytes[static_cast<std::size_t>(p)],
                  expected[static_cast<std::size_t>(p)])
            << ToString(p);
    }
}

INSTANTIATE_TEST_SUITE_P(Degrees, Combination, testing::Range(0U, 64U));

/// A mixture of experts on eight rails of circuits, with and without a plan for them.
class Experts : public testing::TestWithParam<uint32_t>
{
};

TEST_P(Experts, EndOnCircuitsHoweverTheyExchange)
{
    ParallelPlan::Degrees degrees;
    degrees.ep = GetParam();
    degrees.fsdp = 2;
    degrees.pp = 2;
    auto job = MakeJob(degrees);
    job.photonic = false;
    const auto electrical = job.Run();
    ExpectBytes(electrical, degrees);
    job.photonic = true;
    job.plan.degrees.matchings = true;
    const auto onDemand = job.Run();
    ExpectBytes(onDemand, degrees);
    job.provisioned = true;
    const auto provisioned = job.Run();
    ExpectBytes(provisioned, degrees);
    EXPECT_EQ(provisioned.mispredictions, 0U);
    EXPECT_LE(provisioned.GetLastStep(), onDemand.GetLastStep());
    EXPECT_GT(onDemand.reconfigurations, 0U);
    // Uneven experts too: every token still leaves its rank but for one in as many, whoever is the
    // more popular, so that the bytes are the same in all, and only the time is another.
    job.plan.routing.skew = 1;
    const auto uneven = job.Run();
    ASSERT_TRUE(uneven.finished) << uneven.stall << uneven.failure;
    EXPECT_EQ(uneven.mispredictions, 0U);
    ExpectBytes(uneven, degrees);
    EXPECT_NE(uneven.GetLastStep(), provisioned.GetLastStep());
    job.photonic = false;
    job.plan.degrees.matchings = false;
    const auto switched = job.Run();
    ASSERT_TRUE(switched.finished) << switched.stall;
    EXPECT_EQ(switched.bytes, uneven.bytes);
}

INSTANTIATE_TEST_SUITE_P(Degrees, Experts, testing::Values(2, 4, 8));

} // namespace
} // namespace photonic
} // namespace ns3
