/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "transport/test-rail.h"

#include "ns3/relay-helper.h"
#include "ns3/scale-up-domain.h"
#include "ns3/training-fabric-helper.h"

#include <numeric>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// Two nodes of four GPUs with a port each, on rails that nothing joins.
class RailOnly : public testing::Test
{
  protected:
    static constexpr uint64_t BYTES = 3 * FULL; ///< 3 us on a port
    static constexpr uint32_t DOMAIN_PORT = 1;

    RailOnly()
        : plan(MakePlan()),
          relays(plan, DOMAIN_PORT, 0)
    {
        TrainingFabricHelper helper;
        helper.SetPortLayout(
            PortLayout::Shared(DataRate(MICROSECOND_RATE), 1, PipelineLanes::STRIPED));
        fabric = helper.InstallRailOnly(plan);
        auto directory = Create<MessageDirectory>();
        for (uint32_t rank = 0; rank < plan.GetRanks(); rank++)
        {
            if (plan.GetRail(rank) == 0)
            {
                domain = CreateObject<ScaleUpDomain>();
                domain->SetAttribute("DataRate", DataRateValue(DataRate("80Gbps")));
                domain->SetAttribute("Latency", TimeValue(NanoSeconds(700)));
            }
            auto endpoint = CreateObject<MessageEndpoint>();
            endpoint->SetRank(rank, directory);
            fabric.gpus.Get(rank)->AggregateObject(endpoint);
            endpoint->AddPort(std::make_unique<PacketPort>(*endpoint,
                                                           fabric.ports[rank].front(),
                                                           0x0a000001 + rank));
            endpoint->AddPort(domain->CreatePort(endpoint));
            endpoints.push_back(endpoint);
        }
        relays.Install(endpoints);
    }

    ~RailOnly() override
    {
        Simulator::Destroy();
    }

    static ParallelPlan MakePlan()
    {
        ParallelPlan::Degrees degrees;
        degrees.tp = 4;
        degrees.fsdp = 2;
        return ParallelPlan(degrees);
    }

    /// Send a message. @param port of the sender
    void Send(uint32_t from, uint32_t to, uint32_t port)
    {
        endpoints[to]->Receive(from, {1, 0, 0}, BYTES, [this, from, to](const Message&, Time) {
            arrivals[{from, to}] = Simulator::Now();
        });
        endpoints[from]->Send(to, port, 0, {1, 0, 0}, BYTES, Cause(), nullptr);
    }

    ParallelPlan plan;
    RelayHelper relays;
    TrainingFabric fabric;
    Ptr<ScaleUpDomain> domain;
    std::vector<Ptr<MessageEndpoint>> endpoints;
    std::map<std::pair<uint32_t, uint32_t>, Time> arrivals;
};

/// Three packets and, stored and forwarded, one more; two fibres and the switch.
const Time RAIL = MicroSeconds(4) + NanoSeconds(600);

} // namespace

TEST_F(RailOnly, NothingJoinsRails)
{
    EXPECT_EQ(fabric.packetSwitches.size(), 4U);
    Send(0, 5, 0);
    Simulator::Run();
    EXPECT_TRUE(arrivals.empty());
    uint64_t dropped = 0;
    for (const auto& reasonAndCount : fabric.packetSwitches[0]->GetDrops())
    {
        dropped += reasonAndCount.second;
    }
    EXPECT_EQ(dropped, 3U);
}

TEST_F(RailOnly, AMateOfTheOtherRailRelays)
{
    // To its own rail directly, to another through the scale-up domain: 12,108 bytes at 80 Gbps.
    const Time relay = PicoSeconds(1'210'800) + NanoSeconds(700);
    Send(0, 4, relays.GetPort(0, 4));
    Send(1, 6, relays.GetPort(1, 6));
    Simulator::Run();
    EXPECT_EQ((arrivals[{0, 4}]), RAIL);
    EXPECT_GE((arrivals[{1, 6}]), RAIL + relay);
    EXPECT_LE((arrivals[{1, 6}]), RAIL + relay + NanoSeconds(1)); // at the suite's resolution
    EXPECT_THROW(relays.GetPort(0, 3), std::invalid_argument);
}

TEST_F(RailOnly, AnAllToAllBetweenTwoNodesKeepsEveryPortBusy)
{
    // Each GPU sends to four, and each port carries four messages, whoever they are of.
    for (uint32_t from = 0; from < 4; from++)
    {
        for (uint32_t to = 4; to < 8; to++)
        {
            Send(from, to, relays.GetPort(from, to));
        }
    }
    Simulator::Run();
    EXPECT_EQ(arrivals.size(), 16U);
    Time last;
    for (const auto& pairAndTime : arrivals)
    {
        last = std::max(last, pairAndTime.second);
    }
    const Time ports = MicroSeconds(3 * 4 + 1) + NanoSeconds(600);
    EXPECT_GE(last, ports);
    // What a GPU is to send for others reaches it while it sends its own.
    EXPECT_LE(last, ports + MicroSeconds(2));
    for (uint32_t rank = 0; rank < 4; rank++)
    {
        EXPECT_EQ(fabric.ports[rank].front()->GetLineBytes(), 4 * GetWireBytes(BYTES, 4096));
    }
}

} // namespace photonic
} // namespace ns3
