/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "training-fabric-helper.h"

#include "ns3/partition.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

uint32_t
TrainingFabric::GetSwitchPort(const ParallelPlan& plan, uint32_t rank, uint32_t nicPort) const
{
    // Ranks of a rail are cabled in the order of their nodes.
    return plan.GetNode(rank) * layout.ports.size() + nicPort;
}

TrainingFabricHelper::TrainingFabricHelper()
    : m_layout(PortLayout::Shared(DataRate("400Gbps"), 2, PipelineLanes::ONE_PER_NEIGHBOUR))
{
}

void
TrainingFabricHelper::SetPortLayout(const PortLayout& layout)
{
    m_layout = layout;
}

void
TrainingFabricHelper::SetPartition(std::function<uint32_t(uint32_t)> ofRank, uint32_t ofSwitches)
{
    m_systemOf = std::move(ofRank);
    m_photonic.SetSwitchSystem(ofSwitches);
}

PhotonicRailHelper&
TrainingFabricHelper::GetPhotonic()
{
    return m_photonic;
}

ElectricalRailHelper&
TrainingFabricHelper::GetElectrical()
{
    return m_electrical;
}

template <typename Helper, typename Keep>
TrainingFabric
TrainingFabricHelper::Install(const ParallelPlan& plan, Helper& helper, Keep keep)
{
    TrainingFabric fabric;
    fabric.layout = m_layout;
    for (uint32_t rank = 0; rank < plan.GetRanks(); rank++)
    {
        fabric.gpus.Add(CreateObject<Node>(m_systemOf ? m_systemOf(rank) : 0));
    }
    fabric.ports.resize(plan.GetRanks());
    helper.SetPortRates(m_layout.ports);
    const uint32_t portsPerGpu = m_layout.ports.size();
    const uint32_t rails = plan.GetRanks() / plan.GetNodes();
    for (uint32_t rail = 0; rail < rails && portsPerGpu > 0; rail++)
    {
        std::vector<uint32_t> ranks;
        NodeContainer gpus;
        for (uint32_t rank = 0; rank < plan.GetRanks(); rank++)
        {
            if (plan.GetRail(rank) == rail)
            {
                ranks.push_back(rank);
                gpus.Add(fabric.gpus.Get(rank));
            }
        }
        const auto devices = helper.Install(gpus, portsPerGpu);
        for (uint32_t i = 0; i < devices.GetN(); i++)
        {
            fabric.ports[ranks[i / portsPerGpu]].push_back(
                DynamicCast<OpticalNetDevice>(devices.Get(i)));
        }
        keep(fabric, helper.GetSwitch());
    }
    return fabric;
}

TrainingFabric
TrainingFabricHelper::InstallPhotonic(const ParallelPlan& plan)
{
    return Install(plan, m_photonic, [](TrainingFabric& fabric, Ptr<OpticalCircuitSwitch> s) {
        fabric.circuitSwitches.push_back(s);
    });
}

TrainingFabric
TrainingFabricHelper::InstallElectricalIdeal(const ParallelPlan& plan)
{
    if (IsDistributed() && m_systemOf)
    {
        throw std::invalid_argument("several processes cannot share a fabric of packet switches");
    }
    return Install(plan, m_electrical, [](TrainingFabric& fabric, Ptr<PacketSwitch> s) {
        fabric.packetSwitches.push_back(s);
    });
}

} // namespace photonic
} // namespace ns3
