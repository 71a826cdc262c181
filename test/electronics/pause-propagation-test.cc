/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Priority-based flow control: nothing is lost in an incast or an all-to-all, pauses propagate hop
 * by hop, per class, and end.
 */
#include "shared-buffer-test-helper.h"

#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/pause-header.h"

#include <algorithm>
#include <memory>
#include <random>
#include <set>

namespace ns3
{
namespace photonic
{

class PausePropagationTest : public SharedBufferTest
{
  protected:
    static constexpr uint64_t RATE = 400'000'000'000;
    static constexpr uint32_t MTU = 9216;
    static constexpr uint64_t FRAME = MTU + 38;

    /// Hosts on one switch. A ListSource sends class 0, which is lossless here.
    void BuildStar(uint32_t hosts)
    {
        factory.Set("LosslessPriorities", UintegerValue(1));
        AddSwitchesThatTell(1);
        for (uint32_t i = 0; i < hosts; i++)
        {
            AddHost(0, RATE);
            devices[i]->SetMtu(MTU);
            sources.push_back(std::make_unique<ListSource>(devices[i]));
        }
        InstallShortestPaths(switches);
    }

    void StartOver() override
    {
        sources.clear();
        SharedBufferTest::StartOver();
    }

    /// 64 to 1, each 3 MB into a buffer of 65 MiB.
    void RunIncast()
    {
        BuildStar(65);
        for (uint32_t from = 0; from < 64; from++)
        {
            sources[from]->Post(MTU, EACH, devices[64]->GetAddress());
        }
        Simulator::Run();
    }

    static constexpr uint32_t EACH = 330;
    std::vector<std::unique_ptr<ListSource>> sources;
};

TEST_F(PausePropagationTest, AnIncastLosesNothingAndKeepsItsOutputBusy)
{
    RunIncast();
    EXPECT_EQ(received.size(), 64U * EACH);
    ExpectLosslessAndEmpty();
    EXPECT_GE(Get(0).GetPausesSent(), 64U);
    // The output never idles: the first packet, and then one after another.
    EXPECT_EQ(received.back().at, LineTime((64 * EACH + 1) * FRAME, RATE) + FIBRE * 2);
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> frames; // pauses and resumes by port
    for (const auto& pause : pauses)
    {
        EXPECT_EQ(pause.priority, 0);
        (pause.quanta > 0 ? frames[pause.port].first : frames[pause.port].second)++;
    }
    ASSERT_EQ(frames.size(), 64U);
    for (const auto& [port, count] : frames)
    {
        EXPECT_GE(count.first, count.second);
        EXPECT_GT(count.second, 0U);
        EXPECT_GT(devices[port]->GetPausedTime(0), Time(0));
        EXPECT_FALSE(devices[port]->IsPaused(0));
    }
}

TEST_F(PausePropagationTest, WithoutHeadroomTheSameIncastDrops)
{
    factory.Set("Headroom", IntegerValue(0));
    RunIncast();
    const uint64_t dropped = GetDropped(0, "no headroom");
    EXPECT_GT(dropped, 0U);
    EXPECT_EQ(received.size() + dropped, 64U * EACH);
    EXPECT_EQ(switches[0]->GetDrops().size(), 1U);
    EXPECT_EQ(Get(0).GetBuffer()->GetTotalUsed(), 0U);
}

TEST_F(PausePropagationTest, AnAllToAllWithLittleBufferLosesNothing)
{
    constexpr uint32_t seed = 31;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    constexpr uint32_t hosts = 16;
    constexpr uint32_t EACH_TO = 40;
    factory.Set("BufferPerPort", UintegerValue(150'000));
    factory.Set("Alpha", DoubleValue(0.25));
    BuildStar(hosts);
    for (uint32_t from = 0; from < hosts; from++)
    {
        // Everybody begins with host 0, and goes on with the next.
        for (uint32_t k = 0; k < hosts * EACH_TO; k++)
        {
            const uint32_t to = k / EACH_TO;
            sources[from]->Post(64 + random() % (MTU - 63), to != from, devices[to]->GetAddress());
        }
    }
    Simulator::Run();
    EXPECT_EQ(received.size(), hosts * (hosts - 1) * EACH_TO);
    EXPECT_GT(Get(0).GetPausesSent(), 100U);
    ExpectLosslessAndEmpty();
}

TEST_F(PausePropagationTest, HeadroomIsEnoughToTheByteAndNotMuchTooMuch)
{
    // The largest packets, every phase of the line on which the pause frame waits, long fibres;
    // peers here react at once, so that no time for that is needed.
    for (int64_t delay : {10, 500, 5000})
    {
        factory.Set("PauseResponse", UintegerValue(0));
        factory.Set("BufferPerPort", UintegerValue(1'000'000));
        factory.Set("Alpha", DoubleValue(0.125));
        factory.Set("LosslessPriorities", UintegerValue(1));
        AddSwitchesThatTell(1);
        for (uint32_t i = 0; i < 4; i++)
        {
            const uint32_t host = AddDevice(RATE);
            devices[host]->SetAddress(MakeHostAddress(host));
            devices[host]->SetMtu(MTU);
            auto fibre = CreateFibre(NanoSeconds(delay));
            devices[host]->Attach(fibre);
            switches[0]->Attach(fibre, DataRate(RATE));
            sources.push_back(std::make_unique<ListSource>(devices[host]));
        }
        InstallShortestPaths(switches);
        for (uint32_t from : {0, 1, 2})
        {
            // Traffic the other way makes pause frames wait for large packets.
            sources[from]->Post(MTU, 600, devices[3]->GetAddress());
            sources[3]->Post(MTU, 300, devices[from]->GetAddress());
        }
        uint64_t most = 0;
        for (int64_t k = 0; k < 20'000; k++)
        {
            At(NanoSeconds(k * 17), [this, &most] {
                const auto buffer = Get(0).GetBuffer();
                const uint64_t used = buffer->GetUsed(0);
                const uint64_t fits = buffer->GetThreshold() + 4096;
                most = std::max(most, used > fits ? used - fits : 0);
            });
        }
        Simulator::Run();
        EXPECT_EQ(received.size(), 2700U);
        ExpectLosslessAndEmpty();
        const uint64_t headroom =
            SwitchBuffer::GetHeadroom(LineRate(DataRate(RATE)), NanoSeconds(delay), FRAME, 0);
        EXPECT_GT(most, headroom / 3) << "of " << headroom << " at a delay of " << delay;
        StartOver();
    }
}

/// Two switches: hosts 0 and 1 on the first, 2 and 3 on the second.
class TwoSwitchPauseTest : public SharedBufferTest
{
  protected:
    void Build()
    {
        factory.Set("BufferPerPort", UintegerValue(100'000));
        factory.Set("LosslessPriorities", UintegerValue(1 << 3 | 1 << 4));
        factory.Set("Mtu", UintegerValue(1000));
        factory.Set("ResumeOffset", UintegerValue(5000));
        AddSwitchesThatTell(2);
        for (uint32_t s : {0, 0, 1, 1})
        {
            AddHost(s);
        }
        JoinSwitches(0, 1); // port 2 of both
        InstallShortestPaths(switches);
    }
};

TEST_F(TwoSwitchPauseTest, PausesPropagateHopByHopAndEnd)
{
    Build();
    // 0 and 2 meet at the output of the second switch to 3.
    SendMany(0, 3, 2000, 1000, 3);
    SendMany(2, 3, 2000, 1000, 3);
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(3).size(), 4000U);
    ExpectLosslessAndEmpty();
    const auto first = [this](uint32_t where, uint32_t port) {
        const auto at = std::find_if(pauses.begin(), pauses.end(), [&](const Pause& p) {
            return p.where == where && p.port == port && p.quanta > 0;
        });
        return at == pauses.end() ? Time::Max() : at->at;
    };
    // The second switch pauses the first, whose buffer fills, and which then pauses host 0.
    EXPECT_LT(first(1, 2), first(0, 0));
    EXPECT_LT(first(0, 0), Time::Max());
    EXPECT_EQ(first(0, 1), Time::Max()) << "host 1 sends nothing";
    EXPECT_EQ(first(1, 1), Time::Max()) << "nor does host 3";
    EXPECT_GT(Get(0).GetPausedTime(2, 3), Time(0));
    EXPECT_GT(devices[0]->GetPausedTime(3), Time(0));
    EXPECT_EQ(devices[1]->GetPausedTime(3), Time(0));
    // Every pause has ended, and the output was never idle.
    for (const auto& device : devices)
    {
        EXPECT_FALSE(device->IsPaused(3));
    }
    EXPECT_EQ(ArrivalsAt(3).back() - ArrivalsAt(3).front(), PacketTime() * 3999);
}

TEST_F(TwoSwitchPauseTest, AClassThatIsPausedDoesNotStopAnother)
{
    Build();
    SendMany(0, 3, 2000, 1000, 3);
    SendMany(2, 3, 2000, 1000, 3);
    // Of class 4, lossless too, on the same line between the switches, to a host that is free.
    At(MicroSeconds(200), [this] {
        EXPECT_TRUE(Get(0).GetPausedTime(2, 3) > Time(0));
        EXPECT_TRUE(devices[0]->GetPausedTime(3) > Time(0));
        SendMany(0, 2, 200, 1000, 4);
        SendMany(1, 2, 200, 1000, 4);
    });
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(3).size(), 4000U);
    const auto passing = ArrivalsAt(2);
    ASSERT_EQ(passing.size(), 400U);
    ExpectLosslessAndEmpty();
    EXPECT_GT(devices[0]->GetPausedTime(3), MicroSeconds(50));
    // Class 3 takes half of the line between the switches: they take twice their time, and a
    // quarter for the waits of host 0, which sends them while class 3 is paused.
    EXPECT_LE(passing.back() - MicroSeconds(200), PacketTime() * 1000 + FIBRE * 3);
    EXPECT_EQ(devices[2]->GetPausedTime(4), Time(0));
}

TEST_F(TwoSwitchPauseTest, APauseIsRefreshedWhileItIsNeeded)
{
    factory.Set("PauseQuanta", UintegerValue(100)); // 640 ns at 80 Gbps
    Build();
    // Host 3 takes nothing for 20 us.
    switches[1]->SetBlocked(1, true);
    At(MicroSeconds(60), [this] { switches[1]->SetBlocked(1, false); });
    SendMany(0, 3, 1000, 1000, 3);
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(3).size(), 1000U);
    ExpectLosslessAndEmpty();
    // Half of the time after the last one, the next.
    Time last;
    uint64_t refreshes = 0;
    for (const auto& pause : pauses)
    {
        if (pause.where == 1 && pause.quanta > 0 && pause.at < MicroSeconds(60))
        {
            EXPECT_EQ(pause.quanta, 100);
            if (!last.IsZero())
            {
                EXPECT_EQ(pause.at - last, NanoSeconds(320));
                refreshes++;
            }
            last = pause.at;
        }
    }
    EXPECT_GT(refreshes, 50U);
    EXPECT_EQ(pauses.back().quanta, 0);
}

} // namespace photonic
} // namespace ns3
