/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "program-times.h"
#include "workload-test-helper.h"

#include "ns3/step-program-builder.h"

namespace ns3
{
namespace photonic
{

// The bubble of a pipeline is what its step takes beyond the work of a stage. With T_F and T_B for
// the forward and the whole backward pass of a stage, it is (p-1)(T_F + T_B) in GPipe and 1F1B, and
// 1/v of that with v chunks per stage (Narayanan et al. 2021, sections 2.2.1 and 2.2.2), where the
// work is m (T_F + T_B). With T_B for the backward pass of inputs alone and T_W for that of
// weights, it is (p-1)(T_F + T_B - T_W) in ZB-H1 (Qi et al. 2024, table 2), where m >= p. Here T_F
// = T_B = T_W without recomputation, which makes T_B = 2 T_F.

namespace
{

/// A job whose stages have equal work: nothing but the layers takes time.
TrainingPlan
MakeEvenPlan(uint32_t layers, uint32_t pp, uint32_t microbatches)
{
    TrainingPlan plan = MakePlan(layers, 1, pp, 1, microbatches);
    TransformerShape shape = plan.model.GetShape();
    shape.vocabulary = 1;
    plan.model = TransformerModel(shape);
    plan.sequenceLength = 1024;
    plan.gpu.memoryBandwidth = 1e30;
    plan.mfu = 1e-6;
    return plan;
}

/// @return the step's time beyond the work of the second stage, as a share of that
double
GetBubble(const TrainingPlan& plan)
{
    const ProgramTimes times(BuildStepPrograms(plan));
    EXPECT_EQ(times.left, 0U);
    const Time work = times.GetWork(plan.degrees.pp > 2 ? 1 : 0);
    return (times.GetEnd() - work).GetSeconds() / work.GetSeconds();
}

/// Rounding up to ticks, and the head of one word.
constexpr double TOLERANCE = 0.01;

} // namespace

TEST(PipelineBubble, OfGPipeAndOneForwardOneBackward)
{
    for (auto schedule : {PipelineSchedule::GPIPE, PipelineSchedule::ONE_F_ONE_B})
    {
        for (uint32_t p = 2; p <= 8; ++p)
        {
            for (uint32_t m = 1; m <= 16; ++m)
            {
                TrainingPlan plan = MakeEvenPlan(p, p, m);
                plan.schedule = schedule;
                const double bubble = (p - 1.0) / m;
                EXPECT_NEAR(GetBubble(plan), bubble, TOLERANCE * (1 + bubble)) << p << " " << m;
            }
        }
    }
}

TEST(PipelineBubble, OfInterleavedChunks)
{
    for (uint32_t v = 2; v <= 4; ++v)
    {
        for (uint32_t p = 2; p <= 8; ++p)
        {
            for (uint32_t m = p; m <= 32; m += p)
            {
                TrainingPlan plan = MakeEvenPlan(p * v, p, m);
                plan.degrees.interleave = v;
                const double bubble = (p - 1.0) / (v * m);
                EXPECT_NEAR(GetBubble(plan), bubble, TOLERANCE) << v << " " << p << " " << m;
            }
        }
    }
}

TEST(PipelineBubble, OfZeroBubbleH1)
{
    for (auto recompute : {Recompute::NONE, Recompute::FULL})
    {
        for (uint32_t p = 2; p <= 8; ++p)
        {
            for (uint32_t m = p; m <= 16; ++m)
            {
                TrainingPlan plan = MakeEvenPlan(p, p, m);
                plan.schedule = PipelineSchedule::ZB_H1;
                plan.recompute = recompute;
                const double tb = recompute == Recompute::FULL ? 2 : 1;
                const double bubble = (p - 1) * (1 + tb - 1) / (m * (1 + tb + 1));
                EXPECT_NEAR(GetBubble(plan), bubble, TOLERANCE) << p << " " << m << " " << tb;
            }
        }
    }
}

} // namespace photonic
} // namespace ns3
