/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Whole jobs on photonic and electrical rails, held against each other and against closed forms.
 */
#include "mini-job.h"

#include <gtest/gtest.h>
#include <random>

namespace ns3
{
namespace photonic
{
namespace
{

/// Sizes of the only data-parallel group of a rail.
class OneGroup : public testing::TestWithParam<uint32_t>
{
};

TEST_P(OneGroup, PhotonicEqualsElectricalToTheTick)
{
    MiniJob job;
    job.plan.degrees.fsdp = GetParam();
    job.plan.microbatches = 3;
    job.steps = 2;
    job.preset = true;
    const auto photonic = job.Run();
    job.photonic = false;
    const auto electrical = job.Run();
    ASSERT_TRUE(photonic.finished) << photonic.stall;
    ASSERT_TRUE(electrical.finished) << electrical.stall;
    EXPECT_EQ(photonic.stepEnds, electrical.stepEnds);
    EXPECT_EQ(photonic.bytes, electrical.bytes);
    EXPECT_EQ(photonic.reconfigurations, 0U);
}

TEST_P(OneGroup, WithoutPresetTheFirstCircuitsCostOneReconfiguration)
{
    MiniJob job;
    job.plan.degrees.fsdp = GetParam();
    job.preset = true;
    const auto before = job.Run();
    job.preset = false;
    job.delay = MilliSeconds(7);
    const auto after = job.Run();
    ASSERT_TRUE(after.finished) << after.stall;
    EXPECT_EQ(after.reconfigurations, 1U);
    EXPECT_EQ(after.steps.back().exposedReconfigurations, 1U);
    // Light is back one fibre propagation (50 ns) after the switch has turned.
    EXPECT_EQ(after.GetLastStep() - before.GetLastStep(), MilliSeconds(7) + NanoSeconds(50));
}

INSTANTIATE_TEST_SUITE_P(Sizes, OneGroup, testing::Values(2, 3, 8));

class PipelineAlone : public testing::TestWithParam<std::tuple<uint32_t, PipelineSchedule>>
{
};

TEST_P(PipelineAlone, EqualsElectricalWithOnePortPerNeighbour)
{
    MiniJob job;
    job.plan.degrees.pp = std::get<0>(GetParam());
    job.plan.schedule = std::get<1>(GetParam());
    job.plan.microbatches = 5;
    job.provisioned = true;
    const auto learning = job.Run();
    ASSERT_TRUE(learning.finished) << learning.stall;
    // One step: in a second one the first request also waits until both ends have begun it, which
    // eager sends on an electrical fabric do not.
    job.profile = &*learning.learned;
    job.preset = true;
    const auto photonic = job.Run();
    job.photonic = false;
    const auto electrical = job.Run();
    ASSERT_TRUE(photonic.finished) << photonic.stall;
    EXPECT_EQ(photonic.stepEnds, electrical.stepEnds);
    EXPECT_EQ(photonic.bytes, electrical.bytes);
    EXPECT_EQ(photonic.reconfigurations, 0U);
    EXPECT_EQ(photonic.mispredictions, 0U);
}

INSTANTIATE_TEST_SUITE_P(Stages,
                         PipelineAlone,
                         testing::Combine(testing::Values(2, 3, 4, 8),
                                          testing::Values(PipelineSchedule::GPIPE,
                                                          PipelineSchedule::ONE_F_ONE_B)));

/// Step time against delay is linear where the exposed reconfigurations do not change.
class Slope : public testing::TestWithParam<std::tuple<uint32_t, uint32_t, bool>>
{
};

TEST_P(Slope, EqualsTheExposedReconfigurations)
{
    MiniJob job;
    job.plan.degrees.pp = std::get<0>(GetParam());
    job.plan.degrees.fsdp = 2;
    job.plan.microbatches = std::get<1>(GetParam());
    job.provisioned = std::get<2>(GetParam());
    // The computations of this job take microseconds: from 1 ms on nothing is hidden any more.
    std::vector<MiniJob::Outcome> outcomes;
    for (uint32_t ms : {1, 2, 30})
    {
        job.delay = MilliSeconds(ms);
        outcomes.push_back(job.Run());
        ASSERT_TRUE(outcomes.back().finished) << outcomes.back().stall;
        EXPECT_EQ(outcomes.back().drops, 0U);
    }
    const auto exposed = outcomes[0].steps.back().exposedReconfigurations;
    EXPECT_EQ(outcomes[1].steps.back().exposedReconfigurations, exposed);
    EXPECT_EQ(outcomes[1].GetLastStep() - outcomes[0].GetLastStep(), MilliSeconds(exposed));
    EXPECT_EQ(outcomes[2].GetLastStep() - outcomes[1].GetLastStep(), MilliSeconds(28 * exposed));
    if (job.plan.microbatches == 1)
    {
        // Derived in doc/opus.md: 2(P-1) forward, 1, 2(P-1) backward, and 1 for the norm.
        EXPECT_EQ(exposed, 4 * job.plan.degrees.pp - 2);
    }
}

INSTANTIATE_TEST_SUITE_P(Pipelines,
                         Slope,
                         testing::Combine(testing::Values(2, 4, 8),
                                          testing::Values(1, 4),
                                          testing::Bool()));

TEST(Windows, HideADelayThatIsShorterThanTheyAre)
{
    // Long computations: provisioning hides what on-demand control exposes.
    MiniJob job;
    job.plan.degrees.pp = 2;
    job.plan.degrees.fsdp = 2;
    job.plan.microbatches = 2;
    job.plan.sequenceLength = 8192;
    job.delay = MicroSeconds(20);
    const auto onDemand = job.Run();
    job.provisioned = true;
    const auto provisioned = job.Run();
    ASSERT_TRUE(onDemand.finished && provisioned.finished);
    EXPECT_LT(provisioned.steps.back().exposedReconfigurations,
              onDemand.steps.back().exposedReconfigurations);
    EXPECT_LT(provisioned.GetLastStep(), onDemand.GetLastStep());
}

TEST(Windows, AHostThatIsAheadKnowsWhatAProfileKnows)
{
    MiniJob job;
    job.plan.degrees.pp = 4;
    job.plan.degrees.fsdp = 2;
    job.plan.microbatches = 3;
    job.plan.sequenceLength = 8192;
    job.delay = MicroSeconds(20);
    job.steps = 2;
    job.hostAhead = true;
    const auto onDemand = job.Run();
    job.hostAhead = false;
    job.foreseesFirst = true;
    job.provisioned = true;
    const auto provisioned = job.Run();
    job.foreseesFirst = false;
    const auto late = job.Run();
    ASSERT_TRUE(onDemand.finished && provisioned.finished && late.finished);
    EXPECT_EQ(onDemand.GetLastStep(), provisioned.GetLastStep());
    EXPECT_LE(provisioned.GetLastStep(), late.GetLastStep());
}

TEST(Fabrics, BothPortsToANeighbourHalveATransferAndTurnForEach)
{
    // One transfer of b s h x 2 bytes with one port and with two, on a pipeline of two stages.
    MiniJob job;
    job.plan.degrees.pp = 2;
    job.plan.sequenceLength = 4096;
    const auto one = job.Run();
    job.lanes = PipelineLanes::BOTH_TO_PEER;
    const auto both = job.Run();
    ASSERT_TRUE(one.finished && both.finished) << one.stall << both.stall;
    // 524,288 bytes in 130 packets of 4,036 bytes of payload, 98 bytes more each, at 200 Gbps;
    // there is one transfer each way, and half of each is saved.
    const double whole = (524288 + 130 * 98) * 8 / 200e9;
    EXPECT_NEAR((one.GetLastStep() - both.GetLastStep()).GetSeconds(), whole, 0.02 * whole);

    job.plan.degrees.pp = 3;
    job.lanes = PipelineLanes::ONE_PER_NEIGHBOUR;
    const auto few = job.Run();
    job.lanes = PipelineLanes::BOTH_TO_PEER;
    const auto many = job.Run();
    // The middle stage is joined to both neighbours at once, or turns: to the next, for the
    // backward transfer it is still there, and back to the previous.
    EXPECT_GT(many.reconfigurations, few.reconfigurations);
}

TEST(Fabrics, CarryTheSameBytes)
{
    MiniJob job;
    job.plan.degrees = {1, 4, 3, 1};
    job.plan.microbatches = 4;
    const auto photonic = job.Run();
    job.photonic = false;
    const auto electrical = job.Run();
    job.lanes = PipelineLanes::STRIPED;
    const auto striped = job.Run();
    EXPECT_EQ(photonic.bytes, electrical.bytes);
    EXPECT_EQ(photonic.bytes, striped.bytes);
    // Per stage and replica: 2 transfers per microbatch and boundary, b s h x 2 bytes each.
    EXPECT_EQ(photonic.bytes[static_cast<std::size_t>(Parallelism::PP)],
              2ULL * 3 * 3 * 4 * 64 * 64 * 2);
}

TEST(Pipeline, BubbleIsTheClosedForm)
{
    // With equal stages and computations that dwarf the transfers, a step takes M + P - 1 slots of
    // a microbatch where M are busy (GPipe, Huang et al. 2019; the same for 1F1B).
    MiniJob job;
    job.photonic = false;
    TransformerShape shape = job.plan.model.GetShape();
    shape.vocabulary = 1; // no stage has more to do than another
    job.plan.model = TransformerModel(shape);
    job.plan.mfu = 1e-5;
    for (auto schedule : {PipelineSchedule::GPIPE, PipelineSchedule::ONE_F_ONE_B})
    {
        for (uint32_t stages : {2, 4, 8})
        {
            for (uint32_t microbatches : {1, 4, 8})
            {
                job.plan.schedule = schedule;
                job.plan.degrees.pp = stages;
                job.plan.microbatches = microbatches;
                const auto outcome = job.Run();
                ASSERT_TRUE(outcome.finished);
                const double busy = outcome.steps.back().compute.GetSeconds();
                const double step = outcome.GetLastStep().GetSeconds();
                EXPECT_NEAR(step / busy, (microbatches + stages - 1.0) / microbatches, 0.01)
                    << stages << " stages, " << microbatches << " microbatches";
            }
        }
    }
}

TEST(Property, NothingWaitsForEver)
{
    const uint32_t seed = 20260212;
    RecordProperty("seed", static_cast<int>(seed));
    std::mt19937 random(seed);
    const auto pick = [&random](uint32_t from, uint32_t to) {
        return std::uniform_int_distribution<uint32_t>(from, to)(random);
    };
    for (int round = 0; round < 40; round++)
    {
        MiniJob job;
        job.plan.degrees.pp = pick(2, 8);
        job.plan.degrees.fsdp = pick(1, 3);
        job.plan.microbatches = pick(1, 16);
        job.plan.schedule = pick(0, 1) ? PipelineSchedule::GPIPE : PipelineSchedule::ONE_F_ONE_B;
        job.plan.gradientSync = pick(0, 1) ? GradientSync::EVERY : GradientSync::LAST;
        job.provisioned = pick(0, 1);
        job.foreseesFirst = pick(0, 1);
        job.hostAhead = pick(0, 1);
        job.lanes = pick(0, 3) ? PipelineLanes::ONE_PER_NEIGHBOUR : PipelineLanes::BOTH_TO_PEER;
        job.controlPath = std::vector<std::string>{"instant", "delay", "packets"}[pick(0, 2)];
        job.delay = MicroSeconds(pick(0, 3) * pick(0, 50));
        job.steps = pick(1, 2);
        SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round) + ": pp " +
                     std::to_string(job.plan.degrees.pp) + " fsdp " +
                     std::to_string(job.plan.degrees.fsdp) + " microbatches " +
                     std::to_string(job.plan.microbatches) + " " + ToString(job.plan.schedule) +
                     (job.provisioned ? " provisioned " : " on-demand ") + job.controlPath);
        const auto outcome = job.Run();
        ASSERT_TRUE(outcome.finished) << outcome.stall;
        EXPECT_EQ(outcome.drops, 0U);
        EXPECT_EQ(outcome.mispredictions, 0U);
        EXPECT_EQ(outcome.stall, ""); // no request is pending
    }
}

TEST(Property, InterleavedAndZeroBubbleSchedulesFinishOnEveryFabric)
{
    for (uint32_t pp = 2; pp <= 8; pp++)
    {
        for (bool interleaved : {true, false})
        {
            for (bool photonic : {true, false})
            {
                for (bool provisioned : {true, false})
                {
                    MiniJob job;
                    TransformerShape shape = job.plan.model.GetShape();
                    shape.layers = 2 * pp;
                    job.plan.model = TransformerModel(shape);
                    job.plan.degrees.pp = pp;
                    job.plan.degrees.fsdp = 1 + pp % 3;
                    job.plan.degrees.interleave = interleaved ? 2 : 1;
                    job.plan.schedule =
                        interleaved ? PipelineSchedule::ONE_F_ONE_B : PipelineSchedule::ZB_H1;
                    job.plan.microbatches = interleaved ? 2 * pp : pp + 1;
                    job.plan.gradientSync = pp % 2 ? GradientSync::EVERY : GradientSync::LAST;
                    job.photonic = photonic;
                    job.provisioned = provisioned;
                    job.lanes = pp % 4 == 3 ? PipelineLanes::BOTH_TO_PEER
                                            : PipelineLanes::ONE_PER_NEIGHBOUR;
                    job.controlPath = "delay";
                    job.delay = MicroSeconds(30);
                    job.steps = 2;
                    SCOPED_TRACE(std::to_string(pp) + (interleaved ? " interleaved" : " zb-h1") +
                                 (photonic ? " photonic" : " electrical") +
                                 (provisioned ? " provisioned" : " on-demand"));
                    const auto outcome = job.Run();
                    ASSERT_TRUE(outcome.finished) << outcome.stall;
                    EXPECT_EQ(outcome.drops, 0U);
                    EXPECT_EQ(outcome.mispredictions, 0U);
                    EXPECT_EQ(outcome.stall, ""); // no request is pending
                    const uint64_t virtualStages = pp * job.plan.degrees.interleave;
                    EXPECT_EQ(outcome.bytes[static_cast<std::size_t>(Parallelism::PP)],
                              2 * (virtualStages - 1) * job.plan.microbatches *
                                  job.plan.GetTransferBytes() * job.plan.degrees.fsdp);
                }
            }
        }
    }
}

} // namespace
} // namespace photonic
} // namespace ns3
