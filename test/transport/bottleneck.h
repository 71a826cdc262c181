/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TEST_BOTTLENECK_H
#define PHOTONIC_TEST_BOTTLENECK_H

#include "test-rail.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/shared-buffer-switch.h"

namespace ns3
{
namespace photonic
{

/// Ranks 0 to n-1, which send to rank n without end, through one output of a switch with a finite
/// buffer, pauses, and the marks of DCQCN's congestion point with the paper's bounds.
class Bottleneck
{
  public:
    static constexpr uint64_t MESSAGE = 40'000;

    Bottleneck(uint32_t flows,
               DataRate rate,
               Ptr<ReliableTransport> transport,
               uint16_t mtu = 4096,
               bool lossless = true,
               uint64_t buffer = 1 << 20)
        : received(flows),
          m_flows(flows)
    {
        nodes.Create(flows + 1);
        packets = CreateObject<SharedBufferSwitch>();
        packets->SetAttribute("Latency", TimeValue(Time(0)));
        packets->SetAttribute("LosslessPriorities", UintegerValue(lossless ? 1 << 3 : 0));
        packets->SetAttribute("BufferPerPort", UintegerValue(buffer));
        auto directory = Create<MessageDirectory>();
        for (uint32_t rank = 0; rank <= flows; rank++)
        {
            auto device = CreateObject<OpticalNetDevice>();
            device->SetAddress(Mac48Address::Allocate());
            device->SetDataRate(rate);
            device->SetMtu(mtu);
            nodes.Get(rank)->AddDevice(device);
            auto fibre = CreateObject<OpticalChannel>();
            fibre->SetAttribute("Delay", TimeValue(NanoSeconds(500)));
            device->Attach(fibre);
            packets->SetForwarding(Mac48Address::ConvertFrom(device->GetAddress()),
                                   packets->Attach(fibre, rate));
            auto endpoint = CreateObject<MessageEndpoint>();
            endpoint->SetRank(rank, directory);
            nodes.Get(rank)->AggregateObject(endpoint);
            endpoints.push_back(endpoint);
            auto port =
                std::make_unique<ReliablePort>(*endpoint, device, 0x0a000001 + rank, transport);
            ports.push_back(port.get());
            endpoint->AddPort(std::move(port));
        }
        RngSeedManager::SetRun(1);
        packets->AssignStreams(1);
        endpoints[flows]->TraceConnectWithoutContext(
            "Receive",
            Callback<void, const Message&>(
                [this](const Message& m) { received[m.source] += m.bytes; }));
    }

    ~Bottleneck()
    {
        Simulator::Destroy();
    }

    Bottleneck(const Bottleneck&) = delete;
    Bottleneck& operator=(const Bottleneck&) = delete;

    /// Begin to send. @param rank who
    void Start(uint32_t rank)
    {
        for (int i = 0; i < 4; i++)
        {
            SendNext(rank);
        }
    }

    Ptr<CongestionControl> GetControl(uint32_t rank) const
    {
        return ports[rank]->GetControl(1, m_flows, 0);
    }

    /// @return packets in the queue of the bottleneck
    std::size_t GetQueue() const
    {
        return packets->GetQueueLength(m_flows);
    }

    TransportCounters GetCounters() const
    {
        TransportCounters counters;
        for (const auto* port : ports)
        {
            counters += port->GetCounters();
        }
        return counters;
    }

    /// @return (sum x)^2 / (n sum x^2) (Jain, Chiu and Hawe 1984)
    static double GetFairness(const std::vector<double>& shares)
    {
        double sum = 0;
        double squares = 0;
        for (double share : shares)
        {
            sum += share;
            squares += share * share;
        }
        return sum * sum / (shares.size() * squares);
    }

    NodeContainer nodes;
    Ptr<SharedBufferSwitch> packets;
    std::vector<Ptr<MessageEndpoint>> endpoints;
    std::vector<ReliablePort*> ports;
    std::vector<uint64_t> received; ///< bytes, by sender

  private:
    void SendNext(uint32_t rank)
    {
        const MessageKey key{1, m_sequence++, rank};
        endpoints[m_flows]->Receive(rank, key, MESSAGE, [](const Message&, Time) {});
        endpoints[rank]->Send(m_flows, 0, 0, key, MESSAGE, Cause(), [this, rank](const Message&) {
            SendNext(rank);
        });
    }

    uint32_t m_flows;
    uint32_t m_sequence{0};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TEST_BOTTLENECK_H
