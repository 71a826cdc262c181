/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * UDP over a circuit: stock applications and the stock Internet stack on two ports of an optical
 * circuit switch. The circuit is asked for when the client starts, so the first datagrams wait for
 * light; none is lost. Prints when the first and the last one arrive. Traces: circuit-udp-*.pcap
 * if the program gets an argument.
 */
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/rail-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/udp-client-server-helper.h"
#include "ns3/uinteger.h"

#include <iostream>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

uint32_t g_datagrams;
Time g_first;
Time g_last;

void
Received(Ptr<const Packet>, const Address&)
{
    g_last = Simulator::Now();
    g_first = g_datagrams++ == 0 ? g_last : g_first;
}

} // namespace

int
main(int argc, char*[])
{
    Time::SetResolution(Time::PS);
    NodeContainer nodes(2);
    PhotonicRailHelper rail;
    rail.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    rail.SetFibreAttribute("Delay", StringValue("50ns"));
    rail.SetSwitchAttribute("ReconfigurationDelay", StringValue("100us"));
    const auto devices = rail.Install(nodes, 1);
    InternetStackHelper().Install(nodes);
    const auto interfaces = Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(devices);
    if (argc > 1)
    {
        rail.EnablePcap("circuit-udp", devices);
    }

    PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9));
    sink.Install(nodes.Get(1)).Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Received));
    UdpClientHelper client(interfaces.GetAddress(1), 9);
    client.SetAttribute("MaxPackets", UintegerValue(1000));
    client.SetAttribute("Interval", StringValue("1us"));
    client.SetAttribute("PacketSize", UintegerValue(934)); // 1,000 bytes on the line
    client.Install(nodes.Get(0));
    Simulator::Schedule(Time(0), [ocs = rail.GetSwitch()] { ocs->Reconfigure({{0, 1}}); });
    Simulator::Stop(MilliSeconds(10));
    Simulator::Run();
    std::cout << g_datagrams << " datagrams, the first after " << g_first.As(Time::NS)
              << ", the last after " << g_last.As(Time::NS) << std::endl;
    Simulator::Destroy();
}
