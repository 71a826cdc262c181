/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * What fat-trees, rail-optimized rails and photonic rails cost and draw, by the papers' formulas
 * and a book of prices. See --help.
 */
#include "ns3/cluster-formula.h"
#include "ns3/ocs-technology.h"
#include "ns3/price-book.h"

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3::photonic;

namespace
{

const char* const HELP =
    "What fabrics of a GPU cluster cost and draw, by the formulas of \"Photonic Rails in ML\n"
    "Datacenters\" (arXiv 2507.08119, 2602.12521).\n"
    "usage: photonic-rails-economics [--name=value ...]\n"
    "\n"
    "Options, with their values and [default]:\n"
    "  --gpus=N,N,...  [1024,2048,4096,8192]\n"
    "      GPUs of a cluster; those that fill no node have a transceiver and no rail\n"
    "  --gpusPerNode=N  [8]\n"
    "      GPUs of a scale-up domain, each on a rail of its own\n"
    "  --prices=p1-400g|p2-400g|p2-800g|FILE  [p1-400g]\n"
    "      book of prices: one of the papers', or a file with lines of part,per,watts,dollars\n"
    "      (parts: nic-transceiver, switch-transceiver, packet-switch, circuit-switch, fibre, "
    "nic)\n"
    "  --format=table|csv  [table]\n"
    "      for people or for programs\n"
    "  --reach\n"
    "      instead, how many GPUs one circuit switch per rail joins, by technology\n"
    "  --help\n"
    "\n"
    "Exit codes: 0 done, 2 bad input, 4 output failed.\n";

/// What the command line asks for.
struct Request
{
    std::vector<uint32_t> gpus{1024, 2048, 4096, 8192};
    uint32_t gpusPerNode{8};
    PriceBook book{PriceBook::Load("p1-400g")};
    bool csv{false};
    bool reach{false};
    bool help{false};
};

uint32_t
ParseCount(const std::string& option, const std::string& text)
{
    const bool digits =
        !text.empty() && text.size() <= 7 && std::all_of(text.begin(), text.end(), ::isdigit);
    const uint32_t value = digits ? std::stoul(text) : 0;
    if (value == 0 || value > 1'000'000)
    {
        throw std::invalid_argument(option + "=" + text +
                                    ": expected a whole number from 1 to 1000000");
    }
    return value;
}

Request
Parse(int argc, char* argv[])
{
    Request request;
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
        else if (argument == "--reach")
        {
            request.reach = true;
        }
        else if (name == "--gpus")
        {
            std::vector<std::string> parts;
            boost::algorithm::split(parts, value, [](char c) { return c == ','; });
            request.gpus.clear();
            for (const auto& part : parts)
            {
                request.gpus.push_back(ParseCount(name, part));
            }
        }
        else if (name == "--gpusPerNode")
        {
            request.gpusPerNode = ParseCount(name, value);
        }
        else if (name == "--prices")
        {
            request.book = PriceBook::Load(value);
        }
        else if (argument == "--format=table" || argument == "--format=csv")
        {
            request.csv = value == "csv";
        }
        else if (name == "--format")
        {
            throw std::invalid_argument(argument + ": expected table or csv");
        }
        else
        {
            throw std::invalid_argument(argument + ": expected an option that --help names");
        }
    }
    for (uint32_t gpus : request.gpus)
    {
        if (gpus / request.gpusPerNode < 2)
        {
            throw std::invalid_argument("--gpus=" + std::to_string(gpus) +
                                        ": expected at least two nodes of " +
                                        std::to_string(request.gpusPerNode) + " GPUs");
        }
    }
    return request;
}

/// @return technologies whose switches have ports enough for a rail of a cluster
std::string
GetReach(const ClusterFormula& cluster)
{
    std::vector<std::string> names;
    for (const auto& technology : OcsTechnology::GetCatalogue())
    {
        if (technology.radix >= 2 * cluster.GetServers())
        {
            names.push_back(technology.name);
        }
    }
    return names.empty() ? "none" : boost::algorithm::join(names, " ");
}

void
PrintReach(const Request& request)
{
    std::printf(request.csv
                    ? "technology,radix,delay_ms,one_port,two_ports\n"
                    : "GPUs in nodes of %u that one switch per rail joins, with one port or "
                      "two for each\n"
                      "technology            radix      delay ms   one port  two ports\n",
                request.gpusPerNode);
    for (const auto& technology : OcsTechnology::GetCatalogue())
    {
        std::printf(request.csv ? "%s,%u,%.9g,%llu,%llu\n" : "%-19s %7u %13.9g %10llu %10llu\n",
                    technology.name.c_str(),
                    technology.radix,
                    technology.reconfigurationDelay.GetSeconds() * 1e3,
                    static_cast<unsigned long long>(technology.GetMaxGpus(request.gpusPerNode, 1)),
                    static_cast<unsigned long long>(technology.GetMaxGpus(request.gpusPerNode, 2)));
    }
}

void
Print(const Request& request, uint32_t gpus)
{
    const ClusterFormula cluster{gpus, request.gpusPerNode};
    const std::vector<std::pair<const char*, FabricInventory>> fabrics = {
        {"fat-tree", cluster.CountFatTree()},
        {"rail-optimized", cluster.CountRailOptimized()},
        {"photonic", cluster.CountPhotonic()},
    };
    const Price rail = GetTotal(fabrics[1].second, request.book);
    for (const auto& [name, parts] : fabrics)
    {
        const Price total = GetTotal(parts, request.book);
        const bool photonic = parts.circuitSwitches > 0;
        std::printf(request.csv ? "%u,%s,%u,%u,%.2f,%.2f,%.4f,%.4f,%s\n"
                                : "%8u  %-15s %9u %9u %15.0f %13.0f %8.4f %8.4f  %s\n",
                    gpus,
                    name,
                    parts.packetSwitches + parts.circuitSwitches,
                    parts.packetSwitchPorts + parts.circuitSwitchPorts,
                    total.dollars,
                    total.watts,
                    rail.dollars > 0 ? total.dollars / rail.dollars : 0,
                    rail.watts > 0 ? total.watts / rail.watts : 0,
                    photonic ? GetReach(cluster).c_str() : "");
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    ns3::Time::SetResolution(ns3::Time::PS);
    Request request;
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error as a full disk is
    errno = 0;
    try
    {
        request = Parse(argc, argv);
    }
    catch (const std::invalid_argument& error)
    {
        std::cerr << "photonic-rails-economics: " << error.what() << std::endl;
        return 2;
    }
    if (request.help)
    {
        std::printf("%s", HELP);
    }
    else if (request.reach)
    {
        PrintReach(request);
    }
    else
    {
        std::printf(request.csv
                        ? "gpus,fabric,switches,ports,dollars,watts,dollars_to_rail,watts_to_rail,"
                          "technologies\n"
                        : "prices of %s; dollars and watts also as parts of rail-optimized's; "
                          "technologies of circuit switches that reach so far\n"
                          "    gpus  fabric           switches     ports         dollars         "
                          "watts  dollars    watts\n",
                    request.book.name.c_str());
        for (uint32_t gpus : request.gpus)
        {
            Print(request, gpus);
        }
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
    {
        std::cerr << "photonic-rails-economics: standard output: cannot be written"
                  << (errno ? std::string(": ") + std::strerror(errno) : "") << std::endl;
        return 4;
    }
    return 0;
}
