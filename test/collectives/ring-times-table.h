/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RING_TIMES_TABLE_H
#define PHOTONIC_RING_TIMES_TABLE_H

#include "ns3/collective-kind.h"
#include "ns3/nstime.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/// A row of ring-times.csv, which ring-reference.py has computed.
struct RingTimesRow
{
    CollectiveKind kind;
    uint32_t ranks;
    uint64_t bytes;
    uint32_t lanes;
    uint64_t rate;
    uint16_t mtu;
    Time fibre;
    std::vector<Time> starts;
    std::vector<Time> done;
    std::string text;
};

inline std::vector<uint64_t>
ParseList(const std::string& text)
{
    std::vector<uint64_t> values;
    std::istringstream is(text);
    for (uint64_t value; is >> value;)
    {
        values.push_back(value);
    }
    return values;
}

inline CollectiveKind
ParseKind(const std::string& name)
{
    for (CollectiveKind kind : {CollectiveKind::ALL_GATHER,
                                CollectiveKind::REDUCE_SCATTER,
                                CollectiveKind::ALL_REDUCE,
                                CollectiveKind::BROADCAST})
    {
        if (name == ToString(kind))
        {
            return kind;
        }
    }
    throw std::invalid_argument("no collective is called " + name);
}

inline std::vector<RingTimesRow>
ReadRingTimes()
{
    std::string path = __FILE__;
    path.resize(path.rfind('/') + 1);
    std::ifstream file(path + "ring-times.csv");
    std::vector<RingTimesRow> rows;
    for (std::string line; std::getline(file, line);)
    {
        if (line.empty() || line[0] == '#' || line.substr(0, 5) == "kind,")
        {
            continue;
        }
        std::vector<std::string> fields;
        std::istringstream is(line);
        for (std::string field; std::getline(is, field, ',');)
        {
            fields.push_back(field);
        }
        if (fields.size() != 10)
        {
            ADD_FAILURE() << line;
            continue;
        }
        RingTimesRow row;
        row.kind = ParseKind(fields[0]);
        row.ranks = std::stoul(fields[1]);
        row.bytes = std::stoull(fields[2]);
        row.lanes = std::stoul(fields[3]);
        row.rate = std::stoull(fields[4]);
        row.mtu = std::stoul(fields[5]);
        row.fibre = NanoSeconds(std::stoull(fields[6]));
        for (uint64_t start : ParseList(fields[7]))
        {
            row.starts.push_back(NanoSeconds(start));
        }
        // Rounding is part of the expectation, so that each resolution has its own.
        for (uint64_t done : ParseList(fields[Time::GetResolution() == Time::PS ? 9 : 8]))
        {
            row.done.push_back(TimeStep(done));
        }
        row.text = line;
        rows.push_back(row);
    }
    return rows;
}

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RING_TIMES_TABLE_H
