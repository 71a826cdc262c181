/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "packet-remote-channel.h"

#include "process-links.h"

#include "ns3/fifo-port.h"
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

NS_LOG_COMPONENT_DEFINE("PacketRemoteChannel");
NS_OBJECT_ENSURE_REGISTERED(PacketRemoteChannel);

TypeId
PacketRemoteChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::PacketRemoteChannel")
                            .SetParent<OpticalChannel>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<PacketRemoteChannel>()
                            .AddAttribute("SwitchSystemId",
                                          "The process that simulates the packet switch.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&PacketRemoteChannel::m_switch),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

PacketRemoteChannel::PacketRemoteChannel()
{
    NS_LOG_FUNCTION(this);
}

PacketRemoteChannel::~PacketRemoteChannel()
{
    NS_LOG_FUNCTION(this);
}

void
PacketRemoteChannel::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_here = nullptr;
    OpticalChannel::DoDispose();
}

Ptr<LightPath>
PacketRemoteChannel::CreateDirectPath(FibreEnd& from, FibreEnd& to)
{
    const bool toSwitch = static_cast<bool>(from.GetDevice());
    const auto device = toSwitch ? from.GetDevice() : to.GetDevice();
    if (!device || !dynamic_cast<const FifoPort*>(toSwitch ? &to : &from))
    {
        throw std::logic_error("a fibre from process to process joins a device to an ideal packet "
                               "switch, and nothing else");
    }
    const uint32_t system = device->GetNode()->GetSystemId();
    if (!IsDistributed() || system == m_switch)
    {
        return OpticalChannel::CreateDirectPath(from, to);
    }
    const Time tick = TimeStep(1);
    const Time rest = GetDelay() - tick;
    ProcessLinks::Get().Join(system, m_switch, rest);
    if (IsRemote(toSwitch ? system : m_switch))
    {
        // Nothing comes this way in this process.
        return OpticalChannel::CreateDirectPath(from, to);
    }
    m_here = &from;
    const uint32_t other = toSwitch ? m_switch : system;
    m_beyond = std::make_unique<RemoteReceiver>(from, to, rest, true, [this, &to, other](Frame& f) {
        SendFrame(f, to, other);
    });
    return Create<LightPath>(from, *m_beyond, tick, tick);
}

void
PacketRemoteChannel::SendFrame(Frame& frame, const FibreEnd& to, uint32_t system)
{
    RemoteMessage message(RemoteMessage::FRAME, GetId());
    message.SetFrame(frame);
    const ExactTime& seen = to.IsCutThrough() ? frame.start : frame.end;
    ProcessLinks::Get().Send(system, message, frame.GetPacket(), seen.ToTime() + GetDelay());
}

void
PacketRemoteChannel::Handle(const RemoteMessage& message, Ptr<Packet> packet)
{
    NS_LOG_FUNCTION(this);
    Frame frame = message.GetFrame(packet);
    m_here->Arrive(frame, GetDelay());
}

} // namespace photonic
} // namespace ns3
