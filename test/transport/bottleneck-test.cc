/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Congestion control of flows that share an output of a switch.
 */
#include "bottleneck.h"

#include "ns3/dcqcn.h"
#include "ns3/double.h"
#include "ns3/swift.h"

namespace ns3
{
namespace photonic
{

namespace
{

/// What a bottleneck has shown in a window of time.
struct Observation
{
    std::vector<double> shares; ///< bytes, by flow
    double fairness;
    double throughput; ///< payload, bit/s
    TransportCounters counters;
    uint64_t pauses;
    std::size_t greatest; ///< packets of the queue
    double mean;          ///< of the queue, seen every 10 us
};

Observation
Observe(Bottleneck& bottleneck, Time from, Time to)
{
    Observation seen{std::vector<double>(bottleneck.received.size()), 0, 0, {}, 0, 0, 0};
    std::vector<uint64_t> before;
    TransportCounters countersBefore;
    Simulator::Schedule(from, [&] {
        before = bottleneck.received;
        countersBefore = bottleneck.GetCounters();
        seen.pauses = bottleneck.packets->GetPausesSent();
    });
    const uint64_t looks = (to - from).GetMicroSeconds() / 10;
    for (uint64_t i = 0; i < looks; i++)
    {
        Simulator::Schedule(from + MicroSeconds(10 * i), [&] {
            const std::size_t queue = bottleneck.GetQueue();
            seen.greatest = std::max(seen.greatest, queue);
            seen.mean += double(queue) / looks;
        });
    }
    Simulator::Stop(to);
    Simulator::Run();
    seen.pauses = bottleneck.packets->GetPausesSent() - seen.pauses;
    seen.counters = bottleneck.GetCounters();
    seen.counters.retransmitted -= countersBefore.retransmitted;
    seen.counters.notifications -= countersBefore.notifications;
    seen.counters.marked -= countersBefore.marked;
    double all = 0;
    for (std::size_t i = 0; i < before.size(); i++)
    {
        seen.shares[i] = bottleneck.received[i] - before[i];
        all += seen.shares[i];
    }
    seen.fairness = Bottleneck::GetFairness(seen.shares);
    seen.throughput = all * 8 / (to - from).GetSeconds();
    return seen;
}

/// Payload that fits into a line.
double
GetGoodput(double rate)
{
    return rate * FULL / (FULL + 98);
}

} // namespace

TEST(Bottleneck, DcqcnSharesItFairlyAndKeepsTheQueueBelowAPause)
{
    for (uint32_t flows : {2, 8, 32})
    {
        auto transport = CreateObject<ReliableTransport>();
        transport->SetCongestionControl("ns3::photonic::Dcqcn");
        // Packets of 1,000 bytes of payload, as in the authors' simulations.
        Bottleneck bottleneck(flows, DataRate("40Gbps"), transport, 1060);
        for (uint32_t rank = 0; rank < flows; rank++)
        {
            // Not together: those that come first have all of the line.
            Simulator::Schedule(MicroSeconds(100 * rank),
                                [&bottleneck, rank] { bottleneck.Start(rank); });
        }
        const auto seen = Observe(bottleneck, MilliSeconds(100), MilliSeconds(150));
        SCOPED_TRACE(std::to_string(flows) + " flows");
        std::printf("%u flows: Jain %.4f, %.2f Gbps, queue mean %.1f max %zu packets\n",
                    flows,
                    seen.fairness,
                    seen.throughput / 1e9,
                    seen.mean,
                    seen.greatest);
        EXPECT_GE(seen.fairness, 0.98);
        EXPECT_EQ(seen.pauses, 0U);
        // Marks are certain from 200 kB on, and the switch has 1 MiB per port.
        EXPECT_LT(seen.greatest * 1098, 1 << 20);
        EXPECT_TRUE(bottleneck.packets->GetDrops().empty());
        EXPECT_GT(seen.throughput, 0.9 * 40e9 * 1000 / 1098);
        EXPECT_GT(seen.counters.notifications, 0U);
        EXPECT_GE(seen.counters.marked, seen.counters.notifications);
        EXPECT_EQ(seen.counters.retransmitted, 0U);
    }
}

TEST(Bottleneck, NotificationsOfAFlowAre50usApart)
{
    auto transport = CreateObject<ReliableTransport>();
    transport->SetCongestionControl("ns3::photonic::Dcqcn");
    Bottleneck bottleneck(4, DataRate("40Gbps"), transport);
    std::vector<std::vector<Time>> times(4);
    for (uint32_t rank = 0; rank < 4; rank++)
    {
        bottleneck.endpoints[rank]->TraceConnectWithoutContext(
            "Transport",
            Callback<void, TransportEvent, uint32_t, uint32_t>(
                [&times, rank](TransportEvent event, uint32_t, uint32_t) {
                    if (event == TransportEvent::CONGESTION_NOTIFICATION)
                    {
                        times[rank].push_back(Simulator::Now());
                    }
                }));
        bottleneck.Start(rank);
    }
    Simulator::Stop(MilliSeconds(5));
    Simulator::Run();
    for (const auto& ofFlow : times)
    {
        EXPECT_GT(ofFlow.size(), 3U);
        for (std::size_t i = 1; i < ofFlow.size(); i++)
        {
            // They leave 50 us apart; on their way a few may meet others of the same port.
            EXPECT_GT(ofFlow[i] - ofFlow[i - 1], MicroSeconds(49));
        }
    }
}

TEST(Bottleneck, WithoutControlTheWindowsFillTheQueue)
{
    // Each of n windows is on the line or in the queue: the path itself holds less than 13 packets.
    auto transport = CreateObject<ReliableTransport>();
    transport->SetAttribute("Window", UintegerValue(64));
    Bottleneck bottleneck(4, DataRate("40Gbps"), transport);
    for (uint32_t rank = 0; rank < 4; rank++)
    {
        bottleneck.Start(rank);
    }
    // Four messages of ten packets are posted at a time.
    const auto seen = Observe(bottleneck, MilliSeconds(1), MilliSeconds(3));
    EXPECT_LE(seen.greatest, 4 * 40U);
    EXPECT_GE(seen.mean, 4 * 40 - 4 * 10 - 13);
    EXPECT_GE(seen.fairness, 0.999);
    EXPECT_NEAR(seen.throughput / GetGoodput(40e9), 1, 0.01);
}

TEST(Bottleneck, WhatASmallBufferDropsIsSentAgain)
{
    const uint32_t flows = 8;
    const uint64_t bytes = 4'000'000;
    for (const std::string scheme : {"go-back-n", "selective-repeat"})
    {
        for (bool lossless : {false, true})
        {
            SCOPED_TRACE(scheme + (lossless ? ", with pauses" : ", without pauses"));
            auto transport = CreateObject<ReliableTransport>();
            transport->SetAttribute("Retransmission", StringValue(scheme));
            Bottleneck bottleneck(flows, DataRate("100Gbps"), transport, 4096, lossless, 1 << 18);
            uint32_t done = 0;
            for (uint32_t rank = 0; rank < flows; rank++)
            {
                const MessageKey key{1, 0, rank};
                bottleneck.endpoints[flows]->Receive(rank, key, bytes, [](const Message&, Time) {});
                bottleneck.endpoints[rank]
                    ->Send(flows, 0, 0, key, bytes, Cause(), [&done](const Message&) { done++; });
            }
            Simulator::Run();
            EXPECT_EQ(done, flows);
            EXPECT_EQ(bottleneck.received, std::vector<uint64_t>(flows, bytes));
            const auto& drops = bottleneck.packets->GetDrops();
            const auto counters = bottleneck.GetCounters();
            EXPECT_EQ(drops.empty(), lossless);
            EXPECT_EQ(counters.negative > 0, !lossless);
            EXPECT_EQ(bottleneck.packets->GetPausesSent() > 0, lossless);
        }
    }
}

TEST(Bottleneck, SwiftHoldsTheRoundTripAtItsTarget)
{
    // With n windows of w packets the bottleneck is busy, and a round trip takes n w packet times.
    // w is where that is the target of w. A step of growth is a packet per flow and round trip, so
    // that the round trip swings about the target by n packet times.
    const double packet = 4134 * 8 / 100e9;
    for (uint32_t flows : {2, 4, 8})
    {
        for (int range : {0, 50})
        {
            SCOPED_TRACE(std::to_string(flows) + " flows, range " + std::to_string(range));
            auto transport = CreateObject<ReliableTransport>();
            transport->SetCongestionControl("ns3::photonic::Swift");
            transport->SetControlAttribute("ScalingRange", TimeValue(MicroSeconds(range)));
            transport->SetAttribute("AcknowledgeEvery", UintegerValue(1));
            transport->SetAttribute("Window", UintegerValue(256));
            Bottleneck bottleneck(flows, DataRate("100Gbps"), transport);
            for (uint32_t rank = 0; rank < flows; rank++)
            {
                for (int i = 0; i < 12; i++) // to have windows of hundreds of packets posted
                {
                    bottleneck.Start(rank);
                }
            }
            const auto seen = Observe(bottleneck, MilliSeconds(5), MilliSeconds(15));
            auto swift = DynamicCast<Swift>(bottleneck.GetControl(0));
            double low = 1;
            double high = 256;
            while (high - low > 1e-6)
            {
                const double w = (low + high) / 2;
                (flows * w * packet < swift->GetTarget(w).GetSeconds() ? low : high) = w;
            }
            // What is not in the queue: four fibres of 500 ns, three serialisations and the answer.
            const double target = swift->GetTarget(low).GetSeconds();
            const double roundTrip = seen.mean * packet + 4 * 500e-9 + 2 * packet;
            std::printf("%u flows, range %d us: target %.2f us, round trip %.2f us, w %.1f, Jain "
                        "%.4f, %.2f Gbps\n",
                        flows,
                        range,
                        target * 1e6,
                        roundTrip * 1e6,
                        low,
                        seen.fairness,
                        seen.throughput / 1e9);
            EXPECT_NEAR(roundTrip, target, 2 * flows * packet + 0.05 * target);
            EXPECT_GE(seen.fairness, 0.95);
            EXPECT_GT(seen.throughput, 0.98 * GetGoodput(100e9));
        }
    }
}

} // namespace photonic
} // namespace ns3
