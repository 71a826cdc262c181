/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTIONS_PARALLEL_H
#define PHOTONIC_OPTIONS_PARALLEL_H

#include "options.h"

namespace ns3
{
namespace photonic
{

/**
 * Check what an all-to-all needs against the fabric that was chosen.
 * @param options of a run, not of a comparison
 * @throws std::invalid_argument with one line that names the option
 */
void CheckAllToAll(const Options& options);

/**
 * @param options of a run
 * @param scaleOut whether for groups that leave the node
 * @return what collectives of these groups use; null: the defaults
 */
Ptr<const AlgorithmTable> MakeAlgorithmTable(const Options& options, bool scaleOut);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTIONS_PARALLEL_H
