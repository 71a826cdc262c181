/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "remote-message.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(RemoteMessage);

namespace
{

void
Write(Buffer::Iterator& i, const ExactTime& time)
{
    i.WriteU64(time.GetTick());
    i.WriteU64(time.GetNumerator());
    i.WriteU64(time.GetDenominator());
}

ExactTime
ReadExact(Buffer::Iterator& i)
{
    const int64_t tick = i.ReadU64();
    const uint64_t num = i.ReadU64();
    const uint64_t den = i.ReadU64();
    return ExactTime(tick, num, den);
}

} // namespace

TypeId
RemoteMessage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::RemoteMessage")
                            .SetParent<Header>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<RemoteMessage>();
    return tid;
}

void
RemoteMessage::SetFrame(const Frame& frame)
{
    if (frame.train)
    {
        throw std::logic_error("trains of packets do not go from process to process");
    }
    start = frame.start;
    end = frame.end;
    destination = frame.destination;
    wireBytes = frame.wireBytes;
}

Frame
RemoteMessage::GetFrame(Ptr<Packet> packet) const
{
    Frame frame;
    frame.packet = packet;
    frame.label = TrafficLabel::Of(*packet);
    frame.destination = destination;
    frame.wireBytes = wireBytes;
    frame.start = start;
    frame.end = end;
    return frame;
}

TypeId
RemoteMessage::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RemoteMessage::Print(std::ostream& os) const
{
    os << "kind=" << int(kind) << " fibre=" << fibre << " generation=" << generation;
}

uint32_t
RemoteMessage::GetSerializedSize() const
{
    return 1 + 3 * 4 + 5 * 8 + 2 * 24;
}

void
RemoteMessage::Serialize(Buffer::Iterator i) const
{
    i.WriteU8(kind);
    i.WriteU32(fibre);
    i.WriteU32(otherFibre);
    i.WriteU32(sender);
    i.WriteU64(number);
    i.WriteU64(generation);
    i.WriteU64(at.GetTimeStep());
    i.WriteU64(destination);
    i.WriteU64(wireBytes);
    Write(i, start);
    Write(i, end);
}

uint32_t
RemoteMessage::Deserialize(Buffer::Iterator i)
{
    kind = static_cast<Kind>(i.ReadU8());
    fibre = i.ReadU32();
    otherFibre = i.ReadU32();
    sender = i.ReadU32();
    number = i.ReadU64();
    generation = i.ReadU64();
    at = TimeStep(i.ReadU64());
    destination = i.ReadU64();
    wireBytes = i.ReadU64();
    start = ReadExact(i);
    end = ReadExact(i);
    return GetSerializedSize();
}

} // namespace photonic
} // namespace ns3
