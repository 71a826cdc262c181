/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPERATOR_TEST_HELPER_H
#define PHOTONIC_OPERATOR_TEST_HELPER_H

#include "ns3/operator-placement.h"

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/// @return a GPU that does 1 TFLOP/s and moves 1 TB/s: a FLOP and a byte take a picosecond
inline ComputeModel
MakePicosecondGpu()
{
    GpuSpec gpu = FindGpu("a100");
    gpu.peakFlops = 1e12;
    gpu.memoryBandwidth = 1e12;
    return ComputeModel(gpu, 1);
}

/**
 * @param name of the operator
 * @param duration of its forward pass, and of either gradient
 * @param parameters that it owns
 * @param outputBytes that it hands on
 * @param inputs that it reads from
 * @return an operator for MakePicosecondGpu()
 */
inline Operator
MakeOperator(const std::string& name,
             Time duration,
             uint64_t parameters,
             uint64_t outputBytes,
             const std::vector<uint32_t>& inputs)
{
    Operator o;
    o.name = name;
    o.forward.flops = duration.GetSeconds() * 1e12;
    o.inputGradient = inputs.empty() ? Work() : o.forward;
    o.weightGradient = parameters == 0 ? Work() : o.forward;
    o.parameters = parameters;
    o.outputBytes = outputBytes;
    o.inputs = inputs;
    return o;
}

/// @param random generator @param size operators @return a graph of operators of 0 to 20 us
inline OperatorGraph
MakeRandomGraph(std::mt19937& random, uint32_t size)
{
    OperatorGraph graph("random", 1);
    for (uint32_t i = 0; i < size; ++i)
    {
        std::vector<uint32_t> inputs;
        for (uint32_t j = i > 4 ? i - 4 : 0; j < i; ++j)
        {
            if (random() % 3 == 0)
            {
                inputs.push_back(j);
            }
        }
        graph.Add(MakeOperator("o" + std::to_string(i),
                               NanoSeconds(random() % 20000),
                               random() % 3 * 1000,
                               1 + random() % 5000,
                               inputs));
    }
    return graph;
}

/// Pairs of GPUs, sender first.
using GpuPairs = std::set<std::pair<uint32_t, uint32_t>>;

/// @param graph the operators @param placement of them @return who sends to whom, by definition
inline GpuPairs
ListTransfers(const OperatorGraph& graph, const OperatorPlacement& placement)
{
    const PlacementLimits& limits = placement.GetLimits();
    GpuPairs pairs;
    const auto add = [&pairs](uint32_t from, uint32_t to) {
        if (from != to)
        {
            pairs.emplace(from, to);
        }
    };
    for (uint32_t group = 0; group < limits.groups; ++group)
    {
        const uint32_t first = group * limits.gpus;
        const uint32_t next = (group + 1) % limits.groups * limits.gpus;
        for (uint32_t number = 0; number < graph.GetSize(); ++number)
        {
            const auto& holders = placement.GetHolders(number);
            for (uint32_t input : graph.Get(number).inputs)
            {
                for (uint32_t from : placement.GetHolders(input))
                {
                    for (uint32_t to : holders)
                    {
                        add(first + from, first + to);
                        add(first + to, first + from);
                    }
                }
            }
            const bool synchronises = limits.groups > 1 && graph.Get(number).parameters != 0;
            for (std::size_t i = 0; i < holders.size() && synchronises; ++i)
            {
                add(first + holders[i], next + holders[(i + 1) % holders.size()]);
            }
        }
    }
    return pairs;
}

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPERATOR_TEST_HELPER_H
