/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "cause.h"

#include "ns3/simulator.h"

namespace ns3
{
namespace photonic
{

Cause::Node::~Node()
{
    // Unlinked one by one: a chain of a day-long job would overflow the stack recursively.
    Ptr<const Node> next = previous;
    previous = nullptr;
    while (next && next->GetReferenceCount() == 1)
    {
        Ptr<const Node> after = next->previous;
        next->previous = nullptr;
        next = after;
    }
}

Cause
Cause::AfterReconfiguration(uint64_t id) const
{
    auto node = Create<Node>();
    node->previous = m_last;
    node->made = Simulator::Now();
    node->id = id;
    node->reconfigurations = GetReconfigurations() + 1;
    node->stall = GetStall();
    return Cause(node);
}

Cause
Cause::AfterStall(Time wait) const
{
    if (wait.IsZero())
    {
        return *this;
    }
    auto node = Create<Node>();
    node->previous = m_last;
    node->made = Simulator::Now();
    node->reconfigurations = GetReconfigurations();
    node->stall = GetStall() + wait;
    return Cause(node);
}

Cause
Cause::Restore(uint64_t reconfigurations, Time stall, const std::vector<uint64_t>& named)
{
    // Which of the waits came before which reconfiguration does not matter: all have ended.
    auto node = Create<Node>();
    node->reconfigurations = reconfigurations - named.size();
    node->stall = stall;
    Cause cause(node);
    for (auto id = named.rbegin(); id != named.rend(); ++id)
    {
        cause = cause.AfterReconfiguration(*id);
    }
    return cause;
}

void
Cause::Forget(Time before) const
{
    const Node* node = PeekPointer(m_last);
    while (node && node->made >= before)
    {
        node = PeekPointer(node->previous);
    }
    if (node)
    {
        node->previous = nullptr;
    }
}

uint64_t
Cause::GetReconfigurations() const
{
    return m_last ? m_last->reconfigurations : 0;
}

Time
Cause::GetStall() const
{
    return m_last ? m_last->stall : Time(0);
}

} // namespace photonic
} // namespace ns3
