/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "phase-trace.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>

namespace ns3
{
namespace photonic
{

namespace
{

/// @param line of CSV without quotes @return its fields
std::vector<std::string>
Split(std::string line)
{
    if (!line.empty() && line.back() == '\r')
    {
        line.pop_back();
    }
    std::vector<std::string> fields;
    std::size_t begin = 0;
    while (true)
    {
        const std::size_t end = line.find(',', begin);
        fields.push_back(line.substr(begin, end - begin));
        if (end == std::string::npos)
        {
            return fields;
        }
        begin = end + 1;
    }
}

/// One line of the table, whose fields are taken by column name.
class Row
{
  public:
    Row(const std::map<std::string, std::size_t>& columns,
        std::vector<std::string> fields,
        std::string place)
        : m_columns(columns),
          m_fields(std::move(fields)),
          m_place(std::move(place))
    {
        if (m_fields.size() != m_columns.size())
        {
            throw std::invalid_argument(m_place + ": found " + std::to_string(m_fields.size()) +
                                        " fields, expected " + std::to_string(m_columns.size()));
        }
    }

    bool Has(const std::string& column) const
    {
        return m_columns.count(column) > 0;
    }

    uint64_t GetWhole(const std::string& column, uint64_t limit) const
    {
        const std::string& text = Get(column);
        const bool digits =
            !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        // Nineteen digits fit into 64 bits.
        if (!digits || text.size() > 19 || std::stoull(text) > limit)
        {
            Fail(column, "a whole number from 0 to " + std::to_string(limit));
        }
        return std::stoull(text);
    }

    uint32_t GetCount(const std::string& column) const
    {
        return GetWhole(column, std::numeric_limits<uint32_t>::max());
    }

    /// @param column in milliseconds @return the time, to the nearest tick
    Time GetMilliseconds(const std::string& column) const
    {
        const std::string& text = Get(column);
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const double ticks = value * MilliSeconds(1).GetTimeStep();
        const bool isDecimal = text.find_first_not_of("0123456789.+-eE") == std::string::npos;
        if (text.empty() || !isDecimal || *end != '\0' || !(value >= 0) ||
            ticks >= static_cast<double>(std::numeric_limits<int64_t>::max()))
        {
            Fail(column, "a time in milliseconds, at least 0");
        }
        return TimeStep(static_cast<uint64_t>(std::llround(ticks)));
    }

    Parallelism GetParallelism(const std::string& column) const
    {
        std::string names;
        for (std::size_t i = 0; i < PARALLELISMS; ++i)
        {
            const auto parallelism = static_cast<Parallelism>(i);
            if (Get(column) == ToString(parallelism))
            {
                return parallelism;
            }
            names += std::string(i == 0                 ? ""
                                 : i + 1 < PARALLELISMS ? ", "
                                                        : " or ") +
                     ToString(parallelism);
        }
        Fail(column, names);
    }

  private:
    const std::string& Get(const std::string& column) const
    {
        return m_fields[m_columns.at(column)];
    }

    [[noreturn]] void Fail(const std::string& column, const std::string& expected) const
    {
        throw std::invalid_argument(m_place + ": column '" + column + "': found " +
                                    Quote(Get(column)) + ", expected " + expected);
    }

    const std::map<std::string, std::size_t>& m_columns;
    std::vector<std::string> m_fields;
    std::string m_place; ///< file and line
};

/// @param header first line @param name of the file @return position of each column
std::map<std::string, std::size_t>
FindColumns(const std::string& header, const std::string& name)
{
    std::map<std::string, std::size_t> columns;
    for (const std::string& column : Split(header))
    {
        if (!columns.emplace(column, columns.size()).second)
        {
            throw std::invalid_argument(name + ":1: column " + Quote(column) +
                                        " stands there twice, expected once");
        }
    }
    static const std::vector<std::string> needed =
        {"step", "pp_stage", "phase", "parallelism", "collectives", "start_ms", "end_ms"};
    for (const auto& [column, position] : columns)
    {
        if (column != "rail" && column != "bytes" &&
            std::find(needed.begin(), needed.end(), column) == needed.end())
        {
            throw std::invalid_argument(name + ":1: column " + Quote(column) +
                                        " is not known, expected rail, bytes and those of '" +
                                        "step,pp_stage,phase,parallelism,collectives,start_ms," +
                                        "end_ms'");
        }
    }
    for (const auto& column : needed)
    {
        if (columns.count(column) == 0)
        {
            throw std::invalid_argument(name + ":1: column '" + column + "' is missing: found " +
                                        Quote(header) +
                                        ", expected all of step, pp_stage, phase, "
                                        "parallelism, collectives, start_ms and end_ms");
        }
    }
    return columns;
}

} // namespace

PhaseTrace
ReadPhaseTrace(std::istream& is, const std::string& name, const LineReader::Limits& limits)
{
    LineReader reader(is, name, limits);
    std::string line;
    if (!reader.Next(line))
    {
        throw std::invalid_argument(name + ": cannot be read, or is empty: expected a line with "
                                           "the names of columns");
    }
    const auto columns = FindColumns(line, name);
    PhaseTrace trace;
    trace.hasBytes = columns.count("bytes") > 0;
    while (reader.Next(line))
    {
        const Row row(columns, Split(line), reader.GetPlace());
        Phase phase;
        phase.rail = row.Has("rail") ? row.GetCount("rail") : 0;
        phase.stage = row.GetCount("pp_stage");
        phase.step = row.GetCount("step");
        phase.number = row.GetCount("phase");
        phase.parallelism = row.GetParallelism("parallelism");
        phase.collectives = row.GetCount("collectives");
        phase.start = row.GetMilliseconds("start_ms");
        phase.end = row.GetMilliseconds("end_ms");
        phase.bytes =
            row.Has("bytes") ? row.GetWhole("bytes", std::numeric_limits<int64_t>::max()) : 0;
        if (phase.end < phase.start)
        {
            phase.end = phase.start;
            ++trace.reversed;
        }
        trace.phases.push_back(phase);
    }
    const auto key = [](const Phase& p) { return std::tie(p.rail, p.stage, p.step, p.number); };
    std::stable_sort(trace.phases.begin(),
                     trace.phases.end(),
                     [&key](const Phase& a, const Phase& b) { return key(a) < key(b); });
    return trace;
}

PhaseTrace
ReadPhaseTrace(const std::string& file)
{
    std::ifstream stream(file);
    return ReadPhaseTrace(stream, file);
}

std::vector<Window>
FindWindows(const std::vector<Phase>& phases, bool acrossSteps)
{
    std::vector<Window> windows;
    for (std::size_t i = 1; i < phases.size(); ++i)
    {
        const Phase& before = phases[i - 1];
        const Phase& next = phases[i];
        if (before.rail != next.rail || before.stage != next.stage ||
            before.parallelism == next.parallelism || (before.step != next.step && !acrossSteps))
        {
            continue;
        }
        const Time start = std::max(before.start, before.end);
        if (next.start > start)
        {
            windows.push_back({before.rail,
                               before.stage,
                               before.step,
                               before.parallelism,
                               next.parallelism,
                               start,
                               next.start - start,
                               before.bytes,
                               next.bytes});
        }
    }
    return windows;
}

} // namespace photonic
} // namespace ns3
