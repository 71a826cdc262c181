/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-strategy.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3
{
namespace photonic
{

SipRingStrategy::SipRingStrategy(const WdmRing& ring, std::vector<uint32_t> order)
    : m_ring(ring),
      m_order(std::move(order)),
      m_places(ring.GetSize().gpus, UINT32_MAX)
{
    const uint32_t gpus = ring.GetSize().gpus;
    if (m_order.empty())
    {
        m_order.resize(gpus);
        std::iota(m_order.begin(), m_order.end(), 0);
    }
    for (uint32_t place = 0; place < m_order.size(); ++place)
    {
        if (m_order[place] < gpus)
        {
            m_places[m_order[place]] = place;
        }
    }
    if (m_order.size() != gpus || std::count(m_places.begin(), m_places.end(), UINT32_MAX) > 0)
    {
        throw std::invalid_argument("an order of " + std::to_string(m_order.size()) +
                                    " places on a ring: expected each of the " +
                                    std::to_string(gpus) + " GPUs once");
    }
}

std::vector<WdmCircuit>
SipRingStrategy::Allocate(const TrafficMatrix& demand) const
{
    const auto& size = m_ring.GetSize();
    TrafficMatrix onRing(size.gpus);
    for (const auto& [source, destination, bytes] : demand.GetDemands())
    {
        const uint32_t from = m_places.at(source);
        const uint32_t to = m_places.at(destination);
        const uint32_t apart =
            std::min(m_ring.GetSegments(WdmRing::Direction::CLOCKWISE, from, to),
                     m_ring.GetSegments(WdmRing::Direction::COUNTERCLOCKWISE, from, to));
        if (apart > size.reach)
        {
            throw std::invalid_argument("GPU " + std::to_string(source) + " has demand for GPU " +
                                        std::to_string(destination) + ", " + std::to_string(apart) +
                                        " segments away: expected at most the reach of " +
                                        std::to_string(size.reach));
        }
        onRing.Set(from, to, bytes);
    }
    const auto allocation =
        SipRingAllocation::Allocate(onRing, {size.rings, size.wavelengths, size.reach}, MOVES);
    auto circuits = m_ring.Bundle(allocation.lightpaths);
    for (auto& circuit : circuits)
    {
        circuit.source = m_order[circuit.source];
        circuit.destination = m_order[circuit.destination];
    }
    return circuits;
}

WdmCircuit
SipRingStrategy::GetSlowest() const
{
    const auto& size = m_ring.GetSize();
    return {0, 1, 1, size.segmentDelay * int64_t{std::min(size.reach, size.gpus - 1)}};
}

SipOcsStrategy::SipOcsStrategy(Mode mode, uint32_t switches, uint32_t wavelengths)
    : m_mode(mode),
      m_switches(switches),
      m_wavelengths(wavelengths)
{
    if (switches == 0 || wavelengths == 0)
    {
        throw std::invalid_argument("SiP-OCS with " + std::to_string(switches) + " switches and " +
                                    std::to_string(wavelengths) +
                                    " wavelengths of a port: expected at least 1 of both");
    }
}

SipOcsAllocation
SipOcsStrategy::AllocatePeriodic(const TrafficMatrix& demand) const
{
    for (uint32_t limit = m_switches; limit > 1; --limit)
    {
        auto allocation = SipOcsAllocation::MaximiseTotal(demand, m_switches, limit);
        if (std::all_of(allocation.pairs.begin(), allocation.pairs.end(), [](const auto& pair) {
                return pair.circuits > 0;
            }))
        {
            return allocation;
        }
    }
    return SipOcsAllocation::MaximiseTotal(demand, m_switches, 1);
}

std::vector<WdmCircuit>
SipOcsStrategy::Allocate(const TrafficMatrix& demand) const
{
    const auto allocation = m_mode == Mode::ONE_SHOT
                                ? SipOcsAllocation::MaximiseWorst(demand, m_switches)
                                : AllocatePeriodic(demand);
    std::vector<WdmCircuit> circuits;
    for (const auto& pair : allocation.pairs)
    {
        if (pair.circuits > 0)
        {
            circuits.push_back(
                {pair.source, pair.destination, pair.circuits * m_wavelengths, Time(0)});
        }
    }
    return circuits;
}

WdmCircuit
SipOcsStrategy::GetSlowest() const
{
    return {0, 1, m_wavelengths, Time(0)};
}

} // namespace photonic
} // namespace ns3
