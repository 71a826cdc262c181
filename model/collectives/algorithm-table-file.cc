/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "algorithm-table-file.h"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

const char* const HEADER = "collective,min_bytes,max_bytes,min_ranks,max_ranks,algorithm";
constexpr std::size_t COLUMNS = 6;
constexpr CollectiveKind KINDS[]{CollectiveKind::ALL_GATHER,
                                 CollectiveKind::REDUCE_SCATTER,
                                 CollectiveKind::ALL_REDUCE,
                                 CollectiveKind::BROADCAST,
                                 CollectiveKind::ALL_TO_ALL};

CollectiveKind
ParseKind(const std::string& text)
{
    std::string names;
    for (CollectiveKind kind : KINDS)
    {
        if (text == ToString(kind))
        {
            return kind;
        }
        names += (names.empty() ? "" : ", ") + std::string(ToString(kind));
    }
    throw std::invalid_argument("column collective: found '" + text + "', expected one of " +
                                names);
}

/// @param none the limit if the text is -1 @param most of a limit
uint64_t
ParseLimit(const std::string& column, const std::string& text, uint64_t none, uint64_t most)
{
    if (text == "-1")
    {
        return none;
    }
    const bool digits = !text.empty() && text.size() <= 19 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || std::stoull(text) > most)
    {
        throw std::invalid_argument("column " + column + ": found '" + text +
                                    "', expected -1 or a whole number from 0 to " +
                                    std::to_string(most));
    }
    return std::stoull(text);
}

AlgorithmTable::Rule
ParseRule(const std::string& line)
{
    std::vector<std::string> fields;
    std::istringstream stream(line + ",");
    for (std::string field; std::getline(stream, field, ',');)
    {
        fields.push_back(field);
    }
    if (fields.size() != COLUMNS)
    {
        throw std::invalid_argument("found " + std::to_string(fields.size()) +
                                    " fields, expected " + std::to_string(COLUMNS) + ": " + HEADER);
    }
    AlgorithmTable::Rule rule;
    rule.kind = ParseKind(fields[0]);
    rule.leastBytes = ParseLimit("min_bytes", fields[1], 0, INT64_MAX);
    rule.mostBytes = ParseLimit("max_bytes", fields[2], UINT64_MAX, INT64_MAX);
    rule.leastRanks = ParseLimit("min_ranks", fields[3], 1, UINT32_MAX);
    rule.mostRanks = ParseLimit("max_ranks", fields[4], UINT32_MAX, UINT32_MAX);
    if (rule.leastBytes > rule.mostBytes || rule.leastRanks > rule.mostRanks)
    {
        throw std::invalid_argument("a minimum is above its maximum: expected ranges");
    }
    rule.algorithm = AlgorithmTable::FindAlgorithm(fields[5]);
    return rule;
}

} // namespace

Ptr<const AlgorithmTable>
ReadAlgorithmTable(const std::string& file)
{
    std::ifstream stream(file);
    if (!stream)
    {
        throw std::invalid_argument(file + ": cannot be read, expected a table of algorithms");
    }
    auto table = Create<AlgorithmTable>();
    bool header = false;
    uint32_t number = 0;
    for (std::string line; std::getline(stream, line);)
    {
        number++;
        if (!line.empty() && line.back() == '\r')
        {
            line.pop_back();
        }
        if (line.empty() || line.front() == '#')
        {
            continue;
        }
        try
        {
            if (!header && line != HEADER)
            {
                throw std::invalid_argument("found '" + line + "', expected the header " + HEADER);
            }
            if (header)
            {
                table->Add(ParseRule(line));
            }
            header = true;
        }
        catch (const std::invalid_argument& reason)
        {
            throw std::invalid_argument(file + ":" + std::to_string(number) + ": " + reason.what());
        }
    }
    if (stream.bad() || !header)
    {
        throw std::invalid_argument(file + ": " +
                                    (header
                                         ? "cannot be read to its end"
                                         : "is empty, expected the header " + std::string(HEADER)));
    }
    return table;
}

} // namespace photonic
} // namespace ns3
