/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * What a TrainingRun sees of its simulation, and makes of it.
 */
#include "training-run.h"

#include "ns3/simulator.h"

#include <set>
#include <sys/resource.h>

namespace ns3
{
namespace photonic
{

void
TrainingRun::CollectResult()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    m_result.peakMemoryBytes = m_processes.Sum(uint64_t(usage.ru_maxrss) * 1024);
    m_result.events = m_processes.Sum(Simulator::GetEventCount());
    m_result.packets = m_processes.Sum(CountPackets() - m_profilingPackets);
    m_result.droppedPackets = m_processes.Sum(CountDrops());
    TransportCounters counters;
    for (const auto* port : m_jobHelper->GetPorts())
    {
        counters += port->GetCounters();
    }
    for (uint64_t TransportCounters::* counter : TransportCounters::ALL)
    {
        m_result.transport.*counter = m_processes.Sum(counters.*counter);
    }
    m_result.serialisationStallSeconds = m_processes.Sum(m_serialisation) / m_plan.GetRanks();
    if (m_opus)
    {
        for (uint32_t rank = 0; rank < m_plan.GetRanks(); rank++)
        {
            m_result.mispredictions += m_opus->GetShim(rank)->GetMispredictions();
        }
    }
    if (m_fabric.wdm)
    {
        m_result.reconfigurations = m_fabric.wdm->GetRetunes(); // all steps are measured
        m_result.darkSeconds = m_fabric.wdm->GetDarkTime().GetSeconds();
    }
    m_result.mispredictions = m_processes.Sum(m_result.mispredictions);
}

bool
TrainingRun::IsMeasured(uint32_t step) const
{
    return step >= m_profilingSteps;
}

void
TrainingRun::RankStepDone(const StepRecord& record)
{
    if (record.step + 1 == m_profilingSteps && m_profilingPackets == 0)
    {
        // The first rank to leave profiling: all others have ended it too, and wait for the word.
        m_profilingPackets = CountPackets();
    }
}

void
TrainingRun::StepDone(const StepSummary& summary)
{
    if (m_timeline)
    {
        m_timeline->Flush();
    }
    if (!IsMeasured(summary.step))
    {
        m_result.profilingStepTimes.push_back(summary.duration);
        return;
    }
    m_result.stepTimes.push_back(summary.duration);
    m_result.compute += summary.compute;
    m_result.communication += summary.communication;
    m_result.exposedCommunication += summary.exposedCommunication;
    m_result.stall += summary.stall;
    m_result.exposedReconfigurations += summary.exposedReconfigurations;
    for (std::size_t i = 0; i < m_result.bytes.size(); i++)
    {
        m_result.bytes[i] += summary.bytes[i];
    }
    if (!m_files)
    {
        return;
    }
    std::set<uint64_t> exposed;
    summary.cause.WalkBack([&](uint64_t id) {
        exposed.insert(id);
        return m_requests.count(id) > 0;
    });
    for (auto it = m_requests.begin(); it != m_requests.end();)
    {
        if (it->second.key.step <= summary.step)
        {
            m_files->Write(it->second, exposed.count(it->first) > 0);
            it = m_requests.erase(it);
        }
        else
        {
            ++it;
        }
    }
    m_files->Flush();
}

void
TrainingRun::PhaseDone(const Phase& phase)
{
    if (m_files && IsMeasured(phase.step))
    {
        m_files->Write(phase);
    }
}

void
TrainingRun::WindowDone(const Window& window)
{
    if (!IsMeasured(window.step))
    {
        return;
    }
    m_result.windows++;
    m_result.windowsOver1ms += window.duration > MilliSeconds(1);
    m_result.windowsOver15ms += window.duration > MilliSeconds(15);
    if (m_files)
    {
        m_files->Write(window);
    }
}

void
TrainingRun::RequestDone(const OpusController::Record& record)
{
    if (record.id == 0 || !IsMeasured(record.key.step))
    {
        return;
    }
    m_result.reconfigurations++;
    m_result.darkSeconds +=
        m_fabric.circuitSwitches[record.rail]->GetReconfigurationDelay().GetSeconds() *
        record.portsDark;
    if (m_files)
    {
        m_requests[record.id] = record;
    }
}

void
TrainingRun::Waited(const OpusShim::Wait& wait)
{
    if (IsMeasured(wait.operation.step))
    {
        m_serialisation += wait.serialisation.GetSeconds();
    }
}

uint64_t
TrainingRun::CountPackets() const
{
    uint64_t packets = 0;
    for (const auto* port : m_jobHelper->GetPorts())
    {
        packets += port->GetPacketsReceived();
    }
    return packets;
}

uint64_t
TrainingRun::CountDrops() const
{
    uint64_t drops = 0;
    for (const auto& ports : m_fabric.ports)
    {
        for (const auto& port : ports)
        {
            for (const auto& [reason, count] : port->GetDrops())
            {
                drops += count;
            }
        }
    }
    for (const auto& packetSwitch : m_fabric.packetSwitches)
    {
        for (const auto& [reason, count] : packetSwitch->GetDrops())
        {
            drops += count;
        }
    }
    for (const auto* port : m_jobHelper->GetPorts())
    {
        drops += port->GetOutOfSequence();
    }
    return drops;
}

} // namespace photonic
} // namespace ns3
