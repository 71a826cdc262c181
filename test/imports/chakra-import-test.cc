/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "chakra-bytes.h"
#include "workload/workload-test-helper.h"

#include "ns3/chakra-file.h"
#include "ns3/chakra-import.h"
#include "ns3/chakra-rank.h"

#include <sstream>

namespace ns3
{
namespace photonic
{

using namespace ChakraBytes;

namespace
{

using Files = std::vector<std::string>; ///< contents of t.0.et, t.1.et, ...
using Part = Operation::Dependency::Part;

/// Needs protocol buffers, as the traces here are bytes.
class ChakraImport : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        try
        {
            RequireChakra();
        }
        catch (const std::invalid_argument& reason)
        {
            GTEST_SKIP() << reason.what();
        }
    }
};

/// A job of GPUs with a node each.
ParallelPlan::Degrees
MakeDegrees(uint32_t pp, uint32_t fsdp, uint32_t dp = 1)
{
    ParallelPlan::Degrees degrees;
    degrees.pp = pp;
    degrees.fsdp = fsdp;
    degrees.dp = dp;
    return degrees;
}

/// Metadata is put before each file.
std::vector<Ptr<const StepProgram>>
Import(const Files& files, const ParallelPlan::Degrees& degrees, const ChakraGroups& groups = {})
{
    return BuildChakraPrograms("t", ParallelPlan(degrees), groups, [&files](uint32_t rank) {
        std::istringstream is(Metadata() + files.at(rank));
        return ReadChakraTrace(is, "t." + std::to_string(rank) + ".et");
    });
}

std::string
RefusalOf(const Files& files, const ParallelPlan::Degrees& degrees, const ChakraGroups& groups = {})
{
    const auto refusal = GetRefusal([&] { Import(files, degrees, groups); });
    EXPECT_EQ(refusal.find('\n'), std::string::npos);
    return refusal;
}

/// Of a job of one rank without groups.
std::string
RefusalOf(const std::string& file)
{
    return RefusalOf(Files{file}, MakeDegrees(1, 1));
}

/// @return "fsdp all-gather 8/0 #0 <- 1 2r (n3)", without dependencies for the stream's order
std::string
Describe(const StepProgram& program, uint32_t i)
{
    const Operation& o = program.GetOperations().at(i);
    std::ostringstream os;
    if (o.IsCompute())
    {
        os << "compute " << o.duration.GetMicroSeconds();
    }
    else
    {
        os << ToString(o.slot) << " " << ToString(o.kind) << " " << o.bytes << "/" << o.receiveBytes
           << " #" << o.counter << " " << ToString(o.parallelism);
    }
    os << " <-";
    for (const auto& d : o.after)
    {
        os << " " << d.operation << (d.part == Part::RECEIVED ? "r" : "");
    }
    os << " (" << o.label << ")";
    return os.str();
}

} // namespace

TEST_F(ChakraImport, MapsGroupsAndPeersToSlots)
{
    // Two stages of two ranks: a gather of 4 bytes from each, work, a transfer up, its answer.
    const ChakraGroups groups{{"5", {1, 0}}, {"6", {2, 3}}};
    const auto lower = [](uint32_t peer) {
        return Collective(1, 2, 4, {}, Text("pg_name", "5")) + Computation(2, 7, {1}) +
               Send(3, peer, 100, 9, {2}) + Receive(4, peer, 50, 9, {2}) + Computation(5, 8, {4}) +
               Collective(6, 0, 12, {3, 5}, Text("pg_name", "5"));
    };
    const auto upper = [](uint32_t peer) {
        return Receive(1, peer, 100, 9) + Computation(2, 7, {1}) + Send(3, peer, 50, 9, {2}) +
               Collective(4, 0, 12, {2}, Text("pg_name", "6"));
    };
    const auto programs =
        Import({lower(2), lower(3), upper(0), upper(1)}, MakeDegrees(2, 2), groups);
    ASSERT_EQ(programs.size(), 2U);
    ASSERT_EQ(programs[0]->GetOperations().size(), 6U);
    EXPECT_EQ(Describe(*programs[0], 0), "fsdp all-gather 8/0 #0 fsdp <- (n1)");
    EXPECT_EQ(Describe(*programs[0], 1), "compute 7 <- 0 (n2)");
    EXPECT_EQ(Describe(*programs[0], 2), "pp-next send 100/0 #0 pp <- 1 (n3)");
    EXPECT_EQ(Describe(*programs[0], 3), "pp-next receive 0/50 #1 pp <- 1 (n4)");
    EXPECT_EQ(Describe(*programs[0], 4), "compute 8 <- 3r (n5)");
    EXPECT_EQ(Describe(*programs[0], 5), "fsdp all-reduce 12/0 #1 fsdp <- 2 4 (n6)");
    ASSERT_EQ(programs[1]->GetOperations().size(), 4U);
    EXPECT_EQ(Describe(*programs[1], 0), "pp-previous receive 0/100 #0 pp <- (n1)");
    EXPECT_EQ(Describe(*programs[1], 1), "compute 7 <- 0r (n2)");
    EXPECT_EQ(Describe(*programs[1], 2), "pp-previous send 50/0 #1 pp <- 1 (n3)");
    EXPECT_EQ(Describe(*programs[1], 3), "fsdp all-reduce 12/0 #0 fsdp <- 1 (n4)");
}

TEST_F(ChakraImport, WithoutAGroupItIsThatOfAllRanks)
{
    for (const std::string& group : {std::string(), Text("pg_name", ""), Text("pg_name", "0")})
    {
        const std::string file = Collective(0, 7, 64, {}, group);
        const auto programs = Import({file, file}, MakeDegrees(1, 1, 2));
        EXPECT_EQ(Describe(*programs[0], 0), "dp reduce-scatter 64/0 #0 dp <- (n0)");
    }
    // A collective over all stages is counted as other, and is not a transfer of its pair.
    const std::string file = Collective(0, 0, 4);
    EXPECT_EQ(Describe(*Import({file, file}, MakeDegrees(2, 1))[1], 0),
              "pp all-reduce 4/0 #0 other <- (n0)");
}

TEST_F(ChakraImport, RunsInOrderOfIdentifiersWhereItMay)
{
    // 9 may come at once, but 3, 4 and 5 have lower identifiers, once they may come.
    const auto programs = Import(
        {Computation(9, 1) + Computation(5, 2, {4}) + Computation(4, 3) + Computation(3, 4, {5})},
        MakeDegrees(1, 1));
    ASSERT_EQ(programs[0]->GetOperations().size(), 4U);
    EXPECT_EQ(Describe(*programs[0], 0), "compute 3 <- (n4)");
    EXPECT_EQ(Describe(*programs[0], 1), "compute 2 <- (n5)");
    EXPECT_EQ(Describe(*programs[0], 2), "compute 4 <- (n3)");
    EXPECT_EQ(Describe(*programs[0], 3), "compute 1 <- (n9)");
}

TEST_F(ChakraImport, PassesOverWhatTakesNoTime)
{
    // 3 waits for metadata and a host's call, and so for 0; by control as by data.
    const std::string file = Collective(0, 0, 8) + Node(1, 1, {0}) +
                             Node(2, 4, {}, Block(4, Varint(1)) + Bool("is_cpu_op", true)) +
                             Computation(3, 5, {2, 0});
    const auto programs = Import({file, file}, MakeDegrees(1, 2));
    ASSERT_EQ(programs[0]->GetOperations().size(), 2U);
    EXPECT_EQ(Describe(*programs[0], 1), "compute 5 <- 0 (n3)");
}

TEST_F(ChakraImport, MatchesTransfersOfATagInOrder)
{
    // All with tag 0: two up, one down between them.
    const auto programs =
        Import({Send(0, 1, 10, 0) + Receive(1, 1, 20, 0) + Send(2, 1, 30, 0),
                Receive(0, 0, 10, 0) + Send(1, 0, 20, 0, {0}) + Receive(2, 0, 30, 0, {1})},
               MakeDegrees(2, 1));
    EXPECT_EQ(Describe(*programs[0], 0), "pp-next send 10/0 #0 pp <- (n0)");
    EXPECT_EQ(Describe(*programs[0], 1), "pp-next receive 0/20 #1 pp <- (n1)");
    EXPECT_EQ(Describe(*programs[0], 2), "pp-next send 30/0 #2 pp <- (n2)");
    EXPECT_EQ(Describe(*programs[1], 0), "pp-previous receive 0/10 #0 pp <- (n0)");
    EXPECT_EQ(Describe(*programs[1], 1), "pp-previous send 20/0 #1 pp <- (n1)");
    EXPECT_EQ(Describe(*programs[1], 2), "pp-previous receive 0/30 #2 pp <- (n2)");
}

TEST_F(ChakraImport, RefusesAGraphThatCannotRun)
{
    EXPECT_EQ(RefusalOf(Computation(3, 1, {9})),
              "t.0.et: node 3 (n3) waits for node 9, which is not in the file: expected one "
              "that is");
    EXPECT_EQ(RefusalOf(Computation(3, 1) + Computation(3, 2)),
              "t.0.et: node 3 (n3) has the identifier of node 3 (n3), expected one of its own");
    EXPECT_EQ(RefusalOf(Computation(1, 1) + Computation(2, 1, {1, 4}) + Computation(3, 1, {2}) +
                        Computation(4, 1, {3}) + Computation(5, 1, {4})),
              "t.0.et: nodes wait for each other in a circle: node 2 (n2) waits for node 4 (n4) "
              "waits for node 3 (n3) waits for the first");
    EXPECT_EQ(RefusalOf(Computation(6, 1, {6})),
              "t.0.et: nodes wait for each other in a circle: node 6 (n6) waits for the first");
    std::string ring = Computation(0, 1, {99});
    for (uint64_t id = 1; id < 100; ++id)
    {
        ring += Computation(id, 1, {id - 1});
    }
    EXPECT_CONTAINS(RefusalOf(ring), "waits for 92 more, and these for the first");
    EXPECT_CONTAINS(RefusalOf(""), "t.0.et: there is nothing to do in the trace, expected a ");
    EXPECT_CONTAINS(RefusalOf(Node(0, 1)), "t.0.et: there is nothing to do in the trace");
}

TEST_F(ChakraImport, RefusesNodesThatItCannotRun)
{
    EXPECT_EQ(RefusalOf(Node(1, 0)),
              "t.0.et: node 1 (n1): is of the unknown type 0: expected 1, 4, 5, 6 or 7");
    EXPECT_EQ(RefusalOf(Node(1, 8)),
              "t.0.et: node 1 (n1): is of the unknown type 8: expected 1, 4, 5, 6 or 7");
    EXPECT_CONTAINS(RefusalOf(Node(1, 2)), "node 1 (n1): is of the type 2, an access to remote");
    EXPECT_CONTAINS(RefusalOf(Node(1, 4, {}, Number(7, 3) + Bool("is_cpu_op", true))),
                    "node 1 (n1): takes time on the host");
    EXPECT_CONTAINS(RefusalOf(Node(1, 4, {}, Int64("is_cpu_op", 1))),
                    "node 1 (n1): attribute is_cpu_op is not true or false");
    EXPECT_CONTAINS(RefusalOf(Computation(1, uint64_t{1} << 62)), "node 1 (n1): takes longer than");
}

TEST_F(ChakraImport, RefusesCollectivesThatLackSomething)
{
    const auto refusal = [](const std::string& rest, const ChakraGroups& groups = {}) {
        const std::string file = Node(1, 7, {}, rest);
        return RefusalOf(Files{file, file, file, file}, MakeDegrees(1, 2, 2), groups);
    };
    const std::string type = Int64("comm_type", 0);
    const std::string size = Int64("comm_size", 8);
    EXPECT_EQ(refusal(type), "t.0.et: node 1 (n1): has no comm_size, expected the bytes of it");
    EXPECT_EQ(refusal(size),
              "t.0.et: node 1 (n1): has no comm_type, expected the kind of collective");
    EXPECT_CONTAINS(refusal(size + Int64("comm_type", 9)), "comm_type is 9: expected 0, 2, 5, 6");
    EXPECT_CONTAINS(refusal(type + Int64("comm_size", ~uint64_t{0})),
                    "attribute comm_size is not a whole number from 0 on");
    EXPECT_CONTAINS(refusal(type + Int64("comm_size", uint64_t{1} << 60)), "expected at most");
    EXPECT_EQ(refusal(type + size),
              "t.0.et: node 1 (n1): is of a process group of ranks 0, 1, 2, 3, expected one of "
              "the job's groups of rank 0: fsdp 0, 1; dp 0, 2");
    EXPECT_CONTAINS(refusal(type + size + Text("pg_name", "x"), {{"y", {0, 1}}}),
                    "node 1 (n1): is of the unknown process group 'x'");
    EXPECT_CONTAINS(refusal(type + size + Text("pg_name", "x"), {{"x", {2, 3}}}),
                    "is of process group 'x', to which rank 0 does not belong");
    EXPECT_CONTAINS(refusal(type + size + Text("pg_name", "x"), {{"x", {0, 3}}}),
                    "is of a process group of ranks 0, 3, expected one of");
    EXPECT_CONTAINS(
        refusal(type + size + Text("rails_counted", "x") + Text("pg_name", "g"), {{"g", {0, 1}}}),
        "attribute rails_counted is 'x', expected the name of a parallelism");
    EXPECT_CONTAINS(refusal(type + size + Int64("rails_total_bytes", 9) + Text("pg_name", "g"),
                            {{"g", {0, 1}}}),
                    "comm_size is 8, but rails_total_bytes 9");
    EXPECT_CONTAINS(RefusalOf(Collective(1, 0, 8)),
                    "expected one of the job's groups of rank 0, which has "
                    "none");
}

TEST_F(ChakraImport, RefusesTransfersThatGoNowhere)
{
    const auto refusal = [](const std::string& lower, const std::string& upper) {
        return RefusalOf(Files{lower, upper}, MakeDegrees(2, 1));
    };
    const std::string work = Computation(7, 1);
    EXPECT_EQ(refusal(Node(1, 5, {}, Int64("comm_size", 8)), work),
              "t.0.et: node 1 (n1): has no comm_dst, expected the other rank");
    EXPECT_EQ(refusal(Node(1, 6, {}, Int64("comm_size", 8)), work),
              "t.0.et: node 1 (n1): has no comm_src, expected the other rank");
    EXPECT_EQ(refusal(Node(1, 5, {}, Int32("comm_dst", 1)), work),
              "t.0.et: node 1 (n1): has no comm_size, expected the bytes of it");
    EXPECT_CONTAINS(refusal(Send(1, 2, 8, 0), work),
                    "comm_dst is 2, expected rank 0 of the next or previous pipeline stage");
    EXPECT_CONTAINS(refusal(Send(1, 0, 8, 0), work), "comm_dst is 0, expected rank 0");
    EXPECT_CONTAINS(
        refusal(
            work,
            Node(1, 6, {}, Int64("comm_size", 8) + Int32("comm_src", 0) + Int32("comm_dst", 0))),
        "t.1.et: node 1 (n1): comm_dst is 0: expected 1, the rank whose trace it is");
    EXPECT_EQ(refusal(Send(1, 1, 8, 4), work),
              "t.0.et: node 1 (n1): a send with tag 4 has no other end at the next stage");
    EXPECT_EQ(refusal(Send(1, 1, 8, 4), Receive(2, 0, 8, 5)),
              "t.0.et: node 1 (n1): a send with tag 4 has no other end at the next stage");
    EXPECT_EQ(refusal(work, Receive(2, 0, 8, 5)),
              "t.1.et: node 2 (n2): a receive with tag 5 has no other end at the previous stage");
    EXPECT_EQ(refusal(Send(1, 1, 8, 4), Receive(2, 0, 9, 4)),
              "t.0.et: node 1 (n1), of 8 bytes out and 0 in, does not match t.1.et: node 2 (n2), "
              "of 0 bytes out and 9 in, its other end");
    // Each receives before it sends.
    EXPECT_CONTAINS(refusal(Receive(1, 1, 8, 0) + Send(2, 1, 8, 0, {1}),
                            Receive(1, 0, 8, 0) + Send(2, 0, 8, 0, {1})),
                    "t: the stages wait for each other in a circle");
}

TEST_F(ChakraImport, RefusesHalvesThatAreNone)
{
    const auto half = [](uint64_t id, uint32_t type, uint64_t other, uint32_t tag = 0) {
        return Node(id,
                    type,
                    {},
                    Int64("comm_size", 8) + Int32(type == 5 ? "comm_dst" : "comm_src", 1) +
                        Int32("comm_tag", tag) + Int64("rails_batched_with", other));
    };
    const auto refusal = [](const std::string& lower) {
        return RefusalOf(Files{lower, Computation(0, 1)}, MakeDegrees(2, 1));
    };
    EXPECT_CONTAINS(
        refusal(half(1, 5, 2)),
        "t.0.et: node 1 (n1) is half of a transfer with node 2, which is not the other");
    EXPECT_CONTAINS(refusal(half(1, 5, 2) + half(2, 6, 3) + half(3, 5, 2)),
                    "node 1 (n1) is half of a transfer with node 2, which is not the other half");
    EXPECT_CONTAINS(refusal(half(1, 5, 1)), "expected that one of them sends and one receives");
    EXPECT_CONTAINS(refusal(half(1, 5, 2) + half(2, 5, 1)), "expected that one of them sends");
    EXPECT_CONTAINS(refusal(half(1, 5, 2) + half(2, 6, 1, 3)),
                    "node 1 (n1): is half of a transfer whose other half has another peer or tag");
    EXPECT_CONTAINS(refusal(Node(1, 5, {}, Text("rails_batched_with", "2"))),
                    "node 1 (n1) is malformed: attribute rails_batched_with is not a whole number");
    // Both ways at one end, one after the other at the other one.
    EXPECT_CONTAINS(
        RefusalOf(Files{half(1, 5, 2) + half(2, 6, 1), Send(1, 0, 8, 0) + Receive(2, 0, 8, 0)},
                  MakeDegrees(2, 1)),
        "t.0.et: node 1 (n1): a send-receive with tag 0 has no other end");
}

TEST_F(ChakraImport, RefusesRanksThatDiffer)
{
    const auto refusal = [](const std::string& first, const std::string& second) {
        return RefusalOf(Files{first, second}, MakeDegrees(1, 2));
    };
    const std::string why = ": the ranks of a pipeline stage have one program";
    const std::string same = Computation(1, 3);
    EXPECT_EQ(refusal(same, Computation(1, 4)),
              "t.1.et: node 1 (n1) differs in its duration from t.0.et: node 1 (n1)" + why);
    EXPECT_CONTAINS(refusal(same, Collective(1, 0, 8)), "differs in its kind or group from");
    EXPECT_CONTAINS(refusal(Collective(1, 0, 4), Collective(1, 0, 8)), "differs in its bytes from");
    EXPECT_CONTAINS(refusal(same + Collective(2, 0, 4), same + Collective(2, 0, 4, {1})),
                    "t.1.et: node 2 (n2) differs in its dependencies from t.0.et: node 2 (n2)");
    EXPECT_CONTAINS(
        refusal(Collective(1, 0, 4), Collective(1, 0, 4, {}, Text("rails_counted", "pp"))),
        "differs in its parallelism from");
    EXPECT_EQ(refusal(same, same + Computation(2, 1)),
              "t.1.et: node 2 (n2) has no counterpart in the first rank" + why);
    EXPECT_EQ(refusal(same + Computation(2, 1), same),
              "t.0.et: node 2 (n2) has no counterpart in t.1.et" + why);
}

TEST_F(ChakraImport, NoCutGoesUnnoticed)
{
    // Cut anywhere, one of two ranks is refused: at a node's end because the other has more.
    const std::string whole = Collective(0, 0, 4) + Computation(1, 3, {0}) +
                              Collective(2, 2, 1 << 20, {1}) + Computation(3, 3, {2});
    ASSERT_EQ(Import({whole, whole}, MakeDegrees(1, 2))[0]->GetOperations().size(), 4U);
    for (std::size_t length = 0; length < whole.size(); ++length)
    {
        const auto refusal = RefusalOf(Files{whole, whole.substr(0, length)}, MakeDegrees(1, 2));
        EXPECT_CONTAINS(refusal, "t.1.et");
    }
}

TEST_F(ChakraImport, WaitsThroughNodesThatArePassedOverAreLimited)
{
    // Two computations, metadata behind them, and two that wait for it: three times two waits.
    const std::string file = Metadata() + Computation(1, 1) + Computation(2, 1) +
                             Node(3, 1, {1, 2}) + Computation(4, 1, {3}) + Computation(5, 1, {3});
    const ParallelPlan plan(MakeDegrees(1, 1));
    const auto read = [&](uint64_t most) {
        std::istringstream is(file);
        return ChakraRank(plan, {}, 0, "t.0.et", most).Read(ReadChakraTrace(is, "t.0.et")).size();
    };
    EXPECT_EQ(ChakraRank::MAX_WAITS, 20'000'000U);
    EXPECT_EQ(read(6), 4U);
    EXPECT_EQ(GetRefusal([&] { read(5); }),
              "t.0.et: node 5 (n5): waits, with those before it and through nodes that are passed "
              "over, for more operations, expected at most 5");
}

TEST_F(ChakraImport, LongNamesAndManyWaitsTakeNoTime)
{
    // What waits for all that was before, with names of which messages show the beginning.
    std::string file;
    std::vector<uint64_t> before;
    for (uint64_t i = 0; i < 30'000; ++i)
    {
        file += Computation(i, 1, i > 0 ? std::vector<uint64_t>{i - 1} : std::vector<uint64_t>{});
        before.push_back(i);
    }
    const std::string name(500, 'x');
    const auto programs =
        Import({file + Node(30'000, 1, before) + Computation(30'001, 1, {30'000})},
               MakeDegrees(1, 1));
    EXPECT_EQ(programs[0]->GetOperations().size(), 30'001U);
    EXPECT_EQ(programs[0]->GetPredecessorCount(30'000), 30'000U);
    EXPECT_CONTAINS(RefusalOf(Framed(Number(1, 7) + Block(2, name) + Number(3, 9))),
                    "t.0.et: node 7 (" + std::string(60, 'x') + "...): is of the unknown type 9");
    // A circle of all.
    EXPECT_CONTAINS(RefusalOf([] {
                        std::string all;
                        for (uint64_t i = 0; i < 30'000; ++i)
                        {
                            all += Computation(i, 1, {(i + 1) % 30'000});
                        }
                        return all;
                    }()),
                    "wait for each other in a circle: node ");
}

} // namespace photonic
} // namespace ns3
