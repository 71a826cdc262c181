/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PARALLEL_PLAN_H
#define PHOTONIC_PARALLEL_PLAN_H

#include "rank-order.h"
#include "step-program.h"

#include "ns3/rank-list.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

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
 * A rank is the number whose digits are its coordinates, in the rank order. Node of a rank = rank /
 * gpusPerNode, local rank = rank % gpusPerNode; rail = local rank. All groups follow from that:
 *
 * | group | ranks that differ in |
 * |---|---|
 * | TP, CP, EP, PP | that dimension |
 * | FSDP | CP, EP and FSDP, if fsdp > 1; else there is none |
 * | DP | DP, if fsdp > 1; else CP, EP and DP |
 * | EXPERT_FSDP, EXPERT_DP | the same without EP, if ep > 1 and that makes others of them |
 *
 * since ranks that differ in CP or EP hold the same parameters (but for those of experts), as
 * ranks that differ in FSDP or DP do. A group with several members on some nodes, and members on
 * several rails, is two: one of those on its node (the LOCAL slot) and one of those on its rail.
 */
class ParallelPlan
{
  public:
    /// Size of each dimension, at least 1.
    struct Degrees
    {
        /// Tensor parallelism.
        uint32_t tp{1};
        /// Pipeline stages.
        uint32_t pp{1};
        /// Sharded data parallelism.
        uint32_t fsdp{1};
        uint32_t gpusPerNode{0}; ///< 0: the tensor parallel degree
        uint32_t dp{1};          ///< replicas of each sharded data parallel group
        /// The job is an operator graph: pp GPUs, each a node with a program of its own, whose
        /// only group is MP. The other degrees are 1.
        bool graph{false};
        /// Chunks of layers that a stage holds (Narayanan et al. 2021, section 2.2). With several,
        /// the pipeline is a ring: the stage after the last one is the first.
        uint32_t interleave{1};
        /// Context parallelism.
        uint32_t cp{1};
        /// Expert parallelism, inside the data-parallel dimension.
        uint32_t ep{1};
        /// Which dimension varies fastest over ranks.
        RankOrder order{DEFAULT_RANK_ORDER};
        /// The EP group, or its part on a rail, exchanges in rounds, each with a ring of its own
        /// that joins members so many places apart: a cycle of matchings.
        bool matchings{false};

        /// @param dimension a dimension @return its degree
        uint32_t Get(Dimension dimension) const;

        /// @param slot which group @return dimensions in which its members differ; none: a pair, or
        /// there is no such group
        std::vector<Dimension> GetDimensions(GroupSlot slot) const;

        /**
         * @param slot which group, not a pair
         * @return its members at every rank, both parts of one that spans rails included; 1: none
         */
        uint32_t GetGroupSize(GroupSlot slot) const;
    };

    /// Place in each dimension, from 0.
    struct Coordinates
    {
        /// Tensor parallelism.
        uint32_t tp;
        /// Shard.
        uint32_t fsdp;
        uint32_t pp;    ///< stage
        uint32_t dp{0}; ///< replica
        /// Context parallelism.
        uint32_t cp{0};
        /// Expert parallelism.
        uint32_t ep{0};

        /// @param dimension a dimension @return the coordinate in it
        uint32_t Get(Dimension dimension) const;
    };

    /**
     * @param degrees of the parallelisms
     * @throws std::invalid_argument if a degree is 0, if the ranks are not a multiple of
     *         gpusPerNode (with the numbers), if a group spans rails and is not as many ranks of as
     *         many nodes, or is one of a pipeline (naming a rank, the group and the rails), if a
     *         tensor parallel group leaves its node, if matchings have too many rounds, or if an
     *         operator graph has another degree than pp or a node more than one GPU
     */
    explicit ParallelPlan(const Degrees& degrees);

    /// @return of each dimension
    const Degrees& GetDegrees() const;
    /// @return how many, the product of the degrees
    uint32_t GetRanks() const;
    /// @return how many
    uint32_t GetNodes() const;
    /// @param rank less than GetRanks() @return its place
    Coordinates GetCoordinates(uint32_t rank) const;
    /// @param c a place @return the rank there
    uint32_t GetRank(const Coordinates& c) const;
    /// @param rank less than GetRanks() @return its node
    uint32_t GetNode(uint32_t rank) const;
    /// @param rank less than GetRanks() @return its number on the node
    uint32_t GetRail(uint32_t rank) const;

    /// @param rank less than GetRanks() @param slot kind of a group
    /// @return whether the rank has such a group with more than one member
    bool HasGroup(uint32_t rank, GroupSlot slot) const;

    /**
     * @param rank a member
     * @param slot which of its groups; HasGroup() has to hold
     * @return the group; a pair has one identity and one order seen from both ends
     */
    RankGroup GetGroup(uint32_t rank, GroupSlot slot) const;

    /**
     * @param slot of a whole group, not a pair
     * @return its members on a rank's node, if it spans rails; else 1
     */
    uint32_t GetLocalSize(GroupSlot slot) const;

    /// @return rounds in which the EP group exchanges; 0: it does so at once
    uint32_t GetRounds() const;

    /**
     * @param rank a rank
     * @param programs of the job: one per stage, or one per stage and EP position, in order
     * @return index of the rank's program
     */
    std::size_t GetProgramIndex(uint32_t rank, std::size_t programs) const;

    /// @param group any @return whether all its members are on one node
    bool IsScaleUp(const RankGroup& group) const;

  private:
    /// Ranks so many apart.
    struct Axis
    {
        uint32_t stride;
        uint32_t size;
    };

    void CheckDegrees() const;
    void CheckGroups() const;
    std::string Describe() const;
    std::vector<Axis> GetAxes(GroupSlot slot) const;
    uint32_t GetFirst(uint32_t rank, GroupSlot slot) const;
    std::vector<uint32_t> GetMembers(uint32_t rank, GroupSlot slot) const;
    std::vector<uint32_t> GetPair(uint32_t rank, bool next) const;

    Degrees m_degrees;
    std::array<uint32_t, DIMENSIONS> m_strides{}; ///< by dimension: between ranks that differ by 1
    std::array<uint32_t, DIMENSIONS> m_local{};   ///< by dimension: as many of it are on one node
    std::array<std::vector<Axis>, GROUP_SLOTS> m_axes; ///< by slot, but pairs
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PARALLEL_PLAN_H
