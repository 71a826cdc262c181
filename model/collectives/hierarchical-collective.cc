/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hierarchical-collective.h"

#include "divide-up.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

std::vector<CollectiveLevel>
MakeHierarchical(CollectiveKind kind, uint64_t bytes, uint32_t local)
{
    const uint64_t share = DivideUp(bytes, local);
    switch (kind)
    {
    case CollectiveKind::ALL_GATHER:
        return {{false, kind, share}, {true, kind, bytes}};
    case CollectiveKind::REDUCE_SCATTER:
        return {{true, kind, bytes}, {false, kind, share}};
    case CollectiveKind::ALL_REDUCE:
        return {{true, CollectiveKind::REDUCE_SCATTER, bytes},
                {false, kind, share},
                {true, CollectiveKind::ALL_GATHER, bytes}};
    case CollectiveKind::ALL_TO_ALL:
        return {{true, kind, bytes}, {false, kind, bytes}};
    default:
        throw std::invalid_argument(std::string("algorithm 'hierarchical' does not serve '") +
                                    ToString(kind) + "' in a group that spans rails");
    }
}

} // namespace photonic
} // namespace ns3
