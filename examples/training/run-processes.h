/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RUN_PROCESSES_H
#define PHOTONIC_RUN_PROCESSES_H

#include "ns3/training-job.h"

#include <cstdint>
#include <memory>

namespace ns3
{
namespace photonic
{

/**
 * The processes that share a run, of which the first one reports. Here there is one; where ns-3 has
 * MPI there can be more.
 */
class RunProcesses
{
  public:
    /**
     * @param argc as main() has it
     * @param argv as main() has it; only --mpi is looked at
     * @throws std::invalid_argument if several were asked for where there is no MPI
     */
    static std::unique_ptr<RunProcesses> Create(int argc, char** argv);

    virtual ~RunProcesses() = default;

    virtual uint32_t GetSize() const
    {
        return 1;
    }

    /// @return whether this is the process that reports
    virtual bool IsFirst() const
    {
        return true;
    }

    /// @param job that the processes run together; called before the simulation
    virtual void Share(Ptr<TrainingJob> job)
    {
        (void)job;
    }

    /// After the simulation: in the first process the job tells of what happened in all.
    virtual void Replay()
    {
    }

    /// @param value of this process @return the sum over all
    virtual uint64_t Sum(uint64_t value)
    {
        return value;
    }

    /// @param value of this process @return the sum over all
    virtual double Sum(double value)
    {
        return value;
    }
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RUN_PROCESSES_H
