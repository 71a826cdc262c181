/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PAIR_VOLUMES_H
#define PHOTONIC_PAIR_VOLUMES_H

#include "replayed-step.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief Say how much each pipeline operation sends, where a trace says it of phases only.
 *
 * In a phase of one operation this is known. In others, an operation whose peer sends nothing has
 * to send: such operations share the bytes of the phase evenly, and the others send nothing. That
 * goes from phase to phase, first where all peers are known. A phase without such an operation is
 * shared by all.
 *
 * @param stages whose operations know their peers; gets the bytes of pipeline operations
 * @param bytes that a rank sends, by stage and phase
 */
void SharePairVolumes(std::vector<ReplayedStage>& stages,
                      const std::vector<std::vector<uint64_t>>& bytes);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PAIR_VOLUMES_H
