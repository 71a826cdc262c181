/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_HALVING_DOUBLING_ALGORITHM_H
#define PHOTONIC_HALVING_DOUBLING_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief Recursive halving and doubling (Thakur, Rabenseifner and Gropp, "Optimization of
 * Collective Communication Operations in MPICH", 2005, sections 4.1 to 4.5).
 *
 * Let p be the largest power of two up to n, and r = n-p. A reduce-scatter halves: log2 p exchanges
 * at distances p/2, ..., 1, each of half of what is left. An all-gather doubles: distances 1, ...,
 * p/2. An all-reduce is both, over p blocks; a broadcast a binomial scatter of p blocks and an
 * all-gather (van de Geijn). Positions 1, 3, ..., 2r-1 fold into the one before them: they hand
 * their data over first, if there are any to contribute, and get their result last.
 *
 * Blocks are the n shares, those of all-reduce and broadcast p even parts. With n a power of two a
 * rank sends (n-1)/n of the bytes, for an all-reduce twice that.
 */
class HalvingDoublingAlgorithm : public CollectiveAlgorithm
{
  public:
    std::string GetName() const override;
    bool Serves(CollectiveKind kind) const override;

  private:
    MemberPlan DoPlan(const CollectiveTask& task, uint32_t position) const override;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_HALVING_DOUBLING_ALGORITHM_H
