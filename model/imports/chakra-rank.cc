/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "chakra-rank.h"

#include "ns3/input-text.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

using Dependency = Operation::Dependency;
using Part = Dependency::Part;

/// Bytes that all ranks of a group have together, at most: sums of them stay within 64 bits.
constexpr uint64_t MOST_BYTES = uint64_t{1} << 56;

/// Of a computation, at most: 106 days, in picoseconds.
constexpr uint64_t MOST_TIME = std::numeric_limits<int64_t>::max();

/// @return whether the slot joins two ranks for transfers
bool
IsPair(GroupSlot slot)
{
    return slot == GroupSlot::PP_NEXT || slot == GroupSlot::PP_PREVIOUS;
}

/// @param ranks some @return them for people, the first few
std::string
List(const std::vector<uint32_t>& ranks)
{
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(ranks.size(), most); ++i)
    {
        text += (i ? ", " : "") + std::to_string(ranks[i]);
    }
    return text + (ranks.size() > most ? ", ... (" + std::to_string(ranks.size()) + ")" : "");
}

/// Joins what several operations are waited for by, in time that grows with their number only.
class Merger
{
  public:
    explicit Merger(uint64_t most)
        : m_most(most)
    {
    }

    /// Add what is not there; the whole of an operation includes its part.
    void Merge(std::vector<Dependency>& into, const std::vector<Dependency>& more)
    {
        m_merged += more.size();
        if (m_merged > m_most)
        {
            throw std::invalid_argument("waits, with those before it and through nodes that are "
                                        "passed over, for more operations, expected at most " +
                                        std::to_string(m_most));
        }
        for (const Dependency& d : more)
        {
            if (d.operation >= m_places.size())
            {
                m_places.resize(d.operation + 1);
            }
            std::size_t& place = m_places[d.operation];
            if (place >= into.size() || into[place].operation != d.operation)
            {
                place = into.size();
                into.push_back(d);
            }
            else if (d.part != into[place].part)
            {
                into[place].part = Part::WHOLE;
            }
        }
    }

  private:
    std::vector<std::size_t> m_places; ///< of each operation, perhaps, in what is merged into
    uint64_t m_most;
    uint64_t m_merged{0};
};

} // namespace

ChakraRank::ChakraRank(const ParallelPlan& plan,
                       const ChakraGroups& groups,
                       uint32_t rank,
                       const std::string& file,
                       uint64_t mostWaits)
    : m_plan(plan),
      m_groups(groups),
      m_rank(rank),
      m_file(file),
      m_mostWaits(mostWaits)
{
    for (GroupSlot slot : TRAFFIC_SLOTS)
    {
        if (plan.HasGroup(rank, slot))
        {
            const RankList ranks = plan.GetGroup(rank, slot).ranks;
            m_slots[slot] = ranks;
            std::sort(m_slots[slot].begin(), m_slots[slot].end());
        }
    }
}

std::vector<ChakraOperation>
ChakraRank::Read(const ChakraTrace& trace)
{
    const auto units = OrderChakraNodes(trace, m_file);
    std::vector<std::vector<Dependency>> done(trace.nodes.size()); // what to wait for, by node
    std::map<GroupSlot, uint32_t> last;                            // operation of each stream
    std::vector<ChakraOperation> operations;
    Merger merger(m_mostWaits);
    for (const ChakraUnit& unit : units)
    {
        const ChakraNode& node = trace.nodes[unit.nodes.front()];
        std::vector<Dependency> after;
        ChakraOperation read;
        read.node = m_file + ": " + node.Describe();
        Operation& o = read.operation;
        o.label = node.name;
        try
        {
            for (std::size_t before : unit.after)
            {
                merger.Merge(after, done[before]);
            }
            if (IsPassedOver(unit, trace))
            {
                done[unit.nodes.front()] = std::move(after);
                continue;
            }
            for (std::size_t i : unit.nodes)
            {
                const ChakraNode& part = trace.nodes[i];
                part.type == ChakraNodeType::COMPUTE      ? ReadComputation(part, o)
                : part.type == ChakraNodeType::COLLECTIVE ? ReadCollective(part, o)
                                                          : ReadTransfer(part, read);
            }
        }
        catch (const std::invalid_argument& error)
        {
            throw std::invalid_argument(read.node + ": " + error.what());
        }
        const auto index = static_cast<uint32_t>(operations.size());
        for (std::size_t i : unit.nodes)
        {
            const bool receives = trace.nodes[i].type == ChakraNodeType::RECEIVE;
            done[i] = {{index, receives ? Part::RECEIVED : Part::WHOLE}};
        }
        // The stream's order says that already.
        const auto previous = last.find(o.slot);
        if (previous != last.end() && o.slot != GroupSlot::MP)
        {
            after.erase(std::remove_if(
                            after.begin(),
                            after.end(),
                            [&](const Dependency& d) { return d.operation == previous->second; }),
                        after.end());
        }
        last[o.slot] = index;
        o.after = std::move(after);
        operations.push_back(std::move(read));
    }
    if (operations.empty())
    {
        throw std::invalid_argument(m_file + ": there is nothing to do in the trace, expected a "
                                             "computation or a communication");
    }
    return operations;
}

bool
ChakraRank::IsPassedOver(const ChakraUnit& unit, const ChakraTrace& trace) const
{
    const ChakraNode& node = trace.nodes[unit.nodes.front()];
    switch (node.type)
    {
    case ChakraNodeType::METADATA:
        return true;
    case ChakraNodeType::COMPUTE:
        if (!node.IsSet("is_cpu_op"))
        {
            return false;
        }
        if (node.durationMicros > 0)
        {
            throw std::invalid_argument("takes time on the host, which is not modelled: expected "
                                        "is_cpu_op to be false");
        }
        return true;
    case ChakraNodeType::SEND:
    case ChakraNodeType::RECEIVE:
    case ChakraNodeType::COLLECTIVE:
        return false;
    case ChakraNodeType::MEMORY_LOAD:
    case ChakraNodeType::MEMORY_STORE:
        throw std::invalid_argument("is of the type " +
                                    std::to_string(static_cast<int32_t>(node.type)) +
                                    ", an access to remote memory, which is not modelled: "
                                    "expected 1, 4, 5, 6 or 7");
    case ChakraNodeType::INVALID:
        break;
    }
    throw std::invalid_argument("is of the unknown type " +
                                std::to_string(static_cast<int32_t>(node.type)) +
                                ": expected 1, 4, 5, 6 or 7");
}

void
ChakraRank::ReadComputation(const ChakraNode& node, Operation& o) const
{
    const auto exact = node.GetNumber(ChakraNames::DURATION);
    if (node.durationMicros > MOST_TIME / 1000000 || exact.value_or(0) > MOST_TIME)
    {
        throw std::invalid_argument("takes longer than " + std::to_string(MOST_TIME / 1000000) +
                                    " microseconds, which is expected at most");
    }
    o.duration = PicoSeconds(exact ? *exact : node.durationMicros * 1000000);
}

uint64_t
ChakraRank::GetSize(const ChakraNode& node) const
{
    const auto size = node.GetNumber("comm_size");
    if (!size)
    {
        throw std::invalid_argument("has no comm_size, expected the bytes of it");
    }
    if (*size > MOST_BYTES / m_plan.GetRanks())
    {
        throw std::invalid_argument("comm_size is " + std::to_string(*size) +
                                    ": expected at most " +
                                    std::to_string(MOST_BYTES / m_plan.GetRanks()));
    }
    return *size;
}

std::vector<uint32_t>
ChakraRank::FindRanks(const ChakraNode& node) const
{
    const std::string name = node.GetText("pg_name").value_or("");
    const auto group = m_groups.find(name);
    std::vector<uint32_t> ranks;
    if (group != m_groups.end())
    {
        ranks = group->second;
    }
    else if (name.empty() || name == "0")
    {
        ranks.resize(m_plan.GetRanks());
        std::iota(ranks.begin(), ranks.end(), 0);
    }
    else
    {
        throw std::invalid_argument("is of the unknown process group " + Quote(name) +
                                    ", expected one of the file of groups");
    }
    std::sort(ranks.begin(), ranks.end());
    if (!std::binary_search(ranks.begin(), ranks.end(), m_rank))
    {
        throw std::invalid_argument("is of process group " + Quote(name) + ", to which rank " +
                                    std::to_string(m_rank) +
                                    " does not belong: expected one of its own");
    }
    return ranks;
}

GroupSlot
ChakraRank::FindSlot(const ChakraNode& node)
{
    const std::string named = node.GetText(ChakraNames::SLOT).value_or("");
    auto& found =
        m_found
            .emplace(std::make_pair(node.GetText("pg_name").value_or(""), named), GroupSlot::NONE)
            .first->second;
    if (found != GroupSlot::NONE)
    {
        return found;
    }
    const auto ranks = FindRanks(node);
    std::string others;
    for (const auto& [slot, members] : m_slots)
    {
        if (IsPair(slot))
        {
            continue;
        }
        others += std::string(others.empty() ? "" : "; ") + ToString(slot) + " " + List(members);
        // Two slots may have the same ranks.
        if (members == ranks && (found == GroupSlot::NONE || named == ToString(slot)))
        {
            found = slot;
        }
    }
    if (found == GroupSlot::NONE)
    {
        throw std::invalid_argument("is of a process group of ranks " + List(ranks) +
                                    ", expected one of the job's groups of rank " +
                                    std::to_string(m_rank) +
                                    (others.empty() ? ", which has none" : ": " + others));
    }
    return found;
}

Parallelism
ChakraRank::FindParallelism(const ChakraNode& node, GroupSlot slot) const
{
    const auto stated = node.GetText(ChakraNames::PARALLELISM);
    // A collective over the pipeline is none of its transfers.
    const std::string name = stated                  ? *stated
                             : IsPair(slot)          ? ToString(Parallelism::PP)
                             : slot == GroupSlot::PP ? ToString(Parallelism::OTHER)
                                                     : ToString(slot);
    for (std::size_t i = 0; i < PARALLELISMS; ++i)
    {
        if (name == ToString(static_cast<Parallelism>(i)))
        {
            return static_cast<Parallelism>(i);
        }
    }
    if (stated)
    {
        throw std::invalid_argument(std::string("attribute ") + ChakraNames::PARALLELISM + " is " +
                                    Quote(name) + ", expected the name of a parallelism");
    }
    return Parallelism::OTHER;
}

void
ChakraRank::ReadCollective(const ChakraNode& node, Operation& o)
{
    const auto type = node.GetNumber("comm_type");
    if (!type)
    {
        throw std::invalid_argument("has no comm_type, expected the kind of collective");
    }
    const auto kind = FromChakraCommType(*type);
    if (!kind)
    {
        throw std::invalid_argument("comm_type is " + std::to_string(*type) +
                                    ": expected 0, 2, 5, 6 or 7, an all-reduce, all-gather, "
                                    "broadcast, all-to-all or reduce-scatter");
    }
    o.kind = *kind;
    const uint64_t size = GetSize(node);
    o.slot = FindSlot(node);
    const uint64_t members = m_slots[o.slot].size();
    o.bytes = o.kind == CollectiveKind::ALL_GATHER ? size * members : size;
    if (const auto total = node.GetNumber(ChakraNames::BYTES))
    {
        const uint64_t share = o.kind == CollectiveKind::ALL_GATHER
                                   ? *total / members + (*total % members > 0)
                                   : *total;
        if (share != size)
        {
            throw std::invalid_argument("comm_size is " + std::to_string(size) + ", but " +
                                        ChakraNames::BYTES + " " + std::to_string(*total));
        }
        o.bytes = *total;
    }
    o.parallelism = FindParallelism(node, o.slot);
    o.counter = m_counters[o.slot]++;
}

void
ChakraRank::ReadTransfer(const ChakraNode& node, ChakraOperation& read) const
{
    const bool sends = node.type == ChakraNodeType::SEND;
    const char* const own = sends ? "comm_src" : "comm_dst";
    const char* const other = sends ? "comm_dst" : "comm_src";
    const auto peer = node.GetNumber(other);
    if (!peer)
    {
        throw std::invalid_argument(std::string("has no ") + other + ", expected the other rank");
    }
    if (const auto self = node.GetNumber(own); self && *self != m_rank)
    {
        throw std::invalid_argument(std::string(own) + " is " + std::to_string(*self) +
                                    ": expected " + std::to_string(m_rank) +
                                    ", the rank whose trace it is");
    }
    auto slot = GroupSlot::NONE;
    for (const auto& [pair, members] : m_slots)
    {
        if (IsPair(pair) && *peer != m_rank &&
            std::find(members.begin(), members.end(), *peer) != members.end())
        {
            slot = pair;
        }
    }
    if (slot == GroupSlot::NONE)
    {
        throw std::invalid_argument(std::string(other) + " is " + std::to_string(*peer) +
                                    ", expected rank " + std::to_string(m_rank) +
                                    " of the next or previous pipeline stage");
    }
    Operation& o = read.operation;
    const uint64_t tag = node.GetNumber("comm_tag").value_or(0);
    const bool isHalf = o.slot != GroupSlot::NONE; // the other one has been read
    if (isHalf && (o.slot != slot || read.tag != tag))
    {
        throw std::invalid_argument("is half of a transfer whose other half has another peer or "
                                    "tag");
    }
    o.slot = slot;
    o.parallelism = FindParallelism(node, slot);
    o.kind = isHalf  ? CollectiveKind::SEND_RECEIVE
             : sends ? CollectiveKind::SEND
                     : CollectiveKind::RECEIVE;
    (sends ? o.bytes : o.receiveBytes) = GetSize(node);
    read.tag = tag;
}

} // namespace photonic
} // namespace ns3
