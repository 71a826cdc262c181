/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "test-rail.h"

#include "ns3/scale-up-domain.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// Two ranks whose port 2 leads into a scale-up domain, beside their NIC ports 0 and 1.
struct Pair
{
    Pair()
        : rail(TestRail::Options{})
    {
        rail.JoinPair();
        auto domain = CreateObject<ScaleUpDomain>();
        for (const auto& endpoint : rail.endpoints)
        {
            endpoint->AddPort(domain->CreatePort(endpoint));
        }
    }

    void Receive(uint64_t bytes)
    {
        rail.endpoints[1]->Receive(0, key, bytes, [this](const Message&, Time) { received++; });
    }

    void Send(uint32_t port, uint64_t bytes)
    {
        rail.endpoints[0]->Send(1, port, port, key, bytes, Cause(), [this](const Message&) {
            delivered++;
        });
    }

    TestRail rail;
    MessageKey key{4, 19, 2};
    int received{0};
    int delivered{0};
};

/// Expect exactly one failure, which says who sends and expects how much, and in which operation.
void
ExpectMismatch(const Pair& pair, uint64_t sent, uint64_t expected)
{
    ASSERT_EQ(pair.rail.failures.size(), 1U);
    const std::string& what = pair.rail.failures[0];
    EXPECT_SAYS(what, "rank 0 sends " + std::to_string(sent) + " bytes to rank 1");
    EXPECT_SAYS(what, "expects " + std::to_string(expected));
    EXPECT_SAYS(what, "communicator 4");
    EXPECT_SAYS(what, "operation 19");
}

constexpr uint32_t NIC = 0;
constexpr uint32_t SCALE_UP = 2;

} // namespace

TEST(MessageEndpoint, EarlyDataIsKept)
{
    for (uint32_t port : {NIC, SCALE_UP})
    {
        Pair pair;
        pair.Send(port, 3 * FULL);
        Time firstBit = Time::Max();
        Simulator::Schedule(MilliSeconds(5), [&] {
            EXPECT_EQ(pair.delivered, 1); // the sender did not wait for the receive
            EXPECT_EQ(pair.rail.endpoints[1]->GetUnexpected(), 1U);
            pair.rail.endpoints[1]->Receive(0, pair.key, 3 * FULL, [&](const Message& m, Time bit) {
                EXPECT_EQ(m.bytes, 3 * FULL);
                firstBit = bit;
                pair.received++;
            });
            EXPECT_EQ(pair.received, 1); // at once
            EXPECT_EQ(pair.rail.endpoints[1]->GetUnexpected(), 0U);
        });
        Simulator::Run();
        EXPECT_EQ(pair.received, 1);
        EXPECT_EQ(firstBit, port == NIC ? NanoSeconds(100) : NanoSeconds(500));
    }
}

TEST(MessageEndpoint, AReceiveMayComeBetweenFirstAndLastBit)
{
    Pair pair;
    pair.Send(NIC, 3 * FULL);
    Time at = Time::Max();
    Simulator::Schedule(MicroSeconds(2), [&] {
        pair.rail.endpoints[1]->Receive(0, pair.key, 3 * FULL, [&](const Message&, Time bit) {
            at = Simulator::Now();
            EXPECT_EQ(bit, NanoSeconds(100));
        });
    });
    Simulator::Run();
    EXPECT_EQ(at, NanoSeconds(3100));
}

TEST(MessageEndpoint, ZeroBytesCompleteAtOnceWithoutAPacket)
{
    for (bool sendFirst : {false, true})
    {
        for (Time latency : {Time(0), MicroSeconds(1)})
        {
            Pair pair;
            pair.rail.endpoints[0]->SetAttribute("MessageLatency", TimeValue(latency));
            sendFirst ? pair.Send(NIC, 0) : pair.Receive(0);
            sendFirst ? pair.Receive(0) : pair.Send(NIC, 0);
            EXPECT_EQ(pair.received, 1);
            EXPECT_EQ(pair.delivered, 1);
            EXPECT_EQ(pair.rail.endpoints[1]->GetUnexpected(), 0U);
            Simulator::Run();
            EXPECT_EQ(Simulator::Now(), Time(0));
            EXPECT_EQ(pair.rail.GetPort(1, 0).GetPacketsReceived(), 0U);
            EXPECT_TRUE(pair.rail.failures.empty());
        }
    }
}

TEST(MessageEndpoint, NobodyNeedsToBeToldThatAMessageIsDelivered)
{
    for (uint64_t bytes : {0, 100})
    {
        Pair pair;
        pair.Receive(bytes);
        pair.rail.endpoints[0]->Send(1, 0, 0, pair.key, bytes, Cause(), nullptr);
        Simulator::Run();
        EXPECT_EQ(pair.received, 1);
        EXPECT_EQ(pair.rail.endpoints[1]->GetArrived(), bytes ? 2U : 0U); // packet and message
    }
}

TEST(MessageEndpoint, AReceiveOfAnotherSizeIsAFailureAtTheFirstPacket)
{
    Pair pair;
    pair.Receive(100);
    pair.Send(NIC, 3 * FULL);
    Simulator::Schedule(NanoSeconds(1099), [&] { EXPECT_TRUE(pair.rail.failures.empty()); });
    Simulator::Schedule(NanoSeconds(1101), [&] { EXPECT_EQ(pair.rail.failures.size(), 1U); });
    Simulator::Run();
    ExpectMismatch(pair, 3 * FULL, 100);
    EXPECT_EQ(pair.received, 0);
    EXPECT_EQ(pair.delivered, 0);
}

TEST(MessageEndpoint, SizesThatDifferAreAFailureInEitherOrder)
{
    struct Case
    {
        uint32_t port;
        uint64_t sent;
        uint64_t expected;
    };

    for (const auto& c : {Case{NIC, 100, 101},
                          Case{NIC, 2 * FULL, 1},
                          Case{NIC, 5, 0},
                          Case{NIC, 0, 5},
                          Case{SCALE_UP, 100, 101},
                          Case{SCALE_UP, 5, 0},
                          Case{SCALE_UP, 0, 5}})
    {
        for (bool sendFirst : {false, true})
        {
            SCOPED_TRACE(std::to_string(c.sent) + " sent, " + std::to_string(c.expected) +
                         " expected, port " + std::to_string(c.port) +
                         (sendFirst ? ", send first" : ", receive first"));
            Pair pair;
            sendFirst ? pair.Send(c.port, c.sent) : pair.Receive(c.expected);
            // While the message is under way or, for the send, after it has arrived.
            Simulator::Schedule(sendFirst ? MicroSeconds(90) : Time(0), [&] {
                sendFirst ? pair.Receive(c.expected) : pair.Send(c.port, c.sent);
            });
            Simulator::Run();
            ExpectMismatch(pair, c.sent, c.expected);
            // An empty side is complete before anything can be known to be wrong.
            EXPECT_EQ(pair.received, !sendFirst && c.expected == 0 ? 1 : 0);
            EXPECT_EQ(pair.delivered, sendFirst || c.sent == 0 ? 1 : 0);
        }
    }
}

TEST(MessageEndpoint, ExpectingOneMessageTwiceIsAFailure)
{
    Pair pair;
    pair.Receive(7);
    pair.Receive(7);
    ASSERT_EQ(pair.rail.failures.size(), 1U);
    EXPECT_SAYS(pair.rail.failures[0], "rank 1 expects one message of rank 0 twice");
}

TEST(MessageEndpoint, WithoutACallbackAFailureIsAnException)
{
    Pair pair;
    pair.rail.endpoints[1]->SetFailureCallback(nullptr);
    pair.Receive(7);
    EXPECT_THROW(pair.Receive(7), std::runtime_error);
    EXPECT_THROW(pair.Send(NIC, 0), std::runtime_error);
}

TEST(MessageEndpoint, AKeyIsFreeAgainWhenItsMessageIsComplete)
{
    for (uint64_t bytes : {0, 10})
    {
        for (bool sendFirst : {false, true})
        {
            Pair pair;
            for (int round = 1; round <= 3; round++)
            {
                sendFirst ? pair.Send(NIC, bytes) : pair.Receive(bytes);
                sendFirst ? pair.Receive(bytes) : pair.Send(NIC, bytes);
                Simulator::Run();
                EXPECT_EQ(pair.received, round);
                EXPECT_EQ(pair.delivered, round);
            }
            EXPECT_TRUE(pair.rail.failures.empty());
        }
    }
}

TEST(MessageEndpoint, KeysTellMessagesApart)
{
    Pair pair;
    const std::vector<MessageKey> keys = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2}};
    std::vector<uint64_t> got(keys.size());
    for (std::size_t i = 0; i < keys.size(); i++)
    {
        pair.rail.endpoints[1]->Receive(0, keys[i], 10 + i, [&got, i](const Message& m, Time) {
            got[i] = m.bytes;
        });
    }
    for (std::size_t i = keys.size(); i-- > 0;)
    {
        pair.rail.endpoints[0]->Send(1, NIC, NIC, keys[i], 10 + i, Cause(), nullptr);
    }
    Simulator::Run();
    EXPECT_EQ(got, (std::vector<uint64_t>{10, 11, 12, 13}));
    EXPECT_TRUE(pair.rail.failures.empty());
}

TEST(MessageEndpoint, NamesWhatIsNotThere)
{
    Pair pair;
    EXPECT_EQ(pair.rail.endpoints[0]->GetNPorts(), 3U);
    EXPECT_THROW(pair.rail.endpoints[0]->GetPort(3), std::out_of_range);
    EXPECT_THROW(pair.Send(3, 1), std::out_of_range);
    EXPECT_THROW(pair.rail.endpoints[0]->GetDirectory().Get(2), std::out_of_range);
    EXPECT_THROW(pair.rail.endpoints[0]->Send(2, NIC, NIC, pair.key, 1, Cause(), nullptr),
                 std::out_of_range);
    // A NIC port cannot send into a scale-up port.
    EXPECT_THROW(pair.rail.endpoints[0]->Send(1, NIC, SCALE_UP, pair.key, 1, Cause(), nullptr),
                 std::logic_error);
}

TEST(MessageEndpoint, TracesSayWhatWasSentAndWhatArrived)
{
    Pair pair;
    uint64_t sent = 0;
    uint64_t arrived = 0;
    const auto add = [](uint64_t* total, const Message& m) { *total += m.bytes; };
    pair.rail.endpoints[0]->TraceConnectWithoutContext(
        "Send",
        Callback<void, const Message&>([&sent, add](const Message& m) { add(&sent, m); }));
    pair.rail.endpoints[1]->TraceConnectWithoutContext(
        "Receive",
        Callback<void, const Message&>([&arrived, add](const Message& m) { add(&arrived, m); }));
    pair.Send(NIC, 5 * FULL);
    EXPECT_EQ(sent, 5 * FULL);
    EXPECT_EQ(arrived, 0U);
    Simulator::Run();
    EXPECT_EQ(arrived, 5 * FULL); // expected or not
}

} // namespace photonic
} // namespace ns3
