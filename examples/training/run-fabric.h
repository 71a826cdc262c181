/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RUN_FABRIC_H
#define PHOTONIC_RUN_FABRIC_H

#include "options.h"

#include "ns3/training-fabric-helper.h"

#include <functional>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * Build the fabric that options ask for; one-shot circuits are in place.
 * @param options of the run
 * @param plan who is where
 * @param programs of the pipeline stages
 * @param processOf the process that has a rank
 * @return the fabric
 * @throws std::invalid_argument if its switches are too small for the job
 */
TrainingFabric BuildFabric(const Options& options,
                           const ParallelPlan& plan,
                           const std::vector<Ptr<const StepProgram>>& programs,
                           const std::function<uint32_t(uint32_t rank)>& processOf);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RUN_FABRIC_H
