/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_RUN_RESULT_H
#define PHOTONIC_TRAINING_RUN_RESULT_H

#include "ns3/fabric-inventory.h"
#include "ns3/message-endpoint.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * What summary.json says, beside the configuration. Means are over the measured steps.
 */
struct RunResult
{
    std::vector<Time> stepTimes;          ///< of the measured steps
    std::vector<Time> profilingStepTimes; ///< of those before

    // totals over the measured steps; compute and communications are means over ranks
    Time compute;
    Time communication;
    Time exposedCommunication;
    Time stall;
    std::array<uint64_t, PARALLELISMS> bytes{}; ///< by Parallelism
    uint64_t forwardedBytes{0};                 ///< that hosts pass on in a step
    uint64_t reconfigurations{0};
    int64_t exposedReconfigurations{0};
    double serialisationStallSeconds{0}; ///< mean over ranks
    double darkSeconds{0};               ///< summed over ports
    uint64_t packets{0};
    uint64_t windows{0};
    uint64_t windowsOver1ms{0};
    uint64_t windowsOver15ms{0};

    // of the whole run
    uint64_t mispredictions{0};
    uint64_t droppedPackets{0};
    FabricInventory inventory;
    TransportCounters transport;
    uint64_t events{0};

    // what depends on the machine
    double setUpSeconds{0};
    double wallSeconds{0}; ///< of the simulation, without the set-up
    uint64_t peakMemoryBytes{0};

    double Mean(Time total) const
    {
        return stepTimes.empty() ? 0 : total.GetSeconds() / stepTimes.size();
    }

    Time TotalTime() const
    {
        Time total;
        for (Time time : stepTimes)
        {
            total += time;
        }
        return total;
    }
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_RUN_RESULT_H
