/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_ML_TEST_HELPER_H
#define PHOTONIC_SIP_ML_TEST_HELPER_H

#include "sip-ml-demands.h"

#include "ns3/sip-ring-allocation.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

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
    EXPECT_FALSE(allocation.bound < worst);
}

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_ML_TEST_HELPER_H
