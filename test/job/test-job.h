/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TEST_JOB_H
#define PHOTONIC_TEST_JOB_H

#include "transport/test-rail.h"

#include "ns3/boolean.h"
#include "ns3/training-job-helper.h"

#include <functional>

namespace ns3
{
namespace photonic
{

using Part = Operation::Dependency::Part;
using After = std::vector<Operation::Dependency>;

/// @return a computation
inline Operation
MakeCompute(const std::string& label, Time duration, After after = {})
{
    Operation o;
    o.label = label;
    o.duration = duration;
    o.after = std::move(after);
    return o;
}

/// @return a collective
inline Operation
MakeCollective(const std::string& label,
               GroupSlot slot,
               CollectiveKind kind,
               uint64_t bytes,
               uint32_t counter,
               After after = {})
{
    Operation o;
    o.label = label;
    o.slot = slot;
    o.parallelism = slot == GroupSlot::TP     ? Parallelism::TP
                    : slot == GroupSlot::FSDP ? Parallelism::FSDP
                                              : Parallelism::PP;
    o.kind = kind;
    o.bytes = bytes;
    o.counter = counter;
    o.after = std::move(after);
    return o;
}

/// @return a point-to-point operation with a neighbouring stage
inline Operation
MakeTransfer(const std::string& label,
             GroupSlot slot,
             CollectiveKind kind,
             uint64_t sendBytes,
             uint64_t receiveBytes,
             uint32_t counter,
             After after = {})
{
    Operation o = MakeCollective(label, slot, kind, sendBytes, counter, std::move(after));
    o.receiveBytes = receiveBytes;
    return o;
}

/// A job on a small fabric whose ports send a full packet per microsecond, with 100 ns of fibre.
class TestJob
{
  public:
    struct Options
    {
        ParallelPlan::Degrees degrees{};
        std::vector<std::vector<Operation>> programs; ///< by stage
        uint32_t steps{1};
        bool photonic{false}; ///< no circuits are in place
        bool scaleUpPackets{false};
        uint64_t scaleUpRate{8'000'000'000}; ///< 1,000 bytes in 1 us
        Time scaleUpLatency{NanoSeconds(500)};
        Time stallTimeout{Hours(1)};
        bool stopWhenFinished{true};
        TrainingJobHelper::GateFactory gates;
    };

    /// An operation that is complete.
    struct Record
    {
        uint32_t rank;
        uint32_t step;
        std::string label;
        Time start;
        Time end;
        uint64_t sent;
    };

    explicit TestJob(const Options& options)
        : plan(options.degrees)
    {
        TrainingFabricHelper fabrics;
        fabrics.SetPortLayout(PortLayout::Shared(DataRate(2 * MICROSECOND_RATE),
                                                 2,
                                                 PipelineLanes::ONE_PER_NEIGHBOUR));
        fabrics.GetPhotonic().SetSwitchAttribute("Radix", UintegerValue(64));
        fabric =
            options.photonic ? fabrics.InstallPhotonic(plan) : fabrics.InstallElectricalIdeal(plan);
        std::vector<Ptr<const StepProgram>> programs;
        for (const auto& operations : options.programs)
        {
            programs.push_back(Create<StepProgram>(operations));
        }
        TrainingJobHelper helper(plan, programs);
        helper.SetSteps(options.steps);
        helper.SetScaleUp(DataRate(options.scaleUpRate), options.scaleUpLatency);
        helper.SetScaleUpPackets(options.scaleUpPackets);
        helper.SetGates(options.gates);
        helper.SetJobAttribute("StallTimeout", TimeValue(options.stallTimeout));
        helper.SetJobAttribute("StopWhenFinished", BooleanValue(options.stopWhenFinished));
        job = helper.Install(fabric);
        ports = helper.GetPorts();
        for (const auto& rank : job->GetRanks())
        {
            rank->TraceConnectWithoutContext("Operation",
                                             MakeCallback(&TestJob::OperationDone, this));
            rank->TraceConnectWithoutContext("Step", MakeCallback(&TestJob::StepDone, this));
        }
    }

    ~TestJob()
    {
        Simulator::Destroy();
        job->Dispose();
    }

    TestJob(const TestJob&) = delete;
    TestJob& operator=(const TestJob&) = delete;

    /// Run and expect all ranks to finish. @return the simulated time
    Time Run()
    {
        Simulator::Run();
        EXPECT_TRUE(job->IsFinished());
        for (const auto& line : job->DescribeWaiting(100))
        {
            ADD_FAILURE() << line;
        }
        EXPECT_EQ(job->GetFailure(), "");
        return Simulator::Now();
    }

    /// @return what is known of an operation that is complete
    Record Get(uint32_t rank, const std::string& label, uint32_t step = 0) const
    {
        for (const auto& record : records)
        {
            if (record.rank == rank && record.step == step && record.label == label)
            {
                return record;
            }
        }
        ADD_FAILURE() << label << " of rank " << rank << " is not complete in step " << step;
        return {};
    }

    Time GetEnd(uint32_t rank, const std::string& label, uint32_t step = 0) const
    {
        return Get(rank, label, step).end;
    }

    ParallelPlan plan;
    TrainingFabric fabric;
    Ptr<TrainingJob> job;
    std::vector<MessagePort*> ports;
    std::vector<Record> records;
    std::vector<StepRecord> steps;

  private:
    void OperationDone(const OperationRecord& r)
    {
        records.push_back({r.rank, r.step, r.operation->label, r.start, r.end, r.sent});
    }

    void StepDone(const StepRecord& r)
    {
        steps.push_back(r);
    }
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TEST_JOB_H
