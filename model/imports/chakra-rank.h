/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CHAKRA_RANK_H
#define PHOTONIC_CHAKRA_RANK_H

#include "chakra-groups.h"
#include "chakra-order.h"
#include "chakra-trace.h"

#include "ns3/parallel-plan.h"
#include "ns3/step-program.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief An operation, and the node of a Chakra trace that it was.
 */
struct ChakraOperation
{
    Operation operation; ///< of a transfer, without its counter
    std::string node;    ///< "FILE: node 3 (its name)"
    uint64_t tag{0};     ///< of a transfer
};

/**
 * @ingroup photonic-rails-workload
 * @brief What a Chakra trace lets a rank of a job do, as operations of a step program.
 *
 * Process groups and peers become slots of the plan. Metadata, and what a host does in no time, are
 * left out: what waits for them waits for what they wait for. The rules are in doc/imports.md.
 */
class ChakraRank
{
  public:
    /// Operations that those of a trace wait for, passed-over nodes seen through, in all.
    static constexpr uint64_t MAX_WAITS = 20'000'000;

    /**
     * @param plan the job
     * @param groups process groups; "" and "0" are all ranks, unless they are among these
     * @param rank of the job
     * @param file name of its trace, for errors
     * @param mostWaits what its operations may wait for in all
     */
    ChakraRank(const ParallelPlan& plan,
               const ChakraGroups& groups,
               uint32_t rank,
               const std::string& file,
               uint64_t mostWaits = MAX_WAITS);

    /**
     * @param trace of the rank
     * @return its operations, in an order in which they can run
     * @throws std::invalid_argument naming file, node and reason, if a node is not one that this
     *         module can run, lacks what it needs, or belongs to a group that fits no slot
     */
    std::vector<ChakraOperation> Read(const ChakraTrace& trace);

  private:
    /// @param unit of nodes @param trace they are of @return whether they are no operation
    bool IsPassedOver(const ChakraUnit& unit, const ChakraTrace& trace) const;
    void ReadComputation(const ChakraNode& node, Operation& operation) const;
    void ReadCollective(const ChakraNode& node, Operation& operation);
    void ReadTransfer(const ChakraNode& node, ChakraOperation& read) const;
    std::vector<uint32_t> FindRanks(const ChakraNode& node) const;
    GroupSlot FindSlot(const ChakraNode& node);
    /// @return what its bytes are counted as
    Parallelism FindParallelism(const ChakraNode& node, GroupSlot slot) const;
    uint64_t GetSize(const ChakraNode& node) const;

    const ParallelPlan& m_plan;
    const ChakraGroups& m_groups;
    uint32_t m_rank;
    std::string m_file;
    uint64_t m_mostWaits;
    std::map<GroupSlot, std::vector<uint32_t>> m_slots; ///< ranks of each group, in order of rank
    std::map<std::pair<std::string, std::string>, GroupSlot> m_found; ///< by pg_name, rails_slot
    std::map<GroupSlot, uint32_t> m_counters;                         ///< collectives so far
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CHAKRA_RANK_H
