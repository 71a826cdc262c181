/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run-fabric.h"

#include "run-sip.h"

#include "ns3/boolean.h"
#include "ns3/group-circuits.h"
#include "ns3/static-circuit-plan.h"
#include "ns3/string.h"
#include "ns3/training-job-helper.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <map>
#include <set>

namespace ns3
{
namespace photonic
{

namespace
{

/// @return groups of a rank that leave the node, but those of the pipeline
std::vector<GroupSlot>
GetRings(const ParallelPlan& plan)
{
    std::vector<GroupSlot> rings;
    for (const auto& group : TrainingJobHelper::GetScaleOutGroups(plan, 0))
    {
        if (!IsPipeline(group.slot) && group.slot != GroupSlot::MP)
        {
            rings.push_back(group.slot);
        }
    }
    return rings;
}

TrainingFabric
BuildIdeal(TrainingFabricHelper& helper, const Options& options, const ParallelPlan& plan)
{
    const DataRate rate = options.plan.gpu.scaleOut;
    helper.SetPortLayout(options.dedicatedLinks
                             ? PortLayout::Dedicated(rate, options.nicPorts, GetRings(plan))
                             : PortLayout::Shared(rate, options.nicPorts, PipelineLanes::STRIPED));
    return helper.InstallElectricalIdeal(plan);
}

/// A fabric of switches with finite buffers.
TrainingFabric
BuildPackets(TrainingFabricHelper& helper, const Options& options, const ParallelPlan& plan)
{
    auto& packets = helper.GetPackets();
    packets.SetSwitchAttribute("Latency", TimeValue(options.switchLatency));
    packets.SetSwitchAttribute("Mtu", UintegerValue(options.mtu));
    packets.SetSwitchAttribute("LoadBalancing", StringValue(options.loadBalancing));
    packets.SetHashSeed(options.seed);
    const double scale = options.GetDcqcnScale(); // as long a queue, in time, at any rate
    packets.SetSwitchAttribute("EcnKmin", UintegerValue(std::llround(5000 * scale)));
    packets.SetSwitchAttribute("EcnKmax", UintegerValue(std::llround(200000 * scale)));
    auto tiers = options.switchTiers;
    tiers.radix *= options.nicPorts;
    helper.SetSwitchTiers(tiers);
    helper.SetPortLayout(
        PortLayout::Shared(options.plan.gpu.scaleOut, options.nicPorts, PipelineLanes::STRIPED));
    TrainingFabric fabric;
    if (options.fabric == "electrical-rail")
    {
        fabric = helper.InstallElectricalRail(plan);
    }
    else if (options.fabric == "rail-only")
    {
        fabric = helper.InstallRailOnly(plan);
    }
    else
    {
        fabric =
            helper.InstallFatTree(plan,
                                  options.placement == "rail" ? Placement::RAIL : Placement::RANK);
    }
    packets.AssignStreams(0);
    return fabric;
}

/// Put circuits in place that stay for the whole job.
void
PresetOneShot(const TrainingFabric& fabric, const ParallelPlan& plan)
{
    std::map<uint32_t, std::vector<RankGroup>> groups; // by rail
    std::set<uint32_t> seen;
    for (uint32_t rank = 0; rank < plan.GetRanks(); rank++)
    {
        for (auto& group : TrainingJobHelper::GetScaleOutGroups(plan, rank))
        {
            if (seen.insert(group.id).second)
            {
                groups[plan.GetRail(rank)].push_back(std::move(group));
            }
        }
    }
    for (const auto& [rail, ofRail] : groups)
    {
        const auto circuits =
            PlanStaticCircuits(ofRail, [&](uint32_t rank, bool pipeline, uint32_t lane) {
                const GroupSlot slot = pipeline ? GroupSlot::PP : GroupSlot::FSDP;
                return fabric.GetSwitchPort(plan,
                                            rank,
                                            fabric.layout.GetLanes(slot)[lane].localPort);
            });
        fabric.circuitSwitches[rail]->Preset(circuits);
    }
}

TrainingFabric
BuildPhotonic(TrainingFabricHelper& helper,
              const Options& options,
              const ParallelPlan& plan,
              const std::vector<Ptr<const StepProgram>>& programs)
{
    const DataRate rate = options.plan.gpu.scaleOut;
    helper.GetPhotonic().SetTechnology(options.ocs);
    helper.GetPhotonic().SetSwitchAttribute("DrainAll", BooleanValue(options.drainAll));
    if (options.acknowledgements)
    {
        // A receiver is done, and may turn its port, before its acknowledgement has left.
        helper.GetPhotonic().SetSwitchAttribute("InFlightPolicy",
                                                StringValue("drain-current-packet"));
    }
    if (options.control != "one-shot")
    {
        helper.SetPortLayout(
            PortLayout::Shared(rate, options.nicPorts, PipelineLanes::ONE_PER_NEIGHBOUR));
        return helper.InstallPhotonic(plan);
    }
    const bool dimensions = options.staticSplit == "dimensions";
    const auto [ring, pipeline] =
        CountScaleOutBytes(plan, programs, dimensions ? TrafficCount::SIZES : TrafficCount::SENT);
    const auto lanes = StaticLanes::Plan(rate, ring, pipeline);
    const DataRate pipelineLane =
        dimensions ? DataRate(2 * lanes.pipeline.GetBitRate()) : lanes.pipeline;
    helper.SetPortLayout(PortLayout::Split(lanes.ring, pipelineLane));
    auto fabric = helper.InstallPhotonic(plan);
    PresetOneShot(fabric, plan);
    return fabric;
}

} // namespace

TrainingFabric
BuildFabric(const Options& options,
            const ParallelPlan& plan,
            const std::vector<Ptr<const StepProgram>>& programs,
            const std::function<uint32_t(uint32_t)>& processOf)
{
    TrainingFabricHelper helper;
    for (auto* ports : std::initializer_list<OpticalPortHelper*>{&helper.GetPhotonic(),
                                                                 &helper.GetElectrical(),
                                                                 &helper.GetPackets()})
    {
        ports->SetDeviceAttribute("Mtu", UintegerValue(options.mtu));
    }
    helper.SetPartition(processOf, 0);
    if (options.fabric == "photonic")
    {
        return BuildPhotonic(helper, options, plan, programs);
    }
    if (options.IsSip())
    {
        return BuildSip(helper, options, plan, programs);
    }
    return options.HasBuffers() ? BuildPackets(helper, options, plan)
                                : BuildIdeal(helper, options, plan);
}

} // namespace photonic
} // namespace ns3
