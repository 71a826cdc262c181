/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ring-case.h"

#include "stopwatch.h"

#include "ns3/core-module.h"
#include "ns3/static-circuit-plan.h"

#include <map>
#include <set>
#include <stdexcept>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

void
PresetRings(const ParallelPlan& plan, const TrainingFabric& fabric)
{
    std::map<uint32_t, std::vector<RankGroup>> rings; // by rail
    std::set<uint32_t> seen;
    for (uint32_t rank = 0; rank < plan.GetRanks(); rank++)
    {
        for (const auto& group : TrainingJobHelper::GetScaleOutGroups(plan, rank))
        {
            if (seen.insert(group.id).second)
            {
                rings[plan.GetRail(rank)].push_back(group);
            }
        }
    }
    for (const auto& [rail, groups] : rings)
    {
        fabric.circuitSwitches[rail]->Preset(
            PlanStaticCircuits(groups, [&](uint32_t rank, bool, uint32_t lane) {
                return fabric.GetSwitchPort(plan, rank, lane);
            }));
    }
}

} // namespace

RingCase::Result
RingCase::Run() const
{
    Result result;
    const Stopwatch setUp;
    ParallelPlan::Degrees degrees;
    degrees.tp = rings;
    degrees.fsdp = ranks;
    const ParallelPlan plan(degrees);

    TrainingFabricHelper fabrics;
    fabrics.SetPortLayout(
        PortLayout::Shared(DataRate(GPU_RATE), GPU_PORTS, PipelineLanes::ONE_PER_NEIGHBOUR));
    fabrics.GetPhotonic().SetDeviceAttribute("Mtu", UintegerValue(LINE_MTU));
    fabrics.GetPhotonic().SetSwitchAttribute("Radix", UintegerValue(ranks * GPU_PORTS));
    fabrics.GetElectrical().SetDeviceAttribute("Mtu", UintegerValue(LINE_MTU));
    const bool photonic = fabric == "photonic";
    const auto network =
        photonic ? fabrics.InstallPhotonic(plan) : fabrics.InstallElectricalIdeal(plan);
    if (photonic)
    {
        PresetRings(plan, network);
    }

    Operation allReduce;
    allReduce.slot = GroupSlot::FSDP;
    allReduce.parallelism = Parallelism::FSDP;
    allReduce.kind = CollectiveKind::ALL_REDUCE;
    allReduce.bytes = bytes;
    TrainingJobHelper helper(plan, {Create<StepProgram>(std::vector<Operation>{allReduce})});
    helper.SetSteps(steps);
    helper.SetFidelity(fidelity);
    auto job = helper.Install(network);
    result.setUpSeconds = setUp.GetProcessorSeconds();

    const Stopwatch run;
    Simulator::Run();
    result.wallSeconds = run.GetSeconds();
    result.seconds = run.GetProcessorSeconds();
    if (!job->IsFinished())
    {
        throw std::runtime_error(name + ": the job has not finished: " + job->GetFailure());
    }
    result.events = Simulator::GetEventCount();
    result.simulatedSeconds = Simulator::Now().GetSeconds();
    for (const auto* port : helper.GetPorts())
    {
        result.packets += port->GetPacketsReceived();
    }
    // A ring's step is a chunk to each side.
    result.messages = uint64_t(GetSources()) * 2 * (ranks - 1) * steps;
    Simulator::Destroy();
    job->Dispose();
    return result;
}

} // namespace photonic
} // namespace ns3
