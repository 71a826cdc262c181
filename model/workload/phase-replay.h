/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PHASE_REPLAY_H
#define PHOTONIC_PHASE_REPLAY_H

#include "phase-trace.h"
#include "step-program.h"
#include "training-plan.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief Programs that do what a recorded step did.
 */
struct PhaseReplay
{
    std::vector<Ptr<const StepProgram>> programs; ///< one per pipeline stage
    uint32_t tooShort{0}; ///< data-parallel phases shorter than their transfers at the full rate
};

/**
 * @ingroup photonic-rails-workload
 * @brief Turn a step of a phase trace into programs: its communication, with computations for the
 *        times between. The rules are in doc/workload.md.
 *
 * @param trace of a job
 * @param step one of its steps
 * @param plan the job: its degrees, and, where the trace has no bytes, its model
 * @param rate of a GPU's payload to other nodes in bit/s, at best
 * @return the programs
 * @throws std::invalid_argument with one line if they do not go together
 */
PhaseReplay BuildPhaseReplay(const PhaseTrace& trace,
                             uint32_t step,
                             const TrainingPlan& plan,
                             double rate);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PHASE_REPLAY_H
