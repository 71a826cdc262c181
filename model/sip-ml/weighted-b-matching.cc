/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weighted-b-matching.h"

#include <algorithm>
#include <functional>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr uint32_t NONE = UINT32_MAX;

} // namespace

// Costs are negative weights. Every row also has an idle column of cost 0 and potential 0, which
// takes what weighs nothing. Reduced costs of edges with room are at least 0, of those with flow at
// most 0, and columns with spare capacity keep the potential 0.

WeightedBMatching::WeightedBMatching(const TrafficMatrix& demand, uint32_t capacity, uint32_t limit)
    : m_size(demand.GetSize()),
      m_limit(limit),
      m_edges(demand.GetDemands()),
      m_flow(m_edges.size()),
      m_adjacent(2 * size_t{m_size}),
      m_potential(2 * size_t{m_size}),
      m_spare(m_size, capacity),
      m_distance(2 * size_t{m_size}),
      m_via(2 * size_t{m_size}, NONE),
      m_done(2 * size_t{m_size})
{
    for (uint32_t edge = 0; edge < m_edges.size(); ++edge)
    {
        m_adjacent[m_edges[edge].source].push_back(edge);
        m_adjacent[m_size + m_edges[edge].destination].push_back(edge);
    }
}

std::vector<uint32_t>
WeightedBMatching::Solve()
{
    const uint32_t capacity = m_spare.front();
    for (uint32_t row = 0; row < m_size; ++row)
    {
        Wide least = 0;
        for (const uint32_t edge : m_adjacent[row])
        {
            least = std::min(least, GetReduced(edge));
        }
        m_potential[row] = least;
        for (uint32_t units = capacity; units > 0;)
        {
            units -= Augment(row, units);
        }
    }
    return m_flow;
}

WeightedBMatching::Wide
WeightedBMatching::GetReduced(uint32_t edge) const
{
    const auto& [source, destination, bytes] = m_edges[edge];
    return -Wide(bytes) - m_potential[source] - m_potential[m_size + destination];
}

void
WeightedBMatching::Relax(uint32_t node, Wide distance, uint32_t edge)
{
    const bool reached = m_via[node] != NONE;
    if (m_done[node] || (reached && m_distance[node] <= distance))
    {
        return;
    }
    if (!reached)
    {
        m_reached.push_back(node);
    }
    m_distance[node] = distance;
    m_via[node] = edge;
    m_heap.emplace_back(distance, node);
    std::push_heap(m_heap.begin(), m_heap.end(), std::greater<>());
}

uint32_t
WeightedBMatching::Augment(uint32_t row, uint32_t units)
{
    m_heap.clear();
    m_reached.assign(1, row);
    m_distance[row] = 0;
    m_done[row] = 1;
    uint32_t idle = row; // the row whose idle column is the nearest one so far
    Wide nearest = -m_potential[row];
    uint32_t last = NONE; // the column at which the path ends, if not at an idle one
    for (uint32_t node = row;;)
    {
        for (const uint32_t edge : m_adjacent[node])
        {
            if (node < m_size && m_flow[edge] < m_limit)
            {
                Relax(m_size + m_edges[edge].destination,
                      m_distance[node] + GetReduced(edge),
                      edge);
            }
            else if (node >= m_size && m_flow[edge] > 0)
            {
                Relax(m_edges[edge].source, m_distance[node] - GetReduced(edge), edge);
            }
        }
        while (!m_heap.empty() && m_done[m_heap.front().second])
        {
            std::pop_heap(m_heap.begin(), m_heap.end(), std::greater<>());
            m_heap.pop_back();
        }
        if (m_heap.empty() || m_heap.front().first >= nearest)
        {
            break;
        }
        node = m_heap.front().second;
        if (node >= m_size && m_spare[node - m_size] > 0)
        {
            last = node;
            nearest = m_distance[node];
            break;
        }
        m_done[node] = 1;
        if (node < m_size && m_distance[node] - m_potential[node] < nearest)
        {
            nearest = m_distance[node] - m_potential[node];
            idle = node;
        }
    }
    units = Apply(row, last, idle, units);
    for (const uint32_t node : m_reached)
    {
        if (m_done[node] && m_distance[node] < nearest)
        {
            const Wide change = nearest - m_distance[node];
            m_potential[node] += node < m_size ? change : -change;
        }
        m_done[node] = 0;
        m_via[node] = NONE;
    }
    return units;
}

uint32_t
WeightedBMatching::Apply(uint32_t row, uint32_t last, uint32_t idle, uint32_t units)
{
    const uint32_t end = last == NONE ? idle : last;
    if (last != NONE)
    {
        units = std::min(units, m_spare[last - m_size]);
    }
    const auto follow = [&](const auto& visit) {
        for (uint32_t node = end; node != row;)
        {
            const uint32_t edge = m_via[node];
            visit(edge, node >= m_size);
            node = node >= m_size ? m_edges[edge].source : m_size + m_edges[edge].destination;
        }
    };
    follow([&](uint32_t edge, bool forward) {
        units = std::min(units, forward ? m_limit - m_flow[edge] : m_flow[edge]);
    });
    follow([&](uint32_t edge, bool forward) { m_flow[edge] += forward ? units : -units; });
    if (last != NONE)
    {
        m_spare[last - m_size] -= units;
    }
    return units;
}

} // namespace photonic
} // namespace ns3
