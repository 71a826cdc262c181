/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "chakra-import.h"

#include "chakra-export.h"
#include "chakra-file.h"
#include "chakra-rank.h"

#include "ns3/program-join.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

using Stage = std::vector<ChakraOperation>;

/// @return in what two operations differ; empty if in nothing that is run
std::string
FindDifference(const ChakraOperation& a, const ChakraOperation& b)
{
    const Operation& x = a.operation;
    const Operation& y = b.operation;
    const auto equal = [](const Operation::Dependency& d, const Operation::Dependency& e) {
        return d.operation == e.operation && d.part == e.part;
    };
    return x.slot != y.slot || x.kind != y.kind                     ? "kind or group"
           : x.bytes != y.bytes || x.receiveBytes != y.receiveBytes ? "bytes"
           : x.duration != y.duration                               ? "duration"
           : x.parallelism != y.parallelism                         ? "parallelism"
           : a.tag != b.tag                                         ? "tag"
           : !std::equal(x.after.begin(), x.after.end(), y.after.begin(), y.after.end(), equal)
               ? "dependencies"
               : "";
}

/// A rank that does something else than the first of its stage is refused.
void
CheckSame(const Stage& first, const Stage& other, const std::string& file)
{
    const std::string why = ": the ranks of a pipeline stage have one program";
    for (std::size_t i = 0; i < std::min(first.size(), other.size()); ++i)
    {
        const std::string difference = FindDifference(first[i], other[i]);
        if (!difference.empty())
        {
            throw std::invalid_argument(other[i].node + " differs in its " + difference + " from " +
                                        first[i].node + why);
        }
    }
    if (first.size() != other.size())
    {
        const auto& more = first.size() > other.size() ? first : other;
        throw std::invalid_argument(more[std::min(first.size(), other.size())].node +
                                    " has no counterpart in " +
                                    (first.size() > other.size() ? file : "the first rank") + why);
    }
}

/// @return what the other end of a transfer is
CollectiveKind
Mirror(CollectiveKind kind)
{
    return kind == CollectiveKind::SEND      ? CollectiveKind::RECEIVE
           : kind == CollectiveKind::RECEIVE ? CollectiveKind::SEND
                                             : kind;
}

/**
 * Find the two ends of each transfer between two stages, and number it. Those of one kind and tag
 * are matched in order.
 * @param lower stage that is first in the pair
 * @param upper its next one
 */
void
NumberTransfers(Stage& lower, Stage& upper)
{
    std::map<std::pair<uint64_t, CollectiveKind>, std::deque<ChakraOperation*>> ends;
    for (auto& end : upper)
    {
        if (end.operation.slot == GroupSlot::PP_PREVIOUS)
        {
            ends[{end.tag, end.operation.kind}].push_back(&end);
        }
    }
    const auto fail = [](const ChakraOperation& end) {
        throw std::invalid_argument(
            end.node + ": a " + ToString(end.operation.kind) + " with tag " +
            std::to_string(end.tag) + " has no other end at the " +
            (end.operation.slot == GroupSlot::PP_NEXT ? "next" : "previous") + " stage");
    };
    uint32_t counter = 0;
    for (auto& end : lower)
    {
        Operation& a = end.operation;
        if (a.slot != GroupSlot::PP_NEXT)
        {
            continue;
        }
        auto& candidates = ends[{end.tag, Mirror(a.kind)}];
        if (candidates.empty())
        {
            fail(end);
        }
        ChakraOperation& other = *candidates.front();
        Operation& b = other.operation;
        candidates.pop_front();
        if (a.bytes != b.receiveBytes || a.receiveBytes != b.bytes)
        {
            const auto tell = [](const ChakraOperation& o) {
                return o.node + ", of " + std::to_string(o.operation.bytes) + " bytes out and " +
                       std::to_string(o.operation.receiveBytes) + " in, ";
            };
            throw std::invalid_argument(tell(end) + "does not match " + tell(other) +
                                        "its other end");
        }
        a.counter = b.counter = counter++;
    }
    for (const auto& left : ends)
    {
        if (!left.second.empty())
        {
            fail(*left.second.front());
        }
    }
}

} // namespace

std::vector<Ptr<const StepProgram>>
BuildChakraPrograms(const std::string& prefix,
                    const ParallelPlan& plan,
                    const ChakraGroups& groups,
                    const ChakraSource& source)
{
    const uint32_t pp = plan.GetDegrees().pp;
    std::vector<Stage> stages(pp);
    for (uint32_t rank = 0; rank < plan.GetRanks(); ++rank)
    {
        const std::string file = GetChakraFile(prefix, rank);
        auto operations = ChakraRank(plan, groups, rank, file).Read(source(rank));
        Stage& first = stages[plan.GetCoordinates(rank).pp];
        if (first.empty())
        {
            first = std::move(operations);
        }
        else
        {
            CheckSame(first, operations, file);
        }
    }
    for (uint32_t k = 0; k < pp && pp > 1; ++k)
    {
        NumberTransfers(stages[k], stages[(k + 1) % pp]);
    }
    try
    {
        std::vector<Ptr<const StepProgram>> programs;
        for (auto& stage : stages)
        {
            std::vector<Operation> operations;
            for (auto& read : stage)
            {
                operations.push_back(std::move(read.operation));
            }
            programs.push_back(Create<const StepProgram>(std::move(operations)));
        }
        CheckJoinedOrder(programs);
        return programs;
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(prefix + ": " + error.what());
    }
}

std::vector<Ptr<const StepProgram>>
ImportChakra(const std::string& prefix, const ParallelPlan& plan)
{
    RequireChakra();
    const std::string beyond = GetChakraFile(prefix, plan.GetRanks());
    std::error_code unreadable; // a name that is too long, for example
    if (std::filesystem::exists(beyond, unreadable))
    {
        throw std::invalid_argument(beyond + ": the job has " + std::to_string(plan.GetRanks()) +
                                    " ranks, so that there is none for this trace");
    }
    const std::string groupsFile = GetChakraGroupsFile(prefix);
    ChakraGroups groups;
    if (std::filesystem::exists(groupsFile, unreadable))
    {
        std::ifstream is(groupsFile);
        groups = ReadChakraGroups(is, groupsFile);
    }
    return BuildChakraPrograms(prefix, plan, groups, [&prefix](uint32_t rank) {
        return ReadChakraTrace(GetChakraFile(prefix, rank));
    });
}

std::string
FindChakraPrefix(const std::string& path)
{
    namespace fs = std::filesystem;
    std::error_code unreadable;
    if (!fs::is_directory(path, unreadable))
    {
        return fs::exists(GetChakraFile(path, 0), unreadable) ? path : "";
    }
    const std::string ending = GetChakraFile("", 0);
    std::set<std::string> prefixes;
    for (const auto& entry : fs::directory_iterator(path, unreadable))
    {
        const std::string file = entry.path().string();
        if (file.size() > ending.size() &&
            file.compare(file.size() - ending.size(), ending.size(), ending) == 0)
        {
            prefixes.insert(file.substr(0, file.size() - ending.size()));
        }
    }
    if (prefixes.size() > 1)
    {
        throw std::invalid_argument(path +
                                    " has traces of several jobs: expected the prefix of "
                                    "one, such as " +
                                    *prefixes.begin());
    }
    return prefixes.empty() ? "" : *prefixes.begin();
}

bool
IsChakraRing(const ChakraTrace& first, const ParallelPlan& plan)
{
    const uint32_t pp = plan.GetDegrees().pp;
    if (pp < 3)
    {
        return false;
    }
    const uint64_t last = plan.GetRank({0, 0, pp - 1});
    return std::any_of(first.nodes.begin(), first.nodes.end(), [last](const ChakraNode& node) {
        try
        {
            const bool sends = node.type == ChakraNodeType::SEND;
            return (sends || node.type == ChakraNodeType::RECEIVE) &&
                   node.GetNumber(sends ? "comm_dst" : "comm_src") == last;
        }
        catch (const std::invalid_argument&)
        {
            return false; // whoever reads it for good says where and why
        }
    });
}

} // namespace photonic
} // namespace ns3
