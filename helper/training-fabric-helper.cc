/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "training-fabric-helper.h"

#include "ns3/partition.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// Each port of a rank has an address of 32, and one is the scale-up domain's.
constexpr std::size_t MAX_PEERS = 31;

} // namespace

uint32_t
TrainingFabric::GetSwitchPort(const ParallelPlan& plan, uint32_t rank, uint32_t nicPort) const
{
    // Ranks of a rail are cabled in the order of their nodes.
    return plan.GetNode(rank) * layout.ports.size() + nicPort;
}

std::vector<Communicator::Lane>
TrainingFabric::GetLanes(uint32_t rank, const RankGroup& group, GroupSlot slot) const
{
    if (portTo.empty())
    {
        return layout.GetLanes(slot);
    }
    const auto& ranks = group.ranks;
    const std::size_t n = ranks.size();
    const std::size_t at = std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
    std::vector<Communicator::Lane> ofGroup = {GetLaneTo(rank, ranks[(at + 1) % n])};
    if (n > 2)
    {
        ofGroup.push_back(GetLaneTo(rank, ranks[(at + n - 1) % n]));
    }
    return ofGroup;
}

Communicator::Lane
TrainingFabric::GetLaneTo(uint32_t rank, uint32_t peer) const
{
    if (!detours.empty())
    {
        const auto detour = detours.at(rank).find(peer);
        if (detour != detours[rank].end())
        {
            return detour->second;
        }
    }
    const auto out = portTo.at(rank).find(peer);
    if (out == portTo[rank].end())
    {
        throw std::invalid_argument("rank " + std::to_string(rank) + " has no port for rank " +
                                    std::to_string(peer));
    }
    return {out->second, portTo.at(peer).at(rank)};
}

std::vector<Communicator::Lane>
TrainingFabric::GetPeerLanes(uint32_t rank, uint32_t peer) const
{
    if (portTo.empty())
    {
        return layout.GetLanes(GroupSlot::MP);
    }
    const bool joined =
        portTo.at(rank).count(peer) > 0 || (!detours.empty() && detours.at(rank).count(peer) > 0);
    return joined ? std::vector<Communicator::Lane>{GetLaneTo(rank, peer)}
                  : std::vector<Communicator::Lane>();
}

void
TrainingFabric::AddDetour(const std::vector<uint32_t>& path)
{
    detours.resize(ports.size());
    const uint32_t last = path.size() - 1;
    const uint32_t in = portTo[path[last]].at(path[last - 1]);
    uint32_t out = portTo[path[last - 1]].at(path[last]);
    for (uint32_t i = last - 1; i-- > 0;)
    {
        const uint32_t rank = path[i];
        const uint32_t mate = path[i + 1];
        const auto others = std::count_if(relays.begin(), relays.end(), [rank](const Relay& relay) {
            return relay.rank == rank;
        });
        relays.push_back({rank, portTo[rank].at(mate), mate, portTo[mate].at(rank), out});
        out = ports[rank].size() + 1 + others;
    }
    detours[path[0]][path[last]] = {out, in};
    if (portTo[path[last]].count(path[0]) == 0)
    {
        // For receives, which use no port; who sends has a way back of its own.
        detours[path[last]].insert({path[0], {in, 0}});
    }
}

TrainingFabricHelper::TrainingFabricHelper()
    : m_layout(PortLayout::Shared(DataRate("400Gbps"), 2, PipelineLanes::ONE_PER_NEIGHBOUR))
{
    m_wdm.SetTypeId(WdmFabric::GetTypeId());
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
    m_electrical.SetSwitchSystem(ofSwitches);
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

PacketFabricHelper&
TrainingFabricHelper::GetPackets()
{
    return m_packets;
}

void
TrainingFabricHelper::SetSwitchTiers(const SwitchTiers& tiers)
{
    m_tiers = tiers;
}

SwitchTiers
TrainingFabricHelper::GetTiers() const
{
    SwitchTiers tiers = m_tiers;
    tiers.portsPerHost = m_layout.ports.size();
    return tiers;
}

TrainingFabric
TrainingFabricHelper::Start(const ParallelPlan& plan) const
{
    TrainingFabric fabric;
    fabric.layout = m_layout;
    for (uint32_t rank = 0; rank < plan.GetRanks(); rank++)
    {
        fabric.gpus.Add(CreateObject<Node>(m_systemOf ? m_systemOf(rank) : 0));
    }
    fabric.ports.resize(plan.GetRanks());
    auto& inventory = fabric.inventory;
    inventory.gpus = plan.GetRanks();
    inventory.nicPorts = plan.GetRanks() * m_layout.ports.size();
    return fabric;
}

template <typename Helper, typename Keep>
TrainingFabric
TrainingFabricHelper::Install(const ParallelPlan& plan, Helper& helper, Keep keep)
{
    TrainingFabric fabric = Start(plan);
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
    fabric.inventory.fibres = fabric.inventory.nicPorts;
    return fabric;
}

TrainingFabric
TrainingFabricHelper::InstallPhotonic(const ParallelPlan& plan)
{
    auto fabric = Install(plan, m_photonic, [](TrainingFabric& rails, Ptr<OpticalCircuitSwitch> s) {
        rails.circuitSwitches.push_back(s);
    });
    fabric.inventory.circuitSwitches = fabric.circuitSwitches.size();
    fabric.inventory.circuitSwitchPorts = fabric.inventory.nicPorts;
    fabric.inventory.transceivers = fabric.inventory.nicPorts;
    return fabric;
}

void
TrainingFabricHelper::SetWdmAttribute(const std::string& name, const AttributeValue& value)
{
    m_wdm.Set(name, value);
}

TrainingFabric
TrainingFabricHelper::InstallWdm(const ParallelPlan& plan, const TrafficMatrix& traffic)
{
    m_layout = PortLayout();
    TrainingFabric fabric = Start(plan);
    fabric.wdm = m_wdm.Create<WdmFabric>();
    CreateObject<Node>()->AggregateObject(fabric.wdm);
    fabric.portTo.resize(plan.GetRanks());
    for (const auto& demand : traffic.GetDemands())
    {
        fabric.portTo[demand.source][demand.destination] = 0;
        fabric.portTo[demand.destination][demand.source] = 0;
    }
    for (uint32_t rank = 0; rank < plan.GetRanks(); rank++)
    {
        if (IsRemote(fabric.gpus.Get(rank)))
        {
            throw std::invalid_argument("several processes cannot share wavelengths");
        }
        auto& ports = fabric.portTo[rank];
        if (ports.size() > MAX_PEERS)
        {
            throw std::invalid_argument("rank " + std::to_string(rank) + " talks to " +
                                        std::to_string(ports.size()) +
                                        " others: expected at most " + std::to_string(MAX_PEERS) +
                                        ", as many as it has ports with an address");
        }
        for (auto& [peer, port] : ports)
        {
            port = fabric.ports[rank].size();
            auto device = m_photonic.OpticalPortHelper::Install(fabric.gpus.Get(rank));
            fabric.wdm->Attach(rank, peer, DynamicCast<OpticalChannel>(device->GetChannel()));
            fabric.ports[rank].push_back(device);
        }
    }
    return fabric;
}

TrainingFabric
TrainingFabricHelper::InstallElectricalIdeal(const ParallelPlan& plan)
{
    auto fabric = Install(plan, m_electrical, [](TrainingFabric& rails, Ptr<PacketSwitch> s) {
        rails.packetSwitches.push_back(s);
    });
    fabric.inventory.packetSwitches = fabric.packetSwitches.size();
    fabric.inventory.tiers = 1;
    fabric.inventory.packetSwitchPorts = fabric.inventory.nicPorts;
    fabric.inventory.transceivers = 2 * fabric.inventory.nicPorts;
    return fabric;
}

int64_t
TrainingFabricHelper::AssignStreams(const TrainingFabric& fabric, int64_t stream)
{
    int64_t streams = 0;
    for (const auto& packetSwitch : fabric.packetSwitches)
    {
        streams += packetSwitch->AssignStreams(stream + streams);
    }
    return streams;
}

std::vector<uint32_t>
TrainingFabricHelper::GetOrder(const ParallelPlan& plan, Placement placement)
{
    std::vector<uint32_t> ranks(plan.GetRanks());
    std::iota(ranks.begin(), ranks.end(), 0);
    if (placement == Placement::RAIL)
    {
        std::stable_sort(ranks.begin(), ranks.end(), [&plan](uint32_t a, uint32_t b) {
            return plan.GetRail(a) < plan.GetRail(b);
        });
    }
    return ranks;
}

TrainingFabric
TrainingFabricHelper::InstallPackets(const ParallelPlan& plan,
                                     const SwitchTopology& topology,
                                     Placement placement)
{
    TrainingFabric fabric = Start(plan);
    const auto ranks = GetOrder(plan, placement);
    for (uint32_t rank : ranks)
    {
        if (IsRemote(fabric.gpus.Get(rank)))
        {
            throw std::invalid_argument("several processes cannot share switches with buffers");
        }
    }
    std::vector<PacketFabricHelper::Host> hosts;
    for (uint32_t rank : ranks)
    {
        for (uint32_t port = 0; port < m_layout.ports.size(); port++)
        {
            hosts.push_back({fabric.gpus.Get(rank), port});
        }
    }
    m_packets.SetPortRates(m_layout.ports);
    const auto devices = m_packets.Install(topology, hosts);
    for (uint32_t host = 0; host < hosts.size(); host++)
    {
        fabric.ports[ranks[host / m_layout.ports.size()]].push_back(devices[host]);
    }
    fabric.packetSwitches = m_packets.GetSwitches();
    fabric.inventory = PacketFabricHelper::Count(topology);
    fabric.inventory.gpus = plan.GetRanks();
    return fabric;
}

TrainingFabric
TrainingFabricHelper::InstallElectricalRail(const ParallelPlan& plan)
{
    const uint32_t rails = plan.GetRanks() / plan.GetNodes();
    return InstallPackets(
        plan,
        SwitchTopology::LeafSpine(rails, plan.GetNodes() * m_layout.ports.size(), GetTiers()),
        Placement::RAIL);
}

TrainingFabric
TrainingFabricHelper::InstallRailOnly(const ParallelPlan& plan)
{
    const uint32_t rails = plan.GetRanks() / plan.GetNodes();
    return InstallPackets(
        plan,
        SwitchTopology::Rails(rails, plan.GetNodes() * m_layout.ports.size(), GetTiers()),
        Placement::RAIL);
}

TrainingFabric
TrainingFabricHelper::InstallFatTree(const ParallelPlan& plan, Placement placement)
{
    return InstallPackets(
        plan,
        SwitchTopology::FatTree(plan.GetRanks() * m_layout.ports.size(), GetTiers()),
        placement);
}

} // namespace photonic
} // namespace ns3
