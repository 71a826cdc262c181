/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus-message.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(OpusHeader);

namespace
{

constexpr uint16_t MARK = 0x4f50; // "OP"
constexpr uint8_t VERSION = 1;
constexpr uint32_t FIXED_BYTES = 2 + 1 + 1 + 8 + 4 + 12 + 1 + 1 + 8 + 8 + 2;
constexpr uint32_t OPENING_BYTES = 8;
constexpr uint32_t NUMBER_BYTES = 8;
constexpr uint8_t FLAG = 1;     // OpusMessage::flag
constexpr uint8_t NUMBERED = 2; // session and sequence follow
constexpr uint32_t UDP_PAYLOAD = 1500 - 20 - 8;
static_assert(FIXED_BYTES + OPENING_BYTES * OpusMessage::MAX_OPENINGS + NUMBER_BYTES <= UDP_PAYLOAD,
              "a full message has to fit into an Ethernet MTU");

} // namespace

std::string
ToString(const OpusKey& key)
{
    return "step " + std::to_string(key.step) + " group " + std::to_string(key.group) +
           " counter " + std::to_string(key.counter);
}

const char*
ToString(OpusMessage::Type type)
{
    switch (type)
    {
    case OpusMessage::REGISTER:
        return "register";
    case OpusMessage::REGISTERED:
        return "registered";
    case OpusMessage::REQUEST:
        return "request";
    case OpusMessage::WITHDRAW:
        return "withdraw";
    case OpusMessage::GRANTED:
        return "granted";
    case OpusMessage::WITHDRAWN:
        return "withdrawn";
    case OpusMessage::RECALL:
        return "recall";
    case OpusMessage::RECALLED:
        return "recalled";
    case OpusMessage::PROFILE:
        return "profile";
    case OpusMessage::UNION:
        return "union";
    case OpusMessage::READY:
        return "ready";
    case OpusMessage::ACK:
        return "ack";
    case OpusMessage::HELLO:
        return "hello";
    case OpusMessage::HELD:
        return "held";
    case OpusMessage::SYNCED:
        return "synced";
    case OpusMessage::PROBE:
        return "probe";
    case OpusMessage::WAITING:
        return "waiting";
    }
    return "unknown";
}

OpusMessage
OpusMessage::Make(Type type, uint32_t rank, const OpusKey& key)
{
    OpusMessage message;
    message.type = type;
    message.rank = rank;
    message.key = key;
    return message;
}

std::vector<OpusMessage>
OpusMessage::Split(const OpusMessage& message, const std::vector<Opening>& openings)
{
    std::vector<OpusMessage> parts;
    std::size_t next = 0;
    do
    {
        const std::size_t end = std::min(next + MAX_OPENINGS, openings.size());
        OpusMessage part = message;
        part.openings.assign(openings.begin() + next, openings.begin() + end);
        part.flag = end == openings.size();
        parts.push_back(part);
        next = end;
    } while (next < openings.size());
    return parts;
}

TypeId
OpusHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::OpusHeader")
                            .SetParent<Header>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<OpusHeader>();
    return tid;
}

TypeId
OpusHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

OpusHeader::OpusHeader(uint64_t id, const OpusMessage& message)
    : m_id(id),
      m_message(message)
{
}

uint64_t
OpusHeader::GetId() const
{
    return m_id;
}

const OpusMessage&
OpusHeader::GetMessage() const
{
    return m_message;
}

bool
OpusHeader::IsValid() const
{
    return m_valid;
}

uint32_t
OpusHeader::GetSerializedSize() const
{
    return GetSize(m_message);
}

uint32_t
OpusHeader::GetSize(const OpusMessage& message)
{
    return FIXED_BYTES + OPENING_BYTES * message.openings.size() +
           (message.sequence > 0 ? NUMBER_BYTES : 0);
}

void
OpusHeader::Serialize(Buffer::Iterator i) const
{
    i.WriteHtonU16(MARK);
    i.WriteU8(VERSION);
    i.WriteU8(m_message.type);
    i.WriteHtonU64(m_id);
    i.WriteHtonU32(m_message.rank);
    i.WriteHtonU32(m_message.key.step);
    i.WriteHtonU32(m_message.key.group);
    i.WriteHtonU32(m_message.key.counter);
    i.WriteU8((m_message.flag ? FLAG : 0) | (m_message.sequence > 0 ? NUMBERED : 0));
    i.WriteU8(static_cast<uint8_t>(m_message.slot));
    i.WriteHtonU32(m_message.size);
    i.WriteHtonU32(m_message.position);
    i.WriteHtonU64(m_message.time.GetTimeStep());
    i.WriteHtonU16(m_message.openings.size());
    for (const auto& opening : m_message.openings)
    {
        i.WriteHtonU32(opening.group);
        i.WriteHtonU32(opening.counter);
    }
    if (m_message.sequence > 0)
    {
        i.WriteHtonU32(m_message.session);
        i.WriteHtonU32(m_message.sequence);
    }
}

uint32_t
OpusHeader::Deserialize(Buffer::Iterator i)
{
    m_valid = false;
    if (i.GetRemainingSize() < FIXED_BYTES || i.ReadNtohU16() != MARK || i.ReadU8() != VERSION)
    {
        return 0;
    }
    const uint8_t type = i.ReadU8();
    m_message.type = static_cast<OpusMessage::Type>(type);
    m_id = i.ReadNtohU64();
    m_message.rank = i.ReadNtohU32();
    m_message.key.step = i.ReadNtohU32();
    m_message.key.group = i.ReadNtohU32();
    m_message.key.counter = i.ReadNtohU32();
    const uint8_t flags = i.ReadU8();
    m_message.flag = flags & FLAG;
    const uint8_t slot = i.ReadU8();
    m_message.slot = static_cast<GroupSlot>(slot);
    m_message.size = i.ReadNtohU32();
    m_message.position = i.ReadNtohU32();
    const uint64_t ticks = i.ReadNtohU64();
    m_message.time = TimeStep(ticks);
    const uint16_t openings = i.ReadNtohU16();
    m_message.openings.clear();
    if (type < OpusMessage::REGISTER || type > OpusMessage::WAITING || flags > (FLAG | NUMBERED) ||
        slot >= GROUP_SLOTS || ticks > uint64_t{std::numeric_limits<int64_t>::max()} ||
        openings > OpusMessage::MAX_OPENINGS ||
        i.GetRemainingSize() < OPENING_BYTES * openings + (flags & NUMBERED ? NUMBER_BYTES : 0))
    {
        return 0;
    }
    m_message.openings.resize(openings);
    for (auto& opening : m_message.openings)
    {
        opening.group = i.ReadNtohU32();
        opening.counter = i.ReadNtohU32();
    }
    if (flags & NUMBERED)
    {
        m_message.session = i.ReadNtohU32();
        m_message.sequence = i.ReadNtohU32();
        if (m_message.sequence == 0)
        {
            return 0;
        }
    }
    m_valid = true;
    return GetSerializedSize();
}

void
OpusHeader::Print(std::ostream& os) const
{
    os << "(" << ToString(m_message.type) << " id " << m_id << " rank " << m_message.rank << " "
       << ToString(m_message.key) << " openings " << m_message.openings.size() << ")";
}

} // namespace photonic
} // namespace ns3
