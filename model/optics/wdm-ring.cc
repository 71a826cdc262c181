/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wdm-ring.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

std::string
Name(const WdmRing::Lightpath& path)
{
    return "lightpath " + std::to_string(path.source) + "-" + std::to_string(path.destination);
}

} // namespace

WdmRing::WdmRing(const Size& size)
    : m_size(size)
{
    if (size.gpus < 2 || size.rings == 0 || size.wavelengths == 0 || size.reach == 0 ||
        size.segmentDelay.IsStrictlyNegative())
    {
        throw std::invalid_argument(
            "a ring of " + std::to_string(size.gpus) + " GPUs with " + std::to_string(size.rings) +
            " fibres of " + std::to_string(size.wavelengths) + " wavelengths and a reach of " +
            std::to_string(size.reach) + ": expected at least 2 GPUs, and 1 of the others");
    }
}

const WdmRing::Size&
WdmRing::GetSize() const
{
    return m_size;
}

uint32_t
WdmRing::GetSegments(Direction direction, uint32_t source, uint32_t destination) const
{
    const uint32_t clockwise = (destination + m_size.gpus - source) % m_size.gpus;
    return direction == Direction::CLOCKWISE ? clockwise : (m_size.gpus - clockwise) % m_size.gpus;
}

std::string
WdmRing::ValidateOne(const Lightpath& path) const
{
    for (const uint32_t gpu : {path.source, path.destination})
    {
        if (gpu >= m_size.gpus)
        {
            return Name(path) + ": there is no GPU " + std::to_string(gpu) + ", only " +
                   std::to_string(m_size.gpus);
        }
    }
    if (path.source == path.destination)
    {
        return Name(path) + ": a GPU does not talk to itself";
    }
    if (path.ring >= m_size.rings || path.wavelength >= m_size.wavelengths)
    {
        return Name(path) + ": there is no wavelength " + std::to_string(path.wavelength) +
               " of ring " + std::to_string(path.ring) + ", only " +
               std::to_string(m_size.wavelengths) + " of " + std::to_string(m_size.rings);
    }
    const uint32_t segments = GetSegments(path.direction, path.source, path.destination);
    if (segments > m_size.reach)
    {
        return Name(path) + " is " + std::to_string(segments) +
               " segments long: expected at most the reach of " + std::to_string(m_size.reach);
    }
    return "";
}

std::string
WdmRing::Validate(const std::vector<Lightpath>& lightpaths) const
{
    std::vector<uint32_t> owners(std::size_t{2} * m_size.rings * m_size.wavelengths * m_size.gpus,
                                 std::numeric_limits<uint32_t>::max());
    for (uint32_t i = 0; i < lightpaths.size(); i++)
    {
        const auto& path = lightpaths[i];
        std::string reason = ValidateOne(path);
        if (!reason.empty())
        {
            return reason;
        }
        const bool clockwise = path.direction == Direction::CLOCKWISE;
        const std::size_t circle =
            (std::size_t{path.ring} * 2 + (clockwise ? 0 : 1)) * m_size.wavelengths +
            path.wavelength;
        const uint32_t first = clockwise ? path.source : path.destination;
        const uint32_t segments = GetSegments(path.direction, path.source, path.destination);
        for (uint32_t s = 0; s < segments; s++)
        {
            const uint32_t segment = (first + s) % m_size.gpus;
            uint32_t& owner = owners[circle * m_size.gpus + segment];
            if (owner < lightpaths.size())
            {
                return Name(lightpaths[owner]) + " and " + Name(path) + " overlap: wavelength " +
                       std::to_string(path.wavelength) + " of ring " + std::to_string(path.ring) +
                       ", " + (clockwise ? "" : "counter") + "clockwise, segment " +
                       std::to_string(segment);
            }
            owner = i;
        }
    }
    return "";
}

std::vector<WdmCircuit>
WdmRing::Bundle(const std::vector<Lightpath>& lightpaths) const
{
    const std::string reason = Validate(lightpaths);
    if (!reason.empty())
    {
        throw std::invalid_argument(reason);
    }
    std::map<std::pair<uint32_t, uint32_t>, WdmCircuit> bundles;
    for (const auto& path : lightpaths)
    {
        auto& circuit = bundles[{path.source, path.destination}];
        circuit.source = path.source;
        circuit.destination = path.destination;
        circuit.wavelengths++;
        const int64_t segments = GetSegments(path.direction, path.source, path.destination);
        circuit.propagation = std::max(circuit.propagation, m_size.segmentDelay * segments);
    }
    std::vector<WdmCircuit> circuits;
    for (const auto& [pair, circuit] : bundles)
    {
        circuits.push_back(circuit);
    }
    return circuits;
}

} // namespace photonic
} // namespace ns3
