/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "chakra-export.h"

#include "chakra-file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

using Part = Operation::Dependency::Part;

/// Of the schema that ASTRA-sim's own traces have.
const char* const VERSION = "0.0.4";

constexpr int64_t PICOSECONDS = 1000000; ///< of a microsecond

/// @return whether it joins two ranks only
bool
IsTransfer(const Operation& o)
{
    return o.kind == CollectiveKind::SEND || o.kind == CollectiveKind::RECEIVE ||
           o.kind == CollectiveKind::SEND_RECEIVE;
}

/// @param program a program @return of each operation, all that it waits for, that of its stream
///        included
std::vector<std::vector<Operation::Dependency>>
GetPredecessors(const StepProgram& program)
{
    std::vector<std::vector<Operation::Dependency>> predecessors(program.GetOperations().size());
    for (uint32_t i = 0; i < predecessors.size(); ++i)
    {
        for (const auto& dependent : program.GetDependents(i))
        {
            predecessors[dependent.operation].push_back({i, dependent.part});
        }
    }
    return predecessors;
}

/// Write a file whole or not at all.
void
WriteFile(const std::string& file, const std::function<void(std::ostream&)>& write)
{
    const std::string unfinished = file + ".tmp";
    errno = 0;
    std::ofstream os(unfinished, std::ios::binary | std::ios::trunc);
    if (os)
    {
        write(os);
        os.close();
    }
    if (!os || std::rename(unfinished.c_str(), file.c_str()) != 0)
    {
        const int error = errno;
        std::remove(unfinished.c_str());
        throw std::runtime_error(file + " cannot be written" +
                                 (error ? std::string(": ") + std::strerror(error) : ""));
    }
}

} // namespace

std::string
GetChakraFile(const std::string& prefix, uint32_t rank)
{
    return prefix + "." + std::to_string(rank) + ".et";
}

std::string
GetChakraGroupsFile(const std::string& prefix)
{
    return prefix + ".groups.json";
}

ChakraExport::ChakraExport(std::vector<Ptr<const StepProgram>> programs, const ParallelPlan& plan)
    : m_programs(std::move(programs)),
      m_plan(plan)
{
    if (m_programs.size() != plan.GetDegrees().pp)
    {
        throw std::invalid_argument(
            std::to_string(m_programs.size()) + " programs for " +
            std::to_string(plan.GetDegrees().pp) +
            " pipeline stages, as with uneven experts: a Chakra trace has even all-to-alls only");
    }
    for (const auto& program : m_programs)
    {
        for (const Operation& o : program->GetOperations())
        {
            if (!o.IsCompute() && !IsTransfer(o) && !GetChakraCommType(o.kind))
            {
                throw std::invalid_argument("a Chakra trace has no " +
                                            std::string(ToString(o.kind)) + ", as '" + o.label +
                                            "' is");
            }
        }
    }
    NameGroups();
}

void
ChakraExport::NameGroups()
{
    std::vector<std::set<GroupSlot>> used; // by stage
    for (const auto& program : m_programs)
    {
        auto& slots = used.emplace_back();
        for (const Operation& o : program->GetOperations())
        {
            if (!o.IsCompute() && !IsTransfer(o))
            {
                slots.insert(o.slot);
            }
        }
    }
    for (GroupSlot slot : TRAFFIC_SLOTS)
    {
        for (uint32_t rank = 0; rank < m_plan.GetRanks(); ++rank)
        {
            if (used[m_plan.GetCoordinates(rank).pp].count(slot) == 0 ||
                !m_plan.HasGroup(rank, slot))
            {
                continue;
            }
            const RankGroup group = m_plan.GetGroup(rank, slot);
            const std::string name = std::to_string(m_names.size() + 1);
            if (m_names.emplace(group.id, name).second)
            {
                m_groups[name] = group.ranks;
            }
        }
    }
}

const ChakraGroups&
ChakraExport::GetGroups() const
{
    return m_groups;
}

const std::string&
ChakraExport::GetName(const RankGroup& group) const
{
    return m_names.at(group.id);
}

ChakraTrace
ChakraExport::GetTrace(uint32_t rank) const
{
    const StepProgram& program = *m_programs.at(m_plan.GetCoordinates(rank).pp);
    const auto& operations = program.GetOperations();
    const auto predecessors = GetPredecessors(program);
    ChakraTrace trace;
    trace.version = VERSION;
    std::vector<Nodes> nodes; // of each operation
    for (uint32_t i = 0; i < operations.size(); ++i)
    {
        const Operation& o = operations[i];
        nodes.emplace_back(trace.nodes.size(), 1);
        if (o.kind == CollectiveKind::SEND_RECEIVE && !o.IsCompute())
        {
            trace.nodes.push_back(MakeTransfer(o, rank, true));
            trace.nodes.push_back(MakeTransfer(o, rank, false));
            nodes.back().second = 2;
        }
        else
        {
            trace.nodes.push_back(MakeNode(o, rank));
        }
        const auto [first, count] = nodes.back();
        std::vector<uint64_t> after;
        for (const auto& d : predecessors[i])
        {
            const auto [begin, number] = nodes[d.operation];
            if (number == 2 && d.part == Part::RECEIVED)
            {
                after.push_back(begin + 1); // the half that receives
                continue;
            }
            for (uint64_t node = begin; node < begin + number; ++node)
            {
                after.push_back(node);
            }
        }
        for (uint64_t id = first; id < first + count; ++id)
        {
            trace.nodes[id].id = id;
            trace.nodes[id].dataDependencies = after;
            if (count == 2)
            {
                trace.nodes[id].attributes.push_back(
                    {ChakraNames::BATCHED, uint64_t{2 * first + 1 - id}});
            }
        }
    }
    return trace;
}

ChakraNode
ChakraExport::MakeNode(const Operation& o, uint32_t rank) const
{
    if (!o.IsCompute() && IsTransfer(o))
    {
        return MakeTransfer(o, rank, o.kind == CollectiveKind::SEND);
    }
    ChakraNode node;
    node.name = o.label;
    node.attributes.push_back({"is_cpu_op", false});
    if (o.IsCompute())
    {
        const int64_t duration = o.duration.GetPicoSeconds();
        node.type = ChakraNodeType::COMPUTE;
        node.durationMicros = (duration + PICOSECONDS / 2) / PICOSECONDS;
        node.attributes.push_back({ChakraNames::DURATION, duration});
        return node;
    }
    const RankGroup group = m_plan.GetGroup(rank, o.slot);
    const auto type = GetChakraCommType(o.kind);
    // The size is that of what a rank begins with: of an all-gather its share, the largest here.
    const uint64_t size = o.kind == CollectiveKind::ALL_GATHER
                              ? o.bytes / group.ranks.size() + (o.bytes % group.ranks.size() > 0)
                              : o.bytes;
    node.type = ChakraNodeType::COLLECTIVE;
    node.attributes.insert(node.attributes.end(),
                           {{"comm_type", static_cast<int64_t>(*type)},
                            {"comm_size", static_cast<int64_t>(size)},
                            {"pg_name", GetName(group)},
                            {ChakraNames::BYTES, o.bytes},
                            {ChakraNames::SLOT, std::string(ToString(o.slot))},
                            {ChakraNames::PARALLELISM, std::string(ToString(o.parallelism))}});
    return node;
}

ChakraNode
ChakraExport::MakeTransfer(const Operation& o, uint32_t rank, bool sends) const
{
    const RankGroup group = m_plan.GetGroup(rank, o.slot);
    const bool isPair = group.ranks.size() == 2;
    const uint32_t peer =
        !isPair ? group.ranks[o.peer] : group.ranks[group.ranks[0] == rank ? 1 : 0];
    ChakraNode node;
    node.name = o.label;
    node.type = sends ? ChakraNodeType::SEND : ChakraNodeType::RECEIVE;
    // Of the kinds that MLCommons' reader looks for.
    node.attributes = {{"is_cpu_op", false},
                       {"comm_size", static_cast<int64_t>(sends ? o.bytes : o.receiveBytes)},
                       {"comm_src", static_cast<int32_t>(sends ? rank : peer)},
                       {"comm_dst", static_cast<int32_t>(sends ? peer : rank)},
                       {"comm_tag", static_cast<int32_t>(o.counter)},
                       {ChakraNames::PARALLELISM, std::string(ToString(o.parallelism))}};
    return node;
}

void
ChakraExport::Write(const std::string& prefix) const
{
    RequireChakra();
    WriteFile(GetChakraGroupsFile(prefix),
              [this](std::ostream& os) { WriteChakraGroups(os, m_groups); });
    for (uint32_t rank = 0; rank < m_plan.GetRanks(); ++rank)
    {
        WriteFile(GetChakraFile(prefix, rank),
                  [&](std::ostream& os) { WriteChakraTrace(os, GetTrace(rank)); });
    }
}

} // namespace photonic
} // namespace ns3
