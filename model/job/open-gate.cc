/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "collective-gate.h"

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(OpenGate);

TypeId
OpenGate::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::OpenGate")
                            .SetParent<CollectiveGate>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<OpenGate>();
    return tid;
}

void
OpenGate::Register(const std::vector<RankGroup>& /* groups */, Pass ready)
{
    ready(Cause());
}

void
OpenGate::BeginStep(uint32_t /* step */, const Cause& cause, Pass go)
{
    go(cause);
}

void
OpenGate::Enter(const GatedOperation& /* operation */, const Cause& ready, Pass pass)
{
    pass(ready);
}

void
OpenGate::Leave(const GatedOperation& /* operation */, const Cause& /* cause */)
{
}

void
OpenGate::EndStep(uint32_t /* step */, const Cause& /* cause */)
{
}

std::string
OpenGate::DescribeWaiting() const
{
    return "";
}

} // namespace photonic
} // namespace ns3
