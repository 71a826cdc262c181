/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * A training job on photonic rails: GPT-2 on 8 GPUs, tensor parallel inside nodes of two, data
 * parallel and pipelined between them. Every message between nodes is simulated packet by packet,
 * and Opus turns the circuits on demand. Prints the step time and what the switches did.
 */
#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/opus-helper.h"
#include "ns3/simulator.h"
#include "ns3/step-program-builder.h"
#include "ns3/training-job-helper.h"

#include <iostream>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

void
StepDone(const StepRecord& record)
{
    if (record.rank == 0)
    {
        std::cout << "step " << record.step << " of rank 0 ends at "
                  << Simulator::Now().As(Time::MS) << std::endl;
    }
}

} // namespace

int
main()
{
    Time::SetResolution(Time::PS);
    TrainingPlan plan;
    plan.model = TransformerModel::Load("gpt2");
    plan.sequenceLength = 1024;
    plan.microbatches = 4;
    plan.degrees.tp = plan.degrees.fsdp = plan.degrees.pp = plan.degrees.gpusPerNode = 2;
    const ParallelPlan parallel(plan.degrees);

    TrainingFabricHelper fabricHelper;
    fabricHelper.GetPhotonic().SetTechnology(OcsTechnology::Get("silicon-photonics"));
    fabricHelper.SetPortLayout(
        PortLayout::Shared(plan.gpu.scaleOut, 2, PipelineLanes::ONE_PER_NEIGHBOUR));
    const auto fabric = fabricHelper.InstallPhotonic(parallel);
    OpusHelper opus;
    opus.SetShimAttribute("Provisioned", BooleanValue(false)); // on demand
    opus.Install(parallel, fabric);
    TrainingJobHelper jobHelper(parallel, BuildStepPrograms(plan));
    jobHelper.SetScaleUp(plan.gpu.scaleUp, NanoSeconds(500));
    jobHelper.SetGates([&opus](uint32_t rank) { return opus.GetShim(rank); });
    const auto job = jobHelper.Install(fabric);
    Config::ConnectWithoutContext("/$ns3::photonic::TrainingJob/Step", MakeCallback(&StepDone));

    Simulator::Run();
    std::cout << "reconfigurations: " << opus.GetController()->GetReconfigurations() << std::endl;
    for (const auto& ocs : fabric.circuitSwitches)
    {
        std::cout << "ports dark for " << ocs->GetDarkTime().As(Time::MS) << " in all, "
                  << ocs->GetLostPackets() << " packets lost" << std::endl;
    }
    Simulator::Destroy();
}
