/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "program-times.h"
#include "workload-test-helper.h"

#include "ns3/collective-plan.h"
#include "ns3/step-program-builder.h"

#include <gtest/gtest.h>
#include <numeric>

namespace ns3
{
namespace photonic
{

namespace
{

/// Grouped-query attention of 8 heads of 8 with 2 key-value heads: keys and values of a token are
/// 2 x 16 elements.
constexpr uint64_t KEYS_AND_VALUES = 2 * 2 * 8;

TrainingPlan
MakeContextPlan(uint32_t cp, ContextExchange exchange)
{
    TrainingPlan plan = MakePlan(3, 1, 1, 1, 2);
    plan.degrees.cp = cp;
    plan.contextExchange = exchange;
    plan.microbatchSize = 5;
    plan.sequenceLength = 48; // a multiple of 1 to 4 and 6
    return plan;
}

/// @return bytes that a rank sends in its CP group
uint64_t
GetContextBytes(const TrainingPlan& plan)
{
    const auto program = BuildStepPrograms(plan)[0];
    uint64_t sent = 0;
    for (const Operation& o : program->GetOperations())
    {
        for (uint32_t lane = 0; lane < 2 && o.slot == GroupSlot::CP; ++lane)
        {
            EXPECT_EQ(o.parallelism, Parallelism::CP);
            sent += RingLane(o.kind, o.bytes, plan.degrees.cp, 2, lane).GetSentBytes(0);
        }
    }
    return sent;
}

} // namespace

TEST(ContextParallel, BothExchangesSendKeysAndValuesOnceForwardAndTwiceBackward)
{
    for (uint32_t cp : {1, 2, 3, 4, 6})
    {
        // Of the tokens of a rank, to each of the others: keys and values forward; those and their
        // gradients backward. Three layers, two microbatches.
        const uint64_t tokens = 5 * 48 / cp;
        const uint64_t expected = 3 * 2 * (cp - 1) * 3 * tokens * KEYS_AND_VALUES * 2;
        for (auto exchange : {ContextExchange::RING, ContextExchange::ALL_GATHER})
        {
            const auto plan = MakeContextPlan(cp, exchange);
            EXPECT_EQ(GetContextBytes(plan), expected) << cp << ToString(exchange);
        }
    }
}

TEST(ContextParallel, RanksShareTheWorkOfAttention)
{
    // FLOPs add up to those of one rank; weights are read by each.
    for (auto exchange : {ContextExchange::RING, ContextExchange::ALL_GATHER})
    {
        TrainingPlan plan = MakeContextPlan(1, exchange);
        plan.gpu.memoryBandwidth = 1e30;
        plan.mfu = 1e-6;
        const Time alone = ProgramTimes(BuildStepPrograms(plan)).GetWork(0);
        for (uint32_t cp : {2, 3, 4, 6})
        {
            plan.degrees.cp = cp;
            const Time shared = ProgramTimes(BuildStepPrograms(plan)).GetWork(0);
            EXPECT_NEAR((shared * cp).GetSeconds() / alone.GetSeconds(), 1, 1e-6);
        }
    }
}

TEST(ContextParallel, BlocksOverlapWithTheRing)
{
    // What the ring takes beyond the computation of all blocks but the last is exposed.
    TrainingPlan plan = MakeContextPlan(4, ContextExchange::RING);
    plan.gpu.memoryBandwidth = 1e30;
    plan.mfu = 1e-6;
    plan.microbatches = 1;
    const auto programs = BuildStepPrograms(plan);
    const auto& operations = programs[0]->GetOperations();
    const Time block =
        operations[Find(*programs[0], "forward m0 layer 0 attention block 0")].duration;
    const auto end = [&](Time exchange) {
        return ProgramTimes(programs,
                            [exchange](const Operation& o) {
                                const bool forward = o.label.find("forward") != std::string::npos;
                                return o.slot == GroupSlot::CP && forward ? exchange : Time();
                            })
            .GetEnd();
    };
    const Time none = end(Time());
    EXPECT_EQ(end(block), none) << "hidden behind blocks";
    // Three layers, three exchanges of each.
    EXPECT_EQ(end(block + MicroSeconds(3)), none + MicroSeconds(3) * 9);
}

TEST(ContextParallel, GradientsOfKeysFollowTheRingHome)
{
    const auto plan = MakeContextPlan(3, ContextExchange::RING);
    const auto program = BuildStepPrograms(plan)[0];
    const auto& operations = program->GetOperations();
    const uint64_t own = uint64_t{5} * 16 * KEYS_AND_VALUES * 2;
    const auto bytes = [&](const std::string& label) {
        return operations[Find(*program, label)].bytes;
    };
    const std::string forward = "cp ring-exchange forward m0 layer 1 attention block ";
    const std::string backward = "cp ring-exchange backward m0 layer 1 attention block ";
    EXPECT_EQ(bytes(forward + "0"), own);
    EXPECT_EQ(bytes(forward + "1"), own);
    EXPECT_EQ(bytes(backward + "0"), own);     // keys and values
    EXPECT_EQ(bytes(backward + "1"), 2 * own); // and gradients of the ones before
    EXPECT_EQ(bytes(backward + "2"), own);     // gradients
    // The projections wait for the gradients that come home last.
    const auto& after =
        operations[Find(*program, "backward m0 layer 1 attention projections")].after;
    const auto last = Find(*program, backward + "2");
    EXPECT_TRUE(std::any_of(after.begin(), after.end(), [last](const auto& d) {
        return d.operation == last;
    }));
}

TEST(ContextParallel, OtherTrafficHasTheTokensOfARank)
{
    TrainingPlan plan = MakePlan(2, 2, 2, 1, 1);
    plan.degrees.cp = 4;
    const auto program = BuildStepPrograms(plan)[0];
    const auto& operations = program->GetOperations();
    const uint64_t activations = 16 / 4 * 64 * 2;
    EXPECT_EQ(operations[Find(*program, "tp all-gather forward m0 layer 0 mlp")].bytes,
              activations);
    EXPECT_EQ(operations[Find(*program, "send forward m0")].bytes, activations / 2);
    // Ranks that share sequences hold the same parameters: they reduce gradients together.
    EXPECT_EQ(operations[Find(*program, "all-reduce backward m0 layer 0")].slot, GroupSlot::DP);
}

TEST(ContextParallel, RefusesByName)
{
    TrainingPlan plan = MakeContextPlan(5, ContextExchange::RING);
    EXPECT_CONTAINS(GetRefusal([&] { plan.Check(); }), "sequence length 48: expected a multiple");
    plan = MakeContextPlan(4, ContextExchange::RING);
    plan.degrees.gpusPerNode = 2;
    EXPECT_CONTAINS(GetRefusal([&] { plan.Check(); }), "the cp group of 4 spans rails");
    plan.contextExchange = ContextExchange::ALL_GATHER;
    EXPECT_NO_THROW(plan.Check());
}

} // namespace photonic
} // namespace ns3
