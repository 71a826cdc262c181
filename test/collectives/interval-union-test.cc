/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/interval-union.h"

#include <bitset>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr int N = 120;
/// A bit per instant: what an IntervalUnion of whole nanoseconds below N has to be.
using Reference = std::bitset<N>;

void
Add(IntervalUnion& set, Reference& reference, int start, int end)
{
    set.Add(NanoSeconds(start), NanoSeconds(end));
    for (int i = start; i < end; i++)
    {
        reference.set(i);
    }
}

Reference
GetMembers(const IntervalUnion& set)
{
    Reference members;
    for (const auto& interval : set.Get())
    {
        for (int i = interval.start.GetNanoSeconds(); i < interval.end.GetNanoSeconds(); i++)
        {
            members.set(i);
        }
    }
    return members;
}

} // namespace

TEST(IntervalUnion, AgreesWithAnEnumerationOfInstants)
{
    const unsigned seed = 4711;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&random](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int round = 0; round < 400; round++)
    {
        IntervalUnion a;
        IntervalUnion b;
        Reference inA;
        Reference inB;
        for (int i = pick(0, 14); i > 0; i--)
        {
            // Ends before, at and after starts.
            const int start = pick(0, N - 20);
            Add(a, inA, start, start + pick(-3, 19));
            const int other = pick(0, N - 20);
            Add(b, inB, other, other + pick(-3, 19));
        }
        EXPECT_EQ(a.GetLength(), NanoSeconds(inA.count()));
        EXPECT_EQ(a.GetLengthWithout(b), NanoSeconds((inA & ~inB).count()));
        EXPECT_EQ(b.GetLengthWithout(a), NanoSeconds((inB & ~inA).count()));
        EXPECT_EQ(a.GetLengthWithout(a), Time(0));
        // Disjoint, in order, and with gaps between them.
        Time last = NanoSeconds(-1);
        for (const auto& interval : a.Get())
        {
            EXPECT_GT(interval.start, last);
            EXPECT_GT(interval.end, interval.start);
            last = interval.end;
        }
        EXPECT_EQ(GetMembers(a), inA);
    }
}

TEST(IntervalUnion, TouchingIntervalsBecomeOne)
{
    IntervalUnion set;
    set.Add(NanoSeconds(10), NanoSeconds(20));
    set.Add(NanoSeconds(30), NanoSeconds(40));
    set.Add(NanoSeconds(20), NanoSeconds(30));
    ASSERT_EQ(set.Get().size(), 1U);
    EXPECT_EQ(set.Get()[0].start, NanoSeconds(10));
    EXPECT_EQ(set.Get()[0].end, NanoSeconds(40));
}

TEST(IntervalUnion, WhatLiesBeforeAnInstantCanBeTakenOut)
{
    std::mt19937 random(7);
    for (int round = 0; round < 500; round++)
    {
        SCOPED_TRACE("round " + std::to_string(round));
        IntervalUnion set;
        Reference members;
        for (int i = 0; i < 12; i++)
        {
            const int start = random() % 90;
            Add(set, members, start, start + random() % 10);
        }
        const int until = random() % N;
        const Reference before = Reference().set() >> (N - until); // bits 0 to until - 1
        EXPECT_EQ(GetMembers(set.TakeBefore(NanoSeconds(until))), members & before);
        EXPECT_EQ(GetMembers(set), members & ~before);
    }
}

TEST(IntervalUnion, EmptyOnesAreNothing)
{
    IntervalUnion set;
    set.Add(NanoSeconds(5), NanoSeconds(5));
    set.Add(NanoSeconds(9), NanoSeconds(3));
    EXPECT_TRUE(set.Get().empty());
    EXPECT_EQ(set.GetLength(), Time(0));
    EXPECT_EQ(set.GetLengthWithout(set), Time(0));
}

} // namespace photonic
} // namespace ns3
