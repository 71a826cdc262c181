/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TEST_PLAN_ORACLE_H
#define PHOTONIC_TEST_PLAN_ORACLE_H

#include "ns3/collective-algorithm.h"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{
namespace photonic
{

/// @return sizes of groups to try: small ones, and larger powers of two and multiples of three
inline std::vector<uint32_t>
PlanGroupSizes()
{
    std::vector<uint32_t> sizes;
    for (uint32_t n = 1; n <= 17; n++)
    {
        sizes.push_back(n);
    }
    sizes.insert(sizes.end(), {24, 32});
    return sizes;
}

/// @return total sizes to try, odd ones and ones that leave shares empty among them
inline std::vector<uint64_t>
PlanBytes(uint64_t n)
{
    return {0, 1, n - 1, n, n + 1, 2 * n + 1, 101, 7919, 1'000'003, (uint64_t(1) << 36) + 5};
}

/// @return bytes of share i of n: as even as possible, the first ones larger
inline uint64_t
EvenShare(uint64_t bytes, uint64_t n, uint64_t i)
{
    return (bytes + n - 1 - i) / n;
}

/**
 * Executes plans symbolically: which data each rank has, and whose contributions are in them.
 *
 * Actions that may happen are done in a random order: a plan with a need too few fails for some
 * seed. What a send carries is what its rank has when it happens.
 */
class PlanOracle
{
  public:
    /// A block, of a member's circle in an all-to-all: whose, and which.
    using Block = std::pair<uint32_t, uint32_t>;
    /// Contributions to blocks, a bit per rank.
    using Data = std::map<Block, uint64_t>;

    /**
     * @param plans of all members
     * @param blocks in a circle
     * @param size of a block
     * @param data that each member has
     */
    PlanOracle(std::vector<MemberPlan> plans,
               uint32_t blocks,
               std::function<uint64_t(const Block&)> size,
               std::vector<Data> data)
        : m_plans(std::move(plans)),
          m_blocks(blocks),
          m_size(std::move(size)),
          m_data(std::move(data))
    {
        CheckTransfers();
    }

    /// @param seed of the order of events @return what each member has in the end
    const std::vector<Data>& Run(uint32_t seed)
    {
        std::mt19937 random(seed);
        for (const auto& plan : m_plans)
        {
            m_sent.emplace_back(plan.queues.size());
            m_received.emplace_back(plan.streams.size());
        }
        for (;;)
        {
            std::vector<std::function<void()>> possible;
            for (uint32_t rank = 0; rank < m_plans.size(); rank++)
            {
                for (uint32_t i = 0; i < m_plans[rank].queues.size(); i++)
                {
                    if (CanSend(rank, i))
                    {
                        possible.push_back([this, rank, i] { Send(rank, i); });
                    }
                }
                for (uint32_t i = 0; i < m_plans[rank].streams.size(); i++)
                {
                    if (CanReceive(rank, i))
                    {
                        possible.push_back([this, rank, i] { Receive(rank, i); });
                    }
                }
            }
            if (possible.empty())
            {
                break;
            }
            // Some of them, and then look again.
            std::shuffle(possible.begin(), possible.end(), random);
            for (std::size_t i = 0; i < (possible.size() + 1) / 2; i++)
            {
                possible[i]();
            }
        }
        EXPECT_TRUE(m_wires.empty()) << "something was sent and not received";
        for (uint32_t rank = 0; rank < m_plans.size(); rank++)
        {
            for (uint32_t i = 0; i < m_plans[rank].queues.size(); i++)
            {
                EXPECT_EQ(m_sent[rank][i], m_plans[rank].queues[i].size()) << "rank " << rank;
            }
            for (uint32_t i = 0; i < m_plans[rank].streams.size(); i++)
            {
                EXPECT_EQ(m_received[rank][i], m_plans[rank].streams[i].size()) << "rank " << rank;
            }
        }
        return m_data;
    }

    /// @return bytes that all members send
    uint64_t GetSentBytes() const
    {
        uint64_t sent = 0;
        for (const auto& plan : m_plans)
        {
            sent += plan.GetSentBytes();
        }
        return sent;
    }

  private:
    using Wire = std::tuple<uint32_t, uint32_t, uint32_t>; ///< from, to, number

    /// Both ends know the same transfers, each once, and a send has the size of its data.
    void CheckTransfers() const
    {
        std::map<Wire, std::pair<uint64_t, MemberPlan::Via>> sends;
        std::map<Wire, std::pair<uint64_t, MemberPlan::Via>> receives;
        for (uint32_t rank = 0; rank < m_plans.size(); rank++)
        {
            for (const auto& queue : m_plans[rank].queues)
            {
                for (const auto& s : queue)
                {
                    EXPECT_NE(s.peer, rank);
                    const bool fresh =
                        sends.emplace(Wire{rank, s.peer, s.number}, std::make_pair(s.bytes, s.via))
                            .second;
                    EXPECT_TRUE(fresh) << "number " << s.number << " of rank " << rank << " twice";
                    uint64_t bytes = 0;
                    for (const auto& block : GetBlocks(s.data))
                    {
                        bytes += m_size(block);
                    }
                    EXPECT_EQ(s.bytes, bytes) << "rank " << rank << " to " << s.peer;
                    EXPECT_LE(s.data.count, m_blocks);
                }
            }
            for (const auto& stream : m_plans[rank].streams)
            {
                for (const auto& r : stream)
                {
                    receives.emplace(Wire{r.peer, rank, r.number}, std::make_pair(r.bytes, r.via));
                }
            }
        }
        EXPECT_EQ(sends, receives);
    }

    std::vector<Block> GetBlocks(const BlockRange& range) const
    {
        std::vector<Block> blocks;
        for (uint32_t i = 0; i < range.count; i++)
        {
            blocks.emplace_back(range.source, (range.first + i) % m_blocks);
        }
        return blocks;
    }

    bool CanSend(uint32_t rank, uint32_t i) const
    {
        const auto& plan = m_plans[rank];
        if (m_sent[rank][i] == plan.queues[i].size())
        {
            return false;
        }
        const auto& send = plan.queues[i][m_sent[rank][i]];
        for (uint32_t n = send.firstNeed; n < send.lastNeed; n++)
        {
            if (m_received[rank][plan.needs[n].stream] < plan.needs[n].receives)
            {
                return false;
            }
        }
        return true;
    }

    void Send(uint32_t rank, uint32_t i)
    {
        const auto& send = m_plans[rank].queues[i][m_sent[rank][i]++];
        Data carried;
        for (const auto& block : GetBlocks(send.data))
        {
            const auto own = m_data[rank].find(block);
            ASSERT_TRUE(own != m_data[rank].end()) << "rank " << rank << " does not have block "
                                                   << block.second << " of " << block.first;
            carried[block] = own->second;
        }
        m_wires[Wire{rank, send.peer, send.number}] = {carried, send.reduces};
    }

    bool CanReceive(uint32_t rank, uint32_t i) const
    {
        const auto& stream = m_plans[rank].streams[i];
        if (m_received[rank][i] == stream.size())
        {
            return false;
        }
        const auto& receive = stream[m_received[rank][i]];
        return m_wires.count(Wire{receive.peer, rank, receive.number}) > 0;
    }

    void Receive(uint32_t rank, uint32_t i)
    {
        const auto& receive = m_plans[rank].streams[i][m_received[rank][i]++];
        const auto wire = m_wires.find(Wire{receive.peer, rank, receive.number});
        for (const auto& [block, contributions] : wire->second.first)
        {
            auto& own = m_data[rank][block];
            if (wire->second.second)
            {
                EXPECT_EQ(own & contributions, 0U) << "a contribution counts twice";
                own |= contributions;
            }
            else
            {
                EXPECT_EQ(own & ~contributions, 0U) << "a contribution is overwritten";
                own = contributions;
            }
        }
        m_wires.erase(wire);
    }

    std::vector<MemberPlan> m_plans;
    uint32_t m_blocks;
    std::function<uint64_t(const Block&)> m_size;
    std::vector<Data> m_data;
    std::vector<std::vector<std::size_t>> m_sent;
    std::vector<std::vector<std::size_t>> m_received;
    std::map<Wire, std::pair<Data, bool>> m_wires;
};

/// @return plans of all members
inline std::vector<MemberPlan>
PlanAll(const CollectiveAlgorithm& algorithm, const CollectiveTask& task)
{
    std::vector<MemberPlan> plans;
    for (uint32_t position = 0; position < task.n; position++)
    {
        plans.push_back(algorithm.Plan(task, position));
    }
    return plans;
}

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TEST_PLAN_ORACLE_H
