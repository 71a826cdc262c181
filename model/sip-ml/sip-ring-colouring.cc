/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ring-colouring.h"

#include "sip-arc-packing.h"
#include "sip-arc-search.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

using Direction = SipRingAllocation::Direction;
using Load = SipRingColouring::Load;

constexpr uint32_t MOVES = 10'000;

/// A direction of a ring.
struct Fibre
{
    uint32_t ring;
    Direction direction;
    SipArcProblem problem;
    std::vector<Load> loads;

    std::string GetName() const
    {
        return std::string(direction == Direction::CLOCKWISE ? "clockwise" : "counterclockwise") +
               " ring " + std::to_string(ring);
    }

    void Add(const Load& load, uint32_t reach);
    void CheckSegments(uint32_t wavelengths) const;
    SipArcPacking Colour(uint32_t wavelengths, uint64_t steps) const;
};

void
Fibre::Add(const Load& load, uint32_t reach)
{
    const uint32_t gpus = problem.segments;
    if (load.source >= gpus || load.destination >= gpus || load.source == load.destination)
    {
        throw std::invalid_argument(GetName() + ": lightpath from GPU " +
                                    std::to_string(load.source) + " to GPU " +
                                    std::to_string(load.destination) + ": expected two of " +
                                    std::to_string(gpus) + " GPUs");
    }
    const auto arc = SipArcProblem::GetArc(gpus, load.source, load.destination, reach);
    if (arc.length[static_cast<uint32_t>(direction)] == 0)
    {
        throw std::invalid_argument(GetName() + ": lightpath from GPU " +
                                    std::to_string(load.source) + " to GPU " +
                                    std::to_string(load.destination) + " is beyond the reach of " +
                                    std::to_string(reach) + " segments");
    }
    problem.arcs.push_back(arc);
    loads.push_back(load);
}

void
Fibre::CheckSegments(uint32_t wavelengths) const
{
    std::vector<uint64_t> carried(problem.segments);
    const auto side = static_cast<uint32_t>(direction);
    for (size_t i = 0; i < loads.size(); ++i)
    {
        for (uint32_t hop = 0; hop < problem.arcs[i].length[side]; ++hop)
        {
            carried[(problem.arcs[i].start[side] + hop) % problem.segments] += loads[i].wavelengths;
        }
    }
    for (uint32_t segment = 0; segment < problem.segments; ++segment)
    {
        if (carried[segment] > wavelengths)
        {
            throw std::invalid_argument(GetName() + ": segment " + std::to_string(segment) +
                                        " carries " + std::to_string(carried[segment]) +
                                        " wavelengths, but has " + std::to_string(wavelengths));
        }
    }
}

SipArcPacking
Fibre::Colour(uint32_t wavelengths, uint64_t steps) const
{
    CheckSegments(wavelengths);
    SipArcPacking packing(problem);
    std::vector<uint32_t> needs;
    for (const auto& load : loads)
    {
        needs.push_back(load.wavelengths);
    }
    uint32_t moves = MOVES;
    if (packing.Build(needs) || packing.Repair(needs, moves))
    {
        return packing;
    }
    switch (SipArcSearch(problem, steps).Run(needs, packing))
    {
    case SipArcSearch::Outcome::FOUND:
        break;
    case SipArcSearch::Outcome::IMPOSSIBLE:
        throw std::invalid_argument(GetName() + ": no segment carries more than " +
                                    std::to_string(wavelengths) +
                                    " wavelengths, but they do not suffice for lightpaths that "
                                    "keep theirs from end to end");
    case SipArcSearch::Outcome::UNSETTLED:
        throw std::runtime_error(GetName() + ": whether " + std::to_string(wavelengths) +
                                 " wavelengths suffice was not found within " +
                                 std::to_string(steps) + " steps");
    }
    return packing;
}

} // namespace

std::vector<SipRingAllocation::Lightpath>
SipRingColouring::Colour(uint32_t gpus,
                         const SipRing& ring,
                         const std::vector<Load>& loads,
                         uint64_t steps)
{
    ring.Check();
    std::vector<Fibre> fibres;
    for (uint32_t number = 0; number < ring.rings; ++number)
    {
        fibres.push_back({number, Direction::CLOCKWISE, {gpus, {ring.wavelengths, 0}, {}}, {}});
        fibres.push_back(
            {number, Direction::COUNTERCLOCKWISE, {gpus, {0, ring.wavelengths}, {}}, {}});
    }
    for (const auto& load : loads)
    {
        if (load.ring >= ring.rings)
        {
            throw std::invalid_argument("lightpath on ring " + std::to_string(load.ring) + " of " +
                                        std::to_string(ring.rings));
        }
        fibres[2 * load.ring + static_cast<uint32_t>(load.direction)].Add(load, ring.reach);
    }
    std::vector<SipRingAllocation::Lightpath> lightpaths;
    for (const auto& fibre : fibres)
    {
        const auto packing = fibre.Colour(ring.wavelengths, steps);
        for (uint32_t wavelength = 0; wavelength < ring.wavelengths; ++wavelength)
        {
            for (const uint32_t i :
                 packing.GetArcs(static_cast<uint32_t>(fibre.direction), wavelength))
            {
                lightpaths.push_back({fibre.ring,
                                      fibre.direction,
                                      wavelength,
                                      fibre.loads[i].source,
                                      fibre.loads[i].destination});
            }
        }
    }
    return lightpaths;
}

} // namespace photonic
} // namespace ns3
