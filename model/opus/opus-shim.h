/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPUS_SHIM_H
#define PHOTONIC_OPUS_SHIM_H

#include "opus-control-path.h"
#include "opus-phase-tracker.h"
#include "phase-profile.h"

#include "ns3/collective-gate.h"

#include <boost/container/flat_map.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-opus
 * @brief Opus in one rank: operations pass when their circuits are there.
 *
 * Operations pass in program order. One that opens a phase needs a request; it passes when that is
 * granted. The others rely on circuits that an earlier grant to their group put in place. There is
 * at most one request at a time, for the operation that is next in program order, sent when all
 * earlier ones are complete: on demand, and for the first of a step, when the operation is
 * presented; provisioned, as soon as the profile says that it comes next.
 *
 * An operation opens a phase if it is the rank's first of a step, or if another group has used one
 * of its ports since its own group's last operation at this rank (a group that has had none has
 * always been overtaken). Steps do not matter for the second rule. With a profile the phases of all
 * members count, so that they agree; without one, pipeline operations are requested always.
 *
 * **Programs that change.** With a profile, members that have not changed pass an operation that
 * opens no phase without asking anybody. A shim that is about to let its ports be taken while such
 * an operation of another group of its own comes next recalls it first: the other members either
 * learn that it has to be requested after all, or have started it, which counts as their request.
 * Operations beyond the profile are requested as without one. So whatever changes, members agree on
 * what is requested, as long as they would on demand; and with requests made in program order, a
 * program that finishes on demand finishes. See doc/opus.md.
 *
 * **A controller that restarts** asks every shim what it is about: groups, operations that it
 * holds, what it has learned, and what it waits for.
 */
class OpusShim : public CollectiveGate
{
  public:
    /// What an operation waited for, when it passed.
    struct Wait
    {
        /// The rank that waits.
        uint32_t rank;
        /// What it waits for.
        GatedOperation operation;
        Time ready;         ///< the operation was presented
        Time pass;          ///< it passed
        Time serialisation; ///< it waited for operations before it in program order
        Time peers;         ///< then its request was out, and not all members had asked
        Time circuits;      ///< then all had
    };

    /// Gets an operation and says what its request waits for.
    using Inquiry = std::function<std::string(const OpusKey&)>;

    /// @return the TypeId
    static TypeId GetTypeId();

    OpusShim();
    ~OpusShim() override;

    /// @param rank this shim's @param path to and from the controller
    void SetControlPath(uint32_t rank, Ptr<OpusControlPath> path);

    /// @param inquiry for DescribeWaiting()
    void SetInquiry(Inquiry inquiry);

    /**
     * Use a profile from the first step on; there are no profiling steps then.
     * @param sequence this rank's
     */
    void LoadProfile(const PhaseProfile::Sequence& sequence);

    /// @return this rank's profile; empty unless HasProfile()
    const PhaseProfile::Sequence& GetProfile() const;

    /// @return whether a profile is in use
    bool HasProfile() const;

    /// @return steps that serve to learn the profile
    uint32_t GetProfilingSteps() const;

    /// @return whether an answer is due; false after a finished run
    bool HasPendingRequest() const;

    /// @return requests that it has sent
    uint64_t GetRequests() const;
    /// @return requests for an operation that was not the next one
    uint64_t GetMispredictions() const;
    /// @return times that this rank took circuits back that others may have relied on
    uint64_t GetRecalls() const;
    /// @return total time that operations waited for operations before them
    Time GetSerialisationWait() const;
    /// @return total time that operations waited for circuits that all members had asked for
    Time GetCircuitWait() const;

    void Register(const std::vector<RankGroup>& groups, Pass ready) override;
    void BeginStep(uint32_t step, const Cause& cause, Pass go) override;
    void Announce(std::vector<GatedOperation> operations) override;
    void Enter(const GatedOperation& operation, const Cause& ready, Pass pass) override;
    void Leave(const GatedOperation& operation, const Cause& cause) override;
    void EndStep(uint32_t step, const Cause& cause) override;
    std::string DescribeWaiting() const override;

    /// Trace of requests; predicted: before the operation was presented.
    typedef void (*RequestTracedCallback)(uint32_t rank, const OpusKey& key, bool predicted);
    /// Trace of mispredictions: what was requested and did not come next.
    typedef void (*MispredictionTracedCallback)(uint32_t rank, const OpusKey& key);
    /// Trace of operations that passed.
    typedef void (*WaitTracedCallback)(const Wait& wait);

  protected:
    void DoDispose() override;

  private:
    /// An operation that was presented and has not passed.
    struct Presented
    {
        GatedOperation operation;
        Cause ready;
        Time readyAt;
        Pass pass;
    };

    using Group = OpusPhaseTracker::Group;

    void SetPairsUseBothPorts(bool both);
    void Receive(const OpusMessage& message, const Cause& cause);
    void HandleRegistered(const OpusMessage& message, const Cause& cause);
    void HandleGranted(const OpusMessage& message, const Cause& cause);
    void HandleRecall(const OpusMessage& message, const Cause& cause);
    void HandleUnion(const OpusMessage& message, const Cause& cause);
    void HandleReady(const Cause& cause);
    void HandleHello(const Cause& cause);
    void HandleProbe(const Cause& cause);

    void Advance(const Cause& cause);
    bool Act();
    bool Request(const Group& group, const Cause& cause, bool predicted);
    void PassHead();
    Wait Account(const Presented& head, const OpusKey& key) const;
    void ForeseeFirst(const Cause& cause);
    const Group* Predict() const;
    void Compare(const GatedOperation& operation);
    void Mispredicted(const Cause& cause);
    void Upload(const Cause& cause);
    void SendRequest(const Cause& cause);
    void Send(OpusMessage::Type type, const OpusKey& key, const Cause& cause);
    void Fail(const std::string& reason) const;

    // configuration
    bool m_provisioned;
    bool m_foreseesFirst;
    uint32_t m_profilingSteps;
    uint32_t m_rank{0};
    Ptr<OpusControlPath> m_path;
    Inquiry m_inquiry;

    // registration
    OpusPhaseTracker m_phases;
    std::vector<OpusMessage> m_registrations;
    std::set<uint32_t> m_unregistered; ///< groups of which no answer has come
    Pass m_registered;

    // the profile
    PhaseProfile::Sequence m_profile; ///< in use, or of the latest profiling step
    bool m_hasProfile{false};
    bool m_uploaded{false}; ///< what this rank has learned is known to the controller
    Pass m_go;              ///< the step that waits until all shims have the profile

    // the step
    uint32_t m_step{0};
    uint32_t m_next{0};                      ///< sequence of the operation that passes next
    uint32_t m_open{0};                      ///< operations that have passed and are not complete
    std::vector<GatedOperation> m_announced; ///< all of this step, if the host is ahead
    bool m_foresees{false};                  ///< this step has followed the profile so far
    boost::container::flat_map<uint32_t, Presented> m_presented; ///< by sequence; few

    // the request
    bool m_requesting{false};
    bool m_withdrawing{false};
    OpusKey m_request{0, 0, 0}; ///< the latest
    bool m_guessing{false};     ///< m_request was predicted, and the operation did not come yet
    Time m_requestedAt;         ///< by this rank
    Time m_lastRequestAt;       ///< by the last member, once granted
    Time m_grantedAt;
    std::vector<OpusKey> m_recalling; ///< recalls that are not answered

    bool m_advancing{false};
    Cause m_cause; ///< the latest event that may let something pass

    uint64_t m_requests{0};
    uint64_t m_mispredictions{0};
    uint64_t m_recalls{0};
    Time m_serialisationWait;
    Time m_circuitWait;
    TracedCallback<uint32_t, const OpusKey&, bool> m_requestTrace;
    TracedCallback<uint32_t, const OpusKey&> m_mispredictionTrace;
    TracedCallback<const Wait&> m_waitTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPUS_SHIM_H
