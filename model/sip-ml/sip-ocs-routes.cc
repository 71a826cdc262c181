/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ocs-routes.h"

#include "sip-ocs-allocation.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

using Demand = TrafficMatrix::Demand;

/// Circuits on a path, and bytes on them: compared in this order.
using Length = std::pair<uint32_t, uint64_t>;

using Graph = boost::adjacency_list<boost::vecS,
                                    boost::vecS,
                                    boost::directedS,
                                    boost::no_property,
                                    boost::property<boost::edge_weight_t, Length>>;

/// The circuits, and what goes over them.
class Network
{
  public:
    Network(uint32_t gpus, uint32_t ports)
        : m_graph(gpus),
          m_loads(gpus),
          m_outputs(gpus, ports),
          m_inputs(gpus, ports)
    {
    }

    /// Give a pair a circuit, if its GPUs have ports left. @return whether it has one now
    bool Join(uint32_t source, uint32_t destination)
    {
        if (boost::edge(source, destination, m_graph).second)
        {
            return true;
        }
        if (m_outputs[source] == 0 || m_inputs[destination] == 0)
        {
            return false;
        }
        m_outputs[source]--;
        m_inputs[destination]--;
        boost::add_edge(source, destination, Length{1, 0}, m_graph);
        return true;
    }

    /// @param bytes that go over a circuit, too
    void Add(uint32_t source, uint32_t destination, uint64_t bytes)
    {
        const uint64_t load = m_loads.Get(source, destination) + bytes;
        m_loads.Set(source, destination, load);
        boost::put(boost::edge_weight,
                   m_graph,
                   boost::edge(source, destination, m_graph).first,
                   Length{1, load});
    }

    /// @return GPUs of the best path, both ends included; empty if there is none
    std::vector<uint32_t> FindPath(uint32_t source, uint32_t destination) const
    {
        std::vector<uint32_t> before(boost::num_vertices(m_graph));
        const Length none{std::numeric_limits<uint32_t>::max(),
                          std::numeric_limits<uint64_t>::max()};
        boost::dijkstra_shortest_paths(
            m_graph,
            source,
            boost::predecessor_map(
                boost::make_iterator_property_map(before.begin(),
                                                  boost::get(boost::vertex_index, m_graph)))
                .distance_zero(Length{0, 0})
                .distance_inf(none)
                .distance_combine([&none](const Length& a, const Length& b) {
                    return a == none || b == none ? none
                                                  : Length{a.first + b.first, a.second + b.second};
                }));
        if (before[destination] == destination)
        {
            return {};
        }
        std::vector<uint32_t> path;
        for (uint32_t gpu = destination; gpu != source; gpu = before[gpu])
        {
            path.push_back(gpu);
        }
        path.push_back(source);
        std::reverse(path.begin(), path.end());
        return path;
    }

    const TrafficMatrix& GetLoads() const
    {
        return m_loads;
    }

  private:
    Graph m_graph;
    TrafficMatrix m_loads;
    std::vector<uint32_t> m_outputs; ///< ports left
    std::vector<uint32_t> m_inputs;
};

/// @return GPUs that send or receive, in order
std::vector<uint32_t>
FindTalkers(const TrafficMatrix& demand)
{
    std::vector<uint32_t> talkers;
    for (const auto& [source, destination, bytes] : demand.GetDemands())
    {
        talkers.push_back(source);
        talkers.push_back(destination);
    }
    std::sort(talkers.begin(), talkers.end());
    talkers.erase(std::unique(talkers.begin(), talkers.end()), talkers.end());
    return talkers;
}

/// @param demand bytes @param demands the same, in the order in which they get circuits
/// @param ring whether there is one @return routes, unless a pair has no path
std::optional<SipOcsRoutes>
TryToRoute(const TrafficMatrix& demand,
           const std::vector<Demand>& demands,
           uint32_t switches,
           bool ring)
{
    Network network(demand.GetSize(), switches);
    if (ring)
    {
        const auto talkers = FindTalkers(demand);
        for (size_t i = 0; i < talkers.size(); i++)
        {
            network.Join(talkers[i], talkers[(i + 1) % talkers.size()]);
        }
    }
    std::vector<Demand> detoured;
    for (const auto& pair : demands)
    {
        if (network.Join(pair.source, pair.destination))
        {
            network.Add(pair.source, pair.destination, pair.bytes);
        }
        else
        {
            detoured.push_back(pair);
        }
    }
    std::vector<SipOcsRoutes::Detour> detours;
    uint64_t forwarded = 0;
    for (const auto& [source, destination, bytes] : detoured)
    {
        const auto path = network.FindPath(source, destination);
        if (path.empty())
        {
            return {};
        }
        for (size_t i = 1; i < path.size(); i++)
        {
            network.Add(path[i - 1], path[i], bytes);
        }
        detours.push_back({source, destination, {path.begin() + 1, path.end() - 1}});
        forwarded += bytes * (path.size() - 2);
    }
    std::sort(detours.begin(), detours.end(), [](const auto& a, const auto& b) {
        return std::make_pair(a.source, a.destination) < std::make_pair(b.source, b.destination);
    });
    return SipOcsRoutes{std::move(detours), network.GetLoads(), forwarded};
}

} // namespace

SipOcsRoutes
SipOcsRoutes::Find(const TrafficMatrix& demand, uint32_t switches)
{
    if (switches == 0)
    {
        throw std::invalid_argument("SiP-OCS: expected at least 1 switch, found 0");
    }
    auto largest = demand.GetDemands();
    std::stable_sort(largest.begin(), largest.end(), [](const Demand& a, const Demand& b) {
        return a.bytes > b.bytes;
    });
    auto nearest = demand.GetDemands();
    const uint32_t gpus = demand.GetSize();
    std::stable_sort(nearest.begin(), nearest.end(), [gpus](const Demand& a, const Demand& b) {
        return (a.destination + gpus - a.source) % gpus < (b.destination + gpus - b.source) % gpus;
    });
    std::vector<SipOcsRoutes> found;
    SipShare share{0, 1};
    for (const bool ring : {false, true})
    {
        for (const auto* demands : {&largest, &nearest})
        {
            auto routes = TryToRoute(demand, *demands, switches, ring);
            if (!routes)
            {
                continue;
            }
            const auto worst = SipOcsAllocation::MaximiseWorst(routes->links, switches).worst;
            if (routes->detours.empty())
            {
                return *routes;
            }
            if (found.empty() || share < worst)
            {
                found.push_back(*routes);
                share = worst;
            }
        }
    }
    return found.back(); // with a ring there are routes
}

} // namespace photonic
} // namespace ns3
