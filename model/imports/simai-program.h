/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIMAI_PROGRAM_H
#define PHOTONIC_SIMAI_PROGRAM_H

#include "simai-workload.h"

#include "ns3/parallel-plan.h"
#include "ns3/ptr.h"
#include "ns3/step-program.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief What a rank does in a step of a SimAI workload, in the order in which SimAI goes through
 *        it. The rules are in doc/imports.md.
 *
 * @param workload a step
 * @param degrees of the job: one pipeline stage, the workload's tensor parallel degree and GPUs
 * @return the program of all ranks
 * @throws std::invalid_argument naming file, line and reason, if the degrees are others, or a
 *         collective is of a group that has no slot
 */
Ptr<const StepProgram> BuildSimaiProgram(const SimaiWorkload& workload,
                                         const ParallelPlan::Degrees& degrees);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIMAI_PROGRAM_H
