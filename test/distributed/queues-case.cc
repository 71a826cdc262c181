/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "distributed-cases.h"

#include "ns3/partition.h"
#include "ns3/rail-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <random>

using namespace ns3;
using namespace ns3::photonic;

void
RunQueues(const DistributedCase& run, std::ostream& lines)
{
    std::mt19937 random(run.seed);
    const auto pick = [&random](uint32_t least, uint32_t most) {
        return std::uniform_int_distribution<uint32_t>(least, most)(random);
    };
    const uint32_t ports = pick(3, 8);
    NodeContainer nodes;
    for (uint32_t i = 0; i < ports; i++)
    {
        nodes.Add(CreateObject<Node>(pick(0, 99) % run.systems));
    }
    ElectricalRailHelper rail;
    rail.SetSwitchSystem(pick(0, 99) % run.systems);
    rail.SetDeviceAttribute("DataRate", StringValue("7Gbps"));
    rail.SetQueueSize(QueueSize("1000p"));
    rail.SetFibreAttribute("Delay", TimeValue(PicoSeconds(pick(20000, 900000))));
    const auto devices = rail.Install(nodes, 1);
    for (uint32_t i = 0; i < ports; i++)
    {
        devices.Get(i)->TraceConnectWithoutContext(
            "PhyRxEnd",
            Callback<void, Ptr<const Packet>>([i, &lines](Ptr<const Packet> packet) {
                lines << "node " << i << " has " << packet->GetSize() << " bytes at "
                      << Simulator::Now().GetTimeStep() << "\n";
            }));
    }
    // Few instants and few sizes, so that queues build up and packets meet.
    for (int i = 0; i < 300; i++)
    {
        const uint32_t from = pick(0, ports - 1);
        const uint32_t to = (from + pick(1, ports - 1)) % ports;
        const Time at = MicroSeconds(2 * pick(0, 30));
        const uint32_t bytes = 100 * pick(1, 4) + from;
        const bool group = pick(0, 19) == 0;
        if (!IsRemote(nodes.Get(from)))
        {
            const Address address =
                group ? devices.Get(to)->GetBroadcast() : devices.Get(to)->GetAddress();
            Simulator::Schedule(at, [device = devices.Get(from), address, bytes] {
                device->Send(Create<Packet>(bytes), address, 0x88b5);
            });
        }
    }
    Simulator::Stop(MicroSeconds(400));
    Simulator::Run();
    const auto packets = rail.GetSwitch();
    if (!IsRemote(packets->GetObject<Node>()))
    {
        lines << "switch has forwarded " << packets->GetForwarded() << "\n";
        for (uint32_t i = 0; i < ports; i++)
        {
            lines << "queue of " << i << " was up to " << packets->GetLongestQueue(i) << "\n";
        }
    }
}
