/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPERATOR_PLACEMENT_H
#define PHOTONIC_OPERATOR_PLACEMENT_H

#include "operator-graph.h"

#include "ns3/compute-model.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-operators
 * @brief In how many pieces an operator is split (SiP-ML, SIGCOMM 2021, parallelisation).
 *
 * @param duration of its forward pass on one GPU
 * @param grain that a piece shall last at least
 * @param most pieces, at least 1
 * @return the largest power of two that is at most duration / grain and at most most; at least 1
 */
uint32_t CountPieces(Time duration, Time grain, uint32_t most);

/**
 * @ingroup photonic-rails-operators
 * @brief What a fabric asks of a placement.
 *
 * GPUs are numbered group * gpus + position, and stand in that order along a ring.
 */
struct PlacementLimits
{
    uint32_t gpus{8};   ///< of a model-parallel group
    uint32_t groups{2}; ///< model-parallel groups, cyclically
    uint32_t degree{0}; ///< distinct GPUs that a GPU sends to, and receives from; 0: any number
    uint32_t reach{0};  ///< of a transfer, in GPUs along the ring; 0: any
    Time grain{MicroSeconds(1)}; ///< an operator is split into pieces that last at least so long
};

/**
 * @ingroup photonic-rails-operators
 * @brief Which GPUs of a model-parallel group hold the pieces of each operator of a graph.
 *
 * Operators are split along their output features. In the order of the graph, pieces go to the GPUs
 * of the group that are free earliest (of equal ones the lowest number), different pieces of an
 * operator to different ones, as far as the limits allow: no GPU has more destinations, or sources,
 * than degree, and no transfer is longer than reach, those between groups included. So an operator
 * has at most degree, or reach + 1, pieces. If there are too few GPUs for them it is split in half
 * as many; where even one piece fits nowhere, everything is placed anew on the first half of the
 * GPUs.
 *
 * Piece i of an operator sends its gradients to piece i + 1 in the next group (the last one to
 * piece 0). Pieces are numbered by GPU, since that gives the fewest and nearest such neighbours.
 * All groups have the same placement.
 */
class OperatorPlacement
{
  public:
    /**
     * @param graph with the batch of one group
     * @param compute how long a piece takes
     * @param limits of the fabric
     * @throws std::invalid_argument if there are no GPUs, groups or grain, or if even one GPU per
     *         group is too far from that of the next one
     */
    OperatorPlacement(const OperatorGraph& graph,
                      const ComputeModel& compute,
                      const PlacementLimits& limits);

    /// @return the largest degrees that it may use
    const PlacementLimits& GetLimits() const;

    /// @param number of an operator @return position of each piece's GPU in the group, ascending
    const std::vector<uint32_t>& GetHolders(uint32_t number) const;
    /// @param number of an operator @return positions with a piece of one that reads from it,
    ///        ascending
    const std::vector<uint32_t>& GetReaders(uint32_t number) const;

  private:
    /// State of a placement on the first GPUs of a group.
    class Attempt;

    PlacementLimits m_limits;
    std::vector<std::vector<uint32_t>> m_holders;
    std::vector<std::vector<uint32_t>> m_readers;
};

/**
 * @ingroup photonic-rails-operators
 * @brief Bytes that move in one direction between the holders of an operator's pieces and those
 *        that read from it: forward a share of its output, backward the gradient of that.
 *
 * @param producer an operator
 * @param pieces in which it is split
 * @return bytes of one piece's share, rounded up
 */
uint64_t GetShareBytes(const Operator& producer, uint32_t pieces);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPERATOR_PLACEMENT_H
