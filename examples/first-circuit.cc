/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Four nodes on one optical circuit switch. Node 0 sends to node 1, then the circuit turns to node
 * 2 for 15 ms, during which a second message waits in the dark.
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
    NodeContainer nodes(4);
    PhotonicRailHelper rail;
    rail.SetTechnology(OcsTechnology::Get("mems"));
    rail.SetDeviceAttribute("DataRate", StringValue("400Gbps"));
    const auto devices = rail.Install(nodes, 1);
    auto ocs = rail.GetSwitch();
    ocs->Preset({{0, 1}});

    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        devices.Get(i)->SetReceiveCallback(MakeCallback(
            +[](Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t, const Address&) {
                std::cout << "node " << device->GetNode()->GetId() << " has " << packet->GetSize()
                          << " bytes at " << Simulator::Now().As(Time::US) << std::endl;
                return true;
            }));
    }
    const auto send = [&devices](uint32_t to) {
        devices.Get(0)->Send(Create<Packet>(4096), devices.Get(to)->GetAddress(), 0x0800);
    };
    Simulator::Schedule(MicroSeconds(1), [&send] { send(1); });
    Simulator::Schedule(MicroSeconds(2), [ocs] { ocs->Reconfigure({{0, 2}}); });
    Simulator::Schedule(MicroSeconds(3), [&send] { send(2); });
    Simulator::Run();
    Simulator::Destroy();
}
