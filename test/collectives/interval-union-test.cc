/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/interval-union.h"

#include <bitset>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

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

TEST(IntervalUnion, ExposedIsWhatIsLeftOfTheUnionByHand)
{
    struct Case
    {
        const char* what;
        std::vector<std::pair<int, int>> communication;
        std::vector<std::pair<int, int>> computation;
        int exposed;
    };

    const Case cases[]{
        {"beside nothing", {{0, 10}}, {}, 10},
        {"behind a computation", {{2, 8}}, {{0, 10}}, 0},
        {"beyond its end", {{5, 15}}, {{0, 10}}, 5},
        {"before, and beyond its end", {{0, 30}}, {{10, 20}}, 20},
        {"two at the same time count once", {{0, 10}, {0, 10}}, {{0, 4}}, 6},
        {"two that overlap, partly hidden: 0 to 3, and 9 to 12", {{0, 8}, {5, 12}}, {{3, 9}}, 6},
        {"one in another: 10 to 20 without 14 to 16", {{10, 20}, {12, 14}}, {{14, 16}}, 8},
        {"touching ones, under touching ones", {{0, 5}, {5, 10}}, {{2, 5}, {5, 7}}, 5},
        {"of no length", {{5, 5}, {7, 7}}, {{0, 1}}, 0},
        {"under computations of no length", {{0, 6}}, {{2, 2}, {4, 4}}, 6},
        {"a gap between computations", {{0, 20}}, {{0, 9}, {11, 20}}, 2},
        {"out of order", {{30, 40}, {0, 10}, {20, 30}}, {{35, 50}, {5, 25}}, 5 + 5 + 5},
    };
    for (const auto& c : cases)
    {
        IntervalUnion communication;
        IntervalUnion computation;
        for (const auto& [start, end] : c.communication)
        {
            communication.Add(NanoSeconds(start), NanoSeconds(end));
        }
        for (const auto& [start, end] : c.computation)
        {
            computation.Add(NanoSeconds(start), NanoSeconds(end));
        }
        EXPECT_EQ(communication.GetLengthWithout(computation), NanoSeconds(c.exposed)) << c.what;
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
