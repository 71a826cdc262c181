/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "operator-program-builder.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

using Dependency = Operation::Dependency;

/**
 * In which order a GPU sends: from the one after it on, so that not all send to the same one first.
 * @param positions ascending @param own position of the sender
 * @return the same, those above its own first
 */
std::vector<uint32_t>
Rotate(std::vector<uint32_t> positions, uint32_t own)
{
    std::rotate(positions.begin(),
                std::upper_bound(positions.begin(), positions.end(), own),
                positions.end());
    return positions;
}

/// Writes the programs of all GPUs side by side, computation by computation of the schedule.
class ProgramWriter
{
  public:
    ProgramWriter(const OperatorGraph& graph,
                  const OperatorPlacement& placement,
                  uint32_t bytesPerParameter);

    void Write(const OperatorTask& task);
    void WriteOptimizer(uint32_t position, Time duration);
    std::vector<Ptr<const StepProgram>> Finish();

  private:
    /// Of an operator in a group: what its inputs, or the gradients of its output, arrive with, by
    /// the position where they do.
    using Arrivals = std::map<uint32_t, std::vector<Dependency>>;

    struct State
    {
        Arrivals outputs;                        ///< at its readers
        Arrivals gradients;                      ///< at its holders
        std::map<uint32_t, uint32_t> unfinished; ///< input gradients to come, by reader
    };

    uint32_t GetGpu(uint32_t group, uint32_t position) const
    {
        return group * m_placement.GetLimits().gpus + position;
    }

    void WriteInGroup(const OperatorTask& task, uint32_t group);
    /// What a computation has to wait for, beside those before it on the GPU.
    std::vector<Dependency> GetInputs(const OperatorTask& task, uint32_t group) const;
    /**
     * A message from the GPU that has just computed something, and its receipt.
     * @return what a dependent of the receipt waits for
     */
    Dependency Transfer(uint32_t from,
                        uint32_t to,
                        uint64_t bytes,
                        Parallelism parallelism,
                        const std::string& what);

    const OperatorGraph& m_graph;
    const OperatorPlacement& m_placement;
    uint32_t m_bytesPerParameter;
    std::vector<std::vector<Operation>> m_programs;    ///< by GPU
    std::vector<uint32_t> m_lastCompute;               ///< by GPU
    std::vector<std::vector<Dependency>> m_reductions; ///< that the optimiser waits for, by GPU
    std::vector<std::vector<State>> m_states;          ///< by group and operator
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_counters; ///< by pair, lower GPU first
};

ProgramWriter::ProgramWriter(const OperatorGraph& graph,
                             const OperatorPlacement& placement,
                             uint32_t bytesPerParameter)
    : m_graph(graph),
      m_placement(placement),
      m_bytesPerParameter(bytesPerParameter)
{
    const PlacementLimits& limits = placement.GetLimits();
    m_programs.resize(limits.groups * limits.gpus);
    m_lastCompute.resize(m_programs.size());
    m_reductions.resize(m_programs.size());
    std::vector<State> states(graph.GetSize());
    for (uint32_t number = 0; number < graph.GetSize(); ++number)
    {
        for (uint32_t reader : graph.GetReaders(number))
        {
            for (uint32_t position : placement.GetHolders(reader))
            {
                ++states[number].unfinished[position];
            }
        }
    }
    m_states.assign(limits.groups, states);
}

void
ProgramWriter::Write(const OperatorTask& task)
{
    for (uint32_t group = 0; group < m_placement.GetLimits().groups; ++group)
    {
        WriteInGroup(task, group);
    }
}

std::vector<Dependency>
ProgramWriter::GetInputs(const OperatorTask& task, uint32_t group) const
{
    std::vector<Dependency> inputs;
    const auto add = [&](const Arrivals& arrivals) {
        const auto here = arrivals.find(task.position);
        if (here != arrivals.end())
        {
            inputs.insert(inputs.end(), here->second.begin(), here->second.end());
        }
    };
    if (task.pass == OperatorPass::FORWARD)
    {
        for (uint32_t input : m_graph.Get(task.number).inputs)
        {
            add(m_states[group][input].outputs);
        }
    }
    else
    {
        add(m_states[group][task.number].gradients);
    }
    return inputs;
}

void
ProgramWriter::WriteInGroup(const OperatorTask& task, uint32_t group)
{
    const Operator& o = m_graph.Get(task.number);
    const std::vector<uint32_t>& holders = m_placement.GetHolders(task.number);
    const std::string piece =
        o.name + (holders.size() == 1
                      ? ""
                      : " " + std::to_string(task.piece) + "/" + std::to_string(holders.size()));
    const uint32_t gpu = GetGpu(group, task.position);
    Operation compute;
    compute.duration = task.duration;
    compute.after = GetInputs(task, group);
    compute.label = std::string(ToString(task.pass)) + " " + piece;
    m_lastCompute[gpu] = m_programs[gpu].size();
    m_programs[gpu].push_back(std::move(compute));

    switch (task.pass)
    {
    case OperatorPass::FORWARD:
        for (uint32_t reader : Rotate(m_placement.GetReaders(task.number), task.position))
        {
            if (reader != task.position)
            {
                m_states[group][task.number].outputs[reader].push_back(
                    Transfer(gpu,
                             GetGpu(group, reader),
                             GetShareBytes(o, holders.size()),
                             Parallelism::MP,
                             "output " + piece));
            }
        }
        break;
    case OperatorPass::INPUT_GRADIENT:
        for (uint32_t input : o.inputs)
        {
            State& state = m_states[group][input];
            if (--state.unfinished[task.position] > 0)
            {
                continue;
            }
            const Operator& producer = m_graph.Get(input);
            const std::vector<uint32_t>& producers = m_placement.GetHolders(input);
            for (uint32_t to : Rotate(producers, task.position))
            {
                if (to != task.position)
                {
                    state.gradients[to].push_back(
                        Transfer(gpu,
                                 GetGpu(group, to),
                                 GetShareBytes(producer, producers.size()),
                                 Parallelism::MP,
                                 "gradient of output " + producer.name));
                }
            }
        }
        break;
    case OperatorPass::WEIGHT_GRADIENT: {
        const uint32_t groups = m_placement.GetLimits().groups;
        if (groups > 1 && o.parameters != 0)
        {
            const uint32_t to =
                GetGpu((group + 1) % groups, holders[(task.piece + 1) % holders.size()]);
            m_reductions[to].push_back(
                Transfer(gpu,
                         to,
                         GetGradientBytes(o, holders.size(), m_bytesPerParameter),
                         Parallelism::DP,
                         "gradient of weights " + piece));
        }
        break;
    }
    }
}

Dependency
ProgramWriter::Transfer(uint32_t from,
                        uint32_t to,
                        uint64_t bytes,
                        Parallelism parallelism,
                        const std::string& what)
{
    Operation end;
    end.slot = GroupSlot::MP;
    end.parallelism = parallelism;
    end.counter = m_counters[std::minmax(from, to)]++;

    Operation send = end;
    send.kind = CollectiveKind::SEND;
    send.bytes = bytes;
    send.peer = to;
    send.after = {{m_lastCompute[from], Dependency::Part::WHOLE}};
    send.label = "send " + what + " to " + std::to_string(to);
    m_programs[from].push_back(std::move(send));

    end.kind = CollectiveKind::RECEIVE;
    end.receiveBytes = bytes;
    end.peer = from;
    end.label = "receive " + what + " from " + std::to_string(from);
    m_programs[to].push_back(std::move(end));
    return {static_cast<uint32_t>(m_programs[to].size() - 1), Dependency::Part::RECEIVED};
}

void
ProgramWriter::WriteOptimizer(uint32_t position, Time duration)
{
    for (uint32_t group = 0; group < m_placement.GetLimits().groups; ++group)
    {
        const uint32_t gpu = GetGpu(group, position);
        Operation optimizer;
        optimizer.duration = duration;
        optimizer.after = m_reductions[gpu];
        optimizer.label = "optimizer";
        m_programs[gpu].push_back(std::move(optimizer));
    }
}

std::vector<Ptr<const StepProgram>>
ProgramWriter::Finish()
{
    std::vector<Ptr<const StepProgram>> programs;
    for (std::vector<Operation>& operations : m_programs)
    {
        programs.push_back(Create<const StepProgram>(std::move(operations)));
    }
    return programs;
}

} // namespace

std::vector<Ptr<const StepProgram>>
BuildOperatorPrograms(const OperatorGraph& graph,
                      const OperatorPlacement& placement,
                      const OperatorSchedule& schedule,
                      uint32_t bytesPerParameter)
{
    ProgramWriter writer(graph, placement, bytesPerParameter);
    for (const OperatorTask& task : schedule.GetTasks())
    {
        writer.Write(task);
    }
    for (uint32_t position = 0; position < placement.GetLimits().gpus; ++position)
    {
        writer.WriteOptimizer(position, schedule.GetOptimizer(position));
    }
    return writer.Finish();
}

ParallelPlan::Degrees
GetOperatorDegrees(const PlacementLimits& limits)
{
    ParallelPlan::Degrees degrees;
    degrees.pp = limits.groups * limits.gpus;
    degrees.gpusPerNode = 1;
    degrees.graph = true;
    return degrees;
}

} // namespace photonic
} // namespace ns3
