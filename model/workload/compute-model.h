/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_COMPUTE_MODEL_H
#define PHOTONIC_COMPUTE_MODEL_H

#include "gpu-catalogue.h"

#include "ns3/nstime.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief What a computation asks of a GPU. Real numbers: the counts exceed 64 bits.
 */
struct Work
{
    double flops{0}; ///< floating-point operations; a multiply-add counts as two
    double bytes{0}; ///< moved between the GPU and its memory

    /// @param factor for all parts @return the product
    Work operator*(double factor) const
    {
        return {flops * factor, bytes * factor};
    }

    /// @param divisor of all parts @return the quotient
    Work operator/(double divisor) const
    {
        return {flops / divisor, bytes / divisor};
    }

    /// @param other work @return the sum
    Work operator+(const Work& other) const
    {
        return {flops + other.flops, bytes + other.bytes};
    }

    /// @param other work @return the difference
    Work operator-(const Work& other) const
    {
        return {flops - other.flops, bytes - other.bytes};
    }
};

/**
 * @ingroup photonic-rails-workload
 * @brief The roofline (Williams et al. 2009): a computation takes as long as its FLOPs at the
 *        achieved rate, or as its bytes at memory bandwidth, whichever is longer.
 */
class ComputeModel
{
  public:
    /**
     * @param gpu peak rate and memory bandwidth
     * @param mfu share of the peak rate that is achieved, in (0, 1]
     * @throws std::invalid_argument for another share, or a rate that is not positive
     */
    ComputeModel(const GpuSpec& gpu, double mfu);

    /**
     * @param work what to compute
     * @return its duration, rounded up to a tick
     * @throws std::invalid_argument if the duration exceeds what Time can hold
     */
    Time GetDuration(const Work& work) const;

  private:
    double m_flopsPerSecond; ///< achieved
    double m_bytesPerSecond; ///< memory bandwidth
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_COMPUTE_MODEL_H
