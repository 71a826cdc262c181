/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_STEP_PROGRAM_BUILDER_H
#define PHOTONIC_STEP_PROGRAM_BUILDER_H

#include "step-program.h"
#include "training-plan.h"

#include "ns3/ptr.h"

#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief Turn a training plan into what the ranks of each pipeline stage do in a step.
 *
 * The rules (order, dependencies, bytes) are those of doc/workload.md. The result has passed
 * CheckJoinedOrder().
 *
 * @param plan the training job
 * @return one program per stage, in order; if experts are uneven, one for each position of the
 *         expert parallel group at each stage: the positions of the first stage come first
 * @throws std::invalid_argument if the plan does not pass TrainingPlan::Check()
 */
std::vector<Ptr<const StepProgram>> BuildStepPrograms(const TrainingPlan& plan);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_STEP_PROGRAM_BUILDER_H
