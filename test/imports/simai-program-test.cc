/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload/program-times.h"
#include "workload/workload-test-helper.h"

#include "ns3/simai-program.h"

#include <sstream>

namespace ns3
{
namespace photonic
{

namespace
{

/// Two layers; the times of computations are powers of ten, so that sums tell which there were.
const std::string ROWS = "2\n"
                         "a -1 1 ALLGATHER 64 10 REDUCESCATTER 65 100 ALLREDUCE 66 5\n"
                         "b -1 1000 NONE 0 10000 ALLTOALL 67 100000 ALLGATHER 68 7\n";

SimaiWorkload
Read(const std::string& keys, const std::string& rows = ROWS)
{
    std::istringstream is("HYBRID_TRANSFORMER_FWD_IN_BCKWD " + keys + "\n" + rows);
    return ReadSimaiWorkload(is, "w.txt");
}

ParallelPlan::Degrees
MakeDegrees(uint32_t tp, uint32_t fsdp, uint32_t dp = 1, uint32_t pp = 1)
{
    ParallelPlan::Degrees degrees;
    degrees.tp = tp;
    degrees.pp = pp;
    degrees.fsdp = fsdp;
    degrees.dp = dp;
    return degrees;
}

std::string
Describe(const StepProgram& program)
{
    std::ostringstream os;
    for (const Operation& o : program.GetOperations())
    {
        if (o.IsCompute())
        {
            os << o.duration.GetNanoSeconds();
        }
        else
        {
            os << ToString(o.slot) << " " << ToString(o.kind) << " " << o.bytes << " #"
               << o.counter;
        }
        for (const auto& d : o.after)
        {
            os << " <" << d.operation;
        }
        os << "; ";
    }
    return os.str();
}

std::string
RefusalOf(const SimaiWorkload& workload, const ParallelPlan::Degrees& degrees)
{
    return GetRefusal([&] { BuildSimaiProgram(workload, degrees); });
}

} // namespace

TEST(SimaiProgram, GoesForwardAndBack)
{
    const auto workload = Read("model_parallel_NPU_group: 2 all_gpus: 8");
    const std::string expected = "1; tp all-gather 64 #0 <0; 5 <1; 1000; "
                                 "10000; tp all-to-all 67 #1 <4; 7 <5; 100000; DATA all-gather 68 "
                                 "#0 <7; "
                                 "10; tp reduce-scatter 65 #2 <9; 5 <10; 100; DATA all-reduce 66 "
                                 "#1 <12; "
                                 "7 <8; 5 <13; ";
    for (const auto& [slot, degrees] :
         {std::make_pair("fsdp", MakeDegrees(2, 4)), std::make_pair("dp", MakeDegrees(2, 1, 4))})
    {
        std::string with = expected;
        for (auto at = with.find("DATA"); at != std::string::npos; at = with.find("DATA"))
        {
            with.replace(at, 4, slot);
        }
        EXPECT_EQ(Describe(*BuildSimaiProgram(workload, degrees)), with);
    }
}

TEST(SimaiProgram, AGroupOfOneHasNoCollectives)
{
    EXPECT_EQ(Describe(*BuildSimaiProgram(Read("model_parallel_NPU_group: 1"), MakeDegrees(1, 1))),
              "1; 1000; 10000; 100000; 10; 100; ");
    EXPECT_EQ(Describe(*BuildSimaiProgram(Read("model_parallel_NPU_group: 1"), MakeDegrees(1, 2))),
              "1; 1000; 10000; 100000; fsdp all-gather 68 #0 <3; 10; 100; "
              "fsdp all-reduce 66 #1 <6; 7 <4; 5 <7; ");
}

TEST(SimaiProgram, OnlyCollectivesOfWeightsAreHidden)
{
    // Every collective takes a millisecond: the three of activations are waited for, and those of
    // weights go on, one after the other, beside what follows.
    const auto program = BuildSimaiProgram(Read("model_parallel_NPU_group: 2"), MakeDegrees(2, 4));
    const ProgramTimes times({program}, [](const Operation&) { return MilliSeconds(1); });
    ASSERT_EQ(times.left, 0U);
    const Time gathered = NanoSeconds(1 + 5 + 1000 + 10000 + 7 + 100000) + MilliSeconds(2);
    EXPECT_EQ(times.starts[0][8], gathered);
    EXPECT_EQ(times.ends[0][12], gathered + NanoSeconds(10 + 5 + 100) + MilliSeconds(1));
    EXPECT_EQ(times.ends[0][13], times.ends[0][12] + MilliSeconds(1));
    EXPECT_EQ(times.GetEnd(), times.ends[0][13] + NanoSeconds(5));
}

TEST(SimaiProgram, RefusesWhatFitsNoGroup)
{
    const auto workload = Read("model_parallel_NPU_group: 2 all_gpus: 8");
    EXPECT_EQ(RefusalOf(workload, MakeDegrees(4, 2)),
              "w.txt:1: key 'model_parallel_NPU_group': found 2, expected 4, as --tp=4");
    EXPECT_EQ(RefusalOf(workload, MakeDegrees(2, 2)),
              "w.txt:1: key 'all_gpus': found 8, expected 4, as the degrees come to 4");
    EXPECT_CONTAINS(RefusalOf(workload, MakeDegrees(2, 2, 2)),
                    "w.txt: there is one data parallel group, found --fsdp=2 and --dp=2");
    EXPECT_CONTAINS(RefusalOf(workload, MakeDegrees(2, 2, 1, 2)),
                    "w.txt: rows are those of one stage, found --pp=2");
    EXPECT_CONTAINS(RefusalOf(Read("model_parallel_NPU_group: 2 pp: 4"), MakeDegrees(2, 2)),
                    "w.txt:1: key 'pp': found 4, expected 1, as rows are those of one stage");
    EXPECT_EQ(RefusalOf(Read("model_parallel_NPU_group: 2 ep: 4"), MakeDegrees(2, 2)),
              "w.txt:1: key 'ep': found 4, expected 1, as --ep=1");
    EXPECT_EQ(RefusalOf(Read("model_parallel_NPU_group: 2",
                             "1\n moe -1 1 NONE 0 1 NONE 0 1 ALLTOALL_EP 64 0\n"),
                        MakeDegrees(2, 2)),
              "w.txt:3: found ALLTOALL_EP of gradients of weights, expected that of activations");
    EXPECT_EQ(RefusalOf(Read("model_parallel_NPU_group: 2",
                             "1\n moe -1 1 ALLGATHER_DP_EP 64 1 NONE 0 1 NONE 0 0\n"),
                        MakeDegrees(2, 2)),
              "w.txt:3: found ALLGATHER_DP_EP of activations, expected that of gradients of "
              "weights");
}

TEST(SimaiProgram, ExpertsHaveGroupsOfTheirOwn)
{
    const auto workload = Read("model_parallel_NPU_group: 1 ep: 4",
                               "1\n moe -1 1 ALLTOALL_EP 64 10 ALLTOALL_EP 65 100 "
                               "REDUCESCATTER_DP_EP 66 5\n");
    auto degrees = MakeDegrees(1, 2);
    degrees.ep = 4;
    const auto program = BuildSimaiProgram(workload, degrees);
    const auto text = Describe(*program);
    EXPECT_CONTAINS(text, "ep all-to-all 64 #0");
    EXPECT_CONTAINS(text, "ep all-to-all 65 #1");
    EXPECT_CONTAINS(text, "expert-fsdp reduce-scatter 66 #0");
    // Two of the four on a node: there first, then on the rail.
    degrees.gpusPerNode = 2;
    const auto spanning = Describe(*BuildSimaiProgram(workload, degrees));
    EXPECT_CONTAINS(spanning, "ep-local all-to-all 64 #0");
    EXPECT_CONTAINS(spanning, "ep all-to-all 64 #0");
}

} // namespace photonic
} // namespace ns3
