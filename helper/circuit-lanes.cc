/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "circuit-lanes.h"

#include "training-job-helper.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

/// Finds circuits from one rank to another.
class CircuitIndex
{
  public:
    explicit CircuitIndex(const std::vector<std::vector<uint32_t>>& permutations)
    {
        for (uint32_t k = 0; k < permutations.size(); k++)
        {
            for (uint32_t rank = 0; rank < permutations[k].size(); rank++)
            {
                m_circuits[{rank, permutations[k][rank]}].push_back(k);
            }
        }
    }

    /// @return the switches that join a rank to another; at least one
    const std::vector<uint32_t>& Get(uint32_t from, uint32_t to) const
    {
        const auto at = m_circuits.find({from, to});
        if (at == m_circuits.end())
        {
            throw std::invalid_argument("no circuit leads from rank " + std::to_string(from) +
                                        " to rank " + std::to_string(to) +
                                        ", which are neighbours in a group");
        }
        return at->second;
    }

  private:
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> m_circuits;
};

} // namespace

std::vector<LanesOfGroups>
FindCircuitLanes(const ParallelPlan& plan, const std::vector<std::vector<uint32_t>>& permutations)
{
    const CircuitIndex circuits(permutations);
    std::vector<LanesOfGroups> lanes(plan.GetRanks());
    for (uint32_t rank = 0; rank < plan.GetRanks(); rank++)
    {
        for (const auto& group : TrainingJobHelper::GetScaleOutGroups(plan, rank))
        {
            const auto& ranks = group.ranks;
            const std::size_t n = ranks.size();
            if (ranks.front() != rank)
            {
                continue; // its first member does all
            }
            std::size_t each = std::numeric_limits<std::size_t>::max(); // way
            for (std::size_t i = 0; i < n; i++)
            {
                const uint32_t next = ranks[(i + 1) % n];
                each = std::min({each,
                                 circuits.Get(ranks[i], next).size(),
                                 circuits.Get(next, ranks[i]).size()});
            }
            for (std::size_t i = 0; i < n; i++)
            {
                const auto& up = circuits.Get(ranks[i], ranks[(i + 1) % n]);
                const auto& down = circuits.Get(ranks[i], ranks[(i + n - 1) % n]);
                auto& ofGroup = lanes[ranks[i]][group.id];
                for (std::size_t lane = 0; lane < each; lane++)
                {
                    ofGroup.push_back({up[lane], up[lane]});
                    if (n > 2)
                    {
                        ofGroup.push_back({down[lane], down[lane]});
                    }
                }
            }
        }
    }
    return lanes;
}

} // namespace photonic
} // namespace ns3
