/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/algorithm-table-file.h"

#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

const std::string HEADER = "collective,min_bytes,max_bytes,min_ranks,max_ranks,algorithm\n";

Ptr<const AlgorithmTable>
Read(const std::string& text)
{
    const std::string file = ::testing::TempDir() + "tuner.csv";
    std::ofstream(file) << text;
    return ReadAlgorithmTable(file);
}

std::string
Refusal(const std::string& text)
{
    try
    {
        Read(text);
    }
    catch (const std::invalid_argument& refusal)
    {
        const std::string what = refusal.what();
        const std::string folder = ::testing::TempDir();
        return what.compare(0, folder.size(), folder) == 0 ? what.substr(folder.size()) : what;
    }
    return "accepted";
}

} // namespace

TEST(AlgorithmTableFile, TheFirstLineThatFitsCounts)
{
    using Kind = CollectiveKind;
    const auto table = Read(HEADER + "# small ones, in few steps\n"
                                     "all-reduce,0,65536,-1,-1,double-binary-tree\r\n"
                                     "\n"
                                     "all-reduce,-1,1048576,2,16,halving-doubling\n"
                                     "all-to-all,-1,-1,-1,8,direct\n");
    EXPECT_EQ(table->Find(Kind::ALL_REDUCE, 8, 65536).GetName(), "double-binary-tree");
    EXPECT_EQ(table->Find(Kind::ALL_REDUCE, 8, 65537).GetName(), "halving-doubling");
    EXPECT_EQ(table->Find(Kind::ALL_REDUCE, 17, 65537).GetName(), "ring");
    EXPECT_EQ(table->Find(Kind::ALL_REDUCE, 8, 1048577).GetName(), "ring");
    EXPECT_EQ(table->Find(Kind::ALL_GATHER, 8, 1).GetName(), "ring");
    EXPECT_EQ(table->Find(Kind::ALL_TO_ALL, 8, 1).GetName(), "direct");
    EXPECT_EQ(table->Find(Kind::ALL_TO_ALL, 9, 1).GetName(), "pairwise");
}

TEST(AlgorithmTableFile, NamesFileLineAndColumnOfAnError)
{
    const std::pair<std::string, std::string> cases[]{
        {"", "tuner.csv: is empty, expected the header collective,"},
        {"all-reduce,0,1,2,3,ring\n", "tuner.csv:1: found 'all-reduce,0,1,2,3,ring', expected the"},
        {HEADER + "\nreduce,0,1,2,3,ring\n",
         "tuner.csv:3: column 'collective': found 'reduce', expected one of all-gather, "},
        {HEADER + "all-reduce,0,1,2,ring\n", "tuner.csv:2: found 5 fields, expected 6"},
        {HEADER + "all-reduce,x,1,2,3,ring\n",
         "tuner.csv:2: column 'min_bytes': found 'x', expected -1 or a whole number"},
        {HEADER + "all-reduce,0,-2,2,3,ring\n", "column 'max_bytes': found '-2'"},
        {HEADER + "all-reduce,0,1,4294967296,3,ring\n", "column 'min_ranks': found '4294967296'"},
        {HEADER + "all-reduce,0,1,99999999999999999999,3,ring\n", "column 'min_ranks': found"},
        {HEADER + "all-reduce,0,1,,3,ring\n", "column 'min_ranks': found ''"},
        {HEADER + "all-reduce,2,1,2,3,ring\n",
         "tuner.csv:2: column 'min_bytes': found 2, expected at most max_bytes 1"},
        {HEADER + "all-reduce,1,2,3,2,ring\n",
         "tuner.csv:2: column 'min_ranks': found 3, expected at most max_ranks 2"},
        {HEADER + "all-reduce,0,1,2,3,rings\n",
         "tuner.csv:2: column 'algorithm': found 'rings', expected one that serves all-reduce: "
         "ring"},
        {HEADER + "all-gather,0,1,2,3,direct\n",
         "tuner.csv:2: column 'algorithm': found 'direct', expected one that serves all-gather: "},
        {HEADER + "all\x1breduce,0,1,2,3,ring\n", "column 'collective': found 'all?reduce'"},
    };
    for (const auto& [text, expected] : cases)
    {
        EXPECT_NE(Refusal(text).find(expected), std::string::npos)
            << "expected '" << expected << "' in '" << Refusal(text) << "'";
    }
    EXPECT_EQ(Refusal(HEADER), "accepted");
    EXPECT_THROW(ReadAlgorithmTable("/no/such/file"), std::invalid_argument);
    EXPECT_THROW(ReadAlgorithmTable(::testing::TempDir()), std::invalid_argument);
}

TEST(AlgorithmTableFile, LimitsOfAFile)
{
    EXPECT_EQ(Refusal(HEADER + "#" + std::string((1 << 16) - 1, ' ')), "accepted");
    EXPECT_EQ(Refusal(HEADER + "#" + std::string(1 << 16, ' ')),
              "tuner.csv:2: found a line of more bytes, expected at most 65536");
    EXPECT_EQ(Refusal(HEADER + std::string(99'999, '\n')), "accepted");
    EXPECT_EQ(Refusal(HEADER + std::string(100'000, '\n')),
              "tuner.csv:100001: found more lines, expected at most 100000");
    std::string comments;
    while (comments.size() < (16 << 20) - 2000)
    {
        comments += "#" + std::string(998, ' ') + "\n";
    }
    comments += std::string((16 << 20) - HEADER.size() - comments.size(), '#');
    EXPECT_EQ(Refusal(HEADER + comments), "accepted");
    EXPECT_EQ(Refusal(HEADER + comments + "#"),
              "tuner.csv:16778: found a file of more bytes, expected at most 16777216");
}

} // namespace photonic
} // namespace ns3
