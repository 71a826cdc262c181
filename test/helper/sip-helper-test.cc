/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload/workload-test-helper.h"

#include "ns3/job-traffic.h"
#include "ns3/sip-helper.h"
#include "ns3/step-program-builder.h"
#include "ns3/string.h"
#include "ns3/training-job-helper.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace photonic
{
namespace
{

TEST(SipHelper, DarknessThatIsLongerThanTheWatchdogsPatienceIsMovement)
{
    // All of a step's traffic, but for what the first epoch carries, waits for 5 ms in the dark.
    TrainingPlan plan = MakePlan(4, 1, 1, 4, 1);
    plan.sequenceLength = 512;
    const auto programs = BuildStepPrograms(plan);
    const ParallelPlan ranks(plan.degrees);
    const auto traffic = CountJobTraffic(ranks, programs);
    const auto strategy = Create<SipRingStrategy>(WdmRing({4, 1, 1}));
    for (const bool patient : {true, false})
    {
        TrainingFabricHelper fabrics;
        fabrics.SetWdmAttribute("Wavelengths", UintegerValue(2));
        fabrics.SetWdmAttribute("RetuningDelay", TimeValue(MilliSeconds(5)));
        auto fabric = fabrics.InstallWdm(ranks, traffic);
        if (patient) // or the first epoch has no light, and nobody who would ever give some
        {
            fabric.wdm->Preset(strategy->Allocate(traffic));
        }
        TrainingJobHelper jobs(ranks, programs);
        jobs.SetJobAttribute("StallTimeout", TimeValue(MilliSeconds(1)));
        auto job = jobs.Install(fabric);
        if (patient)
        {
            InstallSipController(fabric, strategy, MicroSeconds(3));
        }
        Simulator::Run();
        EXPECT_EQ(job->IsFinished(), patient);
        EXPECT_EQ(fabric.wdm->GetRetunes() > 0, patient);
        Simulator::Destroy();
    }
}

} // namespace
} // namespace photonic
} // namespace ns3
