/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/egress-scheduler.h"

#include <cmath>
#include <gtest/gtest.h>
#include <iostream>
#include <random>

namespace ns3
{
namespace photonic
{

namespace
{

Frame
MakeFrame(uint8_t priority, uint64_t bytes, uint32_t name = 0)
{
    Frame frame;
    frame.label.priority = priority;
    frame.wireBytes = bytes;
    frame.sequence = name;
    return frame;
}

} // namespace

TEST(EgressScheduler, SharesInProportionToWeightsWithinAQuantum)
{
    constexpr uint32_t seed = 23;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    constexpr uint64_t largest = 9254;
    for (uint32_t quantum : {1500U, 9254U, 40'000U})
    {
        SCOPED_TRACE(quantum);
        const std::array<uint32_t, PRIORITIES> weights{1, 2, 3, 5, 1, 1, 1, 1};
        EgressScheduler scheduler({0, quantum, weights});
        std::array<double, 4> sent{};
        // Packets of other sizes in every class; all classes always have some.
        const auto refill = [&](uint8_t p) {
            while (scheduler.GetBytes(p) < 20 * largest)
            {
                scheduler.Push(MakeFrame(p, 84 + random() % (p == 0 ? 200 : largest - 83)));
            }
        };
        for (int k = 0; k < 50'000; k++)
        {
            for (uint8_t p = 0; p < 4; p++)
            {
                refill(p);
            }
            const Frame frame = scheduler.Pop(0xff);
            sent[frame.label.priority] += frame.wireBytes;
            for (uint8_t p = 1; p < 4; p++)
            {
                // Shreedhar and Varghese 1995, theorem 2: at any time.
                ASSERT_LE(std::abs(sent[p] / weights[p] - sent[0]), quantum + 2 * largest);
            }
        }
        const double total = sent[0] + sent[1] + sent[2] + sent[3];
        for (uint8_t p = 0; p < 4; p++)
        {
            EXPECT_NEAR(sent[p], total * weights[p] / 11, weights[p] * (quantum + 2.0 * largest));
        }
    }
}

TEST(EgressScheduler, StrictPrioritiesComeFirstTheHighestBeforeAll)
{
    EgressScheduler scheduler({0xc0, 1000, {1, 1, 1, 1, 1, 1, 1, 1}});
    for (uint8_t p : {0, 6, 7, 3, 6, 7, 0})
    {
        scheduler.Push(MakeFrame(p, 1000));
    }
    EXPECT_EQ(scheduler.GetSize(), 7U);
    EXPECT_EQ(scheduler.GetWaiting(), 0xc9);
    std::vector<int> order;
    while (scheduler.GetSize() > 0)
    {
        order.push_back(scheduler.Pop(0xff).label.priority);
    }
    EXPECT_EQ(order, (std::vector<int>{7, 7, 6, 6, 0, 3, 0}));
    EXPECT_EQ(scheduler.GetWaiting(), 0);
}

TEST(EgressScheduler, AClassThatMayNotIsPassedOverAndKeepsItsOrder)
{
    EgressScheduler scheduler({0x80, 1000, {1, 1, 1, 1, 1, 1, 1, 1}});
    for (uint32_t k = 0; k < 5; k++)
    {
        scheduler.Push(MakeFrame(7, 500, k));
        scheduler.Push(MakeFrame(3, 500, k));
        scheduler.Push(MakeFrame(1, 500, k));
    }
    for (uint32_t k = 0; k < 5; k++)
    {
        const Frame frame = scheduler.Pop(0xff & ~(1 << 7 | 1 << 3));
        EXPECT_EQ(frame.label.priority, 1);
        EXPECT_EQ(frame.sequence, k);
    }
    for (uint32_t k = 0; k < 10; k++)
    {
        const Frame frame = scheduler.Pop(0xff);
        EXPECT_EQ(frame.label.priority, k < 5 ? 7 : 3);
        EXPECT_EQ(frame.sequence, k % 5);
    }
    for (uint8_t p = 0; p < PRIORITIES; p++)
    {
        EXPECT_EQ(scheduler.GetBytes(p), 0U);
    }
}

TEST(EgressScheduler, AnIdleClassSavesNothingUp)
{
    EgressScheduler scheduler({0, 1000, {1, 1, 1, 1, 1, 1, 1, 1}});
    for (int k = 0; k < 100; k++)
    {
        scheduler.Push(MakeFrame(0, 1000));
        EXPECT_EQ(scheduler.Pop(0xff).label.priority, 0);
    }
    for (int k = 0; k < 20; k++)
    {
        scheduler.Push(MakeFrame(0, 1000));
        scheduler.Push(MakeFrame(1, 1000));
    }
    int ones = 0;
    for (int k = 0; k < 20; k++)
    {
        ones += scheduler.Pop(0xff).label.priority;
    }
    EXPECT_EQ(ones, 10);
}

} // namespace photonic
} // namespace ns3
