/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "collective-gate.h"

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveGate);

TypeId
CollectiveGate::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::CollectiveGate").SetParent<Object>().SetGroupName("PhotonicRails");
    return tid;
}

void
CollectiveGate::Announce(std::vector<GatedOperation> /* operations */)
{
}

} // namespace photonic
} // namespace ns3
