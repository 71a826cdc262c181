/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FLUID_NICS_H
#define PHOTONIC_FLUID_NICS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-operators
 * @brief When the NICs of GPUs are through with what they have been given, as a fluid.
 *
 * Either direction serves one request after the other, in the order in which they are made.
 */
class FluidNics
{
  public:
    /**
     * @param gpus number of NICs
     * @param rate of each, per direction; above 0
     */
    FluidNics(uint32_t gpus, DataRate rate)
        : m_out(gpus),
          m_in(gpus),
          m_ticksPerByte(8.0L * Seconds(1).GetTimeStep() / rate.GetBitRate())
    {
    }

    /**
     * @param position of a GPU
     * @param from when it can begin
     * @param bytes to send
     * @return when they have left
     */
    Time Send(uint32_t position, Time from, uint64_t bytes)
    {
        return Serve(m_out[position], from, bytes);
    }

    /**
     * @param position of a GPU
     * @param from when the first sender begins
     * @param bytes to receive
     * @return when they have arrived, as far as this end is concerned
     */
    Time Receive(uint32_t position, Time from, uint64_t bytes)
    {
        return Serve(m_in[position], from, bytes);
    }

  private:
    Time Serve(Time& busy, Time from, uint64_t bytes) const
    {
        if (bytes == 0)
        {
            return from;
        }
        const auto ticks = static_cast<int64_t>(std::ceil(bytes * m_ticksPerByte));
        return busy = std::max(busy, from) + TimeStep(ticks);
    }

    std::vector<Time> m_out;
    std::vector<Time> m_in;
    long double m_ticksPerByte;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FLUID_NICS_H
