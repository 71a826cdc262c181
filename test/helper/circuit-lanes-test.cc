/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload/workload-test-helper.h"

#include "ns3/circuit-lanes.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace photonic
{
namespace
{

using Lane = Communicator::Lane;

void
ExpectLanes(const std::vector<Lane>& lanes, const std::vector<uint32_t>& ports)
{
    ASSERT_EQ(lanes.size(), ports.size());
    for (std::size_t i = 0; i < lanes.size(); i++)
    {
        EXPECT_EQ(lanes[i].localPort, ports[i]);
        EXPECT_EQ(lanes[i].remotePort, ports[i]);
    }
}

TEST(CircuitLanes, ARingHasLanesInPairs)
{
    // Switches 0 and 3 go up, 1 and 2 down; of three GPUs the last has only one way down.
    const ParallelPlan plan({1, 1, 3, 1});
    const auto lanes = FindCircuitLanes(plan, {{1, 2, 0}, {2, 0, 1}, {2, 0, 2}, {1, 2, 0}});
    const uint32_t ring = plan.GetGroup(0, GroupSlot::FSDP).id;
    ExpectLanes(lanes[0].at(ring), {0, 1});
    ExpectLanes(lanes[1].at(ring), {0, 1});
    ExpectLanes(lanes[2].at(ring), {0, 1});
}

TEST(CircuitLanes, TwoRanksHaveALaneForEachCircuit)
{
    const ParallelPlan plan({1, 1, 2, 1});
    const auto lanes = FindCircuitLanes(plan, {{1, 0}, {1, 0}, {1, 1}, {1, 0}});
    const uint32_t ring = plan.GetGroup(0, GroupSlot::FSDP).id;
    ExpectLanes(lanes[0].at(ring), {0, 1, 2});
    ExpectLanes(lanes[1].at(ring), {0, 1, 3});
}

TEST(CircuitLanes, NeighboursThatCannotTalkAreNamed)
{
    const ParallelPlan plan({1, 1, 3, 1});
    EXPECT_CONTAINS(GetRefusal([&] { FindCircuitLanes(plan, {{1, 2, 0}}); }),
                    "no circuit leads from rank 1 to rank 0");
}

} // namespace
} // namespace photonic
} // namespace ns3
