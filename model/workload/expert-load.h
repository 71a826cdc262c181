/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_EXPERT_LOAD_H
#define PHOTONIC_EXPERT_LOAD_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief How a mixture of experts spreads its tokens, beside the degrees of parallelism.
 */
struct ExpertRouting
{
    /// Standard deviation of the logarithm of an expert's popularity; 0: all are as popular.
    double skew{0};
    /// An expert takes at most so many times its even share of a rank's tokens, rounded up, and
    /// drops the rest (Lepikhin et al., "GShard", 2020); 0: it takes all.
    double capacityFactor{0};
    int64_t stream{0}; ///< random stream of the first layer; each layer has its own
};

/**
 * @ingroup photonic-rails-workload
 * @brief What goes to each expert of a layer from a rank.
 *
 * How popular an expert is belongs to the layer: all ranks and microbatches find it the same. What
 * it would get in proportion is rounded by largest remainders, and is at most every token once, as
 * a token chooses different experts; what is above goes to the others in proportion.
 */
class ExpertLoad
{
  public:
    /**
     * @param routing the job's
     * @param layer of the model
     * @param tokens of a rank
     * @param experts of the layer
     * @param chosen experts of a token, at most experts
     */
    ExpertLoad(const ExpertRouting& routing,
               uint32_t layer,
               uint64_t tokens,
               uint32_t experts,
               uint32_t chosen);

    /**
     * @param ranks that hold the experts, in order, as many each; divides them
     * @return copies of tokens that go to each rank
     */
    std::vector<uint64_t> GetByRank(uint32_t ranks) const;

    /// @return copies that an expert takes, by expert
    const std::vector<uint64_t>& GetByExpert() const;

    /// @return copies that experts have no room for
    uint64_t GetDropped() const;

  private:
    std::vector<uint64_t> m_byExpert;
    uint64_t m_dropped{0};
};

/**
 * @param routing the job's
 * @throws std::invalid_argument naming what is not a number from 0 to what makes sense
 */
void CheckExpertRouting(const ExpertRouting& routing);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_EXPERT_LOAD_H
