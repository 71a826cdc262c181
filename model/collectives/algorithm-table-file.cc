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
    throw std::invalid_argument("column 'collective': found " + Quote(text) + ", expected one of " +
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
        throw std::invalid_argument("column '" + column + "': found " + Quote(text) +
                                    ", expected -1 or a whole number from 0 to " +
                                    std::to_string(most));
    }
    return std::stoull(text);
}

/// @param text of the column @param kind that it has to serve @return the algorithm
Ptr<const CollectiveAlgorithm>
ParseAlgorithm(const std::string& text, CollectiveKind kind)
{
    std::string names;
    for (const auto& name : AlgorithmTable::GetNames())
    {
        const auto algorithm = AlgorithmTable::FindAlgorithm(name);
        if (!algorithm->Serves(kind))
        {
            continue;
        }
        if (name == text)
        {
            return algorithm;
        }
        names += (names.empty() ? "" : ", ") + name;
    }
    throw std::invalid_argument("column 'algorithm': found " + Quote(text) +
                                ", expected one that serves " + ToString(kind) + ": " + names);
}

/// @param what there is a range of @param least of it @param most of it
void
CheckRange(const std::string& what, uint64_t least, uint64_t most)
{
    if (least > most)
    {
        throw std::invalid_argument("column 'min_" + what + "': found " + std::to_string(least) +
                                    ", expected at most max_" + what + " " + std::to_string(most));
    }
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
    CheckRange("bytes", rule.leastBytes, rule.mostBytes);
    CheckRange("ranks", rule.leastRanks, rule.mostRanks);
    rule.algorithm = ParseAlgorithm(fields[5], rule.kind);
    return rule;
}

} // namespace

Ptr<const AlgorithmTable>
ReadAlgorithmTable(std::istream& is, const std::string& name, const LineReader::Limits& limits)
{
    auto table = Create<AlgorithmTable>();
    bool header = false;
    LineReader reader(is, name, limits);
    for (std::string line; reader.Next(line);)
    {
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
                throw std::invalid_argument("found " + Quote(line) + ", expected the header " +
                                            HEADER);
            }
            if (header)
            {
                table->Add(ParseRule(line));
            }
            header = true;
        }
        catch (const std::invalid_argument& reason)
        {
            throw std::invalid_argument(reader.GetPlace() + ": " + reason.what());
        }
    }
    if (reader.IsBroken() || !header)
    {
        throw std::invalid_argument(name + ": " +
                                    (reader.IsBroken() ? "cannot be read" : "is empty") +
                                    ", expected the header " + HEADER);
    }
    return table;
}

Ptr<const AlgorithmTable>
ReadAlgorithmTable(const std::string& file)
{
    std::ifstream stream(file);
    return ReadAlgorithmTable(stream, file);
}

} // namespace photonic
} // namespace ns3
