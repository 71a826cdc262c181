/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_ANIMATED_LIGHT_H
#define PHOTONIC_ANIMATED_LIGHT_H

#include "ns3/animation-interface.h"
#include "ns3/channel.h"
#include "ns3/training-fabric-helper.h"

#include <string>
#include <vector>

/**
 * What NetAnim sees of photonic rails. It draws links and packets of point-to-point channels only:
 * a fibre is such a channel that carries nothing, and packets are reported by an object that has
 * the trace source of such channels.
 */
class AnimatedLight
{
  public:
    /**
     * Give GPUs and switches places, and links between them; before the AnimationInterface is made.
     * @param plan who is where
     * @param fabric photonic rails
     */
    AnimatedLight(const ns3::photonic::ParallelPlan& plan,
                  const ns3::photonic::TrainingFabric& fabric);
    ~AnimatedLight();

    /**
     * Name the nodes, and follow packets and circuits from now on.
     * @param animation of this simulation; it and this object must outlive the run
     */
    void Show(ns3::AnimationInterface& animation);

    /// @return circuits that have come up or gone down, one for each direction
    uint64_t GetChanges() const;

  private:
    /// A channel without devices, by which packets are reported.
    class Reporter;

    void Send(uint32_t rank, uint32_t nicPort, ns3::Ptr<const ns3::Packet> packet);
    void Change(uint32_t rail, uint32_t in, uint32_t out, bool up);
    void Colour(uint32_t rail);
    uint32_t GetRank(uint32_t rail, uint32_t switchPort) const;

    const ns3::photonic::ParallelPlan& m_plan;
    const ns3::photonic::TrainingFabric& m_fabric;
    ns3::Ptr<Reporter> m_reporter;
    std::vector<ns3::NetDeviceContainer> m_fibres; ///< by rank: ends at the GPU, at the switch
    std::vector<std::vector<std::string>> m_ends;  ///< by rank and NIC port: where light goes
    std::vector<bool> m_turning;                   ///< by rail: how it is coloured
    ns3::AnimationInterface* m_animation{nullptr};
    uint64_t m_changes{0};
};

#endif // PHOTONIC_ANIMATED_LIGHT_H
