/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIMAI_WORKLOAD_H
#define PHOTONIC_SIMAI_WORKLOAD_H

#include "ns3/collective-kind.h"
#include "ns3/input-text.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief Whose collective it is, as the end of its type says.
 */
enum class SimaiGroup : uint8_t
{
    PLAIN,       ///< tensor parallel group of activations, data parallel group of weights
    EXPERT,      ///< "_EP"
    EXPERT_DATA, ///< "_DP_EP"
};

/**
 * @ingroup photonic-rails-workload
 * @brief One of the three passes through a layer: a computation, then perhaps a collective.
 */
struct SimaiPass
{
    /// Before the communication.
    Time compute;
    std::optional<CollectiveKind> kind; ///< none: NONE, or of no bytes
    /// Members of the collective.
    SimaiGroup group{SimaiGroup::PLAIN};
    std::string type;  ///< as it stands in the file
    uint64_t bytes{0}; ///< as in CollectiveKind
};

/**
 * @ingroup photonic-rails-workload
 * @brief A row of the file.
 */
struct SimaiLayer
{
    /// For people.
    std::string name;
    std::string place; ///< file and line, for errors
    /// Forward pass.
    SimaiPass forward;
    /// Backward pass, gradients of the activations.
    SimaiPass inputGradient;
    /// Backward pass, gradients of the weights.
    SimaiPass weightGradient;
    Time update; ///< after each collective
};

/**
 * @ingroup photonic-rails-workload
 * @brief A training step in the text format of SimAI (Wang et al., NSDI 2025), which AICB writes.
 */
struct SimaiWorkload
{
    std::string name;             ///< of the file
    uint32_t tensorParallel{1};   ///< model_parallel_NPU_group
    uint32_t pipelineParallel{1}; ///< pp
    uint32_t expertParallel{1};   ///< ep
    uint32_t gpus{0};             ///< all_gpus; 0: not stated
    /// In the order of the file.
    std::vector<SimaiLayer> layers;
};

/**
 * @ingroup photonic-rails-workload
 * @brief What a SimAI workload may have at most: 512 MiB, 64 KiB in a line, a million lines.
 */
inline constexpr LineReader::Limits SIMAI_LIMITS{512 << 20, 1 << 16, 1'000'000};

/**
 * @ingroup photonic-rails-workload
 * @brief Read a workload: a line of keys, the number of rows, and a row for each layer, with fields
 *        between blanks or tabulators. Times are in nanoseconds, sizes in bytes.
 *
 * @param is the text
 * @param name of the file, for errors
 * @param limits of the text
 * @return what it holds
 * @throws std::invalid_argument naming file, line, column or key, what was found and what was
 *         expected
 */
SimaiWorkload ReadSimaiWorkload(std::istream& is,
                                const std::string& name,
                                const LineReader::Limits& limits = SIMAI_LIMITS);

/**
 * @ingroup photonic-rails-workload
 * @param file path
 * @return what it holds; errors as above
 */
SimaiWorkload ReadSimaiWorkload(const std::string& file);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIMAI_WORKLOAD_H
