/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_DISTRIBUTED_CASES_H
#define PHOTONIC_DISTRIBUTED_CASES_H

#include <cstdint>
#include <ostream>

/// What a case depends on, beside itself.
struct DistributedCase
{
    uint32_t seed;
    uint32_t systems; ///< processes
};

/// Random packets over random circuits, fibres and reconfigurations, packets lost among them.
void RunCircuits(const DistributedCase& run, std::ostream& lines);

/// Random packets through a packet switch, many of them at one instant.
void RunQueues(const DistributedCase& run, std::ostream& lines);

/// Random ring collectives of two groups that share their circuits.
void RunRings(const DistributedCase& run, std::ostream& lines);

#endif // PHOTONIC_DISTRIBUTED_CASES_H
