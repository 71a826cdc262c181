/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ocs-allocation.h"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <string>
#include <tuple>

namespace ns3
{
namespace photonic
{

namespace
{

__extension__ typedef unsigned __int128 Wide;

/// Circuits for a demand: m / bytes of them for each byte.
struct Ratio
{
    uint32_t m;
    uint64_t bytes;

    bool operator<(const Ratio& o) const
    {
        return Wide(m) * o.bytes < Wide(o.m) * bytes;
    }
};

struct Pair
{
    uint32_t from;
    uint32_t to;
    uint64_t bytes;
    uint32_t circuits{0};
};

/// Circuits of all pairs, and ports that they leave.
class Allocation
{
  public:
    Allocation(const TrafficBySender& traffic, uint32_t switches)
        : m_n(traffic.size()),
          m_switches(switches)
    {
        for (uint32_t from = 0; from < m_n; from++)
        {
            for (uint32_t to = 0; to < m_n; to++)
            {
                if (from != to && traffic[from][to] > 0)
                {
                    m_pairs.push_back({from, to, traffic[from][to]});
                }
            }
        }
        CheckDegrees();
    }

    void Maximise()
    {
        std::vector<Ratio> ratios;
        for (const auto& pair : m_pairs)
        {
            for (uint32_t m = 1; m <= m_switches; m++)
            {
                ratios.push_back({m, pair.bytes});
            }
        }
        std::sort(ratios.begin(), ratios.end());
        // The smallest always fits: one circuit for each pair.
        const auto best = std::partition_point(ratios.begin(),
                                               ratios.end(),
                                               [this](const Ratio& z) { return Fits(z); });
        if (best != ratios.begin())
        {
            Set(*(best - 1));
        }
    }

    void ShareRest()
    {
        const auto later = [this](uint32_t a, uint32_t b) {
            const Ratio of[] = {{m_pairs[a].circuits, m_pairs[a].bytes},
                                {m_pairs[b].circuits, m_pairs[b].bytes}};
            return of[1] < of[0] || (!(of[0] < of[1]) && a > b);
        };
        std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(later)> queue(later);
        for (uint32_t i = 0; i < m_pairs.size(); i++)
        {
            queue.push(i);
        }
        while (!queue.empty())
        {
            const uint32_t i = queue.top();
            queue.pop();
            Pair& pair = m_pairs[i];
            if (m_out[pair.from] < m_switches && m_in[pair.to] < m_switches)
            {
                pair.circuits++;
                m_out[pair.from]++;
                m_in[pair.to]++;
                queue.push(i);
            }
        }
    }

    std::vector<std::vector<uint32_t>> Get() const
    {
        std::vector<std::vector<uint32_t>> circuits(m_n, std::vector<uint32_t>(m_n));
        for (const auto& pair : m_pairs)
        {
            circuits[pair.from][pair.to] = pair.circuits;
        }
        return circuits;
    }

  private:
    void CheckDegrees() const
    {
        std::vector<uint32_t> out(m_n);
        std::vector<uint32_t> in(m_n);
        for (const auto& pair : m_pairs)
        {
            for (const auto& [gpu, count, what] :
                 {std::make_tuple(pair.from, ++out[pair.from], "sends to "),
                  std::make_tuple(pair.to, ++in[pair.to], "hears from ")})
            {
                if (count > m_switches)
                {
                    throw std::invalid_argument("GPU " + std::to_string(gpu) + " " + what +
                                                "more than " + std::to_string(m_switches) +
                                                " others, and has a port on each of " +
                                                std::to_string(m_switches) + " switches");
                }
            }
        }
    }

    /// Give each pair the least number of circuits for z.
    void Set(const Ratio& z)
    {
        m_out.assign(m_n, 0);
        m_in.assign(m_n, 0);
        for (auto& pair : m_pairs)
        {
            const Wide least = (Wide(z.m) * pair.bytes + z.bytes - 1) / z.bytes;
            pair.circuits = static_cast<uint32_t>(std::min<Wide>(least, m_switches + 1));
            m_out[pair.from] += pair.circuits;
            m_in[pair.to] += pair.circuits;
        }
    }

    bool Fits(const Ratio& z)
    {
        Set(z);
        const auto most = [](const std::vector<uint32_t>& ports) {
            return *std::max_element(ports.begin(), ports.end());
        };
        return most(m_out) <= m_switches && most(m_in) <= m_switches;
    }

    uint32_t m_n;
    uint32_t m_switches;
    std::vector<Pair> m_pairs;
    std::vector<uint32_t> m_out; ///< ports in use, by sender
    std::vector<uint32_t> m_in;  ///< by receiver
};

/// Colours edges one by one; what has two ends of a colour free takes it.
class EdgeColouring
{
  public:
    EdgeColouring(uint32_t n, uint32_t colours)
        : m_colours(colours),
          m_receiver(n, std::vector<uint32_t>(colours, NONE)),
          m_sender(n, std::vector<uint32_t>(colours, NONE))
    {
    }

    void Add(uint32_t from, uint32_t to)
    {
        const uint32_t a = FindFree(m_receiver[from]);
        const uint32_t b = FindFree(m_sender[to]);
        if (a != b)
        {
            Exchange(to, a, b);
        }
        m_receiver[from][a] = to;
        m_sender[to][a] = from;
    }

    std::vector<std::vector<uint32_t>> Get() const
    {
        std::vector<std::vector<uint32_t>> permutations(m_colours);
        for (uint32_t colour = 0; colour < m_colours; colour++)
        {
            for (uint32_t from = 0; from < m_receiver.size(); from++)
            {
                const uint32_t to = m_receiver[from][colour];
                permutations[colour].push_back(to == NONE ? from : to);
            }
        }
        return permutations;
    }

  private:
    static constexpr uint32_t NONE = 0xffffffff;

    static uint32_t FindFree(const std::vector<uint32_t>& ends)
    {
        const auto free = std::find(ends.begin(), ends.end(), NONE);
        if (free == ends.end())
        {
            throw std::invalid_argument("a GPU has more circuits one way than there are switches");
        }
        return free - ends.begin();
    }

    /// Swap two colours along the path of these that leads from a receiver to which b is free.
    void Exchange(uint32_t to, uint32_t a, uint32_t b)
    {
        std::vector<std::pair<uint32_t, uint32_t>> edges; // of colours a, b, a, ...
        uint32_t receiver = to;
        while (true)
        {
            const uint32_t sender = m_sender[receiver][a];
            if (sender == NONE)
            {
                break;
            }
            edges.emplace_back(sender, receiver);
            receiver = m_receiver[sender][b];
            if (receiver == NONE)
            {
                break;
            }
            edges.emplace_back(sender, receiver);
        }
        for (std::size_t i = 0; i < edges.size(); i++)
        {
            const auto& [sender, end] = edges[i];
            const uint32_t colour = i % 2 == 0 ? a : b;
            m_receiver[sender][colour] = NONE;
            m_sender[end][colour] = NONE;
        }
        for (std::size_t i = 0; i < edges.size(); i++)
        {
            const auto& [sender, end] = edges[i];
            const uint32_t colour = i % 2 == 0 ? b : a;
            m_receiver[sender][colour] = end;
            m_sender[end][colour] = sender;
        }
    }

    uint32_t m_colours;
    std::vector<std::vector<uint32_t>> m_receiver; ///< by sender and colour
    std::vector<std::vector<uint32_t>> m_sender;   ///< by receiver and colour
};

} // namespace

std::vector<std::vector<uint32_t>>
AllocateSipOcs(const TrafficBySender& traffic, uint32_t switches)
{
    Allocation allocation(traffic, switches);
    allocation.Maximise();
    allocation.ShareRest();
    return allocation.Get();
}

std::vector<std::vector<uint32_t>>
SplitIntoPermutations(const std::vector<std::vector<uint32_t>>& circuits, uint32_t switches)
{
    EdgeColouring colouring(circuits.size(), switches);
    for (uint32_t from = 0; from < circuits.size(); from++)
    {
        for (uint32_t to = 0; to < circuits.size(); to++)
        {
            for (uint32_t i = 0; i < circuits[from][to]; i++)
            {
                colouring.Add(from, to);
            }
        }
    }
    return colouring.Get();
}

} // namespace photonic
} // namespace ns3
