/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OCS_TECHNOLOGY_H
#define PHOTONIC_OCS_TECHNOLOGY_H

#include "ns3/nstime.h"

#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @brief A kind of optical circuit switch that can be bought, or has been shown.
 *
 * Source of all entries: arXiv 2507.08119, table of technologies, where not said otherwise.
 */
struct OcsTechnology
{
    std::string name;          ///< as on the command line
    std::string example;       ///< a vendor
    uint32_t radix;            ///< ports, each a fibre pair
    Time reconfigurationDelay; ///< from the start of a change until light passes again
    std::string source;        ///< where radix and delay are stated

    /// @return all entries, slowest first
    static std::vector<OcsTechnology> GetCatalogue();

    /**
     * @param name of an entry
     * @return the entry
     * @throws std::invalid_argument that lists the known names
     */
    static OcsTechnology Get(const std::string& name);

    /**
     * @param gpusPerDomain GPUs of a scale-up domain, one rail each
     * @param portsPerGpu OCS ports that a GPU takes
     * @return GPUs that one such switch per rail can join: radix x gpusPerDomain / portsPerGpu
     */
    uint64_t GetMaxGpus(uint32_t gpusPerDomain, uint32_t portsPerGpu) const;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OCS_TECHNOLOGY_H
