/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ocs-allocation.h"

#include "bipartite-edge-colouring.h"
#include "weighted-b-matching.h"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

using Demands = std::vector<TrafficMatrix::Demand>;

/**
 * A GPU's ports alone: giving each circuit to the neediest destination maximises the smallest
 * share.
 * @return that share
 */
SipShare
ShareOut(const std::vector<uint64_t>& bytes, uint32_t ports)
{
    std::priority_queue<SipNeed> needs;
    for (const uint64_t b : bytes)
    {
        needs.push({{1, b}, 0});
    }
    for (size_t used = bytes.size(); used < ports; ++used)
    {
        SipNeed need = needs.top();
        needs.pop();
        ++need.share.count;
        needs.push(need);
    }
    return needs.top().share;
}

void
CheckSwitches(uint32_t switches)
{
    if (switches == 0)
    {
        throw std::invalid_argument("SiP-OCS needs at least 1 switch");
    }
}

SipOcsAllocation
Realise(const Demands& demands, const std::vector<uint32_t>& counts, uint32_t gpus, uint32_t k)
{
    SipOcsAllocation allocation;
    if (demands.empty())
    {
        return allocation;
    }
    BipartiteEdgeColouring colouring(gpus, k);
    std::vector<uint64_t> bytes;
    for (size_t i = 0; i < demands.size(); ++i)
    {
        allocation.pairs.push_back({demands[i].source, demands[i].destination, counts[i]});
        bytes.push_back(demands[i].bytes);
        for (uint32_t circuit = 0; circuit < counts[i]; ++circuit)
        {
            colouring.Add(demands[i].source, demands[i].destination);
        }
    }
    for (uint32_t colour = 0; colour < k; ++colour)
    {
        allocation.permutations.push_back(colouring.GetPermutation(colour));
    }
    allocation.worst = GetWorstShare(bytes, counts);
    return allocation;
}

} // namespace

SipOcsAllocation
SipOcsAllocation::MaximiseWorst(const TrafficMatrix& demand, uint32_t switches)
{
    CheckSwitches(switches);
    const uint32_t gpus = demand.GetSize();
    const auto demands = demand.GetDemands();
    std::vector<std::vector<uint64_t>> sent(gpus);
    std::vector<std::vector<uint64_t>> received(gpus);
    for (const auto& [source, destination, bytes] : demands)
    {
        sent[source].push_back(bytes);
        received[destination].push_back(bytes);
    }

    // By Koenig's theorem any numbers of circuits are realisable that no GPU has too few ports
    // for, and the least numbers for a share are known: each GPU's own limit is all there is.
    SipShare share{UINT32_MAX, 1};
    for (uint32_t gpu = 0; gpu < gpus; ++gpu)
    {
        for (const auto* side : {&sent[gpu], &received[gpu]})
        {
            if (side->size() > switches)
            {
                throw std::invalid_argument(
                    "GPU " + std::to_string(gpu) + " has demand " +
                    (side == &sent[gpu] ? "for " : "from ") + std::to_string(side->size()) +
                    " others, but ports to " + std::to_string(switches) + " switches only");
            }
            if (!side->empty())
            {
                share = std::min(share, ShareOut(*side, switches));
            }
        }
    }

    std::vector<uint32_t> counts;
    std::vector<uint32_t> outputs(gpus, switches); // left
    std::vector<uint32_t> inputs(gpus, switches);
    std::priority_queue<SipNeed> needs;
    for (const auto& [source, destination, bytes] : demands)
    {
        const uint32_t least = share.GetLeast(bytes);
        needs.push({{least, bytes}, static_cast<uint32_t>(counts.size())});
        counts.push_back(least);
        outputs[source] -= least;
        inputs[destination] -= least;
    }
    while (!needs.empty())
    {
        SipNeed need = needs.top();
        needs.pop();
        const auto& pair = demands[need.pair];
        if (outputs[pair.source] > 0 && inputs[pair.destination] > 0)
        {
            --outputs[pair.source];
            --inputs[pair.destination];
            need.share.count = ++counts[need.pair];
            needs.push(need);
        }
    }
    return Realise(demands, counts, gpus, switches);
}

SipOcsAllocation
SipOcsAllocation::MaximiseTotal(const TrafficMatrix& demand, uint32_t switches, uint32_t limit)
{
    CheckSwitches(switches);
    if (limit == 0)
    {
        throw std::invalid_argument("SiP-OCS: a pair needs a limit of at least 1 circuit");
    }
    WeightedBMatching matching(demand, switches, std::min(limit, switches));
    return Realise(demand.GetDemands(), matching.Solve(), demand.GetSize(), switches);
}

} // namespace photonic
} // namespace ns3
