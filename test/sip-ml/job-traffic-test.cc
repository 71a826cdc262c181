/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload/workload-test-helper.h"

#include "ns3/job-traffic.h"
#include "ns3/step-program-builder.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace photonic
{
namespace
{

TEST(JobTraffic, CountsRingsAndTransfersByHand)
{
    // Ranks 0 to 3 are stage 0, ranks 4 to 7 stage 1; a ring of four moves 3/4 of its bytes.
    using Kind = CollectiveKind;
    Operation gather;
    gather.slot = GroupSlot::FSDP;
    gather.kind = Kind::ALL_GATHER;
    gather.bytes = 8000;
    Operation send;
    send.slot = GroupSlot::PP_NEXT;
    send.kind = Kind::SEND;
    send.bytes = 500;
    Operation receive;
    receive.slot = GroupSlot::PP_PREVIOUS;
    receive.kind = Kind::RECEIVE;
    receive.receiveBytes = 500;
    const auto traffic = CountJobTraffic(ParallelPlan({1, 2, 4, 1}),
                                         {Create<StepProgram>(std::vector<Operation>{gather, send}),
                                          Create<StepProgram>(std::vector<Operation>{receive})});
    EXPECT_EQ(traffic.Get(0, 1), 3001U);
    EXPECT_EQ(traffic.Get(0, 3), 3001U);
    EXPECT_EQ(traffic.Get(0, 2), 0U);
    EXPECT_EQ(traffic.Get(4, 5), 1U); // nothing to say, but neighbours
    // The pair sends 500; the ring of the pipeline, both ways to the same peer, and the pair as
    // seen from either end count a byte each.
    EXPECT_EQ(traffic.Get(0, 4), 500U + 4);
    EXPECT_EQ(traffic.Get(4, 0), 4U);
}

TEST(JobTraffic, AnAllToAllIsForAllPeers)
{
    Operation exchange;
    exchange.slot = GroupSlot::FSDP;
    exchange.kind = CollectiveKind::ALL_TO_ALL;
    exchange.bytes = 4002; // shares of 1001, 1001, 1000 and 1000
    const auto traffic = CountJobTraffic(ParallelPlan({1, 1, 4, 1}),
                                         {Create<StepProgram>(std::vector<Operation>{exchange})});
    EXPECT_EQ(traffic.Get(0, 1), 1002U); // a neighbour
    EXPECT_EQ(traffic.Get(0, 2), 1000U);
    EXPECT_EQ(traffic.Get(0, 3), 1001U);
    EXPECT_EQ(traffic.Get(2, 0), 1001U);
    EXPECT_EQ(traffic.Get(2, 2), 0U);
}

TEST(JobTraffic, AddsUpToWhatTheJobSends)
{
    for (const auto& degrees : {ParallelPlan::Degrees{1, 3, 4, 0}, {2, 2, 2, 0, 3}, {4, 1, 5, 0}})
    {
        TrainingPlan plan = MakePlan(6, 1, 1, 1, 3);
        plan.degrees = degrees;
        const auto programs = BuildStepPrograms(plan);
        const ParallelPlan ranks(degrees);
        uint64_t sent = 0;
        uint64_t neighbours = 0;
        for (uint32_t rank = 0; rank < ranks.GetRanks(); rank++)
        {
            for (const auto& o : programs[ranks.GetCoordinates(rank).pp]->GetOperations())
            {
                if (o.IsCompute() || ranks.IsScaleUp(ranks.GetGroup(rank, o.slot)))
                {
                    continue;
                }
                if (o.kind >= CollectiveKind::SEND)
                {
                    sent += o.bytes;
                    continue;
                }
                const auto group = ranks.GetGroup(rank, o.slot);
                if (group.ranks.front() == rank)
                {
                    sent += (group.ranks.size() - 1) * o.bytes *
                            (o.kind == CollectiveKind::ALL_REDUCE ? 2 : 1);
                }
            }
            for (GroupSlot slot : TRAFFIC_SLOTS)
            {
                neighbours +=
                    ranks.HasGroup(rank, slot) && !ranks.IsScaleUp(ranks.GetGroup(rank, slot)) ? 2
                                                                                               : 0;
            }
        }
        uint64_t counted = 0;
        for (const auto& demand : CountJobTraffic(ranks, programs).GetDemands())
        {
            counted += demand.bytes;
        }
        EXPECT_EQ(counted, sent + neighbours);
    }
}

} // namespace
} // namespace photonic
} // namespace ns3
