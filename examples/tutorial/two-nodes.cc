/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Two nodes on an optical circuit switch: one packet over one circuit. See doc/tutorial.rst.
 */
#include "ns3/rail-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <iostream>

using namespace ns3;
using namespace ns3::photonic;

int
main()
{
    Time::SetResolution(Time::PS);

    // [rail]
    NodeContainer nodes(2);
    PhotonicRailHelper rail;
    rail.SetDeviceAttribute("DataRate", StringValue("400Gbps"));
    rail.SetFibreAttribute("Delay", StringValue("50ns"));
    const NetDeviceContainer devices = rail.Install(nodes, 1);
    rail.GetSwitch()->Preset({{0, 1}});
    // [end of rail]

    // [packet]
    devices.Get(1)->SetReceiveCallback(MakeCallback(
        +[](Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t, const Address&) {
            std::cout << "node " << device->GetNode()->GetId() << " has " << packet->GetSize()
                      << " bytes at " << Simulator::Now().As(Time::NS) << std::endl;
            return true;
        }));
    Simulator::Schedule(MicroSeconds(1), [&devices] {
        devices.Get(0)->Send(Create<Packet>(4096), devices.Get(1)->GetAddress(), 0x0800);
    });
    Simulator::Run();
    Simulator::Destroy();
    // [end of packet]
}
