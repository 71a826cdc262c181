/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "step-program.h"

#include "ns3/input-text.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

using Dependency = Operation::Dependency;

/// @param operations a program @param i index @return "operation 3 (label)"
std::string
Describe(const std::vector<Operation>& operations, std::size_t i)
{
    return "operation " + std::to_string(i) + " (" + Shorten(operations[i].label) + ")";
}

/// @param operation an operation @return whether it has a RECEIVED part
bool
Receives(const Operation& operation)
{
    return !operation.IsCompute() && operation.kind != CollectiveKind::SEND;
}

/// Collects what an operation waits for, each once, in time that grows with their number only.
class Predecessors
{
  public:
    explicit Predecessors(std::size_t operations)
        : m_places(operations)
    {
    }

    /// Begin with those of the next operation.
    void Clear()
    {
        m_found.clear();
    }

    void Add(const Dependency& dependency)
    {
        std::size_t& place = m_places[dependency.operation];
        if (place >= m_found.size() || m_found[place].operation != dependency.operation)
        {
            place = m_found.size();
            m_found.push_back(dependency);
        }
        else if (dependency.part == Dependency::Part::WHOLE)
        {
            m_found[place].part = Dependency::Part::WHOLE;
        }
    }

    const std::vector<Dependency>& Get() const
    {
        return m_found;
    }

  private:
    std::vector<std::size_t> m_places; ///< of each operation, perhaps, in those found
    std::vector<Dependency> m_found;
};

} // namespace

const char*
ToString(Parallelism parallelism)
{
    switch (parallelism)
    {
    case Parallelism::TP:
        return "tp";
    case Parallelism::CP:
        return "cp";
    case Parallelism::EP:
        return "ep";
    case Parallelism::FSDP:
        return "fsdp";
    case Parallelism::DP:
        return "dp";
    case Parallelism::PP:
        return "pp";
    case Parallelism::MP:
        return "mp";
    case Parallelism::OTHER:
        return "other";
    }
    return "unknown";
}

GroupSlot
GetLocalSlot(GroupSlot slot)
{
    switch (slot)
    {
    case GroupSlot::CP:
        return GroupSlot::CP_LOCAL;
    case GroupSlot::EP:
        return GroupSlot::EP_LOCAL;
    case GroupSlot::FSDP:
        return GroupSlot::FSDP_LOCAL;
    case GroupSlot::EXPERT_FSDP:
        return GroupSlot::EXPERT_FSDP_LOCAL;
    case GroupSlot::DP:
        return GroupSlot::DP_LOCAL;
    case GroupSlot::EXPERT_DP:
        return GroupSlot::EXPERT_DP_LOCAL;
    default:
        throw std::invalid_argument(std::string("a ") + ToString(slot) +
                                    " group is not divided between nodes and rails");
    }
}

GroupSlot
GetWholeSlot(GroupSlot slot)
{
    if (GetRound(slot) > 0)
    {
        return GroupSlot::EP;
    }
    for (GroupSlot whole : {GroupSlot::CP,
                            GroupSlot::EP,
                            GroupSlot::FSDP,
                            GroupSlot::EXPERT_FSDP,
                            GroupSlot::DP,
                            GroupSlot::EXPERT_DP})
    {
        if (slot == GetLocalSlot(whole))
        {
            return whole;
        }
    }
    return slot;
}

Parallelism
GetParallelism(GroupSlot slot)
{
    switch (GetWholeSlot(slot))
    {
    case GroupSlot::TP:
        return Parallelism::TP;
    case GroupSlot::CP:
        return Parallelism::CP;
    case GroupSlot::EP:
        return Parallelism::EP;
    case GroupSlot::FSDP:
    case GroupSlot::EXPERT_FSDP:
        return Parallelism::FSDP;
    case GroupSlot::DP:
    case GroupSlot::EXPERT_DP:
        return Parallelism::DP;
    case GroupSlot::PP:
    case GroupSlot::PP_NEXT:
    case GroupSlot::PP_PREVIOUS:
        return Parallelism::PP;
    case GroupSlot::MP:
        return Parallelism::MP;
    default:
        return Parallelism::OTHER;
    }
}

const char*
ToString(GroupSlot slot)
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all{"tp",
                                     "cp",
                                     "ep",
                                     "fsdp",
                                     "expert-fsdp",
                                     "dp",
                                     "expert-dp",
                                     "pp",
                                     "pp-next",
                                     "pp-previous",
                                     "mp",
                                     "cp-local",
                                     "ep-local",
                                     "fsdp-local",
                                     "expert-fsdp-local",
                                     "dp-local",
                                     "expert-dp-local"};
        for (uint32_t round = 2; all.size() < GROUP_SLOTS; ++round)
        {
            all.push_back("ep-round-" + std::to_string(round));
        }
        all.emplace_back("-");
        return all;
    }();
    return names.at(static_cast<std::size_t>(slot)).c_str();
}

StepProgram::StepProgram(std::vector<Operation> operations)
    : m_operations(std::move(operations)),
      m_dependents(m_operations.size()),
      m_predecessors(m_operations.size())
{
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::size_t last[GROUP_SLOTS + 1]; // of each stream; that of the computations is NONE
    std::fill(std::begin(last), std::end(last), none);

    Predecessors predecessors(m_operations.size());
    for (std::size_t i = 0; i < m_operations.size(); ++i)
    {
        predecessors.Clear();
        for (const Dependency& d : m_operations[i].after)
        {
            if (d.operation >= i)
            {
                const std::string found = d.operation < m_operations.size()
                                              ? Describe(m_operations, d.operation)
                                              : "operation " + std::to_string(d.operation);
                throw std::invalid_argument(Describe(m_operations, i) + " waits for " + found +
                                            ", which does not stand before it");
            }
            if (d.part == Dependency::Part::RECEIVED && !Receives(m_operations[d.operation]))
            {
                throw std::invalid_argument(Describe(m_operations, i) + " waits for what " +
                                            Describe(m_operations, d.operation) +
                                            " receives, but that receives nothing");
            }
            predecessors.Add(d);
        }
        if (m_operations[i].slot != GroupSlot::MP)
        {
            std::size_t& previous = last[static_cast<std::size_t>(m_operations[i].slot)];
            if (previous != none)
            {
                predecessors.Add({static_cast<uint32_t>(previous), Dependency::Part::WHOLE});
            }
            previous = i;
        }

        for (const Dependency& d : predecessors.Get())
        {
            m_dependents[d.operation].push_back({static_cast<uint32_t>(i), d.part});
        }
        m_predecessors[i] = predecessors.Get().size();
    }
}

const std::vector<Operation>&
StepProgram::GetOperations() const
{
    return m_operations;
}

const std::vector<StepProgram::Dependent>&
StepProgram::GetDependents(uint32_t operation) const
{
    return m_dependents.at(operation);
}

uint32_t
StepProgram::GetPredecessorCount(uint32_t operation) const
{
    return m_predecessors.at(operation);
}

void
StepProgram::Dump(std::ostream& os) const
{
    for (std::size_t i = 0; i < m_operations.size(); ++i)
    {
        const Operation& o = m_operations[i];
        os << i << " " << ToString(o.slot) << " ";
        if (o.IsCompute())
        {
            os << "compute duration=" << o.duration.GetPicoSeconds() << "ps";
        }
        else
        {
            os << ToString(o.kind) << " bytes=" << o.bytes;
            if (o.receiveBytes > 0)
            {
                os << " receive=" << o.receiveBytes;
            }
            if (o.shares)
            {
                os << " most=" << o.shares->GetLargestTotal();
            }
            if (o.slot == GroupSlot::MP)
            {
                os << " peer=" << o.peer;
            }
            os << " counter=" << o.counter << " counted=" << ToString(o.parallelism);
        }
        const char* separator = " after=";
        for (const Dependency& d : o.after)
        {
            os << separator << d.operation;
            os << (d.part == Dependency::Part::RECEIVED ? "r" : "");
            separator = ",";
        }
        os << " \"" << o.label << "\"\n";
    }
}

} // namespace photonic
} // namespace ns3
