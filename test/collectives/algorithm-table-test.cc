/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fidelity-scenario.h"
#include "test-group.h"

#include "ns3/algorithm-table.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

std::string
Name(const AlgorithmTable& table, Kind kind, uint32_t n, uint64_t bytes)
{
    return table.Find(kind, n, bytes).GetName();
}

} // namespace

TEST(AlgorithmTable, IsARingUnlessToldOtherwise)
{
    const AlgorithmTable table;
    for (Kind kind : {Kind::ALL_GATHER, Kind::REDUCE_SCATTER, Kind::ALL_REDUCE, Kind::BROADCAST})
    {
        EXPECT_EQ(Name(table, kind, 8, 1), "ring");
        EXPECT_TRUE(table.Find(kind, 8, 1).UsesRingLanes(kind));
    }
    EXPECT_EQ(Name(table, Kind::ALL_TO_ALL, 8, 1), "pairwise");
}

TEST(AlgorithmTable, TheFirstRuleThatFitsCounts)
{
    AlgorithmTable table;
    const auto tree = AlgorithmTable::FindAlgorithm("double-binary-tree");
    const auto halving = AlgorithmTable::FindAlgorithm("halving-doubling");
    table.Add({Kind::ALL_REDUCE, tree, 8, 64, 0, 1 << 20});
    table.Add({Kind::ALL_REDUCE, halving, 2, 16});
    EXPECT_EQ(Name(table, Kind::ALL_REDUCE, 8, 1 << 20), "double-binary-tree");
    EXPECT_EQ(Name(table, Kind::ALL_REDUCE, 64, 0), "double-binary-tree");
    EXPECT_EQ(Name(table, Kind::ALL_REDUCE, 8, (1 << 20) + 1), "halving-doubling");
    EXPECT_EQ(Name(table, Kind::ALL_REDUCE, 7, 5), "halving-doubling");
    EXPECT_EQ(Name(table, Kind::ALL_REDUCE, 65, 5), "ring");
    EXPECT_EQ(Name(table, Kind::ALL_GATHER, 8, 5), "ring");
}

TEST(AlgorithmTable, RefusesByName)
{
    AlgorithmTable table;
    EXPECT_THROW(table.Add({Kind::ALL_GATHER, AlgorithmTable::FindAlgorithm("double-binary-tree")}),
                 std::invalid_argument);
    try
    {
        AlgorithmTable::FindAlgorithm("butterfly");
        FAIL();
    }
    catch (const std::invalid_argument& e)
    {
        EXPECT_SAYS(e.what(), "'butterfly'");
        for (const auto& name : AlgorithmTable::GetNames())
        {
            EXPECT_SAYS(e.what(), name);
            EXPECT_EQ(AlgorithmTable::FindAlgorithm(name)->GetName(), name);
        }
    }
}

TEST(AlgorithmTable, CollectiveFidelityRefusesWhatItCannotSolve)
{
    TestRail rail({});
    auto endpoint = rail.endpoints[0];
    const auto port = endpoint->AddPort(
        SolvedPort::CreateScaleUp(*endpoint, DataRate("100Gbps"), NanoSeconds(100)));
    auto member = CreateObject<Communicator>();
    member->Configure(5, {0, 1}, endpoint, {{port, port}});
    member->SetGroup(Create<SolvedGroup>());
    try
    {
        member->AllToAll(100, nullptr);
        FAIL();
    }
    catch (const std::invalid_argument& e)
    {
        EXPECT_SAYS(e.what(), "communicator 5");
        EXPECT_SAYS(e.what(), "'all-to-all'");
        EXPECT_SAYS(e.what(), "'pairwise'");
    }
    EXPECT_EQ(member->GetRunning(), 0U);
    member->AllReduce(100, nullptr); // a ring can be solved
    EXPECT_EQ(member->GetRunning(), 1U);
    member->Dispose();
}

} // namespace photonic
} // namespace ns3
