/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SOLVER_CASE_H
#define PHOTONIC_SOLVER_CASE_H

#include <cstdint>
#include <string>

namespace ns3
{
namespace photonic
{

/// An all-reduce that is solved as a whole, without a simulation.
struct SolverCase
{
    /// What was seen of it.
    struct Result
    {
        double seconds;          ///< of the processor, per operation
        double simulatedSeconds; ///< until the last end
    };

    std::string name;
    std::string what;
    uint32_t ranks;
    uint64_t bytes;
    uint64_t rate; ///< of each of two ports, bit/s
    uint16_t mtu;
    uint32_t spread; ///< of the starts, which are random, in us; 0: all at once

    /// @param operations to be solved, one after another
    Result Run(uint32_t operations) const;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SOLVER_CASE_H
