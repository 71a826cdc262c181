/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PHASE_TRACE_H
#define PHOTONIC_PHASE_TRACE_H

#include "step-program.h"

#include "ns3/input-text.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief A run of operations of one parallelism at a pipeline stage, on one rail.
 */
struct Phase
{
    /// Number, from 0.
    uint32_t rail{0};
    /// Of the pipeline, from 0.
    uint32_t stage{0};
    /// Number, from 0.
    uint32_t step{0};
    uint32_t number{0}; ///< within step, stage and rail, from 0
    /// Of all its operations.
    Parallelism parallelism{Parallelism::OTHER};
    /// Operations in it.
    uint32_t collectives{0};
    Time start; ///< first bit
    Time end;   ///< last completion, not before start
    /// Payload sent, over all its ranks.
    uint64_t bytes{0};
};

/**
 * @ingroup photonic-rails-workload
 * @brief The phases of a trace.
 */
struct PhaseTrace
{
    std::vector<Phase> phases; ///< ordered by rail, stage, step, number
    uint32_t reversed{0};      ///< rows that ended before they began, taken as of zero length
    bool hasBytes{false};      ///< whether the bytes of the phases are known
};

/**
 * @ingroup photonic-rails-workload
 * @brief What a phase trace may have at most: 512 MiB, 64 KiB in a line, four million phases.
 */
inline constexpr LineReader::Limits PHASE_TRACE_LIMITS{512 << 20, 1 << 16, 4'000'001};

/**
 * @ingroup photonic-rails-workload
 * @brief Read a phase trace: CSV with a header line.
 *
 * Columns are found by name, in any order: step, pp_stage, phase, parallelism (tp, fsdp, dp, pp or
 * other), collectives, start_ms, end_ms; optional: rail, bytes (0 if absent).
 *
 * @param is the text
 * @param name of the file, for errors
 * @param limits of the text
 * @return the phases
 * @throws std::invalid_argument naming file, line, column, what was found and what was expected
 */
PhaseTrace ReadPhaseTrace(std::istream& is,
                          const std::string& name,
                          const LineReader::Limits& limits = PHASE_TRACE_LIMITS);

/**
 * @ingroup photonic-rails-workload
 * @param file path
 * @return its phases; errors as above
 */
PhaseTrace ReadPhaseTrace(const std::string& file);

/**
 * @ingroup photonic-rails-workload
 * @brief The idle time of a rail between two phases of different parallelism, at one stage.
 *
 * Phases that follow back to back, or overlap, have no window between them.
 */
struct Window
{
    /// Number, from 0.
    uint32_t rail;
    /// Of the pipeline, from 0.
    uint32_t stage;
    uint32_t step; ///< of the phase before
    /// Of the phase before.
    Parallelism from;
    /// Of the phase after.
    Parallelism to;
    Time start;    ///< the later of start and end of the phase before
    Time duration; ///< until the next phase starts, above 0
    /// Of the phase before.
    uint64_t bytesBefore;
    /// Of the phase after.
    uint64_t bytesAfter;
};

/**
 * @ingroup photonic-rails-workload
 * @brief Find the windows of each rail and stage.
 *
 * @param phases ordered by rail, stage, step and number
 * @param acrossSteps whether to count those between steps too, as the published fractions of the
 *        Perlmutter trace do; reports do not
 * @return the windows, in the order of the phases
 */
std::vector<Window> FindWindows(const std::vector<Phase>& phases, bool acrossSteps = false);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PHASE_TRACE_H
