/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run-processes.h"

#include "ns3/global-value.h"
#include "ns3/mpi-interface.h"
#include "ns3/process-group.h"
#include "ns3/shared-job.h"
#include "ns3/string.h"

#include <iostream>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

/// Those of an MPI run.
class MpiProcesses : public RunProcesses
{
  public:
    MpiProcesses(const char* simulator, int argc, char** argv)
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue(simulator));
        MpiInterface::Enable(&argc, &argv);
    }

    ~MpiProcesses() override
    {
        MpiInterface::Disable();
    }

    uint32_t GetSize() const override
    {
        return MpiInterface::GetSize();
    }

    bool IsFirst() const override
    {
        return MpiInterface::GetSystemId() == 0;
    }

    void Share(Ptr<TrainingJob> job) override
    {
        if (GetSize() > 1)
        {
            m_job = std::make_unique<SharedJob>(job);
            job->TraceConnectWithoutContext(
                "Failed",
                Callback<void, const std::string&>(
                    [job = PeekPointer(job)](const std::string& reason) { Failed(*job, reason); }));
        }
    }

    void Replay() override
    {
        if (m_job)
        {
            m_job->Replay();
        }
    }

    uint64_t Sum(uint64_t value) override
    {
        return ProcessGroup::Sum(value);
    }

    double Sum(double value) override
    {
        return ProcessGroup::Sum(value);
    }

  private:
    /// Others may wait for this process for ever.
    [[noreturn]] static void Failed(const TrainingJob& job, const std::string& reason)
    {
        std::cerr << "photonic-rails-training: the job cannot go on: " << reason << std::endl;
        for (const auto& line : job.DescribeWaiting(16))
        {
            std::cerr << "  " << line << std::endl;
        }
        ProcessGroup::Abort(3);
    }

    std::unique_ptr<SharedJob> m_job;
};

} // namespace

std::unique_ptr<RunProcesses>
RunProcesses::Create(int argc, char** argv)
{
    for (int i = 1; i < argc; i++)
    {
        const std::string argument = argv[i];
        if (argument == "--mpi=granted")
        {
            return std::make_unique<MpiProcesses>("ns3::DistributedSimulatorImpl", argc, argv);
        }
        if (argument == "--mpi=null")
        {
            return std::make_unique<MpiProcesses>("ns3::NullMessageSimulatorImpl", argc, argv);
        }
    }
    return std::make_unique<RunProcesses>();
}

} // namespace photonic
} // namespace ns3
