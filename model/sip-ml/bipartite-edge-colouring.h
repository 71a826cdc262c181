/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_BIPARTITE_EDGE_COLOURING_H
#define PHOTONIC_BIPARTITE_EDGE_COLOURING_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-sip-ml
 * @brief Splits circuits into permutations: colours the edges of a bipartite multigraph so that
 * those of a colour do not touch.
 *
 * As many colours as a node has edges at most are always enough (Koenig): where no colour is free
 * at both ends of an edge, two colours are swapped along the path of them that begins at one end,
 * which cannot reach the other. An edge takes O(colours + nodes).
 */
class BipartiteEdgeColouring
{
  public:
    /**
     * @param nodes on either side
     * @param colours number of them
     */
    BipartiteEdgeColouring(uint32_t nodes, uint32_t colours);

    /**
     * Colour one more edge; others may change colour.
     * @param source node on one side
     * @param destination node on the other
     * @throws std::invalid_argument if as many edges as there are colours end at one of them
     */
    void Add(uint32_t source, uint32_t destination);

    /**
     * What the edges of a colour say, made complete. A source without edge sends to itself if
     * nobody else does; else, as the last of a path of edges, to the first.
     * @param colour less than their number
     * @return destination of each source
     */
    std::vector<uint32_t> GetPermutation(uint32_t colour) const;

  private:
    static constexpr uint32_t NONE = UINT32_MAX;

    uint32_t& Destination(uint32_t source, uint32_t colour);
    uint32_t& Source(uint32_t destination, uint32_t colour);

    uint32_t m_nodes;
    uint32_t m_colours;
    std::vector<uint32_t> m_destinations; ///< by source and colour
    std::vector<uint32_t> m_sources;      ///< by destination and colour
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_BIPARTITE_EDGE_COLOURING_H
