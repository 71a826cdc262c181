/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "training-job-helper.h"

#include "ns3/config.h"
#include "ns3/ipv4-address.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// Address in the headers of a port's packets: 10.0.0.0/8, 32 ports per rank.
uint32_t
PortAddress(uint32_t rank, uint32_t port)
{
    return Ipv4Address("10.0.0.0").Get() + rank * 32 + port + 1;
}

/// @return a number that changes while data arrive, or a switch or wavelengths turn
uint64_t
CountMovement(const std::vector<Ptr<MessageEndpoint>>& endpoints,
              const std::vector<Ptr<OpticalCircuitSwitch>>& switches,
              const Ptr<WdmFabric>& wdm)
{
    // Wavelengths turn only while something waits for them, and once they have it moves.
    uint64_t movement = wdm && wdm->IsRetuning() ? Simulator::Now().GetTimeStep() : 0;
    for (const auto& endpoint : endpoints)
    {
        movement += endpoint->GetArrived();
    }
    for (const auto& ocs : switches)
    {
        for (uint32_t port = 0; port < ocs->GetRadix(); port++)
        {
            // Its end is movement by itself; until then time goes on.
            movement += ocs->IsDark(port) ? Simulator::Now().GetTimeStep() : 0;
        }
    }
    return movement;
}

/// @return algorithms of a round of a cycle of matchings, whose members have both neighbours at
/// once
Ptr<const AlgorithmTable>
MakeRoundAlgorithms()
{
    auto table = Create<AlgorithmTable>();
    AlgorithmTable::Rule rule;
    rule.kind = CollectiveKind::ALL_TO_ALL;
    rule.algorithm = AlgorithmTable::FindAlgorithm("direct");
    table->Add(rule);
    return table;
}

} // namespace

TrainingJobHelper::TrainingJobHelper(const ParallelPlan& plan,
                                     std::vector<Ptr<const StepProgram>> programs)
    : m_plan(plan),
      m_programs(std::move(programs)),
      m_scaleUpLatency(NanoSeconds(500))
{
    m_endpointFactory.SetTypeId(MessageEndpoint::GetTypeId());
    m_jobFactory.SetTypeId(TrainingJob::GetTypeId());
    const auto& degrees = plan.GetDegrees();
    if (m_programs.size() != degrees.pp && m_programs.size() != degrees.pp * degrees.ep)
    {
        throw std::invalid_argument(std::to_string(m_programs.size()) + " programs for " +
                                    std::to_string(degrees.pp) + " pipeline stages and " +
                                    std::to_string(degrees.ep) + " expert parallel ranks");
    }
}

void
TrainingJobHelper::SetSteps(uint32_t steps)
{
    m_steps = steps;
}

void
TrainingJobHelper::SetScaleUp(DataRate rate, Time latency)
{
    m_scaleUpRate = rate;
    m_scaleUpLatency = latency;
}

void
TrainingJobHelper::SetScaleUpPackets(bool packets)
{
    m_scaleUpPackets = packets;
}

void
TrainingJobHelper::SetFidelity(Fidelity fidelity)
{
    m_fidelity = fidelity;
}

void
TrainingJobHelper::SetAcknowledgements(bool on)
{
    m_acknowledgements = on;
}

void
TrainingJobHelper::SetTransport(Ptr<const ReliableTransport> transport)
{
    m_transport = transport;
}

void
TrainingJobHelper::SetAnyOrder(bool on)
{
    m_anyOrder = on;
}

void
TrainingJobHelper::SetHostAhead(bool ahead)
{
    m_hostAhead = ahead;
}

void
TrainingJobHelper::SetAlgorithms(Ptr<const AlgorithmTable> algorithms)
{
    m_algorithms = algorithms;
}

void
TrainingJobHelper::SetScaleUpAlgorithms(Ptr<const AlgorithmTable> algorithms)
{
    m_scaleUpAlgorithms = algorithms;
}

void
TrainingJobHelper::SetGates(GateFactory gates)
{
    m_gates = std::move(gates);
}

void
TrainingJobHelper::SetEndpointAttribute(const std::string& name, const AttributeValue& value)
{
    m_endpointFactory.Set(name, value);
}

void
TrainingJobHelper::SetJobAttribute(const std::string& name, const AttributeValue& value)
{
    m_jobFactory.Set(name, value);
}

const std::vector<MessagePort*>&
TrainingJobHelper::GetPorts() const
{
    return m_ports;
}

std::vector<RankGroup>
TrainingJobHelper::GetScaleOutGroups(const ParallelPlan& plan, uint32_t rank)
{
    std::vector<RankGroup> groups;
    for (GroupSlot slot : TRAFFIC_SLOTS)
    {
        if (plan.HasGroup(rank, slot))
        {
            auto group = plan.GetGroup(rank, slot);
            if (!plan.IsScaleUp(group))
            {
                group.slot = slot;
                groups.push_back(std::move(group));
            }
        }
    }
    return groups;
}

std::unique_ptr<MessagePort>
TrainingJobHelper::CreatePort(MessageEndpoint& endpoint, Ptr<OpticalNetDevice> device) const
{
    switch (m_fidelity)
    {
    case Fidelity::PACKET: {
        const uint32_t address = PortAddress(endpoint.GetRank(), endpoint.GetNPorts());
        if (m_ofJob)
        {
            return std::make_unique<ReliablePort>(endpoint, device, address, m_ofJob);
        }
        auto port = std::make_unique<PacketPort>(endpoint, device, address);
        port->SetAcknowledgements(m_acknowledgements);
        port->SetAnyOrder(m_anyOrder);
        return port;
    }
    case Fidelity::MESSAGE:
        return std::make_unique<TrainPort>(endpoint, device);
    case Fidelity::COLLECTIVE:
        break;
    }
    // From port to port there are two fibres, with a switch of either kind between them.
    const Time fibre = DynamicCast<OpticalChannel>(device->GetChannel())->GetDelay();
    return SolvedPort::CreatePackets(endpoint, device->GetDataRate(), fibre * 2, device->GetMtu());
}

void
TrainingJobHelper::InstallScaleUp(const std::vector<Ptr<MessageEndpoint>>& endpoints,
                                  const TrainingFabric& fabric,
                                  Ptr<TrainingJob> job)
{
    std::map<uint32_t, std::vector<uint32_t>> nodes;
    for (uint32_t rank = 0; rank < m_plan.GetRanks(); rank++)
    {
        nodes[m_plan.GetNode(rank)].push_back(rank);
    }
    for (const auto& [node, ranks] : nodes)
    {
        for (uint32_t rank : ranks)
        {
            if (fabric.gpus.Get(rank)->GetSystemId() !=
                fabric.gpus.Get(ranks.front())->GetSystemId())
            {
                throw std::invalid_argument("ranks " + std::to_string(ranks.front()) + " and " +
                                            std::to_string(rank) +
                                            " are on one node and in different processes");
            }
        }
        if (m_fidelity == Fidelity::COLLECTIVE)
        {
            for (uint32_t rank : ranks)
            {
                endpoints[rank]->AddPort(
                    SolvedPort::CreateScaleUp(*endpoints[rank], m_scaleUpRate, m_scaleUpLatency));
            }
            continue;
        }
        if (!m_scaleUpPackets)
        {
            auto domain = CreateObjectWithAttributes<ScaleUpDomain>("DataRate",
                                                                    DataRateValue(m_scaleUpRate),
                                                                    "Latency",
                                                                    TimeValue(m_scaleUpLatency));
            job->AddScaleUpDomain(domain);
            for (uint32_t rank : ranks)
            {
                endpoints[rank]->AddPort(domain->CreatePort(endpoints[rank]));
            }
            continue;
        }
        if (fabric.wdm)
        {
            throw std::invalid_argument("scale-up packets go from port to port of one number: "
                                        "ranks with a port for each peer have several");
        }
        ElectricalRailHelper links;
        links.SetDeviceAttribute("DataRate", DataRateValue(m_scaleUpRate));
        links.SetFibreAttribute("Delay", TimeValue(m_scaleUpLatency / 2));
        links.SetSwitchSystem(fabric.gpus.Get(ranks.front())->GetSystemId());
        NodeContainer gpus;
        for (uint32_t rank : ranks)
        {
            gpus.Add(fabric.gpus.Get(rank));
        }
        const auto devices = links.Install(gpus, 1);
        for (uint32_t i = 0; i < ranks.size(); i++)
        {
            auto endpoint = endpoints[ranks[i]];
            endpoint->AddPort(
                std::make_unique<PacketPort>(*endpoint,
                                             DynamicCast<OpticalNetDevice>(devices.Get(i)),
                                             PortAddress(ranks[i], endpoint->GetNPorts())));
        }
    }
}

const Ptr<const StepProgram>&
TrainingJobHelper::GetProgram(uint32_t rank) const
{
    return m_programs[m_plan.GetProgramIndex(rank, m_programs.size())];
}

RankGroup
TrainingJobHelper::ShareList(RankGroup group)
{
    group.ranks = m_lists.emplace(group.id, group.ranks).first->second;
    return group;
}

Ptr<Communicator>
TrainingJobHelper::CreateCommunicator(GroupSlot slot,
                                      const RankGroup& group,
                                      Ptr<MessageEndpoint> endpoint,
                                      const TrainingFabric& fabric)
{
    auto communicator = CreateObject<Communicator>();
    if (slot == GroupSlot::MP)
    {
        ConfigureTransfers(*communicator, group, endpoint, fabric);
        return communicator;
    }
    const uint32_t scaleUpPort = fabric.ports[endpoint->GetRank()].size();
    communicator->Configure(group.id,
                            group.ranks,
                            endpoint,
                            m_plan.IsScaleUp(group)
                                ? std::vector<Communicator::Lane>{{scaleUpPort, scaleUpPort}}
                                : fabric.GetLanes(endpoint->GetRank(), group, slot));
    const bool inRounds = GetWholeSlot(slot) == GroupSlot::EP && m_plan.GetRounds() > 0;
    communicator->SetAlgorithms(m_plan.IsScaleUp(group) ? m_scaleUpAlgorithms
                                : inRounds              ? MakeRoundAlgorithms()
                                                        : m_algorithms);
    if (!m_plan.IsScaleUp(group) && (!fabric.circuitSwitches.empty() || fabric.wdm))
    {
        communicator->SetNeighboursOnly();
        JoinPeers(*communicator, slot, group, endpoint->GetRank(), fabric);
    }
    if (m_fidelity == Fidelity::COLLECTIVE)
    {
        auto& members = m_groups[group.id];
        if (!members)
        {
            members = Create<SolvedGroup>();
            members->ShareMemory(*m_groups.begin()->second);
        }
        communicator->SetGroup(members);
    }
    return communicator;
}

/// Where ports are for peers, a group that exchanges with all of them uses them all.
void
TrainingJobHelper::JoinPeers(Communicator& communicator,
                             GroupSlot slot,
                             const RankGroup& group,
                             uint32_t rank,
                             const TrainingFabric& fabric) const
{
    const auto& operations = GetProgram(rank)->GetOperations();
    if (!fabric.wdm || std::none_of(operations.begin(), operations.end(), [slot](const auto& o) {
            return o.slot == slot && o.kind == CollectiveKind::ALL_TO_ALL;
        }))
    {
        return;
    }
    for (uint32_t peer = 0; peer < group.ranks.size(); peer++)
    {
        auto lanes = group.ranks[peer] == rank ? std::vector<Communicator::Lane>()
                                               : fabric.GetPeerLanes(rank, group.ranks[peer]);
        if (!lanes.empty())
        {
            communicator.SetPeerLanes(peer, std::move(lanes));
        }
    }
}

void
TrainingJobHelper::ConfigureTransfers(Communicator& communicator,
                                      const RankGroup& group,
                                      Ptr<MessageEndpoint> endpoint,
                                      const TrainingFabric& fabric) const
{
    if (m_fidelity == Fidelity::COLLECTIVE)
    {
        throw std::invalid_argument("transfers of an operator graph are not collectives: expected "
                                    "packet or message fidelity");
    }
    const uint32_t rank = endpoint->GetRank();
    std::set<uint32_t> peers;
    for (const auto& o : GetProgram(rank)->GetOperations())
    {
        if (o.slot == GroupSlot::MP)
        {
            peers.insert(o.peer);
        }
    }
    std::map<uint32_t, std::vector<Communicator::Lane>> lanes;
    for (uint32_t peer : peers)
    {
        lanes[peer] = fabric.GetPeerLanes(rank, group.ranks[peer]);
        if (lanes[peer].empty())
        {
            throw std::invalid_argument("nothing joins ranks " + std::to_string(rank) + " and " +
                                        std::to_string(group.ranks[peer]) +
                                        ", between which there are transfers");
        }
    }
    communicator.Configure(group.id,
                           group.ranks,
                           endpoint,
                           lanes.empty() ? std::vector<Communicator::Lane>{{0, 0}}
                                         : lanes.begin()->second);
    for (auto& [peer, ofPeer] : lanes)
    {
        communicator.SetPeerLanes(peer, std::move(ofPeer));
    }
}

Ptr<TrainingJob>
TrainingJobHelper::Install(const TrainingFabric& fabric)
{
    auto job = m_jobFactory.Create<TrainingJob>();
    m_ofJob = nullptr;
    if (m_transport) // a job has one of its own, for its path
    {
        m_ofJob = CopyObject<ReliableTransport>(m_transport);
        job->AggregateObject(m_ofJob);
    }
    auto directory = Create<MessageDirectory>();
    std::vector<Ptr<MessageEndpoint>> endpoints;
    m_ports.clear();
    m_lists.clear();
    m_groups.clear();
    for (uint32_t rank = 0; rank < m_plan.GetRanks(); rank++)
    {
        auto endpoint = m_endpointFactory.Create<MessageEndpoint>();
        endpoint->SetRank(rank, directory);
        endpoint->SetFailureCallback(
            [job = PeekPointer(job)](const std::string& what) { job->Fail(what); });
        fabric.gpus.Get(rank)->AggregateObject(endpoint);
        for (const auto& device : fabric.ports[rank])
        {
            auto port = CreatePort(*endpoint, device);
            m_ports.push_back(port.get());
            endpoint->AddPort(std::move(port));
        }
        endpoints.push_back(endpoint);
    }
    InstallScaleUp(endpoints, fabric, job);
    for (const auto& relay : fabric.relays)
    {
        auto& endpoint = *endpoints[relay.rank];
        endpoint.AddPort(std::make_unique<RelayPort>(endpoint,
                                                     relay.nicPort,
                                                     relay.mate,
                                                     relay.mateIn,
                                                     relay.matePort));
    }
    job->SetMovement([endpoints, switches = fabric.circuitSwitches, wdm = fabric.wdm] {
        return CountMovement(endpoints, switches, wdm);
    });

    const Ptr<CollectiveGate> open = CreateObject<OpenGate>(); // has no state: one serves all
    // Ranks whose program and placement agree share the numbers of their gated operations.
    std::map<std::pair<Ptr<const StepProgram>, std::array<bool, GROUP_SLOTS>>,
             std::shared_ptr<const GateSequence>>
        sequences;
    for (uint32_t rank = 0; rank < m_plan.GetRanks(); rank++)
    {
        const auto& program = GetProgram(rank);
        auto application = CreateObject<RankApplication>();
        std::array<bool, GROUP_SLOTS> scaleOut{};
        for (GroupSlot slot : TRAFFIC_SLOTS)
        {
            if (m_plan.HasGroup(rank, slot))
            {
                application->SetCommunicator(
                    slot,
                    CreateCommunicator(slot,
                                       ShareList(m_plan.GetGroup(rank, slot)),
                                       endpoints[rank],
                                       fabric));
            }
        }
        auto scaleOutGroups = GetScaleOutGroups(m_plan, rank);
        for (auto& group : scaleOutGroups)
        {
            group = ShareList(group);
            scaleOut[static_cast<std::size_t>(group.slot)] = true;
        }
        auto& sequence = sequences[{program, scaleOut}];
        if (!sequence)
        {
            sequence = std::make_shared<GateSequence>(*program, scaleOut);
        }
        application->Configure(rank, program, sequence, m_gates ? m_gates(rank) : open);
        application->SetScaleOutGroups(std::move(scaleOutGroups));
        application->SetSteps(m_steps);
        application->SetHostAhead(m_hostAhead);
        fabric.gpus.Get(rank)->AddApplication(application);
        job->Add(application);
    }
    job->Initialize();
    // It is on no node: "/$ns3::photonic::TrainingJob" is its path.
    Config::RegisterRootNamespaceObject(job);
    Simulator::ScheduleDestroy(&Config::UnregisterRootNamespaceObject, Ptr<Object>(job));
    return job;
}

} // namespace photonic
} // namespace ns3
