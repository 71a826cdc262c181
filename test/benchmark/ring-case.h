/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RING_CASE_H
#define PHOTONIC_RING_CASE_H

#include "ns3/training-job-helper.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace photonic
{

constexpr uint64_t GPU_RATE = 400'000'000'000; ///< bit/s, over its ports
constexpr uint32_t GPU_PORTS = 2;
constexpr uint32_t LINE_MTU = 9000;

/**
 * A job of equal rings, which all-reduce side by side over two ports of each GPU; or, without
 * fabric, only the number of its ports.
 */
struct RingCase
{
    /// What was seen of it.
    struct Result
    {
        uint64_t events{0};
        uint64_t packets{0};
        uint64_t messages{0};
        double setUpSeconds{0};
        double wallSeconds{0};
        double seconds{0}; ///< of the processor
        double simulatedSeconds{0};
    };

    std::string name;
    std::string what;
    std::string fabric; ///< photonic or electrical-ideal
    Fidelity fidelity;
    uint32_t rings; ///< one per rail
    uint32_t ranks; ///< of a ring
    uint64_t bytes; ///< of an all-reduce
    uint32_t steps; ///< all-reduces, one after another

    uint32_t GetRanks() const
    {
        return rings * ranks;
    }

    uint32_t GetSources() const
    {
        return GetRanks() * GPU_PORTS;
    }

    /// @return lines that a packet is on: one of a circuit, or two with a packet switch between
    uint32_t GetHops() const
    {
        return fabric == "photonic" ? 1 : 2;
    }

    /// Set up and simulate. @return what was seen
    Result Run() const;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RING_CASE_H
