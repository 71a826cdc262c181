/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "operator-schedule.h"

#include "operator-planner.h"

#include "ns3/adam-optimizer.h"
#include "ns3/training-plan.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

const char*
ToString(OperatorPass pass)
{
    switch (pass)
    {
    case OperatorPass::FORWARD:
        return "forward";
    case OperatorPass::INPUT_GRADIENT:
        return "input gradient";
    case OperatorPass::WEIGHT_GRADIENT:
        return "weight gradient";
    }
    return "unknown";
}

bool
HasPass(const Operator& o, OperatorPass pass)
{
    switch (pass)
    {
    case OperatorPass::FORWARD:
        return true;
    case OperatorPass::INPUT_GRADIENT:
        return !o.inputs.empty();
    case OperatorPass::WEIGHT_GRADIENT:
        return o.parameters != 0 || o.weightGradient.flops > 0 || o.weightGradient.bytes > 0;
    }
    return false;
}

uint64_t
GetGradientBytes(const Operator& o, uint32_t pieces, uint32_t bytesPerParameter)
{
    return DivideUp(o.parameters * bytesPerParameter, pieces);
}

OperatorSchedule::OperatorSchedule(const OperatorGraph& graph,
                                   const ComputeModel& compute,
                                   const OperatorPlacement& placement,
                                   DataRate rate,
                                   uint32_t bytesPerParameter)
{
    if (rate.GetBitRate() == 0)
    {
        throw std::invalid_argument("the rate of a NIC has to be above 0, found 0 bit/s");
    }
    const std::vector<Time> last =
        OperatorPlanner(graph, compute, placement, rate, bytesPerParameter).Run(m_tasks);
    std::vector<double> parameters(last.size());
    for (uint32_t number = 0; number < graph.GetSize(); ++number)
    {
        const std::vector<uint32_t>& holders = placement.GetHolders(number);
        for (uint32_t position : holders)
        {
            parameters[position] +=
                static_cast<double>(graph.Get(number).parameters) / holders.size();
        }
    }
    for (uint32_t position = 0; position < last.size(); ++position)
    {
        m_optimizers.push_back(
            compute.GetDuration({0, parameters[position] * (ADAM_BYTES + bytesPerParameter)}));
        m_stepTime = std::max(m_stepTime, last[position] + m_optimizers.back());
    }
}

const std::vector<OperatorTask>&
OperatorSchedule::GetTasks() const
{
    return m_tasks;
}

Time
OperatorSchedule::GetOptimizer(uint32_t position) const
{
    return m_optimizers.at(position);
}

Time
OperatorSchedule::GetStepTime() const
{
    return m_stepTime;
}

} // namespace photonic
} // namespace ns3
