/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/fcfs-circuit-scheduler.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

OpusKey
Key(uint32_t group)
{
    return {0, group, 0};
}

using Keys = std::vector<OpusKey>;

/// Says of each request whether, or when another one goes, it starts.
class Queue
{
  public:
    bool Add(const OpusKey& key, const std::vector<uint32_t>& ports)
    {
        m_scheduler->Add({key, GroupSlot::FSDP, ports, Time(), Time()});
        const auto chosen = m_scheduler->Choose();
        EXPECT_TRUE(chosen.empty() || chosen == Keys{key}) << "a newcomer frees nobody";
        return !chosen.empty();
    }

    Keys Remove(const OpusKey& key)
    {
        m_scheduler->Remove(key);
        return m_scheduler->Choose();
    }

  private:
    Ptr<CircuitScheduler> m_scheduler = CreateObject<FcfsCircuitScheduler>();
};

} // namespace

TEST(FcfsCircuitScheduler, OverlappingOnesWaitInOrder)
{
    Queue queue;
    EXPECT_TRUE(queue.Add(Key(1), {0, 1}));
    EXPECT_TRUE(queue.Add(Key(2), {2, 3}));  // disjoint: in parallel
    EXPECT_FALSE(queue.Add(Key(3), {1, 2})); // behind both
    EXPECT_FALSE(queue.Add(Key(4), {2, 4})); // behind 3, although only 2 holds a port
    EXPECT_TRUE(queue.Add(Key(5), {5}));
    EXPECT_EQ(queue.Remove(Key(2)), Keys());
    EXPECT_EQ(queue.Remove(Key(1)), Keys{Key(3)});
    EXPECT_EQ(queue.Remove(Key(5)), Keys());
    EXPECT_EQ(queue.Remove(Key(3)), Keys{Key(4)});
    EXPECT_EQ(queue.Remove(Key(4)), Keys());
}

TEST(FcfsCircuitScheduler, GivingUpFreesThoseBehind)
{
    Queue queue;
    EXPECT_TRUE(queue.Add(Key(1), {0}));
    EXPECT_FALSE(queue.Add(Key(2), {0, 1}));
    EXPECT_FALSE(queue.Add(Key(3), {1, 2}));
    EXPECT_FALSE(queue.Add(Key(4), {0}));
    EXPECT_EQ(queue.Remove(Key(2)), Keys{Key(3)});
    EXPECT_EQ(queue.Remove(Key(1)), Keys{Key(4)});
}

TEST(FcfsCircuitScheduler, AgreesWithBruteForce)
{
    std::mt19937 random(7);
    Queue queue;

    struct Waiting
    {
        OpusKey key;
        std::set<uint32_t> ports;
        bool started;
    };

    std::vector<Waiting> all;
    auto startable = [&](std::size_t i) {
        for (std::size_t j = 0; j < i; ++j)
        {
            for (uint32_t port : all[j].ports)
            {
                if (all[i].ports.count(port) > 0)
                {
                    return false;
                }
            }
        }
        return true;
    };
    for (uint32_t n = 0; n < 5000; ++n)
    {
        if (all.size() < 12 && random() % 2)
        {
            Waiting added{Key(n), {}, false};
            while (added.ports.size() < 1 + n % 3)
            {
                added.ports.insert(random() % 12);
            }
            all.push_back(added);
            all.back().started = startable(all.size() - 1);
            EXPECT_EQ(queue.Add(added.key, {added.ports.begin(), added.ports.end()}),
                      all.back().started);
        }
        else if (!all.empty())
        {
            const std::size_t gone = random() % all.size();
            const OpusKey key = all[gone].key;
            all.erase(all.begin() + gone);
            Keys expected;
            for (std::size_t i = 0; i < all.size(); ++i)
            {
                if (!all[i].started && startable(i))
                {
                    all[i].started = true;
                    expected.push_back(all[i].key);
                }
            }
            EXPECT_EQ(queue.Remove(key), expected);
        }
    }
}
