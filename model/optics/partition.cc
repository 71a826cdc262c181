/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "partition.h"

#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"

#include <string>

namespace ns3
{
namespace photonic
{

bool
IsDistributed()
{
    const std::string name = Simulator::GetImplementation()->GetInstanceTypeId().GetName();
    return name == "ns3::DistributedSimulatorImpl" || name == "ns3::NullMessageSimulatorImpl";
}

bool
IsRemote(uint32_t systemId)
{
    // In this order: there is no identifier before there is a simulator.
    return IsDistributed() && systemId != Simulator::GetSystemId();
}

bool
IsRemote(Ptr<const Node> node)
{
    return node && IsRemote(node->GetSystemId());
}

} // namespace photonic
} // namespace ns3
