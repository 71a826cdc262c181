/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * A training job over lines that lose packets.
 */
#include "mini-job.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace photonic
{

namespace
{

MiniJob
MakeJob(bool photonic)
{
    MiniJob job;
    job.photonic = photonic;
    job.preset = true;
    job.lanes = photonic ? PipelineLanes::ONE_PER_NEIGHBOUR : PipelineLanes::STRIPED;
    job.plan.degrees.fsdp = 4;
    job.plan.degrees.pp = photonic ? 1 : 2; // photonic: one set of circuits
    job.plan.microbatches = 4;
    job.plan.sequenceLength = 4096;
    job.steps = 2;
    return job;
}

} // namespace

TEST(LossyJob, CompletesWithOnePacketOfAHundredLost)
{
    for (bool photonic : {false, true})
    {
        const auto plain = MakeJob(photonic).Run();
        ASSERT_TRUE(plain.finished);
        for (const std::string scheme : {"go-back-n", "selective-repeat"})
        {
            for (const std::string control : {"", "ns3::photonic::Dcqcn", "ns3::photonic::Swift"})
            {
                SCOPED_TRACE(scheme + " " + control + (photonic ? ", photonic" : ", electrical") +
                             ", run 1 of the default seed");
                auto job = MakeJob(photonic);
                job.transport = CreateObject<ReliableTransport>();
                job.transport->SetAttribute("Retransmission", StringValue(scheme));
                if (!control.empty())
                {
                    job.transport->SetCongestionControl(control);
                }
                job.loss = 0.01;
                const auto outcome = job.Run();
                EXPECT_TRUE(outcome.finished) << outcome.stall;
                EXPECT_EQ(outcome.bytes, plain.bytes);
                EXPECT_EQ(outcome.packets, plain.packets);
                EXPECT_GT(outcome.drops, 0U);
                EXPECT_GT(outcome.transport.retransmitted, 0U);
                ASSERT_EQ(outcome.stepEnds.size(), plain.stepEnds.size());
                EXPECT_GT(outcome.stepEnds.back(), plain.stepEnds.back());
            }
        }
    }
}

TEST(LossyJob, WithoutRetransmissionALossStopsIt)
{
    auto job = MakeJob(false);
    job.transport = CreateObject<ReliableTransport>();
    job.transport->SetAttribute("Retransmission", StringValue("none"));
    job.loss = 0.01;
    const auto outcome = job.Run();
    EXPECT_FALSE(outcome.finished);
    EXPECT_NE(outcome.stall, "");
}

TEST(LossyJob, ThatCannotGetThroughEndsByName)
{
    auto job = MakeJob(false);
    job.transport = CreateObject<ReliableTransport>();
    job.loss = 1;
    const auto outcome = job.Run();
    EXPECT_FALSE(outcome.finished);
    EXPECT_NE(outcome.failure.find("a message of"), std::string::npos) << outcome.failure;
    EXPECT_NE(outcome.failure.find("no acknowledgement after 7 retransmissions"),
              std::string::npos);
}

} // namespace photonic
} // namespace ns3
