/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rank-order.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace ns3
{
namespace photonic
{

const char*
ToString(Dimension dimension)
{
    switch (dimension)
    {
    case Dimension::TP:
        return "tp";
    case Dimension::CP:
        return "cp";
    case Dimension::EP:
        return "ep";
    case Dimension::FSDP:
        return "fsdp";
    case Dimension::DP:
        return "dp";
    case Dimension::PP:
        return "pp";
    }
    return "unknown";
}

std::string
ToString(const RankOrder& order)
{
    std::string text;
    for (Dimension dimension : order)
    {
        text += (text.empty() ? "" : "-") + std::string(ToString(dimension));
    }
    return text;
}

RankOrder
ParseRankOrder(const std::string& text)
{
    if (text == "megatron" || text == "torchtitan")
    {
        return DEFAULT_RANK_ORDER;
    }
    RankOrder order = DEFAULT_RANK_ORDER;
    std::sort(order.begin(), order.end());
    do
    {
        if (text == ToString(order))
        {
            return order;
        }
    } while (std::next_permutation(order.begin(), order.end()));
    throw std::invalid_argument("unknown rank order '" + text +
                                "', expected megatron, torchtitan, or tp, cp, ep, fsdp, dp and pp "
                                "from the innermost to the outermost, as in " +
                                ToString(DEFAULT_RANK_ORDER));
}

} // namespace photonic
} // namespace ns3
