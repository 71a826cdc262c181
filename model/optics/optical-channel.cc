/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optical-channel.h"

#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/simulator.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpticalChannel");
NS_OBJECT_ENSURE_REGISTERED(OpticalChannel);

TypeId
OpticalChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::OpticalChannel")
                            .SetParent<Channel>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<OpticalChannel>()
                            .AddAttribute("Delay",
                                          "Propagation from end to end (5 ns per metre of fibre).",
                                          TimeValue(NanoSeconds(50)),
                                          MakeTimeAccessor(&OpticalChannel::m_delay),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

OpticalChannel::OpticalChannel()
{
    NS_LOG_FUNCTION(this);
}

OpticalChannel::~OpticalChannel()
{
    NS_LOG_FUNCTION(this);
}

void
OpticalChannel::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_owner = nullptr;
    m_notices = nullptr;
    Channel::DoDispose();
}

void
OpticalChannel::Attach(FibreEnd& end, Ptr<Object> owner)
{
    NS_LOG_FUNCTION(this);
    if (m_ends[0] == &end || m_ends[1] == &end)
    {
        throw std::logic_error("a device was attached twice to one fibre");
    }
    if (m_ends[1] || (m_ends[0] && m_switched))
    {
        throw std::logic_error("a third end was attached to a fibre: it has two");
    }
    m_ends[m_ends[0] ? 1 : 0] = &end;
    if (owner)
    {
        m_owner = owner;
    }
    if (m_ends[1])
    {
        for (int from : {0, 1})
        {
            m_ends[from]->LightUp(CreateDirectPath(*m_ends[from], *m_ends[1 - from]));
        }
        for (auto receiver : m_ends)
        {
            receiver->ReceiverLit(true);
        }
    }
}

Ptr<LightPath>
OpticalChannel::CreateDirectPath(FibreEnd& from, FibreEnd& to)
{
    return Create<LightPath>(from, to, m_delay, m_delay);
}

void
OpticalChannel::AttachToSwitch(LostInSwitch)
{
    if (!m_ends[0] || m_ends[1] || m_switched)
    {
        throw std::logic_error(
            "a fibre that goes into a circuit switch needs a device at its other end, and no more");
    }
    m_switched = true;
}

Ptr<LightPath>
OpticalChannel::CreatePath(OpticalChannel& to, uint64_t)
{
    return Create<LightPath>(GetEnd(), to.GetEnd(), m_delay, m_delay + to.m_delay);
}

void
OpticalChannel::SetNotices(std::shared_ptr<Notices> notices)
{
    m_notices = std::move(notices);
}

void
OpticalChannel::Tell(std::function<void()> notice)
{
    if (m_notices && !GetEnd().IsWatched())
    {
        m_notices->Schedule(m_delay, std::move(notice));
        return;
    }
    Simulator::ScheduleWithContext(GetEnd().GetContext(), m_delay, std::move(notice));
}

void
OpticalChannel::TellLightUp(Ptr<LightPath> path, OpticalChannel&, uint64_t)
{
    Tell([&end = GetEnd(), path] { end.LightUp(path); });
}

void
OpticalChannel::TellLightDown(uint64_t)
{
    Tell([&end = GetEnd()] { end.LightDown(); });
}

void
OpticalChannel::TellReceiverLit(bool lit, uint64_t)
{
    Tell([&end = GetEnd(), lit] { end.ReceiverLit(lit); });
}

void
OpticalChannel::AskToFinishPacket(std::function<void(const ExactTime&)> answer)
{
    FibreEnd& end = GetEnd();
    Simulator::Schedule(m_delay,
                        [&end, answer = std::move(answer)] { answer(end.FinishPacket()); });
}

FibreEnd&
OpticalChannel::GetEnd() const
{
    return *m_ends[0];
}

Time
OpticalChannel::GetDelay() const
{
    return m_delay;
}

std::size_t
OpticalChannel::GetNDevices() const
{
    std::size_t n = 0;
    for (auto end : m_ends)
    {
        n += end && end->GetDevice();
    }
    return n;
}

Ptr<NetDevice>
OpticalChannel::GetDevice(std::size_t i) const
{
    for (auto end : m_ends)
    {
        if (end && end->GetDevice() && i-- == 0)
        {
            return end->GetDevice();
        }
    }
    return nullptr;
}

} // namespace photonic
} // namespace ns3
