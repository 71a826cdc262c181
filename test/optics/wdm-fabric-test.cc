/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wdm-test-helper.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{
namespace
{

TEST_F(WdmTest, ACircuitHasTheRateOfItsWavelengths)
{
    for (const uint32_t wavelengths : {1, 2, 3, 7, 16})
    {
        SCOPED_TRACE(wavelengths);
        StartOver();
        AddPair(0, 1);
        fabric->Preset({{0, 1, wavelengths, NanoSeconds(70)}});
        for (uint32_t i = 0; i < 20; i++)
        {
            Send(GetDevice(0, 1), PAYLOAD);
        }
        Simulator::Run();
        const auto arrivals = ArrivalsAt(GetDevice(1, 0));
        ASSERT_EQ(arrivals.size(), 20U);
        for (uint32_t i = 0; i < 20; i++)
        {
            EXPECT_EQ(arrivals[i],
                      LineTime((i + 1) * WireBytes(PAYLOAD), wavelengths * WAVELENGTH) +
                          NanoSeconds(70));
        }
    }
}

TEST_F(WdmTest, APresentPacketIsFinishedAtItsRateAndTheNextOneHasTheNewRate)
{
    // A packet of 1,000 bytes takes 320 ns on one wavelength and 80 ns on four.
    AddPair(0, 1);
    fabric->Preset({{0, 1, 1, NanoSeconds(50)}});
    ListSource source(devices[GetDevice(0, 1)]);
    At(Time(0), [&] { source.Post(PAYLOAD, 4); });
    At(NanoSeconds(400), [this] { Retune({{0, 1, 4, NanoSeconds(10)}}); }); // in the second
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(GetDevice(1, 0)),
              (std::vector<Time>{NanoSeconds(370),
                                 NanoSeconds(690),
                                 NanoSeconds(25690 + 90),
                                 NanoSeconds(25690 + 170)}));
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].requested, NanoSeconds(400));
    EXPECT_EQ(outcomes[0].started, NanoSeconds(690)) << "the last bit has arrived";
    EXPECT_EQ(outcomes[0].done, NanoSeconds(25690));
    EXPECT_EQ(outcomes[0].dark, 1U);
    EXPECT_EQ(fabric->GetDarkTime(), MicroSeconds(25));
    EXPECT_EQ(fabric->GetRetunes(), 1U);
    EXPECT_EQ(fabric->GetLostPackets(), 0U);
}

TEST_F(WdmTest, LightOfACircuitThatIsGoneReachesNobodyElse)
{
    // GPU 0 turns from 1 to 2 while packets are on their long way to 1.
    AddPair(0, 1);
    AddPair(0, 2);
    fabric->Preset({{0, 1, 16, MicroSeconds(3)}});
    ListSource to1(devices[GetDevice(0, 1)]);
    ListSource to2(devices[GetDevice(0, 2)]);
    At(Time(0), [&] {
        to1.Post(PAYLOAD, 5);
        to2.Post(PAYLOAD, 3);
    });
    At(NanoSeconds(90), [this] { Retune({{0, 2, 16, Time(0)}}); }); // the fifth has started
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(GetDevice(1, 0)).size(), 5U);
    EXPECT_EQ(ArrivalsAt(GetDevice(1, 0)).back(), NanoSeconds(3100));
    EXPECT_EQ(outcomes.at(0).started, NanoSeconds(3100));
    EXPECT_EQ(ArrivalsAt(GetDevice(2, 0)),
              (std::vector<Time>{NanoSeconds(28120), NanoSeconds(28140), NanoSeconds(28160)}));
    EXPECT_FALSE(devices[GetDevice(0, 1)]->IsLinkUp());
    EXPECT_TRUE(devices[GetDevice(2, 0)]->IsLinkUp());
    EXPECT_EQ(fabric->GetWavelengths(0, 1), 0U);
    EXPECT_EQ(fabric->GetWavelengths(0, 2), 16U);
}

TEST_F(WdmTest, UnchangedCircuitsKeepCarryingIfOnlyChangedOnesGoDark)
{
    for (const bool all : {false, true})
    {
        SCOPED_TRACE(all);
        StartOver();
        fabric->SetAttribute("Darkening", StringValue(all ? "all" : "changed"));
        AddPair(0, 1);
        AddPair(2, 3);
        fabric->Preset({{0, 1, 8, Time(0)}, {2, 3, 8, Time(0)}, {3, 2, 1, Time(0)}});
        ListSource kept(devices[GetDevice(0, 1)]);
        ListSource changed(devices[GetDevice(2, 3)]);
        At(Time(0), [&] {
            kept.Post(PAYLOAD, 1000); // 40 us
            changed.Post(PAYLOAD, 1000);
        });
        At(MicroSeconds(4), [this] { Retune({{0, 1, 8, Time(0)}, {2, 3, 16, Time(0)}}); });
        Simulator::Run();
        EXPECT_EQ(ArrivalsAt(GetDevice(1, 0)).back(), MicroSeconds(all ? 65 : 40));
        // 101 packets have started by then, and the others take half the time.
        EXPECT_EQ(ArrivalsAt(GetDevice(3, 2)).back(),
                  NanoSeconds(4040) + MicroSeconds(25) + NanoSeconds(899 * 20));
        EXPECT_EQ(outcomes.at(0).dark, all ? 3U : 2U);
    }
}

TEST_F(WdmTest, WhatIsTheSameGoesDarkOnlyIfAllDoes)
{
    for (const bool all : {false, true})
    {
        StartOver();
        fabric->SetAttribute("Darkening", StringValue(all ? "all" : "changed"));
        AddPair(0, 1);
        fabric->Preset({{0, 1, 8, Time(0)}});
        Retune({{0, 1, 8, Time(0)}});
        EXPECT_EQ(outcomes.size(), all ? 0U : 1U);
        EXPECT_EQ(fabric->IsRetuning(), all);
        Simulator::Run();
        ASSERT_EQ(outcomes.size(), 1U);
        EXPECT_EQ(outcomes[0].done, all ? MicroSeconds(25) : Time(0));
        EXPECT_EQ(fabric->GetRetunes(), all ? 1U : 0U);
        EXPECT_EQ(fabric->GetWavelengths(0, 1), 8U);
    }
}

TEST_F(WdmTest, ADelayOfNoneOrOneTickIsWhatItIs)
{
    for (const int64_t ticks : {0, 1})
    {
        StartOver();
        fabric->SetAttribute("RetuningDelay", TimeValue(TimeStep(ticks)));
        AddPair(0, 1);
        fabric->Preset({{0, 1, 1, Time(0)}});
        ListSource source(devices[GetDevice(0, 1)]);
        At(Time(0), [&] { source.Post(PAYLOAD, 3); });
        At(NanoSeconds(100), [this] { Retune({{0, 1, 2, Time(0)}}); });
        Simulator::Run();
        EXPECT_EQ(outcomes.at(0).done - outcomes.at(0).started, TimeStep(ticks));
        EXPECT_EQ(fabric->GetDarkTime(), TimeStep(ticks));
        EXPECT_EQ(ArrivalsAt(GetDevice(1, 0)),
                  (std::vector<Time>{NanoSeconds(320),
                                     NanoSeconds(480) + TimeStep(ticks),
                                     NanoSeconds(640) + TimeStep(ticks)}));
    }
}

TEST_F(WdmTest, AChangeMayLeaveNothing)
{
    AddPair(0, 1);
    fabric->Preset({{0, 1, 1, Time(0)}});
    Retune({});
    Simulator::Run();
    EXPECT_EQ(fabric->GetWavelengths(0, 1), 0U);
    EXPECT_FALSE(devices[GetDevice(0, 1)]->IsLinkUp());
    EXPECT_EQ(fabric->GetSettlingTime(), Time(0));
}

TEST_F(WdmTest, SettlingIsThatOfTheLongestPacketOnTheSlowestCircuitAndOfTheLongestWay)
{
    AddPair(0, 1);
    AddPair(0, 2);
    fabric->Preset({{0, 1, 2, NanoSeconds(30)}, {0, 2, 5, NanoSeconds(160)}});
    // MTU 4,096 and 38 bytes beside it.
    EXPECT_EQ(fabric->GetSettlingTime(), LineTime(4134, 2 * WAVELENGTH) + NanoSeconds(160));
}

TEST_F(WdmTest, WhatCannotBeIsRefusedAndChangesNothing)
{
    AddPair(0, 1);
    AddPair(0, 2);
    fabric->Preset({{0, 1, 16, Time(0)}});
    const std::pair<std::vector<WdmCircuit>, std::string> cases[] = {
        {{{1, 2, 1}}, "circuit 1-2: GPU 1 has no device for GPU 2"},
        {{{0, 1, 0}}, "circuit 0-1: expected at least one wavelength"},
        {{{0, 1, 1, NanoSeconds(-1)}}, "no negative propagation"},
        {{{0, 1, 1}, {0, 1, 2}}, "circuit 0-1 is asked for twice"},
        {{{0, 1, 9}, {0, 2, 8}}, "GPU 0 was to send 17 wavelengths: it has 16"},
        {{{1, 0, 9}, {2, 0, 8}}, "GPU 0 was to receive 17 wavelengths: it has 16"},
    };
    for (const auto& [circuits, reason] : cases)
    {
        EXPECT_NE(fabric->Validate(circuits).find(reason), std::string::npos)
            << fabric->Validate(circuits);
        EXPECT_THROW(fabric->Retune(circuits), std::invalid_argument);
        EXPECT_FALSE(fabric->IsRetuning());
        EXPECT_EQ(fabric->GetWavelengths(0, 1), 16U);
    }
    EXPECT_THROW(fabric->Preset({}), std::logic_error);
    Retune({{0, 2, 1}});
    EXPECT_THROW(fabric->Retune({}), std::logic_error);
    auto fibre = CreateFibre(Time(0));
    EXPECT_THROW(fabric->Attach(3, 3, fibre), std::invalid_argument);
    EXPECT_THROW(fabric->Attach(3, 4, fibre), std::invalid_argument); // nothing at its end
    EXPECT_THROW(fabric->Attach(0, 1, CreateFibre(Time(0))), std::invalid_argument);
}

} // namespace
} // namespace photonic
} // namespace ns3
