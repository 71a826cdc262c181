/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/event-batch.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

/// Ends the simulation with a test.
class EventBatchTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        Simulator::Destroy();
    }

    /// What happens is written down.
    EventBatch<int> m_batch{[this](int& item) { m_seen.emplace_back(item, Simulator::Now()); }};
    std::vector<std::pair<int, Time>> m_seen;
};

} // namespace

TEST_F(EventBatchTest, WhatIsForeseenInOneEventForOneTickSharesAnEvent)
{
    Simulator::Schedule(NanoSeconds(5), [this] {
        for (int i : {1, 2, 3})
        {
            m_batch.Schedule(NanoSeconds(10), i);
            m_batch.Schedule(NanoSeconds(20), 10 * i);
        }
    });
    Simulator::Run();
    EXPECT_EQ(Simulator::GetEventCount(), 3U);
    const std::vector<std::pair<int, Time>> expected = {{1, NanoSeconds(15)},
                                                        {2, NanoSeconds(15)},
                                                        {3, NanoSeconds(15)},
                                                        {10, NanoSeconds(25)},
                                                        {20, NanoSeconds(25)},
                                                        {30, NanoSeconds(25)}};
    EXPECT_EQ(m_seen, expected);
}

TEST_F(EventBatchTest, WhatIsForeseenInTwoEventsKeepsItsPlaceBetweenOthersOfTheTick)
{
    m_batch.Schedule(NanoSeconds(10), 1);
    Simulator::Schedule(NanoSeconds(5), [this] {
        Simulator::Schedule(NanoSeconds(5), [this] { m_seen.emplace_back(2, Simulator::Now()); });
        m_batch.Schedule(NanoSeconds(5), 3);
    });
    Simulator::Run();
    EXPECT_EQ(Simulator::GetEventCount(), 4U);
    ASSERT_EQ(m_seen.size(), 3U);
    for (int i : {0, 1, 2})
    {
        EXPECT_EQ(m_seen[i].first, i + 1);
        EXPECT_EQ(m_seen[i].second, NanoSeconds(10));
    }
}

TEST(EventBatch, ItemsMayScheduleFurtherOnes)
{
    std::vector<Time> seen;
    EventBatch<int>* self = nullptr;
    EventBatch<int> batch([&](int& left) {
        seen.push_back(Simulator::Now());
        if (left > 0)
        {
            self->Schedule(Time(0), left - 1);
            self->Schedule(NanoSeconds(1), 0);
        }
    });
    self = &batch;
    batch.Schedule(NanoSeconds(1), 2);
    Simulator::Run();
    const std::vector<Time> expected(3, NanoSeconds(1));
    ASSERT_EQ(seen.size(), 5U);
    EXPECT_EQ(std::vector<Time>(seen.begin(), seen.begin() + 3), expected);
    EXPECT_EQ(seen[4], NanoSeconds(2));
    Simulator::Destroy();
}

TEST(EventBatch, EventsOutliveWhoeverScheduledThem)
{
    int seen = 0;
    {
        EventBatch<int> batch([&](int& item) { seen += item; });
        batch.Schedule(NanoSeconds(1), 7);
    }
    Simulator::Run();
    EXPECT_EQ(seen, 7);
    Simulator::Destroy();
}

} // namespace photonic
} // namespace ns3
