/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_ALL_TO_ALL_ALGORITHMS_H
#define PHOTONIC_ALL_TO_ALL_ALGORITHMS_H

#include "collective-algorithm.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief All-to-all by exchanges with one peer after another (Thakur, Rabenseifner and Gropp,
 * "Optimization of Collective Communication Operations in MPICH", 2005, section 4.3).
 *
 * In step k of n-1 position p sends to p+k and receives from p-k. A step starts when the receive of
 * the one before it is complete, so that at most two senders meet at a receiver. Each rank sends
 * the shares of all others once: (n-1)/n of its bytes if they are equal.
 */
class PairwiseAlgorithm : public CollectiveAlgorithm
{
  public:
    std::string GetName() const override;
    bool Serves(CollectiveKind kind) const override;

  private:
    MemberPlan DoPlan(const CollectiveTask& task, uint32_t position) const override;
};

/**
 * @ingroup photonic-rails-collectives
 * @brief All-to-all by sends to all peers at once, as a group of ncclSend() and ncclRecv() calls.
 *
 * The same transfers as PairwiseAlgorithm in the same order, none of which waits for another one:
 * the NIC sends what it can, and receivers get what the fabric lets through.
 */
class DirectAlgorithm : public CollectiveAlgorithm
{
  public:
    std::string GetName() const override;
    bool Serves(CollectiveKind kind) const override;

  private:
    MemberPlan DoPlan(const CollectiveTask& task, uint32_t position) const override;
};

/**
 * @ingroup photonic-rails-collectives
 * @brief Only neighbours in a ring send to each other. All kinds but all-to-all are RingLanes.
 *
 * In an all-to-all ranks pass on what is not for them, the shorter way round: each half of what is
 * for the opposite rank of an even number of them goes another way. In step k of floor(n/2) a rank
 * sends in either direction what the rank k places behind it has for those ahead, in one message,
 * and starts when it has got that. With equal shares of b bytes a rank sends b floor(n^2/4) in all.
 * Where lanes lead upwards only, there are n-1 steps in that direction and b n(n-1)/2 bytes.
 */
class RingAlgorithm : public CollectiveAlgorithm
{
  public:
    std::string GetName() const override;
    bool Serves(CollectiveKind kind) const override;
    bool UsesRingLanes(CollectiveKind kind) const override;

  private:
    MemberPlan DoPlan(const CollectiveTask& task, uint32_t position) const override;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_ALL_TO_ALL_ALGORITHMS_H
