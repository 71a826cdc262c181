/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Ports that take packets in any order, behind switches that spray them.
 */
#include "spray-test-helper.h"

#include "ns3/error-model.h"
#include "ns3/packet-port.h"

#include <random>

namespace ns3
{
namespace photonic
{

class AnyOrder : public SprayTest
{
  protected:
    void BuildPorts(bool anyOrder,
                    PacketSwitch::LoadBalancing balancing = PacketSwitch::ROUND_ROBIN)
    {
        ports.clear();
        Build(
            [this, anyOrder](MessageEndpoint& endpoint, auto device, uint32_t address) {
                auto port = std::make_unique<PacketPort>(endpoint, device, address);
                port->SetAnyOrder(anyOrder);
                ports.push_back(port.get());
                return port;
            },
            balancing);
    }

    std::vector<PacketPort*> ports;
};

TEST_F(AnyOrder, AMessageArrivesWithTheLastOfItsPackets)
{
    const auto ns = [](int64_t time) { return NanoSeconds(time); };
    for (const auto& obstructed :
         std::vector<std::array<Time, PATHS>>{{ns(0), ns(0), ns(0), ns(0)},
                                              {ns(0), ns(2000), ns(0), ns(0)},
                                              {ns(333), ns(0), ns(777), ns(1234)},
                                              {ns(3000), ns(101), ns(202), ns(303)},
                                              {ns(900), ns(900), ns(900), ns(900)}})
    {
        for (uint32_t packets : {1U, 2U, 4U, 5U, 40U})
        {
            SCOPED_TRACE(std::to_string(packets) + " packets, path 0 obstructed for " +
                         std::to_string(obstructed[0].GetNanoSeconds()) + " ns");
            StartOver();
            BuildPorts(true);
            for (uint32_t path = 0; path < PATHS; path++)
            {
                Obstruct(path, obstructed[path]);
            }
            SendMessage(0, 1, packets * WHOLE);
            Simulator::Run();
            const auto arrivals = GetArrivals(packets, obstructed);
            EXPECT_EQ(transfers[0].received, *std::max_element(arrivals.begin(), arrivals.end()));
            EXPECT_EQ(transfers[0].sent, transfers[0].received);
            EXPECT_EQ(transfers[0].times, 2U);
            EXPECT_EQ(ports[1]->GetPacketsReceived(), packets);
            EXPECT_EQ(ports[1]->GetOutOfSequence(), 0U);
            EXPECT_EQ(endpoints[1]->GetUnexpected(), 0U);
        }
    }
}

TEST_F(AnyOrder, IsWhatSprayingNeeds)
{
    BuildPorts(false);
    Obstruct(1, MicroSeconds(2));
    SendMessage(0, 1, 4 * WHOLE);
    Simulator::Run();
    EXPECT_EQ(transfers[0].times, 0U);
    EXPECT_EQ(ports[1]->GetOutOfSequence(), 4U);
}

TEST_F(AnyOrder, MessagesOvertakeEachOther)
{
    BuildPorts(true);
    Obstruct(1, MicroSeconds(2));
    SendMessage(0, 1, WHOLE);     // path 1
    SendMessage(0, 1, 2 * WHOLE); // paths 2 and 3
    SendMessage(0, 1, 2 * WHOLE); // paths 0 and 1
    Simulator::Run();
    const auto arrivals = GetArrivals(5, {Time(0), MicroSeconds(2), Time(0), Time(0)});
    EXPECT_EQ(transfers[0].received, arrivals[0]);
    EXPECT_EQ(transfers[1].received, arrivals[2]);
    EXPECT_EQ(transfers[2].received, arrivals[4]);
    EXPECT_EQ(order, (std::vector<uint32_t>{1, 0, 2}));
    for (const auto& transfer : transfers)
    {
        EXPECT_EQ(transfer.sent, transfer.received);
        EXPECT_EQ(transfer.times, 2U);
    }
}

TEST_F(AnyOrder, AllArriveOnceWhateverTheWay)
{
    bool overtaken = false;
    for (unsigned seed = 1; seed <= 30; seed++)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const auto pick = [&random](uint64_t low, uint64_t high) {
            return std::uniform_int_distribution<uint64_t>(low, high)(random);
        };
        StartOver();
        BuildPorts(true, seed % 2 ? PacketSwitch::RANDOM : PacketSwitch::ROUND_ROBIN);
        for (uint32_t i = 0; i < 20; i++)
        {
            At(NanoSeconds(pick(0, 10'000)), [this, path = pick(0, 3), time = pick(1, 3000)] {
                Obstruct(path, NanoSeconds(time));
            });
        }
        uint64_t packets[2]{};
        for (uint32_t i = 0; i < 60; i++)
        {
            const uint32_t from = pick(0, 1);
            const uint64_t bytes = pick(0, 2) ? pick(1, 10 * WHOLE) : WHOLE * pick(1, 3);
            packets[1 - from] += (bytes - 1) / WHOLE + 1;
            At(NanoSeconds(pick(0, 10'000)), [this, from, communicator = pick(1, 3), bytes] {
                SendMessage(from, communicator, bytes);
            });
        }
        Simulator::Run();
        EXPECT_TRUE(failures.empty());
        ASSERT_EQ(order.size(), 60U);
        overtaken = overtaken || !std::is_sorted(order.begin(), order.end());
        for (const auto& transfer : transfers)
        {
            EXPECT_EQ(transfer.sent, transfer.received);
            EXPECT_EQ(transfer.times, 2U);
        }
        for (uint32_t rank : {0U, 1U})
        {
            EXPECT_EQ(ports[rank]->GetPacketsReceived(), packets[rank]);
            EXPECT_EQ(ports[rank]->GetOutOfSequence(), 0U);
            EXPECT_EQ(endpoints[rank]->GetUnexpected(), 0U);
        }
    }
    EXPECT_TRUE(overtaken);
}

TEST_F(AnyOrder, ALostPacketIsAMessageThatNeverArrives)
{
    BuildPorts(true);
    auto model = CreateObject<ReceiveListErrorModel>();
    model->SetList({1});
    devices[1]->SetAttribute("ReceiveErrorModel", PointerValue(model));
    SendMessage(0, 1, 3 * WHOLE);
    SendMessage(0, 1, 3 * WHOLE);
    Simulator::Run();
    EXPECT_EQ(transfers[0].times, 0U);
    EXPECT_EQ(transfers[1].times, 2U);
    EXPECT_EQ(ports[1]->GetPacketsReceived(), 5U);
    EXPECT_TRUE(failures.empty());
}

TEST_F(AnyOrder, AWrongSizeIsNamedOnceWhereverItsPacketsAre)
{
    BuildPorts(true);
    Obstruct(1, MicroSeconds(2));
    endpoints[1]->Receive(0, {1, 9, 0}, WHOLE, [](const Message&, Time) { FAIL(); });
    endpoints[0]->Send(1, 0, 0, {1, 9, 0}, 4 * WHOLE, Cause(), [](const Message&) { FAIL(); });
    SendMessage(0, 1, WHOLE);
    Simulator::Run();
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_SAYS(failures[0], "rank 0 sends 5608 bytes to rank 1, which expects 1402");
    EXPECT_EQ(transfers[0].times, 2U);
}

TEST_F(AnyOrder, RefusesAcknowledgementsAndEndsThatDiffer)
{
    BuildPorts(true);
    EXPECT_SAYS(GetRefusal<std::logic_error>([this] { ports[1]->SetAcknowledgements(true); }),
                "rank 1 takes packets in any order and acknowledges messages");
    StartOver();
    BuildPorts(false);
    ports[0]->SetAcknowledgements(true);
    EXPECT_SAYS(GetRefusal<std::logic_error>([this] { ports[0]->SetAnyOrder(true); }),
                "rank 0 takes packets in any order and acknowledges messages");
    ports[1]->SetAnyOrder(true);
    const std::string refusal = GetRefusal<std::logic_error>([this] { SendMessage(1, 1, WHOLE); });
    EXPECT_SAYS(refusal, "rank 1 and rank 0 have ports that differ in it");
}

} // namespace photonic
} // namespace ns3
