/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "timeline-helper.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// Places of groups of rows, from the top.
enum Order : uint32_t
{
    RAILS = 0,
    CONTROLLER = 1000000,
    SWITCHES,
    RANKS = 2000000,
};

/// @return names of a rail's ports
std::map<uint32_t, std::string>
GetPortNames(const ParallelPlan& plan, const TrainingFabric& fabric, uint32_t rail)
{
    std::map<uint32_t, std::string> names;
    const uint32_t nicPorts = fabric.layout.ports.size();
    for (uint32_t rank = 0; rank < plan.GetRanks(); rank++)
    {
        for (uint32_t port = 0; plan.GetRail(rank) == rail && port < nicPorts; port++)
        {
            const uint32_t number = fabric.GetSwitchPort(plan, rank, port);
            names[number] = "port " + std::to_string(number) + ": rank " + std::to_string(rank) +
                            " NIC port " + std::to_string(port);
        }
    }
    return names;
}

} // namespace

TimelineHelper::TimelineHelper(std::ostream& os, uint32_t firstStep)
    : m_trace(std::make_shared<ChromeTrace>(os)),
      m_range(std::make_shared<TimelineRange>())
{
    m_range->firstStep = firstStep;
}

void
TimelineHelper::Install(Ptr<TrainingJob> job,
                        const ParallelPlan& plan,
                        const TrainingFabric& fabric)
{
    if (m_job)
    {
        throw std::logic_error("a timeline shows one job");
    }
    m_ranks = plan.GetRanks();
    m_job = Create<JobTimeline>(m_trace, m_range, plan, RAILS, RANKS);
    m_job->Observe(job);
    for (uint32_t rail = 0; rail < fabric.circuitSwitches.size(); rail++)
    {
        m_switches.push_back(
            Create<CircuitTimeline>(m_trace,
                                    m_range,
                                    "circuit switch of rail " + std::to_string(rail),
                                    SWITCHES + rail,
                                    GetPortNames(plan, fabric, rail)));
        m_switches.back()->Observe(fabric.circuitSwitches[rail]);
    }
    if (fabric.wdm)
    {
        m_wavelengths = Create<WavelengthTimeline>(m_trace, m_range, SWITCHES);
        m_wavelengths->Observe(fabric.wdm, m_ranks);
    }
}

void
TimelineHelper::Install(const OpusHelper& opus)
{
    if (!m_job)
    {
        throw std::logic_error("a timeline shows the control plane of a job that it shows");
    }
    std::vector<uint32_t> processes;
    for (uint32_t rank = 0; rank < m_ranks; rank++)
    {
        processes.push_back(m_job->GetProcess(rank));
    }
    m_control =
        Create<ControlTimeline>(m_trace, m_range, CONTROLLER, std::move(processes), m_switches);
    m_control->Observe(opus);
}

void
TimelineHelper::Close()
{
    for (const auto& ports : m_switches)
    {
        ports->Close();
    }
    if (m_wavelengths)
    {
        m_wavelengths->Close();
    }
    m_trace->Close();
}

} // namespace photonic
} // namespace ns3
