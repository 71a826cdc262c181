/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_STOPWATCH_H
#define PHOTONIC_STOPWATCH_H

#include <chrono>
#include <ctime>

namespace ns3
{
namespace photonic
{

/// Time since it was made.
class Stopwatch
{
  public:
    /// @return on the wall
    double GetSeconds() const
    {
        return std::chrono::duration<double>(Clock::now() - m_begin).count();
    }

    /// @return of the processor: what others use of it in the meantime does not count
    double GetProcessorSeconds() const
    {
        return GetProcessorTime() - m_processorBegin;
    }

  private:
    using Clock = std::chrono::steady_clock;

    static double GetProcessorTime()
    {
        timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return time.tv_sec + 1e-9 * time.tv_nsec;
    }

    Clock::time_point m_begin{Clock::now()};
    double m_processorBegin{GetProcessorTime()};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_STOPWATCH_H
