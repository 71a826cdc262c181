/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics-test-helper.h"

#include "ns3/exact-time.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <random>

namespace ns3
{
namespace photonic
{

namespace
{

using Rational = boost::multiprecision::cpp_rational;
using Integer = boost::multiprecision::cpp_int;

/// @return ticks that bytes take, exactly
Rational
TicksOf(uint64_t bytes, uint64_t bitRate)
{
    return Rational(Integer(bytes) * 8 * TicksPerSecond(), bitRate);
}

Integer
Floor(const Rational& value)
{
    return numerator(value) / denominator(value); // only for values from 0
}

/// @return the same instant; the denominator of the value has to fit
ExactTime
ToExact(const Rational& value)
{
    const Integer whole = Floor(value);
    const Rational fraction = value - whole;
    return ExactTime(static_cast<int64_t>(whole),
                     static_cast<uint64_t>(numerator(fraction)),
                     static_cast<uint64_t>(denominator(fraction)));
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

TEST(ExactTime, ComparesAsTheRationalsDo)
{
    constexpr uint32_t seed = 11;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    uint32_t equal = 0;
    for (int i = 0; i < 20000; i++)
    {
        // Small denominators give ties and near ties, large ones overflow 64-bit products.
        const uint64_t limit = i % 2 ? 6 : uint64_t(1) << 62;
        ExactTime times[2];
        Rational values[2];
        for (int j : {0, 1})
        {
            const uint64_t den = 1 + random() % limit;
            const uint64_t num = random() % den;
            const int64_t tick = random() % 3;
            times[j] = ExactTime(tick, num, den);
            values[j] = tick + Rational(num, den);
        }
        equal += values[0] == values[1];
        ASSERT_EQ(times[0] < times[1], values[0] < values[1]);
        ASSERT_EQ(times[0] > times[1], values[0] > values[1]);
        ASSERT_EQ(times[0] <= times[1], values[0] <= values[1]);
        ASSERT_EQ(times[0] >= times[1], values[0] >= values[1]);
        ASSERT_EQ(times[0] == times[1], values[0] == values[1]);
    }
    EXPECT_GT(equal, 100U) << "ties were not tried";
}

TEST(ExactTime, AddsExactlyWhileTheDenominatorFits)
{
    constexpr uint32_t seed = 12;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int i = 0; i < 2000; i++)
    {
        const uint64_t dens[]{1 + random() % 1'000'000, 1 + random() % 1'000'000};
        ExactTime sum;
        Rational value;
        for (int k = 0; k < 20; k++)
        {
            const uint64_t den = dens[random() % 2];
            const uint64_t num = random() % den;
            const int64_t tick = random() % 1000;
            sum = sum + ExactTime(tick, num, den);
            value += tick + Rational(num, den);
        }
        ASSERT_EQ(sum, ToExact(value)) << value;
    }
}

TEST(ExactTime, IsNeverEarlyAndHardlyLateWhereTheDenominatorDoesNotFit)
{
    constexpr uint32_t seed = 13;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const Integer fine = Integer(1) << 60;
    for (int i = 0; i < 2000; i++)
    {
        ExactTime sum;
        Rational value;
        constexpr int terms = 30;
        for (int k = 0; k < terms; k++)
        {
            const uint64_t den = 1 + random() % 1'000'000'000'000;
            const uint64_t num = random() % den;
            sum = sum + ExactTime(0, num, den);
            value += Rational(num, den);
        }
        // Each addition may round both its terms up by 2^-62, which is a quarter of 2^-60.
        const Rational below(Floor(value * fine), fine);
        ASSERT_GE(sum, ToExact(below));
        ASSERT_LE(sum, ToExact(below + Rational(1 + 2 * terms / 4, fine)));
    }
}

TEST(LineRate, RefusesZero)
{
    const auto refusal = GetRefusal<std::invalid_argument>([] { LineRate(DataRate(0)); });
    EXPECT_NE(refusal.find("0 bit/s"), std::string::npos) << refusal;
}

TEST(LineRate, SerialisesAsTheRationalsDo)
{
    constexpr uint32_t seed = 14;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int i = 0; i < 5000; i++)
    {
        const uint64_t bitRate = 1'000'000 + random() % 2'000'000'000'000;
        const uint64_t bytes = random() >> (34 + random() % 30);
        const ExactTime time = LineRate(DataRate(bitRate)).Serialise(bytes);
        ASSERT_EQ(time, ToExact(TicksOf(bytes, bitRate))) << bytes << " bytes at " << bitRate;
    }
}

TEST(LineRate, HandCalculatedTimes)
{
    // 4,134 bytes at 300 Gbps: 33,072 bits / 300 bit/ns = 110.24 ns.
    const ExactTime time = LineRate(DataRate("300Gbps")).Serialise(4134);
    EXPECT_EQ(time, ToExact(Rational(11024 * TicksPerSecond(), Integer(100) * 1'000'000'000)));
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
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    LineClock clock;
    Rational expected;
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
            expected += TicksOf(bytes, bitRate);
            ASSERT_EQ(clock.GetFree(), ToExact(expected));
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
