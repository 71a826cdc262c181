/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_JOB_TRAFFIC_H
#define PHOTONIC_JOB_TRAFFIC_H

#include "traffic-matrix.h"

#include "ns3/parallel-plan.h"
#include "ns3/ptr.h"
#include "ns3/step-program.h"

#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-sip-ml
 * @brief Payload that each rank sends to each other one between nodes in a step.
 *
 * A ring sends one half each way, an all-to-all every peer its share. Neighbours in a group that
 * has no traffic count a byte: they shall be able to talk. Of an operator graph only pairs with
 * transfers count.
 *
 * @param plan who is where; at least two ranks
 * @param programs of the pipeline stages, in order
 * @return bytes by sender and receiver
 */
TrafficMatrix CountJobTraffic(const ParallelPlan& plan,
                              const std::vector<Ptr<const StepProgram>>& programs);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_JOB_TRAFFIC_H
