/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SPRAY_TEST_HELPER_H
#define PHOTONIC_SPRAY_TEST_HELPER_H

#include "electronics/fabric-test-helper.h"
#include "test-rail.h"

#include "ns3/message-endpoint.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

namespace ns3
{
namespace photonic
{

/**
 * Ranks 0 and 1 behind a switch each, with four paths between them that packets are sprayed over:
 * the first packet takes path 1, the next ones 2, 3, 0 and so on. Path p leads over a switch of its
 * own, at which packets can be made to queue.
 */
class SprayTest : public FabricTest
{
  protected:
    static constexpr uint32_t PATHS = 4;
    static constexpr uint16_t MTU = 1462;   ///< 1,500 bytes of line, 150 ns
    static constexpr uint64_t WHOLE = 1402; ///< payload of such a packet
    const Time STEP = NanoSeconds(150);     ///< from one packet to the next

    /// What became of a message.
    struct Transfer
    {
        Time received{Time::Max()};
        Time sent{Time::Max()}; ///< when the sender knew
        uint32_t times{0};      ///< that either was told
    };

    using MakePort = std::function<std::unique_ptr<MessagePort>(MessageEndpoint& endpoint,
                                                                Ptr<OpticalNetDevice> device,
                                                                uint32_t address)>;

    void StartOver() override
    {
        FabricTest::StartOver();
        endpoints.clear();
        failures.clear();
        order.clear();
        transfers.clear();
    }

    void Build(const MakePort& makePort,
               PacketSwitch::LoadBalancing balancing = PacketSwitch::ROUND_ROBIN)
    {
        AddSwitches(2 + PATHS);
        AddRank(0);
        AddRank(1);
        for (uint32_t path = 0; path < PATHS; path++)
        {
            JoinSwitches(0, 2 + path);
            JoinSwitches(2 + path, 1);
        }
        InstallShortestPaths(switches);
        SetBalancing(balancing);
        auto directory = Create<MessageDirectory>();
        for (uint32_t rank = 0; rank < 2; rank++)
        {
            auto endpoint = CreateObject<MessageEndpoint>();
            endpoint->SetRank(rank, directory);
            endpoint->SetFailureCallback(
                [this](const std::string& what) { failures.push_back(what); });
            devices[rank]->GetNode()->AggregateObject(endpoint);
            endpoint->AddPort(makePort(*endpoint, devices[rank], 0x0a000001 + rank));
            endpoints.push_back(endpoint);
        }
    }

    /// From now on a path lets nothing through towards rank 1 for a time: it queues.
    void Obstruct(uint32_t path, Time duration)
    {
        switches[2 + path]->SetBlocked(1, true);
        At(Simulator::Now() + duration, [this, path] { switches[2 + path]->SetBlocked(1, false); });
    }

    /// Send a message from a rank to the other one. Its number is in its key and in transfers.
    void SendMessage(uint32_t from, uint32_t communicator, uint64_t bytes)
    {
        const uint32_t number = transfers.size();
        const MessageKey key{communicator, number / 2, number % 2};
        transfers.emplace_back();
        endpoints[1 - from]->Receive(from, key, bytes, [this, number](const Message&, Time) {
            transfers[number].received = Simulator::Now();
            transfers[number].times++;
            order.push_back(number);
        });
        endpoints[from]->Send(1 - from, 0, 0, key, bytes, Cause(), [this, number](const Message&) {
            transfers[number].sent = Simulator::Now();
            transfers[number].times++;
        });
    }

    /**
     * Rank 0 sends whole packets from time 0 on.
     * @param packets of them @param obstructed how long each path is, from time 0 on
     * @return when the last bit of each arrives: a first bit is at the first switch a fibre later,
     *         at that of its path two, and waits there for the path and for what was before it; so
     *         it does at the last switch
     */
    std::vector<Time> GetArrivals(uint32_t packets, std::array<Time, PATHS> obstructed)
    {
        std::vector<std::pair<Time, uint32_t>> last; // first bits at the last switch
        for (uint32_t k = 0; k < packets; k++)
        {
            Time& busy = obstructed[(k + 1) % PATHS];
            const Time start = std::max(STEP * k + 2 * FIBRE, busy);
            busy = start + STEP;
            last.emplace_back(start + FIBRE, k);
        }
        std::sort(last.begin(), last.end());
        std::vector<Time> arrivals(packets);
        Time idle;
        for (const auto& [at, k] : last)
        {
            idle = std::max(at, idle) + STEP;
            arrivals[k] = idle + FIBRE;
        }
        return arrivals;
    }

    /// @return how far a packet comes behind others that left after it, in packets, at most
    static uint32_t GetSpread(const std::vector<Time>& arrivals)
    {
        uint32_t spread = 0;
        for (uint32_t k = 0; k < arrivals.size(); k++)
        {
            for (uint32_t later = k + 1; later < arrivals.size(); later++)
            {
                spread = arrivals[later] < arrivals[k] ? std::max(spread, later - k) : spread;
            }
        }
        return spread;
    }

    /// A host whose packets go to its node.
    void AddRank(uint32_t onSwitch)
    {
        auto device = CreateObject<OpticalNetDevice>();
        device->SetAddress(MakeHostAddress(devices.size()));
        device->SetDataRate(DataRate(ROUND_RATE));
        device->SetMtu(MTU);
        CreateObject<Node>()->AddDevice(device);
        auto fibre = CreateFibre(FIBRE);
        device->Attach(fibre);
        switches[onSwitch]->Attach(fibre, DataRate(ROUND_RATE));
        devices.push_back(device);
    }

    std::vector<Ptr<MessageEndpoint>> endpoints;
    std::vector<std::string> failures;
    std::vector<uint32_t> order; ///< in which messages arrived
    std::vector<Transfer> transfers;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SPRAY_TEST_HELPER_H
