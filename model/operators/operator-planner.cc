/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "operator-planner.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

namespace
{

/// @param sorted ascending @param value a member @return its index
uint32_t
FindIndex(const std::vector<uint32_t>& sorted, uint32_t value)
{
    return std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
}

} // namespace

OperatorPlanner::OperatorPlanner(const OperatorGraph& graph,
                                 const ComputeModel& compute,
                                 const OperatorPlacement& placement,
                                 DataRate rate,
                                 uint32_t bytesPerParameter)
    : m_graph(graph),
      m_placement(placement),
      m_bytesPerParameter(bytesPerParameter),
      m_nics(placement.GetLimits().gpus, rate),
      m_possible(placement.GetLimits().gpus),
      m_isBusy(placement.GetLimits().gpus),
      m_last(placement.GetLimits().gpus)
{
    for (uint32_t number = 0; number < graph.GetSize(); ++number)
    {
        AddOperator(number, compute);
    }
}

void
OperatorPlanner::AddOperator(uint32_t number, const ComputeModel& compute)
{
    const Operator& o = m_graph.Get(number);
    const std::vector<uint32_t>& holders = m_placement.GetHolders(number);
    const std::vector<uint32_t>& readers = m_placement.GetReaders(number);
    const Time durations[PASSES] = {compute.GetDuration(o.forward / holders.size()),
                                    compute.GetDuration(o.inputGradient / holders.size()),
                                    compute.GetDuration(o.weightGradient / holders.size())};
    m_firstPiece.push_back(m_tasks.size() / PASSES);
    for (uint32_t piece = 0; piece < holders.size(); ++piece)
    {
        for (uint32_t pass = 0; pass < PASSES; ++pass)
        {
            m_tasks.push_back({number,
                               piece,
                               holders[piece],
                               static_cast<OperatorPass>(pass),
                               Time(),
                               durations[pass]});
            m_waits.push_back(pass == 0 ? o.inputs.size() : 1);
            m_ready.emplace_back();
        }
    }
    std::vector<uint32_t> gradients(readers.size());
    for (uint32_t reader : m_graph.GetReaders(number))
    {
        for (uint32_t position : m_placement.GetHolders(reader))
        {
            ++gradients[FindIndex(readers, position)];
        }
    }
    const auto add = [&](const auto& from, const auto& to, std::vector<uint32_t> waits) {
        m_exchanges.push_back({&from,
                               &to,
                               GetShareBytes(o, holders.size()),
                               std::move(waits),
                               std::vector<Time>(from.size()),
                               std::vector<Time>(from.size()),
                               static_cast<uint32_t>(from.size())});
    };
    add(holders, readers, std::vector<uint32_t>(holders.size(), 1));
    add(readers, holders, std::move(gradients));
}

void
OperatorPlanner::Push(Time time, uint32_t task, bool isEnd)
{
    m_events.push({time, m_pushed++, task, isEnd});
}

void
OperatorPlanner::Arrive(uint32_t task, Time time)
{
    m_ready[task] = std::max(m_ready[task], time);
    if (--m_waits[task] == 0)
    {
        Push(m_ready[task], task, false);
    }
}

void
OperatorPlanner::ArriveBackward(uint32_t number, uint32_t piece, Time time)
{
    for (OperatorPass pass : {OperatorPass::INPUT_GRADIENT, OperatorPass::WEIGHT_GRADIENT})
    {
        if (HasPass(m_graph.Get(number), pass))
        {
            Arrive(GetTask(number, piece, pass), time);
        }
    }
}

void
OperatorPlanner::Contribute(uint32_t number, bool isForward, uint32_t position, Time time)
{
    Exchange& e = m_exchanges[2 * number + (isForward ? 0 : 1)];
    const uint32_t sender = FindIndex(*e.from, position);
    if (--e.waits[sender] > 0)
    {
        return;
    }
    const bool isLocal = std::binary_search(e.to->begin(), e.to->end(), position);
    e.begins[sender] = time;
    e.leaves[sender] = m_nics.Send(position, time, e.share * (e.to->size() - (isLocal ? 1 : 0)));
    if (--e.open == 0)
    {
        Deliver(number, isForward);
    }
}

void
OperatorPlanner::Deliver(uint32_t number, bool isForward)
{
    const Exchange& e = m_exchanges[2 * number + (isForward ? 0 : 1)];
    for (uint32_t position : *e.to)
    {
        Time first = Time::Max();
        Time arrival;
        uint64_t remote = 0;
        for (std::size_t i = 0; i < e.from->size(); ++i)
        {
            const bool isLocal = (*e.from)[i] == position;
            arrival = std::max(arrival, isLocal ? e.begins[i] : e.leaves[i]);
            first = isLocal ? first : std::min(first, e.begins[i]);
            remote += isLocal ? 0 : 1;
        }
        if (remote > 0)
        {
            arrival = std::max(arrival, m_nics.Receive(position, first, e.share * remote));
        }
        if (!isForward)
        {
            ArriveBackward(number, FindIndex(*e.to, position), arrival);
            continue;
        }
        for (uint32_t reader : m_graph.GetReaders(number))
        {
            const std::vector<uint32_t>& holders = m_placement.GetHolders(reader);
            const uint32_t piece = FindIndex(holders, position);
            if (piece < holders.size() && holders[piece] == position)
            {
                Arrive(GetTask(reader, piece, OperatorPass::FORWARD), arrival);
            }
        }
    }
}

void
OperatorPlanner::Synchronise(const OperatorTask& task, Time time)
{
    const Operator& o = m_graph.Get(task.number);
    const std::vector<uint32_t>& holders = m_placement.GetHolders(task.number);
    if (o.parameters == 0 || m_placement.GetLimits().groups == 1)
    {
        return;
    }
    const uint64_t bytes = GetGradientBytes(o, holders.size(), m_bytesPerParameter);
    const uint32_t next = holders[(task.piece + 1) % holders.size()];
    const Time sent = m_nics.Send(task.position, time, bytes);
    m_last[next] = std::max({m_last[next], sent, m_nics.Receive(next, time, bytes)});
}

void
OperatorPlanner::End(uint32_t index)
{
    const OperatorTask& task = m_tasks[index];
    const Time now = task.start + task.duration;
    m_isBusy[task.position] = false;
    m_last[task.position] = std::max(m_last[task.position], now);
    switch (task.pass)
    {
    case OperatorPass::FORWARD:
        if (m_graph.GetReaders(task.number).empty())
        {
            ArriveBackward(task.number, task.piece, now); // the loss
        }
        else
        {
            Contribute(task.number, true, task.position, now);
        }
        break;
    case OperatorPass::INPUT_GRADIENT:
        for (uint32_t input : m_graph.Get(task.number).inputs)
        {
            Contribute(input, false, task.position, now);
        }
        break;
    case OperatorPass::WEIGHT_GRADIENT:
        Synchronise(task, now);
        break;
    }
}

void
OperatorPlanner::Dispatch(uint32_t position, Time now, std::vector<OperatorTask>& tasks)
{
    if (m_isBusy[position] || m_possible[position].empty())
    {
        return;
    }
    const uint32_t index = m_possible[position].begin()->second;
    m_possible[position].erase(m_possible[position].begin());
    m_isBusy[position] = true;
    m_tasks[index].start = now;
    tasks.push_back(m_tasks[index]);
    Push(now + m_tasks[index].duration, index, true);
}

std::vector<Time>
OperatorPlanner::Run(std::vector<OperatorTask>& tasks)
{
    for (uint32_t task = 0; task < m_tasks.size(); ++task)
    {
        if (m_tasks[task].pass == OperatorPass::FORWARD && m_waits[task] == 0)
        {
            Push(Time(), task, false);
        }
    }
    while (!m_events.empty())
    {
        const Time now = m_events.top().time;
        std::set<uint32_t> touched;
        while (!m_events.empty() && m_events.top().time == now)
        {
            const Event event = m_events.top();
            m_events.pop();
            const OperatorTask& task = m_tasks[event.task];
            touched.insert(task.position);
            if (event.isEnd)
            {
                End(event.task);
            }
            else
            {
                m_possible[task.position].emplace(GetPriority(task), event.task);
            }
        }
        for (uint32_t position : touched)
        {
            Dispatch(position, now, tasks);
        }
    }
    return m_last;
}

} // namespace photonic
} // namespace ns3
