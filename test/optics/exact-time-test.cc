/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics-test-helper.h"

#include "ns3/exact-time.h"

#include <algorithm>
#include <random>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

/// @return the instant num / den ticks, in plain integer arithmetic
ExactTime
Fraction(Int128 num, uint64_t den)
{
    return ExactTime(static_cast<int64_t>(num / den), static_cast<uint64_t>(num % den), den);
}

/// @return ticks that bytes take, exactly
ExactTime
TicksOf(uint64_t bytes, uint64_t bitRate)
{
    return Fraction(Int128(bytes) * 8 * TicksPerSecond(), bitRate);
}

} // namespace

TEST(ExactTime, RoundsUpToATickOnlyForSoftware)
{
    EXPECT_EQ(ExactTime(7, 0, 3).Ceil(), 7);
    EXPECT_EQ(ExactTime(7, 1, 3).Ceil(), 8);
    EXPECT_EQ(ExactTime(7, 2, 3).ToTime(), TimeStep(8));
    EXPECT_EQ(ExactTime(TimeStep(9)).Ceil(), 9);
    EXPECT_EQ(ExactTime().Ceil(), 0);
    // Three thirds are one.
    const ExactTime third(0, 1, 3);
    EXPECT_EQ((third + third + third).Ceil(), 1);
    // A half, a third and a sixth, too.
    EXPECT_EQ((ExactTime(0, 1, 2) + third + ExactTime(0, 1, 6)).Ceil(), 1);
    EXPECT_EQ((third + TimeStep(5)), ExactTime(5, 2, 6));
}

TEST(ExactTime, ComparesAsCrossProductsDo)
{
    constexpr uint32_t seed = 11;
    std::cout << "seed " << seed << '\n';
    std::mt19937_64 random(seed);
    uint32_t equal = 0;
    for (int i = 0; i < 20000; i++)
    {
        // Small denominators give ties and near ties, large ones overflow 64-bit products.
        const uint64_t limit = i % 2 ? 6 : uint64_t(1) << 62;
        const uint64_t dens[]{1 + random() % limit, 1 + random() % limit};
        Int128 nums[2];
        ExactTime times[2];
        for (int j : {0, 1})
        {
            nums[j] = random() % dens[j] + Int128(random() % 2) * dens[j]; // below 2
            times[j] = Fraction(nums[j], dens[j]);
        }
        const Int128 left = nums[0] * dens[1];
        const Int128 right = nums[1] * dens[0];
        equal += left == right;
        ASSERT_EQ(times[0] < times[1], left < right);
        ASSERT_EQ(times[0] > times[1], left > right);
        ASSERT_EQ(times[0] <= times[1], left <= right);
        ASSERT_EQ(times[0] >= times[1], left >= right);
        ASSERT_EQ(times[0] == times[1], left == right);
    }
    EXPECT_GT(equal, 100U) << "ties were not tried";
}

TEST(ExactTime, AddsExactlyWhileTheDenominatorFits)
{
    constexpr uint32_t seed = 12;
    std::cout << "seed " << seed << '\n';
    std::mt19937_64 random(seed);
    for (int i = 0; i < 2000; i++)
    {
        const uint64_t dens[]{1 + random() % 1'000'000, 1 + random() % 1'000'000};
        ExactTime sum;
        Int128 expected = 0; // in units of 1 / (dens[0] * dens[1])
        for (int k = 0; k < 20; k++)
        {
            const int which = random() % 2;
            const uint64_t num = random() % (1000 * dens[which]);
            sum = sum + Fraction(num, dens[which]);
            expected += Int128(num) * dens[1 - which];
        }
        ASSERT_EQ(sum, Fraction(expected, dens[0] * dens[1]));
    }
}

TEST(ExactTime, IsNeverEarlyAndHardlyLateWhereTheDenominatorDoesNotFit)
{
    constexpr uint32_t seed = 13;
    std::cout << "seed " << seed << '\n';
    std::mt19937_64 random(seed);
    for (int i = 0; i < 2000; i++)
    {
        // Of each fraction also what it lacks to 1, so that the sum is known: their number.
        constexpr int fractions = 15;
        std::vector<ExactTime> terms;
        for (int k = 0; k < fractions; k++)
        {
            const uint64_t den = 2 + random() % 1'000'000'000'000;
            const uint64_t num = 1 + random() % (den - 1);
            terms.emplace_back(0, num, den);
            terms.emplace_back(0, den - num, den);
        }
        std::shuffle(terms.begin(), terms.end(), random);
        ExactTime sum;
        for (const ExactTime& term : terms)
        {
            sum = sum + term;
        }
        ASSERT_GE(sum, ExactTime(fractions, 0, 1));
        // Each addition may round both its terms up by 2^-62.
        ASSERT_LE(sum, ExactTime(fractions, 2 * terms.size(), uint64_t(1) << 62));
    }
}

TEST(LineRate, RefusesZero)
{
    const auto refusal = GetRefusal<std::invalid_argument>([] { LineRate(DataRate(0)); });
    EXPECT_NE(refusal.find("0 bit/s"), std::string::npos) << refusal;
}

TEST(LineRate, SerialisesExactly)
{
    constexpr uint32_t seed = 14;
    std::cout << "seed " << seed << '\n';
    std::mt19937_64 random(seed);
    for (int i = 0; i < 5000; i++)
    {
        const uint64_t bitRate = 1'000'000 + random() % 2'000'000'000'000;
        const uint64_t bytes = random() >> (34 + random() % 30);
        const ExactTime time = LineRate(DataRate(bitRate)).Serialise(bytes);
        ASSERT_EQ(time, TicksOf(bytes, bitRate)) << bytes << " bytes at " << bitRate;
    }
}

TEST(LineRate, HandCalculatedTimes)
{
    // 4,134 bytes at 300 Gbps: 33,072 bits / 300 bit/ns = 110.24 ns.
    const ExactTime time = LineRate(DataRate("300Gbps")).Serialise(4134);
    EXPECT_EQ(time, Fraction(11024 * TicksPerSecond(), 100'000'000'000));
    // 60 bytes at 800 Gbps: 0.6 ns; five of them: 3 ns.
    EXPECT_EQ(LineRate(DataRate("800Gbps")).Serialise(60).ToTime(),
              TicksPerSecond() == 1'000'000'000 ? NanoSeconds(1) : PicoSeconds(600));
    EXPECT_EQ(LineRate(DataRate("800Gbps")).Serialise(300), ExactTime(NanoSeconds(3)));
    EXPECT_EQ(LineRate(DataRate("7Gbps")).GetBitRate(), 7'000'000'000U);
}

TEST(LineRate, SizesBeyondThirtyTwoBits)
{
    const LineRate rate(DataRate("8Gbps")); // a byte a nanosecond
    for (uint64_t bytes : {uint64_t(1) << 29,
                           (uint64_t(1) << 32) + 1,
                           uint64_t(5) << 30,
                           (uint64_t(16) << 30) + 7,
                           uint64_t(1) << 50})
    {
        EXPECT_EQ(rate.Serialise(bytes), ExactTime(NanoSeconds(bytes))) << bytes;
    }
    // The largest size that is promised: 2^60 bytes at 2^43 bit/s are 2^20 s.
    EXPECT_EQ(LineRate(DataRate(uint64_t(1) << 43)).Serialise(uint64_t(1) << 60),
              ExactTime(Seconds(1 << 20)));
}

TEST(LineClock, BackToBackPacketsDoNotDrift)
{
    constexpr uint64_t packets = 1'000'000;
    for (uint64_t bitRate : {7'000'000'000L, 333'333'333L, 800'000'000'000L})
    {
        for (uint64_t bytes : {60, 4134})
        {
            LineClock clock;
            clock.SetRate(LineRate(DataRate(bitRate)));
            for (uint64_t k = 1; k <= packets; k++)
            {
                const Time end = clock.Transmit(clock.GetFree(), bytes).ToTime();
                ASSERT_EQ(end, LineTime(k * bytes, bitRate)) << "packet " << k << " at " << bitRate;
            }
        }
    }
    // 10^6 x 60 bytes at 800 Gbps: 600 us, though at nanoseconds each takes 0.6 of a tick.
    EXPECT_EQ(LineTime(60 * packets, 800'000'000'000), MicroSeconds(600));
}

TEST(LineClock, SizesAndRatesInTurnAddUpExactly)
{
    constexpr uint32_t seed = 15;
    std::cout << "seed " << seed << '\n';
    std::mt19937_64 random(seed);
    constexpr uint64_t common = 300'300'000'000'000; // a multiple of all the rates
    LineClock clock;
    Int128 expected = 0; // in units of a tick / common
    for (int turn = 0; turn < 400; turn++)
    {
        const uint64_t rates[]{7'000'000'000, 300'000'000'000, 11'000'000'000, 13'000'000};
        const uint64_t bitRate = rates[random() % 4];
        clock.SetRate(LineRate(DataRate(bitRate)));
        EXPECT_EQ(clock.GetRate().GetBitRate(), bitRate);
        for (int k = 0; k < 50; k++)
        {
            const uint64_t bytes = k % 3 ? 4134 : 24 + random() % 9000;
            clock.Transmit(clock.GetFree(), bytes);
            expected += Int128(bytes) * 8 * TicksPerSecond() * (common / bitRate);
            ASSERT_EQ(clock.GetFree(), Fraction(expected, common));
        }
    }
}

TEST(LineClock, AnAbandonedPacketFreesTheLine)
{
    LineClock clock;
    clock.SetRate(LineRate(DataRate("7Gbps")));
    clock.Transmit(ExactTime(), 7000);
    EXPECT_EQ(clock.GetFree(), ExactTime(MicroSeconds(8)));
    clock.Abandon(ExactTime(MicroSeconds(3)));
    EXPECT_EQ(clock.Transmit(clock.GetFree(), 7000), ExactTime(MicroSeconds(11)));
}

} // namespace photonic
} // namespace ns3
