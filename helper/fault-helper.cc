/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fault-helper.h"

#include "ns3/pointer.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

FaultHelper::FaultHelper()
{
    m_injector.SetTypeId(FaultInjector::GetTypeId());
}

void
FaultHelper::SetSchedule(const FaultSchedule& schedule)
{
    m_schedule = schedule;
}

void
FaultHelper::SetInjectorAttribute(const std::string& name, const AttributeValue& value)
{
    m_injector.Set(name, value);
}

Ptr<FaultInjector>
FaultHelper::Install(const TrainingFabric& fabric,
                     Ptr<TrainingJob> job,
                     const OpusHelper* opus) const
{
    if (fabric.wdm && !m_schedule.FindFibreFault().empty())
    {
        throw std::invalid_argument("found " + m_schedule.FindFibreFault() +
                                    ", expected no fault of fibres or NIC ports on a fabric of "
                                    "wavelengths");
    }
    auto injector = m_injector.Create<FaultInjector>();
    FaultInjector::Targets targets;
    targets.switches = fabric.circuitSwitches;
    targets.ports = fabric.ports;
    if (job)
    {
        targets.ranks = job->GetRanks();
    }
    if (opus)
    {
        const auto controller = opus->GetController();
        if (m_schedule.StopsController() && !opus->GetControlPath()->IsReliable())
        {
            throw std::invalid_argument("found a controller that stops, expected a control path "
                                        "that sends messages again");
        }
        targets.stopController = [controller] { controller->Stop(); };
        targets.startController = [controller] {
            if (controller->IsStopped()) // else there is nothing to end
            {
                controller->Start();
            }
        };
        const auto path = opus->GetControlPath();
        for (const auto& rank : targets.ranks)
        {
            rank->TraceConnectWithoutContext("Failed",
                                             MakeCallback(&OpusControlPath::StopRank, path));
        }
    }
    injector->Install(m_schedule, targets);
    return injector;
}

void
FaultHelper::SetBitErrorRate(const TrainingFabric& fabric, double rate)
{
    for (const auto& ports : fabric.ports)
    {
        for (const auto& port : ports)
        {
            auto errors = CreateObject<RateErrorModel>();
            errors->SetUnit(RateErrorModel::ERROR_UNIT_BIT);
            errors->SetRate(rate);
            port->SetAttribute("ReceiveErrorModel", PointerValue(errors));
        }
    }
}

int64_t
FaultHelper::AssignStreams(const TrainingFabric& fabric, Ptr<TrainingJob> job, int64_t stream)
{
    int64_t next = stream;
    for (const auto& ocs : fabric.circuitSwitches)
    {
        next += ocs->AssignStreams(next);
    }
    for (const auto& ports : fabric.ports)
    {
        for (const auto& port : ports)
        {
            next += port->AssignStreams(next);
        }
    }
    if (job)
    {
        for (const auto& rank : job->GetRanks())
        {
            next += rank->AssignStreams(next);
        }
    }
    return next - stream;
}

} // namespace photonic
} // namespace ns3
