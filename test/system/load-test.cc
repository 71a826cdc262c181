/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Long runs need no more memory than short ones: what is allocated in the middle of a run is what
 * is allocated at its end.
 */
#include "load-cases.h"

#include "ns3/error-model.h"
#include "ns3/pointer.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

/// What the second half of a run may add: free lists of the allocator, and containers that double.
constexpr int64_t FLAT = 16 << 10;

const std::vector<std::string> SMALL =
    {"--tp=2", "--fsdp=2", "--pp=2", "--microbatches=2", "--sequenceLength=128", "--gpu=h100"};

const std::string DELAY = "--reconfigurationDelay=100us";

std::vector<std::string>
With(std::vector<std::string> options, const std::vector<std::string>& more)
{
    options.insert(options.end(), more.begin(), more.end());
    return options;
}

} // namespace

TEST(Load, AHundredThousandReconfigurations)
{
    constexpr uint32_t n = 100'000;
    for (const char* policy : {"lose", "drain-current-packet"})
    {
        SCOPED_TRACE(policy);
        RestlessSwitch rail(n, policy);
        rail.Run();
        EXPECT_EQ(rail.done, n);
        EXPECT_EQ(rail.changed, uint64_t(n) * RestlessSwitch::DEVICES);
        EXPECT_EQ(rail.received, rail.sent);
        EXPECT_GT(rail.sent, uint64_t(n) * RestlessSwitch::DEVICES);
        EXPECT_EQ(rail.light->GetLostPackets(), 0U);
        EXPECT_EQ(rail.light->GetDarkTime(), MicroSeconds(1) * (n * RestlessSwitch::DEVICES));
        EXPECT_LE(rail.marks.GetGrowth(), FLAT);
    }
}

TEST(Load, AMillionMessagesInMessageFidelity)
{
    constexpr uint64_t n = 1'000'000;
    TestRail::Options options;
    options.ranks = 4;
    options.rate = 400'000'000'000;
    options.trains = true;
    TestRail rail(options);
    rail.CloseRing({0, 1, 2, 3});
    MessageStream stream(rail, n, 1);
    Simulator::Run();
    EXPECT_EQ(stream.received, n);
    EXPECT_EQ(stream.delivered, n);
    EXPECT_TRUE(rail.failures.empty());
    for (const auto& endpoint : rail.endpoints)
    {
        EXPECT_EQ(endpoint->GetUnexpected(), 0U);
    }
    EXPECT_LE(stream.marks.GetGrowth(), FLAT);
}

/// How a pair of ranks exchanges messages in packet fidelity.
class PairLoad : public testing::TestWithParam<const char*>
{
  protected:
    static constexpr uint32_t MESSAGES = 70'000; // more than 16 bits hold

    static TestRail::Options GetOptions()
    {
        TestRail::Options options;
        const std::string how = GetParam();
        options.acknowledgements = how == "acknowledged";
        if (how == "recovered")
        {
            options.transport = CreateObject<ReliableTransport>();
            options.transport->SetAttribute("Retransmission", StringValue("selective-repeat"));
        }
        return options;
    }

    static uint64_t GetSize(uint32_t message)
    {
        return 1 + message % 10'007;
    }

    static void LosePackets(const TestRail& rail)
    {
        for (std::size_t i = 0; rail.options.transport && i < rail.devices.size(); i++)
        {
            auto model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(0.01);
            model->AssignStreams(i);
            rail.devices[i]->SetAttribute("ReceiveErrorModel", PointerValue(model));
        }
    }
};

TEST_P(PairLoad, SeventyThousandMessagesOneAfterTheOther)
{
    TestRail rail(GetOptions());
    LosePackets(rail);
    rail.CloseRing({0, 1});
    MessageStream stream(rail, 2 * MESSAGES, 8);
    Simulator::Run();
    EXPECT_EQ(stream.received, 2 * MESSAGES);
    EXPECT_EQ(stream.delivered, 2 * MESSAGES);
    EXPECT_TRUE(rail.failures.empty());
    EXPECT_EQ(rail.GetCounters().retransmitted > 0, std::string(GetParam()) == "recovered");
    EXPECT_LE(stream.marks.GetGrowth(), FLAT);
}

TEST_P(PairLoad, SeventyThousandMessagesAtOnce)
{
    TestRail rail(GetOptions());
    LosePackets(rail);
    rail.JoinPair();
    const int64_t before = GetAllocated();
    uint32_t received = 0;
    uint32_t delivered = 0;
    std::vector<bool> seen(MESSAGES, false);
    for (uint32_t i = 0; i < MESSAGES; i++)
    {
        const MessageKey key{1, i, 0};
        // Sizes by which a message can be told from those near it.
        rail.endpoints[1]->Receive(0, key, GetSize(i), [&, i](const Message& message, Time) {
            EXPECT_EQ(message.bytes, GetSize(i));
            EXPECT_FALSE(seen[i]);
            seen[i] = true;
            received++;
        });
    }
    for (uint32_t i = 0; i < MESSAGES; i++)
    {
        rail.endpoints[0]->Send(1, 0, 0, {1, i, 0}, GetSize(i), Cause(), [&](auto&) {
            delivered++;
        });
    }
    const int64_t queued = GetAllocated();
    Simulator::Run();
    EXPECT_EQ(received, MESSAGES);
    EXPECT_EQ(delivered, MESSAGES);
    EXPECT_TRUE(rail.failures.empty());
    // Some hundred bytes for each that waits, and most of them are given back. What stays are the
    // containers of the queues, which do not shrink.
    EXPECT_LE(queued - before, 1'000 * int64_t(MESSAGES));
    EXPECT_LE(GetAllocated() - before, 64 * int64_t(MESSAGES));
}

INSTANTIATE_TEST_SUITE_P(Load,
                         PairLoad,
                         testing::Values("plain", "acknowledged", "recovered"),
                         [](const auto& info) { return std::string(info.param); });

/// Jobs of many steps, each with the options that it adds.
class JobLoad : public testing::TestWithParam<std::pair<std::string, std::vector<std::string>>>
{
};

TEST_P(JobLoad, HasFlatMemory)
{
    LongJob job(With(SMALL, GetParam().second));
    const uint32_t steps = GetParam().first == "FatTree" ? 100 : 400;
    job.Run(steps);
    EXPECT_TRUE(job.finished);
    EXPECT_EQ(job.result.stepTimes.size(), steps);
    // Step times are kept for the summary, 8 bytes each.
    EXPECT_LE(job.marks.GetGrowth(), FLAT + 2 * 8 * steps);
}

INSTANTIATE_TEST_SUITE_P(
    Load,
    JobLoad,
    testing::Values(
        std::pair(std::string("OnDemand"), std::vector<std::string>{"--control=on-demand", DELAY}),
        std::pair(std::string("Provisioned"),
                  std::vector<std::string>{"--control=provisioned", DELAY}),
        std::pair(std::string("OneShot"), std::vector<std::string>{"--control=one-shot", DELAY}),
        std::pair(std::string("Delay"),
                  std::vector<std::string>{"--controlPath=delay", "--fidelity=collective", DELAY}),
        std::pair(std::string("Instant"),
                  std::vector<std::string>{"--controlPath=instant", "--fidelity=message", DELAY}),
        std::pair(std::string("Electrical"), std::vector<std::string>{"--fabric=electrical-ideal"}),
        std::pair(std::string("Rails"),
                  std::vector<std::string>{"--fabric=electrical-rail",
                                           "--acknowledgements=on",
                                           "--retransmission=go-back-n",
                                           "--congestionControl=dcqcn"}),
        std::pair(std::string("FatTree"),
                  std::vector<std::string>{"--fabric=fat-tree",
                                           "--switchRadix=3",
                                           "--placement=rail",
                                           "--loadBalancing=random"}),
        std::pair(std::string("SipRing"),
                  std::vector<std::string>{"--fabric=sip-ring", "--fidelity=message"}),
        std::pair(std::string("SipOcs"),
                  std::vector<std::string>{"--fabric=sip-ocs",
                                           "--fidelity=message",
                                           "--epoch=100us",
                                           "--reconfigurationDelay=20us"})),
    [](const auto& info) { return info.param.first; });

TEST(Load, ADayOfSteps)
{
    // Steps of 45 s, as slow GPUs compute them.
    LongJob job(GetDayOptions("--peakFlops=40GFLOP/s"));
    constexpr uint32_t steps = 2'000;
    job.Run(steps);
    EXPECT_TRUE(job.finished);
    EXPECT_EQ(job.result.stepTimes.size(), steps);
    EXPECT_GE(job.result.TotalTime(), Hours(24));
    EXPECT_GE(job.result.reconfigurations, 10 * steps);
    EXPECT_GT(job.result.exposedReconfigurations, 0);
    EXPECT_LE(job.marks.GetGrowth(), FLAT + 2 * 8 * steps);
}

} // namespace photonic
} // namespace ns3
