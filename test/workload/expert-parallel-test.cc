/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "program-times.h"
#include "workload-test-helper.h"

#include "ns3/step-program-builder.h"

#include <gtest/gtest.h>
#include <numeric>

namespace ns3
{
namespace photonic
{

namespace
{

/// Hidden size 64; 8 experts of width 96, of which a token chooses 3; a shared one if asked for.
TransformerModel
MakeMixture(uint32_t layers, uint32_t shared = 0)
{
    TransformerShape shape{"mixture", layers, 64, 160, 8, 2, 8, 1000, false};
    ExpertShape experts;
    experts.routed = 8;
    experts.activated = 3;
    experts.intermediate = 96;
    experts.shared = shared;
    shape.experts = experts;
    return TransformerModel(shape);
}

TrainingPlan
MakeExpertPlan(uint32_t tp, uint32_t ep, uint32_t fsdp, uint32_t shared = 0)
{
    TrainingPlan plan = MakePlan(2, tp, 1, fsdp, 2);
    plan.model = MakeMixture(2, shared);
    plan.degrees.ep = ep;
    return plan;
}

uint64_t
Sum(const StepProgram& program, GroupSlot slot, CollectiveKind kind)
{
    uint64_t bytes = 0;
    for (const Operation& o : program.GetOperations())
    {
        bytes += o.slot == slot && o.kind == kind ? o.bytes : 0;
    }
    return bytes;
}

} // namespace

TEST(ExpertParallel, TokensGoToExpertsAndBackInBothPasses)
{
    for (uint32_t tp : {1, 2})
    {
        for (uint32_t ep : {2, 4, 8})
        {
            const auto plan = MakeExpertPlan(tp, ep, 2);
            const auto program = BuildStepPrograms(plan)[0];
            // 16 / tp tokens of a rank, 3 copies of 64 elements of 2 bytes; dispatch and combine,
            // forward and backward, of two layers and two microbatches.
            EXPECT_EQ(Sum(*program, GroupSlot::EP, CollectiveKind::ALL_TO_ALL),
                      uint64_t{2} * 2 * 2 * 2 * (16 / tp) * 3 * 64 * 2);
        }
    }
}

TEST(ExpertParallel, TheTensorParallelGroupSharesItsTokensAroundExperts)
{
    const auto program = BuildStepPrograms(MakeExpertPlan(2, 4, 1))[0];
    const auto& operations = program->GetOperations();
    // 8 tokens of each rank: as many copies come as go.
    EXPECT_EQ(operations[Find(*program, "tp all-gather forward m0 layer 0 experts")].bytes,
              2U * 8 * 3 * 64 * 2);
    EXPECT_EQ(operations[Find(*program, "tp reduce-scatter backward m1 layer 1 experts")].bytes,
              2U * 8 * 3 * 64 * 2);
    // The router needs only the rank's tokens, shared experts need all of the group.
    const auto labels = [](const StepProgram& p, const std::string& label) {
        return std::count_if(p.GetOperations().begin(),
                             p.GetOperations().end(),
                             [&](const Operation& o) { return o.label == label; });
    };
    EXPECT_EQ(labels(*program, "tp all-gather forward m0 layer 0 mlp"), 0);
    const auto shared = BuildStepPrograms(MakeExpertPlan(2, 4, 1, 1))[0];
    EXPECT_EQ(labels(*shared, "tp all-gather forward m0 layer 0 mlp"), 1);
}

TEST(ExpertParallel, WorkIsThatOfOneRankSharedOut)
{
    // Every rank has its own sequences, and computes as much as without expert parallelism.
    for (uint32_t shared : {0, 1})
    {
        TrainingPlan plan = MakeExpertPlan(1, 1, 2, shared);
        plan.gpu.memoryBandwidth = 1e30;
        plan.mfu = 1e-6;
        const Time alone = ProgramTimes(BuildStepPrograms(plan)).GetWork(0);
        for (uint32_t ep : {2, 4, 8})
        {
            plan.degrees.ep = ep;
            const Time apart = ProgramTimes(BuildStepPrograms(plan)).GetWork(0);
            EXPECT_NEAR(apart.GetSeconds() / alone.GetSeconds(), 1, 1e-6);
        }
    }
}

TEST(ExpertParallel, ExpertsAreShardedApart)
{
    const auto plan = MakeExpertPlan(1, 4, 3);
    const auto program = BuildStepPrograms(plan)[0];
    const auto& operations = program->GetOperations();
    const uint64_t expert = 3 * 64 * 96;
    const auto& dense = operations[Find(*program, "all-gather forward m0 layer 0")];
    const auto& experts = operations[Find(*program, "all-gather forward m0 layer 0 experts")];
    EXPECT_EQ(dense.slot, GroupSlot::FSDP);
    EXPECT_EQ(experts.slot, GroupSlot::EXPERT_FSDP);
    EXPECT_EQ(experts.bytes, 2 * 2 * expert); // two of the eight
    EXPECT_EQ(dense.bytes, 2 * (plan.model.GetLayerParameters(0) - 8 * expert));
    EXPECT_EQ(operations[Find(*program, "reduce-scatter backward m1 layer 0 experts")].slot,
              GroupSlot::EXPERT_FSDP);
    // Whole parameters: experts are summed over those that hold the same, the rest over all.
    TrainingPlan whole = MakeExpertPlan(1, 4, 1);
    whole.degrees.dp = 2;
    const auto replicas = BuildStepPrograms(whole)[0];
    const auto& sums = replicas->GetOperations();
    EXPECT_EQ(sums[Find(*replicas, "all-reduce backward m1 layer 0")].slot, GroupSlot::DP);
    EXPECT_EQ(sums[Find(*replicas, "all-reduce backward m1 layer 0 experts")].slot,
              GroupSlot::EXPERT_DP);
    EXPECT_EQ(whole.degrees.GetGroupSize(GroupSlot::DP), 8U);
    EXPECT_EQ(whole.degrees.GetGroupSize(GroupSlot::EXPERT_DP), 2U);
}

TEST(ExpertParallel, RoundsReplaceTheExchange)
{
    TrainingPlan plan = MakeExpertPlan(1, 8, 1);
    plan.degrees.matchings = true;
    const auto program = BuildStepPrograms(plan)[0];
    const uint64_t share = 16 * 3 * 64 * 2 / 8;
    for (uint32_t round = 1; round <= 4; ++round)
    {
        // Sixteen exchanges; the fourth round leads to one member, the others to two.
        EXPECT_EQ(Sum(*program, GetRoundSlot(round), CollectiveKind::RING_EXCHANGE),
                  16 * share * (round == 4 ? 1 : 2));
    }
    EXPECT_EQ(Sum(*program, GroupSlot::EP, CollectiveKind::ALL_TO_ALL), 0U);
}

TEST(ExpertParallel, UnevenExpertsGiveEveryPositionItsOwnWork)
{
    TrainingPlan plan = MakeExpertPlan(2, 4, 2);
    plan.degrees.pp = 2;
    plan.sequenceLength = 1024;
    plan.gpu.memoryBandwidth = 1e30;
    plan.routing.skew = 1;
    const auto programs = BuildStepPrograms(plan);
    ASSERT_EQ(programs.size(), 2U * 4);
    for (uint32_t stage = 0; stage < 2; ++stage)
    {
        // The model's layers are the stages.
        const std::string layer = "forward m0 layer " + std::to_string(stage);
        const ExpertLoad load(plan.routing, stage, 512, 8, 3);
        const auto copies = load.GetByRank(4);
        const ComputeModel compute(plan.gpu, plan.mfu);
        for (uint32_t position = 0; position < 4; ++position)
        {
            const auto& program = *programs[stage * 4 + position];
            const auto& operations = program.GetOperations();
            // From four ranks, both halves of the tensor parallel group's tokens, half the weights.
            EXPECT_EQ(operations[Find(program, layer + " experts")].duration,
                      compute.GetDuration({2.0 * 2 * 4 * copies[position] * 3 * 64 * 96 / 2, 0}));
            EXPECT_EQ(operations[Find(program, "tp all-gather " + layer + " experts")].bytes,
                      2 * 4 * copies[position] * 64 * 2);
            const auto& dispatch =
                operations[Find(program, "all-to-all " + layer + " dispatch")].shares;
            const auto& combine =
                operations[Find(program, "all-to-all " + layer + " combine")].shares;
            for (uint32_t other = 0; other < 4; ++other)
            {
                EXPECT_EQ(dispatch->Get(position, other), copies[other] * 64 * 2);
                EXPECT_EQ(combine->Get(other, position), copies[other] * 64 * 2);
            }
        }
    }
}

TEST(ExpertParallel, RefusesByName)
{
    TrainingPlan plan = MakePlan(2, 1, 1, 1, 1);
    plan.degrees.ep = 2;
    EXPECT_CONTAINS(GetRefusal([&] { plan.Check(); }), "expected 1, as model tiny has no experts");
    plan = MakeExpertPlan(1, 3, 1);
    EXPECT_CONTAINS(GetRefusal([&] { plan.Check(); }), "ep 3: expected a divisor of the 8 experts");
    plan = MakeExpertPlan(2, 2, 1);
    plan.sequenceParallel = false;
    EXPECT_CONTAINS(GetRefusal([&] { plan.Check(); }), "expected sequence parallelism");
    plan = MakeExpertPlan(1, 2, 1);
    plan.routing.skew = -1;
    EXPECT_CONTAINS(GetRefusal([&] { plan.Check(); }), "expert skew");
}

} // namespace photonic
} // namespace ns3
