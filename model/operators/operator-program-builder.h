/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPERATOR_PROGRAM_BUILDER_H
#define PHOTONIC_OPERATOR_PROGRAM_BUILDER_H

#include "operator-graph.h"
#include "operator-placement.h"
#include "operator-schedule.h"

#include "ns3/parallel-plan.h"
#include "ns3/ptr.h"
#include "ns3/step-program.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-operators
 * @brief Turn a placed and planned operator graph into what each GPU does in a step.
 *
 * A GPU computes in the order of the schedule, then runs the optimiser. Every piece of an operator
 * sends its share of the output, once, to each other GPU that reads from the operator; that GPU
 * sends back the gradient of the share, summed over what it holds, when the last of its input
 * gradients is computed. A piece with parameters sends its gradients to the next group when it has
 * them, and the optimiser waits for those of the group before. The order of the schedule is one in
 * which everything can run, so that no two GPUs wait for each other.
 *
 * Transfers are in slot MP: activations and their gradients count as Parallelism::MP, gradients of
 * weights as Parallelism::DP.
 *
 * @param graph with the batch of one group
 * @param placement of it
 * @param schedule of that
 * @param bytesPerParameter of the gradients that go to the next group
 * @return one program per GPU, that of group * gpus + position
 */
std::vector<Ptr<const StepProgram>> BuildOperatorPrograms(const OperatorGraph& graph,
                                                          const OperatorPlacement& placement,
                                                          const OperatorSchedule& schedule,
                                                          uint32_t bytesPerParameter = 4);

/**
 * @ingroup photonic-rails-operators
 * @param limits of a placement
 * @return degrees of the job that runs its programs: a rank per GPU, each a node of its own
 */
ParallelPlan::Degrees GetOperatorDegrees(const PlacementLimits& limits);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPERATOR_PROGRAM_BUILDER_H
