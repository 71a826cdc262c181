/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Lab 1: node 0 sends a message to node 1, one to node 2, one to node 1, ..., and the circuit turns
 * in between. Prints how long a turn takes and at what rate payload gets through.
 */
#include "ns3/command-line.h"
#include "ns3/rail-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <functional>
#include <iostream>

using namespace ns3;
using namespace ns3::photonic;

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    uint64_t bytes = 1'000'000;
    uint32_t turns = 4;
    Time delay = MilliSeconds(15);
    std::string rate = "400Gbps";
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "of a message", bytes);
    cmd.AddValue("turns", "messages, each after a reconfiguration", turns);
    cmd.AddValue("delay", "of a reconfiguration, such as 15ms", delay);
    cmd.AddValue("rate", "of the ports", rate);
    cmd.Parse(argc, argv);

    NodeContainer nodes(3);
    PhotonicRailHelper rail;
    rail.SetDeviceAttribute("DataRate", StringValue(rate));
    rail.SetSwitchAttribute("ReconfigurationDelay", TimeValue(delay));
    rail.SetQueueSize(QueueSize("1000000p"));
    const auto devices = rail.Install(nodes, 1);
    uint32_t turn = 0;
    uint64_t missing = 0;
    const std::function<void()> next = [&] {
        const uint32_t peer = 1 + turn++ % 2;
        missing = bytes;
        rail.GetSwitch()->Reconfigure({{0, peer}}, [&, peer](const auto&) {
            for (uint64_t sent = 0; sent < bytes; sent += 4096)
            {
                devices.Get(0)->Send(Create<Packet>(std::min<uint64_t>(4096, bytes - sent)),
                                     devices.Get(peer)->GetAddress(),
                                     0x88b5);
            }
        });
    };
    const auto receive = [&](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&) {
        missing -= packet->GetSize();
        if (missing == 0 && turn < turns)
        {
            next();
        }
        return true;
    };
    devices.Get(1)->SetReceiveCallback(NetDevice::ReceiveCallback(receive));
    devices.Get(2)->SetReceiveCallback(NetDevice::ReceiveCallback(receive));
    next();
    Simulator::Run();
    const double period = Simulator::Now().GetSeconds() / turns;
    std::cout << "a turn takes " << 1e6 * period << " us, payload gets through at "
              << 8e-9 * bytes / period << " Gbps" << std::endl;
    Simulator::Destroy();
}
