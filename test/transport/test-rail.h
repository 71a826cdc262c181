/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TEST_RAIL_H
#define PHOTONIC_TEST_RAIL_H

#include "ns3/boolean.h"
#include "ns3/packet-port.h"
#include "ns3/rail-helper.h"
#include "ns3/reliable-port.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/train-port.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/// Expect that a text contains another.
#define EXPECT_SAYS(text, part)                                                                    \
    EXPECT_NE(std::string(text).find(part), std::string::npos)                                     \
        << "expected '" << (part) << "' in '" << (text) << "'"

__extension__ typedef __int128 TestWide;

/// At this rate a full packet of MTU 4,096 (4,134 bytes on the wire) takes 1 us.
constexpr uint64_t MICROSECOND_RATE = 33'072'000'000;
/// Payload of that packet.
constexpr uint64_t FULL = 4036;

/// @return bytes that a message occupies a line for: each packet has 60 bytes of transport headers,
/// 14 of Ethernet and 24 of preamble, check sequence and gap
inline uint64_t
GetWireBytes(uint64_t payload, uint64_t mtu)
{
    const uint64_t packets = (payload + mtu - 60 - 1) / (mtu - 60);
    return payload + packets * (60 + 14 + 24);
}

/**
 * Exact arithmetic that shares nothing with the code under test: instants are integer multiples of
 * (tick / rate), and only what software sees is rounded up, at whatever resolution the suite runs.
 */
struct ExactLine
{
    uint64_t rate; ///< bit/s

    TestWide At(Time t) const
    {
        return TestWide(t.GetTimeStep()) * rate;
    }

    TestWide Bytes(uint64_t bytes) const
    {
        return TestWide(bytes) * 8 * Seconds(1).GetTimeStep();
    }

    Time Ceil(TestWide at) const
    {
        return TimeStep(static_cast<uint64_t>((at + rate - 1) / rate));
    }

    /// @return when the last of so many bytes, the first of which left at start, has arrived
    Time Arrival(Time start, uint64_t bytes, Time propagation) const
    {
        return Ceil(At(start + propagation) + Bytes(bytes));
    }
};

/// Ranks on one rail, each with the same ports, and nothing above messages.
class TestRail
{
  public:
    struct Options
    {
        uint32_t ranks{2};
        uint32_t ports{2};
        uint64_t rate{MICROSECOND_RATE}; ///< of a port, in bit/s
        uint16_t mtu{4096};
        Time fibre{NanoSeconds(50)}; ///< from a port to the switch
        bool electrical{false};
        std::string darkPolicy{"wait"};
        Time reconfigurationDelay{MicroSeconds(2)};
        Time messageLatency;
        bool trains{false}; ///< message fidelity
        bool acknowledgements{false};
        Ptr<ReliableTransport> transport; ///< if set, ports recover from losses
        std::string inFlightPolicy{"lose"};
        bool drainAll{false};
        bool simplex{false}; ///< circuits are given direction by direction
    };

    explicit TestRail(const Options& o)
        : options(o),
          line{o.rate}
    {
        nodes.Create(o.ranks);
        NetDeviceContainer all;
        if (o.electrical)
        {
            ElectricalRailHelper helper;
            all = Install(helper);
            packets = helper.GetSwitch();
        }
        else
        {
            PhotonicRailHelper helper;
            helper.SetSwitchAttribute("Radix", UintegerValue(256));
            helper.SetSwitchAttribute("ReconfigurationDelay", TimeValue(o.reconfigurationDelay));
            helper.SetSwitchAttribute("InFlightPolicy", StringValue(o.inFlightPolicy));
            helper.SetSwitchAttribute("DrainAll", BooleanValue(o.drainAll));
            helper.SetSwitchAttribute("Simplex", BooleanValue(o.simplex));
            all = Install(helper);
            light = helper.GetSwitch();
        }
        auto directory = Create<MessageDirectory>();
        for (uint32_t rank = 0; rank < o.ranks; rank++)
        {
            auto endpoint = CreateObject<MessageEndpoint>();
            endpoint->SetAttribute("MessageLatency", TimeValue(o.messageLatency));
            endpoint->SetRank(rank, directory);
            endpoint->SetFailureCallback(
                [this](const std::string& what) { failures.push_back(what); });
            nodes.Get(rank)->AggregateObject(endpoint);
            endpoints.push_back(endpoint);
            for (uint32_t p = 0; p < o.ports; p++)
            {
                auto device = DynamicCast<OpticalNetDevice>(all.Get(rank * o.ports + p));
                devices.push_back(device);
                if (o.trains)
                {
                    endpoint->AddPort(std::make_unique<TrainPort>(*endpoint, device));
                    continue;
                }
                if (o.transport)
                {
                    auto port = std::make_unique<ReliablePort>(*endpoint,
                                                               device,
                                                               0x0a000000 + rank * 16 + p,
                                                               o.transport);
                    reliable.push_back(port.get());
                    endpoint->AddPort(std::move(port));
                    continue;
                }
                auto port =
                    std::make_unique<PacketPort>(*endpoint, device, 0x0a000000 + rank * 16 + p);
                port->SetAcknowledgements(o.acknowledgements);
                ports.push_back(port.get());
                endpoint->AddPort(std::move(port));
            }
        }
    }

    ~TestRail()
    {
        Simulator::Destroy();
    }

    TestRail(const TestRail&) = delete;
    TestRail& operator=(const TestRail&) = delete;

    /// @return port of the switch that a NIC port is plugged into
    uint32_t GetSwitchPort(uint32_t rank, uint32_t port) const
    {
        return rank * options.ports + port;
    }

    /// Join port 0 of each rank of a list to port 1 of the next one, the last to the first. On a
    /// packet switch there is nothing to do.
    void CloseRing(const std::vector<uint32_t>& ring)
    {
        if (!light || ring.size() < 2)
        {
            return;
        }
        std::vector<Circuit> circuits;
        for (std::size_t i = 0; i < ring.size(); i++)
        {
            circuits.push_back(
                {GetSwitchPort(ring[i], 0), GetSwitchPort(ring[(i + 1) % ring.size()], 1)});
        }
        if (options.simplex)
        {
            for (std::size_t i = 0; i < ring.size(); i++)
            {
                circuits.push_back({circuits[i].out, circuits[i].in});
            }
        }
        light->Preset(circuits);
    }

    /// Join port 0 of rank 0 to port 0 of rank 1.
    void JoinPair()
    {
        if (light)
        {
            light->Preset({{GetSwitchPort(0, 0), GetSwitchPort(1, 0)}});
        }
    }

    PacketPort& GetPort(uint32_t rank, uint32_t port) const
    {
        return *ports[rank * options.ports + port];
    }

    ReliablePort& GetReliable(uint32_t rank, uint32_t port) const
    {
        return *reliable[rank * options.ports + port];
    }

    /// @return what all reliable ports have counted
    TransportCounters GetCounters() const
    {
        TransportCounters counters;
        for (const auto* port : reliable)
        {
            counters += port->GetCounters();
        }
        return counters;
    }

    Ptr<OpticalNetDevice> GetDevice(uint32_t rank, uint32_t port) const
    {
        return devices[rank * options.ports + port];
    }

    Time GetPropagation() const
    {
        return options.fibre * 2;
    }

    /// Send from rank 0 to rank 1 over their ports 0; when[i] becomes the time of delivery.
    void SendAndReceive(const MessageKey& key, uint64_t bytes, Time& sent, Time& received)
    {
        sent = received = Time::Max();
        endpoints[1]->Receive(0, key, bytes, [&received](const Message&, Time) {
            received = Simulator::Now();
        });
        Send(key, bytes, sent);
    }

    /// Send from rank 0 to rank 1 over their ports 0.
    void Send(const MessageKey& key, uint64_t bytes, Time& sent, const Cause& cause = Cause())
    {
        endpoints[0]->Send(1, 0, 0, key, bytes, cause, [&sent](const Message&) {
            sent = Simulator::Now();
        });
    }

    Options options;
    ExactLine line;
    NodeContainer nodes;
    std::vector<Ptr<OpticalNetDevice>> devices;
    std::vector<Ptr<MessageEndpoint>> endpoints;
    std::vector<PacketPort*> ports;
    std::vector<ReliablePort*> reliable;
    Ptr<OpticalCircuitSwitch> light;
    Ptr<PacketSwitch> packets;
    std::vector<std::string> failures; ///< instead of exceptions

  private:
    template <typename Helper>
    NetDeviceContainer Install(Helper& helper)
    {
        helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate(options.rate)));
        helper.SetDeviceAttribute("Mtu", UintegerValue(options.mtu));
        helper.SetDeviceAttribute("DarkPolicy", StringValue(options.darkPolicy));
        helper.SetFibreAttribute("Delay", TimeValue(options.fibre));
        return helper.Install(nodes, options.ports);
    }
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TEST_RAIL_H
