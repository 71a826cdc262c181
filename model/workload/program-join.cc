/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "program-join.h"

#include "ns3/input-text.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

namespace ns3
{
namespace photonic
{

namespace
{

/// The part that one stage has in a communication.
struct End
{
    uint32_t stage;
    uint32_t operation;
};

/// A communication, with all its ends, and its place in the joined order.
struct Node
{
    std::vector<End> ends;
    std::vector<std::size_t> successors;
    std::size_t predecessors{0};
};

/// The joined order of all stages.
class JoinedOrder
{
  public:
    explicit JoinedOrder(const std::vector<Ptr<const StepProgram>>& stages)
        : m_stages(stages)
    {
        for (uint32_t stage = 0; stage < stages.size(); ++stage)
        {
            AddStage(stage);
        }
    }

    void CheckEnds() const;
    void CheckAcyclic();

  private:
    const Operation& Get(const End& end) const
    {
        return m_stages[end.stage]->GetOperations()[end.operation];
    }

    std::string Describe(const End& end) const
    {
        return "stage " + std::to_string(end.stage) + " operation " +
               std::to_string(end.operation) + " (" + Shorten(Get(end).label) + ")";
    }

    void AddStage(uint32_t stage);
    void CheckPair(const Node& node) const;

    const std::vector<Ptr<const StepProgram>>& m_stages;
    std::vector<Node> m_nodes;
    /// Of a communication: slot as seen from its first stage, first stage, counter.
    std::map<std::tuple<GroupSlot, uint32_t, uint32_t>, std::size_t> m_index;
};

void
JoinedOrder::AddStage(uint32_t stage)
{
    const std::vector<Operation>& operations = m_stages[stage]->GetOperations();
    bool isFirst = true;
    std::size_t previous = 0;
    for (uint32_t i = 0; i < operations.size(); ++i)
    {
        const Operation& o = operations[i];
        if (o.IsCompute())
        {
            continue;
        }
        const bool isUpper = o.slot == GroupSlot::PP_PREVIOUS;
        const uint32_t stages = m_stages.size();
        const bool wraps =
            (isUpper && stage == 0) || (o.slot == GroupSlot::PP_NEXT && stage + 1 == stages);
        if (wraps && stages <= 2)
        {
            throw std::invalid_argument(Describe({stage, i}) + " has no stage on the other side");
        }
        const GroupSlot slot = isUpper ? GroupSlot::PP_NEXT : o.slot;
        const uint32_t home = slot == GroupSlot::PP ? 0
                              : isUpper             ? (stage + stages - 1) % stages
                                                    : stage;
        const auto [at, isNew] =
            m_index.emplace(std::make_tuple(slot, home, o.counter), m_nodes.size());
        if (isNew)
        {
            m_nodes.emplace_back();
        }
        Node& node = m_nodes[at->second];
        if (!isNew && node.ends.back().stage == stage)
        {
            throw std::invalid_argument(Describe(node.ends.back()) + " and " +
                                        Describe({stage, i}) + " have the same counter " +
                                        std::to_string(o.counter) + " in their group");
        }
        node.ends.push_back({stage, i});
        if (!isFirst)
        {
            m_nodes[previous].successors.push_back(at->second);
            ++node.predecessors;
        }
        isFirst = false;
        previous = at->second;
    }
}

void
JoinedOrder::CheckPair(const Node& node) const
{
    const Operation& a = Get(node.ends.front());
    const Operation& b = Get(node.ends.back());
    const bool match =
        (a.kind == CollectiveKind::SEND && b.kind == CollectiveKind::RECEIVE) ||
        (a.kind == CollectiveKind::RECEIVE && b.kind == CollectiveKind::SEND) ||
        (a.kind == CollectiveKind::SEND_RECEIVE && b.kind == CollectiveKind::SEND_RECEIVE);
    if (!match || a.bytes != b.receiveBytes || a.receiveBytes != b.bytes)
    {
        const auto tell = [this](const End& end) {
            const Operation& o = Get(end);
            return Describe(end) + ", a " + ToString(o.kind) + " of " + std::to_string(o.bytes) +
                   " bytes out and " + std::to_string(o.receiveBytes) + " in";
        };
        throw std::invalid_argument(tell(node.ends.front()) + ", does not match " +
                                    tell(node.ends.back()));
    }
}

void
JoinedOrder::CheckEnds() const
{
    for (const Node& node : m_nodes)
    {
        const Operation& first = Get(node.ends.front());
        const bool isPair =
            first.slot == GroupSlot::PP_NEXT || first.slot == GroupSlot::PP_PREVIOUS;
        const std::size_t expected = isPair ? 2 : first.slot == GroupSlot::PP ? m_stages.size() : 1;
        if (node.ends.size() != expected)
        {
            throw std::invalid_argument(Describe(node.ends.front()) + " has " +
                                        std::to_string(node.ends.size()) + " of " +
                                        std::to_string(expected) + " ends");
        }
        if (isPair)
        {
            CheckPair(node);
            continue;
        }
        for (const End& end : node.ends)
        {
            if (Get(end).kind != first.kind || Get(end).bytes != first.bytes)
            {
                throw std::invalid_argument(
                    Describe(node.ends.front()) + ", " + ToString(first.kind) + " of " +
                    std::to_string(first.bytes) + " bytes, does not match " + Describe(end) + ", " +
                    ToString(Get(end).kind) + " of " + std::to_string(Get(end).bytes));
            }
        }
    }
}

void
JoinedOrder::CheckAcyclic()
{
    // Take away what has no predecessor left; what cannot be taken away is on or behind a cycle.
    std::vector<std::size_t> ready;
    for (std::size_t n = 0; n < m_nodes.size(); ++n)
    {
        if (m_nodes[n].predecessors == 0)
        {
            ready.push_back(n);
        }
    }
    std::size_t taken = 0;
    for (; taken < ready.size(); ++taken)
    {
        for (std::size_t next : m_nodes[ready[taken]].successors)
        {
            if (--m_nodes[next].predecessors == 0)
            {
                ready.push_back(next);
            }
        }
    }
    if (taken == m_nodes.size())
    {
        return;
    }

    // Every node that is left has a predecessor that is left: walking back ends in the cycle.
    constexpr std::size_t none = -1;
    std::vector<std::size_t> before(m_nodes.size(), none);
    std::size_t at = none;
    for (std::size_t n = 0; n < m_nodes.size(); ++n)
    {
        if (m_nodes[n].predecessors > 0)
        {
            at = n;
            for (std::size_t next : m_nodes[n].successors)
            {
                before[next] = n;
            }
        }
    }
    std::vector<std::size_t> walk;
    std::vector<bool> walked(m_nodes.size());
    while (!walked[at])
    {
        walked[at] = true;
        walk.push_back(at);
        at = before[at];
    }
    constexpr std::size_t most = 16; // names in a line
    std::string cycle;
    std::size_t named = 0;
    for (std::size_t i = walk.size(); i-- > 0;)
    {
        if (named++ == most)
        {
            cycle += " before others";
            break;
        }
        cycle += (cycle.empty() ? "" : " before ") + Describe(m_nodes[walk[i]].ends.front());
        if (walk[i] == at)
        {
            break;
        }
    }
    throw std::invalid_argument("the stages wait for each other in a circle: " + cycle +
                                " before the first again");
}

} // namespace

void
CheckJoinedOrder(const std::vector<Ptr<const StepProgram>>& stages)
{
    JoinedOrder order(stages);
    order.CheckEnds();
    order.CheckAcyclic();
}

} // namespace photonic
} // namespace ns3
