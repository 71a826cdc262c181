/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
// What goes on beside what: prefetch, buckets, no overlap, and what is computed again.
#include "program-times.h"
#include "workload-test-helper.h"

#include "ns3/memory-estimate.h"
#include "ns3/step-program-builder.h"

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

/// One stage whose layers alone take time: forward 3 ms or so each, backward twice that.
TrainingPlan
MakeLayers(uint32_t layers)
{
    TrainingPlan plan = MakePlan(layers, 1, 1, 2, 1);
    TransformerShape shape = plan.model.GetShape();
    shape.vocabulary = 1;
    plan.model = TransformerModel(shape);
    plan.sequenceLength = 1024;
    plan.gpu.memoryBandwidth = 1e30;
    plan.mfu = 1e-6;
    plan.gradientNorm = false;
    return plan;
}

/// @return end of a step whose all-gathers of layers take so long, all else no time
Time
GetEnd(const TrainingPlan& plan, Time gather)
{
    const ProgramTimes times(BuildStepPrograms(plan), [gather](const Operation& o) {
        const bool layer = o.label.find("layer") != std::string::npos;
        return o.kind == CollectiveKind::ALL_GATHER && layer ? gather : Time();
    });
    EXPECT_EQ(times.left, 0U);
    return times.GetEnd();
}

/// @return of a layer, forward
Time
GetForward(const TrainingPlan& plan)
{
    const auto program = BuildStepPrograms(plan)[0];
    const auto& operations = program->GetOperations();
    return operations[Find(*program, "forward m0 layer 0 attention")].duration +
           operations[Find(*program, "forward m0 layer 0 mlp")].duration;
}

std::vector<uint64_t>
GetReductions(const StepProgram& program)
{
    std::vector<uint64_t> bytes;
    for (const Operation& o : program.GetOperations())
    {
        if (o.slot == GroupSlot::DP && o.kind == CollectiveKind::ALL_REDUCE)
        {
            bytes.push_back(o.bytes);
        }
    }
    return bytes;
}

} // namespace

TEST(Prefetch, StepTimesAreThoseOfThePipelineOfGathersAndLayers)
{
    const uint32_t layers = 6;
    TrainingPlan plan = MakeLayers(layers);
    const double f = GetForward(plan).GetSeconds();
    for (double ratio : {0.25, 0.5, 0.9, 1.5, 3.0})
    {
        const Time gather = Seconds(ratio * f);
        const double g = gather.GetSeconds();
        // Without prefetch nothing overlaps: forward and backward gather each layer.
        plan.prefetch = 0;
        EXPECT_NEAR(GetEnd(plan, gather).GetSeconds(), layers * (3 * f + 2 * g), 0.01 * f);
        // One ahead: the first gather, then the slower of the two each time, then the last layer.
        plan.prefetch = 1;
        EXPECT_NEAR(GetEnd(plan, gather).GetSeconds(),
                    2 * g + (layers - 1) * (std::max(f, g) + std::max(2 * f, g)) + 3 * f,
                    0.05 * f);
        // All ahead: gathers follow each other from the start of the pass; the computation is the
        // later of what they allow and what it takes.
        plan.prefetch = layers;
        const double forward = g + std::max(layers * f, (layers - 1) * g + f);
        const double backward = g + std::max(2 * layers * f, (layers - 1) * g + 2 * f);
        EXPECT_NEAR(GetEnd(plan, gather).GetSeconds(), forward + backward, 0.05 * f);
    }
}

TEST(Prefetch, GathersAsManyLayersAheadAndAllOfThemOnce)
{
    // Computations of a forward pass, by segment: the embedding, then the layers.
    const auto getLast = [](int segment) {
        return segment == 0 ? "forward m0 embedding"
                            : "forward m0 layer " + std::to_string(segment - 1) + " mlp";
    };
    for (int prefetch : {0, 1, 2, 3, 9})
    {
        TrainingPlan plan = MakeLayers(5);
        plan.prefetch = prefetch;
        const auto program = BuildStepPrograms(plan)[0];
        const auto& operations = program->GetOperations();
        for (int layer = 0; layer < 5; ++layer)
        {
            SCOPED_TRACE("prefetch " + std::to_string(prefetch) + " layer " +
                         std::to_string(layer));
            const std::string label = "all-gather forward m0 layer " + std::to_string(layer);
            EXPECT_EQ(std::count_if(operations.begin(),
                                    operations.end(),
                                    [&label](const auto& o) { return o.label == label; }),
                      1);
            const auto& after = operations[Find(*program, label)].after;
            // Layer l is segment l + 1. Its gather begins with segment l + 1 - prefetch, so when
            // the segment before that ends; without prefetch, when segment l does.
            const int last = prefetch == 0 ? layer : layer - prefetch;
            if (last < 0)
            {
                EXPECT_TRUE(after.empty()) << "from the start of the pass on";
                continue;
            }
            ASSERT_EQ(after.size(), 1U);
            EXPECT_EQ(after[0].operation, Find(*program, getLast(last)));
        }
    }
}

TEST(Prefetch, NoDepthCrossesATransfer)
{
    for (uint32_t prefetch : {0, 1, 2, 9})
    {
        SCOPED_TRACE("prefetch " + std::to_string(prefetch));
        TrainingPlan plan = MakePlan(8, 1, 2, 2, 3);
        plan.schedule = PipelineSchedule::GPIPE; // receives are operations of their own
        plan.prefetch = prefetch;
        const auto program = BuildStepPrograms(plan)[1];
        const auto& operations = program->GetOperations();
        for (uint32_t microbatch = 0; microbatch < plan.microbatches; ++microbatch)
        {
            const std::string pass = "forward m" + std::to_string(microbatch);
            const uint32_t received = Find(*program, "receive " + pass);
            uint32_t gathers = 0;
            for (uint32_t i = 0; i < operations.size(); ++i)
            {
                if (operations[i].label.find("all-gather " + pass) == std::string::npos)
                {
                    continue;
                }
                ++gathers;
                EXPECT_GT(i, received);
                // Those before the first computation wait for the input, the others for one.
                const auto& after = operations[i].after;
                EXPECT_TRUE(std::any_of(after.begin(), after.end(), [&](const auto& d) {
                    return d.operation == received || operations[d.operation].label.find(pass) == 0;
                })) << operations[i].label;
            }
            EXPECT_EQ(gathers, 4U + 1U); // layers, and the unit of the head
        }
    }
}

TEST(Prefetch, ExpertsBehindADenseLayerWaitForTheInputToo)
{
    // Experts are gathered in a group of their own, so no gather of the dense layer holds them up.
    TrainingPlan plan = MakePlan(4, 1, 2, 2, 2);
    TransformerShape shape = plan.model.GetShape();
    ExpertShape experts;
    experts.routed = 8;
    experts.activated = 2;
    experts.intermediate = 96;
    experts.denseLayers = {2}; // the first of the second stage
    shape.experts = experts;
    plan.model = TransformerModel(shape);
    plan.degrees.ep = 2;
    plan.schedule = PipelineSchedule::GPIPE;
    for (uint32_t prefetch : {1, 2, 9})
    {
        SCOPED_TRACE("prefetch " + std::to_string(prefetch));
        plan.prefetch = prefetch;
        const auto program = BuildStepPrograms(plan)[1];
        const auto& after =
            program->GetOperations()[Find(*program, "all-gather forward m1 layer 3 experts")].after;
        const uint32_t received = Find(*program, "receive forward m1");
        EXPECT_TRUE(std::any_of(after.begin(), after.end(), [received](const auto& d) {
            return d.operation == received;
        }));
    }
}

TEST(Prefetch, WhatIsGatheredTakesMemory)
{
    TrainingPlan plan = MakeLayers(8);
    const auto memory = [&](uint32_t prefetch) {
        plan.prefetch = prefetch;
        return EstimateMemory(plan, 0).parameters;
    };
    const double layer = 2.0 * plan.model.GetLayerParameters(0);
    EXPECT_EQ(memory(1) - memory(0), layer);
    EXPECT_EQ(memory(5) - memory(1), 4 * layer);
    EXPECT_EQ(memory(100), memory(7)); // all are
}

TEST(Buckets, HoldAllGradientsOnceAndAreFull)
{
    const uint32_t seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 60; ++i)
    {
        TrainingPlan plan = MakePlan(1 + random() % 6, 1, 1 + random() % 2, 1, 1 + random() % 3);
        plan.model = MakeTinyModel(std::max(plan.degrees.pp, plan.model.GetShape().layers));
        plan.degrees.dp = 2;
        plan.gradientBytes = random() % 2 ? 2 : 4;
        plan.gradientSync = random() % 2 ? GradientSync::LAST : GradientSync::EVERY;
        const auto whole = BuildStepPrograms(plan);
        plan.bucketBytes = 1 + random() % 400'000;
        const auto buckets = BuildStepPrograms(plan);
        for (uint32_t stage = 0; stage < plan.degrees.pp; ++stage)
        {
            const auto units = GetReductions(*whole[stage]);
            const auto full = GetReductions(*buckets[stage]);
            const uint64_t total = std::accumulate(units.begin(), units.end(), uint64_t{0});
            EXPECT_EQ(std::accumulate(full.begin(), full.end(), uint64_t{0}), total);
            const uint32_t passes = plan.gradientSync == GradientSync::LAST ? 1 : plan.microbatches;
            const uint64_t each = total / passes; // of a pass
            EXPECT_EQ(full.size(), passes * ((each + plan.bucketBytes - 1) / plan.bucketBytes));
            EXPECT_LE(*std::max_element(full.begin(), full.end()), plan.bucketBytes);
        }
    }
}

TEST(Buckets, StartWhenTheyAreFull)
{
    // PyTorch's order: gradients of the head first. Layers have 41,088 parameters of 2 bytes.
    TrainingPlan plan = MakePlan(3, 1, 1, 1, 1);
    plan.degrees.dp = 2;
    plan.bucketBytes = 3 * 41'088; // one and a half
    const auto program = BuildStepPrograms(plan)[0];
    std::vector<std::string> order;
    for (const Operation& o : program->GetOperations())
    {
        if (o.slot == GroupSlot::DP)
        {
            ASSERT_EQ(o.after.size(), 1U);
            order.push_back(program->GetOperations()[o.after[0].operation].label);
        }
    }
    // 246,528 of layers 2 to 0 are two buckets; those of embedding and head come last.
    ASSERT_GE(order.size(), 3U);
    EXPECT_EQ(order[0], "backward m0 layer 1 attention");
    EXPECT_EQ(order[1], "backward m0 layer 0 attention");
    EXPECT_EQ(order.back(), "backward m0 embedding");
}

TEST(NoOverlap, OneThingAfterAnotherAndToTheEnd)
{
    for (auto schedule :
         {PipelineSchedule::GPIPE, PipelineSchedule::ONE_F_ONE_B, PipelineSchedule::ZB_H1})
    {
        for (uint32_t pp = 1; pp <= 4; ++pp)
        {
            for (uint32_t fsdp : {1, 2})
            {
                for (uint32_t interleave : {1, 2})
                {
                    TrainingPlan plan = MakePlan(8, 1, pp, fsdp, 12);
                    plan.schedule = schedule;
                    plan.degrees.interleave = interleave;
                    plan.overlap = false;
                    if (interleave > 1 && (schedule != PipelineSchedule::ONE_F_ONE_B || pp == 1))
                    {
                        continue;
                    }
                    const auto programs = BuildStepPrograms(plan);
                    const Time each = NanoSeconds(7);
                    const ProgramTimes times(programs, [each](const auto&) { return each; });
                    EXPECT_EQ(times.left, 0U);
                    for (uint32_t stage = 0; stage < pp; ++stage)
                    {
                        for (std::size_t i = 1; i < times.starts[stage].size(); ++i)
                        {
                            EXPECT_GE(times.starts[stage][i], times.ends[stage][i - 1]);
                        }
                    }
                }
            }
        }
    }
}

TEST(NoOverlap, AStageTakesTheSumOfItsParts)
{
    TrainingPlan plan = MakeLayers(3);
    plan.overlap = false;
    const Time each = MicroSeconds(500);
    const auto programs = BuildStepPrograms(plan);
    const ProgramTimes times(programs, [each](const auto&) { return each; });
    const auto& operations = programs[0]->GetOperations();
    const auto collectives = std::count_if(operations.begin(), operations.end(), [](const auto& o) {
        return !o.IsCompute();
    });
    EXPECT_EQ(times.GetEnd(), times.GetWork(0) + each * collectives);
}

TEST(SelectiveRecompute, RepeatsTheScoresOnly)
{
    // Korthikanti et al. 2022, section 5: 4 b s^2 h FLOPs more for a layer and microbatch.
    TrainingPlan plan = MakePlan(2, 2, 1, 1, 1);
    plan.microbatchSize = 3;
    plan.gpu.memoryBandwidth = 1e30;
    const auto work = [&](Recompute recompute) {
        plan.recompute = recompute;
        return ProgramTimes(BuildStepPrograms(plan)).GetWork(0);
    };
    const ComputeModel compute(plan.gpu, plan.mfu);
    const double heads = 8 * 8; // heads and their size
    const Time more = compute.GetDuration({4.0 * 3 * 16 * 16 * heads / 2, 0});
    EXPECT_EQ(work(Recompute::SELECTIVE) - work(Recompute::NONE), more * 2);
    EXPECT_GT(work(Recompute::FULL), work(Recompute::SELECTIVE));
    // No collective is repeated.
    plan.recompute = Recompute::SELECTIVE;
    const auto selective = BuildStepPrograms(plan)[0];
    plan.recompute = Recompute::NONE;
    const auto none = BuildStepPrograms(plan)[0];
    EXPECT_EQ(selective->GetOperations().size(), none->GetOperations().size() + 2);
    EXPECT_STREQ(ToString(Recompute::SELECTIVE), "selective");
    EXPECT_EQ(ParseRecompute("selective"), Recompute::SELECTIVE);
}

} // namespace photonic
} // namespace ns3
