/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "operator-placement.h"

#include "ns3/training-plan.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

uint32_t
CountPieces(Time duration, Time grain, uint32_t most)
{
    const int64_t wanted = duration.GetTimeStep() / grain.GetTimeStep();
    uint32_t pieces = 1;
    while (pieces <= most / 2 && 2 * int64_t{pieces} <= wanted)
    {
        pieces *= 2;
    }
    return pieces;
}

uint64_t
GetShareBytes(const Operator& producer, uint32_t pieces)
{
    return DivideUp(producer.outputBytes, pieces);
}

/// Which GPUs are free when, and who talks to whom.
class OperatorPlacement::Attempt
{
  public:
    Attempt(const OperatorGraph& graph,
            const ComputeModel& compute,
            const PlacementLimits& limits,
            uint32_t width)
        : m_graph(graph),
          m_compute(compute),
          m_limits(limits),
          m_width(width),
          m_most(width),
          m_free(width),
          m_peers(width, std::vector<bool>(width)),
          m_peerCounts(width),
          m_next(width),
          m_previous(width)
    {
        // What reads from more pieces has too many sources, or one that is too far away.
        if (limits.degree != 0)
        {
            m_most = std::min(m_most, limits.degree);
        }
        if (limits.reach != 0)
        {
            m_most = std::min(m_most - 1, limits.reach) + 1;
        }
    }

    /// @return positions of the pieces of each operator; empty if one finds no GPU
    std::vector<std::vector<uint32_t>> Place();

  private:
    /// Positions that an operator reads from.
    struct Sources
    {
        std::vector<uint32_t> holders; ///< ascending
        Time arrival;                  ///< end of the last piece, without transfers
    };

    Sources GetSources(const Operator& reader) const;
    /// @return the GPUs for so many pieces, or nothing
    std::optional<std::vector<uint32_t>> Choose(const Operator& o,
                                                const Sources& sources,
                                                uint32_t pieces) const;
    /// @return distinct GPUs of the group that a GPU would talk to if those chosen read from the
    ///         sources
    uint32_t CountPeers(uint32_t position,
                        const Sources& sources,
                        const std::vector<uint32_t>& chosen) const;
    /// @return whether a GPU, beside those chosen, may read from all sources
    bool MayRead(uint32_t position,
                 const Sources& sources,
                 const std::vector<uint32_t>& chosen) const;
    /// @return whether chosen GPUs may send their gradients to the next group
    bool MaySynchronise(const Sources& sources, const std::vector<uint32_t>& chosen) const;
    void Commit(const Operator& o, const Sources& sources, const std::vector<uint32_t>& chosen);

    /// @return how many distinct GPUs of the own group a GPU may talk to
    uint32_t GetPeerLimit(uint32_t position) const
    {
        const uint32_t others =
            m_limits.groups == 1
                ? 0
                : std::max<uint32_t>({1,
                                      static_cast<uint32_t>(m_next[position].size()),
                                      static_cast<uint32_t>(m_previous[position].size())});
        return m_limits.degree - std::min(m_limits.degree, others);
    }

    /// @param chosen positions of the pieces @param i a piece @return where its gradients go to
    static uint32_t GetNext(const std::vector<uint32_t>& chosen, std::size_t i)
    {
        return chosen[(i + 1) % chosen.size()];
    }

    const OperatorGraph& m_graph;
    const ComputeModel& m_compute;
    const PlacementLimits& m_limits;
    uint32_t m_width; ///< GPUs
    uint32_t m_most;  ///< pieces
    std::vector<Time> m_free;
    std::vector<std::vector<bool>> m_peers; ///< in the group; symmetric, as gradients go back
    std::vector<uint32_t> m_peerCounts;
    std::vector<std::set<uint32_t>> m_next;     ///< destinations in the next group
    std::vector<std::set<uint32_t>> m_previous; ///< sources in the group before
    std::vector<std::vector<uint32_t>> m_holders;
    std::vector<Time> m_ends; ///< of each operator's last piece
};

OperatorPlacement::Attempt::Sources
OperatorPlacement::Attempt::GetSources(const Operator& reader) const
{
    Sources sources;
    std::vector<bool> holds(m_width);
    for (uint32_t input : reader.inputs)
    {
        sources.arrival = std::max(sources.arrival, m_ends[input]);
        for (uint32_t position : m_holders[input])
        {
            holds[position] = true;
        }
    }
    for (uint32_t position = 0; position < m_width; ++position)
    {
        if (holds[position])
        {
            sources.holders.push_back(position);
        }
    }
    return sources;
}

uint32_t
OperatorPlacement::Attempt::CountPeers(uint32_t position,
                                       const Sources& sources,
                                       const std::vector<uint32_t>& chosen) const
{
    const auto isSource = [&sources](uint32_t p) {
        return std::binary_search(sources.holders.begin(), sources.holders.end(), p);
    };
    const auto isNew = [this, position](uint32_t p) {
        return p != position && !m_peers[position][p];
    };
    const bool reads = std::find(chosen.begin(), chosen.end(), position) != chosen.end();
    uint32_t count = m_peerCounts[position];
    if (reads)
    {
        count += std::count_if(sources.holders.begin(), sources.holders.end(), isNew);
    }
    if (isSource(position))
    {
        // Gradients come from readers; those that are sources as well are counted.
        count += std::count_if(chosen.begin(), chosen.end(), [&](uint32_t p) {
            return isNew(p) && !(reads && isSource(p));
        });
    }
    return count;
}

bool
OperatorPlacement::Attempt::MayRead(uint32_t position,
                                    const Sources& sources,
                                    const std::vector<uint32_t>& chosen) const
{
    if (m_limits.reach != 0)
    {
        // Pieces of an operator stay close together, too, or nothing could read from all of them.
        const auto isNear = [&](uint32_t p) {
            return std::max(p, position) - std::min(p, position) <= m_limits.reach;
        };
        if (!std::all_of(sources.holders.begin(), sources.holders.end(), isNear) ||
            !std::all_of(chosen.begin(), chosen.end(), isNear))
        {
            return false;
        }
    }
    if (m_limits.degree == 0)
    {
        return true;
    }
    std::vector<uint32_t> readers = chosen;
    readers.push_back(position);
    const auto fits = [&](uint32_t p) {
        return CountPeers(p, sources, readers) <= GetPeerLimit(p);
    };
    return fits(position) && std::all_of(sources.holders.begin(), sources.holders.end(), fits);
}

bool
OperatorPlacement::Attempt::MaySynchronise(const Sources& sources,
                                           const std::vector<uint32_t>& chosen) const
{
    for (std::size_t i = 0; i < chosen.size(); ++i)
    {
        const uint32_t from = chosen[i];
        const uint32_t to = GetNext(chosen, i);
        if (m_limits.reach != 0 && m_limits.gpus + to > from + m_limits.reach)
        {
            return false;
        }
        const auto grown = [](const std::set<uint32_t>& others, uint32_t other) {
            return others.size() + (others.count(other) == 0 ? 1 : 0);
        };
        if (m_limits.degree != 0 &&
            (CountPeers(from, sources, chosen) + grown(m_next[from], to) > m_limits.degree ||
             CountPeers(to, sources, chosen) + grown(m_previous[to], from) > m_limits.degree))
        {
            return false;
        }
    }
    return true;
}

std::optional<std::vector<uint32_t>>
OperatorPlacement::Attempt::Choose(const Operator& o, const Sources& sources, uint32_t pieces) const
{
    std::vector<uint32_t> order(m_width);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
        return m_free[a] < m_free[b];
    });
    const bool synchronises = o.parameters != 0 && m_limits.groups > 1;
    std::vector<uint32_t> chosen;
    for (uint32_t position : order)
    {
        if (!MayRead(position, sources, chosen))
        {
            continue;
        }
        chosen.push_back(position);
        if (chosen.size() < pieces)
        {
            continue;
        }
        std::sort(chosen.begin(), chosen.end());
        if (!synchronises || MaySynchronise(sources, chosen))
        {
            return chosen;
        }
        if (pieces > 1)
        {
            return {};
        }
        chosen.clear(); // a single piece tries every GPU
    }
    return {};
}

void
OperatorPlacement::Attempt::Commit(const Operator& o,
                                   const Sources& sources,
                                   const std::vector<uint32_t>& chosen)
{
    const Time duration = m_compute.GetDuration(o.forward / chosen.size());
    Time end;
    for (std::size_t i = 0; i < chosen.size(); ++i)
    {
        const uint32_t position = chosen[i];
        m_free[position] = std::max(m_free[position], sources.arrival) + duration;
        end = std::max(end, m_free[position]);
        if (o.parameters != 0 && m_limits.groups > 1)
        {
            m_next[position].insert(GetNext(chosen, i));
            m_previous[GetNext(chosen, i)].insert(position);
        }
        for (uint32_t source : sources.holders)
        {
            if (source != position && !m_peers[position][source])
            {
                m_peers[position][source] = m_peers[source][position] = true;
                ++m_peerCounts[position];
                ++m_peerCounts[source];
            }
        }
    }
    m_holders.push_back(chosen);
    m_ends.push_back(end);
}

std::vector<std::vector<uint32_t>>
OperatorPlacement::Attempt::Place()
{
    for (uint32_t number = 0; number < m_graph.GetSize(); ++number)
    {
        const Operator& o = m_graph.Get(number);
        const Sources sources = GetSources(o);
        uint32_t pieces = CountPieces(m_compute.GetDuration(o.forward), m_limits.grain, m_most);
        auto chosen = Choose(o, sources, pieces);
        while (!chosen && pieces > 1)
        {
            pieces /= 2;
            chosen = Choose(o, sources, pieces);
        }
        if (!chosen)
        {
            return {};
        }
        Commit(o, sources, *chosen);
    }
    return m_holders;
}

OperatorPlacement::OperatorPlacement(const OperatorGraph& graph,
                                     const ComputeModel& compute,
                                     const PlacementLimits& limits)
    : m_limits(limits)
{
    if (limits.gpus == 0 || limits.groups == 0 || !limits.grain.IsStrictlyPositive())
    {
        throw std::invalid_argument("a placement needs at least 1 GPU, 1 group and a grain above "
                                    "0, found " +
                                    std::to_string(limits.gpus) + " GPUs, " +
                                    std::to_string(limits.groups) + " groups and " +
                                    std::to_string(limits.grain.GetNanoSeconds()) + " ns");
    }
    for (uint32_t width = limits.gpus; width > 0 && m_holders.empty(); width /= 2)
    {
        m_holders = Attempt(graph, compute, limits, width).Place();
    }
    if (m_holders.empty() && graph.GetSize() > 0)
    {
        throw std::invalid_argument(
            "a GPU and the same one of the next group are " + std::to_string(limits.gpus) +
            " GPUs apart, but reach is only " + std::to_string(limits.reach));
    }
    for (uint32_t number = 0; number < graph.GetSize(); ++number)
    {
        std::set<uint32_t> readers;
        for (uint32_t reader : graph.GetReaders(number))
        {
            readers.insert(m_holders[reader].begin(), m_holders[reader].end());
        }
        m_readers.emplace_back(readers.begin(), readers.end());
    }
}

const PlacementLimits&
OperatorPlacement::GetLimits() const
{
    return m_limits;
}

const std::vector<uint32_t>&
OperatorPlacement::GetHolders(uint32_t number) const
{
    return m_holders.at(number);
}

const std::vector<uint32_t>&
OperatorPlacement::GetReaders(uint32_t number) const
{
    return m_readers.at(number);
}

} // namespace photonic
} // namespace ns3
