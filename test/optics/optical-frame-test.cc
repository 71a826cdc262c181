/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/optical-frame.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <random>

namespace ns3
{
namespace photonic
{

TEST(FrameQueue, IsFirstInFirstOutHoweverItGrowsAndTurns)
{
    FrameQueue queue;
    std::deque<uint64_t> expected;
    std::mt19937 random(20240705);
    uint64_t name = 0;
    std::size_t longest = 0;
    for (int i = 0; i < 20'000; i++)
    {
        // Waves of more pushes and of more pops.
        const bool push = random() % 100 < (i / 500 % 2 ? 35U : 65U);
        if (push || expected.empty())
        {
            Frame frame;
            frame.packet = Create<Packet>(1);
            frame.destination = ++name;
            queue.Push(frame);
            expected.push_back(name);
        }
        else
        {
            EXPECT_EQ(queue.Front().destination, expected.front());
            const Frame frame = queue.Pop();
            EXPECT_EQ(frame.destination, expected.front());
            EXPECT_EQ(frame.packet->GetReferenceCount(), 1U); // nothing is left behind
            expected.pop_front();
        }
        longest = std::max(longest, expected.size());
        ASSERT_EQ(queue.GetSize(), expected.size());
        ASSERT_EQ(queue.IsEmpty(), expected.empty());
        if (!expected.empty())
        {
            const std::size_t at = random() % expected.size();
            EXPECT_EQ(queue[at].destination, expected[at]);
            EXPECT_EQ(queue.Back().destination, expected.back());
        }
    }
    EXPECT_GT(longest, 100U);
}

} // namespace photonic
} // namespace ns3
