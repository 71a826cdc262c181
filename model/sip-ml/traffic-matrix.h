/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAFFIC_MATRIX_H
#define PHOTONIC_TRAFFIC_MATRIX_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-sip-ml SiP-ML
 * @ingroup photonic-rails
 * @brief Who gets which ports or wavelengths on SiP-OCS and SiP-Ring.
 */

/**
 * @ingroup photonic-rails-sip-ml
 * @brief Bytes that each GPU has for each other one.
 */
class TrafficMatrix
{
  public:
    /// A pair of GPUs and what the first has for the second.
    struct Demand
    {
        /// GPU that sends.
        uint32_t source;
        /// GPU that receives.
        uint32_t destination;
        uint64_t bytes; ///< at least 1
    };

    /**
     * @param gpus size; no demand yet
     * @throws std::invalid_argument if there are fewer than two
     */
    explicit TrafficMatrix(uint32_t gpus);

    /// @return number of GPUs
    uint32_t GetSize() const;

    /**
     * @param source GPU
     * @param destination another one
     * @param bytes demand from now on; 0: none
     * @throws std::invalid_argument if there is no such GPU or they are the same
     */
    void Set(uint32_t source, uint32_t destination, uint64_t bytes);

    /// @param source GPU @param destination GPU, both less than GetSize()
    /// @return bytes that source has for destination
    uint64_t Get(uint32_t source, uint32_t destination) const;

    /// @return largest demand, bytes; 0 if there is none
    uint64_t GetMax() const;

    /// @return pairs with demand, by source, then destination
    std::vector<Demand> GetDemands() const;

  private:
    uint32_t m_gpus;
    std::vector<uint64_t> m_bytes;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAFFIC_MATRIX_H
