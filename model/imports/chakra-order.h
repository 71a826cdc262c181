/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CHAKRA_ORDER_H
#define PHOTONIC_CHAKRA_ORDER_H

#include "chakra-trace.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief What happens at once: a node, or the two halves of a transfer both ways.
 */
struct ChakraUnit
{
    std::vector<std::size_t> nodes; ///< one, or that which sends and that which receives; indices
    std::vector<std::size_t> after; ///< nodes that it waits for, each once; indices
};

/**
 * @ingroup photonic-rails-workload
 * @brief Bring a trace into an order in which it can run: of all that could be next, the lowest
 *        identifier.
 *
 * Data and control dependencies count alike.
 *
 * @param trace of a rank
 * @param file its name, for errors
 * @return all nodes
 * @throws std::invalid_argument naming file and nodes, if an identifier is there twice, a
 *         dependency is not in the file, nodes wait for each other, or halves do not match
 */
std::vector<ChakraUnit> OrderChakraNodes(const ChakraTrace& trace, const std::string& file);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CHAKRA_ORDER_H
