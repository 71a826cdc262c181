/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * A rotor: four nodes on a circuit switch that goes round the three perfect matchings of four
 * ports, whatever the traffic. In each slot a node sends to whom it sees; during the turn it is
 * dark. Prints what everybody got from everybody, and the share of time with light.
 */
#include "ns3/rail-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <array>
#include <iostream>

using namespace ns3;
using namespace ns3::photonic;

int
main()
{
    constexpr uint32_t slots = 30;
    constexpr uint32_t packets = 80; // per node and slot: what 90 us of light have room for
    Time::SetResolution(Time::PS);
    const Time slot = MicroSeconds(100);
    NodeContainer nodes(4);
    PhotonicRailHelper rail;
    rail.SetDeviceAttribute("DataRate", StringValue("8Gbps")); // a byte takes a nanosecond
    rail.SetSwitchAttribute("ReconfigurationDelay", StringValue("10us"));
    const auto devices = rail.Install(nodes, 1);
    auto ocs = rail.GetSwitch();

    std::array<std::array<uint32_t, 4>, 4> got{}; // packets, by receiver and sender
    for (uint32_t i = 0; i < 4; i++)
    {
        devices.Get(i)->SetReceiveCallback(NetDevice::ReceiveCallback(
            [&, i](Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address& from) {
                for (uint32_t j = 0; j < 4; j++)
                {
                    got[i][j] += devices.Get(j)->GetAddress() == from;
                }
                return true;
            }));
    }
    for (uint32_t number = 0; number < slots; number++)
    {
        const uint32_t peer = 1 + number % 3; // of node 0; the other two see each other
        Simulator::Schedule(number * slot, [ocs, peer] {
            const uint32_t a = peer == 1 ? 2 : 1;
            ocs->Reconfigure({{0, peer}, {a, a ^ peer}});
        });
        // A port learns of the turn a fibre later; what it began to send until then would be lost.
        Simulator::Schedule(number * slot + MicroSeconds(1), [&devices, peer] {
            for (uint32_t i = 0; i < 4; i++)
            {
                const auto to = devices.Get(i ^ peer)->GetAddress();
                for (uint32_t k = 0; k < packets; k++) // they wait for light
                {
                    devices.Get(i)->Send(Create<Packet>(962), to, 0x88b5);
                }
            }
        });
    }
    Simulator::Run();
    for (uint32_t i = 0; i < 4; i++)
    {
        std::cout << "node " << i << " got " << got[i][0] << " " << got[i][1] << " " << got[i][2]
                  << " " << got[i][3] << " packets from nodes 0 to 3" << std::endl;
    }
    const Time dark = ocs->GetDarkTime() / 4; // of a port
    std::cout << "light for " << 100 * (1 - dark.GetSeconds() / (slots * slot).GetSeconds())
              << " % of the time, " << ocs->GetLostPackets() << " packets lost" << std::endl;
    Simulator::Destroy();
}
