/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "job/test-job.h"

#include "ns3/fault-helper.h"

#include <iostream>
#include <sstream>

namespace ns3
{
namespace photonic
{

namespace
{

/// Four ranks in one ring, each on a node, on a photonic rail.
TestJob::Options
MakeOptions(bool photonic)
{
    TestJob::Options options;
    options.degrees.fsdp = 4;
    options.degrees.gpusPerNode = 1;
    options.photonic = photonic;
    options.programs = {{MakeCompute("forward", MilliSeconds(10)),
                         MakeCollective("reduce",
                                        GroupSlot::FSDP,
                                        CollectiveKind::ALL_REDUCE,
                                        1000,
                                        0,
                                        {{0, Part::WHOLE}})}};
    return options;
}

FaultSchedule
Parse(const std::string& text)
{
    std::istringstream stream(text);
    return FaultSchedule::Parse(stream, "f.txt");
}

std::string
Refusal(const TestJob& t, const std::string& text)
{
    FaultHelper helper;
    helper.SetSchedule(Parse(text));
    try
    {
        helper.Install(t.fabric, t.job);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST(FaultInjector, DoesWhatTheScheduleSays)
{
    TestJob t(MakeOptions(true));
    FaultHelper helper;
    helper.SetSchedule(Parse("1ms ocs 0 port 3 dead\n2ms ocs 0 port 3 repair\n"
                             "3ms ocs 0 outage\n4ms ocs 0 back\n"
                             "1ms fibre 2/1 cut\n2ms fibre 2/1 splice\n"
                             "1ms nic 3/0 lost\n2ms nic 3/0 back\n"
                             "1ms rank 1 slow 2\n2ms rank 2 fail\n"));
    auto injector = helper.Install(t.fabric, t.job);
    std::vector<std::pair<Time, std::string>> seen;
    injector->TraceConnectWithoutContext("Fault",
                                         Callback<void, const Fault&>([&seen](const Fault& f) {
                                             seen.emplace_back(f.at, ToString(f.kind));
                                         }));
    const auto ocs = t.fabric.circuitSwitches[0];
    const auto fibre = DynamicCast<OpticalChannel>(t.fabric.ports[2][1]->GetChannel());
    Simulator::Schedule(MicroSeconds(1500), [&]() {
        EXPECT_EQ(ocs->GetPortFault(3), PortFault::DEAD);
        EXPECT_FALSE(fibre->IsWhole());
        EXPECT_TRUE(t.fabric.ports[3][0]->IsFailed());
    });
    Simulator::Schedule(MicroSeconds(3500), [&]() {
        EXPECT_EQ(ocs->GetPortFault(3), PortFault::NONE);
        EXPECT_TRUE(fibre->IsWhole());
        EXPECT_FALSE(t.fabric.ports[3][0]->IsFailed());
        EXPECT_TRUE(ocs->IsOut());
    });
    Simulator::Run();
    EXPECT_FALSE(ocs->IsOut());
    EXPECT_EQ(seen.size(), 10U);
    EXPECT_EQ(injector->GetInjected(), 10U);
    EXPECT_SAYS(t.job->GetFailure(), "rank 2 failed at +0.002s; waiting for it: ranks 0, 1, 3");
}

TEST(FaultInjector, RefusesWhatIsNotThere)
{
    {
        TestJob t(MakeOptions(true));
        EXPECT_EQ(Refusal(t, "1s ocs 1 outage"),
                  "f.txt:1: found circuit switch 1, expected at most 0");
        EXPECT_EQ(Refusal(t, "1s ocs 0 port 8 dead"),
                  "f.txt:1: found port 8 of circuit switch 0, expected one with a fibre");
        EXPECT_EQ(Refusal(t, "1s rank 4 fail"), "f.txt:1: found rank 4, expected at most 3");
        EXPECT_EQ(Refusal(t, "1s nic 3/2 lost"),
                  "f.txt:1: found port 2 of rank 3, expected at most 1");
    }
    TestJob t(MakeOptions(false));
    EXPECT_EQ(Refusal(t, "1s ocs 0 outage"),
              "f.txt:1: found circuit switch 0, expected none, as this fabric has none");
    EXPECT_EQ(Refusal(t, "random ocs-dead every 1s for 1s"),
              "f.txt:1: found ocs-dead, expected what this fabric has");
}

TEST(FaultInjector, ACutOnPacketSwitchesHoldsTheJobUpForAsLong)
{
    const auto run = [](const std::string& text) {
        TestJob t(MakeOptions(false));
        FaultHelper helper;
        helper.SetSchedule(Parse(text));
        helper.Install(t.fabric, t.job);
        return t.Run();
    };
    const Time plain = run("");
    EXPECT_EQ(run("1ms fibre 2/1 cut\n2ms fibre 2/1 splice"), plain) << "while all compute";
    // Cut before the reduction begins, at 10 ms, and spliced after.
    const Time held = run("1ms fibre 2/0 cut\n30ms fibre 2/0 splice");
    EXPECT_GE(held, plain + MilliSeconds(20));
    EXPECT_LE(held, plain + MilliSeconds(20) + MicroSeconds(1));
}

TEST(FaultInjector, RandomFaultsComeAsOftenAsTheyShouldAndTheSameForASeed)
{
    const auto run = [](int64_t stream) {
        auto options = MakeOptions(true);
        options.programs = {{MakeCompute("long", Seconds(1000))}};
        TestJob t(options);
        FaultHelper helper;
        helper.SetSchedule(Parse("random ocs-dead every 4s for 1s"));
        auto injector = helper.Install(t.fabric, t.job);
        EXPECT_EQ(injector->AssignStreams(stream), 2);
        std::vector<Time> deaths;
        uint64_t repairs = 0;
        injector->TraceConnectWithoutContext("Fault",
                                             Callback<void, const Fault&>([&](const Fault& f) {
                                                 if (f.kind == Fault::OCS_PORT_DEAD)
                                                 {
                                                     deaths.push_back(f.at);
                                                 }
                                                 repairs += f.kind == Fault::OCS_PORT_REPAIR;
                                             }));
        t.Run();
        EXPECT_LE(deaths.size() - repairs, 8U);
        return deaths;
    };
    constexpr int64_t stream = 11;
    std::cout << "stream " << stream << " of the default seed\n";
    const auto deaths = run(stream);
    // Eight ports, 1,000 s, 5 s from fault to fault: 1,600, with a deviation below the root.
    EXPECT_NEAR(deaths.size(), 1600, 4 * 40);
    EXPECT_EQ(run(stream), deaths);
    EXPECT_NE(run(stream + 2), deaths);
}

} // namespace photonic
} // namespace ns3
