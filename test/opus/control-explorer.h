/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CONTROL_EXPLORER_H
#define PHOTONIC_CONTROL_EXPLORER_H

#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Something that goes wrong when the control plane sends a message.
struct ControlFault
{
    /// What.
    enum Kind
    {
        LOST,    ///< the message is lost
        TWICE,   ///< it is sent twice, the second time so much later
        LATE,    ///< it is so much later
        RESTART, ///< the controller stops, and starts so much later
    };

    Kind kind;
    uint32_t
        message; ///< number of it in the run, from 0, repetitions and acknowledgements included
    ns3::Time time;
};

/// A run of the control plane, of which everything is said.
struct ControlCase
{
    uint32_t seed;    ///< of plan and programs
    uint32_t length;  ///< of the programs
    uint32_t steps;   ///< of the run
    bool provisioned; ///< circuits are requested ahead
    bool changing;    ///< programs are not those that were profiled
    bool reliable;    ///< messages are repeated
    ns3::Time jitter; ///< by which every message is late, at most
    std::vector<ControlFault> faults;
};

/// @param c a case @return it, for people who want to run it again
std::string ToString(const ControlCase& c);

/// @param seed of it @return a case
ControlCase MakeControlCase(uint32_t seed);

/// What happened in some cases.
struct ControlCounts
{
    uint64_t messages{0};
    uint64_t repetitions{0};
    uint64_t restarts{0};
    std::map<std::string, uint64_t> faults;
};

/// Run a case. @param c it @param counts that grow, or null @return what went wrong, or empty
std::string RunControlCase(const ControlCase& c, ControlCounts* counts = nullptr);

/**
 * @param c a case that fails
 * @return the smallest case that still fails, as far as leaving out parts of it leads to it
 */
ControlCase Shrink(const ControlCase& c);

#endif // PHOTONIC_CONTROL_EXPLORER_H
