/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Collectives over lines that lose one packet of a hundred: all complete, with their bytes.
 */
#include "test-group.h"

#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"

#include <cmath>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr uint32_t RANKS = 4;
constexpr uint64_t BYTES = 10'000'003;

/// Lose packets of all ports at random. @param run number of the random stream
void
LoseAtRandom(TestRail& rail, double rate, uint32_t run)
{
    RngSeedManager::SetRun(run);
    for (std::size_t i = 0; i < rail.devices.size(); i++)
    {
        auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(rate);
        model->AssignStreams(i);
        rail.devices[i]->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }
}

/// @return corrupted packets of all ports, acknowledgements among them
uint64_t
CountLost(const TestRail& rail)
{
    uint64_t lost = 0;
    for (const auto& device : rail.devices)
    {
        const auto& drops = device->GetDrops();
        const auto corrupted = drops.find("corrupted");
        lost += corrupted == drops.end() ? 0 : corrupted->second;
    }
    return lost;
}

} // namespace

TEST(LossyCollective, CompletesWithItsBytes)
{
    struct Case
    {
        CollectiveKind kind;
        uint64_t total; ///< payload of all messages
    };

    const uint64_t once = (RANKS - 1) * BYTES;
    for (const Case& c : {Case{CollectiveKind::ALL_GATHER, once},
                          Case{CollectiveKind::REDUCE_SCATTER, once},
                          Case{CollectiveKind::ALL_REDUCE, 2 * once},
                          Case{CollectiveKind::BROADCAST, once}})
    {
        for (const std::string scheme : {"go-back-n", "selective-repeat"})
        {
            for (bool electrical : {false, true})
            {
                for (uint32_t run = 1; run <= 3; run++)
                {
                    SCOPED_TRACE(std::string(ToString(c.kind)) + ", " + scheme + ", run " +
                                 std::to_string(run));
                    TestRail::Options options;
                    options.ranks = RANKS;
                    options.electrical = electrical;
                    options.transport = CreateObject<ReliableTransport>();
                    options.transport->SetAttribute("Retransmission", StringValue(scheme));
                    TestRail rail(options);
                    rail.CloseRing(Range(RANKS));
                    LoseAtRandom(rail, 0.01, run);
                    uint64_t received = 0;
                    for (const auto& endpoint : rail.endpoints)
                    {
                        endpoint->TraceConnectWithoutContext(
                            "Receive",
                            Callback<void, const Message&>(
                                [&received](const Message& m) { received += m.bytes; }));
                    }
                    {
                        TestGroup group(rail, 1, Range(RANKS), TestGroup::RingLanes(2));
                        const auto& ends = group.StartAll(c.kind, BYTES);
                        Simulator::Run();
                        uint64_t sent = 0;
                        for (const auto& end : ends)
                        {
                            EXPECT_NE(end.done, Time::Max());
                            EXPECT_NE(end.received, Time::Max());
                            sent += end.result.sent;
                        }
                        EXPECT_EQ(sent, c.total);
                    }
                    EXPECT_EQ(received, c.total);
                    EXPECT_TRUE(rail.failures.empty());
                    const auto counters = rail.GetCounters();
                    EXPECT_GT(CountLost(rail), 0U);
                    EXPECT_GT(counters.retransmitted, 0U);
                }
            }
        }
    }
}

TEST(LossyCollective, OneInAHundredIsOneInAHundred)
{
    // What selective repeat sends again is, but for few, what was lost: of N packets N p / (1 - p),
    // give or take four standard deviations; and after a time-out, a few more.
    const unsigned run = 5;
    SCOPED_TRACE("run " + std::to_string(run));
    TestRail::Options options;
    options.transport = CreateObject<ReliableTransport>();
    options.transport->SetAttribute("Retransmission", StringValue("selective-repeat"));
    TestRail rail(options);
    rail.JoinPair();
    LoseAtRandom(rail, 0.01, run);
    Time sent;
    Time received;
    const double packets = 50'000;
    rail.SendAndReceive({1, 0, 0}, uint64_t(packets) * FULL, sent, received);
    Simulator::Run();
    EXPECT_EQ(rail.GetReliable(1, 0).GetPacketsReceived(), packets);
    const double expected = packets * 0.01 / 0.99;
    const double deviation = std::sqrt(packets * 0.01);
    EXPECT_GT(rail.GetCounters().retransmitted, expected - 4 * deviation);
    EXPECT_LT(rail.GetCounters().retransmitted, expected + 4 * deviation + 0.01 * packets);
}

} // namespace photonic
} // namespace ns3
