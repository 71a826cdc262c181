/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/collective-plan.h"
#include "ns3/hierarchical-collective.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

/// Blocks of data that a rank has, and whose contributions are in each.
using Holding = std::map<uint32_t, std::set<uint32_t>>;

/// Ranks are (node, place): node x local + place. A rank's own block has its number.
class Grid
{
  public:
    Grid(uint32_t nodes, uint32_t local)
        : m_nodes(nodes),
          m_local(local),
          m_has(nodes * local)
    {
    }

    Holding& At(uint32_t rank)
    {
        return m_has[rank];
    }

    uint32_t GetSize() const
    {
        return m_has.size();
    }

    /// Do a level as its definition says, with every block of one size; check the total.
    void Run(const CollectiveLevel& level, uint64_t blockBytes)
    {
        auto next = m_has;
        for (uint32_t rank = 0; rank < GetSize(); ++rank)
        {
            const auto group = GetGroup(rank, level.local);
            Holding all;
            for (uint32_t member : group)
            {
                for (const auto& [block, from] : m_has[member])
                {
                    all[block].insert(from.begin(), from.end());
                }
            }
            if (level.kind == CollectiveKind::REDUCE_SCATTER)
            {
                // A member keeps the blocks that belong to ranks of its line across the group.
                std::set<uint32_t> line;
                for (uint32_t other : GetGroup(rank, !level.local))
                {
                    line.insert(other);
                }
                EXPECT_EQ(level.bytes, all.size() * blockBytes);
                Holding kept;
                for (const auto& [block, from] : all)
                {
                    if (line.count(block) > 0 && (level.local || block == rank))
                    {
                        kept[block] = from;
                    }
                }
                next[rank] = kept;
            }
            else
            {
                EXPECT_EQ(level.bytes, all.size() * blockBytes);
                next[rank] = all;
            }
        }
        m_has = next;
    }

  private:
    std::vector<uint32_t> GetGroup(uint32_t rank, bool local) const
    {
        std::vector<uint32_t> group;
        for (uint32_t other = 0; other < m_nodes * m_local; ++other)
        {
            if (local ? other / m_local == rank / m_local : other % m_local == rank % m_local)
            {
                group.push_back(other);
            }
        }
        return group;
    }

    uint32_t m_nodes;
    uint32_t m_local;
    std::vector<Holding> m_has;
};

} // namespace

TEST(HierarchicalCollective, LeavesEveryRankWithWhatTheCollectiveMeans)
{
    for (uint32_t nodes : {2, 3, 5})
    {
        for (uint32_t local : {2, 3, 4})
        {
            const uint32_t n = nodes * local;
            const uint64_t block = 10;
            for (auto kind : {CollectiveKind::ALL_GATHER,
                              CollectiveKind::REDUCE_SCATTER,
                              CollectiveKind::ALL_REDUCE})
            {
                Grid grid(nodes, local);
                std::set<uint32_t> everyone;
                for (uint32_t rank = 0; rank < n; ++rank)
                {
                    everyone.insert(rank);
                    for (uint32_t b = 0; b < n; ++b)
                    {
                        if (kind != CollectiveKind::ALL_GATHER || b == rank)
                        {
                            grid.At(rank)[b] = {rank};
                        }
                    }
                }
                for (const auto& level : MakeHierarchical(kind, n * block, local))
                {
                    grid.Run(level, block);
                }
                for (uint32_t rank = 0; rank < n; ++rank)
                {
                    const auto& has = grid.At(rank);
                    const bool all = kind != CollectiveKind::REDUCE_SCATTER;
                    EXPECT_EQ(has.size(), all ? n : 1);
                    for (const auto& [b, from] : has)
                    {
                        EXPECT_TRUE(all || b == rank);
                        EXPECT_EQ(from,
                                  kind == CollectiveKind::ALL_GATHER ? std::set<uint32_t>{b}
                                                                     : everyone);
                    }
                }
            }
        }
    }
}

TEST(HierarchicalCollective, RailsCarryTheShareOfANode)
{
    // Of B bytes in N nodes of L, BlueConnect's rails carry B/L x (N-1)/N, an all-reduce twice.
    const uint64_t bytes = 960;
    const auto onRails = [&](CollectiveKind kind) {
        uint64_t sent = 0;
        for (const auto& level : MakeHierarchical(kind, bytes, 4))
        {
            sent += level.local ? 0 : RingLane(level.kind, level.bytes, 3, 1, 0).GetSentBytes(0);
        }
        return sent;
    };
    EXPECT_EQ(onRails(CollectiveKind::ALL_GATHER), bytes / 4 * 2 / 3);
    EXPECT_EQ(onRails(CollectiveKind::REDUCE_SCATTER), bytes / 4 * 2 / 3);
    EXPECT_EQ(onRails(CollectiveKind::ALL_REDUCE), 2 * bytes / 4 * 2 / 3);
    // All that an all-to-all has for other nodes leaves by the rail that it is for.
    const auto exchange = MakeHierarchical(CollectiveKind::ALL_TO_ALL, bytes, 4);
    ASSERT_EQ(exchange.size(), 2U);
    EXPECT_TRUE(exchange[0].local);
    EXPECT_EQ(exchange[0].bytes, bytes);
    EXPECT_FALSE(exchange[1].local);
    EXPECT_EQ(exchange[1].bytes, bytes);
    // Odd sizes are rounded up.
    EXPECT_EQ(MakeHierarchical(CollectiveKind::ALL_GATHER, 7, 2).front().bytes, 4U);
}

TEST(HierarchicalCollective, RefusesByName)
{
    for (auto kind :
         {CollectiveKind::BROADCAST, CollectiveKind::RING_EXCHANGE, CollectiveKind::SEND})
    {
        try
        {
            MakeHierarchical(kind, 8, 2);
            ADD_FAILURE() << ToString(kind);
        }
        catch (const std::invalid_argument& refusal)
        {
            EXPECT_NE(std::string(refusal.what())
                          .find(std::string("'hierarchical' does not serve '") + ToString(kind)),
                      std::string::npos);
        }
    }
}

} // namespace photonic
} // namespace ns3
