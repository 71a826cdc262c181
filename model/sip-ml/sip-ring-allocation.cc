/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ring-allocation.h"

#include "sip-arc-packing.h"
#include "sip-arc-search.h"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

/// Moves of arcs to raise the smallest share, for a single try.
constexpr uint32_t MOVES_OF_A_TRY = 3'000;

/// A demand and what serves it.
class RingSolver
{
  public:
    RingSolver(const TrafficMatrix& demand, const SipRing& ring);

    /// Find a large share by heuristics.
    void Improve(uint32_t moves);
    /// Raise it as far as possible.
    void Prove(uint64_t steps);
    /// Give away what is left.
    void Fill();
    SipRingAllocation GetResult() const;

  private:
    std::vector<uint32_t> GetNeeds(const SipShare& share) const;
    SipShare GetBound() const;
    void Bisect();
    bool Try(const SipShare& share, uint32_t& moves);
    SipShare GetWorst() const;

    uint32_t m_wavelengths;
    std::vector<TrafficMatrix::Demand> m_demands;
    std::vector<uint64_t> m_bytes;
    SipArcProblem m_problem;
    SipArcPacking m_packing;
    SipShare m_bound; ///< no share is larger

    static SipArcProblem GetProblem(const TrafficMatrix& demand, const SipRing& ring);
};

SipArcProblem
RingSolver::GetProblem(const TrafficMatrix& demand, const SipRing& ring)
{
    ring.Check();
    const uint32_t circles = ring.rings * ring.wavelengths;
    SipArcProblem problem{demand.GetSize(), {circles, circles}, {}};
    for (const auto& [source, destination, bytes] : demand.GetDemands())
    {
        const auto arc = SipArcProblem::GetArc(demand.GetSize(), source, destination, ring.reach);
        if (arc.length[0] == 0 && arc.length[1] == 0)
        {
            throw std::invalid_argument("GPU " + std::to_string(source) + " has demand for GPU " +
                                        std::to_string(destination) + ", beyond the reach of " +
                                        std::to_string(ring.reach) + " segments both ways");
        }
        problem.arcs.push_back(arc);
    }
    return problem;
}

RingSolver::RingSolver(const TrafficMatrix& demand, const SipRing& ring)
    : m_wavelengths(ring.wavelengths),
      m_demands(demand.GetDemands()),
      m_problem(GetProblem(demand, ring)),
      m_packing(m_problem),
      m_bound{0, 1}
{
    for (const auto& pair : m_demands)
    {
        m_bytes.push_back(pair.bytes);
    }
    if (!m_bytes.empty())
    {
        m_bound = GetBound();
    }
}

std::vector<uint32_t>
RingSolver::GetNeeds(const SipShare& share) const
{
    std::vector<uint32_t> needs;
    for (const uint64_t bytes : m_bytes)
    {
        needs.push_back(share.GetLeast(bytes));
    }
    return needs;
}

SipShare
RingSolver::GetWorst() const
{
    return GetWorstShare(m_bytes, m_packing.GetCounts());
}

SipShare
RingSolver::GetBound() const
{
    SipShare fits{0, 1};
    // A pair has one lightpath on a circle at most.
    SipShare exceeds{uint64_t{m_problem.circles[0]} + m_problem.circles[1] + 1,
                     *std::max_element(m_bytes.begin(), m_bytes.end())};
    for (auto share = exceeds; FindMiddleShare(m_bytes, fits, share); share = exceeds)
    {
        (m_problem.MayFit(GetNeeds(share)) ? fits : exceeds) = share;
    }
    return fits;
}

void
RingSolver::Bisect()
{
    if (m_packing.Build(GetNeeds(m_bound)))
    {
        return;
    }
    SipShare fits{0, 1};
    SipShare exceeds = m_bound;
    for (auto share = exceeds; FindMiddleShare(m_bytes, fits, share); share = exceeds)
    {
        (m_packing.Build(GetNeeds(share)) ? fits : exceeds) = share;
    }
    m_packing.Build(GetNeeds(fits));
}

bool
RingSolver::Try(const SipShare& share, uint32_t& moves)
{
    const auto needs = GetNeeds(share);
    uint64_t arcs = 0;
    for (const uint32_t need : needs)
    {
        arcs += need;
    }
    const SipArcPacking before = m_packing;
    for (const bool anew : {false, true, true})
    {
        // To build costs as much time as some moves.
        const uint64_t price = 1 + arcs / (anew ? 16 : 512);
        moves -= std::min<uint64_t>(moves, price);
        const uint32_t budget = std::min(moves, MOVES_OF_A_TRY);
        uint32_t left = budget;
        if ((anew && m_packing.Build(needs)) || m_packing.Repair(needs, left))
        {
            moves -= budget - left;
            return true;
        }
        moves -= budget - left;
    }
    m_packing = before;
    return false;
}

void
RingSolver::Improve(uint32_t moves)
{
    Bisect();
    while (GetWorst() < m_bound && moves > 0)
    {
        if (!Try(GetNextShare(m_bytes, GetWorst()), moves))
        {
            return;
        }
    }
}

void
RingSolver::Prove(uint64_t steps)
{
    SipArcSearch search(m_problem, steps);
    while (GetWorst() < m_bound)
    {
        switch (search.Run(GetNeeds(GetNextShare(m_bytes, GetWorst())), m_packing))
        {
        case SipArcSearch::Outcome::FOUND:
            break;
        case SipArcSearch::Outcome::IMPOSSIBLE:
            m_bound = GetWorst();
            return;
        case SipArcSearch::Outcome::UNSETTLED:
            throw std::runtime_error(
                "SiP-Ring: the best allocation for " + std::to_string(m_demands.size()) +
                " pairs was not found within " + std::to_string(steps) + " steps");
        }
    }
}

void
RingSolver::Fill()
{
    std::priority_queue<SipNeed> needs;
    for (uint32_t pair = 0; pair < m_bytes.size(); ++pair)
    {
        needs.push({{m_packing.GetCounts()[pair], m_bytes[pair]}, pair});
    }
    while (!needs.empty())
    {
        SipNeed need = needs.top();
        needs.pop();
        if (m_packing.Insert(need.pair))
        {
            ++need.share.count;
            needs.push(need);
        }
    }
}

SipRingAllocation
RingSolver::GetResult() const
{
    SipRingAllocation result;
    for (uint32_t direction = 0; direction < SipArcProblem::DIRECTIONS; ++direction)
    {
        for (uint32_t circle = 0; circle < m_problem.circles[direction]; ++circle)
        {
            for (const uint32_t pair : m_packing.GetArcs(direction, circle))
            {
                result.lightpaths.push_back({circle / m_wavelengths,
                                             static_cast<SipRingAllocation::Direction>(direction),
                                             circle % m_wavelengths,
                                             m_demands[pair].source,
                                             m_demands[pair].destination});
            }
        }
    }
    result.worst = GetWorst();
    result.bound = m_bound;
    return result;
}

} // namespace

void
SipRing::Check() const
{
    if (rings == 0 || wavelengths == 0 || reach == 0 || uint64_t{rings} * wavelengths > 1 << 16)
    {
        throw std::invalid_argument("SiP-Ring with " + std::to_string(rings) + " rings of " +
                                    std::to_string(wavelengths) + " wavelengths and a reach of " +
                                    std::to_string(reach) +
                                    ": expected at least 1 each, and at most 2^16 wavelengths");
    }
}

SipRingAllocation
SipRingAllocation::Allocate(const TrafficMatrix& demand, const SipRing& ring, uint32_t moves)
{
    RingSolver solver(demand, ring);
    solver.Improve(moves);
    solver.Fill();
    return solver.GetResult();
}

SipRingAllocation
SipRingAllocation::AllocateExactly(const TrafficMatrix& demand, const SipRing& ring, uint64_t steps)
{
    RingSolver solver(demand, ring);
    solver.Improve(MOVES);
    solver.Prove(steps);
    solver.Fill();
    return solver.GetResult();
}

} // namespace photonic
} // namespace ns3
