/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "job/test-job.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

/// @return when an all-reduce inside a node of four GPUs ends
Time
RunScaleUp(uint64_t bytes, bool packets)
{
    TestJob::Options options;
    options.degrees.tp = 4;
    options.scaleUpPackets = packets;
    options.scaleUpRate = 3'600'000'000'000;
    options.scaleUpLatency = NanoSeconds(500);
    options.programs = {{MakeCollective("t", GroupSlot::TP, Kind::ALL_REDUCE, bytes, 0)}};
    TestJob t(options);
    EXPECT_EQ(t.ports.size(), 4U * 2); // of the NICs, whatever the scale-up domain has
    return t.Run();
}

} // namespace

TEST(TrainingJobHelper, ScaleUpPacketsTakeAboutTheTimeOfMessages)
{
    const uint64_t bytes = 40'360'000;
    const Time messages = RunScaleUp(bytes, false);
    const Time packets = RunScaleUp(bytes, true);
    // Six steps of a quarter of the bytes; packets carry 98 bytes of headers each.
    const ExactLine line{3'600'000'000'000};
    const Time step = line.Arrival(Time(0), bytes / 4, NanoSeconds(500));
    const Time packetStep = line.Arrival(Time(0), GetWireBytes(bytes / 4, 4096), NanoSeconds(500));
    EXPECT_EQ(messages, step * 6);
    EXPECT_EQ(packets, packetStep * 6);
    EXPECT_LT((packets - messages).GetSeconds(), 0.03 * messages.GetSeconds());
}

TEST(TrainingJobHelper, ManyNodesHaveADomainEach)
{
    for (bool packets : {false, true})
    {
        TestJob::Options options;
        options.degrees.tp = 2;
        options.degrees.fsdp = 3;
        options.scaleUpPackets = packets;
        options.scaleUpRate = MICROSECOND_RATE;
        options.programs = {
            {MakeCollective("t", GroupSlot::TP, Kind::ALL_GATHER, 2 * (packets ? FULL : 4134), 0)}};
        TestJob t(options);
        EXPECT_EQ(t.Run(), NanoSeconds(1500));
        for (uint32_t rank = 0; rank < 6; rank++)
        {
            EXPECT_EQ(t.GetEnd(rank, "t"), NanoSeconds(1500));
        }
    }
}

TEST(TrainingJobHelper, GroupsInsideANodeUseItsScaleUpDomain)
{
    // Four GPUs a node: the FSDP group of two is inside, the pipeline is not.
    TestJob::Options options;
    options.degrees = {2, 2, 2, 4};
    const auto gather = MakeCollective("f", GroupSlot::FSDP, Kind::ALL_GATHER, 2000, 0);
    options.programs = {
        {gather, MakeTransfer("p", GroupSlot::PP_NEXT, Kind::SEND, FULL, 0, 0)},
        {gather, MakeTransfer("p", GroupSlot::PP_PREVIOUS, Kind::RECEIVE, 0, FULL, 0)}};
    TestJob t(options);
    t.Run();
    for (uint32_t rank = 0; rank < 8; rank++)
    {
        EXPECT_EQ(t.GetEnd(rank, "f"), NanoSeconds(1500)); // 1,000 bytes each way
        EXPECT_EQ(t.GetEnd(rank, "p"), NanoSeconds(1100));
    }
    uint64_t packets = 0;
    for (auto* port : t.ports)
    {
        packets += port->GetPacketsReceived();
    }
    EXPECT_EQ(packets, 4U);
}

TEST(TrainingJobHelper, KnowsWhichGroupsLeaveTheNode)
{
    const ParallelPlan plan({2, 3, 2, 2});
    // The middle stage: its FSDP group, the whole pipeline, and a pair on either side.
    const auto groups = TrainingJobHelper::GetScaleOutGroups(plan, 5);
    ASSERT_EQ(groups.size(), 4U);
    EXPECT_EQ(groups[0].ranks, (std::vector<uint32_t>{5, 7}));
    EXPECT_EQ(groups[1].ranks, (std::vector<uint32_t>{1, 5, 9}));
    EXPECT_EQ(groups[2].ranks, (std::vector<uint32_t>{5, 9}));
    EXPECT_EQ(groups[3].ranks, (std::vector<uint32_t>{1, 5}));
    EXPECT_EQ(groups[0].slot, GroupSlot::FSDP);
    EXPECT_EQ(groups[1].slot, GroupSlot::PP);
    EXPECT_EQ(groups[2].slot, GroupSlot::PP_NEXT);
    EXPECT_EQ(groups[3].slot, GroupSlot::PP_PREVIOUS);
    EXPECT_EQ(TrainingJobHelper::GetScaleOutGroups(plan, 0).size(), 3U);
    EXPECT_TRUE(TrainingJobHelper::GetScaleOutGroups(ParallelPlan({4, 1, 1, 4}), 3).empty());
}

TEST(TrainingJobHelper, WantsAProgramPerStage)
{
    const auto program = Create<StepProgram>(std::vector<Operation>{});
    EXPECT_THROW(TrainingJobHelper(ParallelPlan({1, 2, 1, 1}), {program}), std::invalid_argument);
    EXPECT_THROW(TrainingJobHelper(ParallelPlan({1, 1, 1, 1}), {program, program}),
                 std::invalid_argument);
}

} // namespace photonic
} // namespace ns3
