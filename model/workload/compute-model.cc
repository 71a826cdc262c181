/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "compute-model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

ComputeModel::ComputeModel(const GpuSpec& gpu, double mfu)
    : m_flopsPerSecond(gpu.peakFlops * mfu),
      m_bytesPerSecond(gpu.memoryBandwidth)
{
    const auto isPositive = [](double x) { return x > 0 && std::isfinite(x); };
    std::ostringstream error;
    if (!isPositive(mfu) || mfu > 1)
    {
        error << "MFU has to be above 0 and at most 1, found " << mfu;
    }
    else if (!isPositive(gpu.peakFlops))
    {
        error << "the peak rate of a GPU has to be above 0 FLOP/s, found " << gpu.peakFlops;
    }
    else if (!isPositive(gpu.memoryBandwidth))
    {
        error << "memory bandwidth has to be above 0 byte/s, found " << gpu.memoryBandwidth;
    }
    if (!error.str().empty())
    {
        throw std::invalid_argument(error.str());
    }
}

Time
ComputeModel::GetDuration(const Work& work) const
{
    // Multiply before dividing: the quotient is then exact whenever the result is a whole number
    // of ticks, and rounding up does not add one.
    const long double ticksPerSecond = Seconds(1).GetTimeStep();
    const long double ticks = std::ceil(std::max(work.flops * ticksPerSecond / m_flopsPerSecond,
                                                 work.bytes * ticksPerSecond / m_bytesPerSecond));
    if (ticks >= static_cast<long double>(std::numeric_limits<int64_t>::max()))
    {
        std::ostringstream error;
        error << "a computation of " << work.flops << " FLOPs and " << work.bytes
              << " bytes takes longer than simulation time can express";
        throw std::invalid_argument(error.str());
    }
    return TimeStep(static_cast<uint64_t>(ticks));
}

} // namespace photonic
} // namespace ns3
