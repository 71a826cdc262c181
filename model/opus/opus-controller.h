/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPUS_CONTROLLER_H
#define PHOTONIC_OPUS_CONTROLLER_H

#include "circuit-scheduler.h"
#include "opus-control-path.h"
#include "opus-registry.h"

#include "ns3/object-factory.h"
#include "ns3/optical-circuit-switch.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-opus Opus
 * @ingroup photonic-rails
 * @brief The control plane that changes circuits while a job runs.
 */

/**
 * @ingroup photonic-rails-opus
 * @brief The one who changes circuits: counts requests, programs the switches, acknowledges.
 *
 * A request fires when all members of the group hold it for the same operation, so that nobody's
 * traffic is cut, and when the CircuitScheduler of the rail chooses it. Requests whose ports
 * overlap wait for each other there, so that the switches need not queue; rails are independent.
 * When the switch is done, the members that asked are told.
 *
 * Messages are served one after the other, ServiceTime each. It learns only from the cabling,
 * registrations, requests and profiles; it never sees a program.
 */
class OpusController : public Object
{
  public:
    /// A request that was fulfilled.
    struct Record
    {
        /// Number of the rail.
        uint32_t rail;
        OpusKey key;           ///< step, group and counter of the operation
        GroupSlot slot;        ///< kind of the group
        Time requested;        ///< the first member's request was sent
        Time complete;         ///< all members held it
        Time fired;            ///< given to the switch
        Time dark;             ///< the first port went dark; equals done if none did
        Time done;             ///< all circuits carry light
        uint32_t portsChanged; ///< ports that got a new circuit
        uint32_t portsDark;    ///< ports that went dark
        uint64_t id;           ///< of the reconfiguration, unique in the run; 0 if none was needed
        uint64_t request;      ///< its number at the switch
        bool queued;           ///< it waited, complete, for its turn
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    OpusController();
    ~OpusController() override;

    /// @param path to and from the shims
    void SetControlPath(Ptr<OpusControlPath> path);

    /// @param rail number @param ocs its circuit switch; it gets a scheduler of the present type
    void SetRail(uint32_t rail, Ptr<OpticalCircuitSwitch> ocs);

    /// @param rank which @param cabling where it is
    void SetCabling(uint32_t rank, const OpusCabling& cabling);

    /**
     * Put a group's circuits in place before the simulation starts.
     * @param group scale-out, with all members cabled on one rail (else std::invalid_argument)
     */
    void Preset(const RankGroup& group);

    /**
     * Stop, and forget all but the cabling; circuits stay, and a switch that is turning goes on.
     * @throws std::logic_error if the control path does not repeat messages
     */
    void Stop();

    /**
     * Start again: state is rebuilt from what the shims say.
     * @throws std::logic_error unless it was stopped
     */
    void Start();

    /// @return whether it is stopped
    bool IsStopped() const;

    /// @return requests that have not been fulfilled; 0 after a finished run
    std::size_t GetPendingRequests() const;

    /// @return requests that changed a circuit
    uint64_t GetReconfigurations() const;

    /// @return requests that, complete, had to wait for their turn
    uint64_t GetQueuedRequests() const;

    /**
     * @param key an operation
     * @return what its request waits for: "the requests of ranks 4, 5 are missing", ...
     */
    std::string Describe(const OpusKey& key) const;

    /// @return all requests that wait, a line each
    std::vector<std::string> DescribeWaiting() const;

    /// Trace of fulfilled requests.
    typedef void (*ReconfigurationTracedCallback)(const Record& record);
    /// Trace of restarts. @param state "stopped", "started", or "synced": all ranks have answered
    typedef void (*StateTracedCallback)(const std::string& state);
    /// Trace of ports that are broken: rail, port, and the operation whose circuit did not come up.
    typedef void (*PortFailedTracedCallback)(uint32_t rail, uint32_t port, const OpusKey& key);
    /// Trace of ranks that do not answer.
    typedef void (*RankLostTracedCallback)(uint32_t rank);

  protected:
    void DoDispose() override;

  private:
    void SetPairsUseBothPorts(bool both);
    void SetScheduler(ObjectFactory scheduler);
    ObjectFactory GetScheduler() const;

    /// A request that at least one member holds.
    struct Request
    {
        enum State
        {
            COLLECTING, ///< not all members hold it
            QUEUED,     ///< all do, but it is not its turn
            APPLYING,   ///< the switch is at it
        };

        uint64_t number{0}; ///< of the request, those of the same key before included
        State state{COLLECTING};
        std::vector<bool> asked; ///< by position
        std::size_t asking{0};   ///< how many have
        Time last;               ///< the latest member's request was sent
        Cause cause;             ///< of the latest request
        Record record;
    };

    /// Somebody takes back circuits that the others may rely on.
    struct Recall
    {
        OpusKey key;
        std::size_t missing; ///< answers
    };

    void Receive(const OpusMessage& message, const Cause& cause);
    void Serve(const OpusMessage& message, const Cause& cause);
    void HandleRegister(const OpusMessage& message, const Cause& cause);
    void HandleRequest(const OpusMessage& message, const Cause& cause);
    void HandleWithdraw(const OpusMessage& message, const Cause& cause);
    void HandleRecall(const OpusMessage& message, const Cause& cause);
    void HandleRecalled(const OpusMessage& message, const Cause& cause);
    void HandleProfile(const OpusMessage& message, const Cause& cause);
    void HandleReady(const OpusMessage& message, const Cause& cause);
    void Hold(const OpusMessage& message);
    void HandleSynced(const OpusMessage& message);
    void HandleWaiting(const OpusMessage& message);

    void ScheduleProbe(const OpusKey& key, uint64_t number);
    void Probe(const OpusKey& key, uint64_t number);
    void LoseRank(uint32_t rank, const std::string& why);
    void HandleBrokenPorts(const OpusKey& key,
                           const OpticalCircuitSwitch::Outcome& outcome,
                           const Cause& cause);
    void RefuseDeadlock(uint32_t rank, const OpusKey& key) const;
    bool IsMissed(uint32_t rank, const OpusKey& beside) const;
    bool FindCycle(const OpusKey& from,
                   const OpusKey& to,
                   std::set<OpusKey>& seen,
                   std::string& text) const;
    void FireIfHeld(const OpusKey& key);
    void Fire(const OpusKey& key, const Cause& cause);
    void FireChosen(const std::vector<OpusKey>& keys, const Cause& cause);
    std::vector<OpusKey> Choose(uint32_t rail);
    void ChooseAgain(uint32_t rail);
    void Finish(const OpusKey& key,
                const OpticalCircuitSwitch::Outcome& outcome,
                const Cause& cause);
    std::vector<uint32_t> GetMissing(const OpusKey& key, const Request& request) const;
    Ptr<OpticalCircuitSwitch> GetSwitch(uint32_t rail) const;

    Time m_serviceTime;
    Time m_free;       ///< when all messages that have arrived are served
    Cause m_busyCause; ///< why the present busy period of the service began
    Ptr<OpusControlPath> m_path;
    std::map<uint32_t, Ptr<OpticalCircuitSwitch>> m_rails;
    ObjectFactory m_scheduler;
    std::map<uint32_t, Ptr<CircuitScheduler>> m_schedulers; ///< by rail
    OpusRegistry m_registry;
    std::map<OpusKey, Request> m_requests;
    std::map<std::pair<uint32_t, uint32_t>, Recall> m_recalls; ///< by group and position
    /// By group and position: the latest operation that a member holds without a request.
    std::map<uint32_t, std::map<uint32_t, OpusKey>> m_held;
    std::map<uint32_t, std::set<uint32_t>> m_union; ///< counters that open a phase, by group
    std::set<uint32_t> m_profiled;                  ///< ranks whose profile is here
    std::set<uint32_t> m_ready;                     ///< ranks that have the union
    std::map<uint32_t, OpusKey> m_waiting; ///< by rank: its request, if it cannot go on without

    Time m_lease;
    Time m_portRetry;
    uint64_t m_numbers{0};
    uint64_t m_lives{0}; ///< what was scheduled in an earlier one is void
    bool m_stopped{false};
    std::set<uint32_t> m_unsynced; ///< ranks that have not said all since the restart
    std::vector<std::pair<OpusMessage, Cause>> m_deferred; ///< until they have
    uint64_t m_reconfigurations{0};
    uint64_t m_queued{0};
    TracedCallback<const Record&> m_reconfigurationTrace;
    TracedCallback<const std::string&> m_stateTrace;
    TracedCallback<uint32_t> m_rankLostTrace;
    TracedCallback<uint32_t, uint32_t, const OpusKey&> m_portFailedTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPUS_CONTROLLER_H
