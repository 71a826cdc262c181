/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * photonic-rails-collectives: how long collectives take on a fabric, in the form of nccl-tests. See
 * --help.
 */
#include "ns3/algorithm-table.h"
#include "ns3/job-traffic.h"
#include "ns3/sip-strategy.h"
#include "ns3/training-job-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
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
    "How long collectives take on a fabric, in the form of nccl-tests. See doc/collectives.md.\n"
    "usage: photonic-rails-collectives [--name=value ...]\n"
    "\n"
    "Options, with their values and [default]:\n"
    "  --collective=all-gather|reduce-scatter|all-reduce|broadcast|all-to-all|all  [all-reduce]\n"
    "  --algorithm=default|ring|halving-doubling|double-binary-tree|direct|pairwise  [default]\n"
    "      default: pairwise for all-to-all, and a ring for all others\n"
    "  --ranks=N  [8]\n"
    "      GPUs, one per node, from 2 to 1024\n"
    "  --fabric=electrical-ideal|electrical-rail|rail-only|fat-tree|photonic|sip-ocs|sip-ring\n"
    "      [electrical-ideal] optical ones have static circuits: photonic those of a ring, the\n"
    "      others those that the operation asks for\n"
    "  --minBytes=SIZE, --maxBytes=SIZE  [1K, 1G]\n"
    "      sizes, with K, M or G for powers of 1,024\n"
    "  --factor=N  [4]\n"
    "      from a size to the next one, from 2\n"
    "  --fidelity=packet|message|collective  [packet]\n"
    "  --rate=RATE  [400Gbps]\n"
    "      of a GPU, half of it by each of two ports\n"
    "  --help\n"
    "\n"
    "Exit codes: 0 done, 2 bad input, 3 an operation never ends, 4 output failed.\n";

constexpr uint64_t ELEMENT = 4;      ///< bytes of a float
constexpr uint32_t WAVELENGTHS = 64; ///< that a GPU's rate is split into
constexpr uint32_t SIP_OCS_SWITCHES = 4;
constexpr uint32_t SIP_RING_REACH = 1024;

/// An operation did not end.
struct Stuck : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// What the command line asks for.
struct Request
{
    std::vector<CollectiveKind> kinds{CollectiveKind::ALL_REDUCE};
    std::string algorithm{"default"};
    uint32_t ranks{8};
    std::string fabric{"electrical-ideal"};
    uint64_t minBytes{1 << 10};
    uint64_t maxBytes{1 << 30};
    uint64_t factor{4};
    std::string fidelity{"packet"};
    DataRate rate{"400Gbps"};
    bool help{false};
};

const std::map<std::string, Fidelity> FIDELITIES = {{"packet", Fidelity::PACKET},
                                                    {"message", Fidelity::MESSAGE},
                                                    {"collective", Fidelity::COLLECTIVE}};

const CollectiveKind KINDS[] = {CollectiveKind::ALL_GATHER,
                                CollectiveKind::REDUCE_SCATTER,
                                CollectiveKind::ALL_REDUCE,
                                CollectiveKind::BROADCAST,
                                CollectiveKind::ALL_TO_ALL};

const char* const FABRICS[] = {"electrical-ideal",
                               "electrical-rail",
                               "rail-only",
                               "fat-tree",
                               "photonic",
                               "sip-ocs",
                               "sip-ring"};

/// @return a whole number from least to most, perhaps with a unit of 1,024
uint64_t
ParseCount(const std::string& name,
           const std::string& text,
           uint64_t least,
           uint64_t most,
           const std::string& units = "")
{
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string unit = text.substr(digits);
    const std::size_t power = unit.empty() ? 0 : units.find(unit) + 1;
    const bool valid = digits > 0 && digits <= 12 && unit.size() <= 1 &&
                       (unit.empty() || units.find(unit) != std::string::npos);
    const uint64_t value = valid ? std::stoull(text.substr(0, digits)) << (10 * power) : 0;
    if (!valid || value < least || value > most)
    {
        throw std::invalid_argument(name + "=" + text + ": expected a whole number from " +
                                    std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
}

/// @return a rate, from 1 Mbps to 100 Tbps
DataRate
ParseRate(const std::string& name, const std::string& text)
{
    const std::map<std::string, double> units = {{"Mbps", 1e6}, {"Gbps", 1e9}, {"Tbps", 1e12}};
    const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string number = text.substr(0, end);
    const auto unit = units.find(text.substr(end));
    const bool valid = std::count(number.begin(), number.end(), '.') <= 1 &&
                       std::any_of(number.begin(), number.end(), ::isdigit) &&
                       number.size() <= 12 && unit != units.end();
    const double rate = valid ? std::stod(number) * unit->second : 0;
    if (rate < 1e6 || rate > 1e14)
    {
        throw std::invalid_argument(
            name + "=" + text +
            ": expected a rate with its unit, such as 400Gbps, from 1Mbps to 100Tbps");
    }
    return DataRate(static_cast<uint64_t>(rate + 0.5));
}

/// @return one of the names of a list (else std::invalid_argument)
template <typename List>
std::string
ParseName(const std::string& name, const std::string& text, const List& list)
{
    std::string expected;
    for (const auto& known : list)
    {
        if (text == known)
        {
            return text;
        }
        expected += (expected.empty() ? "" : ", ") + std::string(known);
    }
    throw std::invalid_argument(name + "=" + text + ": expected one of " + expected);
}

std::vector<CollectiveKind>
ParseKinds(const std::string& name, const std::string& text)
{
    std::vector<std::string> names = {"all"};
    for (CollectiveKind kind : KINDS)
    {
        if (text == ToString(kind))
        {
            return {kind};
        }
        names.emplace_back(ToString(kind));
    }
    ParseName(name, text, names);
    return {std::begin(KINDS), std::end(KINDS)};
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
        else if (name == "--collective")
        {
            request.kinds = ParseKinds(name, value);
        }
        else if (name == "--algorithm")
        {
            auto names = AlgorithmTable::GetNames();
            names.insert(names.begin(), "default");
            request.algorithm = ParseName(name, value, names);
        }
        else if (name == "--ranks")
        {
            request.ranks = ParseCount(name, value, 2, 1024);
        }
        else if (name == "--fabric")
        {
            request.fabric = ParseName(name, value, FABRICS);
        }
        else if (name == "--minBytes" || name == "--maxBytes")
        {
            (name == "--minBytes" ? request.minBytes : request.maxBytes) =
                ParseCount(name, value, 1, uint64_t(1) << 40, "KMG");
        }
        else if (name == "--factor")
        {
            request.factor = ParseCount(name, value, 2, 1 << 20);
        }
        else if (name == "--fidelity")
        {
            request.fidelity =
                ParseName(name, value, std::vector<std::string>{"packet", "message", "collective"});
        }
        else if (name == "--rate")
        {
            request.rate = ParseRate(name, value);
        }
        else
        {
            throw std::invalid_argument(argument + ": expected an option that --help names");
        }
    }
    const bool buffers = request.fabric == "electrical-rail" || request.fabric == "rail-only" ||
                         request.fabric == "fat-tree";
    if (buffers && request.fidelity != "packet")
    {
        throw std::invalid_argument("--fidelity=" + request.fidelity + " on " + request.fabric +
                                    ": expected packet fidelity, as its switches have buffers");
    }
    if (request.minBytes > request.maxBytes)
    {
        throw std::invalid_argument("--minBytes=" + std::to_string(request.minBytes) +
                                    " is more than --maxBytes=" + std::to_string(request.maxBytes));
    }
    return request;
}

/// @return a fabric with circuits in place for the operation
TrainingFabric
Build(const Request& request,
      const ParallelPlan& plan,
      const std::vector<Ptr<const StepProgram>>& programs)
{
    TrainingFabricHelper helper;
    helper.SetPortLayout(PortLayout::Shared(request.rate, 2, PipelineLanes::STRIPED));
    SwitchTiers tiers;
    tiers.radix *= 2; // two ports for each of its full ones
    helper.SetSwitchTiers(tiers);
    if (request.fabric == "electrical-ideal")
    {
        return helper.InstallElectricalIdeal(plan);
    }
    if (request.fabric == "photonic")
    {
        helper.GetPhotonic().SetSwitchAttribute("Radix", UintegerValue(2 * request.ranks));
        auto fabric = helper.InstallPhotonic(plan);
        std::vector<Circuit> circuits;
        for (uint32_t rank = 0; rank < request.ranks; rank++)
        {
            circuits.push_back({fabric.GetSwitchPort(plan, rank, 0),
                                fabric.GetSwitchPort(plan, (rank + 1) % request.ranks, 1)});
        }
        fabric.circuitSwitches[0]->Preset(circuits);
        return fabric;
    }
    if (request.fabric == "sip-ocs" || request.fabric == "sip-ring")
    {
        const auto traffic = CountJobTraffic(plan, programs);
        const bool ring = request.fabric == "sip-ring";
        helper.SetWdmAttribute("Wavelengths", UintegerValue(WAVELENGTHS));
        helper.SetWdmAttribute("WavelengthRate",
                               DataRateValue(DataRate(request.rate.GetBitRate() / WAVELENGTHS)));
        if (ring)
        {
            helper.GetPhotonic().SetFibreAttribute("Delay", TimeValue(Time(0)));
        }
        auto fabric = helper.InstallWdm(plan, traffic);
        Ptr<const SipStrategy> strategy;
        if (ring)
        {
            // Half of the wavelengths go either way.
            strategy = Create<SipRingStrategy>(
                WdmRing({request.ranks, 1, WAVELENGTHS / 2, SIP_RING_REACH}));
        }
        else
        {
            strategy = Create<SipOcsStrategy>(SipOcsStrategy::Mode::ONE_SHOT,
                                              SIP_OCS_SWITCHES,
                                              WAVELENGTHS / SIP_OCS_SWITCHES);
        }
        fabric.wdm->Preset(strategy->Allocate(traffic));
        return fabric;
    }
    auto fabric = request.fabric == "electrical-rail" ? helper.InstallElectricalRail(plan)
                  : request.fabric == "rail-only"     ? helper.InstallRailOnly(plan)
                                                  : helper.InstallFatTree(plan, Placement::RANK);
    helper.GetPackets().AssignStreams(0);
    return fabric;
}

/// @return how long an operation takes from its start at all ranks to its end at the last
Time
Run(const Request& request, CollectiveKind kind, uint64_t bytes)
{
    ParallelPlan::Degrees degrees;
    degrees.fsdp = request.ranks;
    const ParallelPlan plan(degrees);
    Operation operation;
    operation.slot = GroupSlot::FSDP;
    operation.parallelism = Parallelism::FSDP;
    operation.kind = kind;
    operation.bytes = bytes;
    operation.label = ToString(kind);
    const std::vector<Ptr<const StepProgram>> programs = {
        Create<StepProgram>(std::vector<Operation>{operation})};
    TrainingJobHelper helper(plan, programs);
    if (request.algorithm != "default")
    {
        auto table = Create<AlgorithmTable>();
        table->Add({kind, AlgorithmTable::FindAlgorithm(request.algorithm)});
        helper.SetAlgorithms(table);
    }
    helper.SetFidelity(FIDELITIES.at(request.fidelity));
    Time end;
    {
        const auto fabric = Build(request, plan, programs);
        auto job = helper.Install(fabric);
        Simulator::Run();
        end = Simulator::Now();
        std::string stuck = job->GetFailure();
        if (stuck.empty() && !job->IsFinished())
        {
            const auto waiting = job->DescribeWaiting(1);
            stuck = waiting.empty() ? "it never ends" : waiting.front();
        }
        Simulator::Destroy();
        job->Dispose();
        if (!stuck.empty())
        {
            throw Stuck(std::string(ToString(kind)) + " of " + std::to_string(bytes) +
                        " bytes: " + stuck);
        }
    }
    return end;
}

/// @return what turns algorithm bandwidth into bus bandwidth (nccl-tests, PERFORMANCE.md)
double
GetBusFactor(CollectiveKind kind, double n)
{
    switch (kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return 2 * (n - 1) / n;
    case CollectiveKind::BROADCAST:
        return 1;
    default:
        return (n - 1) / n;
    }
}

void
PrintHeader(const Request& request, CollectiveKind kind)
{
    std::printf("# %s, algorithm %s, %u ranks of %g Gbps on %s, %s fidelity\n",
                ToString(kind),
                request.algorithm.c_str(),
                request.ranks,
                request.rate.GetBitRate() / 1e9,
                request.fabric.c_str(),
                request.fidelity.c_str());
    std::printf("#%13s %13s %8s %7s %6s %14s %10s %10s\n",
                "size",
                "count",
                "type",
                "redop",
                "root",
                "time",
                "algbw",
                "busbw");
    std::printf("#%13s %13s %8s %7s %6s %14s %10s %10s\n",
                "(B)",
                "(elements)",
                "",
                "",
                "",
                "(us)",
                "(GB/s)",
                "(GB/s)");
}

void
PrintTable(const Request& request, CollectiveKind kind)
{
    const bool shares = kind != CollectiveKind::ALL_REDUCE && kind != CollectiveKind::BROADCAST;
    const bool reduces =
        kind == CollectiveKind::ALL_REDUCE || kind == CollectiveKind::REDUCE_SCATTER;
    const uint64_t parts = shares ? request.ranks : 1;
    for (uint64_t size = request.minBytes; size <= request.maxBytes; size *= request.factor)
    {
        // Whole elements for each rank, as nccl-tests rounds.
        const uint64_t count = std::max<uint64_t>(size / (ELEMENT * parts), 1);
        const uint64_t bytes = count * ELEMENT * parts;
        const double us = Run(request, kind, bytes).GetSeconds() * 1e6;
        if (size == request.minBytes) // what is refused leaves no output
        {
            PrintHeader(request, kind);
        }
        const double algorithm = bytes / us / 1e3;
        std::printf("%14llu %13llu %8s %7s %6d %14.3f %10.3f %10.3f\n",
                    static_cast<unsigned long long>(bytes),
                    static_cast<unsigned long long>(count),
                    "float",
                    reduces ? "sum" : "none",
                    kind == CollectiveKind::BROADCAST ? 0 : -1,
                    us,
                    algorithm,
                    algorithm * GetBusFactor(kind, request.ranks));
        std::fflush(stdout);
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
            for (CollectiveKind kind : request.kinds)
            {
                PrintTable(request, kind);
            }
        }
    }
    catch (const std::invalid_argument& error)
    {
        std::cerr << "photonic-rails-collectives: " << error.what() << std::endl;
        return 2;
    }
    catch (const Stuck& error)
    {
        std::cerr << "photonic-rails-collectives: " << error.what() << std::endl;
        return 3;
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
    {
        std::cerr << "photonic-rails-collectives: standard output: cannot be written"
                  << (errno ? std::string(": ") + std::strerror(errno) : "") << std::endl;
        return 4;
    }
    return 0;
}
