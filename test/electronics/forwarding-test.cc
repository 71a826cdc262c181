/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-test-helper.h"

#include "ns3/enum.h"
#include "ns3/forwarding-table.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <random>
#include <set>
#include <sstream>

namespace ns3
{
namespace photonic
{

namespace
{

/// @return the chi-square statistic of counts against equal shares
double
ChiSquare(const std::vector<uint64_t>& counts)
{
    double sum = 0;
    for (uint64_t c : counts)
    {
        sum += c;
    }
    const double expected = sum / counts.size();
    double statistic = 0;
    for (uint64_t c : counts)
    {
        statistic += (c - expected) * (c - expected) / expected;
    }
    return statistic;
}

/// @return what chi-square exceeds with probability 0.001: Wilson and Hilferty's approximation
double
ChiSquareBound(std::size_t degrees)
{
    const double v = 2.0 / (9.0 * degrees);
    return degrees * std::pow(1 - v + 3.0902 * std::sqrt(v), 3);
}

} // namespace

TEST(ForwardingTable, FindsHostsByRangesAndOthersByAddress)
{
    ForwardingTable table;
    table.AddHosts(100, 199, {7, 8});
    table.AddHosts(0, 9, {1});
    table.AddHosts(10, 99, {2});
    table.AddHosts(4'000'000'000, 4'294'967'295, {3});
    table.AddAddress(ToInteger(Mac48Address("00:11:22:33:44:55")), 9);
    const auto find = [&table](uint32_t host) {
        return table.Find(ToInteger(MakeHostAddress(host)));
    };
    for (auto [host, port] : std::vector<std::pair<uint32_t, uint32_t>>{{0, 1},
                                                                        {9, 1},
                                                                        {10, 2},
                                                                        {99, 2},
                                                                        {100, 7},
                                                                        {199, 7},
                                                                        {4'294'967'295, 3}})
    {
        ASSERT_GT(find(host).size, 0U) << host;
        EXPECT_EQ(*find(host).first, port) << host;
    }
    EXPECT_EQ(find(150).size, 2U);
    EXPECT_EQ(find(150).first[1], 8U);
    EXPECT_EQ(find(200).size, 0U);
    EXPECT_EQ(find(3'999'999'999).size, 0U);
    EXPECT_EQ(*table.Find(0x001122334455).first, 9U);
    EXPECT_EQ(table.Find(0x001122334456).size, 0U);
    EXPECT_EQ(table.GetSize(), 5U);
    std::ostringstream text;
    text << MakeHostAddress(0x01020304);
    EXPECT_EQ(text.str(), "02:00:01:02:03:04");
}

TEST(ForwardingTable, RefusesContradictions)
{
    ForwardingTable table;
    table.AddHosts(10, 20, {1});
    for (auto [first, last] :
         std::vector<std::pair<uint32_t, uint32_t>>{{20, 30}, {0, 10}, {15, 15}, {0, 100}})
    {
        const auto refusal = GetRefusal<std::invalid_argument>(
            [&table, first = first, last = last] { table.AddHosts(first, last, {2}); });
        EXPECT_NE(refusal.find("contradicts that of hosts 10 to 20"), std::string::npos) << refusal;
    }
    EXPECT_THROW(table.AddHosts(5, 4, {1}), std::invalid_argument);
    EXPECT_THROW(table.AddHosts(1, 2, {}), std::invalid_argument);
    table.AddHosts(21, 30, {2});
    table.AddHosts(0, 9, {2});
    EXPECT_EQ(table.GetSize(), 3U);
}

/// Fabrics of ideal switches.
class ForwardingTest : public FabricTest
{
  protected:
    /// Send packets of different flows between two hosts. @return when they had all arrived
    void SendFlows(uint32_t from, uint32_t to, uint32_t flows, uint32_t firstFlow = 0)
    {
        for (uint32_t i = 0; i < flows; i++)
        {
            SendUdp(from, to, 500, 0xc000 + firstFlow + i);
        }
    }

    /// @return packets that came up to each switch of a list
    std::vector<uint64_t> GetLoads(const std::vector<uint32_t>& list) const
    {
        std::vector<uint64_t> loads;
        for (uint32_t s : list)
        {
            loads.push_back(switches[s]->GetForwarded());
        }
        return loads;
    }
};

TEST_F(ForwardingTest, AChainOfSwitchesAddsPropagationOnly)
{
    // As a circuit would: 1,000 bytes at 7 Gbps, 50 ns for each of five fibres.
    constexpr uint64_t bitRate = 7'000'000'000;
    AddSwitches(4);
    AddHost(0, bitRate);
    AddHost(3, bitRate);
    for (uint32_t s = 0; s < 3; s++)
    {
        JoinSwitches(s, s + 1, bitRate);
    }
    InstallShortestPaths(switches);
    for (int k = 0; k < 200; k++)
    {
        Send(0, PAYLOAD, devices[1]->GetAddress());
    }
    Simulator::Run();
    std::vector<Time> expected;
    for (uint64_t k = 1; k <= 200; k++)
    {
        expected.push_back(LineTime(k * 1000, bitRate) + FIBRE * 5);
    }
    EXPECT_EQ(ArrivalsAt(1), expected);
}

TEST_F(ForwardingTest, AQueueBetweenSwitchesDrainsWithoutAnybodyLooking)
{
    // Two senders share the line between two switches, whose far end sees only first bits.
    AddSwitches(2);
    for (uint32_t s : {0, 0, 1, 1})
    {
        AddHost(s);
    }
    JoinSwitches(0, 1);
    InstallShortestPaths(switches);
    for (int k = 0; k < 50; k++)
    {
        Send(0, PAYLOAD, devices[2]->GetAddress());
        Send(1, PAYLOAD, devices[3]->GetAddress());
    }
    Simulator::Run();
    ASSERT_EQ(received.size(), 100U);
    EXPECT_EQ(Simulator::Now(), PacketTime() * 100 + FIBRE * 3);
}

TEST_F(ForwardingTest, TablesOfAFatTreeAreCompactAndReachEverybody)
{
    BuildFatTree(8); // 128 hosts, 80 switches
    std::size_t largest = 0;
    for (const auto& s : switches)
    {
        largest = std::max(largest, s->GetForwardingTable().GetSize());
    }
    EXPECT_LE(largest, 8U + 2U) << "a range for each port, and what is above and below";
    constexpr uint32_t seed = 5;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    std::map<uint32_t, uint32_t> expected;
    for (int k = 0; k < 2000; k++)
    {
        const uint32_t from = random() % 128;
        const uint32_t to = (from + 1 + random() % 127) % 128;
        SendUdp(from, to, 100, 0xc000 + random() % 16384);
        expected[to]++;
    }
    Simulator::Run();
    std::map<uint32_t, uint32_t> arrived;
    for (const auto& r : received)
    {
        arrived[r.device]++;
    }
    EXPECT_EQ(arrived, expected);
    for (const auto& s : switches)
    {
        EXPECT_TRUE(s->GetDrops().empty());
    }
}

TEST_F(ForwardingTest, ABroadcastReachesEveryHostOnce)
{
    BuildFatTree(4);
    Send(3, 100);
    Simulator::Run();
    ASSERT_EQ(received.size(), 15U);
    std::set<uint32_t> receivers;
    for (const auto& r : received)
    {
        receivers.insert(r.device);
    }
    EXPECT_EQ(receivers.size(), 15U);
    EXPECT_EQ(receivers.count(3), 0U);
}

TEST_F(ForwardingTest, FlowsSpreadOverAllPathsOfTwoTiers)
{
    // 64 flows over 8 spines; that none of 8 stays empty has a probability of 0.998.
    BuildLeafSpine(2, 8, 2);
    SendFlows(0, 2, 64);
    Simulator::Run();
    ASSERT_EQ(received.size(), 64U);
    const auto loads = GetLoads({2, 3, 4, 5, 6, 7, 8, 9});
    for (uint64_t load : loads)
    {
        EXPECT_GT(load, 0U);
    }
    EXPECT_LT(ChiSquare(loads), ChiSquareBound(7));
    // A flow keeps its path.
    for (int k = 0; k < 10; k++)
    {
        SendFlows(0, 2, 64);
    }
    Simulator::Run();
    auto more = loads;
    for (auto& load : more)
    {
        load *= 11;
    }
    EXPECT_EQ(GetLoads({2, 3, 4, 5, 6, 7, 8, 9}), more);
}

TEST_F(ForwardingTest, FlowsSpreadOverThreeTiersUnlessSeedsAreEqual)
{
    for (bool equal : {false, true})
    {
        SCOPED_TRACE(equal ? "equal seeds" : "seeds of their own");
        BuildFatTree(8); // 4 aggregation switches above an edge switch, 16 cores
        for (const auto& s : switches)
        {
            if (equal)
            {
                s->SetAttribute("EcmpSeed", UintegerValue(1));
            }
        }
        std::vector<uint32_t> cores;
        for (uint32_t s = 64; s < 80; s++)
        {
            cores.push_back(s);
        }
        // From each host of the first pod, 64 flows to its opposite in the last one.
        for (uint32_t from = 0; from < 16; from++)
        {
            SendFlows(from, 112 + from, 64, 64 * from);
        }
        Simulator::Run();
        ASSERT_EQ(received.size(), 16U * 64);
        const auto loads = GetLoads(cores);
        const auto empty = std::count(loads.begin(), loads.end(), 0U);
        if (equal)
        {
            // Aggregation switch i sees flows of hash i only, and sends all to its core i.
            EXPECT_EQ(empty, 12);
        }
        else
        {
            EXPECT_EQ(empty, 0);
            EXPECT_LT(ChiSquare(loads), ChiSquareBound(15));
        }
        StartOver();
    }
}

TEST_F(ForwardingTest, SixtyFourFlowsReachEveryPathOfThreeTiers)
{
    BuildFatTree(4); // 4 paths between pods
    SendFlows(0, 15, 64);
    Simulator::Run();
    ASSERT_EQ(received.size(), 64U);
    const auto loads = GetLoads({16, 17, 18, 19});
    for (uint64_t load : loads)
    {
        EXPECT_GT(load, 0U);
    }
    EXPECT_LT(ChiSquare(loads), ChiSquareBound(3));
}

TEST_F(ForwardingTest, RoundRobinSharesExactly)
{
    BuildLeafSpine(2, 4, 2);
    SetBalancing(PacketSwitch::ROUND_ROBIN);
    for (int k = 0; k < 102; k++)
    {
        SendUdp(0, 2, 500, 0xc000);
    }
    Simulator::Run();
    ASSERT_EQ(received.size(), 102U);
    auto loads = GetLoads({2, 3, 4, 5});
    std::sort(loads.begin(), loads.end());
    EXPECT_EQ(loads, (std::vector<uint64_t>{25, 25, 26, 26}));
}

TEST_F(ForwardingTest, RandomSprayingSharesEvenlyAndIsReproducible)
{
    std::vector<uint64_t> first;
    for (int64_t stream : {7, 7, 8})
    {
        BuildLeafSpine(2, 4, 2);
        SetBalancing(PacketSwitch::RANDOM);
        for (const auto& s : switches)
        {
            EXPECT_EQ(s->AssignStreams(stream), 1);
        }
        for (int k = 0; k < 4000; k++)
        {
            SendUdp(0, 2, 100, 0xc000);
        }
        Simulator::Run();
        const auto loads = GetLoads({2, 3, 4, 5});
        std::cout << "stream " << stream << " chi-square " << ChiSquare(loads) << '\n';
        EXPECT_LT(ChiSquare(loads), ChiSquareBound(3));
        if (first.empty())
        {
            first = loads;
        }
        EXPECT_EQ(loads == first, stream == 7);
        StartOver();
    }
}

TEST_F(ForwardingTest, RefusesAFabricThatItCannotNumber)
{
    AddSwitches(1);
    AddHost(0);
    AddHost(0);
    devices[1]->SetAddress(MakeHostAddress(0));
    auto refusal = GetRefusal<std::invalid_argument>([this] { InstallShortestPaths(switches); });
    EXPECT_EQ(refusal, "two devices of a fabric are host 0");
    devices[1]->SetAddress(Mac48Address("00:00:00:00:01:00"));
    refusal = GetRefusal<std::invalid_argument>([this] { InstallShortestPaths(switches); });
    EXPECT_NE(refusal.find("contains no host number"), std::string::npos) << refusal;
}

} // namespace photonic
} // namespace ns3
