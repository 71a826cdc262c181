/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * A training job whose links take time to come up.
 */
#include "mini-job.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace photonic
{

TEST(BringUp, CostsAJobWhatTurningMirrorsDo)
{
    // A port that carries nothing for a time is the same to a step, whatever the reason, where
    // control messages take none.
    for (bool trains : {false, true})
    {
        for (uint32_t stages : {2, 4})
        {
            for (const Time& time : {MilliSeconds(5), Seconds(3)})
            {
                SCOPED_TRACE(std::to_string(stages) + " stages" + (trains ? ", trains" : ""));
                MiniJob job;
                job.plan.degrees.pp = stages;
                job.plan.degrees.fsdp = 2;
                job.plan.microbatches = 2;
                job.trains = trains;
                job.steps = 2;
                const auto none = job.Run();
                job.delay = time;
                const auto mirrors = job.Run();
                job.delay = Time(0);
                job.bringUp = time;
                const auto links = job.Run();
                ASSERT_TRUE(none.finished);
                ASSERT_TRUE(mirrors.finished) << mirrors.stall;
                ASSERT_TRUE(links.finished) << links.stall;
                EXPECT_EQ(links.stepEnds, mirrors.stepEnds);
                EXPECT_GT(links.stepEnds.back() - none.stepEnds.back(), time * 4);
                EXPECT_EQ(links.drops, 0U);
                EXPECT_EQ(links.packets, none.packets);
                EXPECT_EQ(links.steps.back().exposedReconfigurations,
                          mirrors.steps.back().exposedReconfigurations);
            }
        }
    }
}

} // namespace photonic
} // namespace ns3
