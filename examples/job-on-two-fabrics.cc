/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * The job of photonic-job.cc on circuits, with switches that turn faster and slower, and on an
 * ideal packet switch per rail: what do circuits cost? Prints a table of step times.
 */
#include "ns3/boolean.h"
#include "ns3/opus-helper.h"
#include "ns3/simulator.h"
#include "ns3/step-program-builder.h"
#include "ns3/training-job-helper.h"

#include <iostream>
#include <optional>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// @param delay of a reconfiguration; none: packet switches @return when a step ends
Time
Run(std::optional<Time> delay)
{
    TrainingPlan plan;
    plan.model = TransformerModel::Load("gpt2");
    plan.sequenceLength = 1024;
    plan.microbatches = 4;
    plan.degrees.tp = plan.degrees.fsdp = plan.degrees.pp = plan.degrees.gpusPerNode = 2;
    const ParallelPlan parallel(plan.degrees);
    TrainingFabricHelper helper;
    helper.SetPortLayout(
        PortLayout::Shared(plan.gpu.scaleOut,
                           2,
                           delay ? PipelineLanes::ONE_PER_NEIGHBOUR : PipelineLanes::STRIPED));
    TrainingJobHelper jobHelper(parallel, BuildStepPrograms(plan));
    jobHelper.SetScaleUp(plan.gpu.scaleUp, NanoSeconds(500));
    OpusHelper opus;
    TrainingFabric fabric;
    if (delay)
    {
        helper.GetPhotonic().SetSwitchAttribute("ReconfigurationDelay", TimeValue(*delay));
        fabric = helper.InstallPhotonic(parallel);
        opus.SetShimAttribute("Provisioned", BooleanValue(false));
        opus.Install(parallel, fabric);
        jobHelper.SetGates([&opus](uint32_t rank) { return opus.GetShim(rank); });
    }
    else
    {
        fabric = helper.InstallElectricalIdeal(parallel);
    }
    const auto job = jobHelper.Install(fabric);
    Simulator::Run();
    const Time end = job->IsFinished() ? Simulator::Now() : Time::Max();
    Simulator::Destroy();
    return end;
}

} // namespace

int
main()
{
    Time::SetResolution(Time::PS);
    const Time packets = Run({});
    std::cout << "packet switches: " << packets.As(Time::MS) << std::endl;
    for (const Time& delay : {Time(0), MilliSeconds(1), MilliSeconds(10), MilliSeconds(25)})
    {
        const Time circuits = Run(delay);
        std::cout << "circuits, " << delay.As(Time::MS) << ": " << circuits.As(Time::MS) << ", "
                  << circuits.GetSeconds() / packets.GetSeconds() << " times as long" << std::endl;
    }
}
