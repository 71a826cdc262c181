/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "double-binary-tree-algorithm.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/**
 * A tree in order: the lowest bit that is set in a rank is its height, odd ranks are leaves and 0
 * is above the root. Parents that do not exist are skipped.
 */
DoubleBinaryTreeAlgorithm::Node
GetInOrder(uint32_t n, uint32_t rank)
{
    DoubleBinaryTreeAlgorithm::Node node;
    uint32_t height = rank & (~rank + 1);
    if (rank == 0)
    {
        height = 1;
        while (height < n)
        {
            height *= 2;
        }
    }
    else
    {
        const uint32_t up = (rank ^ height) | height << 1;
        node.parent = up < n ? up : rank ^ height;
        if (height > 1)
        {
            node.children.push_back(rank - height / 2);
        }
    }
    for (uint32_t below = height / 2; below > 0; below /= 2)
    {
        if (rank + below < n)
        {
            node.children.push_back(rank + below);
            break;
        }
    }
    return node;
}

/// Chunks of one tree's half.
struct Half
{
    Half(uint64_t total, uint32_t tree, uint64_t chunk)
        : bytes(GetLaneBytes(total, 2, tree)),
          chunkBytes(chunk),
          chunks((bytes + chunk - 1) / chunk)
    {
        if (chunks > UINT32_MAX / 4)
        {
            throw std::invalid_argument("chunks of " + std::to_string(chunk) +
                                        " bytes are too small for an operation of " +
                                        std::to_string(total));
        }
    }

    uint64_t GetBytes(uint32_t chunk) const
    {
        return std::min(chunkBytes, bytes - chunk * chunkBytes);
    }

    uint64_t bytes;
    uint64_t chunkBytes;
    uint64_t chunks;
};

/// A member's part of one tree, added to its plan.
class TreeMaker
{
  public:
    /**
     * @param plan to add to
     * @param half what the tree carries
     * @param first number of its first block
     * @param tree which, so that numbers of transfers differ
     */
    TreeMaker(MemberPlan& plan, const Half& half, uint32_t first, uint32_t tree)
        : m_plan(plan),
          m_half(half),
          m_first(first),
          m_tree(tree)
    {
    }

    /// @param peer that all chunks come from @param down whether they come from above
    /// @return the stream
    uint32_t Receive(uint32_t peer, bool down)
    {
        m_plan.streams.emplace_back();
        for (uint32_t c = 0; c < m_half.chunks; c++)
        {
            m_plan.streams.back().push_back(
                {peer, GetNumber(c, down), m_half.GetBytes(c), MemberPlan::Via::PEER});
        }
        return m_plan.streams.size() - 1;
    }

    /// @param peers that all chunks go to @param down whether it is below
    /// @param streams each of which a chunk has to have come by
    void Send(const std::vector<uint32_t>& peers, bool down, const std::vector<uint32_t>& streams)
    {
        if (peers.empty())
        {
            return;
        }
        m_plan.queues.emplace_back();
        for (uint32_t c = 0; c < m_half.chunks; c++)
        {
            std::vector<MemberPlan::Need> needs;
            for (uint32_t stream : streams)
            {
                needs.push_back({stream, c + 1});
            }
            for (uint32_t peer : peers)
            {
                m_plan.AddSend(m_plan.queues.size() - 1,
                               {peer,
                                GetNumber(c, down),
                                m_half.GetBytes(c),
                                {0, m_first + c, 1},
                                !down,
                                MemberPlan::Via::PEER,
                                0,
                                0},
                               needs);
            }
        }
    }

  private:
    uint32_t GetNumber(uint32_t chunk, bool down) const
    {
        // Two ranks may be neighbours in both trees.
        return chunk * 4 + m_tree * 2 + down;
    }

    MemberPlan& m_plan;
    const Half& m_half;
    uint32_t m_first;
    uint32_t m_tree;
};

} // namespace

DoubleBinaryTreeAlgorithm::DoubleBinaryTreeAlgorithm(uint64_t chunkBytes)
    : m_chunkBytes(chunkBytes)
{
    if (chunkBytes == 0)
    {
        throw std::invalid_argument("a tree has chunks of 0 bytes: expected at least 1");
    }
}

std::string
DoubleBinaryTreeAlgorithm::GetName() const
{
    return "double-binary-tree";
}

bool
DoubleBinaryTreeAlgorithm::Serves(CollectiveKind kind) const
{
    return kind == CollectiveKind::ALL_REDUCE || kind == CollectiveKind::BROADCAST;
}

DoubleBinaryTreeAlgorithm::Node
DoubleBinaryTreeAlgorithm::GetNode(uint32_t n, uint32_t tree, uint32_t rank)
{
    if (tree == 0)
    {
        return GetInOrder(n, rank);
    }
    const bool mirror = n % 2 == 0;
    Node node = GetInOrder(n, mirror ? n - 1 - rank : (rank + n - 1) % n);
    const auto back = [&](uint32_t r) { return mirror ? n - 1 - r : (r + 1) % n; };
    if (node.parent)
    {
        node.parent = back(*node.parent);
    }
    std::transform(node.children.begin(), node.children.end(), node.children.begin(), back);
    return node;
}

MemberPlan
DoubleBinaryTreeAlgorithm::DoPlan(const CollectiveTask& task, uint32_t position) const
{
    MemberPlan plan(0);
    const bool reduces = task.kind == CollectiveKind::ALL_REDUCE;
    const uint32_t shift = reduces ? 0 : 1; // in a broadcast the root is above both trees
    const uint32_t n = task.n - shift;
    uint32_t first = 0;
    for (uint32_t tree = 0; tree < 2; tree++)
    {
        const Half half(task.bytes, tree, m_chunkBytes);
        TreeMaker maker(plan, half, first, tree);
        first += half.chunks;
        if (position < shift)
        {
            uint32_t root = 0;
            while (GetNode(n, tree, root).parent)
            {
                root++;
            }
            maker.Send({root + shift}, true, {});
            continue;
        }
        Node node = GetNode(n, tree, position - shift);
        for (auto& child : node.children)
        {
            child += shift;
        }
        std::vector<uint32_t> complete; // streams of the whole reduction
        if (reduces)
        {
            for (uint32_t child : node.children)
            {
                complete.push_back(maker.Receive(child, false));
            }
        }
        if (node.parent || !reduces)
        {
            const uint32_t parent = node.parent ? *node.parent + shift : 0;
            if (reduces)
            {
                maker.Send({parent}, false, complete);
            }
            complete = {maker.Receive(parent, true)};
        }
        maker.Send(node.children, true, complete);
    }
    return plan;
}

} // namespace photonic
} // namespace ns3
