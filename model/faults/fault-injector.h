/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FAULT_INJECTOR_H
#define PHOTONIC_FAULT_INJECTOR_H

#include "fault-schedule.h"

#include "ns3/error-model.h"
#include "ns3/object.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/optical-net-device.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rank-application.h"
#include "ns3/traced-callback.h"

#include <functional>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-faults
 * @brief Makes the faults of a schedule happen.
 *
 * Random faults go on until the simulation is stopped, as a TrainingJob does when it has finished
 * or its watchdog finds it stalled, or until the attribute Until. Faults of one kind at one thing
 * alternate with repairs, and every thing has its own times.
 */
class FaultInjector : public Object
{
  public:
    /// What can break.
    struct Targets
    {
        /// By number.
        std::vector<Ptr<OpticalCircuitSwitch>> switches;
        std::vector<std::vector<Ptr<OpticalNetDevice>>> ports; ///< by rank and NIC port
        std::vector<Ptr<RankApplication>> ranks;               ///< by number
        std::function<void()> stopController;  ///< of the circuits; not set: there is none
        std::function<void()> startController; ///< likewise
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    FaultInjector();
    ~FaultInjector() override;

    /**
     * Before the simulation starts, once.
     * @param schedule what happens
     * @param targets to which
     * @throws std::invalid_argument with where a fault is written, if it is about what there is not
     */
    void Install(const FaultSchedule& schedule, const Targets& targets);

    /**
     * Fix the random variables: two of each random fault, one of each bit error rate.
     * @param stream of the first
     * @return how many there are
     */
    int64_t AssignStreams(int64_t stream);

    /// @return faults and repairs that have happened
    uint64_t GetInjected() const;

    /// Trace of faults and repairs. @param fault that happens now
    typedef void (*FaultTracedCallback)(const Fault& fault);

  protected:
    void DoDispose() override;

  private:
    /// What the things of a kind draw their times from.
    struct Process
    {
        RandomFault fault;
        Ptr<ExponentialRandomVariable> between; ///< seconds
        Ptr<ExponentialRandomVariable> repair;  ///< seconds; null: it stays
        std::vector<Fault> things;              ///< what breaks at each
    };

    void Check(const Fault& fault) const;
    std::vector<Fault> GetThings(Fault::Kind kind) const;
    void Break(std::size_t process, std::size_t thing);
    void Repair(std::size_t process, std::size_t thing);
    void ScheduleBreak(std::size_t process, std::size_t thing);
    void Inject(Fault fault, const Ptr<RateErrorModel>& errors);
    void StartProcesses();

    Targets m_targets;
    Time m_until;
    std::vector<Process> m_processes;
    std::vector<Ptr<RateErrorModel>> m_errors;
    uint64_t m_injected{0};
    TracedCallback<const Fault&> m_faultTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FAULT_INJECTOR_H
