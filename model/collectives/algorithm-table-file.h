/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_ALGORITHM_TABLE_FILE_H
#define PHOTONIC_ALGORITHM_TABLE_FILE_H

#include "algorithm-table.h"

#include "ns3/input-text.h"

#include <istream>
#include <string>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief What a table of algorithms may have at most: 16 MiB, 64 KiB in a line, 100,000 lines.
 */
inline constexpr LineReader::Limits ALGORITHM_TABLE_LIMITS{16 << 20, 1 << 16, 100'000};

/**
 * @ingroup photonic-rails-collectives
 * @brief Read a table of algorithms, in the manner of NCCL's tuner files.
 *
 * CSV with the header collective,min_bytes,max_bytes,min_ranks,max_ranks,algorithm. The first line
 * that fits counts; a limit of -1 is none. Empty lines and those that begin with # do not count.
 *
 * @param is the text
 * @param name of the file, for errors
 * @param limits of the text
 * @return the table
 * @throws std::invalid_argument naming file, line and column, what was found and what was expected
 */
Ptr<const AlgorithmTable> ReadAlgorithmTable(
    std::istream& is,
    const std::string& name,
    const LineReader::Limits& limits = ALGORITHM_TABLE_LIMITS);

/**
 * @ingroup photonic-rails-collectives
 * @param file path
 * @return the table; errors as above
 */
Ptr<const AlgorithmTable> ReadAlgorithmTable(const std::string& file);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_ALGORITHM_TABLE_FILE_H
