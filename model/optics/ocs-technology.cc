/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ocs-technology.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

std::vector<OcsTechnology>
OcsTechnology::GetCatalogue()
{
    static const std::string paper = "arXiv 2507.08119";
    // Not static: Time values follow the resolution, which a program may set after start-up.
    return {
        {"robotic", "Telescent", 1008, Seconds(120), paper},
        {"liquid-crystal", "Coherent", 300, MilliSeconds(100), "vendor announcement"},
        {"piezo", "Polatis", 576, MilliSeconds(25), paper},
        {"mems", "Calient", 320, MilliSeconds(15), paper},
        {"rotor", "InFocus", 128, MicroSeconds(10), paper},
        {"silicon-photonics", "Lightmatter", 32, MicroSeconds(7), paper},
        {"plzt", "EpiPhotonics", 16, NanoSeconds(10), paper},
    };
}

OcsTechnology
OcsTechnology::Get(const std::string& name)
{
    std::string known;
    for (const auto& entry : GetCatalogue())
    {
        if (entry.name == name)
        {
            return entry;
        }
        known += (known.empty() ? "" : ", ") + entry.name;
    }
    throw std::invalid_argument("unknown optical switch technology '" + name +
                                "': expected one of " + known);
}

uint64_t
OcsTechnology::GetMaxGpus(uint32_t gpusPerDomain, uint32_t portsPerGpu) const
{
    return uint64_t(radix) * gpusPerDomain / portsPerGpu;
}

} // namespace photonic
} // namespace ns3
