/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/port-layout.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

using Lanes = std::vector<std::pair<uint32_t, uint32_t>>;

/// @return local and remote port of each lane
Lanes
Get(const PortLayout& layout, GroupSlot slot)
{
    Lanes lanes;
    for (const auto& lane : layout.GetLanes(slot))
    {
        lanes.emplace_back(lane.localPort, lane.remotePort);
    }
    return lanes;
}

Lanes
Mirror(Lanes lanes)
{
    for (auto& lane : lanes)
    {
        std::swap(lane.first, lane.second);
    }
    return lanes;
}

constexpr GroupSlot RINGS[] = {GroupSlot::TP, GroupSlot::FSDP, GroupSlot::PP};

} // namespace

TEST(PortLayout, TheRateIsSplitEvenlyOverThePorts)
{
    const auto two = PortLayout::Shared(DataRate("400Gbps"), 2, PipelineLanes::ONE_PER_NEIGHBOUR);
    ASSERT_EQ(two.ports.size(), 2U);
    EXPECT_EQ(two.ports[0], DataRate("200Gbps"));
    EXPECT_EQ(two.ports[1], DataRate("200Gbps"));
    const auto odd = PortLayout::Shared(DataRate(7), 2, PipelineLanes::ONE_PER_NEIGHBOUR);
    EXPECT_EQ(odd.ports[0], DataRate(3));
    EXPECT_EQ(odd.ports[1], DataRate(3));
    const auto one = PortLayout::Shared(DataRate("400Gbps"), 1, PipelineLanes::ONE_PER_NEIGHBOUR);
    ASSERT_EQ(one.ports.size(), 1U);
    EXPECT_EQ(one.ports[0], DataRate("400Gbps"));
}

TEST(PortLayout, RefusesOtherNumbersOfPorts)
{
    EXPECT_THROW(PortLayout::Shared(DataRate("400Gbps"), 0, PipelineLanes::ONE_PER_NEIGHBOUR),
                 std::invalid_argument);
    EXPECT_THROW(PortLayout::Shared(DataRate("400Gbps"), 3, PipelineLanes::ONE_PER_NEIGHBOUR),
                 std::invalid_argument);
}

TEST(PortLayout, TheHalfRingsUseOnePortEach)
{
    const auto layout =
        PortLayout::Shared(DataRate("400Gbps"), 2, PipelineLanes::ONE_PER_NEIGHBOUR);
    for (GroupSlot slot : RINGS)
    {
        EXPECT_EQ(Get(layout, slot), (Lanes{{0, 1}, {1, 0}})) << ToString(slot);
    }
}

TEST(PortLayout, APipelineHasAPortPerNeighbour)
{
    const auto layout =
        PortLayout::Shared(DataRate("400Gbps"), 2, PipelineLanes::ONE_PER_NEIGHBOUR);
    EXPECT_EQ(Get(layout, GroupSlot::PP_NEXT), (Lanes{{0, 1}}));
    EXPECT_EQ(Get(layout, GroupSlot::PP_PREVIOUS), (Lanes{{1, 0}}));
}

TEST(PortLayout, AStripedPipelineUsesBothPortsSideBySide)
{
    const auto layout = PortLayout::Shared(DataRate("400Gbps"), 2, PipelineLanes::STRIPED);
    EXPECT_EQ(Get(layout, GroupSlot::PP_NEXT), (Lanes{{0, 0}, {1, 1}}));
    EXPECT_EQ(Get(layout, GroupSlot::PP_PREVIOUS), (Lanes{{0, 0}, {1, 1}}));
    EXPECT_EQ(Get(layout, GroupSlot::PP), (Lanes{{0, 1}, {1, 0}})); // rings are the same
}

TEST(PortLayout, APipelineThatTurnsItsCircuitsHasBothPortsForEachNeighbour)
{
    const auto layout = PortLayout::Shared(DataRate("400Gbps"), 2, PipelineLanes::BOTH_TO_PEER);
    // As a ring of two: port 0 of one end meets port 1 of the other.
    for (GroupSlot slot : {GroupSlot::PP_NEXT, GroupSlot::PP_PREVIOUS})
    {
        const auto lanes = Get(layout, slot);
        ASSERT_EQ(lanes.size(), 2U);
        EXPECT_EQ(lanes, Mirror({lanes[1], lanes[0]}));
        EXPECT_NE(lanes[0].first, lanes[0].second);
        EXPECT_NE(lanes[0].first, lanes[1].first);
    }
}

TEST(PortLayout, WithOnePortThereIsOneLane)
{
    const auto layout = PortLayout::Shared(DataRate("400Gbps"), 1, PipelineLanes::STRIPED);
    for (GroupSlot slot : {GroupSlot::TP,
                           GroupSlot::FSDP,
                           GroupSlot::PP,
                           GroupSlot::PP_NEXT,
                           GroupSlot::PP_PREVIOUS})
    {
        EXPECT_EQ(Get(layout, slot), (Lanes{{0, 0}})) << ToString(slot);
    }
}

TEST(PortLayout, SplitLanesHavePortsOfTheirOwn)
{
    const auto both = PortLayout::Split(DataRate("250Gbps"), DataRate("150Gbps"));
    EXPECT_EQ(both.ports,
              (std::vector<DataRate>{DataRate("250Gbps"),
                                     DataRate("250Gbps"),
                                     DataRate("150Gbps"),
                                     DataRate("150Gbps")}));
    EXPECT_EQ(Get(both, GroupSlot::FSDP), (Lanes{{0, 1}, {1, 0}}));
    EXPECT_EQ(Get(both, GroupSlot::PP), (Lanes{{2, 3}, {3, 2}}));
    EXPECT_EQ(Get(both, GroupSlot::PP_NEXT), (Lanes{{2, 3}}));
    EXPECT_EQ(Get(both, GroupSlot::PP_PREVIOUS), (Lanes{{3, 2}}));
}

TEST(PortLayout, AnAbsentParallelismHasNoLanes)
{
    const auto ring = PortLayout::Split(DataRate("200Gbps"), DataRate(0));
    EXPECT_EQ(ring.ports.size(), 2U);
    EXPECT_EQ(Get(ring, GroupSlot::FSDP).size(), 2U);
    EXPECT_TRUE(Get(ring, GroupSlot::PP_NEXT).empty());
    const auto pipeline = PortLayout::Split(DataRate(0), DataRate("200Gbps"));
    EXPECT_EQ(pipeline.ports.size(), 2U);
    EXPECT_EQ(Get(pipeline, GroupSlot::PP_NEXT), (Lanes{{0, 1}}));
    EXPECT_TRUE(Get(pipeline, GroupSlot::FSDP).empty());
    EXPECT_TRUE(PortLayout::Split(DataRate(0), DataRate(0)).ports.empty());
}

TEST(PortLayout, BothEndsOfALaneNameTheSamePorts)
{
    for (const auto& layout :
         {PortLayout::Shared(DataRate("400Gbps"), 1, PipelineLanes::ONE_PER_NEIGHBOUR),
          PortLayout::Shared(DataRate("400Gbps"), 2, PipelineLanes::ONE_PER_NEIGHBOUR),
          PortLayout::Shared(DataRate("400Gbps"), 2, PipelineLanes::STRIPED),
          PortLayout::Split(DataRate("1Gbps"), DataRate("2Gbps"))})
    {
        // What a stage sends by, the next one receives by, and the other way round.
        EXPECT_EQ(Get(layout, GroupSlot::PP_NEXT), Mirror(Get(layout, GroupSlot::PP_PREVIOUS)));
        for (GroupSlot slot : RINGS)
        {
            const auto lanes = Get(layout, slot);
            EXPECT_EQ(lanes.front(), Mirror(lanes).back());
        }
    }
}

} // namespace photonic
} // namespace ns3
