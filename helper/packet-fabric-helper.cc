/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "packet-fabric-helper.h"

#include "ns3/node.h"
#include "ns3/shortest-path-forwarding.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

PacketFabricHelper::PacketFabricHelper()
{
    m_switchFactory.SetTypeId("ns3::photonic::SharedBufferSwitch");
}

void
PacketFabricHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchFactory.Set(name, value);
}

void
PacketFabricHelper::SetHashSeed(uint32_t seed)
{
    m_hashSeed = seed;
}

std::vector<Ptr<OpticalNetDevice>>
PacketFabricHelper::Install(const SwitchTopology& topology, const std::vector<Host>& hosts)
{
    if (hosts.size() != topology.hosts.size())
    {
        throw std::invalid_argument("a fabric for " + std::to_string(topology.hosts.size()) +
                                    " host ports was given " + std::to_string(hosts.size()));
    }
    m_switches.clear();
    for (uint32_t s = 0; s < topology.tiers.size(); s++)
    {
        auto packetSwitch = m_switchFactory.Create<PacketSwitch>();
        // Seeds of neighbours differ, and so do those of fabrics with other seeds.
        packetSwitch->SetAttribute("EcmpSeed", UintegerValue((m_hashSeed * 65537 + s) | 1u << 31));
        CreateObject<Node>()->AggregateObject(packetSwitch);
        m_switches.push_back(packetSwitch);
    }
    std::vector<Ptr<OpticalNetDevice>> devices;
    for (uint32_t host = 0; host < hosts.size(); host++)
    {
        auto device = InstallPort(hosts[host].node, hosts[host].port);
        device->SetAddress(MakeHostAddress(host));
        m_switches[topology.hosts[host]]->Attach(DynamicCast<OpticalChannel>(device->GetChannel()),
                                                 device->GetDataRate());
        devices.push_back(device);
    }
    for (const auto& link : topology.links)
    {
        auto fibre = CreateFibre();
        for (uint32_t s : {link.lower, link.upper})
        {
            m_switches[s]->Attach(fibre, devices.front()->GetDataRate());
        }
    }
    InstallShortestPaths(m_switches);
    return devices;
}

const std::vector<Ptr<PacketSwitch>>&
PacketFabricHelper::GetSwitches() const
{
    return m_switches;
}

int64_t
PacketFabricHelper::AssignStreams(int64_t stream)
{
    int64_t streams = 0;
    for (const auto& packetSwitch : m_switches)
    {
        streams += packetSwitch->AssignStreams(stream + streams);
    }
    return streams;
}

FabricInventory
PacketFabricHelper::Count(const SwitchTopology& topology)
{
    FabricInventory inventory;
    inventory.nicPorts = topology.hosts.size();
    inventory.packetSwitches = topology.tiers.size();
    inventory.tiers = 1 + *std::max_element(topology.tiers.begin(), topology.tiers.end());
    inventory.oversubscription = topology.oversubscription;
    inventory.packetSwitchPorts = topology.hosts.size() + 2 * topology.links.size();
    inventory.fibres = topology.hosts.size() + topology.links.size();
    inventory.transceivers = 2 * inventory.fibres;
    return inventory;
}

} // namespace photonic
} // namespace ns3
