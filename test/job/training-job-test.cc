/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "test-job.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

/// Something that never ends by itself, as a controller that polls.
void
TickForEver(Time period)
{
    Simulator::Schedule(period, &TickForEver, period);
}

/// Each of two stages wants to receive before it sends.
TestJob::Options
MakeDeadlock()
{
    TestJob::Options options;
    options.degrees.pp = 2;
    const auto make = [](GroupSlot slot, const std::string& name, uint32_t in, uint32_t out) {
        return std::vector<Operation>{
            MakeTransfer("take " + name, slot, Kind::RECEIVE, 0, FULL, in),
            MakeTransfer("give " + name, slot, Kind::SEND, FULL, 0, out)};
    };
    options.programs = {make(GroupSlot::PP_NEXT, "gradient", 0, 1),
                        make(GroupSlot::PP_PREVIOUS, "activation", 1, 0)};
    return options;
}

void
ExpectDeadlockDescribed(const TrainingJob& job)
{
    EXPECT_FALSE(job.IsFinished());
    EXPECT_EQ(job.GetFailure(), "");
    const auto lines = job.DescribeWaiting(10);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_SAYS(lines[0], "rank 0");
    EXPECT_SAYS(lines[0], "take gradient");
    EXPECT_SAYS(lines[0], "with rank 1");
    EXPECT_SAYS(lines[1], "rank 1");
    EXPECT_SAYS(lines[1], "take activation");
    EXPECT_SAYS(lines[1], "with rank 0");
}

} // namespace

TEST(TrainingJob, ADeadlockEndsAndIsDescribed)
{
    auto options = MakeDeadlock();
    options.stallTimeout = Time(0); // nobody watches: the simulator runs out of events
    TestJob t(options);
    Simulator::Run();
    ExpectDeadlockDescribed(*t.job);
}

TEST(TrainingJob, TheWatchdogEndsWhatSomethingElseKeepsAlive)
{
    auto options = MakeDeadlock();
    options.stallTimeout = Seconds(10);
    TestJob t(options);
    TickForEver(MilliSeconds(700));
    Simulator::Run();
    EXPECT_LE(Simulator::Now(), Seconds(20));
    ExpectDeadlockDescribed(*t.job);
}

TEST(TrainingJob, TheWatchdogTellsWhoeverElseStopsTheSimulation)
{
    auto options = MakeDeadlock();
    options.stallTimeout = Seconds(10);
    options.stopWhenFinished = false;
    TestJob t(options);
    std::string failure;
    t.job->TraceConnectWithoutContext(
        "Failed",
        Callback<void, const std::string&>([&failure](const std::string& why) { failure = why; }));
    TickForEver(MilliSeconds(700));
    Simulator::Run();
    EXPECT_LE(Simulator::Now(), Seconds(20));
    EXPECT_SAYS(failure, "nothing has moved for 10.0");
    EXPECT_FALSE(t.job->IsFinished());
}

TEST(TrainingJob, TheWatchdogLetsLongWorkGoOn)
{
    TestJob::Options options;
    options.degrees.fsdp = 2;
    options.stallTimeout = Seconds(10);
    options.programs = {
        {MakeCompute("long", Hours(30)),
         MakeCollective("g", GroupSlot::FSDP, Kind::ALL_GATHER, 4 * FULL, 0, {{0, Part::WHOLE}})}};
    TestJob t(options);
    EXPECT_EQ(t.Run(), Hours(30) + NanoSeconds(1100));
}

TEST(TrainingJob, TheWatchdogSeesTrafficThatMoves)
{
    TestJob::Options options;
    options.degrees.fsdp = 2;
    options.stallTimeout = MicroSeconds(10);
    options.programs = {{MakeCollective("g", GroupSlot::FSDP, Kind::ALL_GATHER, 400 * FULL, 0)}};
    TestJob t(options);
    EXPECT_EQ(t.Run(), NanoSeconds(100'100)); // a hundred packets each way
}

TEST(TrainingJob, TheWatchdogSeesASwitchThatTurns)
{
    TestJob::Options options;
    options.degrees.pp = 2;
    options.photonic = true;
    options.stallTimeout = MicroSeconds(10);
    options.programs = {{MakeTransfer("s", GroupSlot::PP_NEXT, Kind::SEND, FULL, 0, 0)},
                        {MakeTransfer("r", GroupSlot::PP_PREVIOUS, Kind::RECEIVE, 0, FULL, 0)}};
    TestJob t(options);
    auto ocs = t.fabric.circuitSwitches[0];
    ocs->SetAttribute("ReconfigurationDelay", TimeValue(MicroSeconds(95)));
    Simulator::Schedule(MicroSeconds(5), [ocs] { ocs->Reconfigure({{0, 3}}); });
    EXPECT_GT(t.Run(), MicroSeconds(100));
}

TEST(TrainingJob, WantsItsRanksInOrder)
{
    TestJob::Options options;
    options.programs = {{}};
    TestJob t(options);
    auto rank = CreateObject<RankApplication>();
    const auto program = Create<StepProgram>(std::vector<Operation>{});
    rank->Configure(2, program, nullptr, nullptr);
    EXPECT_THROW(t.job->Add(rank), std::logic_error);
}

TEST(TrainingJob, AMemberThatRunsAnotherCollectiveIsNoSilentEnd)
{
    TestJob::Options options;
    options.degrees.pp = 2;
    options.programs = {
        {MakeCollective("sum", GroupSlot::PP, Kind::ALL_GATHER, 4 * FULL, 0)},
        {MakeCollective("split", GroupSlot::PP, Kind::REDUCE_SCATTER, 4 * FULL, 0)}};
    TestJob t(options);
    Simulator::Run();
    EXPECT_FALSE(t.job->IsFinished());
    const auto lines = t.job->DescribeWaiting(10);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_SAYS(lines[0], "sum");
    EXPECT_SAYS(lines[0], "with rank 1");
    EXPECT_SAYS(lines[1], "split");
    EXPECT_SAYS(lines[1], "with rank 0");
}

TEST(TrainingJob, AMemberThatNeverComesIsNoSilentEnd)
{
    TestJob::Options options;
    options.degrees.pp = 2;
    options.programs = {{MakeCollective("sum", GroupSlot::PP, Kind::ALL_REDUCE, 4 * FULL, 0)},
                        {MakeCompute("elsewhere", MicroSeconds(1))}};
    TestJob t(options);
    Simulator::Run();
    EXPECT_FALSE(t.job->IsFinished());
    const auto lines = t.job->DescribeWaiting(10);
    ASSERT_EQ(lines.size(), 1U); // rank 1 has finished
    EXPECT_SAYS(lines[0], "rank 0");
    EXPECT_SAYS(lines[0], "sum");
}

TEST(TrainingJob, DescriptionsAreCutShort)
{
    TestJob::Options options;
    options.degrees.fsdp = 5;
    options.programs = {{MakeCompute("work", MicroSeconds(1))}};
    TestJob t(options);
    const auto lines = t.job->DescribeWaiting(2); // before the start all of them wait
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_SAYS(lines[2], "3 more");
    t.Run();
    EXPECT_TRUE(t.job->DescribeWaiting(2).empty());
}

TEST(TrainingJob, AWrongSizeStopsTheRunAtOnce)
{
    TestJob::Options options;
    options.degrees.pp = 2;
    options.programs = {{MakeTransfer("s", GroupSlot::PP_NEXT, Kind::SEND, 5 * FULL, 0, 0)},
                        {MakeTransfer("r", GroupSlot::PP_PREVIOUS, Kind::RECEIVE, 0, 6 * FULL, 0)}};
    TestJob t(options);
    TickForEver(MicroSeconds(1));
    Simulator::Run();
    EXPECT_EQ(Simulator::Now(), NanoSeconds(1100)); // with the first packet
    EXPECT_FALSE(t.job->IsFinished());
    EXPECT_SAYS(t.job->GetFailure(), "rank 0 sends " + std::to_string(5 * FULL));
    EXPECT_SAYS(t.job->GetFailure(), "rank 1, which expects " + std::to_string(6 * FULL));
    EXPECT_TRUE(t.records.empty());
}

TEST(TrainingJob, TheFirstFailureIsKept)
{
    TestJob::Options options;
    options.programs = {{}};
    TestJob t(options);
    t.job->Fail("one");
    t.job->Fail("two");
    EXPECT_EQ(t.job->GetFailure(), "one");
    EXPECT_FALSE(t.job->IsFinished());
}

TEST(TrainingJob, StopsTheSimulationWhenFinished)
{
    TestJob::Options options;
    options.programs = {{MakeCompute("work", MicroSeconds(5))}};
    options.steps = 2;
    TestJob t(options);
    TickForEver(MicroSeconds(2));
    EXPECT_EQ(t.Run(), MicroSeconds(10));
}

TEST(TrainingJob, LeavesTheSimulationRunningIfAsked)
{
    TestJob::Options options;
    options.programs = {{MakeCompute("work", MicroSeconds(5))}};
    options.stopWhenFinished = false;
    TestJob t(options);
    bool later = false;
    Simulator::Schedule(MicroSeconds(90), [&later] { later = true; });
    EXPECT_EQ(t.Run(), MicroSeconds(90)); // and no watchdog keeps it going for an hour
    EXPECT_TRUE(later);
}

TEST(TrainingJob, CountsCompletedOperations)
{
    TestJob::Options options;
    options.degrees.fsdp = 3;
    options.programs = {{MakeCompute("a", MicroSeconds(5)),
                         MakeCollective("b", GroupSlot::FSDP, Kind::BROADCAST, 10, 0)}};
    options.steps = 4;
    TestJob t(options);
    EXPECT_EQ(t.job->GetCompleted(), 0U);
    t.Run();
    EXPECT_EQ(t.job->GetCompleted(), 3U * 2 * 4);
}

TEST(TrainingJob, TellsWhatItsRanksTell)
{
    TestJob::Options options;
    options.degrees.fsdp = 3;
    options.programs = {{MakeCompute("a", MicroSeconds(5)),
                         MakeCollective("b", GroupSlot::FSDP, Kind::BROADCAST, 10, 0)}};
    options.steps = 2;
    TestJob t(options); // hears each rank by itself
    std::vector<std::string> told;
    std::vector<std::string> expected;
    std::function<void(const OperationRecord&)> operationDone = [&](const OperationRecord& record) {
        told.push_back(std::to_string(record.rank) + record.operation->label);
        EXPECT_LE(record.settled, Simulator::Now());
    };
    uint32_t steps = 0;
    std::function<void(const StepRecord&)> stepDone = [&](const StepRecord&) { steps++; };
    t.job->TraceConnectWithoutContext("Operation",
                                      Callback<void, const OperationRecord&>(operationDone));
    t.job->TraceConnectWithoutContext("Step", Callback<void, const StepRecord&>(stepDone));
    t.Run();
    for (const auto& record : t.records)
    {
        expected.push_back(std::to_string(record.rank) + record.label);
    }
    EXPECT_EQ(told, expected);
    EXPECT_EQ(steps, 3U * 2);
}

} // namespace photonic
} // namespace ns3
