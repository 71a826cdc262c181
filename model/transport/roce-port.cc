/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-port.h"

#include "ns3/node.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

RocePort::RocePort(MessageEndpoint& endpoint, Ptr<OpticalNetDevice> device, uint32_t address)
    : m_endpoint(endpoint),
      m_device(device),
      m_address(address),
      m_maxPayload(RoceHeader::GetMaxPayload(device->GetMtu())),
      m_rate(device->GetDataRate())
{
    device->SetPacketSource(this);
    device->GetNode()->RegisterProtocolHandler(MakeCallback(&RocePort::Receive, this),
                                               RoceHeader::PROTOCOL,
                                               device);
}

RocePort::~RocePort()
{
    m_device->SetPacketSource(nullptr);
}

void
RocePort::SetPriority(uint8_t priority)
{
    if (priority >= PRIORITIES)
    {
        throw std::invalid_argument("priority " + std::to_string(priority) +
                                    " was given: there are 0 to 7");
    }
    m_priority = priority;
}

uint64_t
RocePort::GetPacketsReceived() const
{
    return m_packetsReceived;
}

uint64_t
RocePort::GetOutOfSequence() const
{
    return m_outOfSequence;
}

uint8_t
RocePort::GetPriority() const
{
    return m_priority;
}

Ptr<OpticalNetDevice>
RocePort::GetDevice() const
{
    return m_device;
}

Ptr<RocePackets>
RocePort::MakePackets(const RocePort& receiver,
                      Mac48Address destination,
                      const RoceHeader& header) const
{
    return Create<RocePackets>(Mac48Address::ConvertFrom(m_device->GetAddress()),
                               destination,
                               receiver,
                               header);
}

bool
RocePort::JoinBusyPeriod(Cause& cause, bool behind)
{
    if (m_device->IsBusy() || behind)
    {
        cause = m_busyCause;
        return false;
    }
    m_busyCause = cause;
    return true;
}

void
RocePort::FailConnection(uint32_t number)
{
    m_endpoint.Fail("rank " + std::to_string(m_endpoint.GetRank()) +
                    " received a packet for connection " + std::to_string(number) +
                    ", which does not exist");
}

void
RocePort::Receive(Ptr<NetDevice>,
                  Ptr<const Packet> packet,
                  uint16_t,
                  const Address&,
                  const Address&,
                  NetDevice::PacketType)
{
    RoceHeader header;
    header.ReadFrom(*packet);
    if (header.IsValid())
    {
        ReceivePacket(header, *packet);
    }
}

} // namespace photonic
} // namespace ns3
