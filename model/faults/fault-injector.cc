/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fault-injector.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("FaultInjector");
NS_OBJECT_ENSURE_REGISTERED(FaultInjector);

namespace
{

/// @return what ends a fault
Fault::Kind
GetRepairOf(Fault::Kind kind)
{
    switch (kind)
    {
    case Fault::OCS_OUTAGE:
        return Fault::OCS_BACK;
    case Fault::FIBRE_CUT:
        return Fault::FIBRE_SPLICE;
    case Fault::NIC_LOST:
        return Fault::NIC_BACK;
    default:
        return Fault::OCS_PORT_REPAIR;
    }
}

Ptr<ExponentialRandomVariable>
MakeExponential(Time mean)
{
    auto variable = CreateObject<ExponentialRandomVariable>();
    variable->SetAttribute("Mean", DoubleValue(mean.GetSeconds()));
    return variable;
}

Ptr<OpticalChannel>
GetFibre(const OpticalNetDevice& device)
{
    return DynamicCast<OpticalChannel>(device.GetChannel());
}

} // namespace

TypeId
FaultInjector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::photonic::FaultInjector")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<FaultInjector>()
                            .AddAttribute("Until",
                                          "No random fault begins after this time.",
                                          TimeValue(Time::Max()),
                                          MakeTimeAccessor(&FaultInjector::m_until),
                                          MakeTimeChecker(Time(0)))
                            .AddTraceSource("Fault",
                                            "Something breaks, or is repaired.",
                                            MakeTraceSourceAccessor(&FaultInjector::m_faultTrace),
                                            "ns3::photonic::FaultInjector::FaultTracedCallback");
    return tid;
}

FaultInjector::FaultInjector()
{
    NS_LOG_FUNCTION(this);
}

FaultInjector::~FaultInjector()
{
    NS_LOG_FUNCTION(this);
}

void
FaultInjector::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_targets = {};
    m_processes.clear();
    m_errors.clear();
    Object::DoDispose();
}

void
FaultInjector::Install(const FaultSchedule& schedule, const Targets& targets)
{
    NS_LOG_FUNCTION(this);
    m_targets = targets;
    for (const auto& fault : schedule.GetFaults())
    {
        Check(fault);
    }
    for (const auto& random : schedule.GetRandomFaults())
    {
        auto things = GetThings(random.kind);
        if (things.empty())
        {
            throw std::invalid_argument(random.where + ": found " + ToString(random.kind) +
                                        ", expected what this fabric has");
        }
        m_processes.push_back({random,
                               MakeExponential(random.between),
                               random.repair.IsZero() ? nullptr : MakeExponential(random.repair),
                               std::move(things)});
    }
    for (const auto& fault : schedule.GetFaults())
    {
        Ptr<RateErrorModel> errors;
        if (fault.kind == Fault::FIBRE_BER)
        {
            errors = CreateObject<RateErrorModel>();
            errors->SetUnit(RateErrorModel::ERROR_UNIT_BIT);
            errors->SetRate(fault.value);
            m_errors.push_back(errors);
        }
        Simulator::Schedule(fault.at, [self = Ptr<FaultInjector>(this), fault, errors] {
            self->Inject(fault, errors);
        });
    }
    // Once streams are assigned.
    Simulator::ScheduleNow([self = Ptr<FaultInjector>(this)] { self->StartProcesses(); });
}

void
FaultInjector::StartProcesses()
{
    for (std::size_t process = 0; process < m_processes.size(); process++)
    {
        for (std::size_t thing = 0; thing < m_processes[process].things.size(); thing++)
        {
            ScheduleBreak(process, thing);
        }
    }
}

void
FaultInjector::Check(const Fault& fault) const
{
    const auto expect = [&fault](bool there, const std::string& found, std::size_t count) {
        if (!there)
        {
            throw std::invalid_argument(fault.where + ": found " + found + ", expected " +
                                        (count == 0 ? std::string("none, as this fabric has none")
                                                    : "at most " + std::to_string(count - 1)));
        }
    };
    const auto& [at, kind, unit, port, value, where] = fault;
    switch (kind)
    {
    case Fault::OCS_PORT_DEAD:
    case Fault::OCS_PORT_STUCK:
    case Fault::OCS_PORT_REPAIR:
    case Fault::OCS_OUTAGE:
    case Fault::OCS_BACK:
        expect(unit < m_targets.switches.size(),
               "circuit switch " + std::to_string(unit),
               m_targets.switches.size());
        if (kind != Fault::OCS_OUTAGE && kind != Fault::OCS_BACK &&
            !m_targets.switches[unit]->HasFibre(port))
        {
            throw std::invalid_argument(where + ": found port " + std::to_string(port) +
                                        " of circuit switch " + std::to_string(unit) +
                                        ", expected one with a fibre");
        }
        break;
    case Fault::RANK_FAIL:
    case Fault::RANK_SLOW:
        expect(unit < m_targets.ranks.size(),
               "rank " + std::to_string(unit),
               m_targets.ranks.size());
        break;
    case Fault::CONTROLLER_STOP:
    case Fault::CONTROLLER_START:
        if (!m_targets.stopController)
        {
            throw std::invalid_argument(where + ": found " + ToString(kind) +
                                        ", expected none, as nothing controls circuits here");
        }
        break;
    default:
        expect(unit < m_targets.ports.size(),
               "rank " + std::to_string(unit),
               m_targets.ports.size());
        expect(port < m_targets.ports[unit].size(),
               "port " + std::to_string(port) + " of rank " + std::to_string(unit),
               m_targets.ports[unit].size());
    }
}

std::vector<Fault>
FaultInjector::GetThings(Fault::Kind kind) const
{
    std::vector<Fault> things;
    const auto add = [&things, kind](uint32_t unit, uint32_t port) {
        Fault fault{};
        fault.kind = kind;
        fault.unit = unit;
        fault.port = port;
        things.push_back(fault);
    };
    const auto& switches = m_targets.switches;
    switch (kind)
    {
    case Fault::OCS_PORT_DEAD:
    case Fault::OCS_PORT_STUCK:
        for (uint32_t unit = 0; unit < switches.size(); unit++)
        {
            for (uint32_t port = 0; port < switches[unit]->GetRadix(); port++)
            {
                if (switches[unit]->HasFibre(port))
                {
                    add(unit, port);
                }
            }
        }
        break;
    case Fault::OCS_OUTAGE:
        for (uint32_t unit = 0; unit < switches.size(); unit++)
        {
            add(unit, 0);
        }
        break;
    case Fault::RANK_FAIL:
        for (uint32_t unit = 0; unit < m_targets.ranks.size(); unit++)
        {
            add(unit, 0);
        }
        break;
    default:
        for (uint32_t unit = 0; unit < m_targets.ports.size(); unit++)
        {
            for (uint32_t port = 0; port < m_targets.ports[unit].size(); port++)
            {
                add(unit, port);
            }
        }
    }
    return things;
}

void
FaultInjector::ScheduleBreak(std::size_t process, std::size_t thing)
{
    const Time delay = Seconds(m_processes[process].between->GetValue());
    if (delay > m_until - Simulator::Now())
    {
        return;
    }
    Simulator::Schedule(delay, [self = Ptr<FaultInjector>(this), process, thing] {
        self->Break(process, thing);
    });
}

void
FaultInjector::Break(std::size_t process, std::size_t thing)
{
    if (m_processes.empty())
    {
        return; // disposed of
    }
    Inject(m_processes[process].things[thing], nullptr);
    if (const auto& repair = m_processes[process].repair)
    {
        Simulator::Schedule(
            Seconds(repair->GetValue()),
            [self = Ptr<FaultInjector>(this), process, thing] { self->Repair(process, thing); });
    }
}

void
FaultInjector::Repair(std::size_t process, std::size_t thing)
{
    if (m_processes.empty())
    {
        return; // disposed of
    }
    Fault fault = m_processes[process].things[thing];
    fault.kind = GetRepairOf(fault.kind);
    Inject(fault, nullptr);
    ScheduleBreak(process, thing);
}

void
FaultInjector::Inject(Fault fault, const Ptr<RateErrorModel>& errors)
{
    NS_LOG_FUNCTION(this << ToString(fault.kind) << fault.unit << fault.port);
    const auto ocs = [&] { return m_targets.switches.at(fault.unit); };
    const auto device = [&] { return m_targets.ports.at(fault.unit).at(fault.port); };
    fault.at = Simulator::Now();
    m_injected++;
    m_faultTrace(fault);
    switch (fault.kind)
    {
    case Fault::OCS_PORT_DEAD:
        ocs()->FailPort(fault.port, PortFault::DEAD);
        break;
    case Fault::OCS_PORT_STUCK:
        ocs()->FailPort(fault.port, PortFault::STUCK);
        break;
    case Fault::OCS_PORT_REPAIR:
        ocs()->RepairPort(fault.port);
        break;
    case Fault::OCS_OUTAGE:
        ocs()->SetOutage(true);
        break;
    case Fault::OCS_BACK:
        ocs()->SetOutage(false);
        break;
    case Fault::FIBRE_CUT:
        GetFibre(*device())->Cut();
        break;
    case Fault::FIBRE_SPLICE:
        GetFibre(*device())->Splice();
        break;
    case Fault::FIBRE_BER:
        device()->SetAttribute("ReceiveErrorModel", PointerValue(errors));
        break;
    case Fault::NIC_LOST:
        device()->SetFailed(true);
        break;
    case Fault::NIC_BACK:
        device()->SetFailed(false);
        break;
    case Fault::RANK_FAIL:
        m_targets.ranks.at(fault.unit)->Fail();
        break;
    case Fault::CONTROLLER_STOP:
        m_targets.stopController();
        break;
    case Fault::CONTROLLER_START:
        m_targets.startController();
        break;
    case Fault::RANK_SLOW: {
        auto factor = CreateObject<ConstantRandomVariable>();
        factor->SetAttribute("Constant", DoubleValue(fault.value));
        m_targets.ranks.at(fault.unit)->SetAttribute("Slowdown", PointerValue(factor));
        break;
    }
    }
}

int64_t
FaultInjector::AssignStreams(int64_t stream)
{
    int64_t next = stream;
    for (const auto& process : m_processes)
    {
        process.between->SetStream(next++);
        if (process.repair)
        {
            process.repair->SetStream(next);
        }
        next++;
    }
    for (const auto& errors : m_errors)
    {
        next += errors->AssignStreams(next);
    }
    return next - stream;
}

uint64_t
FaultInjector::GetInjected() const
{
    return m_injected;
}

} // namespace photonic
} // namespace ns3
