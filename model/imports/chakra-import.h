/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CHAKRA_IMPORT_H
#define PHOTONIC_CHAKRA_IMPORT_H

#include "chakra-groups.h"
#include "chakra-trace.h"

#include "ns3/parallel-plan.h"
#include "ns3/ptr.h"
#include "ns3/step-program.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/// Gives the trace of a rank; called once for each, in order of rank.
using ChakraSource = std::function<ChakraTrace(uint32_t rank)>;

/**
 * @ingroup photonic-rails-workload
 * @brief Turn the Chakra traces of a job's ranks into step programs. The rules are in
 *        doc/imports.md.
 *
 * The ranks of a pipeline stage have to do the same, each in its own groups: names of nodes aside,
 * they share one program. The result has passed CheckJoinedOrder().
 *
 * @param prefix of the files' names, for errors
 * @param plan the job
 * @param groups process groups that nodes name
 * @param source of the traces
 * @return one program per stage, in order
 * @throws std::invalid_argument with one line that names file, node and reason
 */
std::vector<Ptr<const StepProgram>> BuildChakraPrograms(const std::string& prefix,
                                                        const ParallelPlan& plan,
                                                        const ChakraGroups& groups,
                                                        const ChakraSource& source);

/**
 * @ingroup photonic-rails-workload
 * @brief The same, from files as ChakraExport::Write() and ASTRA-sim name them. Without a file of
 *        process groups there are none.
 *
 * @param prefix of the files' names, with their directory
 * @param plan the job, with as many ranks as there are files
 * @return one program per stage, in order; errors as above
 */
std::vector<Ptr<const StepProgram>> ImportChakra(const std::string& prefix,
                                                 const ParallelPlan& plan);

/**
 * @ingroup photonic-rails-workload
 * @param path a prefix, or a directory with files of one prefix
 * @return the prefix, if there is a file of rank 0; else an empty text
 * @throws std::invalid_argument if the directory has files of several prefixes
 */
std::string FindChakraPrefix(const std::string& path);

/**
 * @ingroup photonic-rails-workload
 * @param first trace of rank 0
 * @param plan the job
 * @return whether the pipeline is a ring, as with several chunks of layers per stage: rank 0, in
 *         the first of three or more stages, has a transfer with the last one
 */
bool IsChakraRing(const ChakraTrace& first, const ParallelPlan& plan);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CHAKRA_IMPORT_H
