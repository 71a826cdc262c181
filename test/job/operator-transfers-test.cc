/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Transfers between any two ranks of an operator graph.
 */
#include "test-job.h"

#include "ns3/job-traffic.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// @return one end of a transfer of so many full packets, half of them on either port
Operation
MakeEnd(const std::string& label,
        CollectiveKind kind,
        uint32_t peer,
        uint64_t packets,
        uint32_t counter,
        After after = {})
{
    const bool sends = kind == CollectiveKind::SEND;
    Operation o = MakeTransfer(label,
                               GroupSlot::MP,
                               kind,
                               sends ? packets * FULL : 0,
                               sends ? 0 : packets * FULL,
                               counter,
                               std::move(after));
    o.parallelism = Parallelism::MP;
    o.peer = peer;
    return o;
}

/**
 * Three GPUs, in microseconds from the start of a step; a transfer of 2 k packets takes k us on
 * either port, and 100 ns:
 *
 *     0: a 0 - 5, to 2 5 - 9.1, to 1 0 - 1.1 (after nothing, though later in the program)
 *     1: b 1.1 - 3.1, to 0 3.1 - 5.2
 *     2: c 9.1 - 10.1, to 0 10.1 - 11.2
 *     0: d 11.2 - 12.2
 */
TestJob::Options
MakeTriangle(uint32_t steps)
{
    using Kind = CollectiveKind;
    TestJob::Options options;
    options.degrees.pp = 3;
    options.degrees.gpusPerNode = 1;
    options.degrees.graph = true;
    options.steps = steps;
    options.programs = {
        {MakeCompute("a", MicroSeconds(5)),
         MakeEnd("from 2", Kind::RECEIVE, 2, 2, 1),
         MakeEnd("from 1", Kind::RECEIVE, 1, 4, 1),
         MakeEnd("to 2", Kind::SEND, 2, 8, 0, {{0, Part::WHOLE}}),
         MakeEnd("to 1", Kind::SEND, 1, 2, 0),
         MakeCompute("d", MicroSeconds(1), {{1, Part::RECEIVED}, {2, Part::RECEIVED}})},
        {MakeEnd("from 0", Kind::RECEIVE, 0, 2, 0),
         MakeCompute("b", MicroSeconds(2), {{0, Part::RECEIVED}}),
         MakeEnd("to 0", Kind::SEND, 0, 4, 1, {{1, Part::WHOLE}})},
        {MakeEnd("from 0", Kind::RECEIVE, 0, 8, 0),
         MakeCompute("c", MicroSeconds(1), {{0, Part::RECEIVED}}),
         MakeEnd("to 0", Kind::SEND, 0, 2, 1, {{1, Part::WHOLE}})}};
    return options;
}

} // namespace

TEST(OperatorTransfers, WaitForTheirDependenciesOnly)
{
    TestJob t(MakeTriangle(1));
    t.Run();
    EXPECT_EQ(t.GetEnd(0, "to 1"), NanoSeconds(1'100));
    EXPECT_EQ(t.GetEnd(1, "b"), NanoSeconds(3'100));
    EXPECT_EQ(t.GetEnd(0, "from 1"), NanoSeconds(5'200));
    EXPECT_EQ(t.GetEnd(0, "to 2"), NanoSeconds(9'100));
    EXPECT_EQ(t.GetEnd(2, "c"), NanoSeconds(10'100));
    EXPECT_EQ(t.GetEnd(0, "d"), NanoSeconds(12'200));
}

TEST(OperatorTransfers, AreTheSameInEveryStep)
{
    // GPU 1 runs ahead: its transfers of later steps are not taken for those of earlier ones.
    TestJob t(MakeTriangle(3));
    t.Run();
    for (uint32_t step = 0; step < 3; step++)
    {
        EXPECT_EQ(t.GetEnd(0, "d", step), NanoSeconds(12'200 * (step + 1))) << step;
        EXPECT_EQ(t.Get(0, "to 2", step).sent, 8U * FULL);
    }
}

TEST(OperatorTransfers, AreCountedByPair)
{
    const auto options = MakeTriangle(1);
    std::vector<Ptr<const StepProgram>> programs;
    for (const auto& operations : options.programs)
    {
        programs.push_back(Create<StepProgram>(operations));
    }
    const auto traffic = CountJobTraffic(ParallelPlan(options.degrees), programs);
    EXPECT_EQ(traffic.Get(0, 1), 2U * FULL);
    EXPECT_EQ(traffic.Get(0, 2), 8U * FULL);
    EXPECT_EQ(traffic.Get(1, 0), 4U * FULL);
    EXPECT_EQ(traffic.Get(2, 0), 2U * FULL);
    EXPECT_EQ(traffic.Get(1, 2), 0U);
    EXPECT_EQ(traffic.Get(2, 1), 0U);
}

TEST(OperatorTransfers, AMissingEndIsNamed)
{
    auto options = MakeTriangle(1);
    options.programs[1].pop_back(); // "to 0"
    options.stallTimeout = MilliSeconds(1);
    TestJob t(options);
    Simulator::Run();
    EXPECT_FALSE(t.job->IsFinished());
    ASSERT_FALSE(t.job->DescribeWaiting(1).empty());
    EXPECT_EQ(t.job->DescribeWaiting(1).front(), "rank 0, step 0: from 1 (mp, with rank 1)");
}

TEST(OperatorTransfers, NeedAGraph)
{
    ParallelPlan::Degrees degrees;
    degrees.pp = 4;
    degrees.gpusPerNode = 1;
    EXPECT_FALSE(ParallelPlan(degrees).HasGroup(0, GroupSlot::MP));
    degrees.graph = true;
    const ParallelPlan plan(degrees);
    EXPECT_TRUE(plan.HasGroup(0, GroupSlot::MP));
    for (GroupSlot slot : {GroupSlot::PP, GroupSlot::PP_NEXT, GroupSlot::PP_PREVIOUS})
    {
        EXPECT_FALSE(plan.HasGroup(1, slot)) << ToString(slot);
    }
    degrees.fsdp = 2;
    EXPECT_THROW(ParallelPlan{degrees}, std::invalid_argument);
}

} // namespace photonic
} // namespace ns3
