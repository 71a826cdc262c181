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

/// Two ranks of an FSDP group, alone. An all-gather of 4 k full packets takes k us and 100 ns.
TestJob::Options
MakePairOptions(std::vector<Operation> program)
{
    TestJob::Options options;
    options.degrees.fsdp = 2;
    options.programs = {std::move(program)};
    return options;
}

/// Two stages of one rank each.
TestJob::Options
MakeStageOptions(std::vector<Operation> first, std::vector<Operation> second)
{
    TestJob::Options options;
    options.degrees.pp = 2;
    options.programs = {std::move(first), std::move(second)};
    return options;
}

Operation
MakeGather(const std::string& label, uint64_t microseconds, uint32_t counter, After after = {})
{
    return MakeCollective(label,
                          GroupSlot::FSDP,
                          Kind::ALL_GATHER,
                          4 * microseconds * FULL,
                          counter,
                          std::move(after));
}

} // namespace

TEST(RankApplication, DependenciesAreAwaited)
{
    TestJob t(MakePairOptions({MakeCompute("a", MicroSeconds(10)),
                               MakeGather("b", 3, 0, {{0, Part::WHOLE}}),
                               MakeCompute("c", MicroSeconds(7), {{1, Part::WHOLE}})}));
    EXPECT_EQ(t.Run(), NanoSeconds(20'100));
    for (uint32_t rank : {0U, 1U})
    {
        EXPECT_EQ(t.Get(rank, "a").start, Time(0));
        EXPECT_EQ(t.GetEnd(rank, "a"), MicroSeconds(10));
        EXPECT_EQ(t.Get(rank, "b").start, MicroSeconds(10));
        EXPECT_EQ(t.GetEnd(rank, "b"), NanoSeconds(13'100));
        EXPECT_EQ(t.Get(rank, "b").sent, 2 * 3 * FULL);
        EXPECT_EQ(t.Get(rank, "c").start, NanoSeconds(13'100));
        EXPECT_EQ(t.GetEnd(rank, "c"), NanoSeconds(20'100));
        EXPECT_EQ(t.Get(rank, "c").sent, 0U);
    }
}

TEST(RankApplication, ComputationAndCommunicationOverlap)
{
    TestJob t(MakePairOptions({MakeCompute("a", MicroSeconds(10)), MakeGather("b", 8, 0)}));
    EXPECT_EQ(t.Run(), MicroSeconds(10));
    EXPECT_EQ(t.Get(0, "b").start, Time(0));
    EXPECT_EQ(t.GetEnd(0, "b"), NanoSeconds(8100));
}

TEST(RankApplication, AStreamRunsOneOperationAtATime)
{
    TestJob t(MakePairOptions({MakeGather("a", 2, 0),
                               MakeGather("b", 1, 1),
                               MakeCompute("c", MicroSeconds(1)),
                               MakeCompute("d", MicroSeconds(1))}));
    t.Run();
    EXPECT_EQ(t.GetEnd(0, "a"), NanoSeconds(2100));
    EXPECT_EQ(t.Get(0, "b").start, NanoSeconds(2100));
    EXPECT_EQ(t.GetEnd(0, "b"), NanoSeconds(3200));
    EXPECT_EQ(t.GetEnd(0, "c"), MicroSeconds(1));
    EXPECT_EQ(t.GetEnd(0, "d"), MicroSeconds(2));
}

TEST(RankApplication, StreamsOfCommunicatorsRunSideBySide)
{
    // Tensor parallel traffic stays in the node, so that the two do not meet.
    TestJob::Options options;
    options.degrees.tp = 2;
    options.degrees.fsdp = 2;
    options.programs = {{MakeGather("f", 4, 0),
                         // Two steps of 500 bytes, and of 500 ns of latency.
                         MakeCollective("t", GroupSlot::TP, Kind::ALL_REDUCE, 1000, 0)}};
    TestJob t(options);
    t.Run();
    for (uint32_t rank = 0; rank < 4; rank++)
    {
        EXPECT_EQ(t.GetEnd(rank, "f"), NanoSeconds(4100));
        EXPECT_EQ(t.GetEnd(rank, "t"), MicroSeconds(2));
    }
}

TEST(RankApplication, ADependentOfTheReceivedPartDoesNotWaitForTheSend)
{
    // Rank 0 sends ten packets and receives one.
    TestJob t(MakeStageOptions(
        {MakeTransfer("x", GroupSlot::PP_NEXT, Kind::SEND_RECEIVE, 10 * FULL, FULL, 0),
         MakeCompute("part", MicroSeconds(2), {{0, Part::RECEIVED}}),
         MakeCompute("whole", MicroSeconds(2), {{0, Part::WHOLE}})},
        {MakeTransfer("x", GroupSlot::PP_PREVIOUS, Kind::SEND_RECEIVE, FULL, 10 * FULL, 0),
         MakeCompute("part", MicroSeconds(2), {{0, Part::RECEIVED}})}));
    EXPECT_EQ(t.Run(), NanoSeconds(12'100));
    EXPECT_EQ(t.Get(0, "part").start, NanoSeconds(1100));
    EXPECT_EQ(t.Get(0, "whole").start, NanoSeconds(10'100));
    EXPECT_EQ(t.Get(1, "part").start, NanoSeconds(10'100));
    EXPECT_EQ(t.GetEnd(0, "x"), NanoSeconds(10'100));
    EXPECT_EQ(t.Get(0, "x").sent, 10 * FULL);
}

TEST(RankApplication, ComputeDoesNotWaitForSends)
{
    TestJob t(MakeStageOptions(
        {MakeCompute("a", MicroSeconds(1)),
         MakeTransfer("s", GroupSlot::PP_NEXT, Kind::SEND, 20 * FULL, 0, 0, {{0, Part::WHOLE}}),
         MakeCompute("b", MicroSeconds(1))},
        {MakeTransfer("r", GroupSlot::PP_PREVIOUS, Kind::RECEIVE, 0, 20 * FULL, 0)}));
    t.Run();
    EXPECT_EQ(t.GetEnd(0, "b"), MicroSeconds(2));
    EXPECT_EQ(t.GetEnd(0, "s"), NanoSeconds(21'100));
    EXPECT_EQ(t.GetEnd(1, "r"), NanoSeconds(21'100));
    EXPECT_EQ(t.Get(1, "r").start, NanoSeconds(1100)); // its first bit
}

TEST(RankApplication, EarlyDataBelongsToTheOperationThatTakesIt)
{
    TestJob t(MakeStageOptions({MakeTransfer("s", GroupSlot::PP_NEXT, Kind::SEND, 3 * FULL, 0, 0)},
                               {MakeCompute("busy", MicroSeconds(50)),
                                MakeTransfer("r",
                                             GroupSlot::PP_PREVIOUS,
                                             Kind::RECEIVE,
                                             0,
                                             3 * FULL,
                                             0,
                                             {{0, Part::WHOLE}})}));
    EXPECT_EQ(t.Run(), MicroSeconds(50));
    EXPECT_EQ(t.GetEnd(0, "s"), NanoSeconds(3100)); // no rank waits for a receive
    EXPECT_EQ(t.Get(1, "r").start, MicroSeconds(50));
    EXPECT_EQ(t.GetEnd(1, "r"), MicroSeconds(50));
}

TEST(RankApplication, EmptyOperationsTakeNoTimeAndReleaseTheirDependents)
{
    TestJob t(MakePairOptions({MakeGather("a", 0, 0),
                               MakeCompute("b", Time(0), {{0, Part::WHOLE}}),
                               MakeGather("c", 0, 1, {{1, Part::WHOLE}}),
                               MakeCompute("d", MicroSeconds(3), {{2, Part::RECEIVED}})}));
    EXPECT_EQ(t.Run(), MicroSeconds(3));
    EXPECT_EQ(t.GetEnd(1, "c"), Time(0));
    for (auto* port : t.ports)
    {
        EXPECT_EQ(port->GetPacketsReceived(), 0U);
    }
}

TEST(RankApplication, AnEmptyProgramEndsItsSteps)
{
    auto options = MakePairOptions({});
    options.steps = 3;
    TestJob t(options);
    EXPECT_EQ(t.Run(), Time(0));
    EXPECT_EQ(t.steps.size(), 6U);
}

TEST(RankApplication, ThereIsNoBarrierBetweenSteps)
{
    auto options = MakeStageOptions({MakeCompute("short", MicroSeconds(3))},
                                    {MakeCompute("long", MicroSeconds(5))});
    options.steps = 4;
    TestJob t(options);
    EXPECT_EQ(t.Run(), MicroSeconds(20));
    for (const auto& step : t.steps)
    {
        const Time duration = MicroSeconds(step.rank == 0 ? 3 : 5);
        EXPECT_EQ(step.start, duration * step.step);
        EXPECT_EQ(step.end, duration * (step.step + 1));
    }
    EXPECT_EQ(t.steps.size(), 8U);
    EXPECT_EQ(t.job->GetCompleted(), 8U);
}

TEST(RankApplication, StepsMatchTheirOwnMessages)
{
    // The sender runs ahead: its second step's message waits until the receiver comes to it.
    auto options = MakeStageOptions(
        {MakeTransfer("s0", GroupSlot::PP_NEXT, Kind::SEND, FULL, 0, 0),
         MakeTransfer("s1", GroupSlot::PP_NEXT, Kind::SEND, 2 * FULL, 0, 1)},
        {MakeCompute("busy", MicroSeconds(40)),
         MakeTransfer("r0", GroupSlot::PP_PREVIOUS, Kind::RECEIVE, 0, FULL, 0, {{0, Part::WHOLE}}),
         MakeTransfer("r1", GroupSlot::PP_PREVIOUS, Kind::RECEIVE, 0, 2 * FULL, 1)});
    options.steps = 3;
    TestJob t(options);
    EXPECT_EQ(t.Run(), MicroSeconds(120));
    // A step of the sender is 1.1 us for one message and 2.1 us for the next.
    EXPECT_EQ(t.GetEnd(0, "s1", 2), NanoSeconds(9600));
    EXPECT_EQ(t.GetEnd(1, "r1", 2), MicroSeconds(120));
}

TEST(RankApplication, PipelineGroupsRingOverThePipelinePorts)
{
    TestJob::Options options;
    options.degrees.pp = 3;
    const auto reduce = MakeCollective("norm", GroupSlot::PP, Kind::ALL_REDUCE, 6 * FULL, 0);
    options.programs = {{reduce}, {reduce}, {reduce}};
    TestJob t(options);
    EXPECT_EQ(t.Run(), NanoSeconds(4 * 1100));
}

TEST(RankApplication, RunsOnCircuits)
{
    auto options = MakePairOptions({MakeGather("a", 3, 0)});
    options.degrees.fsdp = 3;
    options.programs = {{MakeCollective("a", GroupSlot::FSDP, Kind::ALL_REDUCE, 6 * FULL, 0)}};
    options.photonic = true;
    TestJob t(options);
    std::vector<Circuit> ring;
    for (uint32_t rank = 0; rank < 3; rank++)
    {
        ring.push_back({t.fabric.GetSwitchPort(t.plan, rank, 0),
                        t.fabric.GetSwitchPort(t.plan, (rank + 1) % 3, 1)});
    }
    t.fabric.circuitSwitches.at(0)->Preset(ring);
    EXPECT_EQ(t.Run(), NanoSeconds(4 * 1100));
}

TEST(RankApplication, RefusesNoSteps)
{
    auto application = CreateObject<RankApplication>();
    EXPECT_THROW(application->SetSteps(0), std::invalid_argument);
    application->Dispose();
}

TEST(GateSequence, NumbersWhatLeavesTheNode)
{
    const StepProgram program({MakeCompute("a", Time(0)),
                               MakeCollective("b", GroupSlot::TP, Kind::ALL_REDUCE, 1, 0),
                               MakeGather("c", 1, 0),
                               MakeTransfer("d", GroupSlot::PP_NEXT, Kind::SEND, 1, 0, 0),
                               MakeCollective("e", GroupSlot::TP, Kind::ALL_REDUCE, 1, 1),
                               MakeGather("f", 1, 1)});
    std::array<bool, GROUP_SLOTS> scaleOut{};
    scaleOut[static_cast<std::size_t>(GroupSlot::FSDP)] = true;
    scaleOut[static_cast<std::size_t>(GroupSlot::PP_NEXT)] = true;
    const GateSequence sequence(program, scaleOut);
    const std::vector<bool> gated = {false, false, true, true, false, true};
    uint32_t next = 0;
    for (uint32_t i = 0; i < gated.size(); i++)
    {
        EXPECT_EQ(sequence.IsGated(i), gated[i]) << i;
        if (gated[i])
        {
            EXPECT_EQ(sequence.Get(i), next++);
        }
    }
    EXPECT_EQ(sequence.GetOperations(GroupSlot::TP), 2U);
    EXPECT_EQ(sequence.GetOperations(GroupSlot::FSDP), 2U);
    EXPECT_EQ(sequence.GetOperations(GroupSlot::PP_NEXT), 1U);
    EXPECT_EQ(sequence.GetOperations(GroupSlot::PP), 0U);
}

} // namespace photonic
} // namespace ns3
