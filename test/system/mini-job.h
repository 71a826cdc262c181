/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TEST_MINI_JOB_H
#define PHOTONIC_TEST_MINI_JOB_H

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/job-statistics.h"
#include "ns3/opus-helper.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/step-program-builder.h"
#include "ns3/string.h"
#include "ns3/training-job-helper.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/// A training job that is small in bytes, on a fabric of choice.
struct MiniJob
{
    TrainingPlan plan;
    bool photonic{true};
    bool provisioned{false};
    bool foreseesFirst{false}; ///< see OpusShim
    bool hostAhead{false};     ///< see RankApplication
    PipelineLanes lanes{PipelineLanes::ONE_PER_NEIGHBOUR};
    bool preset{false}; ///< circuits of all groups that can hold at once are there at the start
    Time delay;         ///< of a reconfiguration
    Time bringUp;       ///< of a link after one
    bool trains{false}; ///< message fidelity
    std::string controlPath{"instant"};
    uint32_t steps{1}; ///< measured ones
    const PhaseProfile* profile{nullptr};
    Ptr<ReliableTransport> transport; ///< if any
    double loss{0};                   ///< share of packets that every NIC port loses

    /// What came out.
    struct Outcome
    {
        bool finished{false};
        std::string stall;
        std::string failure;
        std::vector<Time> stepEnds; ///< of all steps, profiling included
        std::vector<StepSummary> steps;
        uint64_t reconfigurations{0};
        uint64_t mispredictions{0};
        uint64_t drops{0};
        uint64_t packets{0}; ///< of data
        TransportCounters transport;
        std::array<uint64_t, PARALLELISMS> bytes{};
        std::optional<PhaseProfile> learned;

        /// @return duration of the last step
        Time GetLastStep() const
        {
            return steps.back().duration;
        }
    };

    MiniJob()
    {
        TransformerShape shape;
        shape.hidden = 64;
        shape.intermediate = 128;
        shape.layers = 8;
        shape.heads = 4;
        shape.kvHeads = 2;
        shape.headDim = 16;
        shape.vocabulary = 100;
        plan.model = TransformerModel(shape);
        plan.sequenceLength = 64;
        plan.degrees.gpusPerNode = 1;
    }

    /// @return what came out of a simulation of the job
    Outcome Run() const
    {
        Outcome outcome;
        const ParallelPlan parallel(plan.degrees);
        TrainingFabricHelper fabricHelper;
        fabricHelper.SetPortLayout(PortLayout::Shared(DataRate("400Gbps"), 2, lanes));
        fabricHelper.GetPhotonic().SetSwitchAttribute("ReconfigurationDelay", TimeValue(delay));
        if (!bringUp.IsZero())
        {
            auto time = CreateObject<ConstantRandomVariable>();
            time->SetAttribute("Constant", DoubleValue(bringUp.GetSeconds()));
            fabricHelper.GetPhotonic().SetDeviceAttribute("BringUpTime", PointerValue(time));
        }
        auto fabric = photonic ? fabricHelper.InstallPhotonic(parallel)
                               : fabricHelper.InstallElectricalIdeal(parallel);
        TrainingJobHelper jobHelper(parallel, BuildStepPrograms(plan));
        OpusHelper opus;
        uint32_t profiling = 0;
        Ptr<TrainingJob> job;
        if (photonic)
        {
            opus.SetControlPath(controlPath);
            opus.SetShimAttribute("Provisioned", BooleanValue(provisioned));
            opus.SetShimAttribute("ForeseesFirst", BooleanValue(foreseesFirst));
            const BooleanValue both(lanes == PipelineLanes::BOTH_TO_PEER);
            opus.SetShimAttribute("PairsUseBothPorts", both);
            opus.SetControllerAttribute("PairsUseBothPorts", both);
            opus.SetFailure([&job](const std::string& reason) { job->Fail(reason); });
            opus.Install(parallel, fabric);
            if (profile)
            {
                opus.LoadProfile(*profile);
            }
            if (provisioned && !opus.HasProfile())
            {
                profiling = opus.GetShim(0)->GetProfilingSteps();
            }
            if (preset)
            {
                Preset(parallel, *opus.GetController());
            }
            jobHelper.SetGates([&opus](uint32_t rank) { return opus.GetShim(rank); });
        }
        for (uint32_t rank = 0; loss > 0 && rank < parallel.GetRanks(); rank++)
        {
            for (const auto& port : fabric.ports[rank])
            {
                auto model = CreateObject<RateErrorModel>();
                model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                model->SetRate(loss);
                model->AssignStreams(rank * 2 + port->GetIfIndex());
                port->SetAttribute("ReceiveErrorModel", PointerValue(model));
            }
        }
        jobHelper.SetFidelity(trains ? Fidelity::MESSAGE : Fidelity::PACKET);
        jobHelper.SetHostAhead(hostAhead);
        jobHelper.SetTransport(transport);
        jobHelper.SetSteps(profiling + steps);
        job = jobHelper.Install(fabric);
        auto statistics = CreateObject<JobStatistics>();
        statistics->Observe(job);
        statistics->TraceConnectWithoutContext("Step", MakeCallback(&Collect).Bind(&outcome));
        Simulator::Run();
        outcome.finished = job->IsFinished();
        outcome.failure = job->GetFailure();
        for (const auto* port : jobHelper.GetPorts())
        {
            outcome.packets += port->GetPacketsReceived();
            outcome.transport += port->GetCounters();
        }
        for (const auto& line : job->DescribeWaiting(4))
        {
            outcome.stall += line + "\n";
        }
        if (photonic)
        {
            outcome.reconfigurations = opus.GetController()->GetReconfigurations();
            for (uint32_t rank = 0; rank < parallel.GetRanks(); rank++)
            {
                outcome.mispredictions += opus.GetShim(rank)->GetMispredictions();
            }
            outcome.stall += opus.DescribePending();
            if (provisioned && outcome.finished)
            {
                outcome.learned = opus.CollectProfile("mini");
            }
        }
        for (const auto& ports : fabric.ports)
        {
            for (const auto& port : ports)
            {
                for (const auto& [reason, count] : port->GetDrops())
                {
                    outcome.drops += count;
                }
            }
        }
        Simulator::Destroy();
        return outcome;
    }

  private:
    static void Collect(Outcome* outcome, const StepSummary& summary)
    {
        outcome->steps.push_back(summary);
        outcome->stepEnds.push_back(summary.end);
        outcome->bytes = summary.bytes;
    }

    /// Rings of the whole pipeline if there is one, else of the data-parallel groups.
    static void Preset(const ParallelPlan& parallel, OpusController& controller)
    {
        const GroupSlot slot = parallel.GetDegrees().pp > 1 ? GroupSlot::PP : GroupSlot::FSDP;
        std::set<uint32_t> done;
        for (uint32_t rank = 0; rank < parallel.GetRanks(); rank++)
        {
            const auto group = parallel.GetGroup(rank, slot);
            if (done.insert(group.id).second)
            {
                controller.Preset(group);
            }
        }
    }
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TEST_MINI_JOB_H
