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

// "Photonic Rails in ML Datacenters" (arXiv 2507.08119) counts 127 windows in a step of
// Llama-3.1-405B. If each of the 2 M V passes of a stage has one phase of FSDP and one of the
// pipeline, there are 4 M V phases with 4 M V - 1 windows between them: 127 for M V = 32. The
// published recipe (arXiv 2407.21783, table 4) has PP = 16 and M = 16 on 16,384 GPUs or 32 on
// 8,192; it does not reshard parameters after the forward pass (section 3.3.2).

namespace
{

TrainingPlan
MakeLlamaPlan(uint32_t fsdp, uint32_t microbatches)
{
    TrainingPlan plan;
    plan.model = TransformerModel::Load("llama3.1-405b");
    plan.degrees = {8, 16, fsdp, 8};
    plan.microbatches = microbatches;
    plan.parameterGather = ParameterGather::FORWARD;
    plan.gradientSync = GradientSync::EVERY;
    plan.gradientNorm = false;
    return plan;
}

/// @return by stage, how often the parallelism changes from one use of the rail to the next
std::vector<uint32_t>
CountWindows(const TrainingPlan& plan)
{
    std::vector<uint32_t> counts;
    for (const auto& program : BuildStepPrograms(plan))
    {
        std::vector<Parallelism> uses;
        for (const Operation& o : program->GetOperations())
        {
            if (!o.IsCompute() && o.slot != GroupSlot::TP)
            {
                uses.push_back(o.parallelism);
            }
        }
        counts.push_back(std::unique(uses.begin(), uses.end()) - uses.begin() - 1);
    }
    return counts;
}

} // namespace

TEST(WindowCount, TwoChunksAndSixteenMicrobatchesHave127)
{
    TrainingPlan plan = MakeLlamaPlan(128, 16);
    plan.degrees.interleave = 2;
    // Where an exchange joins two transfers there are fewer: towards the end of the pipeline.
    EXPECT_EQ(CountWindows(plan),
              (std::vector<uint32_t>{124,
                                     127,
                                     127,
                                     127,
                                     127,
                                     127,
                                     127,
                                     127,
                                     125,
                                     121,
                                     117,
                                     113,
                                     109,
                                     105,
                                     101,
                                     111}));
}

TEST(WindowCount, GPipeWith32MicrobatchesHas127)
{
    TrainingPlan plan = MakeLlamaPlan(64, 32);
    plan.schedule = PipelineSchedule::GPIPE;
    std::vector<uint32_t> expected(16, 127);
    expected[0] = 126; // its first forward pass has no transfer before it
    EXPECT_EQ(CountWindows(plan), expected);
}

TEST(WindowCount, OneForwardOneBackwardHasFewerOrMore)
{
    for (uint32_t m : {16, 32})
    {
        for (auto gather : {ParameterGather::PASS, ParameterGather::FORWARD, ParameterGather::STEP})
        {
            for (auto sync : {GradientSync::LAST, GradientSync::EVERY})
            {
                TrainingPlan plan = MakeLlamaPlan(128, m);
                plan.parameterGather = gather;
                plan.gradientSync = sync;
                const auto counts = CountWindows(plan);
                EXPECT_EQ(std::count(counts.begin(), counts.end(), 127U), 0);
            }
        }
    }
}

} // namespace photonic
} // namespace ns3
