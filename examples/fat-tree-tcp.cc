/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * A second opinion: the same fat-tree from this module's switches and transport, and from what ns-3
 * ships, which are point-to-point devices, the Internet stack and TCP.
 *
 * Two cases on each: one sender and one receiver in different pods, and several senders to one
 * receiver. ns-3's global routing takes one of the equal paths, the module hashes flows over all;
 * in both cases the line of the receiver decides. Beside the times stands what the line of the
 * receiver takes at least for the bytes with their headers.
 */
#include "ns3/bulk-send-helper.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/packet-fabric-helper.h"
#include "ns3/packet-port.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/photonic-compat.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/reliable-port.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// What both fabrics and all transports have in common.
struct Scenario
{
    uint32_t hosts{16};
    uint32_t radix{4};
    uint64_t bytes{20'000'000}; ///< from each sender
    uint32_t senders{8};        ///< of the incast
    DataRate rate{"10Gbps"};
    Time fibre{NanoSeconds(50)};
    uint32_t mtu{4096};
};

/// A run: so many of the last hosts send to the first one.
struct Result
{
    Time completion;   ///< of the last byte
    uint64_t received; ///< bytes
    uint64_t drops;    ///< packets that found no room
};

/// @param port makes the port of an endpoint with a device
template <typename MakePort>
Result
RunModule(const Scenario& scenario, uint32_t senders, MakePort port)
{
    PacketFabricHelper helper;
    helper.SetDeviceAttribute("DataRate", DataRateValue(scenario.rate));
    helper.SetDeviceAttribute("Mtu", UintegerValue(scenario.mtu));
    helper.SetFibreAttribute("Delay", TimeValue(scenario.fibre));
    helper.SetSwitchAttribute("Mtu", UintegerValue(scenario.mtu));
    NodeContainer nodes(scenario.hosts);
    std::vector<PacketFabricHelper::Host> hosts;
    for (uint32_t i = 0; i < scenario.hosts; i++)
    {
        hosts.push_back({nodes.Get(i), 0});
    }
    const auto devices =
        helper.Install(SwitchTopology::FatTree(scenario.hosts, {scenario.radix, 1, 1}), hosts);
    helper.AssignStreams(0);
    auto directory = Create<MessageDirectory>();
    std::vector<Ptr<MessageEndpoint>> endpoints;
    for (uint32_t i = 0; i < scenario.hosts; i++)
    {
        auto endpoint = CreateObject<MessageEndpoint>();
        endpoint->SetRank(i, directory);
        nodes.Get(i)->AggregateObject(endpoint);
        endpoint->AddPort(port(*endpoint, devices[i]));
        endpoints.push_back(endpoint);
    }
    Result result{};
    for (uint32_t i = 0; i < senders; i++)
    {
        const uint32_t from = scenario.hosts - 1 - i;
        endpoints[0]->Receive(from, {0, 0, 0}, scenario.bytes, [&](const Message& message, Time) {
            result.completion = Simulator::Now();
            result.received += message.bytes;
        });
        endpoints[from]->Send(0, 0, 0, {0, 0, 0}, scenario.bytes, Cause(), nullptr);
    }
    Simulator::Run();
    for (const auto& packetSwitch : helper.GetSwitches())
    {
        for (const auto& reasonAndCount : packetSwitch->GetDrops())
        {
            result.drops += reasonAndCount.second;
        }
    }
    Simulator::Destroy();
    return result;
}

/// The same from stock devices and TCP.
Result
RunTcp(const Scenario& scenario, uint32_t senders)
{
    const auto topology = SwitchTopology::FatTree(scenario.hosts, {scenario.radix, 1, 1});
    NodeContainer nodes(scenario.hosts);
    NodeContainer switches(topology.tiers.size());
    InternetStackHelper stack;
    stack.InstallAll();
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(scenario.rate));
    link.SetDeviceAttribute("Mtu", UintegerValue(scenario.mtu));
    link.SetChannelAttribute("Delay", TimeValue(scenario.fibre));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100p"));
    TrafficControlHelper control;
    control.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue("1000p"));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    Ipv4Address receiver;
    std::vector<Ptr<QueueDisc>> queues;
    const auto join = [&](Ptr<Node> a, Ptr<Node> b) {
        const auto devices = link.Install(a, b);
        const auto discs = control.Install(devices);
        for (uint32_t i = 0; i < discs.GetN(); i++)
        {
            queues.push_back(discs.Get(i));
        }
        const auto interfaces = addresses.Assign(devices);
        addresses.NewNetwork();
        return interfaces.GetAddress(0);
    };
    for (uint32_t i = 0; i < scenario.hosts; i++)
    {
        const auto address = join(nodes.Get(i), switches.Get(topology.hosts[i]));
        receiver = i == 0 ? address : receiver;
    }
    for (const auto& fibre : topology.links)
    {
        join(switches.Get(fibre.lower), switches.Get(fibre.upper));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    constexpr uint16_t PORT = 5000;
    Result result{};
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(receiver, PORT));
    const auto sinks = sink.Install(nodes.Get(0));
    const auto received = [&](Ptr<const Packet> packet, const Address&) {
        result.received += packet->GetSize();
        result.completion = Simulator::Now();
    };
    sinks.Get(0)->TraceConnectWithoutContext("Rx", FunctionCallback(received));
    for (uint32_t i = 0; i < senders; i++)
    {
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(receiver, PORT));
        source.SetAttribute("MaxBytes", UintegerValue(scenario.bytes));
        source.SetAttribute("SendSize", UintegerValue(scenario.mtu));
        source.Install(nodes.Get(scenario.hosts - 1 - i));
    }
    Simulator::Stop(Seconds(100));
    Simulator::Run();
    for (const auto& queue : queues)
    {
        result.drops += queue->GetStats().nTotalDroppedPackets;
    }
    Simulator::Destroy();
    return result;
}

/// @return what the receiver's line takes for payload in packets with so many bytes more
double
GetLeast(const Scenario& scenario, uint32_t senders, uint32_t payload, uint32_t headers)
{
    const double packets = double((scenario.bytes + payload - 1) / payload) * senders;
    return (double(scenario.bytes) * senders + packets * headers) * 8 / scenario.rate.GetBitRate();
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    Scenario scenario;
    std::string tcp = "ns3::TcpCubic";
    CommandLine options(__FILE__);
    options.AddValue("hosts", "hosts of the fat-tree", scenario.hosts);
    options.AddValue("radix", "ports of a switch", scenario.radix);
    options.AddValue("bytes", "that each sender sends", scenario.bytes);
    options.AddValue("senders", "of the incast, below hosts", scenario.senders);
    options.AddValue("tcp", "type of TCP", tcp);
    options.Parse(argc, argv);
    try
    {
        const auto expect = [](bool fine, const std::string& what) {
            if (!fine)
            {
                throw std::invalid_argument(what);
            }
        };
        expect(scenario.hosts >= 2 && scenario.hosts <= 10000,
               "--hosts=" + std::to_string(scenario.hosts) + ": expected 2 to 10000");
        expect(scenario.senders >= 1 && scenario.senders < scenario.hosts,
               "--senders=" + std::to_string(scenario.senders) + ": expected 1 to " +
                   std::to_string(scenario.hosts - 1));
        expect(scenario.bytes >= 1 && scenario.bytes <= 1'000'000'000'000,
               "--bytes=" + std::to_string(scenario.bytes) + ": expected 1 to 10^12");
        TypeId type;
        expect(TypeId::LookupByNameFailSafe(tcp, &type),
               "--tcp=" + tcp + ": expected a TCP of ns-3, as ns3::TcpNewReno");
        SwitchTopology::FatTree(scenario.hosts, {scenario.radix, 1, 1});
    }
    catch (const std::invalid_argument& error)
    {
        std::fprintf(stderr, "fat-tree-tcp: %s\n", error.what());
        return 2;
    }
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue(tcp));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(scenario.mtu - 52));
    // As the module's timer. ns-3's default of a second is for the Internet.
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MicroSeconds(1049)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(1)));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(8 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(8 << 20));
    auto dcqcn = CreateObject<ReliableTransport>();
    dcqcn->SetAttribute("Retransmission", StringValue("go-back-n"));
    dcqcn->SetCongestionControl("ns3::photonic::Dcqcn");

    const auto address = [](const MessageEndpoint& endpoint) {
        return 0x0a000001 + endpoint.GetRank();
    };
    std::printf("case,transport,completion_s,least_s,received_bytes,dropped_packets\n");
    for (uint32_t senders : {1U, scenario.senders})
    {
        const auto print = [&](const char* name, const Result& result, double least) {
            std::printf("%u to 1,%s,%.9f,%.9f,%llu,%llu\n",
                        senders,
                        name,
                        result.completion.GetSeconds(),
                        least,
                        static_cast<unsigned long long>(result.received),
                        static_cast<unsigned long long>(result.drops));
        };
        // 60 bytes of transport headers, 38 of Ethernet and its line; IP, TCP with timestamps, PPP.
        const double rdma = GetLeast(scenario, senders, scenario.mtu - 60, 98);
        print(
            "lossless",
            RunModule(scenario,
                      senders,
                      [&](MessageEndpoint& endpoint, Ptr<OpticalNetDevice> device) {
                          return std::make_unique<PacketPort>(endpoint, device, address(endpoint));
                      }),
            rdma);
        print("dcqcn",
              RunModule(scenario,
                        senders,
                        [&](MessageEndpoint& endpoint, Ptr<OpticalNetDevice> device) {
                            return std::make_unique<ReliablePort>(endpoint,
                                                                  device,
                                                                  address(endpoint),
                                                                  dcqcn);
                        }),
              rdma);
        print("tcp", RunTcp(scenario, senders), GetLeast(scenario, senders, scenario.mtu - 52, 54));
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
    {
        std::fprintf(stderr, "fat-tree-tcp: standard output cannot be written\n");
        return 4;
    }
    return 0;
}
