/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CHAKRA_FILE_H
#define PHOTONIC_CHAKRA_FILE_H

#include "chakra-trace.h"

#include <cstddef>
#include <cstdint>
#include <istream>
#include <ostream>
#include <string>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief What a Chakra trace may have at most.
 */
struct ChakraLimits
{
    uint64_t bytes{1 << 30};              ///< of a file
    uint64_t message{16 << 20};           ///< bytes of a message
    std::size_t nodes{4'000'000};         ///< of a trace
    std::size_t nodeAttributes{10'000};   ///< of a node, or of the metadata
    std::size_t attributes{16'000'000};   ///< of all nodes
    std::size_t dependencies{20'000'000}; ///< of all nodes
};

/**
 * @ingroup photonic-rails-workload
 * @throws std::invalid_argument saying what to install, if this build has no protocol buffers; then
 *         so do all that follow
 */
void RequireChakra();

/**
 * @ingroup photonic-rails-workload
 * @brief Read a Chakra execution trace of one rank (MLCommons Chakra, schema 0.0.4 and 1.0.0).
 *
 * The file is a row of protocol buffers, each after its length in bytes as a varint: the metadata,
 * then the nodes.
 *
 * @param is the file, binary
 * @param name of the file, for errors
 * @param limits of the file
 * @return what it holds, as it stands there: dependencies and attributes are not looked at
 * @throws std::invalid_argument naming file, message and byte if it is no such file or is cut off
 */
ChakraTrace ReadChakraTrace(std::istream& is,
                            const std::string& name,
                            const ChakraLimits& limits = {});

/**
 * @ingroup photonic-rails-workload
 * @param file path
 * @return what it holds; errors as above
 */
ChakraTrace ReadChakraTrace(const std::string& file);

/**
 * @ingroup photonic-rails-workload
 * @brief Write a Chakra execution trace, with the number of its nodes, so that a reader notices
 *        where nodes are missing at its end.
 * @param os where to, binary
 * @param trace of a rank
 */
void WriteChakraTrace(std::ostream& os, const ChakraTrace& trace);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CHAKRA_FILE_H
