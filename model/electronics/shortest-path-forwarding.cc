/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "shortest-path-forwarding.h"

#include "ns3/net-device.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr uint32_t FAR = std::numeric_limits<uint32_t>::max();

/// Hosts that are numbered consecutively, and to be reached by the same ports.
struct Block
{
    uint32_t first;
    uint32_t last;
    uint32_t where; ///< switch
    std::vector<uint32_t> ports;
};

/// The switches of a fabric as a graph.
class Graph
{
  public:
    explicit Graph(const std::vector<Ptr<PacketSwitch>>& switches)
        : m_edges(switches.size()),
          m_distances(switches.size())
    {
        std::unordered_map<const PacketSwitch*, uint32_t> numbers;
        for (uint32_t s = 0; s < switches.size(); s++)
        {
            numbers[PeekPointer(switches[s])] = s;
        }
        for (uint32_t s = 0; s < switches.size(); s++)
        {
            for (uint32_t port = 0; port < switches[s]->GetNPorts(); port++)
            {
                const auto peer = switches[s]->GetPeer(port);
                const auto entry = peer ? numbers.find(&peer->GetSwitch()) : numbers.end();
                if (entry != numbers.end())
                {
                    m_edges[s].push_back({port, entry->second});
                }
            }
        }
    }

    /// Measure all distances to a switch. @return the switches that can reach it, nearest first
    const std::vector<uint32_t>& Measure(uint32_t to)
    {
        std::fill(m_distances.begin(), m_distances.end(), FAR);
        m_distances[to] = 0;
        m_order = {to};
        for (std::size_t i = 0; i < m_order.size(); i++)
        {
            for (const auto& edge : m_edges[m_order[i]])
            {
                if (m_distances[edge.peer] == FAR)
                {
                    m_distances[edge.peer] = m_distances[m_order[i]] + 1;
                    m_order.push_back(edge.peer);
                }
            }
        }
        return m_order;
    }

    /// @return ports of a switch that lead nearer to the one measured from
    std::vector<uint32_t> GetPorts(uint32_t from) const
    {
        std::vector<uint32_t> ports;
        for (const auto& edge : m_edges[from])
        {
            if (m_distances[edge.peer] + 1 == m_distances[from])
            {
                ports.push_back(edge.port);
            }
        }
        return ports;
    }

  private:
    struct Edge
    {
        uint32_t port;
        uint32_t peer; ///< switch
    };

    std::vector<std::vector<Edge>> m_edges; ///< by switch
    std::vector<uint32_t> m_distances;      ///< to the switch measured from
    std::vector<uint32_t> m_order;
};

/// @return where each host is, in the order of their numbers
std::map<uint32_t, std::pair<uint32_t, uint32_t>>
FindHosts(const std::vector<Ptr<PacketSwitch>>& switches)
{
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> hosts;
    for (uint32_t s = 0; s < switches.size(); s++)
    {
        for (uint32_t port = 0; port < switches[s]->GetNPorts(); port++)
        {
            const auto device = switches[s]->GetDevice(port);
            if (!device)
            {
                continue;
            }
            const auto address = ToInteger(Mac48Address::ConvertFrom(device->GetAddress()));
            if (address >> 32 != ForwardingTable::HOST_PREFIX)
            {
                throw std::invalid_argument("a device of a fabric has an address that contains no "
                                            "host number");
            }
            const uint32_t host = address & 0xffffffff;
            if (!hosts.insert({host, {s, port}}).second)
            {
                throw std::invalid_argument("two devices of a fabric are host " +
                                            std::to_string(host));
            }
        }
    }
    return hosts;
}

/// Append a block, to the last one if it goes on where that ends.
void
Append(std::vector<Block>& blocks, Block block)
{
    if (!blocks.empty() && blocks.back().last + 1 == block.first &&
        blocks.back().where == block.where && blocks.back().ports == block.ports)
    {
        blocks.back().last = block.last;
        return;
    }
    blocks.push_back(std::move(block));
}

} // namespace

void
InstallShortestPaths(const std::vector<Ptr<PacketSwitch>>& switches)
{
    if (switches.empty())
    {
        return;
    }
    Graph graph(switches);
    std::vector<Block> destinations;
    std::vector<std::vector<Block>> tables(switches.size());
    const auto hosts = FindHosts(switches);
    for (const auto& [host, place] : hosts)
    {
        Append(destinations, {host, host, place.first, {}});
    }
    uint32_t measured = FAR;
    const std::vector<uint32_t>* order = nullptr;
    for (const auto& block : destinations)
    {
        if (block.where != measured)
        {
            measured = block.where;
            order = &graph.Measure(measured);
        }
        for (uint32_t s : *order)
        {
            if (s != measured)
            {
                Append(tables[s], {block.first, block.last, 0, graph.GetPorts(s)});
            }
        }
        for (auto host = hosts.find(block.first); host != hosts.end() && host->first <= block.last;
             ++host)
        {
            Append(tables[measured], {host->first, host->first, 0, {host->second.second}});
        }
    }
    for (uint32_t s = 0; s < switches.size(); s++)
    {
        switches[s]->ClearForwarding();
        for (const auto& block : tables[s])
        {
            switches[s]->SetForwarding(block.first, block.last, block.ports);
        }
        UintegerValue seed;
        switches[s]->GetAttribute("EcmpSeed", seed);
        if (seed.Get() == 0)
        {
            switches[s]->SetAttribute("EcmpSeed", UintegerValue(s + 1));
        }
    }
    for (uint32_t s : graph.Measure(0))
    {
        if (s != 0)
        {
            const uint32_t port = graph.GetPorts(s).front();
            const auto peer = switches[s]->GetPeer(port);
            switches[s]->SetFlooding(port);
            peer->GetSwitch().SetFlooding(peer->GetNumber());
        }
    }
}

} // namespace photonic
} // namespace ns3
