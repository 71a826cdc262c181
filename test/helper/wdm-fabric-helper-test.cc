/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload/workload-test-helper.h"

#include "ns3/training-fabric-helper.h"

#include <gtest/gtest.h>
#include <set>

namespace ns3
{
namespace photonic
{
namespace
{

class WdmFabricHelper : public testing::Test
{
  protected:
    void TearDown() override
    {
        Simulator::Destroy();
    }
};

TEST_F(WdmFabricHelper, WhoTalksHasAPortForTheOther)
{
    TrafficMatrix traffic(4);
    traffic.Set(0, 1, 5);
    traffic.Set(3, 0, 1);
    const auto fabric = TrainingFabricHelper().InstallWdm(ParallelPlan({1, 1, 4, 1}), traffic);
    EXPECT_EQ(fabric.ports[0].size(), 2U);
    EXPECT_EQ(fabric.ports[1].size(), 1U);
    EXPECT_EQ(fabric.ports[2].size(), 0U);
    EXPECT_EQ(fabric.ports[3].size(), 1U);
    fabric.wdm->Preset({{0, 1, 1}, {1, 0, 1}, {0, 3, 1}, {3, 0, 1}});
    // The device that a lane names leads to the one that it names at the other end.
    EXPECT_EQ(fabric.GetLaneTo(0, 1).localPort, 0U);
    EXPECT_EQ(fabric.GetLaneTo(0, 3).localPort, 1U);
    EXPECT_EQ(fabric.GetLaneTo(3, 0).remotePort, 1U);
    EXPECT_CONTAINS(GetRefusal([&] { fabric.GetLaneTo(1, 2); }), "rank 1 has no port for rank 2");
    EXPECT_EQ(fabric.GetPeerLanes(0, 3).size(), 1U);
    EXPECT_TRUE(fabric.GetPeerLanes(1, 2).empty());
}

TEST_F(WdmFabricHelper, ARingHasALaneEachWayAndAPairHasOne)
{
    const ParallelPlan plan({1, 2, 3, 1});
    TrafficMatrix traffic(6);
    for (const auto& [a, b] : std::vector<std::pair<uint32_t, uint32_t>>{{0, 1},
                                                                         {1, 2},
                                                                         {2, 0},
                                                                         {3, 4},
                                                                         {4, 5},
                                                                         {5, 3},
                                                                         {0, 3},
                                                                         {1, 4},
                                                                         {2, 5}})
    {
        traffic.Set(a, b, 1);
    }
    const auto fabric = TrainingFabricHelper().InstallWdm(plan, traffic);
    const auto ring = fabric.GetLanes(1, plan.GetGroup(1, GroupSlot::FSDP), GroupSlot::FSDP);
    ASSERT_EQ(ring.size(), 2U);
    EXPECT_EQ(ring[0].localPort, fabric.portTo[1].at(2));
    EXPECT_EQ(ring[0].remotePort, fabric.portTo[2].at(1));
    EXPECT_EQ(ring[1].localPort, fabric.portTo[1].at(0));
    EXPECT_EQ(ring[1].remotePort, fabric.portTo[0].at(1));
    for (const auto slot : {GroupSlot::PP, GroupSlot::PP_NEXT})
    {
        const auto pair = fabric.GetLanes(1, plan.GetGroup(1, slot), slot);
        ASSERT_EQ(pair.size(), 1U);
        EXPECT_EQ(pair[0].localPort, fabric.portTo[1].at(4));
        EXPECT_EQ(pair[0].remotePort, fabric.portTo[4].at(1));
    }
}

TEST_F(WdmFabricHelper, MorePeersThanAddressesAreRefusedWithBothNumbers)
{
    TrafficMatrix traffic(33);
    for (uint32_t rank = 1; rank < 33; rank++)
    {
        traffic.Set(rank, 0, 1);
    }
    EXPECT_CONTAINS(GetRefusal([&] {
                        TrainingFabricHelper().InstallWdm(ParallelPlan({1, 1, 33, 1}), traffic);
                    }),
                    "rank 0 talks to 32 others: expected at most 31");
}

TEST_F(WdmFabricHelper, OrderIsByRankOrByRail)
{
    const ParallelPlan plan({2, 1, 3, 2});
    EXPECT_EQ(TrainingFabricHelper::GetOrder(plan, Placement::RANK),
              (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(TrainingFabricHelper::GetOrder(plan, Placement::RAIL),
              (std::vector<uint32_t>{0, 2, 4, 1, 3, 5}));
}

} // namespace
} // namespace photonic
} // namespace ns3
