/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/switch-buffer.h"

#include <cmath>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr uint8_t LOSSLESS = 3;
constexpr uint64_t PACKET = 1000;

SwitchBuffer
MakeBuffer(uint32_t ports, double alpha, uint64_t minimum = 0, uint64_t headroom = 0)
{
    SwitchBuffer buffer({1 << 20, minimum, alpha, 5000, 1 << LOSSLESS});
    for (uint32_t i = 0; i < ports; i++)
    {
        buffer.AddPort(headroom);
    }
    return buffer;
}

} // namespace

TEST(SwitchBuffer, QueuesGrowToTheDynamicThreshold)
{
    // Choudhury and Hahne 1998: n queues that want all they can get have alpha B / (1 + n alpha)
    // each, and 1 / (1 + n alpha) of the pool stays free.
    for (double alpha : {0.125, 0.5, 1.0, 2.0, 8.0})
    {
        for (uint32_t n : {1, 2, 7, 16})
        {
            SCOPED_TRACE(testing::Message() << "alpha " << alpha << " n " << n);
            auto buffer = MakeBuffer(16, alpha);
            ASSERT_EQ(buffer.GetPool(), 16U << 20);
            for (bool more = true; more;)
            {
                more = false;
                for (uint32_t port = 0; port < n; port++)
                {
                    more = buffer.Admit(SwitchBuffer::GetAccount(port, 1), PACKET) || more;
                }
            }
            const double share = alpha * buffer.GetPool() / (1 + n * alpha);
            for (uint32_t port = 0; port < n; port++)
            {
                EXPECT_NEAR(buffer.GetUsed(SwitchBuffer::GetAccount(port, 1)), share, 2 * PACKET);
            }
            EXPECT_NEAR(buffer.GetPool() - buffer.GetTotalUsed(),
                        buffer.GetPool() / (1 + n * alpha),
                        2 * n * PACKET);
        }
    }
}

TEST(SwitchBuffer, ReservationsLeaveThePool)
{
    auto buffer = MakeBuffer(4, 1, 4096, 50'000);
    EXPECT_EQ(buffer.GetPool(), 4 * ((1U << 20) - 8 * 4096 - 50'000));
    // The minimum of one account is there when others have taken the pool.
    for (uint32_t port = 0; port < 3; port++)
    {
        for (uint8_t priority = 0; priority < 8; priority++)
        {
            while (buffer.Admit(SwitchBuffer::GetAccount(port, priority), PACKET))
            {
            }
        }
    }
    const uint32_t last = SwitchBuffer::GetAccount(3, 0);
    for (int k = 0; k < 4; k++)
    {
        EXPECT_TRUE(buffer.Admit(last, PACKET));
    }
    EXPECT_LT(buffer.GetThreshold(), buffer.GetPool() / 10);
}

TEST(SwitchBuffer, HeadroomTakesWhatDoesNotFitAndLosslessOnly)
{
    auto buffer = MakeBuffer(1, 1, 0, 2500);
    const uint32_t lossless = SwitchBuffer::GetAccount(0, LOSSLESS);
    const uint32_t lossy = SwitchBuffer::GetAccount(0, 1);
    while (buffer.Fits(lossless, PACKET))
    {
        ASSERT_TRUE(buffer.Admit(lossless, PACKET));
    }
    const uint64_t atThreshold = buffer.GetUsed(lossless);
    EXPECT_TRUE(buffer.Admit(lossless, PACKET));
    EXPECT_TRUE(buffer.Admit(lossless, PACKET));
    EXPECT_FALSE(buffer.Admit(lossless, PACKET)) << "2,500 bytes hold two packets";
    EXPECT_EQ(buffer.GetUsed(lossless), atThreshold + 2 * PACKET);
    while (buffer.Fits(lossy, PACKET))
    {
        ASSERT_TRUE(buffer.Admit(lossy, PACKET));
    }
    EXPECT_FALSE(buffer.Admit(lossy, PACKET));

    // The headroom is given back first, and a pause ends an offset below the threshold.
    EXPECT_FALSE(buffer.CanResume(lossless));
    buffer.Release(lossless, 2 * PACKET);
    EXPECT_FALSE(buffer.CanResume(lossless));
    while (!buffer.CanResume(lossless))
    {
        ASSERT_LT(buffer.GetThreshold(), buffer.GetUsed(lossless) + 5000);
        buffer.Release(lossless, PACKET);
    }
    EXPECT_LE(buffer.GetUsed(lossless) + 5000, buffer.GetThreshold());
    EXPECT_GT(buffer.GetUsed(lossless), 0U);
}

TEST(SwitchBuffer, DefaultHeadroomIsWhatCanStillArrive)
{
    // 100 m of fibre at 400 Gbps: 1 us there and back is 50,000 bytes. Two packets, a pause frame
    // of 84 bytes, and 60 quanta of 64 bytes.
    EXPECT_EQ(
        SwitchBuffer::GetHeadroom(LineRate(DataRate(400'000'000'000)), NanoSeconds(500), 4134, 60),
        50'000U + 2 * 4134 + 84 + 3840);
    EXPECT_EQ(SwitchBuffer::GetHeadroom(LineRate(DataRate(1'000'000'000)), Time(0), 1538, 0),
              2U * 1538 + 84);
}

TEST(SwitchBuffer, RefusesReservationsThatLeaveNothing)
{
    SwitchBuffer buffer({100'000, 4096, 1, 0, 0xff});
    try
    {
        buffer.AddPort(9000);
        FAIL();
    }
    catch (const std::invalid_argument& e)
    {
        EXPECT_NE(std::string(e.what()).find("100000 bytes of the buffer, and reserves 104768"),
                  std::string::npos)
            << e.what();
    }
}

TEST(SwitchBuffer, WhatIsAdmittedIsReleasedToTheByte)
{
    constexpr uint32_t seed = 17;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    auto buffer = MakeBuffer(4, 0.5, 3000, 20'000);
    std::vector<std::pair<uint32_t, uint64_t>> held;
    std::map<uint32_t, uint64_t> expected;
    uint64_t refused = 0;
    for (int i = 0; i < 200'000; i++)
    {
        // Phases of more arrivals and of more departures.
        if (held.empty() || random() % 100 < (i / 20'000 % 2 ? 30U : 70U))
        {
            const uint32_t account = random() % 6;
            const uint64_t bytes = 84 + random() % 9000;
            if (buffer.Admit(account, bytes))
            {
                held.emplace_back(account, bytes);
                expected[account] += bytes;
            }
            else
            {
                refused++;
            }
        }
        else
        {
            std::swap(held[random() % held.size()], held.back());
            const auto [account, bytes] = held.back();
            held.pop_back();
            buffer.Release(account, bytes);
            expected[account] -= bytes;
        }
        const uint32_t account = random() % 6;
        ASSERT_EQ(buffer.GetUsed(account), expected[account]);
        ASSERT_LE(buffer.GetTotalUsed(), 4U << 20);
    }
    EXPECT_GT(refused, 1000U);
    for (const auto& [account, bytes] : held)
    {
        buffer.Release(account, bytes);
    }
    EXPECT_EQ(buffer.GetTotalUsed(), 0U);
    EXPECT_EQ(buffer.GetThreshold(), buffer.GetPool() / 2);
}

} // namespace photonic
} // namespace ns3
