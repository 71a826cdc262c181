/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload/workload-test-helper.h"

#include "ns3/input-text.h"

#include <fstream>
#include <sstream>

namespace ns3
{
namespace photonic
{

namespace
{

/// @return the lines of a text, each behind its place
std::string
ReadLines(const std::string& text, const LineReader::Limits& limits)
{
    std::istringstream is(text);
    LineReader reader(is, "f", limits);
    std::string all;
    for (std::string line; reader.Next(line);)
    {
        all += reader.GetPlace() + "=" + line + ";";
    }
    EXPECT_FALSE(reader.IsBroken());
    return all;
}

} // namespace

TEST(InputText, MessagesShowTheBeginningInALine)
{
    EXPECT_EQ(OneLine("a\nb\t\x1b\x7f\xc3\xa9"), "a?b???\xc3\xa9");
    EXPECT_EQ(Quote("ab"), "'ab'");
    EXPECT_EQ(Quote(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
    EXPECT_EQ(Quote(std::string(61, 'x')), "'" + std::string(60, 'x') + "...'");
    // Not in the middle of a character.
    EXPECT_EQ(Shorten("abc\xc3\xa9", 4), "abc...");
    EXPECT_EQ(Shorten(std::string(5, '\x80'), 2), "\x80\x80...");
}

TEST(InputText, LinesAreThoseOfGetline)
{
    const LineReader::Limits limits{100, 100, 100};
    for (const std::string text : {"", "\n", "a", "a\n", "a\n\nb", "a\r\nb\n\n"})
    {
        std::istringstream is(text);
        std::string expected;
        uint32_t number = 0;
        for (std::string line; std::getline(is, line);)
        {
            expected += "f:" + std::to_string(++number) + "=" + line + ";";
        }
        EXPECT_EQ(ReadLines(text, limits), expected);
    }
}

TEST(InputText, LimitsAreKept)
{
    EXPECT_EQ(ReadLines("abc\nd\n", {6, 3, 2}), "f:1=abc;f:2=d;");
    EXPECT_EQ(GetRefusal([] { ReadLines("abc\nd\n", {5, 3, 2}); }),
              "f:2: found a file of more bytes, expected at most 5");
    EXPECT_EQ(GetRefusal([] { ReadLines("abc\nd\n", {6, 2, 2}); }),
              "f:1: found a line of more bytes, expected at most 2");
    EXPECT_EQ(GetRefusal([] { ReadLines("abc\nd\n", {6, 3, 1}); }),
              "f:2: found more lines, expected at most 1");
    std::istringstream inside("abc");
    EXPECT_EQ(ReadText(inside, "f", 3), "abc");
    std::istringstream outside("abcd");
    EXPECT_EQ(GetRefusal([&] { ReadText(outside, "f", 3); }),
              "f: found a file of more bytes, expected at most 3");
}

TEST(InputText, WhatHasNoEndIsRefused)
{
    std::ifstream zeroes("/dev/zero");
    LineReader reader(zeroes, "z", {1 << 20, 1 << 10, 10});
    std::string line;
    EXPECT_EQ(GetRefusal([&] { reader.Next(line); }),
              "z:1: found a line of more bytes, expected at most 1024");
    EXPECT_LE(line.size(), 1024U);
}

TEST(InputText, AFolderIsNoText)
{
    std::ifstream folder(testing::TempDir());
    LineReader reader(folder, "d", {10, 10, 10});
    std::string line;
    EXPECT_FALSE(reader.Next(line));
    EXPECT_TRUE(reader.IsBroken());
}

} // namespace photonic
} // namespace ns3
