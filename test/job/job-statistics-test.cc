/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "job-summaries.h"
#include "two-stage-job.h"

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

uint64_t
Of(const StepSummary& summary, Parallelism parallelism)
{
    return summary.bytes[static_cast<std::size_t>(parallelism)];
}

} // namespace

TEST(JobStatistics, ExposedCommunicationIsWhatNoComputationCovers)
{
    // Computations from 0 to 10 ms, an all-gather of 10,000 packets a port from 5 ms on.
    TestJob::Options options;
    options.degrees.fsdp = 2;
    options.programs = {{MakeCompute("a", MilliSeconds(5)),
                         MakeCompute("b", MilliSeconds(5)),
                         MakeCollective("g",
                                        GroupSlot::FSDP,
                                        Kind::ALL_GATHER,
                                        40'000 * FULL,
                                        0,
                                        {{0, Part::WHOLE}})}};
    TestJob t(options);
    const auto summaries = RunAndSum(t);
    ASSERT_EQ(summaries.size(), 1U);
    const auto& s = summaries[0];
    EXPECT_EQ(s.step, 0U);
    EXPECT_EQ(s.end, MicroSeconds(15'000) + NanoSeconds(100));
    EXPECT_EQ(s.duration, s.end);
    EXPECT_EQ(s.compute, MilliSeconds(10));
    EXPECT_EQ(s.communication, MicroSeconds(10'000) + NanoSeconds(100));
    EXPECT_EQ(s.exposedCommunication, MicroSeconds(5000) + NanoSeconds(100));
    EXPECT_EQ(Of(s, Parallelism::FSDP), 40'000 * FULL);
    EXPECT_EQ(Of(s, Parallelism::PP), 0U);
    EXPECT_EQ(s.stall, Time(0));
    EXPECT_EQ(s.exposedReconfigurations, 0);
}

TEST(JobStatistics, CommunicationsAtTheSameTimeCountOnce)
{
    // Four ranks, two groups each; tensor parallel traffic of 2 us inside the 4.1 us of the other.
    TestJob::Options options;
    options.degrees.tp = 2;
    options.degrees.fsdp = 2;
    options.programs = {{MakeCollective("f", GroupSlot::FSDP, Kind::ALL_GATHER, 16 * FULL, 0),
                         MakeCollective("t", GroupSlot::TP, Kind::ALL_REDUCE, 1000, 0),
                         // Counted as other, whatever its group.
                         MakeCollective("norm", GroupSlot::FSDP, Kind::ALL_REDUCE, 4 * FULL, 1)}};
    options.programs[0][2].parallelism = Parallelism::OTHER;
    TestJob t(options);
    const auto summaries = RunAndSum(t);
    ASSERT_EQ(summaries.size(), 1U);
    const auto& s = summaries[0];
    EXPECT_EQ(s.end, NanoSeconds(4100 + 2200));
    EXPECT_EQ(s.communication, NanoSeconds(4100 + 2200));
    EXPECT_EQ(s.exposedCommunication, s.communication);
    EXPECT_EQ(s.compute, Time(0));
    EXPECT_EQ(Of(s, Parallelism::FSDP), 2U * 16 * FULL);
    EXPECT_EQ(Of(s, Parallelism::TP), 2U * 2 * 1000);
    EXPECT_EQ(Of(s, Parallelism::OTHER), 2U * 2 * 4 * FULL);
}

TEST(JobStatistics, SumsUpTwoStages)
{
    TestJob t(MakeTwoStageJob(2));
    const auto summaries = RunAndSum(t);
    ASSERT_EQ(summaries.size(), 2U);
    for (const auto& s : summaries)
    {
        SCOPED_TRACE(s.step);
        EXPECT_EQ(s.end, NanoSeconds(20'400) * (s.step + 1));
        EXPECT_EQ(s.duration, NanoSeconds(20'400));
        EXPECT_EQ(s.compute, NanoSeconds((7000 + 4000) / 2));
        // First stage 1.1 + 3.1 + 3 + 2.1 us, second stage 1.1 + 3 + 3.1 + 2.1 us; nothing
        // overlaps.
        EXPECT_EQ(s.communication, NanoSeconds(9300));
        EXPECT_EQ(s.exposedCommunication, NanoSeconds(9300));
        EXPECT_EQ(Of(s, Parallelism::FSDP), 2U * (4 + 8) * FULL);
        EXPECT_EQ(Of(s, Parallelism::PP), 4U * 3 * FULL);
    }
}

TEST(JobStatistics, StepTimeIsBetweenLatestEnds)
{
    TestJob::Options options;
    options.degrees.pp = 2;
    options.programs = {{MakeCompute("short", MicroSeconds(3))},
                        {MakeCompute("long", MicroSeconds(5))}};
    options.steps = 3;
    TestJob t(options);
    const auto summaries = RunAndSum(t);
    ASSERT_EQ(summaries.size(), 3U);
    for (uint32_t i = 0; i < 3; i++)
    {
        EXPECT_EQ(summaries[i].step, i);
        EXPECT_EQ(summaries[i].end, MicroSeconds(5 * (i + 1)));
        EXPECT_EQ(summaries[i].duration, MicroSeconds(5));
        EXPECT_EQ(summaries[i].compute, MicroSeconds(4));
    }
}

} // namespace photonic
} // namespace ns3
