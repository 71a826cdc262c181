/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_COLLECTIVE_GATE_H
#define PHOTONIC_COLLECTIVE_GATE_H

#include "ns3/cause.h"
#include "ns3/object.h"
#include "ns3/parallel-plan.h"

#include <functional>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-job
 * @brief A communication of a rank that passes the gate.
 */
struct GatedOperation
{
    uint32_t step;     ///< training step, from 0, profiling steps included
    uint32_t sequence; ///< number among the rank's scale-out operations of the step, in program
                       ///< order, from 0, without gaps
    uint32_t group;    ///< RankGroup::id
    uint32_t counter;  ///< Operation::counter
    GroupSlot slot;    ///< which communicator of the rank
};

/**
 * @ingroup photonic-rails-job
 * @brief The seam between a training job and whoever decides when circuits change.
 *
 * A rank announces its communicators, asks before each scale-out collective, send or receive, and
 * tells when it is over. TrainingJobHelper announces the groups that leave their node by the plan,
 * and only their operations come here. A gate cannot rely on that: a group may turn out to need no
 * circuit, as OpusShim finds where the controller says that all members share a scale-up domain;
 * its operations have to pass at once. Electrical and one-shot fabrics use the OpenGate, others
 * OpusShim.
 *
 * Operations may be presented out of program order (whenever their predecessors are over); their
 * sequence says where they belong.
 */
class CollectiveGate : public Object
{
  public:
    /// Called when the rank may go on, with what made it wait.
    using Pass = std::function<void(const Cause&)>;

    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * Announce all communicators whose operations may come; called once, at the start of the job.
     * @param groups the communicators
     * @param ready called when all are known to the control plane
     */
    virtual void Register(const std::vector<RankGroup>& groups, Pass ready) = 0;

    /**
     * A rank is about to begin a step.
     * @param step number of the step, from 0
     * @param cause why it begins now
     * @param go called when it may begin
     */
    virtual void BeginStep(uint32_t step, const Cause& cause, Pass go) = 0;

    /**
     * The host has enqueued the operations of the step that begins, ahead of the GPU; ignored if a
     * gate does not use it. Called, if at all, when the step may begin.
     * @param operations all that will come, in program order
     */
    virtual void Announce(std::vector<GatedOperation> operations);

    /**
     * An operation has all its predecessors behind it.
     * @param operation which
     * @param ready why it became ready now
     * @param pass called when it may start, perhaps before this returns
     */
    virtual void Enter(const GatedOperation& operation, const Cause& ready, Pass pass) = 0;

    /**
     * An operation is complete at this rank, in both directions.
     * @param operation which
     * @param cause why it ended now
     */
    virtual void Leave(const GatedOperation& operation, const Cause& cause) = 0;

    /**
     * The rank's step is over.
     * @param step number of the step
     * @param cause why it ended now
     */
    virtual void EndStep(uint32_t step, const Cause& cause) = 0;

    /// @return what this rank waits for, for the watchdog; empty if nothing
    virtual std::string DescribeWaiting() const = 0;
};

/**
 * @ingroup photonic-rails-job
 * @brief Lets everything pass at once.
 */
class OpenGate : public CollectiveGate
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    void Register(const std::vector<RankGroup>& groups, Pass ready) override;
    void BeginStep(uint32_t step, const Cause& cause, Pass go) override;
    void Enter(const GatedOperation& operation, const Cause& ready, Pass pass) override;
    void Leave(const GatedOperation& operation, const Cause& cause) override;
    void EndStep(uint32_t step, const Cause& cause) override;
    std::string DescribeWaiting() const override;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_COLLECTIVE_GATE_H
