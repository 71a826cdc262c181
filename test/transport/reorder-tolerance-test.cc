/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Selective repeat that tells packets which were overtaken from packets which were lost.
 */
#include "spray-test-helper.h"

#include "ns3/error-model.h"
#include "ns3/reliable-port.h"

#include <list>
#include <random>
#include <set>

namespace ns3
{
namespace photonic
{

TEST(ReorderTolerance, APacketIsReportedOnceWhenSoManyAreBeyondIt)
{
    for (unsigned seed = 1; seed <= 50; seed++)
    {
        std::mt19937 random(seed);
        const auto pick = [&random](uint32_t low, uint32_t high) {
            return std::uniform_int_distribution<uint32_t>(low, high)(random);
        };
        const uint32_t spread = pick(0, 30);
        const uint32_t tolerance = seed % 3 == 0 ? spread : pick(0, 20);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", spread " + std::to_string(spread) +
                     ", tolerance " + std::to_string(tolerance));
        // A packet is overtaken by those up to so many behind it.
        std::vector<std::pair<uint32_t, uint32_t>> arrivals;
        for (uint32_t packet = 0; packet < 300; packet++)
        {
            arrivals.emplace_back(packet + pick(0, spread), packet);
        }
        std::sort(arrivals.begin(), arrivals.end());

        ConnectionReceiver receiver(Retransmission::SELECTIVE_REPEAT, 256, tolerance);
        std::set<uint32_t> arrived;
        std::set<uint32_t> reported;
        uint32_t first = 0; // that is missing
        for (const auto& [place, packet] : arrivals)
        {
            arrived.insert(packet);
            if (packet == first)
            {
                EXPECT_EQ(receiver.Receive(packet, {}), ConnectionReceiver::Verdict::IN_ORDER);
                for (ConnectionReceiver::Arrival kept; receiver.TakeKept(kept);)
                {
                }
                while (arrived.count(first))
                {
                    first++;
                }
                EXPECT_EQ(receiver.GetExpected(), first);
                continue;
            }
            EXPECT_EQ(receiver.Receive(packet, {}), ConnectionReceiver::Verdict::KEPT);
            std::vector<uint32_t> due;
            for (auto kept = arrived.upper_bound(first); kept != arrived.end(); ++kept)
            {
                if (*kept + tolerance <= *arrived.rbegin() && reported.insert(*kept).second)
                {
                    due.push_back(*kept);
                }
            }
            std::vector<uint32_t> reports;
            for (uint32_t report; receiver.TakeReport(report);)
            {
                reports.push_back(report);
            }
            EXPECT_EQ(reports, due);
        }
        EXPECT_EQ(first, 300U);
        EXPECT_TRUE(tolerance < spread || reported.empty());
    }
}

/// Reliable ports behind switches that spray.
class SprayedConnection : public SprayTest
{
  protected:
    void BuildPorts(uint32_t tolerance)
    {
        transport = CreateObject<ReliableTransport>();
        transport->SetAttribute("Retransmission", StringValue("selective-repeat"));
        transport->SetAttribute("ReorderTolerance", UintegerValue(tolerance));
        ports.clear();
        Build([this](MessageEndpoint& endpoint, auto device, uint32_t address) {
            auto port = std::make_unique<ReliablePort>(endpoint, device, address, transport);
            ports.push_back(port.get());
            return port;
        });
    }

    void ObstructAll()
    {
        for (uint32_t path = 0; path < PATHS; path++)
        {
            Obstruct(path, OBSTRUCTED[path]);
        }
    }

    /// Lose packets, by their number among all that arrive at rank 1.
    void Lose(const std::list<uint32_t>& packets)
    {
        auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList(packets);
        devices[1]->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }

    TransportCounters GetCounters() const
    {
        TransportCounters counters = ports[0]->GetCounters();
        return counters += ports[1]->GetCounters();
    }

    static constexpr uint32_t PACKETS = 60;
    const std::array<Time, PATHS> OBSTRUCTED{NanoSeconds(333),
                                             NanoSeconds(2000),
                                             Time(0),
                                             NanoSeconds(1234)};
    Ptr<ReliableTransport> transport;
    std::vector<ReliablePort*> ports;
};

TEST_F(SprayedConnection, WhatWasOvertakenIsNotSentAgain)
{
    const auto arrivals = GetArrivals(PACKETS, OBSTRUCTED);
    const uint32_t spread = GetSpread(arrivals);
    ASSERT_GT(spread, 10U);
    BuildPorts(spread);
    ObstructAll();
    SendMessage(0, 1, PACKETS * WHOLE);
    Simulator::Run();
    EXPECT_EQ(transfers[0].received, *std::max_element(arrivals.begin(), arrivals.end()));
    EXPECT_EQ(transfers[0].times, 2U);
    for (auto counter : TransportCounters::ALL)
    {
        EXPECT_EQ(GetCounters().*counter, 0U);
    }
    EXPECT_EQ(ports[1]->GetPacketsReceived(), PACKETS);
}

TEST_F(SprayedConnection, WithoutToleranceItCountsAsLost)
{
    BuildPorts(0);
    ObstructAll();
    SendMessage(0, 1, PACKETS * WHOLE);
    Simulator::Run();
    EXPECT_EQ(transfers[0].times, 2U);
    const auto counters = GetCounters();
    EXPECT_GT(counters.retransmitted, 0U);
    EXPECT_EQ(counters.duplicates, counters.retransmitted);
    EXPECT_EQ(counters.timeouts, 0U);
}

TEST_F(SprayedConnection, WhatWasLostIsSentAgainOnce)
{
    BuildPorts(GetSpread(GetArrivals(PACKETS, OBSTRUCTED)));
    ObstructAll();
    Lose({10, 25, 26});
    SendMessage(0, 1, PACKETS * WHOLE);
    Simulator::Run();
    EXPECT_EQ(transfers[0].times, 2U);
    const auto counters = GetCounters();
    EXPECT_EQ(counters.retransmitted, 3U);
    EXPECT_EQ(counters.duplicates, 0U);
    EXPECT_EQ(counters.timeouts, 0U);
}

TEST_F(SprayedConnection, ALossInTheToleranceIsForTheTimer)
{
    BuildPorts(20);
    Lose({PACKETS - 10});
    SendMessage(0, 1, PACKETS * WHOLE);
    Simulator::Run();
    EXPECT_EQ(transfers[0].times, 2U);
    EXPECT_EQ(GetCounters().negative, 0U);
    EXPECT_EQ(GetCounters().timeouts, 1U);
}

TEST_F(SprayedConnection, AllArriveOnceWhateverIsLost)
{
    for (unsigned seed = 1; seed <= 20; seed++)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const auto pick = [&random](uint64_t low, uint64_t high) {
            return std::uniform_int_distribution<uint64_t>(low, high)(random);
        };
        StartOver();
        BuildPorts(pick(0, 40));
        std::list<uint32_t> lost;
        for (uint32_t packet = 0; packet < 400; packet++)
        {
            if (pick(0, 99) < seed)
            {
                lost.push_back(packet);
            }
        }
        Lose(lost);
        for (uint32_t i = 0; i < 40; i++)
        {
            At(NanoSeconds(pick(0, 20'000)), [this, path = pick(0, 3), time = pick(1, 3000)] {
                Obstruct(path, NanoSeconds(time));
            });
            At(NanoSeconds(pick(0, 20'000)),
               [this, from = pick(0, 1), communicator = pick(1, 3), bytes = pick(1, 20 * WHOLE)] {
                   SendMessage(from, communicator, bytes);
               });
        }
        Simulator::Run();
        EXPECT_TRUE(failures.empty());
        EXPECT_EQ(order.size(), 40U);
        for (const auto& transfer : transfers)
        {
            EXPECT_EQ(transfer.times, 2U);
            EXPECT_GT(transfer.sent, transfer.received);
        }
    }
}

} // namespace photonic
} // namespace ns3
