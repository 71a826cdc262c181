/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_TRAFFIC_H
#define PHOTONIC_SIP_TRAFFIC_H

#include "ns3/optical-channel.h"
#include "ns3/packet-port.h"
#include "ns3/simulator.h"
#include "ns3/sip-helper.h"
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

/// GPUs on a WDM fabric, with a message endpoint each and a port for each peer.
class SipTraffic
{
  public:
    static constexpr uint64_t WAVELENGTH = 25'000'000'000;

    /// How a fabric is retuned.
    struct Settings
    {
        uint32_t wavelengths; ///< of a GPU
        Time retuningDelay{MicroSeconds(25)};
        std::string darkening{"all"};
        bool trains{false}; ///< message fidelity
    };

    /**
     * @param traffic who talks to whom
     * @param settings of the fabric
     */
    SipTraffic(const TrafficMatrix& traffic, const Settings& settings)
    {
        TrainingFabricHelper helper;
        helper.SetWdmAttribute("Wavelengths", UintegerValue(settings.wavelengths));
        helper.SetWdmAttribute("RetuningDelay", TimeValue(settings.retuningDelay));
        helper.SetWdmAttribute("Darkening", StringValue(settings.darkening));
        helper.GetPhotonic().SetFibreAttribute("Delay", TimeValue(Time(0)));
        const uint32_t gpus = traffic.GetSize();
        fabric = helper.InstallWdm(ParallelPlan({1, 1, gpus, 1}), traffic);
        auto directory = Create<MessageDirectory>();
        for (uint32_t rank = 0; rank < gpus; rank++)
        {
            auto endpoint = CreateObject<MessageEndpoint>();
            endpoint->SetRank(rank, directory);
            fabric.gpus.Get(rank)->AggregateObject(endpoint);
            for (const auto& device : fabric.ports[rank])
            {
                const uint32_t address = 0x0a000001 + 32 * rank + endpoint->GetNPorts();
                if (settings.trains)
                {
                    endpoint->AddPort(std::make_unique<TrainPort>(*endpoint, device));
                }
                else
                {
                    endpoint->AddPort(std::make_unique<PacketPort>(*endpoint, device, address));
                }
            }
            endpoints.push_back(endpoint);
        }
        fabric.wdm->TraceConnectWithoutContext(
            "Retune",
            Callback<void, const WdmFabric::Outcome&>(
                [this](const WdmFabric::Outcome& outcome) { retunes.push_back(outcome); }));
    }

    ~SipTraffic()
    {
        Simulator::Destroy();
    }

    /// Send a message now.
    void Send(uint32_t from, uint32_t to, uint64_t bytes)
    {
        const auto lane = fabric.GetLaneTo(from, to);
        endpoints[from]->Send(to,
                              lane.localPort,
                              lane.remotePort,
                              {from, m_messages++, 0},
                              bytes,
                              Cause(),
                              [this, from, to](const Message&) {
                                  deliveries.push_back({from, to, Simulator::Now()});
                              });
    }

    void SendAt(Time at, uint32_t from, uint32_t to, uint64_t bytes)
    {
        Simulator::Schedule(at, [this, from, to, bytes] { Send(from, to, bytes); });
    }

    /// @return packets of MTU 4,096 that arrived at a GPU from another
    uint64_t GetPackets(uint32_t from, uint32_t to) const
    {
        return endpoints[to]->GetPort(fabric.GetLaneTo(to, from).localPort).GetPacketsReceived();
    }

    /// @return bytes that wait at a GPU for another
    uint64_t GetBacklog(uint32_t from, uint32_t to) const
    {
        return endpoints[from]->GetPort(fabric.GetLaneTo(from, to).localPort).GetBacklog();
    }

    /// A message that has arrived.
    struct Delivery
    {
        uint32_t from;
        uint32_t to;
        Time at;

        bool operator==(const Delivery& o) const
        {
            return from == o.from && to == o.to && at == o.at;
        }
    };

    TrainingFabric fabric;
    std::vector<Ptr<MessageEndpoint>> endpoints;
    std::vector<Delivery> deliveries;
    std::vector<WdmFabric::Outcome> retunes;

  private:
    uint32_t m_messages{0};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_TRAFFIC_H
