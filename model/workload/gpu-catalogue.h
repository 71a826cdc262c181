/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_GPU_CATALOGUE_H
#define PHOTONIC_GPU_CATALOGUE_H

#include "ns3/data-rate.h"

#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief What the workload and the fabric need to know of a GPU and its NIC.
 */
struct GpuSpec
{
    /// As options spell it.
    std::string name;
    double peakFlops;       ///< dense bf16, FLOP/s
    double memoryBytes;     ///< capacity, bytes (decimal, as vendors state it)
    double memoryBandwidth; ///< byte/s
    DataRate scaleUp;       ///< NVLink, per direction
    DataRate scaleOut;      ///< NIC, per direction, all ports
    std::string source;     ///< where the numbers come from
};

/// @ingroup photonic-rails-workload
/// @return all known GPUs
const std::vector<GpuSpec>& GetGpuCatalogue();

/**
 * @ingroup photonic-rails-workload
 * @param name of a GPU in the catalogue
 * @return its numbers
 * @throws std::invalid_argument for another name, listing those known
 */
const GpuSpec& FindGpu(const std::string& name);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_GPU_CATALOGUE_H
