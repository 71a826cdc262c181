/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/phase-profile.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>

using namespace ns3::photonic;

namespace
{

const std::string FILE_NAME = ::testing::TempDir() + "photonic-rails-phase-profile-test.txt";

/// @param text a file @return why it is refused
std::string
Refusal(const std::string& text)
{
    std::ofstream(FILE_NAME) << text;
    try
    {
        PhaseProfile::Load(FILE_NAME, "job");
    }
    catch (const std::invalid_argument& e)
    {
        std::remove(FILE_NAME.c_str());
        const std::string what = e.what();
        EXPECT_EQ(what.compare(0, FILE_NAME.size(), FILE_NAME), 0) << what;
        return what.substr(FILE_NAME.size());
    }
    return "accepted";
}

const std::string GOOD = "photonic-rails-profile 1\n"
                         "fingerprint job\n"
                         "ranks 4\n"
                         "sequences 2\n"
                         "sequence 0 2\n"
                         "fsdp 0 open\n"
                         "pp-next 0 -\n"
                         "sequence 1 0\n"
                         "members 0 1 0\n"
                         "members 5 5 1\n"
                         "members 6 6 0\n";

/// @return GOOD with its n-th line (from 1) replaced
std::string
WithLine(std::size_t n, const std::string& line)
{
    std::size_t start = 0;
    while (--n > 0)
    {
        start = GOOD.find('\n', start) + 1;
    }
    std::string text = GOOD;
    return text.replace(start, GOOD.find('\n', start) - start, line);
}

} // namespace

TEST(PhaseProfile, RoundTripSharesSequences)
{
    PhaseProfile profile("a job of 16,384 ranks");
    const PhaseProfile::Sequence even{{GroupSlot::FSDP, 0, true}, {GroupSlot::PP_NEXT, 7, false}};
    const PhaseProfile::Sequence odd{{GroupSlot::PP, 4000000000U, true}};
    for (uint32_t rank = 0; rank < 16384; ++rank)
    {
        profile.SetSequence(rank, rank / 4096 % 2 ? odd : even);
    }
    profile.SetSequence(16384, {});
    EXPECT_EQ(profile.GetDistinctSequences(), 3U);
    profile.Save(FILE_NAME);
    EXPECT_FALSE(std::ifstream(FILE_NAME + ".part").good());
    std::ifstream in(FILE_NAME);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_LT(text.size(), 400U);

    const auto loaded = PhaseProfile::Load(FILE_NAME, "a job of 16,384 ranks");
    EXPECT_EQ(loaded.GetFingerprint(), "a job of 16,384 ranks");
    EXPECT_EQ(loaded.GetRanks(), 16385U);
    EXPECT_EQ(loaded.GetDistinctSequences(), 3U);
    EXPECT_EQ(loaded.GetSequence(0), even);
    EXPECT_EQ(loaded.GetSequence(4096), odd);
    EXPECT_EQ(loaded.GetSequence(16383), odd);
    EXPECT_TRUE(loaded.GetSequence(16384).empty());
    EXPECT_THROW(loaded.GetSequence(16385), std::invalid_argument);
    std::remove(FILE_NAME.c_str());
}

TEST(PhaseProfile, RefusesTheProfileOfAnotherJob)
{
    std::ofstream(FILE_NAME) << GOOD;
    EXPECT_NO_THROW(PhaseProfile::Load(FILE_NAME, "job"));
    EXPECT_THROW(PhaseProfile::Load(FILE_NAME, "jo"), std::invalid_argument);
    EXPECT_THROW(PhaseProfile::Load(FILE_NAME, "job 2"), std::invalid_argument);
    std::remove(FILE_NAME.c_str());
}

TEST(PhaseProfile, ErrorsNameFileLineFoundAndExpected)
{
    EXPECT_EQ(Refusal(GOOD), "accepted");
    EXPECT_EQ(Refusal(""), ":1: expected photonic-rails-profile 1, found the end of the file");
    EXPECT_EQ(Refusal("{}\n"), ":1: expected \"photonic-rails-profile 1\", found \"{}\"");
    EXPECT_EQ(Refusal(WithLine(2, "fingerprint other")),
              ":2: expected the profile of this job, \"fingerprint job\", found "
              "\"fingerprint other\"");
    EXPECT_EQ(Refusal(WithLine(3, "ranks many")),
              ":3: expected \"ranks <number>\", up to 1000000, found \"ranks many\"");
    EXPECT_EQ(Refusal(WithLine(3, "ranks -1")),
              ":3: expected \"ranks <number>\", up to 1000000, found \"ranks -1\"");
    EXPECT_EQ(
        Refusal(WithLine(4, "sequences 99999999999")),
        ":4: expected \"sequences <number>\", up to 1000000, found \"sequences 99999999999\"");
    EXPECT_EQ(Refusal(WithLine(5, "sequence 1 2")),
              ":5: expected \"sequence 0 <length>\", found \"sequence 1 2\"");
    for (const char* entry : {"xp 0 open", "fsdp x open", "fsdp 0 maybe", "fsdp 0", "- 0 open"})
    {
        EXPECT_EQ(Refusal(WithLine(6, entry)),
                  std::string(":6: expected an operation: slot, counter, \"open\" or \"-\", "
                              "found \"") +
                      entry + "\"");
    }
    for (const char* members : {"members 0 4 0", "members 1 0 0", "members 0 1 2", "members 0 1"})
    {
        EXPECT_EQ(Refusal(WithLine(9, members)),
                  std::string(":9: expected \"members <first> <last> <sequence>\", ranks in "
                              "order, 4 in all, found \"") +
                      members + "\"");
    }
    EXPECT_NE(Refusal(WithLine(10, "members 1 1 1")), "accepted");
    EXPECT_EQ(Refusal(GOOD + "more\n"), ":12: expected the end of the file, found \"more\"");
    for (std::size_t end = 0; end + 1 < GOOD.size(); ++end) // truncated anywhere
    {
        EXPECT_NE(Refusal(GOOD.substr(0, end)), "accepted") << end;
    }
}

TEST(PhaseProfile, MissingFileAndDirectoryAreNamed)
{
    EXPECT_THROW(PhaseProfile::Load("/nonexistent/profile", "job"), std::invalid_argument);
    EXPECT_THROW(PhaseProfile("job").Save("/nonexistent/profile"), std::runtime_error);
    EXPECT_THROW(PhaseProfile("two\nlines"), std::invalid_argument);
}

TEST(PhaseProfile, WhatIsFoundIsShownInALine)
{
    EXPECT_EQ(Refusal(WithLine(3, "ranks \x1b[2J")),
              ":3: expected \"ranks <number>\", up to 1000000, found \"ranks ?[2J\"");
    EXPECT_EQ(Refusal(WithLine(2, "fingerprint " + std::string(1000, 'x'))),
              ":2: expected the profile of this job, \"fingerprint job\", found \"fingerprint " +
                  std::string(188, 'x') + "...\"");
}

TEST(PhaseProfile, LimitsOfAFile)
{
    const std::string begin = "photonic-rails-profile 1\nfingerprint job\n";
    const auto ranks = [&begin](const std::string& all, const std::string& last) {
        return Refusal(begin + "ranks " + all + "\nsequences 1\nsequence 0 0\nmembers 0 " + last +
                       " 0\n");
    };
    EXPECT_EQ(ranks("1000000", "999999"), "accepted");
    EXPECT_EQ(ranks("1000001", "1000000"),
              ":3: expected \"ranks <number>\", up to 1000000, found \"ranks 1000001\"");
    EXPECT_EQ(Refusal(begin + "ranks 1\nsequences 1000001\n"),
              ":4: expected \"sequences <number>\", up to 1000000, found \"sequences 1000001\"");
    EXPECT_EQ(Refusal(begin + "ranks 1\nsequences 1000000\n"),
              ":5: expected \"sequence 0 <length>\", found the end of the file");
    const std::string sequences = begin + "ranks 1\nsequences 2\nsequence 0 1\ntp 0 -\nsequence 1 ";
    EXPECT_EQ(Refusal(sequences + "49999999\n"),
              ":8: expected an operation: slot, counter, \"open\" or \"-\", found the end of the "
              "file");
    EXPECT_EQ(Refusal(sequences + "50000000\n"),
              ":7: expected \"sequence 1 <length>\", at most 50000000 operations in all, found "
              "\"sequence 1 50000000\"");

    EXPECT_EQ(PhaseProfile::LIMITS.bytes, 1U << 30);
    EXPECT_EQ(PhaseProfile::LIMITS.line, 65536U);
    EXPECT_EQ(PhaseProfile::LIMITS.lines, 60'000'000U);
    const auto read = [](const ns3::photonic::LineReader::Limits& limits) -> std::string {
        std::istringstream is(GOOD);
        try
        {
            PhaseProfile::Read(is, "p", "job", limits);
        }
        catch (const std::invalid_argument& e)
        {
            return e.what();
        }
        return "accepted";
    };
    EXPECT_EQ(read({GOOD.size(), 24, 11}), "accepted");
    EXPECT_EQ(read({GOOD.size() - 1, 24, 11}),
              "p:11: found a file of more bytes, expected at most " +
                  std::to_string(GOOD.size() - 1));
    EXPECT_EQ(read({GOOD.size(), 23, 11}), "p:1: found a line of more bytes, expected at most 23");
    EXPECT_EQ(read({GOOD.size(), 24, 10}), "p:11: found more lines, expected at most 10");
}
