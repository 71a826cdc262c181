/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus/opus-mini-job.h"

#include "ns3/boolean.h"
#include "ns3/collective-gate.h"
#include "ns3/opus-packet-path.h"
#include "ns3/uinteger.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <stdexcept>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

ParallelPlan
Plan()
{
    ParallelPlan::Degrees degrees;
    degrees.pp = 2;
    degrees.fsdp = 2;
    return ParallelPlan(degrees);
}

} // namespace

TEST(OpusHelper, BuildsThePathsThatItNames)
{
    OpusHelper opus;
    EXPECT_THROW(opus.SetControlPath("pigeons"), std::invalid_argument);
    EXPECT_THROW(opus.SetControlPathAttribute("ControlDelays", TimeValue(MicroSeconds(5))),
                 std::invalid_argument);
    opus.SetControlPathAttribute("ControlDelay", TimeValue(MicroSeconds(5)));
    OpusTestRail rail(4, MilliSeconds(1));
    std::vector<OpusHelper::Rank> ranks;
    for (uint32_t rank : {0, 1})
    {
        ranks.push_back({rank, CreateObject<Node>(), {rank, 0, {2 * rank, 2 * rank + 1}}});
    }
    for (const char* name : {"packets", "delay", "instant"})
    {
        opus.SetControlPath(name);
        opus.Install(ranks, {{0, rail.ocs}});
        EXPECT_EQ(opus.GetControlPath()->TakesTime(), std::string(name) != "instant");
        EXPECT_NE(opus.GetShim(1), nullptr);
        EXPECT_THROW(opus.GetShim(2), std::invalid_argument);
        EXPECT_EQ(opus.DescribePending(), "");
        TimeValue delay;
        if (opus.GetControlPath()->GetAttributeFailSafe("ControlDelay", delay))
        {
            EXPECT_EQ(delay.Get(), MicroSeconds(5));
        }
    }
    Simulator::Destroy();
}

TEST(OpusHelper, LoadedProfileEqualsTheLearnedOneAndNeedsNoProfilingSteps)
{
    const auto plan = Plan();
    const OpusRandomPrograms programs(plan, 11, 30);
    auto programOf = [&](uint32_t, uint32_t rank) -> const auto& { return programs.Get(rank); };
    const std::string file = ::testing::TempDir() + "photonic-rails-opus-helper-test.txt";
    {
        OpusHelper opus;
        OpusMiniJob job(plan, opus, MicroSeconds(50), programOf, 4);
        EXPECT_EQ(opus.GetShim(0)->GetProfilingSteps(), 3U);
        EXPECT_FALSE(opus.HasProfile());
        EXPECT_THROW(opus.CollectProfile("job"), std::logic_error);
        job.Run();
        ASSERT_TRUE(opus.HasProfile());
        const auto profile = opus.CollectProfile("job");
        EXPECT_EQ(profile.GetRanks(), 4U);
        EXPECT_EQ(profile.GetDistinctSequences(), 2U); // one per stage
        profile.Save(file);
        Simulator::Destroy();
    }
    OpusHelper opus;
    OpusMiniJob job(plan, opus, MicroSeconds(50), programOf, 2);
    PhaseProfile other("other");
    EXPECT_THROW(opus.LoadProfile(other), std::invalid_argument);
    opus.LoadProfile(PhaseProfile::Load(file, "job"));
    EXPECT_EQ(opus.GetShim(0)->GetProfilingSteps(), 0U);
    job.Run();
    EXPECT_EQ(job.mispredictions, 0U);
    EXPECT_EQ(job.recalls, 0U);
    std::remove(file.c_str());
    Simulator::Destroy();
}

TEST(OpenGate, LetsEverythingPassAtOnce)
{
    auto gate = CreateObject<OpenGate>();
    EXPECT_EQ(OpenGate::GetTypeId().GetParent(), CollectiveGate::GetTypeId());
    const Cause cause = Cause().AfterReconfiguration(3);
    const GatedOperation operation{0, 0, 1, 0, GroupSlot::FSDP};
    uint64_t calls = 0;
    gate->Register({}, [&](const Cause& c) { calls += 1 + c.GetReconfigurations(); });
    gate->BeginStep(0, cause, [&](const Cause& c) { calls += 10 * c.GetReconfigurations(); });
    gate->Enter(operation, cause, [&](const Cause& c) { calls += 100 * c.GetReconfigurations(); });
    gate->Leave(operation, cause);
    gate->EndStep(0, cause);
    EXPECT_EQ(calls, 111U);
    EXPECT_EQ(gate->DescribeWaiting(), "");
}
