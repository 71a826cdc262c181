/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_WEIGHTED_B_MATCHING_H
#define PHOTONIC_WEIGHTED_B_MATCHING_H

#include "traffic-matrix.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-sip-ml
 * @brief Finds numbers of circuits that maximise the sum of bytes times circuits.
 *
 * Successive shortest paths (the Hungarian method where all capacities are 1), row by row, in
 * integers: exact. O(n x capacity) shortest paths in the worst case, and n where no pair is
 * limited.
 */
class WeightedBMatching
{
  public:
    /**
     * @param demand weight of a circuit of each pair; pairs without get none
     * @param capacity circuits that begin and circuits that end at a GPU, at most
     * @param limit circuits of a pair, at most
     */
    WeightedBMatching(const TrafficMatrix& demand, uint32_t capacity, uint32_t limit);

    /// @return circuits of each pair with demand, in the order of TrafficMatrix::GetDemands()
    std::vector<uint32_t> Solve();

  private:
    // A path has up to 2^33 edges of up to 2^64.
    __extension__ typedef __int128 Wide;

    /// Move one or more units of a row to where they weigh most. @return how many
    uint32_t Augment(uint32_t row, uint32_t units);
    void Relax(uint32_t node, Wide distance, uint32_t edge);
    uint32_t Apply(uint32_t row, uint32_t last, uint32_t idle, uint32_t units);
    Wide GetReduced(uint32_t edge) const;

    uint32_t m_size;
    uint32_t m_limit;
    std::vector<TrafficMatrix::Demand> m_edges;
    std::vector<uint32_t> m_flow;                  ///< by edge
    std::vector<std::vector<uint32_t>> m_adjacent; ///< edges by node: rows, then columns
    std::vector<Wide> m_potential;                 ///< by node
    std::vector<uint32_t> m_spare;                 ///< of columns
    std::vector<Wide> m_distance;                  ///< by node, of the present path
    std::vector<uint32_t> m_via;                   ///< edge by which a node was reached
    std::vector<uint8_t> m_done;                   ///< whether the distance of a node is final
    std::vector<uint32_t> m_reached;               ///< nodes with a distance
    std::vector<std::pair<Wide, uint32_t>> m_heap; ///< nodes to visit, nearest first
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_WEIGHTED_B_MATCHING_H
