/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * A scheduler of circuits of one's own under a training job, beside Opus. See doc/tutorial.rst.
 */
#include "ns3/boolean.h"
#include "ns3/group-circuits.h"
#include "ns3/job-statistics.h"
#include "ns3/opus-helper.h"
#include "ns3/simulator.h"
#include "ns3/step-program-builder.h"
#include "ns3/training-job-helper.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

// [scheduler]
/// Gives circuits to the groups of one rail: first complete, first served.
class Scheduler : public SimpleRefCount<Scheduler>
{
  public:
    using Pass = CollectiveGate::Pass;

    /// @param ocs where NIC port p of rank r is on port 2 r + p
    explicit Scheduler(Ptr<OpticalCircuitSwitch> ocs)
        : m_ocs(ocs)
    {
    }

    /// @param group whose operations may come
    void Add(const RankGroup& group)
    {
        const auto portOf = [](uint32_t rank, uint32_t port) { return 2 * rank + port; };
        m_circuits[group.id] = GroupCircuits(group, portOf);
        m_members[group.id] = group.ranks.size();
    }

    /// A member is ready for an operation. @param cause of that @param pass called when it may go
    void Enter(const GatedOperation& operation, const Cause& cause, Pass pass)
    {
        const Key key = GetKey(operation);
        auto& request = m_requests[key];
        request.passes.push_back(std::move(pass));
        request.cause = cause;
        if (request.passes.size() == m_members[operation.group])
        {
            request.missing = request.passes.size();
            m_complete.push_back(key);
            Serve();
        }
    }

    /// A member has ended an operation.
    void Leave(const GatedOperation& operation)
    {
        const auto request = m_requests.find(GetKey(operation));
        if (--request->second.missing == 0)
        {
            for (const uint32_t port : GetPorts(operation.group))
            {
                m_taken.erase(port);
            }
            m_requests.erase(request);
            Serve();
        }
    }

  private:
    using Key = std::tuple<uint32_t, uint32_t, uint32_t>; ///< step, group, counter

    /// An operation that a member has asked for.
    struct Request
    {
        std::vector<Pass> passes; ///< of the members that wait
        Cause cause;              ///< of the last one
        std::size_t missing{0};   ///< members that have not ended it
    };

    static Key GetKey(const GatedOperation& operation)
    {
        return {operation.step, operation.group, operation.counter};
    }

    std::set<uint32_t> GetPorts(uint32_t group) const
    {
        std::set<uint32_t> ports;
        for (const Circuit& circuit : m_circuits.at(group))
        {
            ports.insert({circuit.in, circuit.out});
        }
        return ports;
    }

    /// Start all complete requests whose ports nobody has, or has asked for before.
    void Serve()
    {
        std::set<uint32_t> wanted = m_taken;
        std::deque<Key> start;
        std::deque<Key> wait;
        for (const Key& key : m_complete)
        {
            const auto ports = GetPorts(std::get<1>(key));
            const bool isFree = std::none_of(ports.begin(), ports.end(), [&wanted](uint32_t port) {
                return wanted.count(port) > 0;
            });
            wanted.insert(ports.begin(), ports.end());
            if (isFree)
            {
                m_taken.insert(ports.begin(), ports.end());
            }
            (isFree ? start : wait).push_back(key);
        }
        m_complete = wait;
        for (const Key& key : start)
        {
            m_ocs->Reconfigure(m_circuits[std::get<1>(key)],
                               [self = Ptr<Scheduler>(this), key](const auto& outcome) {
                                   self->Grant(key, outcome);
                               });
        }
    }

    /// The circuits of a request carry light.
    void Grant(const Key& key, const OpticalCircuitSwitch::Outcome& outcome)
    {
        Request& request = m_requests[key];
        const Cause cause = outcome.portsChanged == 0
                                ? request.cause
                                : request.cause.AfterReconfiguration(outcome.id)
                                      .AfterStall(outcome.done - outcome.requested);
        for (const Pass& pass : std::exchange(request.passes, {}))
        {
            pass(cause);
        }
    }

    Ptr<OpticalCircuitSwitch> m_ocs;
    std::map<uint32_t, std::vector<Circuit>> m_circuits; ///< by group
    std::map<uint32_t, std::size_t> m_members;           ///< by group
    std::map<Key, Request> m_requests;
    std::deque<Key> m_complete; ///< requests of all members, in order
    std::set<uint32_t> m_taken; ///< ports whose traffic is not over
};

// [end of scheduler]

// [gate]
/// Passes a rank's operations on to the scheduler, one at a time, in program order.
class SchedulerGate : public CollectiveGate
{
  public:
    /// @param scheduler of the rail
    explicit SchedulerGate(Ptr<Scheduler> scheduler)
        : m_scheduler(scheduler)
    {
    }

    void Register(const std::vector<RankGroup>& groups, Pass ready) override
    {
        for (const RankGroup& group : groups)
        {
            m_scheduler->Add(group);
        }
        ready(Cause());
    }

    void BeginStep(uint32_t /* step */, const Cause& cause, Pass go) override
    {
        m_next = 0;
        go(cause);
    }

    void Enter(const GatedOperation& operation, const Cause& ready, Pass pass) override
    {
        m_waiting.insert({operation.sequence, {operation, ready, std::move(pass)}});
        Ask(ready);
    }

    void Leave(const GatedOperation& operation, const Cause& cause) override
    {
        m_next++;
        m_scheduler->Leave(operation);
        Ask(cause);
    }

    void EndStep(uint32_t /* step */, const Cause& /* cause */) override
    {
    }

    std::string DescribeWaiting() const override
    {
        return m_waiting.empty() ? "" : "operations that have not passed the gate";
    }

  private:
    /// An operation that is ready, but for what comes before it.
    struct Waiting
    {
        GatedOperation operation;
        Cause ready;
        Pass pass;
    };

    void Ask(const Cause& cause)
    {
        if (auto next = m_waiting.extract(m_next))
        {
            Waiting& waiting = next.mapped();
            m_scheduler->Enter(waiting.operation, cause, std::move(waiting.pass));
        }
    }

    Ptr<Scheduler> m_scheduler;
    uint32_t m_next{0};                    ///< sequence of the operation whose turn it is
    std::map<uint32_t, Waiting> m_waiting; ///< by sequence
};

// [end of gate]

/// Who decides when circuits change.
enum class Control
{
    OWN,
    OPUS,
};

/// @param control who decides @param delay of a reconfiguration @return what a step came to
StepSummary
Run(Control control, Time delay)
{
    // [job]
    TrainingPlan plan; // Llama-3-8B on A100
    plan.degrees.pp = 2;
    plan.degrees.fsdp = 2;
    plan.degrees.gpusPerNode = 1;
    plan.microbatches = 4;
    const ParallelPlan parallel(plan.degrees);

    TrainingFabricHelper fabricHelper;
    fabricHelper.SetPortLayout(
        PortLayout::Shared(DataRate("400Gbps"), 2, PipelineLanes::ONE_PER_NEIGHBOUR));
    fabricHelper.GetPhotonic().SetSwitchAttribute("ReconfigurationDelay", TimeValue(delay));
    const TrainingFabric fabric = fabricHelper.InstallPhotonic(parallel);

    TrainingJobHelper jobHelper(parallel, BuildStepPrograms(plan));
    jobHelper.SetFidelity(Fidelity::MESSAGE);
    // [end of job]

    // [control]
    OpusHelper opus;
    if (control == Control::OWN)
    {
        const auto scheduler = Create<Scheduler>(fabric.circuitSwitches[0]);
        jobHelper.SetGates(
            [scheduler](uint32_t /* rank */) { return CreateObject<SchedulerGate>(scheduler); });
    }
    else
    {
        opus.SetControlPath("instant");
        opus.SetShimAttribute("Provisioned", BooleanValue(false));
        opus.Install(parallel, fabric);
        jobHelper.SetGates([&opus](uint32_t rank) { return opus.GetShim(rank); });
    }
    const Ptr<TrainingJob> job = jobHelper.Install(fabric);
    // [end of control]

    // [run]
    StepSummary step{};
    const auto statistics = CreateObject<JobStatistics>();
    statistics->Observe(job);
    statistics->TraceConnectWithoutContext(
        "Step",
        MakeCallback(+[](StepSummary* into, const StepSummary& summary) {
            *into = summary;
        }).Bind(&step));
    Simulator::Run();
    if (!job->IsFinished())
    {
        for (const std::string& line : job->DescribeWaiting(8))
        {
            std::printf("%s\n", line.c_str());
        }
    }
    Simulator::Destroy();
    return step;
    // [end of run]
}

} // namespace

int
main()
{
    Time::SetResolution(Time::PS);
    std::printf("delay     own scheduler      Opus, on demand\n");
    for (const Time& delay : {Time(), MilliSeconds(1), MilliSeconds(25)})
    {
        std::printf("%2.0f ms", delay.GetSeconds() * 1000);
        for (const Control control : {Control::OWN, Control::OPUS})
        {
            const StepSummary step = Run(control, delay);
            std::printf("   %.6f s, %2d exposed",
                        step.duration.GetSeconds(),
                        static_cast<int>(step.exposedReconfigurations));
        }
        std::printf("\n");
    }
}
