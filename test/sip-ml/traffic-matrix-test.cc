/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ml/sip-ml-test-helper.h"

#include "ns3/traffic-matrix.h"

#include <stdexcept>

using namespace ns3;
using namespace ns3::photonic;

TEST(TrafficMatrix, KeepsWhatItWasGiven)
{
    TrafficMatrix demand(3);
    EXPECT_EQ(demand.GetSize(), 3u);
    EXPECT_EQ(demand.GetMax(), 0u);
    EXPECT_TRUE(demand.GetDemands().empty());
    demand.Set(2, 0, UINT64_MAX);
    demand.Set(0, 1, 7);
    demand.Set(1, 0, 5);
    demand.Set(1, 0, 0);
    EXPECT_EQ(demand.GetMax(), UINT64_MAX);
    EXPECT_EQ(demand.Get(0, 1), 7u);
    const auto demands = demand.GetDemands();
    ASSERT_EQ(demands.size(), 2u);
    EXPECT_EQ(demands[0].destination, 1u);
    EXPECT_EQ(demands[1].source, 2u);
    EXPECT_EQ(demands[1].bytes, UINT64_MAX);
}

TEST(TrafficMatrix, RefusesWhatIsNoPair)
{
    EXPECT_THROW(TrafficMatrix(1), std::invalid_argument);
    TrafficMatrix demand(3);
    EXPECT_THROW(demand.Set(3, 0, 1), std::invalid_argument);
    EXPECT_THROW(demand.Set(0, 3, 1), std::invalid_argument);
    EXPECT_THROW(demand.Set(1, 1, 1), std::invalid_argument);
}
