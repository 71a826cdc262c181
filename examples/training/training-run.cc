/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "training-run.h"

#include "flow-report.h"
#include "options-parallel.h"
#include "port-report.h"
#include "run-checks.h"
#include "run-fabric.h"
#include "run-faults.h"
#include "run-progress.h"
#include "run-report.h"
#include "run-sip.h"

#include "ns3/boolean.h"
#include "ns3/chakra-export.h"
#include "ns3/chakra-import.h"
#include "ns3/operator-model.h"
#include "ns3/operator-program-builder.h"
#include "ns3/optical-net-device.h"
#include "ns3/phase-replay.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-header.h"
#include "ns3/simai-program.h"
#include "ns3/simulator.h"
#include "ns3/step-program-builder.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// @param begin an instant @return wall time since then
double
GetSecondsSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// @return of a GPU's payload in full packets, over all ports, in bit/s
double
GetPayloadRate(const Options& options)
{
    return double(options.plan.gpu.scaleOut.GetBitRate()) * RoceHeader::GetMaxPayload(options.mtu) /
           (options.mtu + OpticalNetDevice::GetFrameOverhead());
}

} // namespace

TrainingRun::TrainingRun(const Options& options, RunProcesses& processes)
    : m_options(options),
      m_processes(processes),
      m_plan(options.GetDegrees()),
      m_programs(BuildPrograms())
{
    const auto begin = std::chrono::steady_clock::now();
    RngSeedManager::SetSeed(options.seed);
    const RunChecks checks(m_options, m_plan);
    checks.RefuseWhatDoesNotFit();
    checks.RefuseTransfersOnRails();
    checks.RefuseOnePort();
    checks.RefuseTwoRings();
    checks.RefuseSharedLinks();
    checks.RefuseSharedNodes();
    checks.RefuseAlgorithms(m_programs);
    checks.RefuseWhatCannotBeDivided(m_processes.GetSize());
    m_longestStep = checks.GetLongestStep(m_programs);
    checks.RefuseWhatOutrunsTheClock(m_longestStep);
    m_fabric = BuildFabric(m_options, m_plan, m_programs, [this](uint32_t rank) {
        return GetProcessOf(rank);
    });
    if (m_options.fabric == "photonic" && m_options.control != "one-shot")
    {
        BuildOpus();
    }
    BuildJob();
    InstallFaults(m_options, m_fabric, m_job, m_opus.get());
    BeginEpochs(m_fabric, m_options, m_plan);
    m_result.inventory = m_fabric.inventory;
    m_result.forwardedBytes = m_fabric.forwardedBytes;
    m_result.setUpSeconds = GetSecondsSince(begin);
}

TrainingRun::~TrainingRun()
{
    Simulator::Destroy();
}

std::vector<Ptr<const StepProgram>>
TrainingRun::BuildPrograms()
{
    if (m_options.IsGraph())
    {
        return BuildOperators();
    }
    if (m_options.IsImport())
    {
        return m_options.simai
                   ? std::vector{BuildSimaiProgram(*m_options.simai, m_plan.GetDegrees())}
                   : ImportChakra(m_options.chakra, m_plan);
    }
    if (!m_options.IsReplay())
    {
        RngSeedManager::SetSeed(m_options.seed); // how popular experts are
        auto plan = m_options.plan;
        plan.degrees = m_plan.GetDegrees();
        return BuildStepPrograms(plan);
    }
    const auto& file = m_options.replay;
    const auto& trace = *m_options.trace;
    try
    {
        auto replay = BuildPhaseReplay(trace,
                                       m_options.replayStep,
                                       m_options.plan,
                                       GetPayloadRate(m_options));
        if (trace.reversed > 0)
        {
            m_replayWarnings.push_back(file + ": " + std::to_string(trace.reversed) +
                                       " rows end before they start, and are taken as of zero "
                                       "length");
        }
        if (replay.tooShort > 0)
        {
            m_replayWarnings.push_back(file + ": " + std::to_string(replay.tooShort) +
                                       " data-parallel phases of step " +
                                       std::to_string(m_options.replayStep) +
                                       " are shorter than their transfers at the rate of a NIC");
        }
        return std::move(replay.programs);
    }
    catch (const std::invalid_argument& refusal)
    {
        throw std::invalid_argument(file + ": " + refusal.what());
    }
}

std::vector<Ptr<const StepProgram>>
TrainingRun::BuildOperators() const
{
    const auto& plan = m_options.plan;
    const auto graph =
        FindOperatorModel(m_options.operators).Build(plan.microbatchSize, plan.sequenceLength);
    const ComputeModel compute(plan.gpu, plan.mfu);
    PlacementLimits limits;
    limits.gpus = m_options.mp;
    limits.groups = plan.degrees.dp;
    limits.degree = m_options.forwarding == "none" ? m_options.sipSwitches : 0;
    limits.reach = m_options.fabric == "sip-ring" ? m_options.sipReach : 0;
    const auto placement = [&] {
        try
        {
            return OperatorPlacement(graph, compute, limits);
        }
        catch (const std::invalid_argument& refusal)
        {
            throw std::invalid_argument("--mp=" + std::to_string(m_options.mp) +
                                        ", --dp=" + std::to_string(plan.degrees.dp) +
                                        ", --sipReach=" + std::to_string(m_options.sipReach) +
                                        ": " + refusal.what());
        }
    }();
    const OperatorSchedule schedule(graph,
                                    compute,
                                    placement,
                                    plan.gpu.scaleOut,
                                    plan.gradientBytes);
    return BuildOperatorPrograms(graph, placement, schedule, plan.gradientBytes);
}

uint32_t
TrainingRun::GetProcessOf(uint32_t rank) const
{
    const auto& degrees = m_plan.GetDegrees();
    const auto place = m_plan.GetCoordinates(rank);
    const uint64_t processes = m_processes.GetSize();
    return m_options.cut == "stage"
               ? place.pp * processes / degrees.pp
               : (place.dp * degrees.fsdp + place.fsdp) * processes / (degrees.dp * degrees.fsdp);
}

void
TrainingRun::BuildOpus()
{
    const bool provisioned = m_options.control == "provisioned";
    m_opus = std::make_unique<OpusHelper>();
    m_opus->SetCircuitScheduler(m_options.controller);
    m_opus->SetControlPath(m_options.controlPath);
    m_opus->SetControlPathAttribute("ControlDelay", TimeValue(m_options.controlDelay));
    m_opus->SetControllerAttribute("ServiceTime", TimeValue(m_options.controlServiceTime));
    m_opus->SetControlPathAttribute("RetransmissionTimeout", TimeValue(m_options.controlRetry));
    m_opus->SetControllerAttribute("Lease", TimeValue(m_options.lease));
    m_opus->SetControllerAttribute("PortRetry", TimeValue(m_options.portRetry));
    if (const auto faults = MakeControlFaults(m_options))
    {
        m_opus->SetControlPathAttribute("Faults", PointerValue(faults));
    }
    m_opus->SetShimAttribute("Provisioned", BooleanValue(provisioned));
    m_opus->SetShimAttribute("ForeseesFirst", BooleanValue(m_options.firstRequest == "step"));
    m_opus->SetFailure([this](const std::string& reason) { m_job->Fail(reason); });
    m_opus->Install(m_plan, m_fabric);
    if (provisioned && !m_options.profile.empty())
    {
        if (std::filesystem::exists(m_options.profile))
        {
            const auto profile = PhaseProfile::Load(m_options.profile, GetFingerprint());
            RunChecks(m_options, m_plan).CheckProfile(profile);
            m_opus->LoadProfile(profile);
        }
        else if (m_processes.GetSize() > 1)
        {
            throw std::invalid_argument("--profile=" + m_options.profile +
                                        ": there is no such file, and only a run of one process "
                                        "writes one");
        }
        else
        {
            RunChecks(m_options, m_plan).CheckProfileDirectory();
            m_saveProfile = true;
        }
    }
    if (provisioned && !m_opus->HasProfile())
    {
        m_profilingSteps = m_opus->GetShim(0)->GetProfilingSteps();
    }
    m_opus->GetController()->TraceConnectWithoutContext(
        "Reconfiguration",
        MakeCallback(&TrainingRun::RequestDone, this));
    for (uint32_t rank = 0; rank < m_plan.GetRanks(); rank++)
    {
        m_opus->GetShim(rank)->TraceConnectWithoutContext("Wait",
                                                          MakeCallback(&TrainingRun::Waited, this));
    }
}

std::string
TrainingRun::GetFingerprint() const
{
    // What a rank's sequence of operations depends on, and no more.
    static const std::set<std::string> relevant = {"gpus",
                                                   "gpusPerNode",
                                                   "tp",
                                                   "pp",
                                                   "fsdp",
                                                   "dp",
                                                   "microbatches",
                                                   "schedule",
                                                   "layersPerStage",
                                                   "parameterGather",
                                                   "gradientSync",
                                                   "gradientOrder",
                                                   "gradientNorm"};
    std::string text;
    for (const auto& [name, value] : GetConfiguration(m_options))
    {
        if (relevant.count(name))
        {
            text += (text.empty() ? "" : " ") + name + "=" + value;
        }
    }
    if (!m_options.IsReplay() && !m_options.IsImport())
    {
        return text + " " + Describe(m_options.plan.model.GetShape());
    }
    // Names of files say nothing about what a rank does in which order: FNV-1a of that.
    uint64_t hash = 0xcbf29ce484222325;
    for (const auto& program : m_programs)
    {
        for (const auto& operation : program->GetOperations())
        {
            if (!operation.IsCompute())
            {
                hash = (hash ^ static_cast<uint64_t>(operation.slot)) * 0x100000001b3;
            }
        }
        hash = (hash ^ GROUP_SLOTS) * 0x100000001b3; // end of the stage
    }
    return text + (m_options.IsImport() ? " import=" : " replay=") + std::to_string(hash);
}

void
TrainingRun::BuildJob()
{
    m_jobHelper = std::make_unique<TrainingJobHelper>(m_plan, m_programs);
    m_jobHelper->SetSteps(m_profilingSteps + m_options.steps);
    m_jobHelper->SetHostAhead(m_options.hostAhead);
    m_jobHelper->SetAcknowledgements(m_options.acknowledgements);
    m_jobHelper->SetTransport(MakeTransport());
    m_jobHelper->SetAnyOrder(m_options.Sprays() && !m_options.RecoversOrControls());
    m_jobHelper->SetFidelity(m_options.fidelity == "packet"    ? Fidelity::PACKET
                             : m_options.fidelity == "message" ? Fidelity::MESSAGE
                                                               : Fidelity::COLLECTIVE);
    m_jobHelper->SetAlgorithms(MakeAlgorithmTable(m_options, true));
    m_jobHelper->SetScaleUpAlgorithms(MakeAlgorithmTable(m_options, false));
    m_jobHelper->SetScaleUp(m_options.plan.gpu.scaleUp, m_options.scaleUpLatency);
    if (m_opus)
    {
        m_jobHelper->SetGates([this](uint32_t rank) { return m_opus->GetShim(rank); });
    }
    // Nothing that moves takes longer than a step in which nothing overlaps. Null messages do not
    // skip the time in which nothing happens.
    const Time margin = m_options.mpi == "null" ? MilliSeconds(1) : Hours(1);
    m_jobHelper->SetJobAttribute("StallTimeout", TimeValue(margin + Seconds(m_longestStep)));
    if (m_processes.GetSize() > 1)
    {
        m_jobHelper->SetJobAttribute("StopWhenFinished", BooleanValue(false));
    }
    m_job = m_jobHelper->Install(m_fabric);
    m_processes.Share(m_job);
    ObserveProfiling();
    m_phases = CreateObject<PhaseRecorder>();
    m_phases->Observe(m_job, m_plan);
    m_phases->TraceConnectWithoutContext("Phase", MakeCallback(&TrainingRun::PhaseDone, this));
    m_phases->TraceConnectWithoutContext("Window", MakeCallback(&TrainingRun::WindowDone, this));
    m_statistics = CreateObject<JobStatistics>();
    m_statistics->Observe(m_job);
    m_statistics->TraceConnectWithoutContext("Step", MakeCallback(&TrainingRun::StepDone, this));
}

Ptr<const ReliableTransport>
TrainingRun::MakeTransport() const
{
    if (!m_options.RecoversOrControls())
    {
        return nullptr;
    }
    auto transport = CreateObject<ReliableTransport>();
    transport->SetAttribute("Retransmission", StringValue(m_options.retransmission));
    if (m_options.Sprays())
    {
        // Half a window: a loss is noticed before the window closes.
        UintegerValue window;
        transport->GetAttribute("Window", window);
        transport->SetAttribute("ReorderTolerance", UintegerValue(window.Get() / 2));
    }
    if (m_options.congestionControl == "dcqcn")
    {
        transport->SetCongestionControl("ns3::photonic::Dcqcn");
        const double scale = m_options.GetDcqcnScale();
        transport->SetControlAttribute("AdditiveIncrease",
                                       DataRateValue(DataRate(std::llround(40e6 * scale))));
        transport->SetControlAttribute("HyperIncrease",
                                       DataRateValue(DataRate(std::llround(400e6 * scale))));
    }
    else if (m_options.congestionControl == "swift")
    {
        transport->SetCongestionControl("ns3::photonic::Swift");
    }
    return transport;
}

void
TrainingRun::ObserveProfiling()
{
    const auto done = MakeCallback(&TrainingRun::RankStepDone, this);
    if (m_processes.GetSize() == 1)
    {
        m_job->TraceConnectWithoutContext("Step", done);
        return;
    }
    for (const auto& rank : m_job->GetRanks()) // the job speaks after the simulation
    {
        rank->TraceConnectWithoutContext("Step", done);
    }
}

const std::vector<Ptr<const StepProgram>>&
TrainingRun::GetPrograms() const
{
    return m_programs;
}

std::vector<std::string>
TrainingRun::GetWarnings() const
{
    const RunChecks checks(m_options, m_plan);
    auto warnings = checks.GetMemoryWarnings();
    warnings.insert(warnings.end(), m_replayWarnings.begin(), m_replayWarnings.end());
    for (auto& warning : checks.GetFabricWarnings(m_fabric.inventory))
    {
        warnings.push_back(std::move(warning));
    }
    return warnings;
}

void
TrainingRun::Export() const
{
    if (!m_options.exportPrefix.empty())
    {
        ChakraExport(m_programs, m_plan).Write(m_options.exportPrefix);
    }
}

bool
TrainingRun::HasController() const
{
    return m_opus != nullptr;
}

uint32_t
TrainingRun::GetProfilingSteps() const
{
    return m_profilingSteps;
}

void
TrainingRun::OpenTimeline()
{
    if (m_options.timeline.empty())
    {
        return;
    }
    m_timeline = std::make_unique<RunTimeline>(m_options.timeline, m_profilingSteps);
    m_timeline->GetHelper().Install(m_job, m_plan, m_fabric);
    if (m_opus)
    {
        m_timeline->GetHelper().Install(*m_opus);
    }
}

bool
TrainingRun::Simulate(RunFiles* files)
{
    m_files = files;
    std::unique_ptr<FlowReport> flows;
    if (files && m_options.flows)
    {
        flows = std::make_unique<FlowReport>(files->GetPath("flows.csv"), m_plan, m_fabric.gpus);
    }
    OpenTimeline();
    uint64_t operations = 0;
    for (const auto& rank : m_job->GetRanks())
    {
        operations += rank->GetProgram().GetOperations().size() * rank->GetSteps();
    }
    const auto begin = std::chrono::steady_clock::now();
    {
        RunProgress progress(m_job, operations);
        Simulator::Run();
    }
    m_result.wallSeconds = GetSecondsSince(begin);
    m_processes.Replay();
    if (m_timeline)
    {
        m_timeline->Close();
    }
    CollectResult();
    if (flows)
    {
        flows->Flush();
    }
    if (files && m_options.ports)
    {
        WriteWhole(files->GetPath("ports.csv"), ReportPorts(m_fabric, Simulator::Now()));
    }
    if (m_opus && m_job->IsFinished() && !m_opus->DescribePending().empty())
    {
        m_job->Fail("the job has finished with a request pending: " + m_opus->DescribePending());
    }
    return m_processes.Sum(uint64_t(m_job->IsFinished())) == m_processes.GetSize();
}

std::vector<std::string>
TrainingRun::DescribeStall() const
{
    std::vector<std::string> lines;
    if (!m_job->GetFailure().empty())
    {
        lines.push_back(m_job->GetFailure());
    }
    for (const auto& line : m_job->DescribeWaiting(16))
    {
        lines.push_back(line);
    }
    if (m_opus)
    {
        for (const auto& line : m_opus->GetController()->DescribeWaiting())
        {
            lines.push_back(line);
        }
    }
    return lines;
}

void
TrainingRun::SaveProfile() const
{
    if (m_saveProfile)
    {
        m_opus->CollectProfile(GetFingerprint()).Save(m_options.profile);
    }
}

const RunResult&
TrainingRun::GetResult() const
{
    return m_result;
}

} // namespace photonic
} // namespace ns3
