/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RUN_SIP_H
#define PHOTONIC_RUN_SIP_H

#include "options.h"

#include "ns3/training-fabric-helper.h"

#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * Build SiP-OCS or SiP-Ring, with circuits for the traffic of a step.
 * @param helper with what all fabrics have in common
 * @param options of the run
 * @param plan who is where
 * @param programs of the pipeline stages
 * @return the fabric
 * @throws std::invalid_argument naming the option if some ranks that talk have no circuit
 */
TrainingFabric BuildSip(TrainingFabricHelper& helper,
                        const Options& options,
                        const ParallelPlan& plan,
                        const std::vector<Ptr<const StepProgram>>& programs);

/**
 * Have the circuits follow what waits, if options say so.
 * @param fabric on which the job has been installed
 * @param options of the run
 * @param plan who is where
 * @throws std::invalid_argument if the epoch is too short
 */
void BeginEpochs(const TrainingFabric& fabric, const Options& options, const ParallelPlan& plan);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RUN_SIP_H
