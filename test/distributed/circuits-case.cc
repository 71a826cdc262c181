/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "distributed-cases.h"

#include "ns3/partition.h"
#include "ns3/rail-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <random>

using namespace ns3;
using namespace ns3::photonic;

void
RunCircuits(const DistributedCase& run, std::ostream& lines)
{
    std::mt19937 random(run.seed);
    const auto pick = [&random](uint32_t least, uint32_t most) {
        return std::uniform_int_distribution<uint32_t>(least, most)(random);
    };
    const uint32_t ports = pick(4, 8);
    NodeContainer nodes;
    for (uint32_t i = 0; i < ports; i++)
    {
        nodes.Add(CreateObject<Node>(pick(0, 99) % run.systems));
    }
    PhotonicRailHelper rail;
    rail.SetSwitchSystem(pick(0, 99) % run.systems);
    rail.SetDeviceAttribute("DataRate", StringValue("7Gbps"));
    // Fibres of one length: the sender of a lost frame is told by light.
    rail.SetFibreAttribute("Delay", TimeValue(PicoSeconds(pick(20000, 900000))));
    rail.SetSwitchAttribute("ReconfigurationDelay",
                            TimeValue(PicoSeconds(pick(0, 1) * pick(0, 3000000))));
    rail.SetSwitchAttribute("InFlightPolicy",
                            StringValue(pick(0, 1) ? "lose" : "drain-current-packet"));
    rail.SetDeviceAttribute("DarkPolicy", StringValue(pick(0, 3) ? "wait" : "drop"));
    const auto devices = rail.Install(nodes, 1);
    auto ocs = rail.GetSwitch();

    const auto matching = [&](uint32_t pairs) {
        std::vector<uint32_t> order(ports);
        for (uint32_t i = 0; i < ports; i++)
        {
            order[i] = i;
        }
        std::shuffle(order.begin(), order.end(), random);
        std::vector<Circuit> circuits;
        for (uint32_t i = 0; i < pairs; i++)
        {
            circuits.push_back({order[2 * i], order[2 * i + 1]});
        }
        return circuits;
    };
    ocs->Preset(matching(ports / 2));
    for (uint32_t i = 0; i < ports; i++)
    {
        devices.Get(i)->TraceConnectWithoutContext(
            "PhyRxEnd",
            Callback<void, Ptr<const Packet>>([i, &lines](Ptr<const Packet> packet) {
                lines << "node " << i << " has " << packet->GetSize() << " bytes at "
                      << Simulator::Now().GetTimeStep() << "\n";
            }));
    }
    constexpr uint32_t END = 60'000'000; // ps
    for (int i = 0; i < 300; i++)
    {
        const uint32_t from = pick(0, ports - 1);
        const Time at = PicoSeconds(pick(0, END));
        const uint32_t bytes = pick(1, 1500);
        if (!IsRemote(nodes.Get(from)))
        {
            Simulator::Schedule(at, [device = devices.Get(from), bytes] {
                device->Send(Create<Packet>(bytes), device->GetBroadcast(), 0x88b5);
            });
        }
    }
    for (int i = 0; i < 30; i++)
    {
        const auto circuits = matching(pick(1, ports / 2));
        Simulator::Schedule(PicoSeconds(pick(0, END)),
                            [ocs, circuits] { ocs->Reconfigure(circuits); });
    }
    Simulator::Stop(MicroSeconds(400));
    Simulator::Run();
    for (uint32_t i = 0; i < ports; i++)
    {
        if (!IsRemote(nodes.Get(i)))
        {
            for (const auto& [reason, count] :
                 DynamicCast<OpticalNetDevice>(devices.Get(i))->GetDrops())
            {
                lines << "node " << i << " lost " << count << ": " << reason << "\n";
            }
        }
    }
    if (!IsRemote(ocs->GetObject<Node>()))
    {
        lines << "switch lost " << ocs->GetLostPackets() << ", dark for "
              << ocs->GetDarkTime().GetTimeStep() << "\n";
    }
}
