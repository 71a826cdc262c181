/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPERATOR_SCHEDULE_H
#define PHOTONIC_OPERATOR_SCHEDULE_H

#include "operator-graph.h"
#include "operator-placement.h"

#include "ns3/compute-model.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-operators
 * @brief What a GPU computes of a piece of an operator.
 */
enum class OperatorPass : uint8_t
{
    FORWARD,
    INPUT_GRADIENT,  ///< unless the operator reads only the samples
    WEIGHT_GRADIENT, ///< unless it has no weights
};

/// @param pass which @return "forward", "input gradient" or "weight gradient"
const char* ToString(OperatorPass pass);

/**
 * @ingroup photonic-rails-operators
 * @brief One computation of a step, planned.
 */
struct OperatorTask
{
    uint32_t number; ///< of the operator
    /// Of the operator, from 0.
    uint32_t piece;
    uint32_t position; ///< GPU in its group
    /// Which of its computations.
    OperatorPass pass;
    /// Since the start of the step.
    Time start;
    /// Of the computation.
    Time duration;
};

/**
 * @ingroup photonic-rails-operators
 * @param o an operator
 * @param pass which
 * @return whether there is such a computation
 */
bool HasPass(const Operator& o, OperatorPass pass);

/**
 * @ingroup photonic-rails-operators
 * @param o an operator
 * @param pieces in which it is split
 * @param bytesPerParameter of a gradient
 * @return bytes of gradients that a piece sends to the next group, rounded up
 */
uint64_t GetGradientBytes(const Operator& o, uint32_t pieces, uint32_t bytesPerParameter);

/**
 * @ingroup photonic-rails-operators
 * @brief The order of a step's computations on the GPUs of a group, and an estimate of its time.
 *
 * A greedy list schedule: a GPU that is free takes, of what it could begin, forward passes in the
 * order of the graph, then input gradients, then weight gradients, both in reverse order.
 * Transfers are fluid. Each GPU has one NIC of the given rate, each direction of which serves one
 * operator's output (or its gradient) after the other; sends begin when a piece is over, what is
 * received arrives when both ends are through with it. Without latency, packets, ports or
 * circuits. All groups do the same at the same time. The optimiser of a GPU, Adam on fp32
 * states as in BuildStepPrograms(), follows its computations and the gradients from the group
 * before.
 */
class OperatorSchedule
{
  public:
    /**
     * @param graph with the batch of one group
     * @param compute how long computations take
     * @param placement of the graph
     * @param rate of a GPU's NIC, per direction
     * @param bytesPerParameter of the gradients that go to the next group
     * @throws std::invalid_argument if the rate is 0
     */
    OperatorSchedule(const OperatorGraph& graph,
                     const ComputeModel& compute,
                     const OperatorPlacement& placement,
                     DataRate rate,
                     uint32_t bytesPerParameter = 4);

    /// @return all computations of a group but the optimiser, in the order of their start; what
    ///         one waits for stands before it
    const std::vector<OperatorTask>& GetTasks() const;
    /// @param position of a GPU in its group @return duration of its optimiser
    Time GetOptimizer(uint32_t position) const;
    /// @return from the start of a step to the end of the last optimiser
    Time GetStepTime() const;

  private:
    std::vector<OperatorTask> m_tasks;
    std::vector<Time> m_optimizers;
    Time m_stepTime;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPERATOR_SCHEDULE_H
