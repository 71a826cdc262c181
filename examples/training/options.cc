/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "options.h"

#include "options-faults.h"
#include "options-imports.h"
#include "options-operators.h"
#include "options-parallel.h"
#include "options-quantity.h"
#include "options-sip.h"
#include "options-table.h"

#include "ns3/input-text.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// What was found on the command line, for a message.
std::string
Shown(const std::string& found)
{
    constexpr std::size_t longest = 80;
    return Shorten(found, longest);
}

/// Levenshtein's distance, upper and lower case being equal.
std::size_t
EditDistance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        auto diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j)
        {
            const bool same = std::tolower(static_cast<unsigned char>(a[i])) ==
                              std::tolower(static_cast<unsigned char>(b[j]));
            const auto replaced = diagonal + (same ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
        }
    }
    return row.back();
}

const Option&
FindOption(const std::string& name)
{
    const Option* nearest = nullptr;
    auto distance = name.size() / 3 + 1;
    for (const auto& option : GetOptionTable())
    {
        if (option.name == name)
        {
            return option;
        }
        if (const auto d = EditDistance(name, option.name); d < distance)
        {
            nearest = &option;
            distance = d;
        }
    }
    throw std::invalid_argument(
        "unknown option --" + Shown(name) +
        (nearest ? ": did you mean --" + nearest->name + "?" : ": --help lists all"));
}

/// The command line as name -> value.
std::map<std::string, std::string>
SplitArguments(int argc, const char* const argv[])
{
    std::map<std::string, std::string> values;
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = argv[i];
        if (argument.size() < 3 || argument.compare(0, 2, "--") != 0)
        {
            throw std::invalid_argument("'" + Shown(argument) +
                                        "' is not an option: expected --name=value");
        }
        const auto equals = std::min(argument.find('='), argument.size());
        const auto& option = FindOption(argument.substr(2, equals - 2));
        if (option.form.values.empty() && equals < argument.size())
        {
            throw std::invalid_argument("--" + option.name + " takes no value, but found '" +
                                        Shown(argument.substr(equals + 1)) + "'");
        }
        const bool isSwitch = option.form.values == ON_OR_OFF;
        if (!option.form.values.empty() && !isSwitch && equals == argument.size())
        {
            throw std::invalid_argument("--" + option.name + " has no value: expected --" +
                                        option.name + "=" + option.form.values);
        }
        const auto value =
            equals < argument.size() ? argument.substr(equals + 1) : (isSwitch ? "on" : "");
        if (!values.emplace(option.name, value).second)
        {
            throw std::invalid_argument("--" + option.name + " is given twice: expected once");
        }
    }
    return values;
}

/// Check what connections do against what there is to do it with.
void
CheckTransport(const Options& o)
{
    const std::vector<std::pair<std::string, std::string>> beyond = {
        {"--retransmission", o.retransmission},
        {"--congestionControl", o.congestionControl},
    };
    std::string first; // of what needs packets
    for (const auto& [name, value] : beyond)
    {
        if (value != "none" && first.empty())
        {
            first = name + "=" + value;
        }
    }
    if (first.empty() && o.acknowledgements)
    {
        first = "--acknowledgements=on";
    }
    if (!first.empty() && o.fidelity != "packet")
    {
        throw std::invalid_argument(first + ": expected --fidelity=packet, as --fidelity=" +
                                    o.fidelity + " has no packets to acknowledge");
    }
    if (!first.empty() && !o.acknowledgements)
    {
        throw std::invalid_argument(first + ": expected --acknowledgements=on, which it rests on");
    }
}

/// Check whether connections can do with packets that overtake each other.
void
CheckSpraying(const Options& o)
{
    const bool several = o.compare || o.HasTiers();
    if (several && o.loadBalancing != "flow-hash" && o.acknowledgements &&
        o.retransmission != "selective-repeat")
    {
        throw std::invalid_argument("--loadBalancing=" + o.loadBalancing +
                                    ", with which packets overtake each other: expected "
                                    "--retransmission=selective-repeat or no --acknowledgements");
    }
}

/// Check what is to be written against what there is to tell.
void
CheckReports(const Options& o)
{
    if (o.given.count("prices") && !o.compare)
    {
        throw std::invalid_argument("--prices=" + Shown(o.prices.name) + ": expected --compare");
    }
    for (const bool refused : {o.compare, o.mpi != "off"})
    {
        if (refused && !o.timeline.empty())
        {
            throw std::invalid_argument("--timeline=" + Shown(o.timeline) + ": expected " +
                                        (o.compare ? "no --compare" : "--mpi=off"));
        }
    }
    for (const auto& [name, asked] : {std::make_pair("ports", o.ports), {"flows", o.flows}})
    {
        if (asked && o.output.empty())
        {
            throw std::invalid_argument(std::string("--") + name + ": expected --output=DIR");
        }
        if (asked && o.fidelity == "collective")
        {
            throw std::invalid_argument(std::string("--") + name +
                                        ": expected --fidelity=packet or message, as "
                                        "--fidelity=collective sends nothing");
        }
        if (asked && o.mpi != "off")
        {
            throw std::invalid_argument(std::string("--") + name + ": expected --mpi=off");
        }
    }
}

/// Check whether circuits that stop for the change of others can be represented.
void
CheckDrainAll(const Options& o)
{
    if (!o.drainAll || (!o.compare && (o.fabric != "photonic" || o.control == "one-shot")))
    {
        return; // or it has no effect
    }
    if (o.fidelity == "collective")
    {
        throw std::invalid_argument("--drainAll=on: expected --fidelity=packet or message, as "
                                    "--fidelity=collective takes circuits in use to stay");
    }
    if (o.mpi != "off")
    {
        throw std::invalid_argument("--drainAll=on: expected --mpi=off");
    }
}

/// Have control messages repeated where something relies on that.
void
ReconcileControl(Options& o)
{
    const bool stops = o.faults.schedule && o.faults.schedule->StopsController();
    const bool faulty =
        stops || o.controlLoss > 0 || o.controlDuplication > 0 || !o.controlJitter.IsZero();
    if ((faulty || !o.lease.IsZero()) && o.given.count("controlRetry") == 0)
    {
        o.controlRetry = MilliSeconds(1);
    }
    if (!o.lease.IsZero() && o.controlRetry.IsZero())
    {
        throw std::invalid_argument("--controlRetry=0: expected more with --lease, as ranks are "
                                    "asked until they answer");
    }
    if (!o.controlRetry.IsZero() && o.mpi != "off")
    {
        throw std::invalid_argument("--controlRetry: expected --mpi=off");
    }
}

/// Check what is replayed, and choose the step.
void
ReconcileReplay(Options& o)
{
    const bool chosen = o.given.count("replayStep") > 0;
    if (!o.IsReplay())
    {
        if (chosen)
        {
            throw std::invalid_argument("--replayStep=" + std::to_string(o.replayStep) +
                                        ": expected --replay=FILE");
        }
        return;
    }
    if (o.strictMemory)
    {
        throw std::invalid_argument("--strictMemory: expected no --replay, as a trace does not "
                                    "tell what a rank keeps in memory");
    }
    const auto& phases = o.trace->phases;
    if (!chosen && !phases.empty())
    {
        o.replayStep =
            std::min_element(phases.begin(), phases.end(), [](const Phase& a, const Phase& b) {
                return a.step < b.step;
            })->step;
    }
}

/// Complete what depends on other options, and check what has to agree.
void
Reconcile(Options& o)
{
    auto& degrees = o.plan.degrees;
    long double product = 1; // exact wherever it is accepted
    std::string equation;
    for (const auto& [name, degree] : {std::make_pair("tp", degrees.tp),
                                       {"cp", degrees.cp},
                                       {"ep", degrees.ep},
                                       {"fsdp", degrees.fsdp},
                                       {"dp", degrees.dp},
                                       {"mp", o.IsGraph() ? o.mp : 1},
                                       {"pp", degrees.pp}})
    {
        product *= degree;
        if (degree > 1 || std::set<std::string>{"tp", "fsdp", "pp"}.count(name) > 0)
        {
            equation += (equation.empty() ? "--" : " x --") + std::string(name) + "=" +
                        std::to_string(degree);
        }
    }
    equation += " = " + std::to_string(std::llround(std::min(product, 1e18L)));
    if (product > MAX_COUNT)
    {
        throw std::invalid_argument(equation + " GPUs: expected at most " +
                                    std::to_string(MAX_COUNT));
    }
    if (o.gpus == 0)
    {
        o.gpus = static_cast<uint32_t>(product);
    }
    if (o.gpus != product)
    {
        throw std::invalid_argument("--gpus=" + std::to_string(o.gpus) +
                                    ": expected the product of the degrees, " + equation);
    }
    if (degrees.gpusPerNode == 0)
    {
        degrees.gpusPerNode = degrees.tp;
    }
    if (o.gpus % degrees.gpusPerNode != 0)
    {
        throw std::invalid_argument("--gpusPerNode=" + std::to_string(degrees.gpusPerNode) +
                                    ": expected a divisor of the " + std::to_string(o.gpus) +
                                    " GPUs");
    }
    if (o.IsImport())
    {
        ParallelPlan checksDegrees(degrees); // there is no model to be split
    }
    else
    {
        o.plan.Check();
    }
    if (o.fabric == "photonic" && o.nicPorts != 2 && !o.compare)
    {
        throw std::invalid_argument("--nicPorts=" + std::to_string(o.nicPorts) +
                                    ": expected 2 with --fabric=photonic");
    }
    if (o.IsSip())
    {
        ReconcileSip(o);
    }
    if (o.plan.gpu.scaleOut.GetBitRate() % o.nicPorts != 0)
    {
        throw std::invalid_argument(
            "--scaleOutBandwidth=" + Quantity::BitRate().Format(o.plan.gpu.scaleOut.GetBitRate()) +
            ": expected a rate that " + std::to_string(o.nicPorts) + " ports can share");
    }
    if (o.switchLatency > Seconds(1))
    {
        throw std::invalid_argument(
            "--switchLatency=" + Quantity::Duration().Format(o.switchLatency.GetPicoSeconds()) +
            ": expected at most 1s");
    }
    if (o.given.count("prices") == 0 && o.plan.gpu.scaleOut > DataRate("400Gbps"))
    {
        o.prices = PriceBook::Load("p2-800g");
    }
    ReconcileControl(o);
    ReconcileReplay(o);
    ReconcileOperators(o);
    ReconcileImports(o);
    if (!o.compare)
    {
        CheckAllToAll(o);
    }
    CheckTransport(o);
    CheckSpraying(o);
    CheckReports(o);
    CheckDrainAll(o);
    CheckFaults(o);
    std::error_code unreadable;
    const auto status = std::filesystem::status(o.output, unreadable);
    if (std::filesystem::exists(status) && !std::filesystem::is_directory(status))
    {
        throw std::invalid_argument("--output=" + Shown(o.output) +
                                    ": expected a directory, found a file");
    }
}

} // namespace

Options
ParseOptions(int argc, const char* const argv[])
{
    const auto values = SplitArguments(argc, argv);
    Options options;
    if (values.count("help"))
    {
        options.help = true;
        return options;
    }
    for (const auto& option : GetOptionTable())
    {
        const auto value = values.find(option.name);
        if (value == values.end())
        {
            continue;
        }
        try
        {
            option.form.read(options, value->second);
        }
        catch (const std::invalid_argument& error)
        {
            throw std::invalid_argument("--" + option.name + "=" + Shown(value->second) + ": " +
                                        OneLine(error.what()));
        }
        options.given.insert(option.name);
    }
    try
    {
        Reconcile(options);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(OneLine(error.what())); // it may tell the name of a file
    }
    return options;
}

namespace
{

/// @param words of a meaning @return them in indented lines of at most 100 characters
std::string
Indent(const std::string& words)
{
    const std::string margin = "      ";
    std::string lines;
    std::string line = margin;
    std::istringstream stream(words);
    for (std::string word; stream >> word;)
    {
        const bool begins = line == margin;
        if (!begins && line.size() + 1 + word.size() > 100)
        {
            lines += line + "\n";
            line = margin + word;
            continue;
        }
        line += (begins ? "" : " ") + word;
    }
    return lines + line + "\n";
}

} // namespace

std::string
GetHelpText()
{
    std::ostringstream text;
    text << "Simulates steps of a distributed training job on a fabric, packet by packet.\n"
            "usage: photonic-rails-training [--name=value ...]\n"
            "\n"
            "Options, with their values and [default]:\n";
    const Options defaults;
    for (const auto& option : GetOptionTable())
    {
        const auto& standard =
            option.standard.empty() ? option.form.write(defaults) : option.standard;
        text << "  --" << option.name << (option.form.values.empty() ? "" : "=")
             << option.form.values << "  [" << standard << "]\n"
             << Indent(option.meaning);
    }
    text << "\n"
            "A TIME ends in ps, ns, us, ms, s, min or h (15ms), a RATE in bps or B/s (400Gbps,\n"
            "300GB/s), BYTES in B (40GB), FLOPS in FLOP/s (312TFLOP/s); decimal prefixes k, M, G,\n"
            "T and P. Only 0 needs no unit.\n"
            "\n"
            "Exit codes: 0 done, 2 bad input, 3 nothing can move any more, 4 output failed.\n";
    return text.str();
}

} // namespace photonic
} // namespace ns3
