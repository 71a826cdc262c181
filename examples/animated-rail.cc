/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * A tiny job on photonic rails for NetAnim: packets on circuits, messages of the control plane, and
 * switches that are red while they turn. A link says where its circuits lead. The first argument
 * names the file, animated-rail.xml if there is none. Prints how often circuits changed.
 */
#include "animated-light.h"

#include "ns3/boolean.h"
#include "ns3/opus-helper.h"
#include "ns3/opus-packet-path.h"
#include "ns3/simulator.h"
#include "ns3/step-program-builder.h"
#include "ns3/training-job-helper.h"

#include <iostream>

using namespace ns3;
using namespace ns3::photonic;

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    TransformerShape shape;
    shape.layers = 4;
    shape.hidden = shape.intermediate = 256;
    shape.heads = shape.kvHeads = 8;
    shape.headDim = 32;
    shape.vocabulary = 1000;
    TrainingPlan plan;
    plan.model = TransformerModel(shape);
    plan.sequenceLength = 256;
    plan.microbatches = 2;
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

    AnimatedLight light(parallel, fabric);
    const auto path = DynamicCast<OpusPacketPath>(opus.GetControlPath());
    AnimationInterface::SetConstantPosition(path->GetRouterNode(), 100, 20);
    AnimationInterface::SetConstantPosition(path->GetControllerNode(), 120, 20);
    AnimationInterface animation(argc > 1 ? argv[1] : "animated-rail.xml");
    light.Show(animation);
    animation.UpdateNodeDescription(path->GetRouterNode(), "front end");
    animation.UpdateNodeDescription(path->GetControllerNode(), "controller");

    Simulator::Run();
    std::cout << light.GetChanges() << " circuits came up or went down, "
              << opus.GetController()->GetReconfigurations() << " reconfigurations" << std::endl;
    Simulator::Destroy();
}
