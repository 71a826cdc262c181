/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Connections that may send only so fast, on a line that is looked at only when it matters.
 */
#include "test-rail.h"

namespace ns3
{
namespace photonic
{

namespace
{

/// A third of the line: a packet every 3 us.
class Third : public CongestionControl
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::photonic::test::Third")
                                .SetParent<CongestionControl>()
                                .AddConstructor<Third>();
        return tid;
    }

    double GetRate(Time) override
    {
        return MICROSECOND_RATE / 3.0;
    }
};

NS_OBJECT_ENSURE_REGISTERED(Third);

TestRail::Options
Paced()
{
    TestRail::Options options;
    options.transport = CreateObject<ReliableTransport>();
    options.transport->SetCongestionControl("ns3::photonic::test::Third");
    return options;
}

} // namespace

TEST(Pacing, HoldsTheRateWhereverTheLineIsLookedAtLate)
{
    const uint64_t n = 50;
    for (bool electrical : {false, true})
    {
        for (int64_t fibre : {0, 50, 20'000})
        {
            for (bool traced : {false, true})
            {
                SCOPED_TRACE((electrical ? "electrical " : "circuit ") + std::to_string(fibre));
                auto options = Paced();
                options.electrical = electrical;
                options.fibre = NanoSeconds(fibre);
                TestRail rail(options);
                rail.JoinPair();
                std::vector<Time> starts;
                if (traced)
                {
                    rail.GetDevice(0, 0)->TraceConnectWithoutContext(
                        "PhyTxBegin",
                        Callback<void, Ptr<const Packet>>(
                            [&starts](Ptr<const Packet>) { starts.push_back(Simulator::Now()); }));
                }
                Time sent;
                Time received;
                rail.SendAndReceive({1, 0, 0}, n * FULL, sent, received);
                Simulator::Run();
                EXPECT_EQ(received, MicroSeconds(3 * (n - 1) + 1) + rail.GetPropagation());
                for (std::size_t i = 0; i < starts.size(); i++)
                {
                    EXPECT_EQ(starts[i], MicroSeconds(3 * i));
                }
                EXPECT_EQ(starts.size(), traced ? n : 0);
            }
        }
    }
}

TEST(Pacing, OthersUseWhatOneLeaves)
{
    const uint64_t n = 40;
    for (int64_t fibre : {50, 20'000})
    {
        for (uint32_t flows : {2U, 3U, 4U, 6U})
        {
            auto options = Paced();
            options.fibre = NanoSeconds(fibre);
            TestRail rail(options);
            rail.JoinPair();
            std::vector<Time> sent(flows);
            std::vector<Time> received(flows);
            for (uint32_t i = 0; i < flows; i++)
            {
                rail.SendAndReceive({1 + i, 0, 0}, n * FULL, sent[i], received[i]);
            }
            Simulator::Run();
            // Up to three fit side by side; more have the line in turns.
            const uint64_t period = std::max(3U, flows);
            for (uint32_t i = 0; i < flows; i++)
            {
                EXPECT_EQ(received[i],
                          MicroSeconds(period * (n - 1) + i + 1) + rail.GetPropagation())
                    << i << " of " << flows;
            }
        }
    }
}

TEST(Pacing, ANewcomerDoesNotWaitForAnothersTime)
{
    TestRail rail(Paced());
    rail.JoinPair();
    Time sent[2];
    Time received[2];
    rail.SendAndReceive({1, 0, 0}, 10 * FULL, sent[0], received[0]);
    Simulator::Schedule(NanoSeconds(4'300),
                        [&] { rail.SendAndReceive({2, 0, 0}, FULL, sent[1], received[1]); });
    Simulator::Run();
    EXPECT_EQ(received[1], NanoSeconds(5'300) + rail.GetPropagation());
    EXPECT_EQ(received[0], MicroSeconds(28) + rail.GetPropagation());
}

TEST(Pacing, StockTrafficPasses)
{
    TestRail rail(Paced());
    rail.JoinPair();
    Time stock;
    rail.GetDevice(1, 0)->TraceConnectWithoutContext(
        "PhyRxEnd",
        Callback<void, Ptr<const Packet>>([&stock](Ptr<const Packet> packet) {
            stock = packet->GetSize() == 4096 + 14 - 100 ? Simulator::Now() : stock;
        }));
    Time sent;
    Time received;
    rail.SendAndReceive({1, 0, 0}, 10 * FULL, sent, received);
    Simulator::Schedule(NanoSeconds(1'500), [&] {
        rail.GetDevice(0, 0)->Send(Create<Packet>(4096 - 100),
                                   rail.GetDevice(1, 0)->GetAddress(),
                                   0x88b5);
    });
    Simulator::Run();
    EXPECT_EQ(stock, rail.line.Arrival(NanoSeconds(1'500), 4034, rail.GetPropagation()));
    EXPECT_EQ(received, MicroSeconds(28) + rail.GetPropagation());
}

} // namespace photonic
} // namespace ns3
