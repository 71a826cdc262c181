/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "switch-port.h"

#include "packet-switch.h"

#include "ns3/net-device.h"
#include "ns3/pause-header.h"

namespace ns3
{
namespace photonic
{

SwitchPort::SwitchPort(PacketSwitch& parent, uint32_t number, DataRate rate)
    : m_switch(parent),
      m_number(number)
{
    m_line.SetRate(LineRate(rate));
}

void
SwitchPort::SetBlocked(bool blocked)
{
    Advance();
    m_blocked = blocked;
    m_unblockedAt = Simulator::Now();
    Advance();
}

PacketSwitch&
SwitchPort::GetSwitch() const
{
    return m_switch;
}

uint32_t
SwitchPort::GetNumber() const
{
    return m_number;
}

FibreEnd*
SwitchPort::GetPeer() const
{
    return m_path ? &m_path->GetReceiver() : nullptr;
}

const LineRate&
SwitchPort::GetRate() const
{
    return m_line.GetRate();
}

uint64_t
SwitchPort::GetLineBytes()
{
    Advance();
    return m_line.GetBytes();
}

Time
SwitchPort::GetPausedTime(uint8_t) const
{
    return Time(0);
}

bool
SwitchPort::IsCutThrough() const
{
    return true;
}

void
SwitchPort::Arrive(Frame& frame, Time propagation)
{
    frame.start = frame.start + propagation;
    frame.end = frame.end + propagation;
    if (frame.destination == PauseHeader::DESTINATION)
    {
        ReceivePause(frame); // never forwarded
        return;
    }
    m_switch.Forward(frame, m_number);
}

void
SwitchPort::ReceivePause(Frame&)
{
    // An ideal switch sends whenever it can.
}

void
SwitchPort::Lost(Frame&, const char*)
{
    // The fibre of a packet switch is never cut.
}

void
SwitchPort::LightUp(Ptr<LightPath> path)
{
    m_path = path;
    m_unblockedAt = Simulator::Now();
    Advance();
}

void
SwitchPort::LightDown()
{
    Advance(); // what has started is lost with the light
    m_path = nullptr;
}

ExactTime
SwitchPort::FinishPacket()
{
    m_blocked = true;
    return std::max(m_line.GetFree(), ExactTime(Simulator::Now()));
}

void
SwitchPort::ReceiverLit(bool)
{
}

bool
SwitchPort::IsWatched() const
{
    return false;
}

uint32_t
SwitchPort::GetContext() const
{
    return Simulator::NO_CONTEXT;
}

Ptr<NetDevice>
SwitchPort::GetDevice() const
{
    return nullptr;
}

void
SwitchPort::Transmit(Frame& frame, const ExactTime& start)
{
    frame.start = start;
    frame.end = m_line.Transmit(start, frame.wireBytes);
    m_path->Transmit(frame);
}

} // namespace photonic
} // namespace ns3
