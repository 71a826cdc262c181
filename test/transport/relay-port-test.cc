/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Messages between rails by way of a mate: when they arrive, in closed form, and whom they delay.
 */
#include "test-rail.h"

#include "ns3/relay-port.h"
#include "ns3/scale-up-domain.h"

#include <random>

namespace ns3
{
namespace photonic
{

namespace
{

/// Line bytes of an acknowledgement.
constexpr uint64_t ACK_WIRE = 14 + 20 + 8 + 12 + 4 + 4 + 24;

/// Two nodes of three ranks on three rails that are circuits: rank r and r + 3 are on rail r.
class Nodes
{
  public:
    static constexpr uint32_t RAILS = 3;

    struct Options
    {
        bool reliable{false};
        bool trains{false};
        uint64_t rate{MICROSECOND_RATE};
        uint64_t domainRate{193'728'000'000}; ///< three full payloads take 500 ns
        Time latency{NanoSeconds(200)};       ///< of a domain
        Time messageLatency;
        uint16_t mtu{4096};
    };

    /// What became of a message.
    struct Transfer
    {
        Time received{Time::Max()};
        Time sent{Time::Max()}; ///< when the sender knew
        uint32_t times{0};      ///< that either was told
        std::vector<uint64_t> causes;
    };

    explicit Nodes(const Options& o)
        : options(o),
          line{o.rate},
          domainLine{o.domainRate}
    {
        NodeContainer nodes;
        nodes.Create(2 * RAILS);
        auto directory = Create<MessageDirectory>();
        auto transport = CreateObject<ReliableTransport>();
        transport->SetAttribute("Retransmission", StringValue("go-back-n"));
        for (uint32_t rank = 0; rank < 2 * RAILS; rank++)
        {
            auto endpoint = CreateObject<MessageEndpoint>();
            endpoint->SetAttribute("MessageLatency", TimeValue(o.messageLatency));
            endpoint->SetRank(rank, directory);
            endpoint->SetFailureCallback(
                [this](const std::string& what) { failures.push_back(what); });
            nodes.Get(rank)->AggregateObject(endpoint);
            endpoints.push_back(endpoint);
        }
        for (uint32_t rail = 0; rail < RAILS; rail++)
        {
            PhotonicRailHelper helper;
            helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate(o.rate)));
            helper.SetDeviceAttribute("Mtu", UintegerValue(o.mtu));
            helper.SetFibreAttribute("Delay", TimeValue(NanoSeconds(50)));
            const auto devices =
                helper.Install(NodeContainer(nodes.Get(rail), nodes.Get(rail + RAILS)), 1);
            helper.GetSwitch()->Preset({{0, 1}});
            for (uint32_t i : {0U, 1U})
            {
                auto& endpoint = *endpoints[rail + i * RAILS];
                auto device = DynamicCast<OpticalNetDevice>(devices.Get(i));
                const uint32_t address = 0x0a000000 + endpoint.GetRank();
                if (o.reliable)
                {
                    endpoint.AddPort(
                        std::make_unique<ReliablePort>(endpoint, device, address, transport));
                }
                else if (o.trains)
                {
                    endpoint.AddPort(std::make_unique<TrainPort>(endpoint, device));
                }
                else
                {
                    endpoint.AddPort(std::make_unique<PacketPort>(endpoint, device, address));
                }
            }
        }
        for (uint32_t node : {0U, 1U})
        {
            auto domain =
                CreateObjectWithAttributes<ScaleUpDomain>("DataRate",
                                                          DataRateValue(DataRate(o.domainRate)),
                                                          "Latency",
                                                          TimeValue(o.latency));
            for (uint32_t rail = 0; rail < RAILS; rail++)
            {
                auto endpoint = endpoints[rail + node * RAILS];
                endpoint->AddPort(domain->CreatePort(endpoint));
            }
        }
        // Ports 2 and 3: by the next mate and the one after that, each on its rail.
        for (uint32_t rank = 0; rank < 2 * RAILS; rank++)
        {
            for (uint32_t on : {1U, 2U})
            {
                const uint32_t mate = rank / RAILS * RAILS + (rank + on) % RAILS;
                endpoints[rank]->AddPort(std::make_unique<RelayPort>(*endpoints[rank], 1, mate, 0));
            }
        }
    }

    ~Nodes()
    {
        Simulator::Destroy();
    }

    Nodes(const Nodes&) = delete;
    Nodes& operator=(const Nodes&) = delete;

    /// @return the port by which one rank reaches another
    static uint32_t GetPortTo(uint32_t from, uint32_t to)
    {
        if (from / RAILS == to / RAILS)
        {
            return 1;
        }
        const uint32_t on = (to + RAILS - from % RAILS) % RAILS;
        return on == 0 ? 0 : 1 + on;
    }

    /// Send at a time. @return number of the message
    uint32_t Send(Time at,
                  uint32_t from,
                  uint32_t to,
                  uint64_t bytes,
                  const MessageKey& key,
                  uint64_t cause = 1)
    {
        const uint32_t number = transfers.size();
        transfers.emplace_back();
        endpoints[to]->Receive(from, key, bytes, [this, number, from](const Message& m, Time) {
            EXPECT_EQ(m.source, from);
            transfers[number].received = Simulator::Now();
            transfers[number].times++;
            m.cause.WalkBack([this, number](uint64_t met) {
                transfers[number].causes.push_back(met);
                return true;
            });
        });
        Simulator::Schedule(at, [this, number, from, to, bytes, key, cause] {
            endpoints[from]->Send(to,
                                  GetPortTo(from, to),
                                  0,
                                  key,
                                  bytes,
                                  Cause().AfterReconfiguration(cause),
                                  [this, number](const Message&) {
                                      transfers[number].sent = Simulator::Now();
                                      transfers[number].times++;
                                  });
        });
        return number;
    }

    /// @return when a message that meets no other arrives
    Time GetArrival(Time at, uint64_t bytes) const
    {
        const Time relayed = domainLine.Arrival(at, bytes, options.latency);
        return line.Arrival(relayed + options.messageLatency,
                            GetWireBytes(bytes, options.mtu),
                            NanoSeconds(100));
    }

    Options options;
    ExactLine line;
    ExactLine domainLine;
    std::vector<Ptr<MessageEndpoint>> endpoints;
    std::vector<Transfer> transfers;
    std::vector<std::string> failures;
};

constexpr MessageKey KEY{1, 0, 0};
constexpr uint64_t THREE = 3 * FULL;

} // namespace

TEST(RelayPort, AMessageTakesTheTimeOfBothWays)
{
    const unsigned seed = 2022;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto pick = [&random](uint64_t low, uint64_t high) {
        return std::uniform_int_distribution<uint64_t>(low, high)(random);
    };
    for (int i = 0; i < 40; i++)
    {
        Nodes::Options options;
        options.reliable = i % 3 == 1;
        options.trains = i % 3 == 2;
        options.rate = pick(1'000'000'000, 800'000'000'000);
        options.domainRate = pick(options.rate, 7'200'000'000'000);
        options.latency = NanoSeconds(pick(0, 1000));
        options.messageLatency = NanoSeconds(i % 4 < 2 ? 0 : pick(1, 3000));
        const uint64_t bytes = i % 5 == 0 ? pick(1, 900'000) : FULL * pick(1, 9) + pick(0, 2) - 1;
        SCOPED_TRACE(std::to_string(bytes) + " bytes, " + std::to_string(options.rate) + " and " +
                     std::to_string(options.domainRate) + " bit/s");
        Nodes nodes(options);
        nodes.Send(Time(0), 0, 4, bytes, KEY);
        Simulator::Run();
        const auto& transfer = nodes.transfers[0];
        EXPECT_EQ(transfer.received, nodes.GetArrival(options.messageLatency, bytes));
        EXPECT_EQ(transfer.sent,
                  options.reliable
                      ? nodes.line.Arrival(transfer.received, ACK_WIRE, NanoSeconds(100))
                      : transfer.received);
        EXPECT_EQ(transfer.times, 2U);
        EXPECT_EQ(transfer.causes, std::vector<uint64_t>{1});
        EXPECT_EQ(nodes.endpoints[4]->GetPort(0).GetPacketsReceived(), (bytes + FULL - 1) / FULL);
        for (const auto& endpoint : nodes.endpoints)
        {
            EXPECT_EQ(endpoint->GetUnexpected(), 0U);
        }
    }
}

TEST(RelayPort, MoreThanFourGibibytesAreCountedIn64Bits)
{
    Nodes::Options options;
    options.mtu = 9216;
    Nodes nodes(options);
    const uint64_t bytes = (uint64_t(1) << 32) + 5;
    nodes.Send(Time(0), 0, 4, bytes, KEY);
    Simulator::Run();
    EXPECT_EQ(nodes.transfers[0].received, nodes.GetArrival(Time(0), bytes));
}

TEST(RelayPort, TwoSourcesTakeTurnsAtTheMatesPort)
{
    for (bool reliable : {false, true})
    {
        Nodes::Options options;
        options.reliable = reliable;
        Nodes nodes(options);
        // On one communicator. They share the mate's way in too: it has them at 700 and 1,200 ns.
        const auto first = nodes.Send(Time(0), 0, 4, THREE, KEY);
        const auto second = nodes.Send(Time(0), 2, 4, THREE, KEY);
        Simulator::Run();
        // From 700 ns on: a b a b a b, 1 us each.
        EXPECT_EQ(nodes.transfers[first].received, NanoSeconds(5800));
        EXPECT_EQ(nodes.transfers[second].received, NanoSeconds(6800));
        EXPECT_EQ(nodes.transfers[first].times, 2U);
        EXPECT_EQ(nodes.transfers[second].times, 2U);
    }
}

TEST(RelayPort, MessagesOfOneSourceKeepTheirOrder)
{
    Nodes nodes(Nodes::Options{});
    nodes.Send(Time(0), 0, 4, THREE, KEY);
    nodes.Send(Time(0), 0, 4, FULL, {1, 1, 0});
    Simulator::Run();
    EXPECT_EQ(nodes.transfers[0].received, NanoSeconds(3800));
    EXPECT_EQ(nodes.transfers[1].received, NanoSeconds(4800));
}

TEST(RelayPort, TheMatesOwnTrafficIsSlowed)
{
    for (bool reliable : {false, true})
    {
        Nodes::Options options;
        options.reliable = reliable;
        Nodes nodes(options);
        // With the same key: the source tells them apart.
        const auto own = nodes.Send(Time(0), 1, 4, THREE, KEY, 7);
        const auto relayed = nodes.Send(Time(0), 0, 4, THREE, KEY, 8);
        Simulator::Run();
        // Alone the mate's message arrives at 3,100 ns. The other comes at 700: m r m r m r.
        EXPECT_EQ(nodes.transfers[own].received, NanoSeconds(5100));
        EXPECT_EQ(nodes.transfers[relayed].received, NanoSeconds(6100));
        // Behind the mate's traffic it ends when it does because of that.
        EXPECT_EQ(nodes.transfers[own].causes, std::vector<uint64_t>{7});
        EXPECT_EQ(nodes.transfers[relayed].causes, std::vector<uint64_t>{7});
    }
}

TEST(RelayPort, TheScaleUpDomainIsShared)
{
    Nodes nodes(Nodes::Options{});
    // A message to the mate with the key of the relayed one: the mate gets it, and no other.
    const auto inside = nodes.Send(Time(0), 0, 1, THREE, KEY, 7);
    const auto relayed = nodes.Send(Time(0), 0, 4, THREE, KEY, 8);
    const auto behind = nodes.Send(NanoSeconds(1), 0, 2, THREE, KEY, 9);
    Simulator::Run();
    EXPECT_EQ(nodes.transfers[inside].received, NanoSeconds(700));
    EXPECT_EQ(nodes.transfers[relayed].received, NanoSeconds(1200 + 3000 + 100));
    EXPECT_EQ(nodes.transfers[behind].received, NanoSeconds(1700));
    EXPECT_EQ(nodes.transfers[relayed].causes, std::vector<uint64_t>{7});
    EXPECT_EQ(nodes.endpoints[1]->GetUnexpected(), 0U);
}

TEST(RelayPort, BothDirectionsDoNotDelayEachOther)
{
    Nodes nodes(Nodes::Options{});
    const auto forth = nodes.Send(Time(0), 0, 4, THREE, KEY); // by 1
    const auto back = nodes.Send(Time(0), 4, 0, THREE, KEY);  // by 3
    const auto other = nodes.Send(Time(0), 3, 1, THREE, KEY); // by 4, against the first
    Simulator::Run();
    for (auto transfer : {forth, back, other})
    {
        EXPECT_EQ(nodes.transfers[transfer].received, NanoSeconds(3800));
        EXPECT_EQ(nodes.transfers[transfer].times, 2U);
    }
}

TEST(RelayPort, AllArriveOnceAndNoEarlierThanAlone)
{
    for (unsigned seed = 1; seed <= 20; seed++)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const auto pick = [&random](uint64_t low, uint64_t high) {
            return std::uniform_int_distribution<uint64_t>(low, high)(random);
        };
        Nodes::Options options;
        options.reliable = seed % 2 == 1;
        Nodes nodes(options);
        std::vector<Time> alone;
        for (uint32_t i = 0; i < 100; i++)
        {
            const uint32_t from = pick(0, 5);
            const uint32_t to = (from + pick(1, 5)) % 6;
            const uint64_t bytes = pick(1, 10 * FULL);
            const Time at = NanoSeconds(pick(0, 50'000));
            nodes.Send(at, from, to, bytes, {uint32_t(pick(1, 2)), i, 0});
            const uint32_t port = Nodes::GetPortTo(from, to);
            alone.push_back(
                port == 0   ? nodes.line.Arrival(at, GetWireBytes(bytes, 4096), NanoSeconds(100))
                : port == 1 ? nodes.domainLine.Arrival(at, bytes, options.latency)
                            : nodes.GetArrival(at, bytes));
        }
        Simulator::Run();
        EXPECT_TRUE(nodes.failures.empty());
        for (uint32_t i = 0; i < 100; i++)
        {
            EXPECT_EQ(nodes.transfers[i].times, 2U);
            EXPECT_GE(nodes.transfers[i].received, alone[i]);
            EXPECT_GE(nodes.transfers[i].sent, nodes.transfers[i].received);
            EXPECT_LT(nodes.transfers[i].sent, Time::Max());
        }
    }
}

TEST(RelayPort, AWrongSizeNamesTheSource)
{
    Nodes nodes(Nodes::Options{});
    nodes.endpoints[4]->Receive(0, KEY, 12, [](const Message&, Time) { FAIL(); });
    nodes.endpoints[0]->Send(4, 2, 0, KEY, THREE, Cause(), [](const Message&) { FAIL(); });
    Simulator::Run();
    ASSERT_EQ(nodes.failures.size(), 1U);
    EXPECT_SAYS(nodes.failures[0], "rank 0 sends 12108 bytes to rank 4, which expects 12");
}

TEST(RelayPort, TrainsOfTwoSourcesCannotTakeTurns)
{
    Nodes::Options options;
    options.trains = true;
    Nodes nodes(options);
    nodes.Send(Time(0), 0, 4, THREE, KEY);
    nodes.Send(Time(0), 2, 4, THREE, KEY);
    Simulator::Run();
    ASSERT_EQ(nodes.failures.size(), 1U);
    EXPECT_SAYS(nodes.failures[0], "messages of ranks 0 and 2 share a NIC port of rank 1");
}

TEST(RelayPort, NamesWhatCannotBe)
{
    const auto refusal = [](auto&& action) -> std::string {
        try
        {
            action();
        }
        catch (const std::exception& e)
        {
            return e.what();
        }
        return "";
    };
    Nodes nodes(Nodes::Options{});
    MessageEndpoint& endpoint = *nodes.endpoints[0];
    const auto add = [&endpoint](uint32_t domainPort, uint32_t mate, uint32_t matePort) {
        return endpoint.AddPort(std::make_unique<RelayPort>(endpoint, domainPort, mate, matePort));
    };
    const auto send = [&endpoint](uint32_t to, uint32_t port) {
        endpoint.Send(to, port, 0, KEY, 1, Cause(), nullptr);
    };
    EXPECT_SAYS(refusal([&] { add(1, 0, 0); }), "rank 0 was to relay for itself");
    EXPECT_SAYS(refusal([&] { add(0, 1, 0); }), "port 0 of rank 0 is a NIC port");
    EXPECT_SAYS(refusal([&] { add(9, 1, 0); }), "rank 0 has no port 9");
    EXPECT_SAYS(refusal([&] { send(1, 2); }), "rank 1 was to relay a message of rank 0 to itself");
    EXPECT_SAYS(refusal([&] { send(4, add(1, 1, 9)); }), "rank 1 has no port 9");
    EXPECT_SAYS(refusal([&] { send(4, add(1, 3, 0)); }),
                "rank 3 is not in the scale-up domain of rank 0");
    EXPECT_SAYS(refusal([&] { send(4, add(1, 77, 0)); }), "rank 77 has no message endpoint");
}

} // namespace photonic
} // namespace ns3
