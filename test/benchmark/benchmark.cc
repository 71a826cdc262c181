/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * How fast the simulator is: ring all-reduces in all fidelities, beside the bare event loop of ns-3
 * with as many sources. One JSON object per line; see doc/performance.rst.
 */
#include "ring-case.h"
#include "solver-case.h"
#include "stopwatch.h"

#include "ns3/core-module.h"

#include <cstdio>
#include <functional>
#include <iostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

const char* const HELP =
    "usage: photonic-rails-benchmark [--scheduler=NAME,...] [--case=NAME,...]\n"
    "\n"
    "Prints a line of JSON for every case and scheduler. 'all' names all:\n"
    "schedulers map (default), heap, list, calendar, priority-queue\n"
    "cases (default all)";

const std::vector<std::pair<std::string, std::string>> SCHEDULERS = {
    {"map", "ns3::MapScheduler"},
    {"heap", "ns3::HeapScheduler"},
    {"list", "ns3::ListScheduler"},
    {"calendar", "ns3::CalendarScheduler"},
    {"priority-queue", "ns3::PriorityQueueScheduler"},
};

constexpr uint64_t BARE_EVENTS = 1'500'000;

constexpr uint64_t MIB = 1 << 20;

const std::vector<RingCase> CASES = {
    {"packets-128-photonic",
     "all-reduce of 64 MiB in 8 rings of 16, MTU 9000, circuits",
     "photonic",
     Fidelity::PACKET,
     8,
     16,
     64 * MIB,
     1},
    {"packets-128-electrical",
     "all-reduce of 64 MiB in 8 rings of 16, MTU 9000, packet switches",
     "electrical-ideal",
     Fidelity::PACKET,
     8,
     16,
     64 * MIB,
     1},
    {"messages-128-photonic",
     "200 all-reduces of 64 MiB in 8 rings of 16, circuits",
     "photonic",
     Fidelity::MESSAGE,
     8,
     16,
     64 * MIB,
     200},
    {"messages-1024-photonic",
     "all-reduce of 1 MiB in a ring of 1,024, circuits",
     "photonic",
     Fidelity::MESSAGE,
     1,
     1024,
     MIB,
     1},
    {"collective-1024-photonic",
     "all-reduce of 1 MiB in a ring of 1,024, circuits",
     "photonic",
     Fidelity::COLLECTIVE,
     1,
     1024,
     MIB,
     1},
    {"empty-256", "empty events of 256 sources", "", Fidelity::PACKET, 8, 16, 0, 0},
    {"empty-2048", "empty events of 2,048 sources", "", Fidelity::PACKET, 1, 1024, 0, 0},
};

const std::vector<SolverCase> SOLVER_CASES = {
    {"solver-1024-equal",
     "all-reduce of 1 MiB in a ring of 1,024, solved: equal starts",
     1024,
     MIB,
     GPU_RATE / GPU_PORTS,
     LINE_MTU,
     0},
    {"solver-1024-staggered",
     "all-reduce of 1 MiB in a ring of 1,024, solved: starts within 100 us",
     1024,
     MIB,
     GPU_RATE / GPU_PORTS,
     LINE_MTU,
     100},
    {"solver-1024-odd-rate",
     "all-reduce of 1 MiB in a ring of 1,024, solved: starts within 100 us, ports of 7 Gbps",
     1024,
     MIB,
     7'000'000'000,
     LINE_MTU,
     100},
};

constexpr uint32_t SOLVED_OPERATIONS = 100;

/**
 * The bare event loop: sources that do nothing but come again, after 0.5 to 1.5 times that of a
 * packet. Equal times would do a scheduler a favour, as every event were the last in its queue.
 */
class EmptySources
{
  public:
    /// @param sources events that are pending at any time
    explicit EmptySources(uint32_t sources)
        : m_period(Seconds((LINE_MTU + 38) * 8.0 * GPU_PORTS / GPU_RATE))
    {
        for (uint32_t i = 0; i < sources; i++)
        {
            Simulator::Schedule(m_period * i / sources, &EmptySources::Fire, this);
        }
    }

    /// @return seconds of BARE_EVENTS events
    double Run()
    {
        const Stopwatch watch;
        Simulator::Run();
        const double seconds = watch.GetProcessorSeconds();
        Simulator::Destroy();
        return seconds;
    }

  private:
    void Fire()
    {
        if (++m_events == BARE_EVENTS)
        {
            Simulator::Stop();
        }
        m_random = m_random * 1664525 + 1013904223; // Numerical Recipes' generator
        const int64_t share = m_random >> 16;       // of 2^16
        Simulator::Schedule(m_period / 2 + m_period * share / 65536, &EmptySources::Fire, this);
    }

    Time m_period;
    uint32_t m_random{1};
    uint64_t m_events{0};
};

/// A line of JSON.
class Line
{
  public:
    void Text(const std::string& name, const std::string& value)
    {
        Begin(name) << '"' << value << '"';
    }

    void Number(const std::string& name, double value, int digits = 6)
    {
        char text[32];
        std::snprintf(text, sizeof(text), "%.*g", digits, value);
        Begin(name) << text;
    }

    void Count(const std::string& name, uint64_t value)
    {
        Begin(name) << value;
    }

    void Print()
    {
        std::cout << '{' << m_text.str() << '}' << std::endl;
    }

  private:
    std::ostream& Begin(const std::string& name)
    {
        m_text << (m_text.tellp() > 0 ? ", " : "") << '"' << name << "\": ";
        return m_text;
    }

    std::ostringstream m_text;
};

uint64_t
GetPeakMemory()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return uint64_t(usage.ru_maxrss) * 1024;
}

std::string
GetName(Fidelity fidelity)
{
    return fidelity == Fidelity::PACKET    ? "packet"
           : fidelity == Fidelity::MESSAGE ? "message"
                                           : "collective";
}

/// Enough for a tick of a picosecond.
constexpr int SIMULATED_DIGITS = 15;

void
MeasureSolver(const SolverCase& c, const std::string& scheduler)
{
    const auto result = c.Run(SOLVED_OPERATIONS);
    Line line;
    line.Text("case", c.name);
    line.Text("scheduler", scheduler);
    line.Text("what", c.what);
    line.Count("ranks", c.ranks);
    line.Number("simulated_s", result.simulatedSeconds, SIMULATED_DIGITS);
    line.Count("operations", SOLVED_OPERATIONS);
    line.Number("operation_s", result.seconds);
    line.Number("operations_per_s", 1 / result.seconds);
    line.Count("peak_memory_bytes", GetPeakMemory());
    line.Print();
}

void
Measure(const RingCase& c, const std::string& scheduler, const std::string& type)
{
    GlobalValue::Bind("SchedulerType", TypeIdValue(TypeId::LookupByName(type)));
    Line line;
    line.Text("case", c.name);
    line.Text("scheduler", scheduler);
    line.Text("what", c.what);
    // Half of the bare events come before and half after, as a machine's speed drifts.
    double bare = EmptySources(c.GetSources()).Run();
    if (!c.fabric.empty())
    {
        const bool packets = c.fidelity == Fidelity::PACKET;
        const auto result = c.Run();
        line.Count("ranks", c.GetRanks());
        line.Text("fidelity", GetName(c.fidelity));
        line.Number("simulated_s", result.simulatedSeconds, SIMULATED_DIGITS);
        line.Count("events", result.events);
        const bool messages = c.fidelity == Fidelity::MESSAGE;
        const std::string unit = packets ? "packets" : "messages";
        const uint64_t units = packets ? result.packets : result.messages;
        if (packets || messages)
        {
            line.Count(unit, units);
        }
        line.Number("set_up_s", result.setUpSeconds);
        line.Number("wall_s", result.wallSeconds);
        line.Number("processor_s", result.seconds);
        line.Number("events_per_s", result.events / result.seconds);
        if (packets || messages)
        {
            line.Number(unit + "_per_s", units / result.seconds);
        }
        line.Count("peak_memory_bytes", GetPeakMemory());
        bare += EmptySources(c.GetSources()).Run();
        const double bareRate = 2 * BARE_EVENTS / bare;
        line.Count("sources", c.GetSources());
        line.Number("bare_events_per_s", bareRate);
        line.Number("ratio", result.events / result.seconds / bareRate);
        if (packets)
        {
            const double hops = result.packets * c.GetHops() / result.seconds;
            line.Number("packet_hops_per_s", hops);
            line.Number("packet_hops_ratio", hops / bareRate);
        }
    }
    else
    {
        line.Count("events", BARE_EVENTS);
        line.Number("processor_s", bare);
        line.Number("events_per_s", BARE_EVENTS / bare);
        line.Count("peak_memory_bytes", GetPeakMemory());
        line.Count("sources", c.GetSources());
    }
    line.Print();
}

/// Measure in a process of its own, so that memory is the case's. @return whether it went well
bool
MeasureApart(const std::function<void()>& measure)
{
    std::cout << std::flush;
    const pid_t child = fork();
    if (child == 0)
    {
        try
        {
            measure();
        }
        catch (const std::exception& error)
        {
            std::cerr << "photonic-rails-benchmark: " << error.what() << std::endl;
            _exit(1);
        }
        _exit(std::cout ? 0 : 1);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/// @return the members of a list, separated by commas, of which all are known
std::set<std::string>
Choose(const std::string& option, const std::string& list, const std::vector<std::string>& known)
{
    std::set<std::string> chosen;
    std::istringstream names(list + ",");
    for (std::string name; std::getline(names, name, ',');)
    {
        bool found = false;
        for (const auto& candidate : known)
        {
            if (name == "all" || name == candidate)
            {
                chosen.insert(candidate);
                found = true;
            }
        }
        if (!found)
        {
            throw std::invalid_argument(option + "=" + list + ": '" + name +
                                        "' is not known: --help lists all");
        }
    }
    return chosen;
}

} // namespace

int
main(int argc, char* argv[])
{
    std::vector<std::string> schedulers;
    std::vector<std::string> cases;
    for (const auto& [name, type] : SCHEDULERS)
    {
        schedulers.push_back(name);
    }
    for (const auto& c : CASES)
    {
        cases.push_back(c.name);
    }
    for (const auto& c : SOLVER_CASES)
    {
        cases.push_back(c.name);
    }
    std::set<std::string> chosenSchedulers{"map"};
    std::set<std::string> chosenCases(cases.begin(), cases.end());
    try
    {
        for (int i = 1; i < argc; i++)
        {
            const std::string argument = argv[i];
            const auto equals = argument.find('=');
            const auto option = argument.substr(0, equals);
            const auto value = equals == std::string::npos ? "" : argument.substr(equals + 1);
            if (option == "--scheduler")
            {
                chosenSchedulers = Choose(option, value, schedulers);
            }
            else if (option == "--case")
            {
                chosenCases = Choose(option, value, cases);
            }
            else if (argument == "--help")
            {
                std::cout << HELP;
                for (const auto& name : cases)
                {
                    std::cout << " " << name;
                }
                std::cout << std::endl;
                return 0;
            }
            else
            {
                throw std::invalid_argument("'" + argument + "' is not known: --help lists all");
            }
        }
    }
    catch (const std::invalid_argument& error)
    {
        std::cerr << "photonic-rails-benchmark: " << error.what() << std::endl;
        return 2;
    }
    Time::SetResolution(Time::PS);
    bool good = true;
    for (const auto& [name, type] : SCHEDULERS)
    {
        if (!chosenSchedulers.count(name))
        {
            continue;
        }
        for (const auto& c : CASES)
        {
            if (chosenCases.count(c.name))
            {
                good =
                    MeasureApart([&, name = name, type = type] { Measure(c, name, type); }) && good;
            }
        }
        for (const auto& c : SOLVER_CASES)
        {
            if (chosenCases.count(c.name))
            {
                good = MeasureApart([&, name = name] { MeasureSolver(c, name); }) && good;
            }
        }
    }
    return good ? 0 : 1;
}
