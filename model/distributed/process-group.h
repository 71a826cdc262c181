/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PROCESS_GROUP_H
#define PHOTONIC_PROCESS_GROUP_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-distributed
 * @brief The processes of a run, outside of simulated time: before it and after it.
 */
class ProcessGroup
{
  public:
    /// @param value of this process @return the sum over all processes, in all of them
    static uint64_t Sum(uint64_t value);
    /// The same. @param value of this process @return the sum over all
    static double Sum(double value);

    /**
     * @param bytes of this process
     * @return those of all processes, in order, in process 0; empty elsewhere
     */
    static std::vector<std::string> Gather(const std::string& bytes);

    /// End all processes at once. @param exitCode of the run
    [[noreturn]] static void Abort(int exitCode);
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PROCESS_GROUP_H
