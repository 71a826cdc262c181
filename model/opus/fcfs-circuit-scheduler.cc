/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fcfs-circuit-scheduler.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(FcfsCircuitScheduler);

TypeId
FcfsCircuitScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::FcfsCircuitScheduler")
                            .SetParent<CircuitScheduler>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<FcfsCircuitScheduler>();
    return tid;
}

std::size_t
FcfsCircuitScheduler::DoChoose(const std::vector<Request>& waiting)
{
    std::unordered_set<uint32_t> claimed; // by those before
    for (std::size_t i = 0; i < waiting.size(); ++i)
    {
        const auto& ports = waiting[i].ports;
        if (ArePortsFree(waiting[i]) && std::none_of(ports.begin(), ports.end(), [&](uint32_t p) {
                return claimed.count(p) > 0;
            }))
        {
            return i;
        }
        claimed.insert(ports.begin(), ports.end());
    }
    return NONE;
}

} // namespace photonic
} // namespace ns3
