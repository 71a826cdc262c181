/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload/workload-test-helper.h"

#include "ns3/chakra-export.h"
#include "ns3/chakra-groups.h"

#include <sstream>

namespace ns3
{
namespace photonic
{

namespace
{

using Part = Operation::Dependency::Part;

/// Two stages of two GPUs on two nodes: a gather, then an exchange with the other stage.
std::vector<Ptr<const StepProgram>>
MakePrograms()
{
    std::vector<Ptr<const StepProgram>> programs;
    for (bool upper : {false, true})
    {
        Operation compute;
        compute.duration = NanoSeconds(2500);
        compute.label = "work";
        Operation gather;
        gather.slot = GroupSlot::FSDP;
        gather.parallelism = Parallelism::FSDP;
        gather.kind = CollectiveKind::ALL_GATHER;
        gather.bytes = 1001;
        gather.label = "gather";
        gather.after = {{0, Part::WHOLE}};
        Operation exchange;
        exchange.slot = upper ? GroupSlot::PP_PREVIOUS : GroupSlot::PP_NEXT;
        exchange.parallelism = Parallelism::PP;
        exchange.kind = CollectiveKind::SEND_RECEIVE;
        exchange.bytes = upper ? 20 : 10;
        exchange.receiveBytes = upper ? 10 : 20;
        exchange.label = "exchange";
        exchange.after = {{1, Part::WHOLE}};
        Operation received = compute;
        received.after = {{2, Part::RECEIVED}};
        Operation again = gather;
        again.counter = 1;
        again.after = {{2, Part::WHOLE}};
        programs.push_back(Create<const StepProgram>(
            std::vector<Operation>{compute, gather, exchange, received, again}));
    }
    return programs;
}

ParallelPlan
MakeJob()
{
    ParallelPlan::Degrees degrees;
    degrees.pp = 2;
    degrees.fsdp = 2;
    return ParallelPlan(degrees);
}

} // namespace

TEST(ChakraExport, NamesGroupsFromOneOn)
{
    const ChakraExport exported(MakePrograms(), MakeJob());
    // The pairs have no collectives.
    EXPECT_EQ(exported.GetGroups(), (ChakraGroups{{"1", {0, 1}}, {"2", {2, 3}}}));
    std::ostringstream os;
    WriteChakraGroups(os, exported.GetGroups());
    EXPECT_EQ(os.str(), "{\n  \"1\": [0, 1],\n  \"2\": [2, 3]\n}\n");
}

TEST(ChakraExport, WritesWhatOtherSimulatorsLookFor)
{
    const auto trace = ChakraExport(MakePrograms(), MakeJob()).GetTrace(3);
    ASSERT_EQ(trace.nodes.size(), 6U);
    for (std::size_t i = 0; i < trace.nodes.size(); ++i)
    {
        EXPECT_EQ(trace.nodes[i].id, i);
        EXPECT_FALSE(trace.nodes[i].IsSet("is_cpu_op"));
    }
    const auto& compute = trace.nodes[0];
    EXPECT_EQ(compute.type, ChakraNodeType::COMPUTE);
    EXPECT_EQ(compute.durationMicros, 3U); // to the nearest
    EXPECT_EQ(compute.GetNumber("rails_duration_ps"), 2500000U);
    const auto& gather = trace.nodes[1];
    EXPECT_EQ(gather.type, ChakraNodeType::COLLECTIVE);
    EXPECT_EQ(gather.GetNumber("comm_type"), 2U);
    EXPECT_EQ(gather.GetNumber("comm_size"), 501U); // a rank's share
    EXPECT_EQ(gather.GetNumber("rails_total_bytes"), 1001U);
    EXPECT_EQ(gather.GetText("pg_name"), "2");
    EXPECT_EQ(gather.dataDependencies, std::vector<uint64_t>{0});
    const auto& send = trace.nodes[2];
    EXPECT_EQ(send.type, ChakraNodeType::SEND);
    EXPECT_EQ(send.GetNumber("comm_size"), 20U);
    EXPECT_EQ(send.GetNumber("comm_src"), 3U);
    EXPECT_EQ(send.GetNumber("comm_dst"), 1U);
    EXPECT_EQ(send.GetNumber("comm_tag"), 0U);
    const auto& receive = trace.nodes[3];
    EXPECT_EQ(receive.type, ChakraNodeType::RECEIVE);
    EXPECT_EQ(receive.GetNumber("comm_size"), 10U);
    EXPECT_EQ(receive.GetNumber("comm_src"), 1U);
    EXPECT_EQ(receive.GetNumber("comm_dst"), 3U);
    // Halves of the exchange start together; who waits for a part of it waits for that node.
    EXPECT_EQ(send.dataDependencies, std::vector<uint64_t>{1});
    EXPECT_EQ(receive.dataDependencies, std::vector<uint64_t>{1});
    EXPECT_EQ(trace.nodes[4].dataDependencies, (std::vector<uint64_t>{0, 3}));
    EXPECT_EQ(trace.nodes[5].dataDependencies, (std::vector<uint64_t>{1, 2, 3}));
}

TEST(ChakraExport, SizesAreOfWhatARankBeginsWith)
{
    ParallelPlan::Degrees degrees;
    degrees.fsdp = 4;
    const std::pair<CollectiveKind, std::pair<uint64_t, uint64_t>> expected[] = {
        {CollectiveKind::ALL_REDUCE, {0, 1002}},
        {CollectiveKind::ALL_GATHER, {2, 251}},
        {CollectiveKind::BROADCAST, {5, 1002}},
        {CollectiveKind::ALL_TO_ALL, {6, 1002}},
        {CollectiveKind::REDUCE_SCATTER, {7, 1002}},
    };
    for (const auto& [kind, numbers] : expected)
    {
        Operation o;
        o.slot = GroupSlot::FSDP;
        o.kind = kind;
        o.bytes = 1002;
        const ChakraExport exported({Create<const StepProgram>(std::vector<Operation>{o})},
                                    ParallelPlan(degrees));
        const auto node = exported.GetTrace(0).nodes.at(0);
        EXPECT_EQ(node.GetNumber("comm_type"), numbers.first) << ToString(kind);
        EXPECT_EQ(node.GetNumber("comm_size"), numbers.second) << ToString(kind);
    }
}

TEST(ChakraExport, NeedsAProgramForEachStage)
{
    EXPECT_CONTAINS(GetRefusal([] { ChakraExport({}, MakeJob()); }),
                    "0 programs for 2 pipeline stages");
}

TEST(ChakraGroups, AreReadAsTheyStand)
{
    const auto read = [](const std::string& text) {
        std::istringstream is(text);
        return ReadChakraGroups(is, "g.json");
    };
    EXPECT_EQ(read("{\"7\": [3, 1],\n \"tp\": [0]}"), (ChakraGroups{{"7", {3, 1}}, {"tp", {0}}}));
    EXPECT_TRUE(read("{}").empty());
    EXPECT_CONTAINS(GetRefusal([&] { read("{\n\"7\": [3,"); }), "g.json:2: not valid JSON");
    EXPECT_CONTAINS(GetRefusal([&] { read(""); }), "g.json:1: not valid JSON");
    EXPECT_CONTAINS(GetRefusal([&] { read("{\"7\": [3, -1]}"); }),
                    "g.json: group '7': found '-1', expected a rank");
    EXPECT_CONTAINS(GetRefusal([&] { read("{\"7\": [[3]]}"); }), "group '7': found ''");
    EXPECT_CONTAINS(GetRefusal([&] { read("{\"7\": {\"a\": 3}}"); }), "group '7': found '3'");
    EXPECT_CONTAINS(GetRefusal([&] { read("{\"7\": 3}"); }), "group '7': expected an array");
    EXPECT_CONTAINS(GetRefusal([&] { read("{\"7\": [3], \"7\": [4]}"); }),
                    "group '7': stands there twice");
}

} // namespace photonic
} // namespace ns3
