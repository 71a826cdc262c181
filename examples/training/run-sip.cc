/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run-sip.h"

#include "options-quantity.h"

#include "ns3/job-traffic.h"
#include "ns3/sip-helper.h"
#include "ns3/sip-ocs-routes.h"
#include "ns3/sip-strategy.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

Ptr<const SipStrategy>
MakeStrategy(const Options& options, const ParallelPlan& plan)
{
    if (options.fabric == "sip-ocs")
    {
        return Create<SipOcsStrategy>(options.HasEpochs() ? SipOcsStrategy::Mode::PERIODIC
                                                          : SipOcsStrategy::Mode::ONE_SHOT,
                                      options.sipSwitches,
                                      options.wavelengths / options.sipSwitches);
    }
    const WdmRing ring({plan.GetRanks(),
                        options.sipRings,
                        options.wavelengths / options.sipRings / 2,
                        options.sipReach});
    const auto placement = options.placement == "rail" ? Placement::RAIL : Placement::RANK;
    return Create<SipRingStrategy>(ring, TrainingFabricHelper::GetOrder(plan, placement));
}

/// What the fabric is made of. Rings have a fibre pair from GPU to GPU, one for each ring.
void
Count(FabricInventory& inventory, const Options& options)
{
    const bool ring = options.fabric == "sip-ring";
    inventory.nicPorts = inventory.gpus * (ring ? options.sipRings : options.sipSwitches);
    inventory.transceivers = inventory.nicPorts;
    inventory.fibres = inventory.nicPorts;
    if (!ring)
    {
        inventory.circuitSwitches = options.sipSwitches;
        inventory.circuitSwitchPorts = inventory.nicPorts;
    }
}

} // namespace

TrainingFabric
BuildSip(TrainingFabricHelper& helper,
         const Options& options,
         const ParallelPlan& plan,
         const std::vector<Ptr<const StepProgram>>& programs)
{
    const bool ring = options.fabric == "sip-ring";
    if (ring)
    {
        // A GPU is on the ring itself; the way is in its segments.
        helper.GetPhotonic().SetFibreAttribute("Delay", TimeValue(Time(0)));
    }
    helper.SetWdmAttribute("Wavelengths", UintegerValue(options.wavelengths));
    helper.SetWdmAttribute("WavelengthRate", DataRateValue(DataRate(Options::WAVELENGTH_RATE)));
    helper.SetWdmAttribute("RetuningDelay", TimeValue(options.ocs.reconfigurationDelay));
    helper.SetWdmAttribute("Darkening", StringValue(ring ? "all" : "changed"));
    TrafficMatrix traffic(std::max(plan.GetRanks(), 2U));
    if (plan.GetNodes() > 1)
    {
        traffic = CountJobTraffic(plan, programs);
    }
    SipOcsRoutes routes{{}, traffic, 0};
    if (!ring && options.forwarding == "hosts")
    {
        routes = SipOcsRoutes::Find(traffic, options.sipSwitches);
    }
    const auto install = [&] {
        try
        {
            return helper.InstallWdm(plan, routes.links);
        }
        catch (const std::invalid_argument& refusal)
        {
            throw std::invalid_argument("--fabric=" + options.fabric + ": " + refusal.what());
        }
    };
    TrainingFabric fabric = install();
    for (const auto& detour : routes.detours)
    {
        std::vector<uint32_t> path = {detour.source};
        path.insert(path.end(), detour.hosts.begin(), detour.hosts.end());
        path.push_back(detour.destination);
        fabric.AddDetour(path);
    }
    fabric.forwardedBytes = routes.forwarded;
    if (traffic.GetMax() > 0)
    {
        try
        {
            fabric.wdm->Preset(MakeStrategy(options, plan)->Allocate(routes.links));
        }
        catch (const std::invalid_argument& refusal)
        {
            throw std::invalid_argument(
                (ring ? "--sipReach=" + std::to_string(options.sipReach)
                      : "--sipSwitches=" + std::to_string(options.sipSwitches)) +
                ": " + refusal.what());
        }
    }
    Count(fabric.inventory, options);
    return fabric;
}

void
BeginEpochs(const TrainingFabric& fabric, const Options& options, const ParallelPlan& plan)
{
    if (!options.HasEpochs() || plan.GetNodes() == 1)
    {
        return;
    }
    try
    {
        InstallSipController(fabric, MakeStrategy(options, plan), options.epoch);
    }
    catch (const std::invalid_argument& refusal)
    {
        throw std::invalid_argument(
            "--epoch=" + Quantity::Duration().Format(options.epoch.GetPicoSeconds()) + ": " +
            refusal.what());
    }
}

} // namespace photonic
} // namespace ns3
