/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CHAKRA_GROUPS_H
#define PHOTONIC_CHAKRA_GROUPS_H

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
 * @brief Read process groups as ASTRA-sim has them: a JSON object of arrays of ranks.
 * @param is the text
 * @param name of the file, for errors
 * @return the groups
 * @throws std::invalid_argument naming file, and line or group, if it is something else
 */
ChakraGroups ReadChakraGroups(std::istream& is, const std::string& name);

/**
 * @ingroup photonic-rails-workload
 * @param os where to write them so
 * @param groups whose names are numbers from 1 on: ASTRA-sim takes 0 for all ranks
 */
void WriteChakraGroups(std::ostream& os, const ChakraGroups& groups);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CHAKRA_GROUPS_H
