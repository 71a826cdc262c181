/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "simai-workload.h"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

const char* const POLICY = "HYBRID_TRANSFORMER_FWD_IN_BCKWD";

constexpr uint64_t MOST_BYTES = uint64_t{1} << 56; ///< sums of them stay within 64 bits
constexpr uint64_t MOST_TIME = 1'000'000'000'000;  ///< nanoseconds: a computation of 17 minutes

constexpr std::pair<const char*, CollectiveKind> TYPES[] = {
    {"ALLREDUCE", CollectiveKind::ALL_REDUCE},
    {"ALLGATHER", CollectiveKind::ALL_GATHER},
    {"REDUCESCATTER", CollectiveKind::REDUCE_SCATTER},
    {"ALLTOALL", CollectiveKind::ALL_TO_ALL}};

constexpr std::pair<const char*, SimaiGroup> GROUPS[] = {{"", SimaiGroup::PLAIN},
                                                         {"_EP", SimaiGroup::EXPERT},
                                                         {"_DP_EP", SimaiGroup::EXPERT_DATA}};

/// @param line a line @return its fields
std::vector<std::string>
Split(const std::string& line)
{
    std::istringstream is(line);
    std::vector<std::string> fields;
    for (std::string field; is >> field;)
    {
        fields.push_back(field);
    }
    return fields;
}

/// @param text a field @param limit largest value @return the number, if it is one
std::optional<uint64_t>
ParseWhole(const std::string& text, uint64_t limit)
{
    // Nineteen digits fit into 64 bits.
    const bool digits = !text.empty() && text.size() <= 19 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    return digits && std::stoull(text) <= limit ? std::optional<uint64_t>(std::stoull(text))
                                                : std::nullopt;
}

/// The fields of a row, taken one after another.
class Row
{
  public:
    Row(std::vector<std::string> fields, std::string place)
        : m_fields(std::move(fields)),
          m_place(std::move(place))
    {
        constexpr std::size_t columns = 12;
        if (m_fields.size() != columns)
        {
            throw std::invalid_argument(m_place + ": found " + std::to_string(m_fields.size()) +
                                        " fields, expected " + std::to_string(columns));
        }
    }

    const std::string& TakeText()
    {
        return m_fields[m_next++];
    }

    uint64_t TakeWhole(const std::string& column, uint64_t limit)
    {
        const std::string& text = TakeText();
        const auto value = ParseWhole(text, limit);
        if (!value)
        {
            Fail(column, text, "a whole number from 0 to " + std::to_string(limit));
        }
        return *value;
    }

    SimaiPass TakePass(const std::string& column)
    {
        SimaiPass pass;
        pass.compute = NanoSeconds(TakeWhole(column + "_compute_time", MOST_TIME));
        pass.type = TakeText();
        const auto kind = FindType(pass);
        if (!kind && pass.type != "NONE")
        {
            Fail(column + "_comm_type",
                 pass.type,
                 "NONE, or ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, perhaps with _EP or "
                 "_DP_EP");
        }
        pass.bytes = TakeWhole(column + "_comm_size", MOST_BYTES);
        pass.kind = pass.bytes > 0 ? kind : std::nullopt;
        return pass;
    }

    [[noreturn]] void Fail(const std::string& column,
                           const std::string& found,
                           const std::string& expected) const
    {
        throw std::invalid_argument(m_place + ": column '" + column + "': found " + Quote(found) +
                                    ", expected " + expected);
    }

  private:
    /// Split the type into kind and group.
    static std::optional<CollectiveKind> FindType(SimaiPass& pass)
    {
        for (const auto& [type, kind] : TYPES)
        {
            for (const auto& [ending, group] : GROUPS)
            {
                if (pass.type == std::string(type) + ending)
                {
                    pass.group = group;
                    return kind;
                }
            }
        }
        return std::nullopt;
    }

    std::vector<std::string> m_fields;
    std::string m_place; ///< file and line
    std::size_t m_next{0};
};

/// Read the first line into a workload.
void
ReadHeader(const std::string& line, SimaiWorkload& workload)
{
    const std::string place = workload.name + ":1: ";
    const auto tokens = Split(line);
    if (tokens.empty() || tokens[0] != POLICY)
    {
        throw std::invalid_argument(place + "found " + Quote(tokens.empty() ? "" : tokens[0]) +
                                    ", expected " + POLICY + ", the order of passes that is known");
    }
    constexpr uint64_t most = 1'000'000;
    bool hasGroup = false;
    for (std::size_t i = 1; i < tokens.size(); i += 2)
    {
        std::string key = tokens[i];
        key.erase(key.find_last_not_of(':') + 1);
        const std::string value = i + 1 < tokens.size() ? tokens[i + 1] : "";
        const auto fail = [&](const std::string& expected) {
            throw std::invalid_argument(place + "key '" + key + "': found " + Quote(value) +
                                        ", expected " + expected);
        };
        if (key == "pp_comm" && !value.empty())
        {
            continue; // of stages, which are refused
        }
        const auto number = ParseWhole(value, most);
        const bool known = key == "model_parallel_NPU_group" || key == "ep" || key == "pp" ||
                           key == "vpp" || key == "ga" || key == "all_gpus" ||
                           key == "checkpoints" || key == "checkpoint_initiates" ||
                           key == "pp_comm";
        if (!known)
        {
            throw std::invalid_argument(place + "found " + Quote(tokens[i]) +
                                        ", expected a key such as model_parallel_NPU_group:");
        }
        if (!number)
        {
            fail("a whole number from 0 to " + std::to_string(most));
        }
        if ((key == "checkpoints" || key == "checkpoint_initiates") && *number > 0)
        {
            fail("0, as layers that are computed again are not known");
        }
        if (key == "model_parallel_NPU_group" || key == "pp" || key == "ep")
        {
            if (*number == 0)
            {
                fail("at least 1");
            }
            hasGroup = hasGroup || key == "model_parallel_NPU_group";
            (key == "pp"   ? workload.pipelineParallel
             : key == "ep" ? workload.expertParallel
                           : workload.tensorParallel) = static_cast<uint32_t>(*number);
        }
        workload.gpus = key == "all_gpus" ? static_cast<uint32_t>(*number) : workload.gpus;
    }
    if (!hasGroup)
    {
        throw std::invalid_argument(place +
                                    "key 'model_parallel_NPU_group' is missing, expected it "
                                    "with the tensor parallel degree");
    }
}

} // namespace

SimaiWorkload
ReadSimaiWorkload(std::istream& is, const std::string& name, const LineReader::Limits& limits)
{
    SimaiWorkload workload;
    workload.name = name;
    LineReader reader(is, name, limits);
    std::string line;
    if (!reader.Next(line))
    {
        throw std::invalid_argument(name +
                                    ": cannot be read, or is empty: expected a line that "
                                    "begins with " +
                                    POLICY);
    }
    ReadHeader(line, workload);
    reader.Next(line);
    const auto count = Split(line);
    const auto rows = ParseWhole(count.size() == 1 ? count[0] : "", limits.lines);
    if (!rows || *rows == 0)
    {
        throw std::invalid_argument(name + ":2: found " + Quote(line) +
                                    ", expected the number of rows, from 1 to " +
                                    std::to_string(limits.lines));
    }
    while (reader.Next(line))
    {
        auto fields = Split(line);
        if (fields.empty())
        {
            continue;
        }
        const std::string place = reader.GetPlace();
        if (workload.layers.size() == *rows)
        {
            throw std::invalid_argument(place + ": found " + Quote(fields[0]) +
                                        ", expected no more than the " + std::to_string(*rows) +
                                        " rows of line 2");
        }
        Row row(std::move(fields), place);
        SimaiLayer& layer = workload.layers.emplace_back();
        layer.place = place;
        layer.name = row.TakeText();
        if (const auto& depends = row.TakeText(); depends != "-1")
        {
            row.Fail("dependency", depends, "-1: rows depend on the one before");
        }
        layer.forward = row.TakePass("forward");
        layer.inputGradient = row.TakePass("input_gradient");
        layer.weightGradient = row.TakePass("weight_gradient");
        layer.update = NanoSeconds(row.TakeWhole("update_time", MOST_TIME));
    }
    if (workload.layers.size() < *rows)
    {
        throw std::invalid_argument(name + ": found " + std::to_string(workload.layers.size()) +
                                    " rows, expected the " + std::to_string(*rows) + " of line 2");
    }
    return workload;
}

SimaiWorkload
ReadSimaiWorkload(const std::string& file)
{
    std::ifstream is(file);
    return ReadSimaiWorkload(is, file);
}

} // namespace photonic
} // namespace ns3
