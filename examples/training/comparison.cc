/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "comparison.h"

#include "options-parallel.h"
#include "options-sip.h"
#include "run-report.h"
#include "text.h"
#include "training-run.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

Comparison::Comparison(const Options& options, RunProcesses& processes)
    : m_options(options),
      m_processes(processes),
      m_rows{{"photonic-on-demand", "photonic", "on-demand"},
             {"photonic-provisioned", "photonic", "provisioned"},
             {"photonic-one-shot", "photonic", "one-shot"},
             {"electrical-ideal", "electrical-ideal", ""},
             {"electrical-rail", "electrical-rail", ""},
             {"rail-only", "rail-only", ""},
             {"fat-tree", "fat-tree", ""},
             {"sip-ocs", "sip-ocs", ""},
             {"sip-ring", "sip-ring", ""}}
{
    auto useless = GetComparedOptions();
    // Links of their own, or more wavelengths, would give one fabric more bandwidth than others.
    useless.insert({"dumpProgram", "mpi", "dedicatedLinks", "wavelengths"});
    for (const auto& option : useless)
    {
        if (options.given.count(option))
        {
            throw std::invalid_argument("--compare runs the job on every fabric: expected no --" +
                                        option);
        }
    }
}

bool
Comparison::Run(const Note& note)
{
    if (!m_options.output.empty())
    {
        RunFiles::RemoveStale(m_options.output);
        for (const auto& row : m_rows)
        {
            RunFiles::RemoveStale(m_options.output + "/" + row.name);
        }
    }
    for (auto& row : m_rows)
    {
        Simulate(row, note);
    }
    if (std::all_of(m_rows.begin(), m_rows.end(), [](const Row& r) { return !r.refusal.empty(); }))
    {
        throw std::invalid_argument(m_rows.front().refusal);
    }
    for (const auto& row : m_rows)
    {
        if (!row.refusal.empty())
        {
            note(row.name + ": " + row.refusal);
        }
    }
    return std::all_of(m_rows.begin(), m_rows.end(), [](const Row& r) {
        return r.finished || !r.refusal.empty();
    });
}

void
Comparison::Simulate(Row& row, const Note& note)
{
    Options options = m_options;
    options.compare = false;
    options.fabric = row.fabric;
    options.control = row.control.empty() ? options.control : row.control;
    options.output += options.output.empty() ? "" : "/" + row.name;
    std::unique_ptr<TrainingRun> run;
    try
    {
        if (options.IsSip())
        {
            ReconcileSip(options);
        }
        CheckAllToAll(options);
        run = std::make_unique<TrainingRun>(options, m_processes);
    }
    catch (const std::invalid_argument& reason)
    {
        Simulator::Destroy(); // what it has built so far
        row.refusal = reason.what();
        return;
    }
    for (const auto& warning : run->GetWarnings())
    {
        if (m_warned.insert(warning).second) // most are the same for all fabrics
        {
            note("warning: " + warning);
        }
    }
    std::unique_ptr<RunFiles> files;
    if (!options.output.empty())
    {
        files = std::make_unique<RunFiles>(options.output,
                                           run->HasController(),
                                           run->GetProfilingSteps());
    }
    row.finished = run->Simulate(files.get());
    row.result = run->GetResult();
    if (!row.finished)
    {
        note(row.name + ": the job cannot go on");
        for (const auto& line : run->DescribeStall())
        {
            note("  " + line);
        }
    }
    else if (files)
    {
        std::ostringstream summary;
        WriteSummary(summary, options, row.result);
        files->WriteSummary(summary.str());
    }
}

void
Comparison::Print(std::ostream& os) const
{
    const auto ideal = std::find_if(m_rows.begin(), m_rows.end(), [](const Row& row) {
        return row.name == "electrical-ideal";
    });
    const double reference = ideal->finished ? ideal->result.Mean(ideal->result.TotalTime()) : 0;
    char line[200];
    std::snprintf(line,
                  sizeof(line),
                  "%-21s %11s %8s %11s %11s %11s %9s %6s %11s %9s\n",
                  "fabric",
                  "step",
                  "to ideal",
                  "compute",
                  "exposed",
                  "stall",
                  "switches",
                  "ports",
                  "dollars",
                  "watts");
    os << "\nper step: time in s, that of electrical-ideal = 1, computation, communication that "
          "it\n"
          "does not cover and waiting for circuits in s; switches, ports of them of the rate of a\n"
          "NIC port, and what the fabric costs and draws by the prices of "
       << m_options.prices.name
       << (m_options.prices.rate.empty() ? "" : " (for NICs of " + m_options.prices.rate + ")")
       << "\n"
       << line;
    for (const auto& row : m_rows)
    {
        const auto& result = row.result;
        if (!row.finished)
        {
            std::snprintf(line,
                          sizeof(line),
                          "%-21s %11s\n",
                          row.name.c_str(),
                          row.refusal.empty() ? "stalled" : "refused");
            os << line;
            continue;
        }
        const double step = result.Mean(result.TotalTime());
        const auto& parts = result.inventory;
        std::string dollars = "-";
        std::string watts = "-";
        if (row.IsPriced())
        {
            const Price price = GetTotal(parts, m_options.prices);
            dollars = std::to_string(std::llround(price.dollars));
            watts = std::to_string(std::llround(price.watts));
        }
        char ratio[16] = "";
        if (reference > 0)
        {
            std::snprintf(ratio, sizeof(ratio), "%.4f", step / reference);
        }
        std::snprintf(line,
                      sizeof(line),
                      "%-21s %11.6g %8s %11.6g %11.6g %11.6g %9u %6u %11s %9s\n",
                      row.name.c_str(),
                      step,
                      ratio,
                      result.Mean(result.compute),
                      result.Mean(result.exposedCommunication),
                      result.Mean(result.stall),
                      parts.packetSwitches + parts.circuitSwitches,
                      parts.packetSwitchPorts + parts.circuitSwitchPorts,
                      dollars.c_str(),
                      watts.c_str());
        os << line;
    }
    os << std::flush;
}

void
Comparison::Write() const
{
    if (m_options.output.empty())
    {
        return;
    }
    std::ostringstream table;
    table << "fabric,outcome,step_time_s,compute_s,communication_s,exposed_communication_s,stall_s,"
             "dropped_packets,packet_switches,packet_switch_ports,circuit_switches,"
             "circuit_switch_ports,fibres,transceivers,prices,dollars,watts\n";
    for (const auto& row : m_rows)
    {
        const auto& result = row.result;
        const auto& parts = result.inventory;
        if (!row.finished)
        {
            table << row.name << (row.refusal.empty() ? ",stalled" : ",refused")
                  << ",,,,,,,,,,,,,,,\n"; // why was said
            continue;
        }
        table << row.name << ",finished";
        for (Time time : {result.TotalTime(),
                          result.compute,
                          result.communication,
                          result.exposedCommunication,
                          result.stall})
        {
            table << ',' << Number(result.Mean(time));
        }
        table << ',' << result.droppedPackets;
        for (uint32_t count : {parts.packetSwitches,
                               parts.packetSwitchPorts,
                               parts.circuitSwitches,
                               parts.circuitSwitchPorts,
                               parts.fibres,
                               parts.transceivers})
        {
            table << ',' << count;
        }
        if (!row.IsPriced())
        {
            table << ",,,\n";
            continue;
        }
        const Price price = GetTotal(parts, m_options.prices);
        table << ',' << std::filesystem::path(m_options.prices.name).filename().string() << ','
              << Number(price.dollars) << ',' << Number(price.watts) << '\n';
    }
    WriteWhole(m_options.output + "/comparison.csv", table.str());
}

} // namespace photonic
} // namespace ns3
