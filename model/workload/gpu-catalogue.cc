/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "gpu-catalogue.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

const std::vector<GpuSpec>&
GetGpuCatalogue()
{
    static const std::vector<GpuSpec> catalogue{
        {"a100",
         312e12,
         40e9,
         1555e9,
         DataRate(2'400'000'000'000),
         DataRate(200'000'000'000),
         "NVIDIA A100 40GB data sheet; Perlmutter's one 200G NIC per GPU"},
        {"h100",
         989e12,
         80e9,
         3350e9,
         DataRate(3'600'000'000'000),
         DataRate(400'000'000'000),
         "NVIDIA H100 SXM data sheet"},
        {"h200",
         989e12,
         141e9,
         4800e9,
         DataRate(3'600'000'000'000),
         DataRate(400'000'000'000),
         "arXiv 2602.12521"},
        {"gb200",
         1250e12,
         186e9,
         8000e9,
         DataRate(14'400'000'000'000),
         DataRate(800'000'000'000),
         "arXiv 2602.12521, which takes NVLink's 1,800 GB/s as one direction"},
    };
    return catalogue;
}

const GpuSpec&
FindGpu(const std::string& name)
{
    std::string known;
    for (const GpuSpec& gpu : GetGpuCatalogue())
    {
        if (gpu.name == name)
        {
            return gpu;
        }
        known += (known.empty() ? "" : ", ") + gpu.name;
    }
    throw std::invalid_argument("unknown GPU '" + name + "', known are " + known);
}

} // namespace photonic
} // namespace ns3
