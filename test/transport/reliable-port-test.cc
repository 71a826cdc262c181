/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Messages on reliable connections: when they arrive with and without losses, in closed form, and
 * that they do so once.
 */
#include "test-rail.h"

#include "ns3/error-model.h"
#include "ns3/pointer.h"

#include <list>
#include <random>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// Line bytes of acknowledgements: Ethernet, IPv4, UDP, BTH, AETH, check sequences, preamble, gap.
constexpr uint64_t ACK_WIRE = 14 + 20 + 8 + 12 + 4 + 4 + 24;
/// With the number of a packet behind the gap.
constexpr uint64_t SACK_WIRE = ACK_WIRE + 4;

const auto SCHEMES = {"go-back-n", "selective-repeat"};

TestRail::Options
Reliable(const std::string& scheme)
{
    TestRail::Options options;
    options.transport = CreateObject<ReliableTransport>();
    options.transport->SetAttribute("Retransmission", StringValue(scheme));
    return options;
}

/// Lose packets of a rank, by their number among all that arrive there.
void
Lose(TestRail& rail, uint32_t rank, const std::list<uint32_t>& packets)
{
    auto model = CreateObject<ReceiveListErrorModel>();
    model->SetList(packets);
    rail.GetDevice(rank, 0)->SetAttribute("ReceiveErrorModel", PointerValue(model));
}

/// A message of packets of 1 us each, one of which is lost.
struct OneLoss
{
    static constexpr uint32_t PACKETS = 40;

    TestRail& rail;
    uint32_t lost; ///< number of the packet
    Time sent;     ///< when the sender knows that the message has arrived
    Time received;
};

/// Run such messages over fibres of several lengths. @param check what came of it
void
ForEachLoss(const std::string& scheme, const std::function<void(const OneLoss&)>& check)
{
    for (int64_t fibre : {0, 50, 700, 1'900})
    {
        for (uint32_t lost : {0U, 1U, 17U, 30U, 37U, 38U})
        {
            SCOPED_TRACE("fibre " + std::to_string(fibre) + ", lost " + std::to_string(lost));
            auto options = Reliable(scheme);
            options.fibre = NanoSeconds(fibre);
            TestRail rail(options);
            rail.JoinPair();
            Lose(rail, 1, {lost});
            OneLoss loss{rail, lost, Time(), Time()};
            rail.SendAndReceive({1, 0, 0}, OneLoss::PACKETS * FULL, loss.sent, loss.received);
            Simulator::Run();
            check(loss);
        }
    }
}

Time
GetTimeout(const TestRail& rail)
{
    TimeValue timeout;
    rail.options.transport->GetAttribute("Timeout", timeout);
    return timeout.Get();
}

} // namespace

TEST(ReliablePort, WithoutLossesTakesTheTimeOfAcknowledgedMessages)
{
    const unsigned seed = 1492;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&random](uint64_t low, uint64_t high) {
        return std::uniform_int_distribution<uint64_t>(low, high)(random);
    };
    for (int i = 0; i < 40; i++)
    {
        auto options = Reliable(i % 2 == 0 ? "go-back-n" : "selective-repeat");
        options.electrical = i % 4 > 1;
        options.rate = pick(1'000'000'000, 800'000'000'000);
        options.fibre = NanoSeconds(pick(0, 3000));
        const uint64_t bytes = i % 3 == 0 ? pick(1, 900'000) : FULL * pick(1, 9) + pick(0, 2) - 1;
        SCOPED_TRACE(std::to_string(bytes) + " bytes, " + std::to_string(options.rate) + " bit/s");
        TestRail rail(options);
        rail.JoinPair();
        Time sent;
        Time received;
        rail.SendAndReceive({1, 0, 0}, bytes, sent, received);
        Simulator::Run();
        EXPECT_EQ(received,
                  rail.line.Arrival(Time(0), GetWireBytes(bytes, 4096), rail.GetPropagation()));
        EXPECT_EQ(sent, rail.line.Arrival(received, ACK_WIRE, rail.GetPropagation()));
        EXPECT_EQ(Simulator::Now(), sent); // no timer holds up the end
        EXPECT_EQ(rail.GetReliable(1, 0).GetPacketsReceived(), (bytes + FULL - 1) / FULL);
        const auto counters = rail.GetCounters();
        EXPECT_EQ(counters.retransmitted + counters.negative + counters.timeouts +
                      counters.duplicates + counters.notifications,
                  0U);
    }
}

TEST(ReliablePort, GoBackNRepeatsALossAndAllBehindIt)
{
    // A packet takes 1 us. The gap is known when packet k+1 is there, and to the sender a
    // propagation and a negative acknowledgement later. The line is busy until a whole microsecond
    // if there is more to send.
    ForEachLoss("go-back-n", [](const OneLoss& loss) {
        const uint32_t n = OneLoss::PACKETS;
        const auto& [rail, lost, sent, received] = loss;
        const Time p = rail.GetPropagation();
        const Time known = rail.line.Arrival(MicroSeconds(lost + 2) + p, ACK_WIRE, p);
        Time again = known;
        uint64_t lastSent = n; // packets sent until then
        if (known < MicroSeconds(n))
        {
            lastSent = (known.GetNanoSeconds() + 999) / 1000;
            again = MicroSeconds(lastSent);
        }
        EXPECT_EQ(received, again + MicroSeconds(n - lost) + p);
        EXPECT_EQ(sent, rail.line.Arrival(received, ACK_WIRE, p));
        const auto counters = rail.GetCounters();
        EXPECT_EQ(counters.retransmitted, lastSent - lost);
        EXPECT_EQ(counters.negative, 1U);
        EXPECT_EQ(counters.timeouts, 0U);
        EXPECT_EQ(counters.duplicates, 0U);
        EXPECT_EQ(rail.GetReliable(1, 0).GetPacketsReceived(), n);
        EXPECT_EQ(rail.GetReliable(1, 0).GetOutOfSequence(), lastSent - lost - 1);
    });
}

TEST(ReliablePort, SelectiveRepeatRepeatsALossOnly)
{
    ForEachLoss("selective-repeat", [](const OneLoss& loss) {
        const uint32_t n = OneLoss::PACKETS;
        const auto& [rail, lost, sent, received] = loss;
        // One packet more is on the line, before the others or at the end of them.
        const Time p = rail.GetPropagation();
        const Time known = rail.line.Arrival(MicroSeconds(lost + 2) + p, SACK_WIRE, p);
        EXPECT_EQ(received, std::max(known, MicroSeconds(n)) + MicroSeconds(1) + p);
        EXPECT_EQ(sent, rail.line.Arrival(received, ACK_WIRE, p));
        const auto counters = rail.GetCounters();
        EXPECT_EQ(counters.retransmitted, 1U);
        EXPECT_GE(counters.negative, 1U); // one for each packet that comes before the lost one
        EXPECT_EQ(counters.timeouts, 0U);
        EXPECT_EQ(counters.duplicates, 0U);
        EXPECT_EQ(rail.GetReliable(1, 0).GetPacketsReceived(), n);
        EXPECT_EQ(rail.GetReliable(1, 0).GetOutOfSequence(), 0U);
    });
}

TEST(ReliablePort, OnlyTheTimerKnowsThatTheLastPacketIsLost)
{
    for (const auto scheme : SCHEMES)
    {
        TestRail rail(Reliable(scheme));
        rail.JoinPair();
        Lose(rail, 1, {7});
        Time sent;
        Time received;
        rail.SendAndReceive({1, 0, 0}, 8 * FULL, sent, received);
        Simulator::Run();
        // None has been acknowledged. The first is repeated and answered before the third is due,
        // so that the eighth follows the second.
        const Time p = rail.GetPropagation();
        EXPECT_EQ(received, GetTimeout(rail) + MicroSeconds(3) + p) << scheme;
        EXPECT_EQ(sent, rail.line.Arrival(received, ACK_WIRE, p));
        EXPECT_EQ(rail.GetCounters().timeouts, 1U);
        EXPECT_EQ(rail.GetCounters().retransmitted, 3U);
        EXPECT_EQ(rail.GetCounters().duplicates, 2U);
        EXPECT_EQ(rail.GetReliable(1, 0).GetPacketsReceived(), 8U);
    }
}

TEST(ReliablePort, WaitsTwiceAsLongWithEveryTry)
{
    for (const auto scheme : SCHEMES)
    {
        for (uint32_t tries = 0; tries < 6; tries++)
        {
            TestRail rail(Reliable(scheme));
            rail.JoinPair();
            std::list<uint32_t> lost;
            for (uint32_t i = 0; i < tries; i++)
            {
                lost.push_back(i);
            }
            Lose(rail, 1, lost);
            Time sent;
            Time received;
            rail.SendAndReceive({1, 0, 0}, FULL, sent, received);
            Simulator::Run();
            EXPECT_EQ(received,
                      GetTimeout(rail) * ((1 << tries) - 1) + MicroSeconds(1) +
                          rail.GetPropagation());
            EXPECT_EQ(rail.GetCounters().timeouts, tries);
            EXPECT_EQ(rail.GetCounters().retransmitted, tries);
        }
    }
}

TEST(ReliablePort, ALostAcknowledgementIsMadeGoodByADuplicate)
{
    for (const auto scheme : SCHEMES)
    {
        TestRail rail(Reliable(scheme));
        rail.JoinPair();
        Lose(rail, 0, {0});
        uint32_t deliveries = 0;
        rail.endpoints[1]->TraceConnectWithoutContext(
            "Receive",
            Callback<void, const Message&>([&deliveries](const Message&) { deliveries++; }));
        Time sent;
        Time received;
        rail.SendAndReceive({1, 0, 0}, FULL, sent, received);
        Simulator::Run();
        const Time p = rail.GetPropagation();
        EXPECT_EQ(received, MicroSeconds(1) + p);
        EXPECT_EQ(sent, rail.line.Arrival(GetTimeout(rail) + MicroSeconds(1) + p, ACK_WIRE, p));
        EXPECT_EQ(rail.GetCounters().duplicates, 1U);
        EXPECT_EQ(rail.GetCounters().timeouts, 1U);
        EXPECT_EQ(deliveries, 1U);
        EXPECT_TRUE(rail.failures.empty());
    }
}

TEST(ReliablePort, NamesTheMessageThatItCannotGetThrough)
{
    for (const auto scheme : SCHEMES)
    {
        auto options = Reliable(scheme);
        options.transport->SetAttribute("Retries", UintegerValue(3));
        TestRail rail(options);
        rail.JoinPair();
        std::list<uint32_t> all;
        for (uint32_t i = 1; i < 1000; i++)
        {
            all.push_back(i);
        }
        Lose(rail, 1, all);
        Time sent[2];
        Time received[2];
        rail.SendAndReceive({5, 7, 9}, FULL, sent[0], received[0]);
        rail.SendAndReceive({5, 8, 10}, 2 * FULL, sent[1], received[1]);
        Simulator::Run();
        ASSERT_EQ(rail.failures.size(), 1U);
        EXPECT_EQ(
            rail.failures[0],
            "a message of 8072 bytes from rank 0 to rank 1 is lost (communicator 5, operation "
            "8, transfer 10): no acknowledgement after 3 retransmissions");
        EXPECT_EQ(received[0], MicroSeconds(1) + rail.GetPropagation());
        EXPECT_EQ(received[1], Time::Max());
        // The timer runs from the acknowledgement of the first message on.
        EXPECT_EQ(Simulator::Now(), sent[0] + GetTimeout(rail) * 15);
    }
}

TEST(ReliablePort, TracesWhatIsOutOfTheOrdinary)
{
    using Seen = std::vector<std::string>;
    for (const auto scheme : SCHEMES)
    {
        TestRail rail(Reliable(scheme));
        rail.JoinPair();
        Lose(rail, 1, {1, 4});
        Seen seen[2];
        for (uint32_t rank : {0, 1})
        {
            rail.endpoints[rank]->TraceConnectWithoutContext(
                "Transport",
                Callback<void, TransportEvent, uint32_t, uint32_t>(
                    [&seen, rank](TransportEvent event, uint32_t peer, uint32_t packet) {
                        EXPECT_EQ(peer, 1 - rank);
                        seen[rank].push_back(ToString(event) + (" " + std::to_string(packet)));
                    }));
        }
        Time sent;
        Time received;
        rail.SendAndReceive({1, 0, 0}, 3 * FULL, sent, received);
        Simulator::Run();
        EXPECT_GT(sent, received);
        if (scheme == std::string("go-back-n"))
        {
            // The fifth to arrive is packet 2 again, the last.
            EXPECT_EQ(seen[0],
                      (Seen{"negative acknowledgement 1",
                            "retransmission 1",
                            "retransmission 2",
                            "timeout 2",
                            "retransmission 2"}));
            EXPECT_EQ(seen[1], Seen{});
        }
        else
        {
            EXPECT_EQ(seen[0], (Seen{"negative acknowledgement 1", "retransmission 1"}));
            EXPECT_EQ(seen[1], Seen{});
        }
    }
}

TEST(ReliablePort, IsWrittenAndReadAsItIsOnTheWire)
{
    // The same with packets that are made and read as with those that nobody looks at.
    for (const auto scheme : SCHEMES)
    {
        Time times[2];
        for (bool lazy : {false, true})
        {
            TestRail rail(Reliable(scheme));
            for (const auto& device : rail.devices)
            {
                device->SetAttribute("LazyPackets", BooleanValue(lazy));
            }
            rail.JoinPair();
            Time received;
            rail.SendAndReceive({1, 0, 0}, 100 * FULL + 1, times[lazy], received);
            Simulator::Run();
        }
        EXPECT_EQ(times[0], times[1]);
    }
}

TEST(ReliablePort, TakesTurnsPacketByPacket)
{
    // As PacketPort does: of two messages of 10 packets the one posted first ends a packet earlier.
    TestRail rail(Reliable("go-back-n"));
    rail.JoinPair();
    Time sent[2];
    Time received[2];
    rail.SendAndReceive({1, 0, 0}, 10 * FULL, sent[0], received[0]);
    rail.SendAndReceive({2, 0, 0}, 10 * FULL, sent[1], received[1]);
    Simulator::Run();
    EXPECT_EQ(received[0], MicroSeconds(19) + rail.GetPropagation());
    EXPECT_EQ(received[1], MicroSeconds(20) + rail.GetPropagation());
}

TEST(ReliablePort, AWindowLimitsWhatIsUnderWay)
{
    // With a window of one packet each costs a round trip.
    auto options = Reliable("go-back-n");
    options.transport->SetAttribute("Window", UintegerValue(1));
    TestRail rail(options);
    rail.JoinPair();
    Time sent;
    Time received;
    rail.SendAndReceive({1, 0, 0}, 20 * FULL, sent, received);
    Simulator::Run();
    const Time p = rail.GetPropagation();
    Time start;
    for (int i = 0; i < 20; i++)
    {
        start = rail.line.Arrival(start + MicroSeconds(1) + p, ACK_WIRE, p);
    }
    EXPECT_EQ(sent, start);
}

TEST(ReliablePort, MeetsOnlyItsLike)
{
    auto options = Reliable("go-back-n");
    TestRail rail(options);
    rail.JoinPair();
    rail.endpoints[1]->AddPort(
        std::make_unique<PacketPort>(*rail.endpoints[1], rail.GetDevice(1, 1), 1));
    EXPECT_THROW(rail.endpoints[0]->Send(1, 0, 2, {1, 0, 0}, 1, Cause(), nullptr),
                 std::logic_error);
}

} // namespace photonic
} // namespace ns3
