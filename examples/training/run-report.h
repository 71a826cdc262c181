/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_RUN_REPORT_H
#define PHOTONIC_TRAINING_RUN_REPORT_H

#include "options.h"
#include "run-result.h"

#include <ostream>

namespace ns3
{
namespace photonic
{

/**
 * @param os where to
 * @param options of the run
 * @param result of the run
 */
void WriteSummary(std::ostream& os, const Options& options, const RunResult& result);

/// Print the effective configuration, for people. @param os where to @param options of the run
void PrintConfiguration(std::ostream& os, const Options& options);

/**
 * Print the result as a short table.
 * @param os where to
 * @param options of the run
 * @param result of the run
 */
void PrintResult(std::ostream& os, const Options& options, const RunResult& result);

/// @param shape of a model @return it in one line: what a step program depends on
std::string Describe(const TransformerShape& shape);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_RUN_REPORT_H
