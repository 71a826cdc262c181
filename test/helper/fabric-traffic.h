/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FABRIC_TRAFFIC_H
#define PHOTONIC_FABRIC_TRAFFIC_H

#include "transport/test-rail.h"

#include "ns3/communicator.h"
#include "ns3/packet-port.h"
#include "ns3/training-fabric-helper.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/// GPUs on a fabric with a message endpoint each, and nothing above messages.
class FabricTraffic
{
  public:
    /// Of a full packet of MTU 4,096; with its headers it takes 1 us on a line.
    static constexpr uint64_t PAYLOAD = FULL;

    /**
     * @param nodes of one GPU each, on one rail
     * @param tiers of the switches
     * @param install builds the fabric
     * @param prepare called before that
     */
    FabricTraffic(
        uint32_t nodes,
        const SwitchTiers& tiers,
        const std::function<TrainingFabric(TrainingFabricHelper&, const ParallelPlan&)>& install,
        const std::function<void(PacketFabricHelper&)>& prepare = [](PacketFabricHelper&) {})
    {
        ParallelPlan::Degrees degrees;
        degrees.fsdp = nodes;
        const ParallelPlan plan(degrees);
        TrainingFabricHelper helper;
        helper.SetPortLayout(
            PortLayout::Shared(DataRate(MICROSECOND_RATE), 1, PipelineLanes::STRIPED));
        helper.SetSwitchTiers(tiers);
        prepare(helper.GetPackets());
        fabric = install(helper, plan);
        helper.GetPackets().AssignStreams(0);
        auto directory = Create<MessageDirectory>();
        for (uint32_t rank = 0; rank < nodes; rank++)
        {
            auto endpoint = CreateObject<MessageEndpoint>();
            endpoint->SetRank(rank, directory);
            endpoint->SetFailureCallback([](const std::string& what) { ADD_FAILURE() << what; });
            fabric.gpus.Get(rank)->AggregateObject(endpoint);
            endpoint->AddPort(std::make_unique<PacketPort>(*endpoint,
                                                           fabric.ports[rank].front(),
                                                           0x0a000001 + rank));
            endpoints.push_back(endpoint);
        }
    }

    ~FabricTraffic()
    {
        Simulator::Destroy();
    }

    /// @return packets that switches dropped
    uint64_t GetDrops() const
    {
        uint64_t drops = 0;
        for (const auto& packetSwitch : fabric.packetSwitches)
        {
            for (const auto& reasonAndCount : packetSwitch->GetDrops())
            {
                drops += reasonAndCount.second;
            }
        }
        return drops;
    }

    TrainingFabric fabric;
    std::vector<Ptr<MessageEndpoint>> endpoints; ///< by rank
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FABRIC_TRAFFIC_H
