/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ml/sip-ml-test-helper.h"

#include "ns3/sip-ring-colouring.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

using Load = SipRingColouring::Load;

constexpr auto CLOCKWISE = SipRingAllocation::Direction::CLOCKWISE;
constexpr auto COUNTERCLOCKWISE = SipRingAllocation::Direction::COUNTERCLOCKWISE;

/// @return what Colour() says against it, nothing if it does not
std::string
GetRefusal(uint32_t gpus, const SipRing& ring, const std::vector<Load>& loads)
{
    try
    {
        const auto lightpaths = SipRingColouring::Colour(gpus, ring, loads);
        ExpectRealisable(gpus, ring, lightpaths);
        auto counts = CountWavelengths(lightpaths);
        for (const auto& load : loads)
        {
            counts[{load.source, load.destination}] -= load.wavelengths;
        }
        for (const auto& [pair, left] : counts)
        {
            EXPECT_EQ(left, 0u);
        }
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/// @return whether arcs, as bits, can be placed on so many circles: every choice is tried
bool
CanColour(const std::vector<uint64_t>& arcs, size_t index, std::vector<uint64_t>& circles)
{
    if (index == arcs.size())
    {
        return true;
    }
    for (auto& circle : circles)
    {
        if ((circle & arcs[index]) == 0)
        {
            circle |= arcs[index];
            if (CanColour(arcs, index + 1, circles))
            {
                return true;
            }
            circle &= ~arcs[index];
        }
    }
    return false;
}

} // namespace

TEST(SipRingColouring, LoadIsNotEnough)
{
    std::vector<Load> loads;
    for (uint32_t i = 0; i < 3; ++i)
    {
        loads.push_back({CLOCKWISE, 0, i, (i + 2) % 3, 1});
    }
    EXPECT_EQ(GetRefusal(3, {1, 2}, loads),
              "clockwise ring 0: no segment carries more than 2 wavelengths, but they do not "
              "suffice for lightpaths that keep theirs from end to end");
    EXPECT_EQ(GetRefusal(3, {1, 3}, loads), "");
    EXPECT_EQ(GetRefusal(3, {1, 1}, loads),
              "clockwise ring 0: segment 0 carries 2 wavelengths, but has 1");
    // On two fibres there are enough again.
    loads.back().ring = 1;
    EXPECT_EQ(GetRefusal(3, {2, 2}, loads), "");
}

TEST(SipRingColouring, RefusesWhatIsNotThere)
{
    EXPECT_EQ(GetRefusal(4, {2, 1}, {{CLOCKWISE, 2, 0, 1, 1}}), "lightpath on ring 2 of 2");
    EXPECT_EQ(GetRefusal(4, {2, 1}, {{CLOCKWISE, 1, 0, 4, 1}}),
              "clockwise ring 1: lightpath from GPU 0 to GPU 4: expected two of 4 GPUs");
    EXPECT_EQ(GetRefusal(4, {2, 1}, {{COUNTERCLOCKWISE, 1, 2, 2, 1}}),
              "counterclockwise ring 1: lightpath from GPU 2 to GPU 2: expected two of 4 GPUs");
    EXPECT_EQ(GetRefusal(4, {2, 1, 2}, {{COUNTERCLOCKWISE, 0, 0, 1, 1}}),
              "counterclockwise ring 0: lightpath from GPU 0 to GPU 1 is beyond the reach of 2 "
              "segments");
    EXPECT_EQ(GetRefusal(4, {2, 1, 2}, {}), "");
}

TEST(SipRingColouring, SaysSoIfItIsTooLarge)
{
    std::vector<Load> loads;
    for (uint32_t i = 0; i < 3; ++i)
    {
        loads.push_back({CLOCKWISE, 0, i, (i + 2) % 3, 1});
    }
    EXPECT_THROW(SipRingColouring::Colour(3, {1, 2}, loads, 0), std::runtime_error);
}

TEST(SipRingColouring, AgreesWithAllColourings)
{
    const uint64_t seed = 99;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    int refused = 0;
    for (int i = 0; i < 2000; ++i)
    {
        const uint32_t n = 3 + random() % 5;
        const uint32_t wavelengths = 1 + random() % 4;
        const bool clockwise = random() % 2;
        // Add lightpaths as long as no segment carries too many.
        std::vector<uint32_t> carried(n);
        std::vector<uint64_t> arcs;
        std::vector<Load> loads;
        for (int tries = 0; tries < 12; ++tries)
        {
            const uint32_t s = random() % n;
            const uint32_t d = (s + 1 + random() % (n - 1)) % n;
            const uint64_t segments = GetSegments(n, clockwise, s, d);
            bool fits = true;
            for (uint32_t segment = 0; segment < n; ++segment)
            {
                fits = fits && (carried[segment] < wavelengths || !(segments >> segment & 1));
            }
            if (fits)
            {
                for (uint32_t segment = 0; segment < n; ++segment)
                {
                    carried[segment] += segments >> segment & 1;
                }
                arcs.push_back(segments);
                loads.push_back({clockwise ? CLOCKWISE : COUNTERCLOCKWISE, 0, s, d, 1});
            }
        }
        std::vector<uint64_t> circles(wavelengths);
        const bool possible = CanColour(arcs, 0, circles);
        EXPECT_EQ(GetRefusal(n, {1, wavelengths}, loads).empty(), possible) << i;
        refused += possible ? 0 : 1;
    }
    EXPECT_GT(refused, 50);
    EXPECT_LT(refused, 1500);
}
