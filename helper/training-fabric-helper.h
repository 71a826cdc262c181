/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_FABRIC_HELPER_H
#define PHOTONIC_TRAINING_FABRIC_HELPER_H

#include "port-layout.h"
#include "rail-helper.h"

#include "ns3/parallel-plan.h"

#include <functional>
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
    PortLayout layout;
    std::vector<Ptr<OpticalCircuitSwitch>> circuitSwitches; ///< by rail, if photonic
    std::vector<Ptr<PacketSwitch>> packetSwitches;          ///< by rail, if electrical

    /**
     * @param plan who is where
     * @param rank of a GPU @param nicPort one of its ports
     * @return the port of its rail's switch that it is plugged into
     */
    uint32_t GetSwitchPort(const ParallelPlan& plan, uint32_t rank, uint32_t nicPort) const;
};

/**
 * @ingroup photonic-rails-helper
 * @brief Builds the rails of a training job.
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
     * @param ofSwitches of all circuit switches
     */
    void SetPartition(std::function<uint32_t(uint32_t rank)> ofRank, uint32_t ofSwitches);

    /// @return for attributes of devices, fibres and circuit switches
    PhotonicRailHelper& GetPhotonic();
    /// @return for attributes of devices and fibres on packet switches
    ElectricalRailHelper& GetElectrical();

    /**
     * Every rail is an optical circuit switch.
     * @param plan who is where
     * @throws std::invalid_argument if a rail needs more ports than the switch has
     */
    TrainingFabric InstallPhotonic(const ParallelPlan& plan);

    /**
     * Every rail is an ideal packet switch.
     * @param plan who is where
     * @throws std::invalid_argument in a run of several processes, which it cannot be divided among
     */
    TrainingFabric InstallElectricalIdeal(const ParallelPlan& plan);

  private:
    template <typename Helper, typename Keep>
    TrainingFabric Install(const ParallelPlan& plan, Helper& helper, Keep keep);

    PortLayout m_layout;
    std::function<uint32_t(uint32_t)> m_systemOf;
    PhotonicRailHelper m_photonic;
    ElectricalRailHelper m_electrical;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_FABRIC_HELPER_H
