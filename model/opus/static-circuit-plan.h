/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_STATIC_CIRCUIT_PLAN_H
#define PHOTONIC_STATIC_CIRCUIT_PLAN_H

#include "group-circuits.h"

#include "ns3/data-rate.h"
#include "ns3/parallel-plan.h"
#include "ns3/ptr.h"
#include "ns3/step-program.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-opus
 * @brief How one-shot control splits a GPU's scale-out rate over lanes that are never switched.
 *
 * A GPU has two lanes for rings and two for the pipeline, each with a NIC port, a fibre and an OCS
 * port of its own. A parallelism that the job does not have gets no lanes (rate 0).
 */
struct StaticLanes
{
    DataRate ring;     ///< of each of the two ring lanes
    DataRate pipeline; ///< of each of the two pipeline lanes

    /**
     * A ring lane has floor(C/2 x sqrt F / (sqrt F + sqrt P)) bit/s, exactly; a pipeline lane has
     * the rest of C/2.
     * @param gpu scale-out rate C of a GPU
     * @param ringBytes F, the job's scale-out bytes of data-parallel groups
     * @param pipelineBytes P, the job's scale-out bytes of pipeline groups
     * @return the rates
     * @throws std::invalid_argument if the rate is below 4 bit/s, or if so small a share would be
     *         left for a parallelism that its lanes had no rate
     */
    static StaticLanes Plan(DataRate gpu, uint64_t ringBytes, uint64_t pipelineBytes);
};

/**
 * @ingroup photonic-rails-opus
 * @brief What counts as the traffic of an operation.
 */
enum class TrafficCount
{
    SENT,  ///< what its ranks send
    SIZES, ///< its size at each of its ranks, as in a trace: a transfer counts at both ends
};

/**
 * @ingroup photonic-rails-opus
 * @brief Payload that leaves the nodes in one step of a job, over all ranks; at least 1 where a
 * rank has such groups.
 */
struct ScaleOutBytes
{
    uint64_t dataParallel; ///< of data-parallel groups
    uint64_t pipeline;     ///< of pipeline pairs and of the pipeline as a whole
};

/**
 * @ingroup photonic-rails-opus
 * @param plan who is where
 * @param programs of the pipeline stages, in order
 * @param count what counts
 * @return what StaticLanes::Plan() needs to know
 */
ScaleOutBytes CountScaleOutBytes(const ParallelPlan& plan,
                                 const std::vector<Ptr<const StepProgram>>& programs,
                                 TrafficCount count = TrafficCount::SENT);

/// Where a lane is plugged in: rank, whether it is a pipeline lane, which of the two.
using OcsPortOfLane = std::function<uint32_t(uint32_t rank, bool pipeline, uint32_t lane)>;

/**
 * @ingroup photonic-rails-opus
 * @brief The circuits that one-shot control sets before the start.
 *
 * Lane 0 leads to the next member and lane 1 to the one before, as in GroupCircuits(). A pipeline
 * pair is part of its replica's ring where both are given: it is listed once. End lanes that no
 * group uses stay idle.
 *
 * @param groups all scale-out groups of a rail; each identity once
 * @param portOf the cabling
 * @return circuits in the order of the groups
 */
std::vector<Circuit> PlanStaticCircuits(const std::vector<RankGroup>& groups,
                                        const OcsPortOfLane& portOf);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_STATIC_CIRCUIT_PLAN_H
