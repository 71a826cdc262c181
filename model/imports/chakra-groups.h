/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CHAKRA_GROUPS_H
#define PHOTONIC_CHAKRA_GROUPS_H

#include <cstddef>
#include <cstdint>
#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief Process groups of Chakra traces: global ranks by the name that nodes call the group.
 */
using ChakraGroups = std::map<std::string, std::vector<uint32_t>>;

/**
 * @ingroup photonic-rails-workload
 * @brief What a file of process groups may have at most.
 */
struct ChakraGroupLimits
{
    uint64_t bytes{128 << 20};       ///< of the file
    std::size_t name{4096};          ///< bytes of a name
    std::size_t groups{1'000'000};   ///< groups
    std::size_t members{10'000'000}; ///< of all groups
};

/**
 * @ingroup photonic-rails-workload
 * @brief Read process groups as ASTRA-sim has them: a JSON object of arrays of ranks.
 * @param is the text
 * @param name of the file, for errors
 * @param limits of the file
 * @return the groups
 * @throws std::invalid_argument naming file, line, group, what was found and what was expected,
 *         if it is something else
 */
ChakraGroups ReadChakraGroups(std::istream& is,
                              const std::string& name,
                              const ChakraGroupLimits& limits = {});

/**
 * @ingroup photonic-rails-workload
 * @param os where to write them so
 * @param groups whose names are numbers from 1 on: ASTRA-sim takes 0 for all ranks
 */
void WriteChakraGroups(std::ostream& os, const ChakraGroups& groups);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CHAKRA_GROUPS_H
