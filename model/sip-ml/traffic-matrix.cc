/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "traffic-matrix.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

TrafficMatrix::TrafficMatrix(uint32_t gpus)
    : m_gpus(gpus)
{
    if (gpus < 2)
    {
        throw std::invalid_argument("a traffic matrix needs at least 2 GPUs, not " +
                                    std::to_string(gpus));
    }
    m_bytes.resize(size_t{gpus} * gpus);
}

uint32_t
TrafficMatrix::GetSize() const
{
    return m_gpus;
}

void
TrafficMatrix::Set(uint32_t source, uint32_t destination, uint64_t bytes)
{
    if (source >= m_gpus || destination >= m_gpus || source == destination)
    {
        throw std::invalid_argument("demand from GPU " + std::to_string(source) + " to GPU " +
                                    std::to_string(destination) + ": expected two of " +
                                    std::to_string(m_gpus) + " GPUs");
    }
    m_bytes[size_t{source} * m_gpus + destination] = bytes;
}

uint64_t
TrafficMatrix::Get(uint32_t source, uint32_t destination) const
{
    return m_bytes[size_t{source} * m_gpus + destination];
}

uint64_t
TrafficMatrix::GetMax() const
{
    return *std::max_element(m_bytes.begin(), m_bytes.end());
}

std::vector<TrafficMatrix::Demand>
TrafficMatrix::GetDemands() const
{
    std::vector<Demand> demands;
    for (uint32_t source = 0; source < m_gpus; ++source)
    {
        for (uint32_t destination = 0; destination < m_gpus; ++destination)
        {
            if (const uint64_t bytes = Get(source, destination))
            {
                demands.push_back({source, destination, bytes});
            }
        }
    }
    return demands;
}

} // namespace photonic
} // namespace ns3
