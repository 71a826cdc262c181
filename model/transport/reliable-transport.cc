/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reliable-transport.h"

#include "ns3/photonic-compat.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(ReliableTransport);

TypeId
ReliableTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::ReliableTransport")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<ReliableTransport>()
            .AddAttribute("Retransmission",
                          "What is sent again when a packet is lost.",
                          EnumValue(Retransmission::GO_BACK_N),
                          EnumAccessor(&ReliableTransport::m_retransmission),
                          MakeEnumChecker(Retransmission::NONE,
                                          "none",
                                          Retransmission::GO_BACK_N,
                                          "go-back-n",
                                          Retransmission::SELECTIVE_REPEAT,
                                          "selective-repeat"))
            .AddAttribute("Window",
                          "Packets of a connection from the first that is not acknowledged; less "
                          "than half of the 2^24 that numbers tell apart.",
                          UintegerValue(256),
                          MakeUintegerAccessor(&ReliableTransport::m_window),
                          MakeUintegerChecker<uint32_t>(1, (1 << 23) - 1))
            .AddAttribute("AcknowledgeEvery",
                          "Packets for which one acknowledgement is asked; the last packet of a "
                          "message and of a window always asks.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&ReliableTransport::m_askEvery),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Timeout",
                          "Of the retransmission timer; it doubles with every expiry in a row. "
                          "IBTA has 4.096 us times a power of 2.",
                          TimeValue(NanoSeconds(4096 * 256)),
                          MakeTimeAccessor(&ReliableTransport::m_timeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("Retries",
                          "Expiries in a row after which a message counts as lost.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&ReliableTransport::m_retries),
                          MakeUintegerChecker<uint32_t>(0, 30))
            .AddAttribute("NotificationInterval",
                          "The least time between two congestion notifications of a connection.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&ReliableTransport::m_notificationInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReorderTolerance",
                          "With selective repeat: packets that may overtake one before it counts "
                          "as lost. From Window - 1 on only the timer finds losses.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ReliableTransport::m_reorderTolerance),
                          MakeUintegerChecker<uint32_t>(0, (1 << 23) - 1));
    return tid;
}

ReliableTransport::ReliableTransport()
{
    m_control.SetTypeId(CongestionControl::GetTypeId());
}

void
ReliableTransport::SetCongestionControl(const std::string& type)
{
    m_control.SetTypeId(type);
}

void
ReliableTransport::SetControlAttribute(const std::string& name, const AttributeValue& value)
{
    m_control.Set(name, value);
}

ConnectionSender::Settings
ReliableTransport::GetSettings() const
{
    return {m_retransmission, m_window, m_askEvery, m_timeout, m_retries};
}

Ptr<CongestionControl>
ReliableTransport::CreateControl() const
{
    return m_control.Create<CongestionControl>();
}

} // namespace photonic
} // namespace ns3
