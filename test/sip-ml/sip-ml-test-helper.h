/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_ML_TEST_HELPER_H
#define PHOTONIC_SIP_ML_TEST_HELPER_H

#include "ns3/sip-ring-allocation.h"
#include "ns3/traffic-matrix.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

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

inline bool
operator==(const SipShare& a, const SipShare& b)
{
    return !(a < b) && !(b < a);
}

inline std::ostream&
operator<<(std::ostream& out, const SipShare& share)
{
    return out << share.count << '/' << share.bytes;
}

/// @return segments of a lightpath, as bits of at most 64 GPUs
inline uint64_t
GetSegments(uint32_t gpus, bool clockwise, uint32_t source, uint32_t destination)
{
    uint64_t segments = 0;
    for (uint32_t gpu = source; gpu != destination;)
    {
        segments |= uint64_t{1} << (clockwise ? gpu : (gpu + gpus - 1) % gpus);
        gpu = (gpu + (clockwise ? 1 : gpus - 1)) % gpus;
    }
    return segments;
}

/// Expect that no segment of a wavelength is used twice and that nothing exceeds a limit.
inline void
ExpectRealisable(uint32_t gpus,
                 const SipRing& ring,
                 const std::vector<SipRingAllocation::Lightpath>& lightpaths)
{
    // By ring, direction and wavelength.
    std::vector<std::vector<bool>> used(size_t{ring.rings} * 2 * ring.wavelengths,
                                        std::vector<bool>(gpus));
    for (const auto& path : lightpaths)
    {
        ASSERT_LT(path.ring, ring.rings);
        ASSERT_LT(path.wavelength, ring.wavelengths);
        const bool clockwise = path.direction == SipRingAllocation::Direction::CLOCKWISE;
        auto& circle =
            used[(path.ring * 2 + (clockwise ? 0 : 1)) * ring.wavelengths + path.wavelength];
        uint32_t hops = 0;
        for (uint32_t gpu = path.source; gpu != path.destination; ++hops)
        {
            const uint32_t next = (gpu + (clockwise ? 1 : gpus - 1)) % gpus;
            const uint32_t segment = clockwise ? gpu : next;
            ASSERT_FALSE(circle[segment]);
            circle[segment] = true;
            gpu = next;
        }
        EXPECT_GE(hops, 1u);
        EXPECT_LE(hops, ring.reach);
    }
}

/// @return wavelengths of each pair that has any
inline std::map<std::pair<uint32_t, uint32_t>, uint64_t>
CountWavelengths(const std::vector<SipRingAllocation::Lightpath>& lightpaths)
{
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> counts;
    for (const auto& path : lightpaths)
    {
        ++counts[{path.source, path.destination}];
    }
    return counts;
}

/// Expect that lightpaths serve demand only, and that the smallest share is what it is said to be.
inline void
ExpectServes(const TrafficMatrix& demand, const SipRingAllocation& allocation)
{
    auto counts = CountWavelengths(allocation.lightpaths);
    SipShare worst{UINT32_MAX, 1};
    for (const auto& [source, destination, bytes] : demand.GetDemands())
    {
        worst = std::min(worst, SipShare{counts[{source, destination}], bytes});
        counts.erase({source, destination});
    }
    EXPECT_TRUE(counts.empty());
    EXPECT_EQ(allocation.worst, worst);
}

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_ML_TEST_HELPER_H
