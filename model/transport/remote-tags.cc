/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "remote-tags.h"

#include <vector>

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(ConnectionTag);
NS_OBJECT_ENSURE_REGISTERED(CauseTag);
NS_OBJECT_ENSURE_REGISTERED(ArrivalTag);

namespace
{

/// What identifiers may take of a message between processes.
constexpr std::size_t MAX_NAMED_BYTES = 256;

/// @return the latest reconfigurations of a chain, latest first, each as what it is below the one
/// before, in groups of seven bits
std::vector<uint8_t>
Encode(const Cause& cause)
{
    std::vector<uint8_t> bytes;
    uint64_t last = UINT64_MAX;
    cause.WalkBack([&](uint64_t id) {
        std::vector<uint8_t> code;
        for (uint64_t difference = last - id; difference > 0 || code.empty(); difference >>= 7)
        {
            code.push_back((difference & 0x7f) | (difference > 0x7f ? 0x80 : 0));
        }
        last = id;
        if (bytes.size() + code.size() > MAX_NAMED_BYTES)
        {
            return false;
        }
        bytes.insert(bytes.end(), code.begin(), code.end());
        return true;
    });
    return bytes;
}

/// @param bytes from Encode() @return the identifiers
std::vector<uint64_t>
Decode(const std::vector<uint8_t>& bytes)
{
    std::vector<uint64_t> named;
    uint64_t last = UINT64_MAX;
    uint64_t difference = 0;
    uint32_t shift = 0;
    for (uint8_t byte : bytes)
    {
        difference |= uint64_t(byte & 0x7f) << shift;
        shift += 7;
        if (byte < 0x80)
        {
            last -= difference;
            named.push_back(last);
            difference = 0;
            shift = 0;
        }
    }
    return named;
}

} // namespace

TypeId
ConnectionTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::ConnectionTag")
                            .SetParent<Tag>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<ConnectionTag>();
    return tid;
}

ConnectionTag::ConnectionTag(uint32_t rank, uint32_t communicator)
    : m_rank(rank),
      m_communicator(communicator)
{
}

uint32_t
ConnectionTag::GetRank() const
{
    return m_rank;
}

uint32_t
ConnectionTag::GetCommunicator() const
{
    return m_communicator;
}

TypeId
ConnectionTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
ConnectionTag::GetSerializedSize() const
{
    return 8;
}

void
ConnectionTag::Serialize(TagBuffer buffer) const
{
    buffer.WriteU32(m_rank);
    buffer.WriteU32(m_communicator);
}

void
ConnectionTag::Deserialize(TagBuffer buffer)
{
    m_rank = buffer.ReadU32();
    m_communicator = buffer.ReadU32();
}

void
ConnectionTag::Print(std::ostream& os) const
{
    os << "rank=" << m_rank << " communicator=" << m_communicator;
}

TypeId
CauseTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::CauseTag")
                            .SetParent<Tag>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<CauseTag>();
    return tid;
}

CauseTag::CauseTag(const Cause& cause)
    : m_cause(cause)
{
}

const Cause&
CauseTag::GetCause() const
{
    return m_cause;
}

TypeId
CauseTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
CauseTag::GetSerializedSize() const
{
    return 2 * 8 + 4 + Encode(m_cause).size();
}

void
CauseTag::Serialize(TagBuffer buffer) const
{
    const auto named = Encode(m_cause);
    buffer.WriteU64(m_cause.GetReconfigurations());
    buffer.WriteU64(m_cause.GetStall().GetTimeStep());
    buffer.WriteU32(named.size());
    buffer.Write(named.data(), named.size());
}

void
CauseTag::Deserialize(TagBuffer buffer)
{
    const uint64_t reconfigurations = buffer.ReadU64();
    const Time stall = TimeStep(buffer.ReadU64());
    std::vector<uint8_t> named(buffer.ReadU32());
    buffer.Read(named.data(), named.size());
    m_cause = Cause::Restore(reconfigurations, stall, Decode(named));
}

void
CauseTag::Print(std::ostream& os) const
{
    os << "reconfigurations=" << m_cause.GetReconfigurations()
       << " stall=" << m_cause.GetStall().As(Time::US);
}

TypeId
ArrivalTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::ArrivalTag")
                            .SetParent<Tag>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<ArrivalTag>();
    return tid;
}

ArrivalTag::ArrivalTag(Time time)
    : m_time(time)
{
}

Time
ArrivalTag::GetTime() const
{
    return m_time;
}

TypeId
ArrivalTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
ArrivalTag::GetSerializedSize() const
{
    return 8;
}

void
ArrivalTag::Serialize(TagBuffer buffer) const
{
    buffer.WriteU64(m_time.GetTimeStep());
}

void
ArrivalTag::Deserialize(TagBuffer buffer)
{
    m_time = TimeStep(buffer.ReadU64());
}

void
ArrivalTag::Print(std::ostream& os) const
{
    os << "time=" << m_time.As(Time::US);
}

} // namespace photonic
} // namespace ns3
