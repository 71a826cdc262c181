/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Fibres that are cut, NIC ports that fail, links that take time to come up, and bit errors.
 */
#include "optics-test-helper.h"

#include "ns3/double.h"
#include "ns3/error-model.h"

#include <cmath>

namespace ns3
{
namespace photonic
{

class LinkFaultTest : public CircuitTest
{
  protected:
    void Build(uint32_t ports)
    {
        AddPorts(std::vector<Time>(ports, NanoSeconds(200)));
        SetDelay(MicroSeconds(10));
    }

    void SetBringUp(uint32_t device, double seconds)
    {
        auto time = CreateObject<ConstantRandomVariable>();
        time->SetAttribute("Constant", DoubleValue(seconds));
        devices[device]->SetAttribute("BringUpTime", PointerValue(time));
    }

    void Fill(uint32_t device, uint32_t packets)
    {
        devices[device]->GetQueue()->SetMaxSize(QueueSize("100000p"));
        for (uint32_t i = 0; i < packets; i++)
        {
            Send(device);
        }
    }

    Ptr<OpticalChannel> Fibre(uint32_t device) const
    {
        return DynamicCast<OpticalChannel>(devices[device]->GetChannel());
    }
};

TEST_F(LinkFaultTest, BringUpAddsExactlyItsTimeToAChange)
{
    Build(3);
    ocs->Preset({{0, 1}});
    std::vector<std::pair<Time, Time>> ups;
    for (uint32_t i : {0, 1, 2})
    {
        SetBringUp(i, 3);
    }
    devices[0]->TraceConnectWithoutContext(
        "BringUp",
        Callback<void, Time, Time>(
            [&ups](Time since, Time took) { ups.emplace_back(since, took); }));
    linkChanges.clear();
    SendAt(MicroSeconds(1), 0); // the light that was there needs none
    ReconfigureAt(MicroSeconds(20), {{0, 2}});
    SendAt(MicroSeconds(25), 0);
    Simulator::Run();
    const Time light = MicroSeconds(30) + NanoSeconds(200);
    EXPECT_EQ(ArrivalsAt(1), std::vector<Time>{NanoSeconds(1000 + 100 + 400)});
    EXPECT_EQ(ArrivalsAt(2), std::vector<Time>{light + Seconds(3) + NanoSeconds(100 + 400)});
    EXPECT_EQ(ups, (std::vector<std::pair<Time, Time>>{{light, Seconds(3)}}));
    EXPECT_EQ(
        linkChanges[0],
        (LinkChanges{{MicroSeconds(20) + NanoSeconds(200), false}, {light + Seconds(3), true}}));
    EXPECT_EQ(outcomes.at(0).first.done, light) << "the switch knows nothing of it";
}

TEST_F(LinkFaultTest, ALinkThatIsBroughtUpObeysTheSwitch)
{
    Build(3);
    SetPolicy("drain-current-packet");
    SetBringUp(0, 50e-6);
    std::vector<Time> ups;
    devices[0]->TraceConnectWithoutContext(
        "BringUp",
        Callback<void, Time, Time>([&ups](Time, Time) { ups.push_back(Simulator::Now()); }));
    Fill(0, 3);
    ReconfigureAt(Time(0), {{0, 1}});
    // The port is asked at 40.2 us to send no more, and its last bit is at the switch at 40.4 us:
    // light comes at 50.6 us, and the link at 100.6 us.
    ReconfigureAt(MicroSeconds(40), {{0, 2}});
    Simulator::Run();
    EXPECT_EQ(ups, std::vector<Time>{NanoSeconds(100'600)});
    EXPECT_EQ(linkChanges[0], (LinkChanges{{NanoSeconds(100'600), true}}));
    EXPECT_EQ(ArrivalsAt(1).size(), 0U);
    EXPECT_EQ(ArrivalsAt(2).size(), 3U);
    EXPECT_EQ(ocs->GetLostPackets(), 0U);
}

TEST_F(LinkFaultTest, ALinkThatComesUpWhileTheSwitchDrainsStartsNoPacket)
{
    Build(4);
    SetPolicy("drain-current-packet");
    SetBringUp(0, 5e-6);
    ReconfigureAt(Time(0), {{0, 1}}); // light at 10.2 us, link at 15.2 us
    // A long packet towards port 0 keeps the switch waiting from 15 us on.
    At(NanoSeconds(14'900), [this]() { Send(1, 4000); });
    ReconfigureAt(NanoSeconds(14'950), {{0, 2}, {1, 3}});
    Fill(0, 3);
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(0).size(), 1U);
    EXPECT_EQ(ArrivalsAt(1).size(), 0U);
    EXPECT_EQ(ArrivalsAt(2).size(), 3U);
    EXPECT_EQ(ocs->GetLostPackets(), 0U);
}

TEST_F(LinkFaultTest, ACutFibreLosesItsLineAndItsCircuitStands)
{
    Build(2);
    ocs->Preset({{0, 1}});
    Fill(0, 100);
    Fill(1, 100);
    std::vector<bool> cuts;
    Fibre(1)->TraceConnectWithoutContext("Cut",
                                         Callback<void, bool>([&](bool c) { cuts.push_back(c); }));
    At(MicroSeconds(5), [this]() { Fibre(1)->Cut(); });
    At(MicroSeconds(6), [this]() {
        EXPECT_EQ(ocs->GetOutput(0), 1U);
        EXPECT_FALSE(Fibre(1)->IsWhole());
        EXPECT_FALSE(devices[0]->CanTransmit());
        EXPECT_FALSE(devices[1]->IsLinkUp());
    });
    At(MicroSeconds(20), [this]() { Fibre(1)->Splice(); });
    Simulator::Run();
    // At the switch's end of the fibre: see ADeadPortLosesWhatIsOnItsLine.
    for (uint32_t i : {0, 1})
    {
        EXPECT_EQ(Drops(i, "fibre cut"), 5U);
        ASSERT_EQ(ArrivalsAt(i).size(), 95U);
        EXPECT_EQ(ArrivalsAt(i)[47], NanoSeconds(48 * 100 + 400));
        EXPECT_EQ(ArrivalsAt(i)[48], NanoSeconds(20'200 + 100 + 400));
    }
    EXPECT_EQ(lost["fibre cut"], 10U);
    EXPECT_EQ(cuts, (std::vector<bool>{true, false}));
}

TEST_F(LinkFaultTest, ADirectFibreThatIsCutComesBackToo)
{
    const uint32_t a = AddDevice();
    const uint32_t b = AddDevice();
    Join(a, b, NanoSeconds(300));
    SetBringUp(a, 1e-6);
    Fill(a, 100);
    At(MicroSeconds(5), [this]() { Fibre(0)->Cut(); });
    At(MicroSeconds(10), [this]() { Fibre(0)->Splice(); });
    Simulator::Run();
    // 47 packets have arrived at 5 us, and the 51st starts.
    EXPECT_EQ(Drops(a, "fibre cut"), 4U);
    ASSERT_EQ(ArrivalsAt(b).size(), 96U);
    EXPECT_EQ(ArrivalsAt(b)[47], NanoSeconds(11'000 + 100 + 300));
}

TEST_F(LinkFaultTest, NothingGetsInOrOutOfAFailedPort)
{
    Build(2);
    ocs->Preset({{0, 1}});
    Fill(0, 100);
    Fill(1, 100);
    std::vector<bool> failures;
    devices[0]->TraceConnectWithoutContext("Failed", Callback<void, bool>([&](bool failed) {
                                               failures.push_back(failed);
                                           }));
    At(NanoSeconds(5050), [this]() { devices[0]->SetFailed(true); });
    At(MicroSeconds(8), [this]() {
        EXPECT_TRUE(devices[0]->IsFailed());
        EXPECT_FALSE(devices[0]->IsLinkUp());
        EXPECT_FALSE(devices[1]->IsLinkUp()) << "it sees no light";
    });
    At(MicroSeconds(20), [this]() { devices[0]->SetFailed(false); });
    Simulator::Run();
    // Out: 50 packets had left it whole, one was on the line.
    EXPECT_EQ(ArrivalsAt(1).size(), 50U + 49U);
    // In: 46 had arrived whole. The switch stops the light at 5,250 ns and the peer at 5,450 ns:
    // 50 had passed the switch, of which 4 came too late, and 5 more had been put onto the line.
    EXPECT_EQ(Drops(0, "NIC port failed"), 1U + 4U);
    EXPECT_EQ(Drops(1, "NIC port failed"), 5U);
    EXPECT_EQ(ArrivalsAt(0).size(), 46U + 45U);
    EXPECT_EQ(failures, (std::vector<bool>{true, false}));
    // Its light is at the switch 200 ns after the repair, and it hears so 200 ns later.
    EXPECT_EQ(ArrivalsAt(1)[50], NanoSeconds(20'400 + 100 + 400));
}

TEST_F(LinkFaultTest, BitErrorsLoseAsManyPacketsAsTheyShould)
{
    constexpr double rate = 1e-5;
    constexpr uint32_t packets = 20'000;
    const uint32_t a = AddDevice();
    const uint32_t b = AddDevice();
    Join(a, b, NanoSeconds(300));
    auto errors = CreateObject<RateErrorModel>();
    errors->SetUnit(RateErrorModel::ERROR_UNIT_BIT);
    errors->SetRate(rate);
    devices[b]->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    constexpr int64_t stream = 5;
    EXPECT_EQ(devices[b]->AssignStreams(stream), 1);
    std::cout << "stream " << stream << " of the default seed\n";
    Fill(a, packets);
    Simulator::Run();
    const double loss = 1 - std::pow(1 - rate, 8 * (PAYLOAD + FRAME_HEADER));
    const double deviation = std::sqrt(packets * loss * (1 - loss));
    EXPECT_NEAR(Drops(b, "corrupted"), packets * loss, 4 * deviation);
    EXPECT_EQ(ArrivalsAt(b).size() + Drops(b, "corrupted"), packets);
}

} // namespace photonic
} // namespace ns3
