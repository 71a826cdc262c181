/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Which global batch and which degrees of parallelism train a model to its target accuracy first,
 * by SiP-ML's search over operators. See --help.
 */
#include "ns3/placement-search.h"

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

const char* const HELP =
    "Which global batch and degrees of parallelism train a model to its target accuracy first,\n"
    "by the search of \"SiP-ML\" (SIGCOMM 2021) over operators, split and placed. See\n"
    "doc/operators.md.\n"
    "usage: placement-search [--name=value ...]\n"
    "\n"
    "Options, with their values and [default]:\n"
    "  --model=resnet-50|transformer-big|gpt2-355m  [resnet-50]\n"
    "  --tokens=N  [256 for transformer-big, 1024 for gpt2-355m]\n"
    "      of a sample\n"
    "  --gpus=N  [1024]\n"
    "  --bandwidth=RATE  [8192Gbps]\n"
    "      of a GPU's NIC, per direction\n"
    "  --gpu=a100|h100|h200|gb200  [a100]\n"
    "  --mfu=X  [0.4]\n"
    "      achieved share of the GPU's peak rate\n"
    "  --degree=N  [0]\n"
    "      GPUs that a GPU sends to, and receives from, at most: the switches of SiP-OCS; 0: any\n"
    "  --reach=N  [0]\n"
    "      GPUs along the ring that a transfer goes at most: 16 for SiP-Ring; 0: any\n"
    "  --batches=N,N,...  [that of the study]\n"
    "      global batches to try, samples\n"
    "  --help\n"
    "\n"
    "Exit codes: 0 done, 2 bad input, 4 output failed.\n";

/// @return a whole number from least to most
uint64_t
ParseCount(const std::string& name, const std::string& text, uint64_t least, uint64_t most)
{
    const bool digits =
        !text.empty() && text.size() <= 10 && std::all_of(text.begin(), text.end(), ::isdigit);
    const uint64_t value = digits ? std::stoull(text) : 0;
    if (!digits || value < least || value > most)
    {
        throw std::invalid_argument(name + "=" + text + ": expected a whole number from " +
                                    std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
}

/// @return the number that a text begins with, and what follows it; none: nothing and all of it
std::pair<double, std::string>
SplitNumber(const std::string& text)
{
    const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string number = text.substr(0, end);
    const bool valid = std::count(number.begin(), number.end(), '.') <= 1 &&
                       std::any_of(number.begin(), number.end(), ::isdigit);
    return {valid ? std::stod(number) : 0, valid ? text.substr(end) : "?"};
}

/// @return a share of the peak rate
double
ParseShare(const std::string& name, const std::string& text)
{
    const auto [share, rest] = SplitNumber(text);
    if (!rest.empty() || share <= 0 || share > 1)
    {
        throw std::invalid_argument(name + "=" + text + ": expected a number above 0, at most 1");
    }
    return share;
}

/// @return a rate, up to 1,000 Tbps
DataRate
ParseRate(const std::string& name, const std::string& text)
{
    const std::map<std::string, double> units = {{"bps", 1},
                                                 {"kbps", 1e3},
                                                 {"Mbps", 1e6},
                                                 {"Gbps", 1e9},
                                                 {"Tbps", 1e12}};
    const auto [number, unit] = SplitNumber(text);
    const auto found = units.find(unit);
    const double rate = found == units.end() ? 0 : number * found->second;
    if (rate < 1 || rate > 1e15)
    {
        throw std::invalid_argument(name + "=" + text +
                                    ": expected a rate with its unit, such as 8192Gbps, from 1bps "
                                    "to 1000Tbps");
    }
    return DataRate(static_cast<uint64_t>(rate + 0.5));
}

/// @return what a catalogue has under the name
template <typename F>
auto
Find(const std::string& name, const std::string& text, F find)
{
    try
    {
        return find(text);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(name + "=" + text + ": " + error.what());
    }
}

/// What the command line asks for.
struct Request
{
    PlacementSearch search{FindOperatorModel("resnet-50")};
    bool help{false};
};

Request
Parse(int argc, char* argv[])
{
    Request request;
    PlacementSearch& search = request.search;
    for (int i = 1; i < argc; i++)
    {
        const std::string argument = argv[i];
        const auto equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
        if (argument == "--help")
        {
            request.help = true;
        }
        else if (name == "--model")
        {
            search.model = Find(name, value, FindOperatorModel);
        }
        else if (name == "--tokens")
        {
            search.tokens = ParseCount(name, value, 1, 65536);
        }
        else if (name == "--gpus")
        {
            search.gpus = ParseCount(name, value, 1, 8192);
        }
        else if (name == "--bandwidth")
        {
            search.bandwidth = ParseRate(name, value);
        }
        else if (name == "--gpu")
        {
            search.gpu = Find(name, value, FindGpu);
        }
        else if (name == "--mfu")
        {
            search.mfu = ParseShare(name, value);
        }
        else if (name == "--degree")
        {
            search.degree = ParseCount(name, value, 0, 8192);
        }
        else if (name == "--reach")
        {
            search.reach = ParseCount(name, value, 0, 8192);
        }
        else if (name == "--batches")
        {
            std::vector<std::string> parts;
            boost::algorithm::split(parts, value, [](char c) { return c == ','; });
            search.batches.clear();
            for (const auto& part : parts)
            {
                search.batches.push_back(ParseCount(name, part, 1, 100'000'000));
            }
        }
        else
        {
            throw std::invalid_argument(argument + ": expected an option that --help names");
        }
    }
    if (search.tokens > 0)
    {
        Find("--tokens", std::to_string(search.tokens), [&search](const std::string&) {
            return search.model.Build(1, search.tokens);
        });
    }
    return request;
}

void
Print(const PlacementSearch& search, const std::vector<PlacementCandidate>& candidates)
{
    std::printf("%s on %u GPUs (%s, MFU %g), NICs of %g Gbps; steps for batches from %g steps of "
                "%llu, critical batch %g\n",
                search.model.name.c_str(),
                search.gpus,
                search.gpu.name.c_str(),
                search.mfu,
                search.bandwidth.GetBitRate() / 1e9,
                search.model.studySteps,
                static_cast<unsigned long long>(search.model.studyBatch),
                search.GetScaling().criticalBatch);
    std::printf("    batch  data-parallel  model-parallel    hybrid ms      ring ms        steps"
                "        hours\n");
    for (const PlacementCandidate& c : candidates)
    {
        std::printf("%9llu %14u %15u %12.6f %12.6f %12.0f %12.6f\n",
                    static_cast<unsigned long long>(c.batch),
                    c.groups,
                    c.gpusPerGroup,
                    c.hybridStep.GetSeconds() * 1e3,
                    c.ring.GetSeconds() * 1e3,
                    c.steps,
                    c.seconds / 3600);
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error as a full disk is
    errno = 0;
    try
    {
        const Request request = Parse(argc, argv);
        if (request.help)
        {
            std::printf("%s", HELP);
        }
        else
        {
            Print(request.search, request.search.Run());
        }
    }
    catch (const std::invalid_argument& error)
    {
        std::cerr << "placement-search: " << error.what() << std::endl;
        return 2;
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
    {
        std::cerr << "placement-search: standard output: cannot be written"
                  << (errno ? std::string(": ") + std::strerror(errno) : "") << std::endl;
        return 4;
    }
    return 0;
}
