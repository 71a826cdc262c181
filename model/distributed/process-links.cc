/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "process-links.h"

#include "remote-fibre.h"

#include "ns3/channel-list.h"
#include "ns3/channel.h"
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <tuple>

namespace ns3
{
namespace photonic
{

namespace
{

/// What MpiInterface can receive, less what it adds.
constexpr uint32_t MAX_MESSAGE = 2000 - 24;

std::unique_ptr<ProcessLinks> g_links;

} // namespace

ProcessLinks&
ProcessLinks::Get()
{
    if (!g_links)
    {
        g_links = std::make_unique<ProcessLinks>();
        Simulator::ScheduleDestroy(+[] { g_links.reset(); });
    }
    return *g_links;
}

ProcessLinks::ProcessLinks()
{
    if (Simulator::GetImplementation()->GetInstanceTypeId().GetName() ==
        "ns3::NullMessageSimulatorImpl")
    {
        Simulator::Schedule(Simulator::GetMaximumSimulationTime() / 2, +[] {});
    }
}

Ptr<Node>
ProcessLinks::GetNode(uint32_t system)
{
    auto& node = m_nodes[system];
    if (!node)
    {
        node = CreateObject<Node>(system);
    }
    return node;
}

void
ProcessLinks::JoinFibre(uint32_t device, uint32_t circuitSwitch, Time delay)
{
    Join(device, circuitSwitch, delay);
    auto& shortest = m_shortest.emplace(device, delay).first->second;
    shortest = std::min(shortest, delay);
    for (const auto& [other, fibre] : m_shortest)
    {
        Join(device, other, delay + fibre - TimeStep(1));
    }
}

void
ProcessLinks::Join(uint32_t a, uint32_t b, Time lead)
{
    const uint32_t last = std::max(a, b);
    if (last >= MpiInterface::GetSize())
    {
        throw std::invalid_argument("a node is in process " + std::to_string(last) + " of " +
                                    std::to_string(MpiInterface::GetSize()));
    }
    if (a == b)
    {
        return;
    }
    if (lead < TimeStep(2))
    {
        throw std::invalid_argument("a fibre between processes " + std::to_string(a) + " and " +
                                    std::to_string(b) +
                                    " has no propagation by which they could run ahead");
    }
    auto& link = m_links[std::minmax(a, b)];
    const TimeValue delay(lead - TimeStep(1));
    if (link.devices.GetN() == 0)
    {
        PointToPointHelper helper;
        helper.DisableFlowControl();
        helper.SetChannelAttribute("Delay", delay);
        auto lower = GetNode(std::min(a, b));
        link.devices = helper.Install(lower, GetNode(std::max(a, b)));
        for (uint32_t i = 0; i < link.devices.GetN(); i++)
        {
            link.devices.Get(i)->GetObject<MpiReceiver>()->SetReceiveCallback(
                MakeCallback(&ProcessLinks::Receive, this));
        }
        link.lead = lead;
    }
    else if (lead < link.lead)
    {
        link.devices.Get(0)->GetChannel()->SetAttribute("Delay", delay);
        link.lead = lead;
    }
}

void
ProcessLinks::Send(uint32_t system, RemoteMessage message, Ptr<const Packet> frame, Time when)
{
    const uint32_t self = MpiInterface::GetSystemId();
    message.sender = self;
    message.number = m_sent++;
    auto packet = frame ? frame->Copy() : Create<Packet>();
    packet->AddHeader(message);
    if (packet->GetSerializedSize() > MAX_MESSAGE)
    {
        throw std::runtime_error("a frame with " + std::to_string(packet->GetSerializedSize()) +
                                 " bytes of content goes to another process: ns-3 can send " +
                                 std::to_string(MAX_MESSAGE));
    }
    StayNow();
    const auto& link = m_links.at(std::minmax(self, system));
    const auto device = link.devices.Get(self < system ? 1 : 0);
    MpiInterface::SendPacket(packet, when, device->GetNode()->GetId(), device->GetIfIndex());
}

void
ProcessLinks::StayNow()
{
    if (m_now.IsExpired())
    {
        m_now = Simulator::ScheduleNow(+[] {});
    }
}

void
ProcessLinks::SendSoon(uint32_t system, const RemoteMessage& message, Ptr<const Packet> frame)
{
    Send(system, message, frame, Simulator::Now() + GetLead(system));
}

Time
ProcessLinks::GetLead(uint32_t system) const
{
    return m_links.at(std::minmax(MpiInterface::GetSystemId(), system)).lead;
}

void
ProcessLinks::SetJobHandler(std::function<void(const RemoteMessage&)> handler)
{
    m_jobHandler = std::move(handler);
}

void
ProcessLinks::Receive(Ptr<Packet> packet)
{
    if (m_mail.empty())
    {
        // All messages of this tick are events already: this comes after them.
        Simulator::ScheduleNow(&ProcessLinks::HandleMail, this);
    }
    Mail mail;
    packet->RemoveHeader(mail.message);
    mail.frame = packet;
    m_mail.push_back(std::move(mail));
}

void
ProcessLinks::HandleMail()
{
    std::vector<Mail> mail;
    mail.swap(m_mail);
    std::sort(mail.begin(), mail.end(), [](const Mail& a, const Mail& b) {
        return std::tie(a.message.sender, a.message.number) <
               std::tie(b.message.sender, b.message.number);
    });
    for (auto& [message, frame] : mail)
    {
        if (message.kind >= RemoteMessage::PROCESS_FINISHED)
        {
            m_jobHandler(message);
        }
        else
        {
            auto& fibre = dynamic_cast<RemoteFibre&>(*ChannelList::GetChannel(message.fibre));
            fibre.Handle(message, frame);
        }
    }
}

} // namespace photonic
} // namespace ns3
