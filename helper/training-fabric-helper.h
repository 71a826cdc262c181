/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_FABRIC_HELPER_H
#define PHOTONIC_TRAINING_FABRIC_HELPER_H

#include "packet-fabric-helper.h"
#include "port-layout.h"
#include "rail-helper.h"

#include "ns3/parallel-plan.h"
#include "ns3/traffic-matrix.h"
#include "ns3/wdm-fabric.h"

#include <functional>
#include <map>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief The network of a training job: one ns-3 node per GPU, one rail per local rank.
 */
struct TrainingFabric
{
    NodeContainer gpus;                                    ///< by rank
    std::vector<std::vector<Ptr<OpticalNetDevice>>> ports; ///< by rank and NIC port
    /// Ports and rates of every parallelism.
    PortLayout layout;
    std::vector<Ptr<OpticalCircuitSwitch>> circuitSwitches; ///< by rail, if photonic
    /// If electrical: by rail, if it is ideal; else as the SwitchTopology numbers them.
    std::vector<Ptr<PacketSwitch>> packetSwitches;
    /// Its parts, for cost and power.
    FabricInventory inventory;
    Ptr<WdmFabric> wdm; ///< if GPUs split wavelengths over their peers
    /// If so: by rank, the port for each peer.
    std::vector<std::map<uint32_t, uint32_t>> portTo;

    /// A rank's way out by another one that passes messages on, see RelayPort.
    struct Relay
    {
        /// Whose way out it is.
        uint32_t rank;
        /// Number of its port whose circuit leads to the mate.
        uint32_t nicPort;
        /// The rank that passes it on.
        uint32_t mate;
        /// Number of the mate's port at which that circuit ends.
        uint32_t mateIn;
        /// Number of the mate's port that messages go on by.
        uint32_t matePort;
    };

    /// Ports that each rank has beside those and the one into its node, in order.
    std::vector<Relay> relays;
    /// By rank, lanes to peers that hosts forward to.
    std::vector<std::map<uint32_t, Communicator::Lane>> detours;
    uint64_t forwardedBytes{0}; ///< payload that hosts pass on in a step, counted at each

    /**
     * Where ports are for peers, give a pair that has none a way by others.
     * @param path ranks of the way, from the sender to the receiver; at least three, each with a
     *        port for the next one
     */
    void AddDetour(const std::vector<uint32_t>& path);

    /**
     * @param rank a member
     * @param group one of its groups that leave the node
     * @param slot by which the rank knows it
     * @return its lanes. Where ports are for peers: up to the next member and, if there are more
     *         than two, down to the one before
     */
    std::vector<Communicator::Lane> GetLanes(uint32_t rank,
                                             const RankGroup& group,
                                             GroupSlot slot) const;

    /**
     * @param rank a rank @param peer another one, for which it has a port of its own or a detour
     *        (else std::invalid_argument)
     * @return the lane from the one to the other
     */
    Communicator::Lane GetLaneTo(uint32_t rank, uint32_t peer) const;

    /**
     * @param rank that sends or receives
     * @param peer rank at the other end
     * @return stripes of a transfer between the two; none if ports are for peers and they have none
     */
    std::vector<Communicator::Lane> GetPeerLanes(uint32_t rank, uint32_t peer) const;

    /**
     * @param plan who is where
     * @param rank of a GPU @param nicPort one of its ports
     * @return the port of its rail's switch that it is plugged into
     */
    uint32_t GetSwitchPort(const ParallelPlan& plan, uint32_t rank, uint32_t nicPort) const;
};

/**
 * @ingroup photonic-rails-helper
 * @brief In what order GPUs are plugged into a fabric that has no rails.
 */
enum class Placement
{
    RANK, ///< a node's GPUs side by side
    RAIL, ///< GPUs of one local rank side by side
};

/**
 * @ingroup photonic-rails-helper
 * @brief Builds the network of a training job.
 */
class TrainingFabricHelper
{
  public:
    TrainingFabricHelper();

    /// @param layout NIC ports of a GPU
    void SetPortLayout(const PortLayout& layout);

    /**
     * Which process simulates what, in a run of several; not set: process 0 all.
     * @param ofRank system identifier of each rank's node
     * @param ofSwitches of all switches
     */
    void SetPartition(std::function<uint32_t(uint32_t rank)> ofRank, uint32_t ofSwitches);

    /// @return for attributes of devices, fibres and circuit switches
    PhotonicRailHelper& GetPhotonic();
    /// @return for attributes of devices and fibres on ideal packet switches
    ElectricalRailHelper& GetElectrical();
    /// @return for attributes of devices, fibres and switches of the other electrical fabrics
    PacketFabricHelper& GetPackets();

    /// @param tiers what the switches of those are like; portsPerHost is the port layout's
    void SetSwitchTiers(const SwitchTiers& tiers);

    /**
     * Every rail is an optical circuit switch.
     * @param plan who is where
     * @return the fabric
     * @throws std::invalid_argument if a rail needs more ports than the switch has
     */
    TrainingFabric InstallPhotonic(const ParallelPlan& plan);

    /// @param name of an attribute of WdmFabric @param value of it
    void SetWdmAttribute(const std::string& name, const AttributeValue& value);

    /**
     * SiP-OCS and SiP-Ring: every GPU has a port for each peer that it talks to, on one WDM fabric,
     * without circuits yet. Attributes of devices and fibres are those of GetPhotonic().
     * @param plan who is where
     * @param traffic by rank: who talks to whom, in either direction
     * @return the fabric
     * @throws std::invalid_argument with both numbers if a rank has too many peers, or if there
     *         are several processes
     */
    TrainingFabric InstallWdm(const ParallelPlan& plan, const TrafficMatrix& traffic);

    /**
     * Every rail is an ideal packet switch.
     * @param plan who is where
     * @return the fabric
     */
    TrainingFabric InstallElectricalIdeal(const ParallelPlan& plan);

    /**
     * Leaf switches per rail, and spines; a rail is one switch if that is enough.
     * @param plan who is where
     * @return the fabric
     * @throws std::invalid_argument with the numbers if two tiers of switches are too small
     */
    TrainingFabric InstallElectricalRail(const ParallelPlan& plan);

    /**
     * Each rail is a switch, and nothing joins them (Wang et al., "Rail-only: A Low-Cost
     * High-Performance Network for Training LLMs with Trillions of Parameters", 2023).
     * @param plan who is where
     * @return the fabric
     * @throws std::invalid_argument with both numbers if a switch has too few ports
     */
    TrainingFabric InstallRailOnly(const ParallelPlan& plan);

    /**
     * Random variables of a fabric: those of its packet switches.
     * @param fabric that was installed @param stream of the first
     * @return how many there are
     */
    static int64_t AssignStreams(const TrainingFabric& fabric, int64_t stream);

    /**
     * @param plan who is where @param placement in what order
     * @return the rank at each place
     */
    static std::vector<uint32_t> GetOrder(const ParallelPlan& plan, Placement placement);

    /**
     * A fat-tree of up to three tiers, without rails.
     * @param plan who is where
     * @param placement of the GPUs on it
     * @return the fabric
     * @throws std::invalid_argument with the numbers if the switches are too small
     */
    TrainingFabric InstallFatTree(const ParallelPlan& plan, Placement placement);

  private:
    SwitchTiers GetTiers() const;
    TrainingFabric Start(const ParallelPlan& plan) const;
    TrainingFabric InstallPackets(const ParallelPlan& plan,
                                  const SwitchTopology& topology,
                                  Placement placement);
    template <typename Helper, typename Keep>
    TrainingFabric Install(const ParallelPlan& plan, Helper& helper, Keep keep);

    PortLayout m_layout;
    std::function<uint32_t(uint32_t)> m_systemOf;
    PhotonicRailHelper m_photonic;
    ElectricalRailHelper m_electrical;
    PacketFabricHelper m_packets;
    ObjectFactory m_wdm;
    SwitchTiers m_tiers;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_FABRIC_HELPER_H
