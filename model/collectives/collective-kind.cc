/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "collective-kind.h"

namespace ns3
{
namespace photonic
{

const char*
ToString(CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::ALL_GATHER:
        return "all-gather";
    case CollectiveKind::REDUCE_SCATTER:
        return "reduce-scatter";
    case CollectiveKind::ALL_REDUCE:
        return "all-reduce";
    case CollectiveKind::BROADCAST:
        return "broadcast";
    case CollectiveKind::RING_EXCHANGE:
        return "ring-exchange";
    case CollectiveKind::ALL_TO_ALL:
        return "all-to-all";
    case CollectiveKind::SEND:
        return "send";
    case CollectiveKind::RECEIVE:
        return "receive";
    case CollectiveKind::SEND_RECEIVE:
        return "send-receive";
    }
    return "unknown";
}

} // namespace photonic
} // namespace ns3
