/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus-helper.h"

#include "ns3/opus-packet-path.h"
#include "ns3/partition.h"
#include "ns3/point-to-point-helper.h"

#include <set>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

bool
HasAttribute(TypeId type, const std::string& name)
{
    TypeId::AttributeInformation information;
    return type.LookupAttributeByName(name, &information);
}

} // namespace

OpusHelper::OpusHelper()
{
    m_controller.SetTypeId(OpusController::GetTypeId());
    m_shim.SetTypeId(OpusShim::GetTypeId());
    SetControlPath("packets");
}

void
OpusHelper::SetControlPath(const std::string& name)
{
    if (name == "packets")
    {
        m_path.SetTypeId(OpusPacketPath::GetTypeId());
    }
    else if (name == "delay")
    {
        m_path.SetTypeId(OpusDelayPath::GetTypeId());
    }
    else if (name == "instant")
    {
        m_path.SetTypeId(OpusInstantPath::GetTypeId());
    }
    else
    {
        throw std::invalid_argument("control path \"" + name +
                                    "\" is not one of packets, delay, instant");
    }
}

void
OpusHelper::SetControlPathAttribute(const std::string& name, const AttributeValue& value)
{
    if (!HasAttribute(OpusPacketPath::GetTypeId(), name) &&
        !HasAttribute(OpusDelayPath::GetTypeId(), name) &&
        !HasAttribute(OpusInstantPath::GetTypeId(), name))
    {
        throw std::invalid_argument("no control path has an attribute \"" + name + "\"");
    }
    m_pathAttributes.emplace_back(name, value.Copy());
}

void
OpusHelper::SetControllerAttribute(const std::string& name, const AttributeValue& value)
{
    m_controller.Set(name, value);
}

void
OpusHelper::SetCircuitScheduler(const std::string& type)
{
    m_scheduler = CircuitScheduler::ParseFactory(type);
}

void
OpusHelper::SetShimAttribute(const std::string& name, const AttributeValue& value)
{
    m_shim.Set(name, value);
}

void
OpusHelper::SetFailure(OpusControlPath::Failure failure)
{
    m_failure = std::move(failure);
}

void
OpusHelper::Install(const ParallelPlan& plan, const TrainingFabric& fabric)
{
    std::vector<Rank> ranks;
    for (uint32_t rank = 0; rank < plan.GetRanks(); rank++)
    {
        OpusCabling cabling;
        cabling.rail = plan.GetRail(rank);
        cabling.domain = plan.GetNode(rank);
        cabling.ports = {fabric.GetSwitchPort(plan, rank, 0), fabric.GetSwitchPort(plan, rank, 1)};
        ranks.push_back({rank, fabric.gpus.Get(rank), cabling});
    }
    std::map<uint32_t, Ptr<OpticalCircuitSwitch>> rails;
    for (uint32_t rail = 0; rail < fabric.circuitSwitches.size(); rail++)
    {
        rails[rail] = fabric.circuitSwitches[rail];
    }
    Install(ranks, rails);
}

void
OpusHelper::Install(const std::vector<Rank>& ranks,
                    const std::map<uint32_t, Ptr<OpticalCircuitSwitch>>& rails)
{
    m_installedPath = m_path.Create<OpusControlPath>();
    for (const auto& nameAndValue : m_pathAttributes)
    {
        if (HasAttribute(m_path.GetTypeId(), nameAndValue.first))
        {
            m_installedPath->SetAttribute(nameAndValue.first, *nameAndValue.second);
        }
    }
    m_installedPath->SetFailure(m_failure);
    m_installedController = m_controller.Create<OpusController>();
    if (m_scheduler.IsTypeIdSet())
    {
        m_installedController->SetAttribute("Scheduler", ObjectFactoryValue(m_scheduler));
    }
    m_installedController->SetControlPath(m_installedPath);
    for (const auto& railAndSwitch : rails)
    {
        m_installedController->SetRail(railAndSwitch.first, railAndSwitch.second);
    }
    std::map<uint32_t, Ptr<Node>> nodes;
    for (const auto& rank : ranks)
    {
        m_installedController->SetCabling(rank.rank, rank.cabling);
        auto shim = m_shim.Create<OpusShim>();
        shim->SetControlPath(rank.rank, m_installedPath);
        // For people only: a rank that waits does not know for whom.
        shim->SetInquiry([controller = m_installedController](const OpusKey& key) {
            return controller->Describe(key);
        });
        m_shims[rank.rank] = shim;
        nodes[rank.rank] = rank.node;
    }
    const uint32_t system = GetSystem(rails);
    if (auto packets = DynamicCast<OpusPacketPath>(m_installedPath))
    {
        packets->SetSystem(system);
        packets->Build(nodes);
    }
    const auto home = GetHome(rails);
    if (home && !home->GetObject<OpusController>())
    {
        home->AggregateObject(m_installedController);
    }
}

uint32_t
OpusHelper::GetSystem(const std::map<uint32_t, Ptr<OpticalCircuitSwitch>>& rails) const
{
    if (!IsDistributed() || rails.empty())
    {
        return 0;
    }
    if (m_path.GetTypeId() != OpusPacketPath::GetTypeId())
    {
        throw std::invalid_argument("control messages go from process to process as packets only");
    }
    std::set<uint32_t> systems;
    for (const auto& railAndSwitch : rails)
    {
        systems.insert(railAndSwitch.second->GetObject<Node>()->GetSystemId());
    }
    if (systems.size() > 1)
    {
        throw std::invalid_argument("the circuit switches of one controller are in " +
                                    std::to_string(systems.size()) + " processes");
    }
    return *systems.begin();
}

Ptr<Node>
OpusHelper::GetHome(const std::map<uint32_t, Ptr<OpticalCircuitSwitch>>& rails) const
{
    if (const auto packets = DynamicCast<OpusPacketPath>(m_installedPath))
    {
        return packets->GetControllerNode();
    }
    return rails.empty() ? nullptr : rails.begin()->second->GetObject<Node>();
}

NetDeviceContainer
OpusHelper::GetFrontEnd() const
{
    const auto packets = DynamicCast<OpusPacketPath>(m_installedPath);
    if (!packets)
    {
        throw std::logic_error("no front-end network is installed, so there is none to trace");
    }
    NetDeviceContainer devices;
    for (const auto& device : packets->GetDevices())
    {
        devices.Add(device);
    }
    return devices;
}

void
OpusHelper::EnablePcap(const std::string& prefix) const
{
    PointToPointHelper().EnablePcap(prefix, GetFrontEnd());
}

void
OpusHelper::EnableAscii(const std::string& prefix) const
{
    PointToPointHelper().EnableAscii(prefix, GetFrontEnd());
}

Ptr<OpusController>
OpusHelper::GetController() const
{
    return m_installedController;
}

Ptr<OpusControlPath>
OpusHelper::GetControlPath() const
{
    return m_installedPath;
}

Ptr<OpusShim>
OpusHelper::GetShim(uint32_t rank) const
{
    auto it = m_shims.find(rank);
    if (it == m_shims.end())
    {
        throw std::invalid_argument("Opus is not installed at rank " + std::to_string(rank));
    }
    return it->second;
}

void
OpusHelper::LoadProfile(const PhaseProfile& profile)
{
    if (profile.GetRanks() != m_shims.size())
    {
        throw std::invalid_argument("the profile has " + std::to_string(profile.GetRanks()) +
                                    " ranks, the job has " + std::to_string(m_shims.size()));
    }
    for (const auto& rankAndShim : m_shims)
    {
        rankAndShim.second->LoadProfile(profile.GetSequence(rankAndShim.first));
    }
}

bool
OpusHelper::HasProfile() const
{
    for (const auto& rankAndShim : m_shims)
    {
        if (!rankAndShim.second->HasProfile())
        {
            return false;
        }
    }
    return true;
}

PhaseProfile
OpusHelper::CollectProfile(const std::string& fingerprint) const
{
    PhaseProfile profile(fingerprint);
    for (const auto& rankAndShim : m_shims)
    {
        if (!rankAndShim.second->HasProfile())
        {
            throw std::logic_error("rank " + std::to_string(rankAndShim.first) +
                                   " has no phase profile");
        }
        profile.SetSequence(rankAndShim.first, rankAndShim.second->GetProfile());
    }
    return profile;
}

std::string
OpusHelper::DescribePending() const
{
    auto lines = m_installedController->DescribeWaiting();
    for (const auto& rankAndShim : m_shims)
    {
        if (rankAndShim.second->HasPendingRequest())
        {
            lines.push_back(rankAndShim.second->DescribeWaiting());
        }
    }
    std::string text;
    for (const auto& line : lines)
    {
        text += (text.empty() ? "" : "; ") + line;
    }
    return text;
}

} // namespace photonic
} // namespace ns3
