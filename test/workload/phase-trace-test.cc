/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/phase-trace.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{
namespace photonic
{

namespace
{

const std::string HEADER = "step,pp_stage,phase,parallelism,collectives,start_ms,end_ms\n";

PhaseTrace
Read(const std::string& text)
{
    std::istringstream is(text);
    return ReadPhaseTrace(is, "trace.csv");
}

/// @return percent of the windows of a stage that are longer, rounded
long
GetPercentOver(const std::vector<Window>& windows, uint32_t stage, Time limit)
{
    double all = 0;
    double over = 0;
    for (const Window& w : windows)
    {
        all += w.stage == stage;
        over += w.stage == stage && w.duration > limit;
    }
    return std::lround(100 * over / all);
}

PhaseTrace
ReadPerlmutter()
{
    std::string directory = __FILE__;
    directory.erase(directory.rfind("workload"));
    return ReadPhaseTrace(directory + "data/perlmutter-llama3-8b-tp4-fsdp2-pp2.csv");
}

} // namespace

TEST(PhaseTrace, GivesThePublishedFractions)
{
    const PhaseTrace trace = ReadPerlmutter();
    EXPECT_EQ(trace.phases.size(), 72U);
    EXPECT_EQ(trace.reversed, 6U);
    const std::vector<Window> windows = FindWindows(trace.phases, true);
    EXPECT_EQ(windows.size(), 41U + 29U);
    EXPECT_EQ(GetPercentOver(windows, 0, MilliSeconds(1)), 83);
    EXPECT_EQ(GetPercentOver(windows, 0, MilliSeconds(15)), 63);
    EXPECT_EQ(GetPercentOver(windows, 0, MilliSeconds(25)), 59);
    EXPECT_EQ(GetPercentOver(windows, 0, MilliSeconds(100)), 29);
    EXPECT_EQ(GetPercentOver(windows, 1, MilliSeconds(15)), 100);
    EXPECT_EQ(GetPercentOver(windows, 1, MilliSeconds(25)), 86);
    EXPECT_EQ(GetPercentOver(windows, 1, MilliSeconds(100)), 72);
}

TEST(PhaseTrace, WindowsLieInsideStepsByDefault)
{
    const std::vector<Window> windows = FindWindows(ReadPerlmutter().phases);
    // 14 and 10 alternating phases a step, three steps.
    EXPECT_EQ(windows.size(), 3U * 13 + 3U * 9);
    EXPECT_GT(GetPercentOver(windows, 0, MilliSeconds(1)), 75);
}

TEST(PhaseTrace, FindsColumnsByName)
{
    const PhaseTrace trace = Read("bytes,end_ms,start_ms,collectives,parallelism,phase,pp_stage,"
                                  "step,rail\r\n"
                                  "9000000000,2.5,1.25,4,other,0,3,7,2\r\n");
    ASSERT_EQ(trace.phases.size(), 1U);
    const Phase& p = trace.phases[0];
    EXPECT_EQ(p.bytes, 9'000'000'000U);
    EXPECT_EQ(p.start, MicroSeconds(1250));
    EXPECT_EQ(p.end, MicroSeconds(2500));
    EXPECT_EQ(p.collectives, 4U);
    EXPECT_EQ(p.parallelism, Parallelism::OTHER);
    EXPECT_EQ(p.number, 0U);
    EXPECT_EQ(p.stage, 3U);
    EXPECT_EQ(p.step, 7U);
    EXPECT_EQ(p.rail, 2U);
}

TEST(PhaseTrace, SortsRowsAndClampsWhatRunsBackwards)
{
    const PhaseTrace trace = Read(HEADER + "0,0,2,fsdp,1,40,50\n"
                                           "0,0,1,pp,1,30,20\n"
                                           "0,1,0,pp,1,5,6\n"
                                           "0,0,0,fsdp,1,0,35\n"
                                           "0,0,3,fsdp,1,60,61\n");
    EXPECT_EQ(trace.reversed, 1U);
    EXPECT_EQ(trace.phases[1].end, MilliSeconds(30));
    const std::vector<Window> windows = FindWindows(trace.phases);
    // The first two phases overlap, the last two are of one parallelism.
    ASSERT_EQ(windows.size(), 1U);
    EXPECT_EQ(windows[0].start, MilliSeconds(30));
    EXPECT_EQ(windows[0].duration, MilliSeconds(10));
    EXPECT_EQ(windows[0].from, Parallelism::PP);
    EXPECT_EQ(windows[0].to, Parallelism::FSDP);
}

TEST(PhaseTrace, NamesFileLineAndColumnOfAnError)
{
    const struct
    {
        std::string text;
        const char* expected;
    } cases[]{
        {"", "trace.csv: cannot be read, or is empty"},
        {"step,pp_stage\n", "trace.csv:1: column 'phase' is missing"},
        {"step," + HEADER, "trace.csv:1: column 'step' stands there twice"},
        {HEADER + "0,0,0,fsdp,1,0\n", "trace.csv:2: found 6 fields, expected 7"},
        {HEADER + "0,0,0,fsdp,1,0,1\n\n", "trace.csv:3: found 1 fields, expected 7"},
        {HEADER + "0,0,0,fsdp,1,0,1,2\n", "trace.csv:2: found 8 fields, expected 7"},
        {HEADER + "0,0,0,xp,1,0,1\n",
         "trace.csv:2: column 'parallelism': found 'xp', expected tp, cp, ep, fsdp, dp, pp, mp or "
         "other"},
        {HEADER + "0,0,0,pp,1,x,1\n", "column 'start_ms': found 'x', expected a time"},
        {HEADER + "0,0,0,pp,1,0,nan\n", "column 'end_ms': found 'nan'"},
        {HEADER + "0,0,0,pp,1,-1,1\n", "column 'start_ms': found '-1'"},
        {HEADER + "0,0,0,pp,1,1e300,1\n", "column 'start_ms': found '1e300'"},
        {HEADER + "-1,0,0,pp,1,0,1\n", "column 'step': found '-1', expected a whole number"},
        {HEADER + "0,0,0,pp,,0,1\n", "column 'collectives': found ''"},
        {HEADER + "0,99999999999,0,pp,1,0,1\n", "column 'pp_stage': found '99999999999'"},
    };

    for (const auto& c : cases)
    {
        EXPECT_CONTAINS(GetRefusal([&] { Read(c.text); }), c.expected);
    }
    EXPECT_CONTAINS(GetRefusal([] { ReadPhaseTrace("/no/such/file"); }), "/no/such/file: cannot");
    EXPECT_CONTAINS(GetRefusal([] { ReadPhaseTrace(testing::TempDir()); }), ": cannot be read");
    const std::string long_header(1000, 'x');
    EXPECT_EQ(GetRefusal([&] { Read(long_header + "\n"); }),
              "trace.csv:1: column '" + std::string(60, 'x') +
                  "...' is not known, expected rail, bytes and those of "
                  "'step,pp_stage,phase,parallelism,collectives,start_ms,end_ms'");
    EXPECT_CONTAINS(GetRefusal([] { Read(HEADER + "0,0,0,\x1b[2J,1,0,1\n"); }),
                    "trace.csv:2: column 'parallelism': found '?[2J', expected tp");
}

TEST(PhaseTrace, LimitsOfAFile)
{
    const std::string row = "0,0,0,pp,1,0,1\n";
    EXPECT_EQ(PHASE_TRACE_LIMITS.bytes, 512U << 20);
    EXPECT_EQ(PHASE_TRACE_LIMITS.line, 65536U);
    EXPECT_EQ(PHASE_TRACE_LIMITS.lines, 4'000'001U);
    const auto read = [&row](const LineReader::Limits& limits) {
        std::istringstream is(HEADER + row + row);
        return ReadPhaseTrace(is, "trace.csv", limits).phases.size();
    };
    const uint64_t bytes = HEADER.size() + 2 * row.size();
    const std::size_t line = HEADER.size() - 1;
    EXPECT_EQ(read({bytes, line, 3}), 2U);
    EXPECT_EQ(GetRefusal([&] { read({bytes - 1, line, 3}); }),
              "trace.csv:3: found a file of more bytes, expected at most " +
                  std::to_string(bytes - 1));
    EXPECT_EQ(GetRefusal([&] { read({bytes, line - 1, 3}); }),
              "trace.csv:1: found a line of more bytes, expected at most " +
                  std::to_string(line - 1));
    EXPECT_EQ(GetRefusal([&] { read({bytes, line, 2}); }),
              "trace.csv:3: found more lines, expected at most 2");
}

} // namespace photonic
} // namespace ns3
