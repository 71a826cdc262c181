/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * The reaction point of DCQCN: closed forms, and dcqcn-rates.csv, which dcqcn-reference.py makes
 * from the equations of the paper.
 */
#include "ns3/dcqcn.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

const double LINE = 40e9;

Ptr<Dcqcn>
MakeDcqcn()
{
    auto control = CreateObject<Dcqcn>();
    control->Start(DataRate("40Gbps"), 4134);
    return control;
}

/// Do what a scenario of the reference does at an instant.
void
Play(Dcqcn& control, const std::string& scenario, int us)
{
    const auto among = [us](int first, int last, int step) {
        return us >= first && us <= last && (us - first) % step == 0;
    };
    if (scenario == "bytes" && among(0, 39'990, 10))
    {
        control.OnSend(40'000, MicroSeconds(us));
    }
    if ((scenario == "single" && us == 100) || (scenario == "burst" && among(100, 300, 50)) ||
        (scenario == "decay" && (us == 100 || us == 5100 || us == 5200)) ||
        (scenario == "bytes" && among(100, 600, 50)) ||
        (scenario == "minimum" && among(50, 2950, 50)))
    {
        control.OnMark(MicroSeconds(us));
    }
}

} // namespace

TEST(Dcqcn, ANotificationHalvesTheRateAndHalfOfTheWayBackComesEvery55us)
{
    // Alpha begins at 1, so that the rate is cut by half; with the target at the line rate the
    // additive increase has nothing to add.
    auto control = MakeDcqcn();
    EXPECT_TRUE(control->UsesMarks());
    EXPECT_TRUE(std::isinf(control->GetRate(MicroSeconds(99))));
    control->OnMark(MicroSeconds(100));
    for (int k = 0; k < 15; k++)
    {
        const double rate = LINE * (1 - std::pow(0.5, k + 1));
        EXPECT_NEAR(control->GetRate(MicroSeconds(100 + 55 * k)), rate, 1);
        EXPECT_NEAR(control->GetRate(MicroSeconds(154 + 55 * k)), rate, 1);
    }
    // Within a millionth of the line rate it is not limited any more.
    EXPECT_TRUE(std::isinf(control->GetRate(MicroSeconds(100 + 55 * 20))));
}

TEST(Dcqcn, AlphaDecaysEvery55us)
{
    auto control = MakeDcqcn();
    control->OnMark(Time(0));
    EXPECT_DOUBLE_EQ(control->GetAlpha(), 1);
    const int k = 1000;
    control->OnMark(MicroSeconds(55 * k + 54));
    const double alpha = std::pow(255.0 / 256, k);
    EXPECT_NEAR(control->GetRate(MicroSeconds(55 * k + 54)), LINE * (1 - alpha / 2), 1);
    EXPECT_NEAR(control->GetAlpha(), alpha * 255 / 256 + 1.0 / 256, 1e-12);
}

TEST(Dcqcn, FollowsThePapersEquations)
{
    const auto path = std::filesystem::path(__FILE__).parent_path() / "dcqcn-rates.csv";
    std::ifstream file(path);
    ASSERT_TRUE(file) << path;
    std::string line;
    std::getline(file, line);
    std::string playing;
    Ptr<Dcqcn> control;
    int now = 0;
    int rows = 0;
    while (std::getline(file, line))
    {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream row(line);
        std::string scenario;
        int us;
        double rate;
        double target;
        ASSERT_TRUE(row >> scenario >> us >> rate >> target) << line;
        if (scenario != playing)
        {
            playing = scenario;
            control = MakeDcqcn();
            now = 0;
        }
        for (; now <= us; now++)
        {
            Play(*control, scenario, now);
        }
        const double found = control->GetRate(MicroSeconds(us));
        EXPECT_NEAR(std::isinf(found) ? LINE : found, rate, 1) << line;
        EXPECT_NEAR(control->GetTarget(), target, 1) << line;
        rows++;
    }
    EXPECT_EQ(rows, 655);
}

} // namespace photonic
} // namespace ns3
