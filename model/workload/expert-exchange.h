/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_EXPERT_EXCHANGE_H
#define PHOTONIC_EXPERT_EXCHANGE_H

#include "parallel-plan.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief How tokens get from an expert parallel group to their experts and back: all-to-alls, one
 *        after another.
 *
 * It is one if the group is on a node or on a rail, and two, on the node and on the rail, if it
 * spans rails. A cycle of matchings makes rounds of the one on the rail: in round d every member
 * exchanges with the members d places before and behind it, which are its neighbours in a ring.
 */
class ExpertExchange
{
  public:
    /// One operation of a rank.
    struct Step
    {
        /// Group that does it.
        GroupSlot slot;
        /// Of the operation.
        CollectiveKind kind;
        uint64_t bytes;                  ///< see CollectiveKind
        Ptr<const AllToAllBytes> shares; ///< if they are uneven
    };

    /**
     * Every rank sends as much, and the same to each rank, up to a byte.
     * @param plan who is where
     * @param bytes of a rank, for all, itself included
     */
    ExpertExchange(const ParallelPlan& plan, uint64_t bytes);

    /**
     * Every rank sends as much, but not the same to each rank.
     * @param plan who is where
     * @param position of this rank in its expert parallel group
     * @param bytesTo each position, from every rank
     */
    ExpertExchange(const ParallelPlan& plan,
                   uint32_t position,
                   const std::vector<uint64_t>& bytesTo);

    /// @return to the experts, and their gradients back from them, in order
    const std::vector<Step>& GetDispatch() const;

    /// @return from the experts, and gradients to them, in order
    const std::vector<Step>& GetCombine() const;

  private:
    std::vector<Step> m_dispatch;
    std::vector<Step> m_combine;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_EXPERT_EXCHANGE_H
