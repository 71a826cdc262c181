/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_ML_DEMANDS_H
#define PHOTONIC_SIP_ML_DEMANDS_H

#include "ns3/traffic-matrix.h"

#include <random>

namespace ns3
{
namespace photonic
{

/// @return 1 byte from each GPU to the next
inline TrafficMatrix
MakeNeighbours(uint32_t gpus)
{
    TrafficMatrix demand(gpus);
    for (uint32_t i = 0; i < gpus; ++i)
    {
        demand.Set(i, (i + 1) % gpus, 1);
    }
    return demand;
}

/// @return 1 byte for every pair
inline TrafficMatrix
MakeAllToAll(uint32_t gpus)
{
    TrafficMatrix demand(gpus);
    for (uint32_t s = 0; s < gpus; ++s)
    {
        for (uint32_t d = 0; d < gpus; ++d)
        {
            if (s != d)
            {
                demand.Set(s, d, 1);
            }
        }
    }
    return demand;
}

/**
 * @param groups number of groups of GPUs that follow each other; all-to-all inside each of them
 * @param size of a group; piece i of a group sends to the next group's GPU that holds piece i + 1
 * @return 3 bytes for the former and 5 for the latter
 */
inline TrafficMatrix
MakeHybrid(uint32_t groups, uint32_t size)
{
    const uint32_t gpus = groups * size;
    TrafficMatrix demand(gpus);
    for (uint32_t group = 0; group < groups; ++group)
    {
        for (uint32_t i = 0; i < size; ++i)
        {
            for (uint32_t j = 0; j < size; ++j)
            {
                if (i != j)
                {
                    demand.Set(group * size + i, group * size + j, 3);
                }
            }
            demand.Set(group * size + i, (group + 1) % groups * size + (i + 1) % size, 5);
        }
    }
    return demand;
}

/// @return up to most bytes for some pairs, for at least one
inline TrafficMatrix
MakeRandom(std::mt19937_64& random, uint32_t gpus, uint64_t most)
{
    TrafficMatrix demand(gpus);
    const uint32_t percent = 20 + random() % 81;
    while (demand.GetMax() == 0)
    {
        for (uint32_t s = 0; s < gpus; ++s)
        {
            for (uint32_t d = 0; d < gpus; ++d)
            {
                if (s != d && random() % 100 < percent)
                {
                    demand.Set(s, d, 1 + random() % most);
                }
            }
        }
    }
    return demand;
}

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_ML_DEMANDS_H
