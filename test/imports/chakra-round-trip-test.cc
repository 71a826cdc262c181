/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload/program-times.h"
#include "workload/workload-test-helper.h"

#include "ns3/chakra-export.h"
#include "ns3/chakra-file.h"
#include "ns3/chakra-import.h"
#include "ns3/phase-replay.h"
#include "ns3/step-program-builder.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <set>
#include <sstream>

namespace ns3
{
namespace photonic
{

namespace
{

using Programs = std::vector<Ptr<const StepProgram>>;

/**
 * @param program a program
 * @return its operations, with who waits for each, also for the order of streams. Of a mere receive
 *         there is nothing but what it receives.
 */
std::string
Tell(const StepProgram& program)
{
    const auto& operations = program.GetOperations();
    std::ostringstream os;
    for (uint32_t i = 0; i < operations.size(); ++i)
    {
        const Operation& o = operations[i];
        os << i << " " << ToString(o.slot) << " " << ToString(o.parallelism) << " "
           << (o.IsCompute() ? "compute" : ToString(o.kind)) << " " << o.bytes << "/"
           << o.receiveBytes << " " << o.counter << " " << o.duration.GetTimeStep() << " "
           << o.label << " <-";
        std::set<std::pair<uint32_t, bool>> dependents;
        for (const auto& d : program.GetDependents(i))
        {
            dependents.emplace(d.operation,
                               d.part == Operation::Dependency::Part::RECEIVED ||
                                   o.kind == CollectiveKind::RECEIVE);
        }
        for (const auto& [dependent, received] : dependents)
        {
            os << " " << dependent << (received ? "r" : "");
        }
        os << "\n";
    }
    return os.str();
}

/// Export programs, through the bytes of files where a build has them, and import them again.
Programs
GoRound(const Programs& programs, const ParallelPlan& plan, bool files)
{
    const ChakraExport exported(programs, plan);
    return BuildChakraPrograms("job", plan, exported.GetGroups(), [&](uint32_t rank) {
        auto trace = exported.GetTrace(rank);
        if (files)
        {
            std::stringstream bytes;
            WriteChakraTrace(bytes, trace);
            trace = ReadChakraTrace(bytes, "job");
        }
        return trace;
    });
}

void
ExpectSame(const Programs& programs, const ParallelPlan::Degrees& degrees, bool files = false)
{
    const ParallelPlan plan(degrees);
    const auto again = GoRound(programs, plan, files);
    ASSERT_EQ(again.size(), programs.size());
    for (std::size_t k = 0; k < programs.size(); ++k)
    {
        ASSERT_EQ(Tell(*again[k]), Tell(*programs[k])) << "stage " << k;
    }
    // Without a network in between, too.
    const ProgramTimes before(programs);
    const ProgramTimes after(again);
    EXPECT_EQ(after.left, 0U);
    EXPECT_EQ(after.starts, before.starts);
    EXPECT_EQ(after.ends, before.ends);
}

bool
HasFiles()
{
    try
    {
        RequireChakra();
    }
    catch (const std::invalid_argument&)
    {
        return false;
    }
    return true;
}

} // namespace

TEST(ChakraRoundTrip, KeepsGeneratedJobs)
{
    constexpr uint32_t seed = 21;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    const auto pick = [&random](auto... choices) {
        const std::vector values{choices...};
        return values[random() % values.size()];
    };
    uint32_t batched = 0;
    for (uint32_t trial = 0; trial < 60; ++trial)
    {
        auto plan =
            MakePlan(16, pick(1U, 2U), pick(1U, 2U, 3U, 4U), pick(1U, 2U, 3U), pick(2U, 4U));
        plan.degrees.dp = pick(1U, 2U);
        plan.schedule =
            pick(PipelineSchedule::ONE_F_ONE_B, PipelineSchedule::GPIPE, PipelineSchedule::ZB_H1);
        plan.recompute = pick(Recompute::NONE, Recompute::FULL);
        plan.sequenceParallel = pick(0, 1);
        plan.splitBackward = pick(0, 1);
        plan.communicationStreams = pick(CommunicationStreams::GROUP, CommunicationStreams::ONE);
        plan.gradientSync = pick(GradientSync::LAST, GradientSync::EVERY);
        SCOPED_TRACE("trial " + std::to_string(trial) + ", pp " + std::to_string(plan.degrees.pp));
        const auto programs = BuildStepPrograms(plan);
        for (const auto& o : programs[0]->GetOperations())
        {
            batched += o.kind == CollectiveKind::SEND_RECEIVE;
        }
        ExpectSame(programs, plan.degrees, HasFiles());
    }
    EXPECT_GT(batched, 20U);
}

TEST(ChakraRoundTrip, KeepsARingOfStages)
{
    auto plan = MakePlan(16, 2, 4, 2, 8);
    plan.degrees.interleave = 2;
    const auto programs = BuildStepPrograms(plan);
    ExpectSame(programs, plan.degrees);
    const ChakraExport exported(programs, ParallelPlan(plan.degrees));
    EXPECT_TRUE(IsChakraRing(exported.GetTrace(0), ParallelPlan(plan.degrees)));
    plan.degrees.interleave = 1;
    EXPECT_FALSE(
        IsChakraRing(ChakraExport(BuildStepPrograms(plan), ParallelPlan(plan.degrees)).GetTrace(0),
                     ParallelPlan(plan.degrees)));
    // Two stages have one pair, chunks or not.
    plan = MakePlan(16, 1, 2, 1, 4);
    plan.degrees.interleave = 2;
    ExpectSame(BuildStepPrograms(plan), plan.degrees);
}

TEST(ChakraRoundTrip, KeepsAReplayedStep)
{
    const auto plan = MakePlan(8, 1, 2, 2, 1);
    std::istringstream rows("step,pp_stage,phase,parallelism,collectives,start_ms,end_ms,bytes\n"
                            "1,0,0,fsdp,3,0,9,6000001\n1,0,1,pp,1,20,21,1001\n"
                            "1,1,0,fsdp,1,0,1,2000000\n1,1,1,pp,1,12,13,0\n");
    ExpectSame(BuildPhaseReplay(ReadPhaseTrace(rows, "rows"), 1, plan, 8e9).programs, plan.degrees);
}

TEST(ChakraRoundTrip, GoesThroughFiles)
{
    if (!HasFiles())
    {
        GTEST_SKIP() << "there are no protocol buffers";
    }
    namespace fs = std::filesystem;
    const fs::path place = fs::path(::testing::TempDir()) / "chakra-round-trip";
    fs::remove_all(place);
    fs::create_directories(place / "other");
    const auto job = MakePlan(4, 2, 2, 2, 2);
    const ParallelPlan plan(job.degrees);
    const auto programs = BuildStepPrograms(job);
    const std::string prefix = (place / "job").string();
    ChakraExport(programs, plan).Write(prefix);
    EXPECT_EQ(FindChakraPrefix(prefix), prefix);
    EXPECT_EQ(FindChakraPrefix(place.string()), prefix);
    EXPECT_EQ(FindChakraPrefix((place / "other").string()), "");
    EXPECT_EQ(FindChakraPrefix((place / "nothing").string()), "");
    const auto again = ImportChakra(prefix, plan);
    ASSERT_EQ(again.size(), 2U);
    EXPECT_EQ(Tell(*again[1]), Tell(*programs[1]));
    // Of another job.
    auto degrees = job.degrees;
    degrees.fsdp = 1;
    EXPECT_CONTAINS(GetRefusal([&] { ImportChakra(prefix, ParallelPlan(degrees)); }),
                    "job.4.et: the job has 4 ranks");
    degrees.fsdp = 4;
    EXPECT_CONTAINS(GetRefusal([&] { ImportChakra(prefix, ParallelPlan(degrees)); }), "job.0.et");
    fs::remove(place / "job.5.et");
    EXPECT_CONTAINS(GetRefusal([&] { ImportChakra(prefix, plan); }),
                    "job.5.et: cannot be read, or is empty");
    ChakraExport(programs, plan).Write((place / "also").string());
    EXPECT_CONTAINS(GetRefusal([&] { FindChakraPrefix(place.string()); }),
                    "has traces of several jobs");
    fs::remove(place / "job.groups.json");
    EXPECT_CONTAINS(GetRefusal([&] { ImportChakra(prefix, plan); }), "unknown process group '");
    EXPECT_THROW(ChakraExport(programs, plan).Write((place / "no" / "job").string()),
                 std::runtime_error);
    fs::remove_all(place);
}

} // namespace photonic
} // namespace ns3
