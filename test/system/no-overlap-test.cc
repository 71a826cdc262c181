/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Packet by packet, jobs in which a rank does one thing at a time.
 */
#include "mini-job.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace photonic
{
namespace
{

/// One stage on packet switches, where no circuit is waited for.
MiniJob
MakeOneStage(uint32_t fsdp, uint32_t dp)
{
    MiniJob job;
    job.photonic = false;
    job.plan.degrees.fsdp = fsdp;
    job.plan.degrees.dp = dp;
    job.plan.microbatches = 2;
    job.plan.overlap = false;
    return job;
}

} // namespace

TEST(NoOverlapJob, AllCommunicationOfOneStageIsExposed)
{
    for (uint32_t fsdp : {1, 2})
    {
        for (uint64_t bucket : {0, 50'000})
        {
            for (uint32_t prefetch : {0, 1, 3})
            {
                SCOPED_TRACE("fsdp " + std::to_string(fsdp) + " bucket " + std::to_string(bucket) +
                             " prefetch " + std::to_string(prefetch));
                MiniJob job = MakeOneStage(fsdp, 2);
                job.plan.bucketBytes = bucket;
                job.plan.prefetch = prefetch;
                const auto outcome = job.Run();
                ASSERT_TRUE(outcome.finished) << outcome.stall;
                const auto& s = outcome.steps.back();
                EXPECT_GT(s.compute, Time(0));
                EXPECT_GT(s.communication, Time(0));
                EXPECT_EQ(s.exposedCommunication, s.communication);
                EXPECT_EQ(s.compute + s.communication, s.duration);
            }
        }
    }
}

TEST(NoOverlapJob, OverlapHidesCommunicationAndChangesNoBytes)
{
    for (uint32_t fsdp : {1, 2})
    {
        SCOPED_TRACE("fsdp " + std::to_string(fsdp));
        MiniJob job = MakeOneStage(fsdp, 2);
        const auto without = job.Run();
        job.plan.overlap = true;
        const auto with = job.Run();
        EXPECT_EQ(with.bytes, without.bytes);
        EXPECT_EQ(with.steps.back().compute, without.steps.back().compute);
        EXPECT_LT(with.steps.back().exposedCommunication, with.steps.back().communication);
        EXPECT_LT(with.GetLastStep(), without.GetLastStep());
    }
}

TEST(NoOverlapJob, PipelinesEndOnPacketSwitchesAndOnCircuits)
{
    struct Order
    {
        PipelineSchedule schedule;
        uint32_t interleave;
    };

    for (const auto& [schedule, interleave] : {Order{PipelineSchedule::GPIPE, 1},
                                               Order{PipelineSchedule::ONE_F_ONE_B, 1},
                                               Order{PipelineSchedule::ZB_H1, 1},
                                               Order{PipelineSchedule::ONE_F_ONE_B, 2}})
    {
        for (uint32_t pp = interleave; pp <= 4; ++pp)
        {
            for (uint32_t fsdp : {1, 2})
            {
                for (bool photonic : {false, true})
                {
                    SCOPED_TRACE(std::string(ToString(schedule)) + " interleave " +
                                 std::to_string(interleave) + " pp " + std::to_string(pp) +
                                 " fsdp " + std::to_string(fsdp) + " photonic " +
                                 std::to_string(photonic));
                    MiniJob job;
                    job.plan.schedule = schedule;
                    job.plan.degrees.interleave = interleave;
                    job.plan.degrees.pp = pp;
                    job.plan.degrees.fsdp = fsdp;
                    job.plan.microbatches = pp; // of interleaved stages, a multiple of it
                    job.plan.overlap = false;
                    job.photonic = photonic;
                    job.delay = MicroSeconds(20);
                    const auto outcome = job.Run();
                    EXPECT_TRUE(outcome.finished) << outcome.stall << outcome.failure;
                    EXPECT_EQ(outcome.drops, 0U);
                    ASSERT_EQ(outcome.steps.size(), 1U);
                    const auto& s = outcome.steps.back();
                    EXPECT_EQ(s.exposedCommunication, s.communication);
                    EXPECT_GE(s.duration, s.compute + s.communication);
                }
            }
        }
    }
}

} // namespace photonic
} // namespace ns3
