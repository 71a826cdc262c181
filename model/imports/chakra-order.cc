/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "chakra-order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

class ChakraOrder
{
  public:
    ChakraOrder(const ChakraTrace& trace, const std::string& file)
        : m_trace(trace),
          m_file(file)
    {
        IndexNodes();
        MakeUnits();
        for (auto& unit : m_units)
        {
            FindPredecessors(unit);
        }
    }

    std::vector<ChakraUnit> Sort();

  private:
    [[noreturn]] void Fail(std::size_t node, const std::string& what) const
    {
        throw std::invalid_argument(m_file + ": " + m_trace.nodes[node].Describe() + " " + what);
    }

    void IndexNodes();
    void MakeUnits();
    std::size_t FindOtherHalf(std::size_t node) const;
    void FindPredecessors(ChakraUnit& unit) const;
    [[noreturn]] void FailCircle(const std::vector<std::size_t>& waiting) const;

    const ChakraTrace& m_trace;
    const std::string& m_file;
    std::unordered_map<uint64_t, std::size_t> m_index; ///< by identifier
    std::vector<ChakraUnit> m_units;
    std::vector<std::size_t> m_unitOf; ///< by node
};

void
ChakraOrder::IndexNodes()
{
    for (std::size_t i = 0; i < m_trace.nodes.size(); ++i)
    {
        const auto [at, isNew] = m_index.emplace(m_trace.nodes[i].id, i);
        if (!isNew)
        {
            Fail(i,
                 "has the identifier of " + m_trace.nodes[at->second].Describe() +
                     ", expected one of its own");
        }
    }
}

std::size_t
ChakraOrder::FindOtherHalf(std::size_t node) const
{
    const auto other = [this](std::size_t i) {
        try
        {
            return m_trace.nodes[i].GetNumber(ChakraNames::BATCHED);
        }
        catch (const std::invalid_argument& error)
        {
            Fail(i, std::string("is malformed: ") + error.what());
        }
    };
    const auto half = other(node);
    if (!half)
    {
        return node;
    }
    const auto at = m_index.find(*half);
    if (at == m_index.end() || other(at->second) != m_trace.nodes[node].id)
    {
        Fail(node,
             "is half of a transfer with node " + std::to_string(*half) +
                 ", which is not the other half");
    }
    const auto a = m_trace.nodes[node].type;
    const auto b = m_trace.nodes[at->second].type;
    if (!(a == ChakraNodeType::SEND && b == ChakraNodeType::RECEIVE) &&
        !(a == ChakraNodeType::RECEIVE && b == ChakraNodeType::SEND))
    {
        Fail(node,
             "is half of a transfer with " + m_trace.nodes[at->second].Describe() +
                 ": expected that one of them sends and one receives");
    }
    return at->second;
}

void
ChakraOrder::MakeUnits()
{
    m_unitOf.resize(m_trace.nodes.size());
    for (std::size_t i = 0; i < m_trace.nodes.size(); ++i)
    {
        const std::size_t half = FindOtherHalf(i);
        if (half < i)
        {
            continue; // it is there already
        }
        m_unitOf[i] = m_unitOf[half] = m_units.size();
        auto& nodes = m_units.emplace_back().nodes;
        nodes = half == i ? std::vector{i} : std::vector{i, half};
        if (m_trace.nodes[i].type == ChakraNodeType::RECEIVE)
        {
            std::reverse(nodes.begin(), nodes.end());
        }
    }
}

void
ChakraOrder::FindPredecessors(ChakraUnit& unit) const
{
    for (std::size_t i : unit.nodes)
    {
        const ChakraNode& node = m_trace.nodes[i];
        for (const auto* dependencies : {&node.dataDependencies, &node.controlDependencies})
        {
            for (uint64_t id : *dependencies)
            {
                const auto at = m_index.find(id);
                if (at == m_index.end())
                {
                    Fail(i,
                         "waits for node " + std::to_string(id) +
                             ", which is not in the file: expected one that is");
                }
                unit.after.push_back(at->second);
            }
        }
    }
    std::sort(unit.after.begin(), unit.after.end());
    unit.after.erase(std::unique(unit.after.begin(), unit.after.end()), unit.after.end());
}

std::vector<ChakraUnit>
ChakraOrder::Sort()
{
    const auto idOf = [this](std::size_t unit) {
        const auto& nodes = m_units[unit].nodes;
        return std::min(m_trace.nodes[nodes.front()].id, m_trace.nodes[nodes.back()].id);
    };
    std::vector<std::size_t> waiting(m_units.size());
    std::vector<std::vector<std::size_t>> successors(m_units.size());
    using Ready = std::pair<uint64_t, std::size_t>; // identifier, unit
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    for (std::size_t u = 0; u < m_units.size(); ++u)
    {
        waiting[u] = m_units[u].after.size();
        for (std::size_t node : m_units[u].after)
        {
            successors[m_unitOf[node]].push_back(u);
        }
        if (waiting[u] == 0)
        {
            ready.emplace(idOf(u), u);
        }
    }
    std::vector<ChakraUnit> sorted;
    while (!ready.empty())
    {
        const std::size_t u = ready.top().second;
        ready.pop();
        for (std::size_t next : successors[u])
        {
            if (--waiting[next] == 0)
            {
                ready.emplace(idOf(next), next);
            }
        }
        sorted.push_back(std::move(m_units[u]));
    }
    if (sorted.size() < m_units.size())
    {
        FailCircle(waiting);
    }
    return sorted;
}

void
ChakraOrder::FailCircle(const std::vector<std::size_t>& waiting) const
{
    // What waits has a predecessor that waits: walking back ends in a circle.
    std::size_t at =
        std::find_if(waiting.begin(), waiting.end(), [](std::size_t left) { return left > 0; }) -
        waiting.begin();
    std::vector<std::size_t> walk;
    std::vector<bool> walked(m_units.size());
    while (!walked[at])
    {
        walked[at] = true;
        walk.push_back(at);
        const auto& after = m_units[at].after;
        at = m_unitOf[*std::find_if(after.begin(), after.end(), [&](std::size_t node) {
            return waiting[m_unitOf[node]] > 0;
        })];
    }
    constexpr std::size_t most = 8; // names in a line
    std::string circle;
    std::size_t named = 0;
    for (auto u = std::find(walk.begin(), walk.end(), at); u != walk.end(); ++u)
    {
        if (named++ < most)
        {
            circle += m_trace.nodes[m_units[*u].nodes.front()].Describe() + " waits for ";
        }
    }
    throw std::invalid_argument(
        m_file + ": nodes wait for each other in a circle: " + circle +
        (named > most ? std::to_string(named - most) + " more, and these for " : "") + "the first");
}

} // namespace

std::vector<ChakraUnit>
OrderChakraNodes(const ChakraTrace& trace, const std::string& file)
{
    return ChakraOrder(trace, file).Sort();
}

} // namespace photonic
} // namespace ns3
