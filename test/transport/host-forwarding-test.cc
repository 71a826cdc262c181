/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Hosts on a ring of circuits that pass messages on: when these arrive, in closed form.
 */
#include "test-rail.h"

#include "ns3/relay-port.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// A ring of ranks, port 0 of each joined to port 1 of the next one. Port h leads to the rank
/// h places further on, for h of at least 2.
class Ring : public TestRail
{
  public:
    explicit Ring(const Options& o)
        : TestRail(o)
    {
        std::vector<uint32_t> ring;
        for (uint32_t rank = 0; rank < o.ranks; rank++)
        {
            ring.push_back(rank);
        }
        CloseRing(ring);
        for (uint32_t hops = 2; hops < o.ranks; hops++)
        {
            for (uint32_t rank = 0; rank < o.ranks; rank++)
            {
                const uint32_t on = hops == 2 ? 0 : hops - 1; // the mate's way to a rank one nearer
                endpoints[rank]->AddPort(
                    std::make_unique<RelayPort>(*endpoints[rank], 0, (rank + 1) % o.ranks, 1, on));
            }
        }
    }

    /// Send to the rank some places on. @return the time of delivery, once it is known
    std::shared_ptr<Time> Send(Time at, uint32_t from, uint32_t hops, uint64_t bytes)
    {
        return Send(at, from, hops, bytes, MessageKey{1, hops, 0});
    }

    std::shared_ptr<Time> Send(Time at,
                               uint32_t from,
                               uint32_t hops,
                               uint64_t bytes,
                               const MessageKey& key)
    {
        const uint32_t to = (from + hops) % options.ranks;
        auto received = std::make_shared<Time>(Time::Max());
        endpoints[to]->Receive(from, key, bytes, [received, from](const Message& m, Time) {
            EXPECT_EQ(m.source, from);
            *received = Simulator::Now();
        });
        Simulator::Schedule(at, [this, from, to, hops, bytes, key] {
            endpoints[from]->Send(to, hops == 1 ? 0 : hops, 1, key, bytes, Cause(), nullptr);
        });
        return received;
    }
};

} // namespace

TEST(HostForwarding, EveryHopCostsTheMessageAndTheHost)
{
    Ring::Options options;
    options.ranks = 6;
    options.messageLatency = NanoSeconds(300);
    for (uint32_t hops = 1; hops < 6; hops++)
    {
        Ring ring(options);
        const auto received = ring.Send(Time(0), 4, hops, 5 * FULL);
        Simulator::Run();
        EXPECT_EQ(*received, (NanoSeconds(300) + MicroSeconds(5) + NanoSeconds(100)) * hops);
    }
}

TEST(HostForwarding, TheHostsOwnTrafficIsSlowed)
{
    Ring::Options options;
    options.ranks = 3;
    Ring ring(options);
    const auto own = ring.Send(Time(0), 1, 1, 8 * FULL);
    const auto forwarded = ring.Send(Time(0), 0, 2, 3 * FULL);
    Simulator::Run();
    // It is at rank 1 after 3,100 ns, where 4 packets have started: then f o f o f o o o.
    EXPECT_EQ(*forwarded, NanoSeconds(4000 + 5000 + 100));
    EXPECT_EQ(*own, NanoSeconds(11'100));
}

TEST(HostForwarding, AllReachAll)
{
    Ring::Options options;
    options.ranks = 5;
    Ring ring(options);
    std::vector<std::shared_ptr<Time>> received;
    for (uint32_t from = 0; from < 5; from++)
    {
        for (uint32_t hops = 1; hops < 5; hops++)
        {
            received.push_back(ring.Send(Time(0), from, hops, 7 * FULL + hops));
        }
    }
    Simulator::Run();
    for (const auto& at : received)
    {
        EXPECT_LT(*at, Time::Max());
    }
    // 1 + 2 + 3 + 4 messages pass each circuit.
    EXPECT_GE(Simulator::Now(), MicroSeconds(10 * 7));
    EXPECT_TRUE(ring.failures.empty());
}

TEST(HostForwarding, TheHostDoesNotTakeWhatIsForOthers)
{
    // The same numbers to each: they count the messages of a pair.
    for (bool reliable : {false, true})
    {
        Ring::Options options;
        options.ranks = 4;
        if (reliable)
        {
            options.transport = CreateObject<ReliableTransport>();
            options.transport->SetAttribute("Retransmission", StringValue("go-back-n"));
        }
        Ring ring(options);
        std::vector<std::shared_ptr<Time>> received;
        for (uint32_t hops : {3, 1, 2})
        {
            received.push_back(ring.Send(Time(0), 0, hops, hops * FULL, MessageKey{1, 0, 0}));
        }
        Simulator::Run();
        for (const auto& at : received)
        {
            EXPECT_LT(*at, Time::Max());
        }
        EXPECT_TRUE(ring.failures.empty());
        for (const auto& endpoint : ring.endpoints)
        {
            EXPECT_EQ(endpoint->GetUnexpected(), 0U);
        }
    }
}

TEST(HostForwarding, NobodyForwardsToItself)
{
    Ring::Options options;
    Ring ring(options);
    EXPECT_THROW(RelayPort(*ring.endpoints[0], 0, 0, 1, 0), std::invalid_argument);
}

} // namespace photonic
} // namespace ns3
