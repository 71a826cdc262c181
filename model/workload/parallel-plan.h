/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PARALLEL_PLAN_H
#define PHOTONIC_PARALLEL_PLAN_H

#include "step-program.h"

#include "ns3/rank-list.h"

#include <cstdint>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief A communicator's identity and its ordered members.
 */
struct RankGroup
{
    uint32_t id;    ///< unique in the job
    GroupSlot slot; ///< PP_NEXT for a pipeline pair, seen from its first member
    RankList ranks; ///< global ranks, in ring or pipeline order
};

/**
 * @ingroup photonic-rails-workload
 * @brief Which rank holds which share of the model.
 *
 * Rank order: tensor parallel innermost, then sharded data parallel, then replicas of that, then
 * pipeline (TorchTitan's order): rank = ((p * dp + d) * fsdp + f) * tp + t. Node of a rank = rank /
 * gpusPerNode, local rank = rank % gpusPerNode; rail = local rank.
 */
class ParallelPlan
{
  public:
    struct Degrees
    {
        uint32_t tp{1};
        uint32_t pp{1};
        uint32_t fsdp{1};
        uint32_t gpusPerNode{0}; ///< 0: the tensor parallel degree
        uint32_t dp{1};          ///< replicas of each sharded data parallel group
        /// The job is an operator graph: pp GPUs, each a node with a program of its own, whose
        /// only group is MP. The other degrees are 1.
        bool graph{false};
        /// Chunks of layers that a stage holds (Narayanan et al. 2021, section 2.2). With several,
        /// the pipeline is a ring: the stage after the last one is the first.
        uint32_t interleave{1};
    };

    struct Coordinates
    {
        uint32_t tp;
        uint32_t fsdp;
        uint32_t pp;    ///< stage
        uint32_t dp{0}; ///< replica
    };

    /**
     * @param degrees of the parallelisms
     * @throws std::invalid_argument if a degree is 0, if the ranks are not a multiple of
     *         gpusPerNode (with the numbers), if a group that leaves its node spans rails
     *         (naming a rank, the group and the rails), if a tensor parallel group leaves it, or
     *         if an operator graph has another degree than pp or a node more than one GPU
     */
    explicit ParallelPlan(const Degrees& degrees);

    const Degrees& GetDegrees() const;
    uint32_t GetRanks() const;
    uint32_t GetNodes() const;
    Coordinates GetCoordinates(uint32_t rank) const;
    uint32_t GetRank(const Coordinates& c) const;
    uint32_t GetNode(uint32_t rank) const;
    uint32_t GetRail(uint32_t rank) const;

    /// @return whether the rank has such a group with more than one member
    bool HasGroup(uint32_t rank, GroupSlot slot) const;

    /**
     * @param rank a member
     * @param slot which of its groups; HasGroup() has to hold
     * @return the group; a pair has one identity and one order seen from both ends
     */
    RankGroup GetGroup(uint32_t rank, GroupSlot slot) const;

    /// @return whether all members of the group are on one node
    bool IsScaleUp(const RankGroup& group) const;

  private:
    /// Members of a group: size ranks from first in steps of stride, round the job.
    struct Span
    {
        uint32_t first;
        uint32_t stride;
        uint32_t size;
    };

    /**
     * @param rank a member
     * @param slot which of its groups
     * @return its members; a missing pair is a group of one
     */
    Span GetSpan(uint32_t rank, GroupSlot slot) const;

    Degrees m_degrees;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PARALLEL_PLAN_H
