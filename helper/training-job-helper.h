/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_JOB_HELPER_H
#define PHOTONIC_TRAINING_JOB_HELPER_H

#include "training-fabric-helper.h"

#include "ns3/packet-port.h"
#include "ns3/relay-port.h"
#include "ns3/reliable-port.h"
#include "ns3/scale-up-domain.h"
#include "ns3/solved-group.h"
#include "ns3/solved-port.h"
#include "ns3/train-port.h"
#include "ns3/training-job.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief What is an event in scale-out traffic.
 */
enum class Fidelity
{
    PACKET,     ///< every packet, on every hop
    MESSAGE,    ///< every message, on every hop; nothing may share a line with it
    COLLECTIVE, ///< every operation, once per instant at which members finish; nor this
};

/**
 * @ingroup photonic-rails-helper
 * @brief Installs a training job on a fabric: endpoints, communicators and applications.
 */
class TrainingJobHelper
{
  public:
    /// Makes the gate of a rank.
    using GateFactory = std::function<Ptr<CollectiveGate>(uint32_t rank)>;

    /**
     * @param plan who is where
     * @param programs of the pipeline stages, in order; of each either one, or one for each expert
     *        parallel position
     */
    TrainingJobHelper(const ParallelPlan& plan, std::vector<Ptr<const StepProgram>> programs);

    /// @param steps that every rank runs, profiling steps included; 1 if not set
    void SetSteps(uint32_t steps);

    /**
     * @param rate of a GPU in its scale-up domain, per direction
     * @param latency from the first bit out to the first bit in
     */
    void SetScaleUp(DataRate rate, Time latency);

    /// @param packets whether scale-up messages are simulated packet by packet (off: as messages)
    void SetScaleUpPackets(bool packets);

    /// @param fidelity of the scale-out traffic; packets if not set
    void SetFidelity(Fidelity fidelity);

    /// @param on whether messages between nodes are acknowledged; needs packets, off if not set
    void SetAcknowledgements(bool on);

    /**
     * Messages between nodes are acknowledged, and recover from losses and congestion.
     * @param transport how; needs packets, null if not set. The job gets a copy
     */
    void SetTransport(Ptr<const ReliableTransport> transport);

    /**
     * @param on whether packets may overtake each other, because switches spray them; off if not
     *        set. Without a transport the messages are not acknowledged then
     */
    void SetAnyOrder(bool on);

    /// @param ahead see RankApplication::SetHostAhead()
    void SetHostAhead(bool ahead);

    /**
     * @param algorithms of collectives between nodes; null, and not set: the defaults. Circuits
     *        lead to neighbours in a ring only, unless ports are for peers: what needs others is
     *        refused
     */
    void SetAlgorithms(Ptr<const AlgorithmTable> algorithms);

    /// @param algorithms of collectives inside a node; null, and not set: the defaults
    void SetScaleUpAlgorithms(Ptr<const AlgorithmTable> algorithms);

    /// @param gates makes the gate of each rank; not set: an OpenGate
    void SetGates(GateFactory gates);

    /// @param name of an attribute of MessageEndpoint @param value of it
    void SetEndpointAttribute(const std::string& name, const AttributeValue& value);
    /// @param name of an attribute of TrainingJob @param value of it
    void SetJobAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param fabric to run on; one job per fabric
     * @return the job, which starts at time 0
     * @throws std::invalid_argument if ranks with transfers between them are not joined
     */
    Ptr<TrainingJob> Install(const TrainingFabric& fabric);

    /// @return the NIC ports of the last job that was installed
    const std::vector<MessagePort*>& GetPorts() const;

    /**
     * @param plan who is where
     * @param rank a rank
     * @return its groups that leave the node, with slots as the rank sees them: the pair with the
     *         stage before is PP_PREVIOUS
     */
    static std::vector<RankGroup> GetScaleOutGroups(const ParallelPlan& plan, uint32_t rank);

  private:
    std::unique_ptr<MessagePort> CreatePort(MessageEndpoint& endpoint,
                                            Ptr<OpticalNetDevice> device) const;
    void InstallScaleUp(const std::vector<Ptr<MessageEndpoint>>& endpoints,
                        const TrainingFabric& fabric,
                        Ptr<TrainingJob> job);
    const Ptr<const StepProgram>& GetProgram(uint32_t rank) const;
    RankGroup ShareList(RankGroup group);
    Ptr<Communicator> CreateCommunicator(GroupSlot slot,
                                         const RankGroup& group,
                                         Ptr<MessageEndpoint> endpoint,
                                         const TrainingFabric& fabric);

    void JoinPeers(Communicator& communicator,
                   GroupSlot slot,
                   const RankGroup& group,
                   uint32_t rank,
                   const TrainingFabric& fabric) const;

    void ConfigureTransfers(Communicator& communicator,
                            const RankGroup& group,
                            Ptr<MessageEndpoint> endpoint,
                            const TrainingFabric& fabric) const;

    ParallelPlan m_plan;
    std::vector<Ptr<const StepProgram>> m_programs;
    uint32_t m_steps{1};
    DataRate m_scaleUpRate{"3600Gbps"};
    Time m_scaleUpLatency;
    bool m_scaleUpPackets{false};
    GateFactory m_gates;
    ObjectFactory m_endpointFactory;
    ObjectFactory m_jobFactory;
    Fidelity m_fidelity{Fidelity::PACKET};
    bool m_acknowledgements{false};
    bool m_anyOrder{false};
    bool m_hostAhead{false};
    Ptr<const ReliableTransport> m_transport;
    Ptr<ReliableTransport> m_ofJob; ///< its copy, at the job that was installed last
    Ptr<const AlgorithmTable> m_algorithms;
    Ptr<const AlgorithmTable> m_scaleUpAlgorithms;
    std::map<uint32_t, RankList> m_lists;          ///< by identity of a group: one for all members
    std::map<uint32_t, Ptr<SolvedGroup>> m_groups; ///< by identity, in collective fidelity
    std::vector<MessagePort*> m_ports;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_JOB_HELPER_H
