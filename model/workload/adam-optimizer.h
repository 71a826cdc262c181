/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_ADAM_OPTIMIZER_H
#define PHOTONIC_ADAM_OPTIMIZER_H

namespace ns3
{
namespace photonic
{

/// @ingroup photonic-rails-workload
/// Bytes that Adam moves for a parameter besides its gradient: it reads and writes the fp32
/// parameter and two moments, and writes the bf16 parameter.
constexpr double ADAM_BYTES = 2 * (4 + 4 + 4) + 2;

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_ADAM_OPTIMIZER_H
