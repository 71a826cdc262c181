/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_BATCH_SCALING_H
#define PHOTONIC_BATCH_SCALING_H

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-operators
 * @brief Steps to a target accuracy as a function of the global batch.
 *
 * S(B) = S_min (1 + B_crit / B), McCandlish et al. 2018, "An Empirical Model of Large-Batch
 * Training", section 2.3: far below the critical batch, twice the batch takes half the steps, far
 * above it the steps stay as they are. S_min is such that a known point is met.
 */
struct BatchScaling
{
    double batch;         ///< of the known point, samples
    double steps;         ///< of the known point
    double criticalBatch; ///< B_crit, samples; 0: steps do not depend on the batch

    /// @param samples global batch @return steps to the target accuracy with it
    double GetSteps(double samples) const
    {
        return steps * (1 + criticalBatch / samples) / (1 + criticalBatch / batch);
    }
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_BATCH_SCALING_H
