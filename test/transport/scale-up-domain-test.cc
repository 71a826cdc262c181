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

/// Four GPUs in one domain.
class Domain
{
  public:
    Domain(uint64_t rate, Time latency)
        : line{rate},
          m_latency(latency)
    {
        auto domain = CreateObjectWithAttributes<ScaleUpDomain>("DataRate",
                                                                DataRateValue(DataRate(rate)),
                                                                "Latency",
                                                                TimeValue(latency));
        auto directory = Create<MessageDirectory>();
        for (uint32_t rank = 0; rank < 4; rank++)
        {
            auto endpoint = CreateObject<MessageEndpoint>();
            endpoint->SetRank(rank, directory);
            endpoint->AddPort(domain->CreatePort(endpoint));
            endpoints.push_back(endpoint);
        }
    }

    ~Domain()
    {
        Simulator::Destroy();
        for (const auto& endpoint : endpoints)
        {
            endpoint->Dispose();
        }
    }

    /// Send a message at a time; @p arrived and the identifier of its cause are filled in.
    void Send(Time at, uint32_t from, uint32_t to, uint64_t bytes, uint64_t id = 1)
    {
        const uint32_t number = arrived.size();
        arrived.push_back(Time::Max());
        firstBits.push_back(Time::Max());
        causes.push_back(0);
        const MessageKey key{1, number, 0};
        endpoints[to]->Receive(from, key, bytes, [this, number](const Message& m, Time bit) {
            arrived[number] = Simulator::Now();
            firstBits[number] = bit;
            m.cause.WalkBack([this, number](uint64_t met) {
                causes[number] = met;
                return false;
            });
        });
        Simulator::Schedule(at, [this, from, to, key, bytes, id] {
            endpoints[from]->Send(to, 0, 0, key, bytes, Cause().AfterReconfiguration(id), nullptr);
        });
    }

    ExactLine line;
    std::vector<Ptr<MessageEndpoint>> endpoints;
    std::vector<Time> arrived;
    std::vector<Time> firstBits;
    std::vector<uint64_t> causes;

  private:
    Time m_latency;
};

/// At this rate 1,000 bytes take 1 us.
constexpr uint64_t KILOBYTE_RATE = 8'000'000'000;

} // namespace

TEST(ScaleUpDomain, AMessageTakesItsBitsAndTheLatency)
{
    for (uint64_t bytes : {uint64_t(1),
                           uint64_t(1000),
                           uint64_t(1) << 29, // where a 32-bit product would be 0
                           (uint64_t(1) << 32) + 1,
                           (uint64_t(1) << 34) + 7,
                           (uint64_t(1) << 42) + 3})
    {
        SCOPED_TRACE(bytes);
        Domain domain(3'600'000'000'007, NanoSeconds(500));
        domain.Send(Time(0), 0, 1, bytes);
        Simulator::Run();
        EXPECT_EQ(domain.arrived[0], domain.line.Arrival(Time(0), bytes, NanoSeconds(500)));
        EXPECT_EQ(domain.firstBits[0], NanoSeconds(500));
    }
}

TEST(ScaleUpDomain, TerabytesDoNotDrift)
{
    Domain domain(2'399'999'999'993, NanoSeconds(300));
    const uint64_t bytes = 24'000'000'001;
    for (int i = 0; i < 100; i++)
    {
        domain.Send(Time(0), 0, 1, bytes);
    }
    Simulator::Run();
    for (int i = 0; i < 100; i++)
    {
        EXPECT_EQ(domain.arrived[i],
                  domain.line.Arrival(Time(0), bytes * (i + 1), NanoSeconds(300)));
    }
}

TEST(ScaleUpDomain, TheWayOutIsFirstInFirstOut)
{
    Domain domain(KILOBYTE_RATE, NanoSeconds(500));
    domain.Send(Time(0), 0, 1, 3000);
    domain.Send(Time(0), 0, 2, 2000);
    domain.Send(NanoSeconds(100), 0, 3, 1000);
    Simulator::Run();
    EXPECT_EQ(domain.arrived[0], NanoSeconds(3500));
    EXPECT_EQ(domain.arrived[1], NanoSeconds(5500));
    EXPECT_EQ(domain.arrived[2], NanoSeconds(6500));
    EXPECT_EQ(domain.firstBits[1], NanoSeconds(3500));
}

TEST(ScaleUpDomain, TheWayInIsFirstInFirstOut)
{
    Domain domain(KILOBYTE_RATE, NanoSeconds(500));
    domain.Send(Time(0), 0, 3, 3000);
    domain.Send(NanoSeconds(1), 1, 3, 2000);
    domain.Send(NanoSeconds(2), 2, 3, 1000);
    Simulator::Run();
    EXPECT_EQ(domain.arrived[0], NanoSeconds(3500));
    EXPECT_EQ(domain.arrived[1], NanoSeconds(5500));
    EXPECT_EQ(domain.arrived[2], NanoSeconds(6500));
}

TEST(ScaleUpDomain, DisjointPairsDoNotDisturbEachOther)
{
    Domain domain(KILOBYTE_RATE, NanoSeconds(500));
    for (uint32_t rank = 0; rank < 4; rank++)
    {
        domain.Send(Time(0), rank, (rank + 1) % 4, 1000);
    }
    Simulator::Run();
    for (Time at : domain.arrived)
    {
        EXPECT_EQ(at, NanoSeconds(1500));
    }
}

TEST(ScaleUpDomain, AMessageThatStillWaitsDoesNotReserveItsWayIn)
{
    Domain domain(KILOBYTE_RATE, NanoSeconds(500));
    // The second message of rank 0 begins at 10 us; until then the way into rank 2 is free.
    domain.Send(Time(0), 0, 1, 10'000);
    domain.Send(Time(0), 0, 2, 1000);
    domain.Send(NanoSeconds(1000), 3, 2, 1000);
    // Overlaps with it: from 10.2 us, behind the message that started at 10 us.
    domain.Send(NanoSeconds(10'200), 3, 2, 1000);
    Simulator::Run();
    EXPECT_EQ(domain.arrived[2], NanoSeconds(2500));
    EXPECT_EQ(domain.arrived[1], NanoSeconds(11'500));
    EXPECT_EQ(domain.arrived[3], NanoSeconds(12'500));
}

TEST(ScaleUpDomain, WhoWaitsInheritsTheCauseOfWhoItWaitsFor)
{
    Domain domain(KILOBYTE_RATE, NanoSeconds(500));
    domain.Send(Time(0), 0, 1, 2000, 11);
    domain.Send(NanoSeconds(500), 0, 2, 1000, 12);  // waits for the way out: 2 to 3 us
    domain.Send(NanoSeconds(2500), 3, 2, 1000, 13); // waits for the way in: from 3.5 us
    domain.Send(NanoSeconds(9000), 0, 1, 1000, 14); // waits for nobody
    Simulator::Run();
    EXPECT_EQ(domain.causes, (std::vector<uint64_t>{11, 11, 11, 14}));
    EXPECT_EQ(domain.arrived[2], NanoSeconds(4500));
}

TEST(ScaleUpDomain, RefusesStrangersAndTwins)
{
    Domain domain(KILOBYTE_RATE, NanoSeconds(500));
    auto other = CreateObject<ScaleUpDomain>();
    auto directory = Create<MessageDirectory>();
    auto stranger = CreateObject<MessageEndpoint>();
    stranger->SetRank(9, directory);
    stranger->AddPort(other->CreatePort(stranger));
    EXPECT_THROW(other->CreatePort(stranger), std::logic_error);
    EXPECT_THROW(stranger->Send(1, 0, 0, {1, 0, 0}, 5, Cause(), nullptr), std::logic_error);
    stranger->Dispose();
}

} // namespace photonic
} // namespace ns3
