/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "algorithm-table.h"

#include "all-to-all-algorithms.h"
#include "double-binary-tree-algorithm.h"
#include "halving-doubling-algorithm.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

std::vector<Ptr<const CollectiveAlgorithm>>
GetAlgorithms()
{
    return {Create<RingAlgorithm>(),
            Create<HalvingDoublingAlgorithm>(),
            Create<DoubleBinaryTreeAlgorithm>(),
            Create<DirectAlgorithm>(),
            Create<PairwiseAlgorithm>()};
}

} // namespace

void
AlgorithmTable::Add(const Rule& rule)
{
    if (!rule.algorithm->Serves(rule.kind))
    {
        throw std::invalid_argument("algorithm '" + rule.algorithm->GetName() +
                                    "' does not serve '" + ToString(rule.kind) + "'");
    }
    m_rules.push_back(rule);
}

const CollectiveAlgorithm&
AlgorithmTable::Find(CollectiveKind kind, uint32_t n, uint64_t bytes) const
{
    static const Ptr<const CollectiveAlgorithm> ring = Create<RingAlgorithm>();
    static const Ptr<const CollectiveAlgorithm> pairwise = Create<PairwiseAlgorithm>();
    for (const auto& rule : m_rules)
    {
        if (rule.kind == kind && rule.leastRanks <= n && n <= rule.mostRanks &&
            rule.leastBytes <= bytes && bytes <= rule.mostBytes)
        {
            return *rule.algorithm;
        }
    }
    return kind == CollectiveKind::ALL_TO_ALL ? *pairwise : *ring;
}

Ptr<const CollectiveAlgorithm>
AlgorithmTable::FindAlgorithm(const std::string& name)
{
    std::string names;
    for (const auto& algorithm : GetAlgorithms())
    {
        if (algorithm->GetName() == name)
        {
            return algorithm;
        }
        names += (names.empty() ? "" : ", ") + algorithm->GetName();
    }
    throw std::invalid_argument("unknown algorithm '" + name + "': expected one of " + names);
}

std::vector<std::string>
AlgorithmTable::GetNames()
{
    std::vector<std::string> names;
    for (const auto& algorithm : GetAlgorithms())
    {
        names.push_back(algorithm->GetName());
    }
    return names;
}

} // namespace photonic
} // namespace ns3
