/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "test-job.h"

#include "ns3/double.h"
#include "ns3/pointer.h"

#include <cmath>

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

/// Two data-parallel ranks: a computation, and an all-reduce after it.
TestJob::Options
MakeOptions()
{
    TestJob::Options options;
    options.degrees.fsdp = 2;
    options.degrees.gpusPerNode = 1;
    options.steps = 3;
    options.programs = {
        {MakeCompute("forward", MilliSeconds(7)),
         MakeCompute("backward", NanoSeconds(13'000'001), {{0, Part::WHOLE}}),
         MakeCollective("reduce", GroupSlot::FSDP, Kind::ALL_REDUCE, 1000, 0, {{1, Part::WHOLE}})}};
    return options;
}

Ptr<RandomVariableStream>
MakeFactor(double factor)
{
    auto variable = CreateObject<ConstantRandomVariable>();
    variable->SetAttribute("Constant", DoubleValue(factor));
    return variable;
}

} // namespace

TEST(RankFaults, AStragglerMakesComputationsLongerByItsFactor)
{
    Time plain;
    {
        TestJob t(MakeOptions());
        plain = t.Run();
    }
    for (double factor : {1.0, 1.5, 4.0})
    {
        TestJob t(MakeOptions());
        std::vector<Time> slowed;
        const auto rank = t.job->GetRanks()[1];
        rank->SetAttribute("Slowdown", PointerValue(MakeFactor(factor)));
        rank->TraceConnectWithoutContext(
            "Slowed",
            Callback<void, uint32_t, double, Time>([&](uint32_t who, double by, Time duration) {
                EXPECT_EQ(who, 1U);
                EXPECT_EQ(by, factor);
                slowed.push_back(duration);
            }));
        const Time compute = 3 * (MilliSeconds(7) + NanoSeconds(13'000'001));
        const Time longer =
            3 * (TimeStep(std::llround(MilliSeconds(7).GetTimeStep() * factor)) +
                 TimeStep(std::llround(NanoSeconds(13'000'001).GetTimeStep() * factor)));
        EXPECT_EQ(t.Run() - plain, longer - compute) << factor;
        EXPECT_EQ(slowed.size(), factor == 1 ? 0U : 6U);
        EXPECT_EQ(rank->AssignStreams(1), 1);
        EXPECT_EQ(t.job->GetRanks()[0]->AssignStreams(1), 0);
    }
}

TEST(RankFaults, AFailedRankEndsTheJobByName)
{
    TestJob t(MakeOptions());
    uint32_t failed = 99;
    t.job->GetRanks()[1]->TraceConnectWithoutContext(
        "Failed",
        Callback<void, uint32_t>([&failed](uint32_t rank) { failed = rank; }));
    t.job->SetAttribute("FailureTimeout", TimeValue(Seconds(30)));
    Simulator::Schedule(MilliSeconds(30), [&t]() {
        t.job->GetRanks()[1]->Fail();
        t.job->GetRanks()[1]->Fail();
    });
    Simulator::Run();
    EXPECT_FALSE(t.job->IsFinished());
    EXPECT_EQ(failed, 1U);
    EXPECT_TRUE(t.job->GetRanks()[1]->IsFailed());
    EXPECT_EQ(t.job->GetRanks()[1]->GetFailedAt(), MilliSeconds(30));
    EXPECT_EQ(Simulator::Now(), MilliSeconds(30) + Seconds(30));
    EXPECT_EQ(t.job->GetFailure(), "rank 1 failed at +0.03s; waiting for it: rank 0");
    EXPECT_EQ(t.job->GetRanks()[1]->GetCompleted(), 4U) << "a step and a forward pass";
    EXPECT_EQ(t.job->GetRanks()[0]->GetCompleted(), 5U) << "its backward pass too";
    const auto lines = t.job->DescribeWaiting(10);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_SAYS(lines[0], "reduce");
    EXPECT_SAYS(lines[1], "failed at");
}

TEST(RankFaults, NoticedAtOnceNobodyMayWaitYet)
{
    TestJob t(MakeOptions());
    t.job->SetAttribute("FailureTimeout", TimeValue(Time(0)));
    Simulator::Schedule(MilliSeconds(1), [&t]() { t.job->GetRanks()[0]->Fail(); });
    Simulator::Run();
    EXPECT_EQ(Simulator::Now(), MilliSeconds(1));
    EXPECT_EQ(t.job->GetFailure(), "rank 0 failed at +0.001s; no rank waits for it yet");
}

TEST(RankFaults, TheWatchdogNamesTheFailedRankToo)
{
    auto options = MakeOptions();
    options.stallTimeout = Seconds(10);
    TestJob t(options);
    Simulator::Schedule(MilliSeconds(30), [&t]() { t.job->GetRanks()[0]->Fail(); });
    Simulator::Run();
    EXPECT_LE(Simulator::Now(), Seconds(20));
    EXPECT_EQ(t.job->GetFailure(), "rank 0 failed at +0.03s; waiting for it: rank 1");
}

TEST(RankFaults, ARankThatHasFinishedCannotFail)
{
    TestJob t(MakeOptions());
    t.Run();
    t.job->GetRanks()[0]->Fail();
    EXPECT_FALSE(t.job->GetRanks()[0]->IsFailed());
    EXPECT_TRUE(t.job->IsFinished());
}

} // namespace photonic
} // namespace ns3
