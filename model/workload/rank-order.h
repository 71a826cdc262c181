/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RANK_ORDER_H
#define PHOTONIC_RANK_ORDER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief A dimension of the job: ranks that differ in it alone form a group, or part of one.
 */
enum class Dimension : uint8_t
{
    TP,
    CP,
    EP,
    FSDP,
    DP,
    PP,
};

constexpr std::size_t DIMENSIONS = 6;

/// @param dimension a dimension @return "tp", "cp", "ep", "fsdp", "dp" or "pp"
const char* ToString(Dimension dimension);

/// Dimensions from the innermost, in which neighbouring ranks differ, to the outermost.
using RankOrder = std::array<Dimension, DIMENSIONS>;

/**
 * Megatron-LM's default order, tp-cp-ep-dp-pp (core/parallel_state.py), and TorchTitan's, with
 * pp, dp_replicate, dp_shard, cp, tp from the outside in (distributed/parallel_dims.py), are one.
 */
constexpr RankOrder DEFAULT_RANK_ORDER{Dimension::TP,
                                       Dimension::CP,
                                       Dimension::EP,
                                       Dimension::FSDP,
                                       Dimension::DP,
                                       Dimension::PP};

/// @param order from the innermost dimension @return "tp-cp-ep-fsdp-dp-pp", for example
std::string ToString(const RankOrder& order);

/**
 * @param text as ToString() returns it, or "megatron" or "torchtitan" for their default
 * @return the order
 * @throws std::invalid_argument for another text
 */
RankOrder ParseRankOrder(const std::string& text);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RANK_ORDER_H
