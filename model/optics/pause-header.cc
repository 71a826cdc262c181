/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "pause-header.h"

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(PauseHeader);

namespace
{

constexpr uint32_t FIELD_BYTES = 2 + 2 + 2 * PRIORITIES;

} // namespace

TypeId
PauseHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::PauseHeader")
                            .SetParent<Header>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<PauseHeader>();
    return tid;
}

void
PauseHeader::SetTime(uint8_t priority, uint16_t quanta)
{
    m_meant |= 1 << priority;
    m_times.at(priority) = quanta;
}

bool
PauseHeader::IsPause() const
{
    return m_opcode == OPCODE;
}

bool
PauseHeader::IsMeant(uint8_t priority) const
{
    return m_meant >> priority & 1;
}

uint16_t
PauseHeader::GetTime(uint8_t priority) const
{
    return m_times.at(priority);
}

TypeId
PauseHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
PauseHeader::Print(std::ostream& os) const
{
    os << "pause";
    for (uint8_t p = 0; p < PRIORITIES; p++)
    {
        if (IsMeant(p))
        {
            os << " priority " << int(p) << " for " << m_times[p] << " quanta";
        }
    }
}

uint32_t
PauseHeader::GetSerializedSize() const
{
    return SIZE;
}

void
PauseHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(m_opcode);
    start.WriteHtonU16(m_meant);
    for (uint16_t time : m_times)
    {
        start.WriteHtonU16(time);
    }
    start.WriteU8(0, SIZE - FIELD_BYTES);
}

uint32_t
PauseHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        m_opcode = 0;
        return 0;
    }
    m_opcode = start.ReadNtohU16();
    m_meant = start.ReadNtohU16();
    for (uint16_t& time : m_times)
    {
        time = start.ReadNtohU16();
    }
    return SIZE;
}

} // namespace photonic
} // namespace ns3
