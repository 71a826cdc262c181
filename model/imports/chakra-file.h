/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CHAKRA_FILE_H
#define PHOTONIC_CHAKRA_FILE_H

#include "chakra-trace.h"

#include <istream>
#include <ostream>
#include <string>

namespace ns3
{
namespace photonic
{

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
 * @return what it holds, as it stands there: dependencies and attributes are not looked at
 * @throws std::invalid_argument naming file, message and byte if it is no such file or is cut off
 */
ChakraTrace ReadChakraTrace(std::istream& is, const std::string& name);

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
