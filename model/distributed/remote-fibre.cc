/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "remote-fibre.h"

#include "ns3/net-device.h"

#include <utility>

namespace ns3
{
namespace photonic
{

RemoteReceiver::RemoteReceiver(const FibreEnd& sender,
                               const FibreEnd& receiver,
                               Time distance,
                               bool cutThrough,
                               std::function<void(Frame&)> send)
    : m_sender(sender),
      m_receiver(receiver),
      m_distance(distance),
      m_cutThrough(cutThrough),
      m_send(std::move(send))
{
}

void
RemoteReceiver::Advance()
{
}

bool
RemoteReceiver::GetNextStart(const LightPath&, ExactTime&) const
{
    return false;
}

bool
RemoteReceiver::IsCutThrough() const
{
    return m_cutThrough;
}

void
RemoteReceiver::Arrive(Frame& frame, Time)
{
    m_send(frame);
}

void
RemoteReceiver::Lost(Frame&, const char*)
{
}

void
RemoteReceiver::LightUp(Ptr<LightPath>)
{
}

void
RemoteReceiver::LightDown()
{
}

ExactTime
RemoteReceiver::FinishPacket()
{
    return ExactTime(Simulator::Now());
}

void
RemoteReceiver::ReceiverLit(bool)
{
}

bool
RemoteReceiver::IsWatched() const
{
    return false;
}

uint32_t
RemoteReceiver::GetContext() const
{
    return m_sender.GetContext();
}

Ptr<NetDevice>
RemoteReceiver::GetDevice() const
{
    return m_receiver.GetDevice();
}

Time
RemoteReceiver::GetDistance() const
{
    return m_distance;
}

} // namespace photonic
} // namespace ns3
