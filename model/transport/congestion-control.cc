/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "congestion-control.h"

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(CongestionControl);

TypeId
CongestionControl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::CongestionControl")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<CongestionControl>();
    return tid;
}

void
CongestionControl::Start(DataRate, uint32_t)
{
}

bool
CongestionControl::UsesMarks() const
{
    return false;
}

void
CongestionControl::OnSend(uint32_t, Time)
{
}

void
CongestionControl::OnAcknowledged(uint64_t, Time, Time)
{
}

void
CongestionControl::OnMark(Time)
{
}

void
CongestionControl::OnLoss(Time)
{
}

void
CongestionControl::OnTimeout(Time)
{
}

double
CongestionControl::GetRate(Time)
{
    return UNLIMITED;
}

double
CongestionControl::GetWindow() const
{
    return UNLIMITED;
}

} // namespace photonic
} // namespace ns3
