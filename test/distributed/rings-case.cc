/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "distributed-cases.h"

#include "ns3/communicator.h"
#include "ns3/packet-port.h"
#include "ns3/partition.h"
#include "ns3/rail-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// A collective at one rank.
void
Start(Ptr<Communicator> member, CollectiveKind kind, uint64_t bytes, std::ostream& lines)
{
    const auto done = [member, &lines, kind](const CollectiveResult& result) {
        lines << "communicator " << member->GetId() << " member " << member->GetPosition() << " "
              << ToString(kind) << " sent " << result.sent << " first bit "
              << result.firstBit.GetTimeStep() << " traffic "
              << result.traffic.GetLength().GetTimeStep() << " end "
              << Simulator::Now().GetTimeStep() << "\n";
    };
    switch (kind)
    {
    case CollectiveKind::ALL_GATHER:
        return member->AllGather(bytes, done);
    case CollectiveKind::REDUCE_SCATTER:
        return member->ReduceScatter(bytes, done);
    default:
        return member->AllReduce(bytes, done);
    }
}

} // namespace

void
RunRings(const DistributedCase& run, std::ostream& lines)
{
    std::mt19937 random(run.seed);
    const auto pick = [&random](uint32_t least, uint32_t most) {
        return std::uniform_int_distribution<uint32_t>(least, most)(random);
    };
    const uint32_t n = pick(2, 7);
    NodeContainer nodes;
    for (uint32_t i = 0; i < n; i++)
    {
        nodes.Add(CreateObject<Node>(pick(0, 99) % run.systems));
    }
    PhotonicRailHelper rail;
    rail.SetSwitchSystem(pick(0, 99) % run.systems);
    rail.SetDeviceAttribute("DataRate", StringValue("70Gbps"));
    rail.SetFibreAttribute("Delay", TimeValue(PicoSeconds(pick(20000, 900000))));
    const auto devices = rail.Install(nodes, 2);
    auto directory = Create<MessageDirectory>();
    std::vector<uint32_t> ranks;
    std::vector<Circuit> circuits;
    std::vector<Ptr<MessageEndpoint>> endpoints;
    for (uint32_t rank = 0; rank < n; rank++)
    {
        ranks.push_back(rank);
        circuits.push_back({2 * rank, 2 * ((rank + 1) % n) + 1});
        endpoints.push_back(CreateObject<MessageEndpoint>());
        nodes.Get(rank)->AggregateObject(endpoints.back());
        endpoints.back()->SetRank(rank, directory);
        for (uint32_t port = 0; port < 2; port++)
        {
            auto device = DynamicCast<OpticalNetDevice>(devices.Get(2 * rank + port));
            endpoints.back()->AddPort(
                std::make_unique<PacketPort>(*endpoints.back(), device, 16 * rank + port));
        }
    }
    rail.GetSwitch()->Preset(circuits);
    std::vector<Ptr<Communicator>> members;
    for (uint32_t communicator = 1; communicator <= 2; communicator++)
    {
        const uint32_t operations = pick(1, 6);
        std::vector<Ptr<Communicator>> group;
        for (uint32_t rank = 0; rank < n; rank++)
        {
            group.push_back(CreateObject<Communicator>());
            group.back()->Configure(communicator, ranks, endpoints[rank], {{0, 1}, {1, 0}});
        }
        for (uint32_t i = 0; i < operations; i++)
        {
            const auto kind = std::vector<CollectiveKind>{CollectiveKind::ALL_GATHER,
                                                          CollectiveKind::REDUCE_SCATTER,
                                                          CollectiveKind::ALL_REDUCE}[pick(0, 2)];
            const uint64_t bytes = pick(0, 3) == 0 ? pick(0, 9) : pick(1, 300000);
            for (const auto& member : group)
            {
                const Time at = MicroSeconds(40 * i) + PicoSeconds(pick(0, 9000000));
                if (!IsRemote(nodes.Get(member->GetPosition())))
                {
                    Simulator::Schedule(at, [=, &lines] { Start(member, kind, bytes, lines); });
                }
            }
        }
        members.insert(members.end(), group.begin(), group.end());
    }
    Simulator::Stop(MilliSeconds(2));
    Simulator::Run();
    for (const auto& member : members)
    {
        member->Dispose();
    }
}
