/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_MEMORY_ESTIMATE_H
#define PHOTONIC_MEMORY_ESTIMATE_H

#include "training-plan.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief What a rank keeps in GPU memory at the fullest moment of a step, in bytes.
 */
struct MemoryEstimate
{
    double parameters;  ///< bf16: the rank's shard, and the units that are gathered at a time
    double gradients;   ///< unsharded while they accumulate, else the shard and one unit
    double optimizer;   ///< fp32 parameter and two moments of the shard
    double activations; ///< of the microbatches in flight, and the logits at the last stage

    /// @return bytes, the sum of all parts
    double GetTotal() const
    {
        return parameters + gradients + optimizer + activations;
    }
};

/**
 * @ingroup photonic-rails-workload
 * @brief Estimate the memory of the ranks of a stage, by the formulas of doc/workload.md.
 *
 * Activations follow Korthikanti et al. 2022 (section 4), counted for gated MLP and grouped-query
 * attention, without dropout and without stored attention scores. Fragmentation, communication
 * buffers and the framework's own memory are not counted.
 *
 * @param plan the training job
 * @param stage from 0
 * @return the estimate
 */
MemoryEstimate EstimateMemory(const TrainingPlan& plan, uint32_t stage);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_MEMORY_ESTIMATE_H
