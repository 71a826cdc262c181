/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "bipartite-edge-colouring.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace ns3
{
namespace photonic
{

BipartiteEdgeColouring::BipartiteEdgeColouring(uint32_t nodes, uint32_t colours)
    : m_nodes(nodes),
      m_colours(colours),
      m_destinations(size_t{nodes} * colours, NONE),
      m_sources(size_t{nodes} * colours, NONE)
{
}

uint32_t&
BipartiteEdgeColouring::Destination(uint32_t source, uint32_t colour)
{
    return m_destinations[size_t{source} * m_colours + colour];
}

uint32_t&
BipartiteEdgeColouring::Source(uint32_t destination, uint32_t colour)
{
    return m_sources[size_t{destination} * m_colours + colour];
}

void
BipartiteEdgeColouring::Add(uint32_t source, uint32_t destination)
{
    uint32_t here = NONE;  // free at the source
    uint32_t there = NONE; // free at the destination
    for (uint32_t colour = 0; colour < m_colours; ++colour)
    {
        const bool freeHere = Destination(source, colour) == NONE;
        const bool freeThere = Source(destination, colour) == NONE;
        if (freeHere && freeThere)
        {
            Destination(source, colour) = destination;
            Source(destination, colour) = source;
            return;
        }
        here = freeHere && here == NONE ? colour : here;
        there = freeThere && there == NONE ? colour : there;
    }
    if (here == NONE || there == NONE)
    {
        throw std::invalid_argument("edge " + std::to_string(source) + " to " +
                                    std::to_string(destination) + ": all " +
                                    std::to_string(m_colours) + " colours are taken");
    }
    // Each edge takes its colour from the next one of the path, which gets the other colour.
    while (true)
    {
        const uint32_t nextSource = std::exchange(Source(destination, here), source);
        Destination(source, here) = destination;
        if (nextSource == NONE)
        {
            Source(destination, there) = NONE;
            return;
        }
        const uint32_t nextDestination = std::exchange(Destination(nextSource, there), destination);
        Source(destination, there) = nextSource;
        if (nextDestination == NONE)
        {
            Destination(nextSource, here) = NONE;
            return;
        }
        source = nextSource;
        destination = nextDestination;
    }
}

std::vector<uint32_t>
BipartiteEdgeColouring::GetPermutation(uint32_t colour) const
{
    std::vector<uint32_t> permutation(m_nodes);
    for (uint32_t source = 0; source < m_nodes; ++source)
    {
        const uint32_t destination = m_destinations[size_t{source} * m_colours + colour];
        if (destination != NONE)
        {
            permutation[source] = destination;
            continue;
        }
        uint32_t first = source;
        for (uint32_t before = source; before != NONE;
             before = m_sources[size_t{before} * m_colours + colour])
        {
            first = before;
        }
        permutation[source] = first;
    }
    return permutation;
}

} // namespace photonic
} // namespace ns3
