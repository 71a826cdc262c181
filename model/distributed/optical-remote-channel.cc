/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optical-remote-channel.h"

#include "process-links.h"

#include "ns3/channel-list.h"
#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/partition.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpticalRemoteChannel");
NS_OBJECT_ENSURE_REGISTERED(OpticalRemoteChannel);

namespace
{

const char* const TORN_DOWN = "circuit torn down";

} // namespace

TypeId
OpticalRemoteChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::OpticalRemoteChannel")
                            .SetParent<OpticalChannel>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<OpticalRemoteChannel>()
                            .AddAttribute("SwitchSystemId",
                                          "The process that simulates the circuit switch.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&OpticalRemoteChannel::m_switch),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

OpticalRemoteChannel::OpticalRemoteChannel()
{
    NS_LOG_FUNCTION(this);
}

OpticalRemoteChannel::~OpticalRemoteChannel()
{
    NS_LOG_FUNCTION(this);
}

void
OpticalRemoteChannel::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_sending.clear();
    m_receiving.clear();
    m_answers.clear();
    m_lostInSwitch = nullptr;
    OpticalChannel::DoDispose();
}

OpticalRemoteChannel&
OpticalRemoteChannel::Find(uint32_t fibre)
{
    return dynamic_cast<OpticalRemoteChannel&>(*ChannelList::GetChannel(fibre));
}

void
OpticalRemoteChannel::AttachToSwitch(LostInSwitch lost)
{
    OpticalChannel::AttachToSwitch();
    m_lostInSwitch = std::move(lost);
    m_distributed = IsDistributed();
    if (!m_distributed)
    {
        return;
    }
    const auto device = GetEnd().GetDevice();
    if (!device)
    {
        throw std::logic_error("a fibre from process to process needs a device at its end");
    }
    m_device = device->GetNode()->GetSystemId();
    m_deviceRemote = IsRemote(m_device);
    m_switchRemote = IsRemote(m_switch);
    ProcessLinks::Get().JoinFibre(m_device, m_switch, GetDelay());
}

Ptr<LightPath>
OpticalRemoteChannel::CreatePath(OpticalChannel& to, uint64_t generation)
{
    if (m_deviceRemote || !m_distributed)
    {
        // Of light in another process the switch gets something to hold and to cut.
        return OpticalChannel::CreatePath(to, generation);
    }
    return CreateLocalPath(dynamic_cast<OpticalRemoteChannel&>(to), generation);
}

Ptr<LightPath>
OpticalRemoteChannel::CreateLocalPath(OpticalRemoteChannel& to, uint64_t generation)
{
    ForgetCircuits();
    auto& circuit = m_sending[generation];
    if (!to.m_deviceRemote)
    {
        circuit.path = OpticalChannel::CreatePath(to, generation);
        to.m_receiving[generation] = {circuit.path, this};
        return circuit.path;
    }
    const Time tick = TimeStep(1); // more may come in the tick in which a packet could start
    circuit.receiver = std::make_unique<RemoteReceiver>(
        GetEnd(),
        to.GetEnd(),
        GetDelay() + to.GetDelay() - tick,
        false,
        [this, &to, generation](Frame& frame) { SendFrame(frame, to, generation); });
    circuit.path = Create<LightPath>(GetEnd(), *circuit.receiver, GetDelay(), tick);
    return circuit.path;
}

void
OpticalRemoteChannel::ForgetCircuits()
{
    for (auto it = m_sending.begin(); it != m_sending.end();)
    {
        // Nobody sends into it, and nothing is under way.
        it = it->second.path->GetReferenceCount() == 1 ? m_sending.erase(it) : std::next(it);
    }
}

void
OpticalRemoteChannel::TellLightUp(Ptr<LightPath> path, OpticalChannel& to, uint64_t generation)
{
    if (!m_deviceRemote)
    {
        OpticalChannel::TellLightUp(path, to, generation);
        return;
    }
    RemoteMessage message(RemoteMessage::LIGHT_UP, GetId());
    message.otherFibre = to.GetId();
    message.generation = generation;
    Tell(message);
}

void
OpticalRemoteChannel::TellLightDown(uint64_t generation)
{
    if (!m_deviceRemote)
    {
        OpticalChannel::TellLightDown(generation);
        return;
    }
    RemoteMessage message(RemoteMessage::LIGHT_DOWN, GetId());
    message.generation = generation;
    message.at = Simulator::Now();
    Tell(message);
}

void
OpticalRemoteChannel::TellReceiverLit(bool lit, uint64_t generation)
{
    if (!m_deviceRemote)
    {
        if (!lit)
        {
            Dark(generation, Simulator::Now());
        }
        OpticalChannel::TellReceiverLit(lit, generation);
        return;
    }
    RemoteMessage message(lit ? RemoteMessage::RECEIVER_LIT : RemoteMessage::RECEIVER_DARK,
                          GetId());
    message.generation = generation;
    message.at = Simulator::Now();
    Tell(message);
}

void
OpticalRemoteChannel::AskToFinishPacket(std::function<void(const ExactTime&)> answer)
{
    if (!m_deviceRemote)
    {
        OpticalChannel::AskToFinishPacket(std::move(answer));
        return;
    }
    m_answers.push_back(std::move(answer));
    Tell(RemoteMessage(RemoteMessage::FINISH_PACKET, GetId()));
}

void
OpticalRemoteChannel::Handle(const RemoteMessage& message, Ptr<Packet> packet)
{
    NS_LOG_FUNCTION(this << int(message.kind) << message.generation);
    switch (message.kind)
    {
    case RemoteMessage::FRAME:
        return ReceiveFrame(message, packet);
    case RemoteMessage::LIGHT_UP:
        GetEnd().BringUp(CreateLocalPath(Find(message.otherFibre), message.generation));
        return;
    case RemoteMessage::LIGHT_DOWN: {
        auto circuit = m_sending.find(message.generation);
        if (circuit != m_sending.end())
        {
            circuit->second.path->Cut(message.at, [this](Frame& f) { LoseAtSwitch(f); });
        }
        GetEnd().LightDown();
        return;
    }
    case RemoteMessage::RECEIVER_LIT:
        GetEnd().ReceiverLit(true);
        return;
    case RemoteMessage::RECEIVER_DARK:
        Dark(message.generation, message.at);
        GetEnd().ReceiverLit(false);
        return;
    case RemoteMessage::FINISH_PACKET: {
        RemoteMessage answer(RemoteMessage::PACKET_FINISHED, GetId());
        answer.end = GetEnd().FinishPacket();
        ProcessLinks::Get().Send(m_switch, answer, nullptr, Simulator::Now() + GetDelay());
        return;
    }
    case RemoteMessage::PACKET_FINISHED: {
        const auto answer = std::move(m_answers.front());
        m_answers.pop_front();
        answer(message.end);
        return;
    }
    case RemoteMessage::LOST_AT_SWITCH: {
        Frame frame = message.GetFrame(packet);
        m_lostInSwitch(frame);
        return;
    }
    case RemoteMessage::LOST_AT_SENDER: {
        Frame frame = message.GetFrame(packet);
        GetEnd().Lost(frame, TORN_DOWN);
        return;
    }
    case RemoteMessage::PROCESS_FINISHED:
    case RemoteMessage::STOP:
        return; // no matter of a fibre
    }
}

void
OpticalRemoteChannel::SendFrame(Frame& frame, OpticalRemoteChannel& to, uint64_t generation)
{
    RemoteMessage message(RemoteMessage::FRAME, to.GetId());
    message.otherFibre = GetId();
    message.generation = generation;
    message.SetFrame(frame);
    const Time distance = GetDelay() + to.GetDelay();
    ProcessLinks::Get().Send(to.m_device,
                             message,
                             frame.GetPacket(),
                             frame.end.ToTime() + distance);
}

void
OpticalRemoteChannel::ReceiveFrame(const RemoteMessage& message, Ptr<Packet> packet)
{
    OpticalRemoteChannel& from = Find(message.otherFibre);
    Frame frame = message.GetFrame(packet);
    const bool survives = message.generation > m_darkGeneration ||
                          (message.generation == m_darkGeneration &&
                           frame.end + from.GetDelay() <= ExactTime(m_darkAt));
    if (survives)
    {
        GetEnd().Arrive(frame, from.GetDelay() + GetDelay());
        return;
    }
    from.LoseAtSwitch(frame);
    RemoteMessage lost(RemoteMessage::LOST_AT_SENDER, from.GetId());
    lost.SetFrame(frame);
    ProcessLinks::Get().SendSoon(from.m_device, lost, packet);
}

void
OpticalRemoteChannel::Dark(uint64_t generation, Time at)
{
    m_darkGeneration = generation;
    m_darkAt = at;
    auto it = m_receiving.find(generation);
    if (it == m_receiving.end())
    {
        return;
    }
    if (m_switchRemote) // otherwise the switch has cut it
    {
        auto& [path, from] = it->second;
        path->Cut(at, [from = from](Frame& frame) { from->LoseAtSwitch(frame); });
    }
    m_receiving.erase(it);
}

void
OpticalRemoteChannel::LoseAtSwitch(Frame& frame)
{
    if (!m_switchRemote)
    {
        m_lostInSwitch(frame);
        return;
    }
    RemoteMessage lost(RemoteMessage::LOST_AT_SWITCH, GetId());
    lost.SetFrame(frame);
    ProcessLinks::Get().SendSoon(m_switch, lost, frame.GetPacket());
}

void
OpticalRemoteChannel::Tell(const RemoteMessage& message)
{
    ProcessLinks::Get().Send(m_device, message, nullptr, Simulator::Now() + GetDelay());
}

} // namespace photonic
} // namespace ns3
