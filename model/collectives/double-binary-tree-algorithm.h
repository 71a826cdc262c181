/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_DOUBLE_BINARY_TREE_ALGORITHM_H
#define PHOTONIC_DOUBLE_BINARY_TREE_ALGORITHM_H

#include "collective-algorithm.h"

#include <optional>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief Two binary trees over the same ranks, in which inner ranks of the one are leaves of the
 * other (Sanders, Speck and Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction
 * and scan", Parallel Computing 35, 2009); shaped as NCCL's from 2.4 on.
 *
 * Each tree carries one half of the data, in chunks. In an all-reduce a chunk goes up as soon as it
 * has come from all children, and down from the root; in a broadcast position 0 feeds the roots of
 * two trees over all others. So 2(n-1) times, or n-1 times, the bytes are sent in all, and the
 * first chunk passes at most floor(log2 n)+1 ranks in either direction. The second tree is the
 * first one mirrored if the number of ranks is even, else shifted by one: with an odd number rank 0
 * is an inner one of both.
 *
 * Blocks are the chunks, first those of the first tree.
 */
class DoubleBinaryTreeAlgorithm : public CollectiveAlgorithm
{
  public:
    /// NCCL's: an eighth of its buffer of 4 MiB.
    static constexpr uint64_t DEFAULT_CHUNK_BYTES = 512 * 1024;

    /// Neighbours of a rank in a tree.
    struct Node
    {
        /// Node above; the root has none.
        std::optional<uint32_t> parent;
        std::vector<uint32_t> children; ///< at most two
    };

    /// @param chunkBytes of a chunk, above 0 (else std::invalid_argument)
    explicit DoubleBinaryTreeAlgorithm(uint64_t chunkBytes = DEFAULT_CHUNK_BYTES);

    std::string GetName() const override;
    bool Serves(CollectiveKind kind) const override;

    /// @param n ranks, at least 1 @param tree 0 or 1 @param rank 0 to n-1 @return its neighbours
    static Node GetNode(uint32_t n, uint32_t tree, uint32_t rank);

  private:
    MemberPlan DoPlan(const CollectiveTask& task, uint32_t position) const override;

    uint64_t m_chunkBytes;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_DOUBLE_BINARY_TREE_ALGORITHM_H
