/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics-test-helper.h"

#include "ns3/boolean.h"

namespace ns3
{
namespace photonic
{

/// What a change does to light, to the tick.
class CircuitChangeTest : public CircuitTest
{
  protected:
    /// @return instants: the first, and so many more, one packet time apart
    static std::vector<Time> BackToBack(Time first, std::size_t count)
    {
        std::vector<Time> times;
        for (std::size_t k = 0; k < count; k++)
        {
            times.push_back(first + PacketTime() * static_cast<int64_t>(k));
        }
        return times;
    }

    /// Packets for the whole line, without a queue's limit.
    void Fill(uint32_t device, uint32_t packets)
    {
        devices[device]->GetQueue()->SetMaxSize(QueueSize("100000p"));
        for (uint32_t i = 0; i < packets; i++)
        {
            Send(device);
        }
    }
};

TEST_F(CircuitChangeTest, ChangedPortsAreDarkForExactlyTheDelay)
{
    AddPorts({NanoSeconds(300), NanoSeconds(200), NanoSeconds(500)});
    SetDelay(MicroSeconds(10));
    ocs->Preset({{0, 1}});
    linkChanges.clear();
    const Time change = MicroSeconds(20);
    ReconfigureAt(change, {{0, 2}});
    std::vector<std::vector<bool>> dark;
    for (Time at : {change - TimeStep(1),
                    change + TimeStep(1),
                    change + MicroSeconds(10) - TimeStep(1),
                    change + MicroSeconds(10) + TimeStep(1)})
    {
        At(at,
           [this, &dark]() { dark.push_back({ocs->IsDark(0), ocs->IsDark(1), ocs->IsDark(2)}); });
    }
    At(change + TimeStep(1), [this]() {
        EXPECT_EQ(ocs->GetOutput(1), OpticalCircuitSwitch::NO_PORT) << "unconnected, not dark";
    });
    Simulator::Run();
    EXPECT_EQ(dark,
              (std::vector<std::vector<bool>>{{false, false, false},
                                              {true, false, true},
                                              {true, false, true},
                                              {false, false, false}}));
    // Each end learns of it one propagation later, once per change.
    EXPECT_EQ(
        linkChanges[0],
        (LinkChanges{{change + NanoSeconds(300), false}, {change + NanoSeconds(10'300), true}}));
    EXPECT_EQ(linkChanges[1], (LinkChanges{{change + NanoSeconds(200), false}}));
    EXPECT_EQ(linkChanges[2], (LinkChanges{{change + NanoSeconds(10'500), true}}));
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].first.portsChanged, 2U);
    EXPECT_EQ(outcomes[0].first.started, change);
    EXPECT_EQ(outcomes[0].first.done, change + NanoSeconds(10'500)) << "seen at the farther end";
    EXPECT_EQ(ocs->GetDarkTime(), MicroSeconds(20));
}

TEST_F(CircuitChangeTest, WithoutDelayALinkGoesDownAndUpAtOnce)
{
    AddPorts({NanoSeconds(300), NanoSeconds(200), NanoSeconds(500)});
    SetDelay(Time(0));
    ocs->Preset({{0, 1}});
    linkChanges.clear();
    ReconfigureAt(NanoSeconds(1050), {{0, 2}});
    Fill(0, 30);
    Simulator::Run();
    EXPECT_EQ(linkChanges[0], (LinkChanges{{NanoSeconds(1350), false}, {NanoSeconds(1350), true}}));
    EXPECT_EQ(outcomes.at(0).first.done, NanoSeconds(1550));
    EXPECT_EQ(outcomes.at(0).first.portsChanged, 2U);
    EXPECT_EQ(ocs->GetDarkTime(), Time(0));
    // Packets 1-7 have left the switch by 1,050 ns; the line is abandoned at 1,350 ns, in the
    // middle of packet 14.
    EXPECT_EQ(ArrivalsAt(1), BackToBack(NanoSeconds(600), 7));
    EXPECT_EQ(ocs->GetLostPackets(), 7U);
    EXPECT_EQ(ArrivalsAt(2), BackToBack(NanoSeconds(1350 + 100 + 800), 16));
}

TEST_F(CircuitChangeTest, WhoeverIsToldOfLightCanSend)
{
    AddPorts({NanoSeconds(300), NanoSeconds(200)});
    SetDelay(MicroSeconds(1));
    std::map<uint32_t, bool> sent;
    for (uint32_t i : {0, 1})
    {
        devices[i]->SetAttribute("DarkPolicy", StringValue("drop"));
        devices[i]->AddLinkChangeCallback(
            Callback<void>([this, i, &sent]() { sent[i] = Send(i); }));
    }
    ReconfigureAt(Time(0), {{0, 1}});
    Simulator::Run();
    EXPECT_TRUE(sent[0]);
    EXPECT_TRUE(sent[1]);
    EXPECT_EQ(ArrivalsAt(1), (std::vector<Time>{NanoSeconds(1300 + 100 + 500)}));
    EXPECT_EQ(ArrivalsAt(0), (std::vector<Time>{NanoSeconds(1200 + 100 + 500)}));
}

TEST_F(CircuitChangeTest, APacketSurvivesIfItsLastBitHasLeftTheSwitch)
{
    // The packet's last bit leaves the device at 100 ns and the switch at 400 ns.
    for (int64_t tick : {-1, 0, 1})
    {
        SCOPED_TRACE(tick);
        AddPorts({NanoSeconds(300), NanoSeconds(200), NanoSeconds(200)});
        SetDelay(Time(0));
        ocs->Preset({{0, 1}});
        Send(0);
        ReconfigureAt(NanoSeconds(400) + TimeStep(tick), {{0, 2}});
        Simulator::Run();
        const bool survives = tick >= 0;
        EXPECT_EQ(ArrivalsAt(1).size(), survives ? 1U : 0U);
        EXPECT_TRUE(ArrivalsAt(2).empty()) << "never to the new peer";
        EXPECT_EQ(ocs->GetLostPackets(), survives ? 0U : 1U);
        EXPECT_EQ(lost["circuit torn down"], survives ? 0U : 1U);
        EXPECT_EQ(Drops(0, "circuit torn down"), survives ? 0U : 1U);
        StartOver();
    }
}

TEST_F(CircuitChangeTest, TheBoundaryIsExactWhereTicksAreNot)
{
    // At 7 Gbps 1,000 bytes take 1,142 6/7 ns: a change in the tick before is too early.
    for (bool after : {false, true})
    {
        AddPorts({NanoSeconds(300), NanoSeconds(200), NanoSeconds(200)}, 7'000'000'000);
        SetDelay(Time(0));
        ocs->Preset({{0, 1}});
        Send(0);
        const Time end = LineTime(1000, 7'000'000'000); // rounded up
        ReconfigureAt(end + NanoSeconds(300) - TimeStep(after ? 0 : 1), {{0, 2}});
        Simulator::Run();
        EXPECT_EQ(ArrivalsAt(1).size(), after ? 1U : 0U);
        EXPECT_EQ(ocs->GetLostPackets(), after ? 0U : 1U);
        StartOver();
    }
}

TEST_F(CircuitChangeTest, ABusyLineLosesWhatWasUnderWayAndNoMore)
{
    AddPorts({NanoSeconds(5000), NanoSeconds(700), NanoSeconds(900)});
    SetDelay(MicroSeconds(50));
    ocs->Preset({{0, 1}});
    Fill(0, 300);
    Fill(1, 300);
    const Time change = NanoSeconds(12'345);
    ReconfigureAt(change, {{0, 2}});
    Simulator::Run();
    // From 0 to 1: (12,345 - 5,000) / 100 = 73 packets have left the switch. The device goes on
    // until 17,345 ns and starts 174 packets. The other 126 wait for light at 67,345 ns.
    EXPECT_EQ(ArrivalsAt(1), BackToBack(NanoSeconds(100 + 5700), 73));
    EXPECT_EQ(Drops(0, "circuit torn down"), 174U - 73U);
    EXPECT_EQ(ArrivalsAt(2), BackToBack(NanoSeconds(67'345 + 100 + 5900), 126));
    // From 1 to 0: (12,345 - 700) / 100 = 116 have left, 131 were started by 13,045 ns, and the
    // others stay in the queue of a port that nothing is joined to.
    EXPECT_EQ(ArrivalsAt(0), BackToBack(NanoSeconds(100 + 5700), 116));
    EXPECT_EQ(Drops(1, "circuit torn down"), 131U - 116U);
    EXPECT_EQ(devices[1]->GetQueue()->GetNPackets(), 300U - 131U);
    EXPECT_EQ(ocs->GetLostPackets(), 101U + 15U);
    EXPECT_EQ(lost["circuit torn down"], 101U + 15U);
    EXPECT_EQ(lost.size(), 1U);
}

TEST_F(CircuitChangeTest, TracesDoNotChangeWhatHappensInTheTickOfAChange)
{
    // The news reaches the device at 1,000 ns, exactly between packets 10 and 11. Depending on the
    // fibre it was on its way before or after the traced device planned to start packet 11.
    for (Time fibre : {NanoSeconds(50), NanoSeconds(300)})
    {
        for (const char* policy : {"lose", "drain-current-packet"})
        {
            for (bool traced : {false, true})
            {
                SCOPED_TRACE(testing::Message() << fibre << ' ' << policy << ' ' << traced);
                AddPorts({fibre, fibre, fibre});
                SetDelay(MicroSeconds(50));
                SetPolicy(policy);
                ocs->Preset({{0, 1}});
                if (traced)
                {
                    devices[0]->TraceConnectWithoutContext(
                        "Sniffer",
                        Callback<void, Ptr<const Packet>>([](Ptr<const Packet>) {}));
                }
                ListSource source(devices[0]);
                source.Post(PAYLOAD, 20);
                ReconfigureAt(NanoSeconds(1000) - fibre, {{0, 2}});
                Simulator::Run();
                ASSERT_EQ(source.starts.size(), 20U);
                EXPECT_EQ(source.starts[10], ExactTime(NanoSeconds(1000))) << "has started";
                const bool lose = policy == std::string("lose");
                // At the switch by 950 or 700 ns, whole: 9 or 4 packets.
                const uint64_t survivors = lose ? (fibre == NanoSeconds(50) ? 9 : 4) : 11;
                EXPECT_EQ(ArrivalsAt(1).size(), survivors);
                EXPECT_EQ(ocs->GetLostPackets(), 11 - survivors);
                const Time lit =
                    lose ? NanoSeconds(1000 + 50'000) : NanoSeconds(1100 + 50'000) + fibre + fibre;
                EXPECT_EQ(source.starts[11], ExactTime(lit));
                EXPECT_EQ(ArrivalsAt(2), BackToBack(lit + PacketTime() + fibre + fibre, 9));
                StartOver();
            }
        }
    }
}

TEST_F(CircuitChangeTest, TheEndOfAPacketThatIsCutShortIsNotTraced)
{
    AddPorts({NanoSeconds(300), NanoSeconds(300), NanoSeconds(300)});
    SetDelay(MicroSeconds(50));
    ocs->Preset({{0, 1}});
    std::vector<Time> ends;
    devices[0]->TraceConnectWithoutContext(
        "PhyTxEnd",
        Callback<void, Ptr<const Packet>>(
            [&ends](Ptr<const Packet>) { ends.push_back(Simulator::Now()); }));
    Send(0);
    Send(0);
    Send(0);
    ReconfigureAt(NanoSeconds(50), {{1, 2}}); // known to device 0 at 350 ns: it had sent all
    SendAt(NanoSeconds(310), 0);              // and this one is on the line until 410 ns
    Simulator::Run();
    EXPECT_EQ(ends, BackToBack(NanoSeconds(100), 3));
    EXPECT_EQ(ocs->GetLostPackets(), 4U);
}

TEST_F(CircuitChangeTest, DrainingLosesNothingInEitherDirection)
{
    AddPorts({NanoSeconds(5020), NanoSeconds(730), NanoSeconds(900)});
    SetDelay(MicroSeconds(50));
    SetPolicy("drain-current-packet");
    ocs->Preset({{0, 1}});
    Fill(0, 300);
    Fill(1, 300);
    ReconfigureAt(NanoSeconds(12'345), {{0, 2}});
    Simulator::Run();
    // Device 0 is told at 17,365 ns and finishes packet 174 at 17,400 ns, whose last bit leaves the
    // switch at 22,420 ns. Device 1 is told at 13,075 ns, finishes packet 131, and its last bit is
    // out at 13,830 ns. The ports turn at the later instant.
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].first.requested, NanoSeconds(12'345));
    EXPECT_EQ(outcomes[0].first.started, NanoSeconds(22'420));
    EXPECT_EQ(outcomes[0].first.done, NanoSeconds(22'420 + 50'000 + 5020));
    EXPECT_EQ(ArrivalsAt(1), BackToBack(NanoSeconds(100 + 5750), 174));
    EXPECT_EQ(ArrivalsAt(0), BackToBack(NanoSeconds(100 + 5750), 131));
    EXPECT_EQ(ArrivalsAt(2), BackToBack(NanoSeconds(22'420 + 50'000 + 5020 + 100 + 5920), 126));
    EXPECT_EQ(devices[1]->GetQueue()->GetNPackets(), 169U);
    EXPECT_EQ(ocs->GetLostPackets(), 0U);
    EXPECT_TRUE(devices[0]->GetDrops().empty());
    EXPECT_TRUE(devices[1]->GetDrops().empty());
    EXPECT_EQ(ocs->GetDarkTime(), MicroSeconds(100)) << "draining is not darkness";
}

TEST_F(CircuitChangeTest, DrainingAnIdleLineTakesTheTimeToTellIt)
{
    AddPorts({NanoSeconds(500), NanoSeconds(200), NanoSeconds(900)});
    SetDelay(MicroSeconds(50));
    SetPolicy("drain-current-packet");
    ocs->Preset({{0, 1}});
    ReconfigureAt(MicroSeconds(1), {{0, 2}});
    Simulator::Run();
    EXPECT_EQ(outcomes.at(0).first.started, MicroSeconds(1) + NanoSeconds(2 * 500));
}

TEST_F(CircuitChangeTest, TwoDrainingRequestsMayShareAPeer)
{
    // 0-1 is torn by both requests: each takes one of its ends.
    AddPorts({NanoSeconds(2000), NanoSeconds(300), NanoSeconds(100), NanoSeconds(100)});
    SetDelay(Time(0));
    SetPolicy("drain-current-packet");
    ocs->Preset({{0, 1}});
    Fill(0, 100);
    Fill(1, 100);
    ReconfigureAt(NanoSeconds(2950), {{0, 2}});
    ReconfigureAt(NanoSeconds(3110), {{1, 3}});
    Simulator::Run();
    ASSERT_EQ(outcomes.size(), 2U);
    EXPECT_EQ(ocs->GetLostPackets(), 0U);
    EXPECT_EQ(ocs->GetOutput(0), 2U);
    EXPECT_EQ(ocs->GetOutput(1), 3U);
    EXPECT_EQ(received.size(), 200U);
    EXPECT_EQ(ArrivalsAt(1).size() + ArrivalsAt(2).size(), 100U);
    EXPECT_EQ(ArrivalsAt(0).size() + ArrivalsAt(3).size(), 100U);
    // Told at 4,950 ns, 0 finishes packet 50, and 1, told at 3,250 ns, packet 33.
    EXPECT_EQ(ArrivalsAt(1).size(), 50U);
    EXPECT_EQ(ArrivalsAt(0).size(), 33U);
}

TEST_F(CircuitChangeTest, UnchangedCircuitsKeepCarrying)
{
    for (const char* policy : {"lose", "drain-current-packet"})
    {
        SCOPED_TRACE(policy);
        AddPorts(std::vector<Time>(6, NanoSeconds(450)));
        SetDelay(MicroSeconds(3));
        SetPolicy(policy);
        ocs->Preset({{0, 1}, {2, 3}});
        Fill(2, 200);
        Fill(3, 200);
        ReconfigureAt(NanoSeconds(2020), {{0, 4}});         // beside the circuit
        ReconfigureAt(NanoSeconds(9090), {{3, 2}, {4, 5}}); // the request contains it
        Simulator::Run();
        EXPECT_EQ(ArrivalsAt(3), BackToBack(NanoSeconds(1000), 200));
        EXPECT_EQ(ArrivalsAt(2), BackToBack(NanoSeconds(1000), 200));
        ASSERT_EQ(outcomes.size(), 2U);
        EXPECT_EQ(outcomes[1].first.portsChanged, 2U) << "4 and 5, not 2 and 3";
        StartOver();
    }
}

TEST_F(CircuitChangeTest, PacketsInADarkPortsQueueWaitOrAreDropped)
{
    for (const char* policy : {"wait", "drop"})
    {
        SCOPED_TRACE(policy);
        AddPorts({NanoSeconds(300), NanoSeconds(300), NanoSeconds(300)});
        SetDelay(MicroSeconds(50));
        ocs->Preset({{0, 1}});
        devices[0]->SetAttribute("DarkPolicy", StringValue(policy));
        Fill(0, 50);
        ReconfigureAt(NanoSeconds(1050), {{0, 2}}); // known at 1,350 ns, after 14 starts
        SendAt(MicroSeconds(5), 0);
        SendAt(MicroSeconds(6), 0);
        SendAt(MicroSeconds(60), 0);
        Simulator::Run();
        const bool wait = policy == std::string("wait");
        EXPECT_EQ(ArrivalsAt(1).size(), 7U);
        EXPECT_EQ(Drops(0, "circuit torn down"), 7U);
        EXPECT_EQ(Drops(0, "no light"), wait ? 0U : 50U - 14U + 2U);
        EXPECT_EQ(ArrivalsAt(2).size(), wait ? 39U : 1U);
        StartOver();
    }
}

} // namespace photonic
} // namespace ns3
