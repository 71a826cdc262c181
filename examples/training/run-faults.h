/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RUN_FAULTS_H
#define PHOTONIC_RUN_FAULTS_H

#include "options.h"

#include "ns3/opus-helper.h"
#include "ns3/training-fabric-helper.h"
#include "ns3/training-job.h"

namespace ns3
{
namespace photonic
{

/// @param options of the run @return what happens to control messages; null: nothing
Ptr<ControlFaults> MakeControlFaults(const Options& options);

/**
 * Make a fabric and a job break as options say.
 * @param options of the run
 * @param fabric that was built
 * @param job on it, before it starts
 * @param opus that turns its circuits, or null
 * @throws std::invalid_argument if something is to break that is not there
 */
void InstallFaults(const Options& options,
                   const TrainingFabric& fabric,
                   Ptr<TrainingJob> job,
                   const OpusHelper* opus);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RUN_FAULTS_H
