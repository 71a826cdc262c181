/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "shared-buffer-test-helper.h"

#include "ns3/double.h"
#include "ns3/ethernet-header.h"
#include "ns3/integer.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace ns3
{
namespace photonic
{

class SharedBufferSwitchTest : public SharedBufferTest
{
  protected:
    /// A chain of switches with a host at either end.
    void BuildChain(uint32_t length, uint64_t firstRate, uint64_t lastRate)
    {
        AddSwitches(length);
        AddHost(0, firstRate);
        AddHost(length - 1, lastRate);
        for (uint32_t s = 0; s + 1 < length; s++)
        {
            JoinSwitches(s, s + 1);
        }
        InstallShortestPaths(switches);
    }

    /// Hosts on one switch.
    void BuildStar(uint32_t hosts, uint64_t bitRate = ROUND_RATE)
    {
        AddSwitchesThatTell(1);
        for (uint32_t i = 0; i < hosts; i++)
        {
            AddHost(0, bitRate);
        }
        InstallShortestPaths(switches);
    }

    static std::vector<Time> BackToBack(Time first, std::size_t count)
    {
        std::vector<Time> times;
        for (std::size_t k = 0; k < count; k++)
        {
            times.push_back(first + PacketTime() * static_cast<int64_t>(k));
        }
        return times;
    }
};

TEST_F(SharedBufferSwitchTest, LatencyIsExact)
{
    // 1,000 bytes take 100 ns at 80 Gbps and 200 ns at 40; a fibre 50 ns, a switch 300.
    struct Case
    {
        uint32_t switches;
        bool cutThrough;
        uint64_t firstRate;
        uint64_t lastRate;
        int64_t first; ///< ns
        int64_t gap;
    };

    for (const auto& c : std::vector<Case>{
             {1, false, ROUND_RATE, ROUND_RATE, 100 + 50 + 300 + 100 + 50, 100},
             {1, true, ROUND_RATE, ROUND_RATE, 50 + 300 + 100 + 50, 100},
             {3, false, ROUND_RATE, ROUND_RATE, 3 * (100 + 50 + 300) + 100 + 50, 100},
             {3, true, ROUND_RATE, ROUND_RATE, 3 * (50 + 300) + 100 + 50, 100},
             // Lines of different rates store and forward, whatever the attribute says.
             {1, true, ROUND_RATE, ROUND_RATE / 2, 100 + 50 + 300 + 200 + 50, 200},
             {1, true, ROUND_RATE / 2, ROUND_RATE, 200 + 50 + 300 + 100 + 50, 200},
         })
    {
        SCOPED_TRACE(testing::Message() << c.switches << " switches, cut-through " << c.cutThrough
                                        << ", rates " << c.firstRate << " " << c.lastRate);
        factory.Set("Latency", TimeValue(NanoSeconds(300)));
        factory.Set("CutThrough", BooleanValue(c.cutThrough));
        BuildChain(c.switches, c.firstRate, c.lastRate);
        SendMany(0, 1, 20, 1000, 0);
        Simulator::Run();
        std::vector<Time> expected;
        for (int64_t k = 0; k < 20; k++)
        {
            expected.push_back(NanoSeconds(c.first + k * c.gap));
        }
        EXPECT_EQ(ArrivalsAt(1), expected);
        ExpectLosslessAndEmpty();
        StartOver();
    }
}

TEST_F(SharedBufferSwitchTest, CutThroughNeedsAnIdleOutput)
{
    factory.Set("CutThrough", BooleanValue(true));
    BuildStar(3);
    SendMany(0, 2, 1, 1000, 0);
    At(NanoSeconds(10), [this] { SendMany(1, 2, 1, 1000, 0); });
    Simulator::Run();
    // The first goes through from 50 to 150 ns; the second is stored until 160.
    EXPECT_EQ(ArrivalsAt(2), (std::vector<Time>{NanoSeconds(200), NanoSeconds(160 + 100 + 50)}));
}

TEST_F(SharedBufferSwitchTest, LossyTrafficIsDroppedAtTheDynamicThreshold)
{
    // Two outputs get twice what they can carry, for long. Their queues stand at the threshold of
    // Choudhury and Hahne.
    factory.Set("BufferPerPort", UintegerValue(50'000));
    factory.Set("Minimum", UintegerValue(0));
    factory.Set("LosslessPriorities", UintegerValue(0));
    factory.Set("Alpha", DoubleValue(0.5));
    BuildStar(6);
    for (uint32_t from = 0; from < 4; from++)
    {
        SendMany(from, 4 + from / 2, 2000, 1000, 1);
    }
    for (int64_t at : {100, 120, 140})
    {
        At(MicroSeconds(at), [this] {
            const double share = 0.5 * 300'000 / (1 + 2 * 0.5);
            for (uint32_t port : {4, 5})
            {
                EXPECT_NEAR(Get(0).GetQueueBytes(port, 1), share, 3000);
            }
        });
    }
    Simulator::Run();
    const uint64_t dropped = GetDropped(0, "above the buffer threshold");
    EXPECT_GT(dropped, 2000U);
    EXPECT_EQ(received.size() + dropped, 8000U);
    EXPECT_EQ(switches[0]->GetForwarded(), received.size());
    EXPECT_TRUE(pauses.empty());
    EXPECT_EQ(Get(0).GetBuffer()->GetTotalUsed(), 0U);
}

TEST_F(SharedBufferSwitchTest, StrictAndWeightedClassesShareALine)
{
    factory.Set("Weights", StringValue("1,3,1,1,1,1,1,1"));
    factory.Set("Quantum", UintegerValue(1000));
    BuildStar(4);
    std::map<uint64_t, uint8_t> classes; // by UID
    for (uint32_t i : {0, 1, 2})
    {
        devices[i]->TraceConnectWithoutContext(
            "MacTx",
            Callback<void, Ptr<const Packet>>([&classes](Ptr<const Packet> packet) {
                classes[packet->GetUid()] = TrafficLabel::Of(*packet).priority;
            }));
    }
    SendMany(0, 3, 400, 1000, 0);
    SendMany(1, 3, 400, 1000, 1);
    At(MicroSeconds(20), [this] { SendMany(2, 3, 50, 1000, 7); });
    Simulator::Run();
    ASSERT_EQ(received.size(), 850U);
    std::map<uint8_t, int> counts;
    std::vector<Time> strict;
    for (const auto& r : received)
    {
        const uint8_t priority = classes.at(r.uid);
        if (priority == 7)
        {
            strict.push_back(r.at);
        }
        else if (r.at < MicroSeconds(50))
        {
            counts[priority]++;
        }
    }
    // Class 7 gets the whole line: as if it were alone, but for the packet that was on the line.
    ASSERT_EQ(strict.size(), 50U);
    const Time alone = MicroSeconds(20) + NanoSeconds(100 + 50 + 100 + 50);
    EXPECT_GE(strict.front(), alone);
    EXPECT_LE(strict.front(), alone + PacketTime());
    EXPECT_EQ(strict, BackToBack(strict.front(), 50));
    // The others share the rest as 1 to 3.
    EXPECT_GT(counts[0], 100);
    EXPECT_NEAR(counts[1], 3 * counts[0], 4);
}

TEST_F(SharedBufferSwitchTest, AStepMarksExactlyThePacketsThatFindMore)
{
    factory.Set("EcnKmin", UintegerValue(10'000));
    factory.Set("EcnKmax", UintegerValue(10'000));
    BuildStar(3);
    std::vector<bool> marks;
    devices[2]->TraceConnectWithoutContext(
        "PhyRxEnd",
        Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
            marks.push_back(TrafficLabel::Of(*packet).ecn == Ecn::CE);
        }));
    // From 0 at the rate of the line, of class 0 and able to be marked; from 1 a burst before.
    for (int k = 0; k < 15; k++)
    {
        SendUdp(1, 2, 1000 - 38, 0xc000, 0, Ipv4Header::ECN_NotECT);
    }
    for (int k = 0; k < 40; k++)
    {
        SendUdp(0, 2, 1000 - 38, 0xc000, 0, Ipv4Header::ECN_ECT0);
    }
    Simulator::Run();
    ASSERT_EQ(marks.size(), 55U);
    // A queue written apart: every 100 ns from 150 ns on one packet joins from 0, while 1 sends
    // one more, and one leaves. Packets that join at an instant do so before another leaves.
    std::vector<std::pair<bool, bool>> queue; // able, marked
    std::vector<bool> expected;
    for (int k = 0; k < 55; k++)
    {
        for (uint32_t from : {1, 0})
        {
            if (k < (from == 1 ? 15 : 40))
            {
                queue.emplace_back(from == 0, from == 0 && queue.size() * 1000 > 10'000);
            }
        }
        ASSERT_FALSE(queue.empty());
        expected.push_back(queue.front().second);
        queue.erase(queue.begin());
    }
    EXPECT_EQ(std::count(marks.begin(), marks.end(), true),
              std::count(expected.begin(), expected.end(), true));
    EXPECT_GT(std::count(marks.begin(), marks.end(), true), 10);
}

TEST_F(SharedBufferSwitchTest, RedMarksAsOftenAsItsFormulaSays)
{
    constexpr int64_t stream = 11;
    std::cout << "stream " << stream << '\n';
    factory.Set("EcnKmin", UintegerValue(0));
    factory.Set("EcnKmax", UintegerValue(1'000'000));
    factory.Set("EcnPmax", DoubleValue(1));
    factory.Set("BufferPerPort", UintegerValue(4 << 20));
    BuildStar(3);
    EXPECT_EQ(switches[0]->AssignStreams(stream), 1 + 3) << "one, and one for each port";
    uint64_t marked = 0;
    devices[2]->TraceConnectWithoutContext(
        "PhyRxEnd",
        Callback<void, Ptr<const Packet>>([&marked](Ptr<const Packet> packet) {
            marked += TrafficLabel::Of(*packet).ecn == Ecn::CE;
        }));
    constexpr int each = 800;
    for (int k = 0; k < each; k++)
    {
        for (uint32_t from : {0, 1})
        {
            SendUdp(from, 2, 1000 - 38, 0xc000, 0, Ipv4Header::ECN_ECT0);
        }
    }
    Simulator::Run();
    ASSERT_EQ(received.size(), 2U * each);
    // Two packets come while one leaves: the k-th pair finds about k and k + 1 of them.
    double mean = 0;
    double variance = 0;
    for (int k = 0; k < each; k++)
    {
        for (double queued : {k, k + 1})
        {
            const double p = queued / 1000;
            mean += p;
            variance += p * (1 - p);
        }
    }
    EXPECT_NEAR(marked, mean, 4 * std::sqrt(variance) + 2);
}

TEST_F(SharedBufferSwitchTest, NothingDependsOnWhoLooks)
{
    constexpr uint32_t seed = 29;
    std::cout << "seed " << seed << '\n';
    std::vector<std::vector<Time>> arrivals;
    std::vector<std::vector<bool>> marks;
    std::vector<uint64_t> sent;
    for (bool looked : {false, true})
    {
        std::mt19937 random(seed);
        factory.Set("BufferPerPort", UintegerValue(22'000));
        factory.Set("Headroom", IntegerValue(8'000));
        factory.Set("Minimum", UintegerValue(1000));
        factory.Set("ResumeOffset", UintegerValue(2000));
        factory.Set("EcnKmin", UintegerValue(2000));
        factory.Set("EcnKmax", UintegerValue(30'000));
        factory.Set("EcnPmax", DoubleValue(0.5));
        AddSwitchesThatTell(2);
        for (uint32_t s : {0, 0, 0, 1, 1, 1})
        {
            AddHost(s);
        }
        JoinSwitches(0, 1);
        InstallShortestPaths(switches);
        for (const auto& s : switches)
        {
            s->AssignStreams(100);
        }
        std::vector<bool> ce;
        for (const auto& device : devices)
        {
            device->SetReceiveCallback(NetDevice::ReceiveCallback(
                [this,
                 &ce,
                 &device](Ptr<NetDevice>, Ptr<const Packet> p, uint16_t, const Address&) {
                    uint8_t service[2];
                    p->CopyData(service, 2);
                    ce.push_back((service[1] & 3) == 3);
                    received.push_back({Simulator::Now(), 0, p->GetSize(), 0});
                    return true;
                }));
        }
        for (uint32_t from = 0; from < 6; from++)
        {
            Time at;
            for (int k = 0; k < 200; k++)
            {
                at += NanoSeconds(random() % 150);
                const uint32_t to = (from + 1 + random() % 5) % 6;
                const uint32_t bytes = 100 + random() % 1400;
                const uint8_t priority = random() % 2 ? LOSSLESS : 1;
                At(at, [this, from, to, bytes, priority] {
                    SendUdp(from, to, bytes, 0xc000, priority, Ipv4Header::ECN_ECT0);
                });
            }
        }
        if (looked)
        {
            for (int64_t k = 0; k < 4000; k++)
            {
                At(NanoSeconds(k * 7 % 30'000), [this, k] {
                    Get(k % 2).GetQueueLength(k % 4);
                    Get(k % 2).GetBuffer();
                });
            }
        }
        Simulator::Run();
        arrivals.push_back(ArrivalsAt(0));
        marks.push_back(ce);
        sent.push_back(pauses.size());
        StartOver();
    }
    EXPECT_GT(sent[0], 10U);
    EXPECT_GT(std::count(marks[0].begin(), marks[0].end(), true), 20);
    EXPECT_EQ(arrivals[0], arrivals[1]);
    EXPECT_EQ(marks[0], marks[1]);
    EXPECT_EQ(sent[0], sent[1]);
}

TEST_F(SharedBufferSwitchTest, RefusesWhatCannotBe)
{
    auto refusal = GetRefusal<std::invalid_argument>([this] {
        factory.Set("Weights", StringValue("1,2,3"));
        factory.Create();
    });
    EXPECT_NE(refusal.find("weights '1,2,3' were given: 8 numbers"), std::string::npos) << refusal;
    SetUpFactory();
    EXPECT_THROW((factory.Set("Weights", StringValue("1,1,1,1,1,1,1,0")), factory.Create()),
                 std::invalid_argument);
    SetUpFactory();
    EXPECT_THROW((factory.Set("Weights", StringValue("1,1,1,1,1,1,1,1,1")), factory.Create()),
                 std::invalid_argument);
    SetUpFactory();
    factory.Set("EcnKmin", UintegerValue(300'000));
    AddSwitches(1);
    refusal = GetRefusal<std::invalid_argument>([this] { AddHost(0); });
    EXPECT_EQ(refusal, "EcnKmin is 300000 bytes, above EcnKmax of 200000");
    StartOver();
    // 100 km of fibre at 80 Gbps hold 10 MB there and back.
    AddSwitches(1);
    const uint32_t host = AddDevice();
    auto fibre = CreateFibre(MicroSeconds(500));
    devices[host]->Attach(fibre);
    refusal = GetRefusal<std::invalid_argument>(
        [&] { switches[0]->Attach(fibre, DataRate(ROUND_RATE)); });
    EXPECT_NE(refusal.find("nothing is left to share"), std::string::npos) << refusal;
}

} // namespace photonic
} // namespace ns3
