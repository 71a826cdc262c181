/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/step-program-builder.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

using Part = Operation::Dependency::Part;

namespace
{

bool
DependsOn(const StepProgram& program,
          const std::string& label,
          const std::string& on,
          Part part = Part::WHOLE)
{
    const auto& after = program.GetOperations()[Find(program, label)].after;
    const uint32_t index = Find(program, on);
    return std::any_of(after.begin(), after.end(), [&](const Operation::Dependency& d) {
        return d.operation == index && d.part == part;
    });
}

uint32_t
Count(const StepProgram& program, GroupSlot slot, CollectiveKind kind)
{
    return std::count_if(program.GetOperations().begin(),
                         program.GetOperations().end(),
                         [&](const Operation& o) { return o.slot == slot && o.kind == kind; });
}

} // namespace

TEST(StepProgramBuilder, CountsTheCollectivesOfTheMeasuredTrace)
{
    TrainingPlan plan;
    plan.degrees = {4, 2, 2, 0};
    plan.microbatches = 2;
    plan.microbatchSize = 4;
    plan.recompute = Recompute::FULL;
    for (const auto& program : BuildStepPrograms(plan))
    {
        EXPECT_EQ(Count(*program, GroupSlot::FSDP, CollectiveKind::ALL_GATHER), 4U * 17);
        EXPECT_EQ(Count(*program, GroupSlot::FSDP, CollectiveKind::REDUCE_SCATTER), 17U);
        EXPECT_EQ(Count(*program, GroupSlot::FSDP, CollectiveKind::ALL_REDUCE), 1U);
        // Two of each per layer, forward, recomputed and backward, and those of the extra segment.
        EXPECT_EQ(Count(*program, GroupSlot::TP, CollectiveKind::ALL_GATHER),
                  2U * (3 * 2 * 16 + 1));
        EXPECT_EQ(Count(*program, GroupSlot::TP, CollectiveKind::REDUCE_SCATTER),
                  2U * (3 * 2 * 16 + 1));
    }
}

TEST(StepProgramBuilder, LayersHaveTheBytesAndTheWorkOfTheirKind)
{
    // DeepSeek-V3: the first three of 61 layers are dense.
    TrainingPlan plan;
    plan.model = TransformerModel::Load("deepseek-v3");
    plan.degrees = {1, 2, 2, 0};
    plan.sequenceLength = 4096;
    const auto programs = BuildStepPrograms(plan);
    const auto find = [&](uint32_t stage, const std::string& label) {
        return programs[stage]->GetOperations()[Find(*programs[stage], label)];
    };
    const ComputeModel compute(plan.gpu, plan.mfu);
    const double tokens = 4096;
    const double expert = 3.0 * 7168 * 2048;
    // 2 FLOPs per token and weight; a token passes 8 of 256 experts and the shared one.
    EXPECT_EQ(find(0, "forward m0 layer 2 mlp").duration,
              compute.GetDuration({2 * tokens * 3 * 7168 * 18432, 0}));
    EXPECT_EQ(find(0, "forward m0 layer 3 mlp").duration,
              compute.GetDuration({2 * tokens * (9 * expert + 256 * 7168), 0}));
    EXPECT_EQ(find(1, "backward m0 layer 60 mlp").duration,
              compute.GetDuration({4 * tokens * (9 * expert + 256 * 7168), 0}));
    // All 256 experts are gathered.
    EXPECT_EQ(find(0, "all-gather forward m0 layer 3").bytes -
                  find(0, "all-gather forward m0 layer 2").bytes,
              2 * (257 * uint64_t{3} * 7168 * 2048 + 256 * 7168 - 3 * 7168 * 18432));
}

TEST(StepProgramBuilder, BytesOfUnits)
{
    TrainingPlan plan;
    plan.degrees = {4, 2, 2, 0};
    plan.gradientBytes = 4;
    const auto programs = BuildStepPrograms(plan);
    const auto bytes = [&](uint32_t stage, const std::string& label) {
        return programs[stage]->GetOperations()[Find(*programs[stage], label)].bytes;
    };
    EXPECT_EQ(bytes(0, "all-gather forward m0 layer 0"), 109'068'288U);
    EXPECT_EQ(bytes(0, "all-gather forward m0 embedding"), 262'668'288U);
    EXPECT_EQ(bytes(1, "all-gather backward m0 head"), 262'676'480U);
    EXPECT_EQ(bytes(1, "reduce-scatter backward m0 layer 31"), 218'136'576U);
    EXPECT_EQ(bytes(0, "send forward m0"), 8192U * 4096 * 2 / 4);
    EXPECT_EQ(bytes(0, "tp all-gather forward m0 layer 0 mlp"), 8192U * 4096 * 2);
}

TEST(StepProgramBuilder, WritesAOneStageStepInOrder)
{
    const auto programs = BuildStepPrograms(MakePlan(2, 1, 1, 2, 1));
    std::vector<std::string> labels;
    for (const Operation& o : programs[0]->GetOperations())
    {
        labels.push_back(o.label);
    }
    EXPECT_EQ(labels,
              (std::vector<std::string>{"all-gather forward m0 embedding and head",
                                        "all-gather forward m0 layer 0",
                                        "forward m0 embedding",
                                        "all-gather forward m0 layer 1",
                                        "forward m0 layer 0 attention",
                                        "forward m0 layer 0 mlp",
                                        "forward m0 layer 1 attention",
                                        "forward m0 layer 1 mlp",
                                        "forward m0 head",
                                        "all-gather backward m0 embedding and head",
                                        "all-gather backward m0 layer 1",
                                        "backward m0 head",
                                        "all-gather backward m0 layer 0",
                                        "backward m0 layer 1 mlp",
                                        "backward m0 layer 1 attention",
                                        "reduce-scatter backward m0 layer 1",
                                        "backward m0 layer 0 mlp",
                                        "backward m0 layer 0 attention",
                                        "reduce-scatter backward m0 layer 0",
                                        "backward m0 embedding",
                                        "reduce-scatter backward m0 embedding and head",
                                        "all-reduce gradient norm over fsdp",
                                        "optimizer"}));
    const StepProgram& p = *programs[0];
    EXPECT_TRUE(DependsOn(p, "forward m0 layer 1 attention", "all-gather forward m0 layer 1"));
    EXPECT_TRUE(DependsOn(p, "all-gather forward m0 layer 1", "forward m0 embedding"));
    EXPECT_TRUE(DependsOn(p, "all-gather backward m0 embedding and head", "forward m0 head"));
    EXPECT_TRUE(
        DependsOn(p, "reduce-scatter backward m0 layer 1", "backward m0 layer 1 attention"));
}

namespace
{

/// @return what the last backward pass of a stage in the middle of two layers leaves in the program
std::vector<std::string>
GetTail(const TrainingPlan& plan)
{
    const auto programs = BuildStepPrograms(plan);
    std::vector<std::string> labels;
    bool isTail = false;
    for (const Operation& o : programs[1]->GetOperations())
    {
        isTail = isTail || o.label.find("backward m0 layer") != std::string::npos;
        if (isTail && (!o.IsCompute() || o.label.find("weights") != std::string::npos))
        {
            labels.push_back(o.label);
        }
    }
    return labels;
}

} // namespace

TEST(StepProgramBuilder, ReductionsStandWhereTheyAreAsked)
{
    using Labels = std::vector<std::string>;
    TrainingPlan plan = MakePlan(6, 1, 3, 1, 1);
    plan.degrees.dp = 2;
    plan.gradientNorm = false;
    const std::string first = "all-reduce backward m0 layer 3";
    const std::string second = "all-reduce backward m0 layer 2";
    const std::string send = "send backward m0";
    EXPECT_EQ(GetTail(plan), (Labels{first, second, send}));
    plan.gradientOrder = GradientOrder::UNIT_AFTER_SEND;
    EXPECT_EQ(GetTail(plan), (Labels{first, send, second}));
    plan.gradientOrder = GradientOrder::AFTER_SEND;
    EXPECT_EQ(GetTail(plan), (Labels{send, first, second}));
    plan.gradientOrder = GradientOrder::BEFORE_SEND;
    EXPECT_EQ(GetTail(plan), (Labels{first, second, send}));
    const auto program = BuildStepPrograms(plan)[1];
    EXPECT_TRUE(DependsOn(*program, first, "backward m0 layer 2 attention"));

    // Sharded gradients are reduced to shards, and these over the replicas.
    plan.degrees.fsdp = 2;
    plan.gradientOrder = GradientOrder::AUTO;
    const std::string scatter = "reduce-scatter backward m0 layer 3";
    const auto sharded = BuildStepPrograms(plan)[1];
    EXPECT_TRUE(DependsOn(*sharded, first, scatter));
    EXPECT_EQ(sharded->GetOperations()[Find(*sharded, scatter)].bytes,
              2 * sharded->GetOperations()[Find(*sharded, first)].bytes);
    EXPECT_LT(Find(*sharded, send), Find(*sharded, scatter));
}

TEST(StepProgramBuilder, GathersBeforeThePassesThatAreAsked)
{
    TrainingPlan plan = MakePlan(4, 1, 2, 2, 2);
    const auto count = [&plan](uint32_t stage) {
        return Count(*BuildStepPrograms(plan)[stage], GroupSlot::FSDP, CollectiveKind::ALL_GATHER);
    };
    EXPECT_EQ(count(0), 4U * 3); // two layers and an end, in four passes
    plan.parameterGather = ParameterGather::FORWARD;
    EXPECT_EQ(count(0), 2U * 3);
    EXPECT_EQ(count(1), 2U * 3);
    plan.parameterGather = ParameterGather::STEP;
    EXPECT_EQ(count(0), 3U);
    EXPECT_EQ(count(1), 3U);
}

TEST(StepProgramBuilder, WeightGradientsWaitForNoTraffic)
{
    TrainingPlan plan = MakePlan(2, 2, 1, 1, 1);
    const auto joint = BuildStepPrograms(plan)[0];
    plan.sequenceParallel = false;
    plan.splitBackward = true;
    const auto split = BuildStepPrograms(plan)[0];
    const std::string input = "backward m0 layer 1 mlp input";
    const std::string weights = "backward m0 layer 1 mlp weights";
    const std::string sum = "tp all-reduce backward m0 layer 1 mlp input";
    EXPECT_TRUE(split->GetOperations()[Find(*split, weights)].after.empty());
    EXPECT_TRUE(DependsOn(*split, sum, input));
    EXPECT_TRUE(DependsOn(*split, "backward m0 layer 1 attention input", sum));
    Time whole;
    Time parts;
    for (const auto& [program, total] : {std::make_pair(joint, &whole), {split, &parts}})
    {
        for (const Operation& o : program->GetOperations())
        {
            *total += o.duration; // 0 of a communication
        }
    }
    // Each computation is rounded up to a tick.
    const double ticks = split->GetOperations().size();
    EXPECT_NEAR(parts.GetSeconds(), whole.GetSeconds(), ticks * TimeStep(1).GetSeconds());
}

TEST(StepProgramBuilder, ZeroBubbleSplitsTheBackwardPass)
{
    TrainingPlan plan = MakePlan(4, 1, 2, 2, 3);
    const auto joint = BuildStepPrograms(plan);
    plan.schedule = PipelineSchedule::ZB_H1;
    const auto split = BuildStepPrograms(plan);
    for (uint32_t stage : {0, 1})
    {
        const StepProgram& p = *split[stage];
        EXPECT_EQ(Count(p, GroupSlot::FSDP, CollectiveKind::ALL_GATHER), 6U * 3); // none for W
        EXPECT_EQ(Count(p, GroupSlot::FSDP, CollectiveKind::REDUCE_SCATTER), 3U);
        double whole = 0;
        double parts = 0;
        for (const Operation& o : joint[stage]->GetOperations())
        {
            whole += o.duration.GetSeconds();
        }
        for (const Operation& o : p.GetOperations())
        {
            parts += o.duration.GetSeconds();
        }
        EXPECT_NEAR(parts, whole, p.GetOperations().size() * TimeStep(1).GetSeconds());
    }
    // The send does not wait for weights, the reductions do.
    const StepProgram& last = *split[1];
    EXPECT_TRUE(DependsOn(last, "send backward m2", "backward m2 layer 2 attention input"));
    EXPECT_LT(Find(last, "send backward m2"), Find(last, "weights m1 head"));
    EXPECT_TRUE(DependsOn(last, "reduce-scatter weights m2 head", "weights m2 layer 2 attention"));
}

TEST(StepProgramBuilder, OneStreamIsInProgramOrder)
{
    TrainingPlan plan = MakePlan(4, 2, 2, 2, 2);
    plan.communicationStreams = CommunicationStreams::ONE;
    for (const auto& program : BuildStepPrograms(plan))
    {
        std::string last;
        for (const Operation& o : program->GetOperations())
        {
            if (!o.IsCompute())
            {
                EXPECT_TRUE(last.empty() || DependsOn(*program, o.label, last)) << o.label;
                last = o.label;
            }
        }
    }
}

TEST(StepProgramBuilder, BytesOfATransfer)
{
    TrainingPlan plan = MakePlan(4, 3, 2, 1, 1);
    EXPECT_EQ(plan.GetTransferBytes(), 683U); // 16 x 64 x 2 / 3
    plan.transferBytes = 8;
    EXPECT_EQ(plan.GetTransferBytes(), 2731U);
    plan.sequenceParallel = false;
    EXPECT_EQ(plan.GetTransferBytes(), 8192U);
    plan.scatterTransfers = true;
    EXPECT_EQ(plan.GetTransferBytes(), 2731U);
    plan.transferBytes = 0;
    EXPECT_CONTAINS(GetRefusal([&] { plan.Check(); }), "found 0.000000");
}

TEST(StepProgramBuilder, PrefetchDoesNotCrossATransfer)
{
    const auto programs = BuildStepPrograms(MakePlan(4, 1, 2, 2, 2));
    const StepProgram& last = *programs[1];
    const std::string batched = "send backward m0, receive forward m1";
    EXPECT_TRUE(DependsOn(last, "all-gather forward m1 head", batched, Part::RECEIVED));
    EXPECT_TRUE(DependsOn(last, "all-gather forward m1 head", "backward m0 layer 2 attention"));
    EXPECT_LT(Find(last, batched), Find(last, "all-gather forward m1 head"));
    EXPECT_TRUE(DependsOn(last, batched, "backward m0 layer 2 attention"));
    EXPECT_TRUE(DependsOn(last, "forward m1 layer 2 attention", batched, Part::RECEIVED));
    EXPECT_TRUE(DependsOn(*programs[0],
                          "backward m0 layer 1 mlp",
                          "send forward m1, receive backward m0",
                          Part::RECEIVED));
}

TEST(StepProgramBuilder, GradientsFollowTheSendOfTheirPass)
{
    TrainingPlan plan = MakePlan(4, 1, 2, 2, 3);
    EXPECT_EQ(Count(*BuildStepPrograms(plan)[1], GroupSlot::FSDP, CollectiveKind::REDUCE_SCATTER),
              3U);
    plan.gradientSync = GradientSync::EVERY;
    const auto programs = BuildStepPrograms(plan);
    const StepProgram& last = *programs[1];
    EXPECT_EQ(Count(last, GroupSlot::FSDP, CollectiveKind::REDUCE_SCATTER), 9U);
    EXPECT_EQ(Find(last, "reduce-scatter backward m0 head"),
              Find(last, "send backward m0, receive forward m1") + 1);
    EXPECT_EQ(Find(last, "reduce-scatter backward m2 head"), Find(last, "send backward m2") + 1);
    EXPECT_TRUE(
        DependsOn(last, "reduce-scatter backward m2 layer 3", "backward m2 layer 2 attention"));
}

TEST(StepProgramBuilder, TheStepEndsAfterItsSendsAndReductions)
{
    const auto programs = BuildStepPrograms(MakePlan(4, 2, 2, 2, 2));
    const StepProgram& last = *programs[1];
    const std::string norm = "all-reduce gradient norm over ";
    EXPECT_TRUE(DependsOn(last, norm + "fsdp", "send backward m0, receive forward m1"));
    EXPECT_TRUE(DependsOn(last, norm + "fsdp", "send backward m1"));
    EXPECT_TRUE(DependsOn(last, norm + "fsdp", "reduce-scatter backward m1 head"));
    EXPECT_TRUE(DependsOn(last, norm + "tp", norm + "fsdp"));
    EXPECT_TRUE(DependsOn(last, norm + "pp", norm + "tp"));
    EXPECT_TRUE(DependsOn(last, "optimizer", norm + "pp"));
    const Operation& o = last.GetOperations()[Find(last, norm + "pp")];
    EXPECT_EQ(o.bytes, 4U);
    EXPECT_EQ(o.parallelism, Parallelism::OTHER);
}

TEST(StepProgramBuilder, TensorParallelCollectivesStandBetweenTheParts)
{
    TrainingPlan plan = MakePlan(1, 2, 1, 1, 1);
    const auto sharded = BuildStepPrograms(plan);
    const StepProgram& p = *sharded[0];
    EXPECT_TRUE(DependsOn(p, "forward m0 layer 0 mlp", "tp all-gather forward m0 layer 0 mlp"));
    EXPECT_TRUE(DependsOn(p,
                          "tp all-gather forward m0 layer 0 mlp",
                          "tp reduce-scatter forward m0 layer 0 attention"));
    EXPECT_TRUE(DependsOn(p,
                          "tp reduce-scatter forward m0 layer 0 attention",
                          "forward m0 layer 0 attention"));
    plan.sequenceParallel = false;
    const auto whole = BuildStepPrograms(plan);
    EXPECT_EQ(Count(*whole[0], GroupSlot::TP, CollectiveKind::ALL_GATHER), 0U);
    // Two a layer and direction, after the embedding, the gradient of the head, the norm.
    EXPECT_EQ(Count(*whole[0], GroupSlot::TP, CollectiveKind::ALL_REDUCE), 2U + 2 + 1 + 1 + 1);
}

TEST(StepProgramBuilder, ComputationsTakeTheirRooflineTime)
{
    TrainingPlan plan;
    plan.degrees = {4, 2, 2, 0};
    plan.microbatchSize = 4;
    plan.recompute = Recompute::FULL;
    const auto programs = BuildStepPrograms(plan);
    const auto duration = [&](const std::string& label) {
        return programs[0]->GetOperations()[Find(*programs[0], label)].duration.GetSeconds();
    };
    const double tokens = 4 * 8192;
    const double rate = 312e12 * 0.4 * 4;
    const double mlp = 2 * tokens * 3 * 4096 * 14336 / rate;
    const double attention =
        (2 * tokens * 2 * 4096 * (4096 + 1024) + 4 * tokens * 8192 * 4096) / rate;
    EXPECT_NEAR(duration("forward m0 layer 3 mlp"), mlp, 1e-9);
    EXPECT_NEAR(duration("recompute m0 layer 3 mlp"), mlp, 1e-9);
    EXPECT_NEAR(duration("backward m0 layer 3 mlp"), 2 * mlp, 1e-9);
    EXPECT_NEAR(duration("backward m0 layer 3 attention"), 2 * attention, 1e-9);
    // 28 bytes for each of the shard's parameters: 16 layers and the embedding, in halves.
    EXPECT_NEAR(duration("optimizer"), (16 * 54'534'144.0 + 131'334'144) / 2 * 28 / 1555e9, 1e-9);
}

TEST(StepProgramBuilder, RefusesWhatThePlanRefuses)
{
    EXPECT_CONTAINS(GetRefusal([] { BuildStepPrograms(MakePlan(2, 1, 3, 1, 1)); }),
                    "2 layers are too few for 3");
}

} // namespace photonic
} // namespace ns3
