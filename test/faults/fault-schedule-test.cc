/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/fault-schedule.h"
#include "ns3/random-quantity.h"

#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

FaultSchedule
Parse(const std::string& text)
{
    std::istringstream stream(text);
    return FaultSchedule::Parse(stream, "f.txt");
}

std::string
Refusal(const std::string& text)
{
    try
    {
        Parse(text);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST(FaultSchedule, ReadsOneFaultALine)
{
    const auto schedule = Parse("# a comment\n"
                                "10ms ocs 0 port 3 dead # and another\n"
                                "10.5ms ocs 1 port 2 stuck\n\n"
                                "11ms  ocs 0\tport 3 repair\n"
                                "3s ocs 1 outage\n"
                                "1min ocs 1 back\n"
                                "2us fibre 4/1 cut\n"
                                "2ns fibre 4/1 splice\n"
                                "0 fibre 4/0 ber 1e-9\n"
                                "2ms nic 4/1 lost\r\n"
                                "1h nic 4/1 back\n"
                                "5ms rank 4 fail\n"
                                "1ms rank 4 slow 1.5\n"
                                "random ocs-dead every 10s for 1s\n"
                                "random rank-fail every 3h");
    const auto& faults = schedule.GetFaults();
    ASSERT_EQ(faults.size(), 12U);
    EXPECT_EQ(faults[0].at, MilliSeconds(10));
    EXPECT_EQ(faults[0].kind, Fault::OCS_PORT_DEAD);
    EXPECT_EQ(faults[0].unit, 0U);
    EXPECT_EQ(faults[0].port, 3U);
    EXPECT_EQ(faults[0].where, "f.txt:2");
    EXPECT_EQ(faults[1].at, MicroSeconds(10'500));
    EXPECT_EQ(faults[4].at, Minutes(1));
    EXPECT_EQ(faults[4].kind, Fault::OCS_BACK);
    EXPECT_EQ(faults[5].unit, 4U);
    EXPECT_EQ(faults[5].port, 1U);
    EXPECT_EQ(faults[7].value, 1e-9);
    EXPECT_EQ(faults[8].kind, Fault::NIC_LOST);
    EXPECT_EQ(faults[11].value, 1.5);
    ASSERT_EQ(schedule.GetRandomFaults().size(), 2U);
    EXPECT_EQ(schedule.GetRandomFaults()[0].between, Seconds(10));
    EXPECT_EQ(schedule.GetRandomFaults()[0].repair, Seconds(1));
    EXPECT_EQ(schedule.GetRandomFaults()[1].repair, Time(0));
    EXPECT_EQ(schedule.FindNetworkFault(), "ocs-dead");
    EXPECT_EQ(schedule.FindFibreFault(), "fibre-cut");
    EXPECT_TRUE(schedule.HasBitErrors());
    EXPECT_EQ(Parse("1s rank 0 fail").FindNetworkFault(), "");
}

TEST(FaultSchedule, SaysWhereWhatWasFoundAndWhatWasExpected)
{
    EXPECT_EQ(Refusal("\n10ms ocs 0 port 3 deaf"),
              "f.txt:2: found 'deaf', expected dead, stuck or repair");
    EXPECT_EQ(Refusal("10ms"),
              "f.txt:1: found the end of the line, expected ocs, fibre, nic, rank or controller");
    EXPECT_EQ(Refusal("10 rank 0 fail"),
              "f.txt:1: found '10', expected a time up to 1000h, such as 10ms");
    EXPECT_EQ(Refusal("1001h rank 0 fail"),
              "f.txt:1: found '1001h', expected a time up to 1000h, such as 10ms");
    EXPECT_EQ(Refusal("1s rank -1 fail"), "f.txt:1: found '-1', expected the number of a rank");
    EXPECT_EQ(Refusal("1s nic 4 lost"), "f.txt:1: found '4', expected RANK/PORT, such as 4/1");
    EXPECT_EQ(Refusal("1s rank 1 fail now"), "f.txt:1: found 'now', expected the end of the line");
    EXPECT_EQ(Refusal("1s fibre 1/0 ber 2"),
              "f.txt:1: found '2', expected 0 or a bit error rate from 1e-12 to 0.5, such as 1e-9");
    EXPECT_EQ(Refusal("1s rank 1 slow x"),
              "f.txt:1: found 'x', expected a number from 0 to 1000000000, such as 1.5");
    EXPECT_EQ(Refusal("random ocs-dead every 1s"),
              "f.txt:1: found the end of the line, expected for");
    EXPECT_EQ(Refusal("random rank-fail every 0"), "f.txt:1: found '0', expected a time above 0");
    EXPECT_EQ(Refusal("random rank-slow every 1s"),
              "f.txt:1: found 'rank-slow', expected ocs-dead, ocs-stuck, ocs-outage, fibre-cut, "
              "nic-lost or rank-fail");
    EXPECT_EQ(Refusal(std::string(201, '#')),
              "f.txt:1: found more than 200 characters, expected at most that");
    EXPECT_EQ(Refusal(std::string(100'001, '\n')), "f.txt:100001: expected at most 100000 lines");
    EXPECT_THROW(FaultSchedule::Read("/nowhere/f.txt"), std::invalid_argument);
}

TEST(FaultSchedule, AnyTextIsReadOrRefusedInOneLine)
{
    constexpr uint32_t seed = 17;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    const std::string good = "10ms ocs 0 port 3 dead\n1s fibre 4/1 ber 1e-9\n"
                             "random nic-lost every 1s for 2s\n5ms rank 4 slow 1.5\n";
    uint32_t refused = 0;
    for (uint32_t round = 0; round < 20'000; round++)
    {
        std::string text = good;
        for (uint32_t k = 0; k <= random() % 4; k++)
        {
            text[random() % text.size()] = static_cast<char>(random() % 256);
        }
        const std::string reason = Refusal(text);
        refused += !reason.empty();
        for (unsigned char c : reason)
        {
            ASSERT_TRUE(c >= ' ' && c != 127) << reason;
        }
    }
    EXPECT_GT(refused, 10'000U);
}

TEST(RandomQuantity, HasItsDistribution)
{
    EXPECT_EQ(ParseRandomTime("3s")->GetValue(), 3);
    EXPECT_EQ(ParseRandomNumber("1.5")->GetValue(), 1.5);
    for (const std::string text : {"uniform:1s:3s", "exponential:2s", "normal:2s:100ms"})
    {
        auto variable = ParseRandomTime(text);
        variable->SetStream(3);
        double sum = 0;
        for (uint32_t i = 0; i < 10'000; i++)
        {
            sum += variable->GetValue();
        }
        EXPECT_NEAR(sum / 10'000, 2, 0.08) << text; // four deviations of the widest
    }
    for (const std::string text :
         {"", "s", "3", "-1s", "uniform:3s:1s", "uniform:1s", "normal:1s", "gamma:1s:2s", "1s:2s"})
    {
        EXPECT_THROW(ParseRandomTime(text), std::invalid_argument) << text;
    }
    EXPECT_EQ(ParseTime("0.000001ms"), NanoSeconds(1));
    EXPECT_EQ(ParseTime("999.5h"), Minutes(999 * 60 + 30));
}

} // namespace photonic
} // namespace ns3
