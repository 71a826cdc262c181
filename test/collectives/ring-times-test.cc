/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ring-times-table.h"
#include "test-group.h"

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

using Row = RingTimesRow;

/// @return when the operation ends at each rank
std::vector<Time>
RunRow(const Row& row, bool electrical)
{
    TestRail::Options options;
    options.ranks = row.ranks;
    options.rate = row.rate;
    options.mtu = row.mtu;
    options.fibre = row.fibre;
    options.electrical = electrical;
    TestRail rail(options);
    rail.CloseRing(Range(row.ranks));
    TestGroup group(rail, 1, Range(row.ranks), TestGroup::RingLanes(row.lanes));
    std::vector<TestGroup::End> ends(row.ranks);
    for (uint32_t i = 0; i < row.ranks; i++)
    {
        Simulator::Schedule(row.starts[i], [&, i] {
            group.Start(i, TestGroup::MakeRequest(row.kind, row.bytes), ends[i]);
        });
    }
    Simulator::Run();
    EXPECT_TRUE(rail.failures.empty());
    std::vector<Time> done;
    for (uint32_t i = 0; i < row.ranks; i++)
    {
        EXPECT_EQ(group.members[i]->GetRunning(), 0U);
        done.push_back(ends[i].done);
    }
    return done;
}

} // namespace

TEST(RingTimes, TheReferenceHasEnoughCases)
{
    const auto rows = ReadRingTimes();
    EXPECT_GE(rows.size(), 100U);
    for (uint32_t n : {1U, 2U, 3U, 5U, 6U, 7U, 8U, 10U, 24U})
    {
        EXPECT_TRUE(
            std::any_of(rows.begin(), rows.end(), [n](const Row& r) { return r.ranks == n; }))
            << n << " ranks";
    }
}

TEST(RingTimes, CircuitsAgreeWithTheReferenceToTheTick)
{
    for (const auto& row : ReadRingTimes())
    {
        SCOPED_TRACE(row.text);
        EXPECT_EQ(RunRow(row, false), row.done);
    }
}

TEST(RingTimes, TheIdealPacketSwitchAgreesWithTheReferenceToTheTick)
{
    for (const auto& row : ReadRingTimes())
    {
        SCOPED_TRACE(row.text);
        EXPECT_EQ(RunRow(row, true), row.done);
    }
}

TEST(RingTimes, EqualChunksTakeTheClosedForm)
{
    // A chunk of k full packets takes k us, and each of the steps 100 ns of fibre.
    for (uint32_t n : {2U, 3U, 5U, 6U, 7U, 8U, 10U, 24U})
    {
        for (uint64_t k : {1U, 4U})
        {
            for (bool electrical : {false, true})
            {
                SCOPED_TRACE(std::to_string(n) + " ranks, " + std::to_string(k) + " packets, " +
                             (electrical ? "electrical" : "photonic"));
                Row row;
                row.ranks = n;
                row.bytes = 2 * n * k * FULL;
                row.lanes = 2;
                row.rate = MICROSECOND_RATE;
                row.mtu = 4096;
                row.fibre = NanoSeconds(50);
                row.starts.assign(n, Time(0));
                const Time step = MicroSeconds(k) + NanoSeconds(100);
                for (Kind kind : {Kind::ALL_GATHER, Kind::REDUCE_SCATTER})
                {
                    row.kind = kind;
                    EXPECT_EQ(RunRow(row, electrical), std::vector<Time>(n, step * (n - 1)));
                }
                row.kind = Kind::ALL_REDUCE;
                EXPECT_EQ(RunRow(row, electrical), std::vector<Time>(n, step * (2 * (n - 1))));
                // One lane has to carry twice as much.
                row.lanes = 1;
                const Time longStep = MicroSeconds(2 * k) + NanoSeconds(100);
                EXPECT_EQ(RunRow(row, electrical), std::vector<Time>(n, longStep * (2 * (n - 1))));
            }
        }
    }
}

TEST(RingTimes, ABroadcastIsAPipelineOfChunks)
{
    // In each direction n chunks of k us leave the root one after another and pass n-1 lines.
    for (uint32_t n : {2U, 3U, 8U})
    {
        Row row;
        row.kind = Kind::BROADCAST;
        row.ranks = n;
        row.bytes = 2 * n * 3 * FULL;
        row.lanes = 2;
        row.rate = MICROSECOND_RATE;
        row.mtu = 4096;
        row.fibre = NanoSeconds(50);
        row.starts.assign(n, Time(0));
        const Time chunk = MicroSeconds(3);
        const auto done = RunRow(row, false);
        // Every rank but the root is the last one of one of the two directions, or waits for it.
        const Time last = chunk * n + (chunk + NanoSeconds(100)) * (n - 2) + NanoSeconds(100);
        EXPECT_EQ(*std::max_element(done.begin(), done.end()), last) << n << " ranks";
        EXPECT_EQ(done[0], chunk * n + NanoSeconds(100)) << n << " ranks";
    }
}

TEST(RingTimes, OneByteTravelsAlone)
{
    // Chunk 0 of the first direction is all there is: 24 ranks pass it on 46 times.
    Row row;
    row.kind = Kind::ALL_REDUCE;
    row.ranks = 24;
    row.bytes = 1;
    row.lanes = 2;
    row.rate = 99 * 8 * uint64_t(1'000'000'000) / 100; // 99 bytes on the wire in 100 ns
    row.mtu = 4096;
    row.fibre = NanoSeconds(50);
    row.starts.assign(24, Time(0));
    const auto done = RunRow(row, false);
    EXPECT_EQ(*std::max_element(done.begin(), done.end()), NanoSeconds(200 * 46));
    // Hop h leads from rank 1+h to rank 2+h: 0 and 24 start at rank 1, 23 is the last at rank 0,
    // and 45 leads from rank 22 to rank 23.
    EXPECT_EQ(done[1], NanoSeconds(200 * 25));
    EXPECT_EQ(done[0], NanoSeconds(200 * 24));
    EXPECT_EQ(done[22], NanoSeconds(200 * 46));
    EXPECT_EQ(done[23], NanoSeconds(200 * 46));
}

} // namespace photonic
} // namespace ns3
