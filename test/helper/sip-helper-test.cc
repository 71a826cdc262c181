/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "job/test-job.h"
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

/// @return one end of a transfer of so many full packets
Operation
MakeEnd(CollectiveKind kind, uint32_t peer, uint64_t packets, uint32_t counter, After after = {})
{
    const bool sends = kind == CollectiveKind::SEND;
    Operation o = MakeTransfer(sends ? "send" : "receive",
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

/// Three GPUs of an operator graph, of which the last two do not talk to each other.
std::vector<Ptr<const StepProgram>>
MakeGraph()
{
    using Kind = CollectiveKind;
    return {Create<StepProgram>(std::vector<Operation>{
                MakeCompute("a", MicroSeconds(5)),
                MakeEnd(Kind::RECEIVE, 2, 2, 1),
                MakeEnd(Kind::RECEIVE, 1, 4, 1),
                MakeEnd(Kind::SEND, 2, 8, 0, {{0, Part::WHOLE}}),
                MakeEnd(Kind::SEND, 1, 2, 0),
                MakeCompute("d", MicroSeconds(1), {{1, Part::RECEIVED}, {2, Part::RECEIVED}})}),
            Create<StepProgram>(
                std::vector<Operation>{MakeEnd(Kind::RECEIVE, 0, 2, 0),
                                       MakeCompute("b", MicroSeconds(2), {{0, Part::RECEIVED}}),
                                       MakeEnd(Kind::SEND, 0, 4, 1, {{1, Part::WHOLE}})}),
            Create<StepProgram>(
                std::vector<Operation>{MakeEnd(Kind::RECEIVE, 0, 8, 0),
                                       MakeCompute("c", MicroSeconds(1), {{0, Part::RECEIVED}}),
                                       MakeEnd(Kind::SEND, 0, 2, 1, {{1, Part::WHOLE}})})};
}

/// @return when a step of the graph ends, on a wavelength of one full packet per microsecond
Time
RunGraph(Fidelity fidelity, bool epochs)
{
    ParallelPlan::Degrees degrees{1, 3, 1, 1};
    degrees.graph = true;
    const ParallelPlan plan(degrees);
    const auto programs = MakeGraph();
    const auto traffic = CountJobTraffic(plan, programs);
    TrainingFabricHelper fabrics;
    fabrics.SetWdmAttribute("WavelengthRate", DataRateValue(DataRate(MICROSECOND_RATE)));
    fabrics.SetWdmAttribute("RetuningDelay", TimeValue(MicroSeconds(3)));
    fabrics.GetPhotonic().SetFibreAttribute("Delay", TimeValue(Time(0)));
    auto fabric = fabrics.InstallWdm(plan, traffic);
    fabric.wdm->Preset({{0, 1, 1}, {0, 2, 4}, {1, 0, 2}, {2, 0, 1}});
    TrainingJobHelper jobs(plan, programs);
    jobs.SetFidelity(fidelity);
    auto job = jobs.Install(fabric);
    if (epochs)
    {
        InstallSipController(fabric,
                             Create<SipRingStrategy>(WdmRing({3, 1, 2})),
                             NanoSeconds(1500));
    }
    Simulator::Run();
    EXPECT_TRUE(job->IsFinished());
    EXPECT_EQ(fabric.wdm->GetRetunes() > 0, epochs);
    const Time end = Simulator::Now();
    Simulator::Destroy();
    return end;
}

TEST(SipHelper, TransfersOfAnOperatorGraphUseTheCircuitsOfTheirPairs)
{
    // a ends at 5 us, its 8 packets to GPU 2 on 4 wavelengths at 7, c at 8, 2 packets back at 10,
    // d at 11. Meanwhile 2 packets to GPU 1 end at 2, b at 4, and 4 packets back at 6.
    for (const auto fidelity : {Fidelity::PACKET, Fidelity::MESSAGE})
    {
        EXPECT_EQ(RunGraph(fidelity, false), MicroSeconds(11));
    }
    EXPECT_EQ(RunGraph(Fidelity::PACKET, true), RunGraph(Fidelity::MESSAGE, true));
}

} // namespace
} // namespace photonic
} // namespace ns3
