/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Whether an operation late in a long run costs more than one early in it: a JSON object per case.
 * See doc/reliability.rst.
 */
#include "system/load-cases.h"

#include "ns3/nstime.h"

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

void
Print(const char* name, uint64_t operations, const LoadMarks& marks)
{
    std::printf("{\"case\": \"%s\", \"operations\": %llu, \"operation_s\": %.3g, "
                "\"late_to_early\": %.3f, \"second_half_bytes\": %lld}\n",
                name,
                static_cast<unsigned long long>(operations),
                marks.GetSeconds() / operations,
                marks.GetTimeRatio(),
                static_cast<long long>(marks.GetGrowth()));
    std::fflush(stdout);
}

void
Reconfigurations()
{
    constexpr uint32_t n = 1'000'000;
    RestlessSwitch rail(n, "drain-current-packet");
    rail.Run();
    Print("reconfigurations", n, rail.marks);
}

void
Messages()
{
    constexpr uint64_t n = 3'000'000;
    TestRail::Options options;
    options.ranks = 4;
    options.trains = true;
    TestRail rail(options);
    rail.CloseRing({0, 1, 2, 3});
    MessageStream stream(rail, n, 1);
    Simulator::Run();
    Print("messages", n, stream.marks);
}

void
PairOfRanks()
{
    constexpr uint64_t n = 700'000;
    TestRail::Options options;
    options.acknowledgements = true;
    TestRail rail(options);
    rail.CloseRing({0, 1});
    MessageStream stream(rail, n, 8);
    Simulator::Run();
    Print("messages-of-a-pair-in-packets", n, stream.marks);
}

void
Day()
{
    constexpr uint32_t steps = 10'000;
    LongJob job(GetDayOptions("--peakFlops=200GFLOP/s"));
    job.Run(steps);
    if (!job.finished || job.result.TotalTime() < Hours(24))
    {
        throw std::runtime_error("the job has not run for a day");
    }
    Print("steps-of-a-day", steps, job.marks);
}

} // namespace

int
main()
{
    Time::SetResolution(Time::PS);
    for (const auto& measure : {Reconfigurations, Messages, PairOfRanks, Day})
    {
        measure();
    }
    return std::ferror(stdout) ? 4 : 0;
}
