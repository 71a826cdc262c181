/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CHAKRA_EXPORT_H
#define PHOTONIC_CHAKRA_EXPORT_H

#include "chakra-groups.h"
#include "chakra-trace.h"

#include "ns3/parallel-plan.h"
#include "ns3/ptr.h"
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
 * @brief Step programs as Chakra traces, one per rank, as ASTRA-sim reads them.
 *
 * An operation is a node; one that sends and receives at once is two. The order of streams is in
 * the data dependencies. The rules are in doc/imports.md.
 */
class ChakraExport
{
  public:
    /**
     * @param programs one per pipeline stage
     * @param plan the job
     */
    ChakraExport(std::vector<Ptr<const StepProgram>> programs, const ParallelPlan& plan);

    /// @return groups of the job that have collectives, named from "1" on
    const ChakraGroups& GetGroups() const;

    /// @param rank of the job @return what it does in a step
    ChakraTrace GetTrace(uint32_t rank) const;

    /**
     * Write GetChakraFile() of every rank, and GetChakraGroupsFile().
     * @param prefix of the files' names, with their directory
     * @throws std::invalid_argument if this build cannot write traces
     * @throws std::runtime_error naming the file that cannot be written
     */
    void Write(const std::string& prefix) const;

  private:
    /// Nodes of an operation: first one, and how many.
    using Nodes = std::pair<uint64_t, uint32_t>;

    void NameGroups();
    ChakraNode MakeNode(const Operation& operation, uint32_t rank) const;
    ChakraNode MakeTransfer(const Operation& operation, uint32_t rank, bool sends) const;
    const std::string& GetName(const RankGroup& group) const;

    std::vector<Ptr<const StepProgram>> m_programs;
    ParallelPlan m_plan;
    ChakraGroups m_groups;
    std::map<uint32_t, std::string> m_names; ///< by RankGroup::id
};

/// @param prefix of the files of a job @param rank one of its ranks @return "PREFIX.RANK.et"
std::string GetChakraFile(const std::string& prefix, uint32_t rank);

/// @param prefix of the files of a job @return "PREFIX.groups.json", the process groups
std::string GetChakraGroupsFile(const std::string& prefix);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CHAKRA_EXPORT_H
