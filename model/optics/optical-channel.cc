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
                                          MakeTimeChecker(Time(0)))
                            .AddTraceSource("Cut",
                                            "The fibre was cut, or spliced.",
                                            MakeTraceSourceAccessor(&OpticalChannel::m_cutTrace),
                                            "ns3::photonic::OpticalChannel::CutTracedCallback");
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
    m_breakHandler = nullptr;
    m_paths = {};
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
    if (m_ends[1] && IsWhole())
    {
        LightDirectly(false);
    }
}

void
OpticalChannel::LightDirectly(bool during)
{
    for (int from : {0, 1})
    {
        m_paths[from] = CreateDirectPath(*m_ends[from], *m_ends[1 - from]);
        during ? m_ends[from]->BringUp(m_paths[from]) : m_ends[from]->LightUp(m_paths[from]);
    }
    for (auto receiver : m_ends)
    {
        receiver->ReceiverLit(true);
    }
}

void
OpticalChannel::Cut()
{
    NS_LOG_FUNCTION(this);
    if (!m_cut)
    {
        const bool wasWhole = IsWhole();
        m_cut = true;
        m_cutTrace(true);
        Changed(wasWhole, "fibre cut");
    }
}

void
OpticalChannel::Splice()
{
    NS_LOG_FUNCTION(this);
    if (m_cut)
    {
        m_cut = false;
        m_cutTrace(false);
        Changed(false, "fibre cut");
    }
}

bool
OpticalChannel::IsWhole() const
{
    return !m_cut && !m_failed[0] && !m_failed[1];
}

void
OpticalChannel::SetEndFailed(const FibreEnd& end, bool failed)
{
    const int number = m_ends[0] == &end ? 0 : 1;
    Simulator::Schedule(m_delay, [self = Ptr<OpticalChannel>(this), number, failed] {
        const bool wasWhole = self->IsWhole();
        self->m_failed[number] = failed;
        self->Changed(wasWhole, "NIC port failed");
    });
}

void
OpticalChannel::SetBreakHandler(BreakHandler handler)
{
    m_breakHandler = std::move(handler);
}

void
OpticalChannel::Changed(bool wasWhole, const char* reason)
{
    if (IsWhole() == wasWhole)
    {
        return;
    }
    if (m_breakHandler)
    {
        m_breakHandler(wasWhole ? reason : nullptr);
    }
    else if (m_ends[1] && !wasWhole)
    {
        LightDirectly(true);
    }
    else if (m_ends[1])
    {
        for (auto& path : m_paths)
        {
            path->Cut(Simulator::Now(), nullptr, reason);
            path = nullptr;
        }
        for (auto end : m_ends)
        {
            end->LightDown();
            end->ReceiverLit(false);
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
    Tell([&end = GetEnd(), path] { end.BringUp(path); });
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
