/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Three nodes on an optical circuit switch that turns under traffic, watched by traces. See
 * doc/tutorial.rst.
 */
#include "ns3/rail-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <iostream>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// @return the start of a line: the time
std::ostream&
Say()
{
    return std::cout << Simulator::Now().As(Time::US) << "  ";
}

// [traces]
void
CircuitChanged(uint32_t in, uint32_t out, uint64_t /* generation */, bool up)
{
    Say() << "light from port " << in << " to port " << out << (up ? "" : " is gone") << std::endl;
}

void
RequestDone(const OpticalCircuitSwitch::Outcome& outcome, bool queued)
{
    Say() << "request " << outcome.id << " is done after "
          << (outcome.done - outcome.requested).As(Time::US) << ", " << outcome.portsDark
          << " ports were dark" << (queued ? "; it had to wait" : "") << std::endl;
}

void
PacketDropped(Ptr<const Packet> /* packet */, const std::string& reason)
{
    Say() << "a packet is lost: " << reason << std::endl;
}

// [end of traces]

} // namespace

int
main()
{
    Time::SetResolution(Time::PS);
    NodeContainer nodes(3);
    PhotonicRailHelper rail;
    // [attributes]
    rail.SetSwitchAttribute("ReconfigurationDelay", StringValue("10us"));
    rail.SetDeviceAttribute("DataRate", StringValue("400Gbps"));
    rail.SetDeviceAttribute("DarkPolicy", StringValue("wait"));
    // [end of attributes]
    const NetDeviceContainer devices = rail.Install(nodes, 1);
    const auto ocs = rail.GetSwitch();
    ocs->Preset({{0, 1}});

    // [connect]
    ocs->TraceConnectWithoutContext("Circuit", MakeCallback(&CircuitChanged));
    ocs->TraceConnectWithoutContext("Reconfiguration", MakeCallback(&RequestDone));
    devices.Get(0)->TraceConnectWithoutContext("Drop", MakeCallback(&PacketDropped));
    // [end of connect]
    for (uint32_t i = 1; i < nodes.GetN(); i++)
    {
        devices.Get(i)->SetReceiveCallback(
            MakeCallback(+[](Ptr<NetDevice> device, Ptr<const Packet>, uint16_t, const Address&) {
                Say() << "node " << device->GetNode()->GetId() << " has a packet" << std::endl;
                return true;
            }));
    }

    // [turn]
    const auto send = [&devices](uint32_t to) {
        devices.Get(0)->Send(Create<Packet>(4096), devices.Get(to)->GetAddress(), 0x0800);
    };
    // The first packet arrives; the second one is on the line when the circuit goes; the third one
    // waits for the new circuit.
    Simulator::Schedule(NanoSeconds(1000), [&send] { send(1); });
    Simulator::Schedule(NanoSeconds(1990), [&send] { send(1); });
    Simulator::Schedule(NanoSeconds(2000), [ocs] { ocs->Reconfigure({{0, 2}}); });
    Simulator::Schedule(NanoSeconds(3000), [&send] { send(2); });
    // [end of turn]
    Simulator::Run();
    Simulator::Destroy();
}
