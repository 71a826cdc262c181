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
    EXPECT_CONTAINS(GetRefusal([&] { read("{\n\"7\": [3,"); }),
                    "g.json:2: group '7': found the end of the file, expected a rank");
    EXPECT_CONTAINS(GetRefusal([&] { read(""); }),
                    "g.json:1: found the end of the file, expected an object");
    EXPECT_CONTAINS(GetRefusal([&] { read("{\"7\": [3, -1]}"); }),
                    "g.json:1: group '7': found '-1', expected a rank");
    EXPECT_CONTAINS(GetRefusal([&] { read("{\"7\": [[3]]}"); }),
                    "group '7': found '[', expected a rank");
    EXPECT_CONTAINS(GetRefusal([&] { read("{\"7\": {\"a\": 3}}"); }),
                    "group '7': found '{', expected an array of ranks");
    EXPECT_CONTAINS(GetRefusal([&] { read("{\"7\": 3}"); }),
                    "group '7': found '3', expected an array of ranks");
    EXPECT_CONTAINS(GetRefusal([&] { read("{\"7\": [3], \"7\": [4]}"); }),
                    "g.json:1: group '7': stands there twice, expected once");
    EXPECT_EQ(read("{\"a\\\"\": [\"3\"]}"), (ChakraGroups{{"a\"", {3}}}));
    const std::pair<std::string, std::string> cases[]{
        {"[1]", "g.json:1: found '[', expected an object of process groups"},
        {"{7: [1]}", "found '7', expected the name of a process group"},
        {"{\"7\"\n[1]}", "g.json:2: group '7': found '[', expected ':'"},
        {"{\"7\": []}", "group '7': found ']', expected an array of ranks"},
        {"{\"7\": [1 2]}", "group '7': found '2', expected ',' or ']'"},
        {"{\"7\": [1], }", "found '}', expected the name of a process group"},
        {"{\"7\": [1]} x", "found 'x', expected the end of the file"},
        {"{\"7\": [1.5]}", "group '7': found '1.5', expected a rank"},
        {"{\"7\": [1234567890]}", "group '7': found '1234567890', expected a rank, a whole number"},
        {"{\"7\": [null]}", "group '7': found 'null', expected a rank"},
        {"{\"a\nb\": [1]}", "found '?', expected the name of a process group, which ends"},
        {"{\"a\\u0041\": [1]}", "found 'u', expected the name of a process group without escape"},
        {"{\"7\": " + std::string(100'000, '['), "group '7': found '[', expected a rank"},
    };
    for (const auto& [text, expected] : cases)
    {
        EXPECT_CONTAINS(GetRefusal([&, &t = text] { read(t); }), expected);
    }
}

TEST(ChakraGroups, LimitsOfAFile)
{
    const std::string text = "{\"ab\": [1, 2], \"c\": [3]}";
    const ChakraGroupLimits standard;
    EXPECT_EQ(standard.bytes, 128U << 20);
    EXPECT_EQ(standard.name, 4096U);
    EXPECT_EQ(standard.groups, 1'000'000U);
    EXPECT_EQ(standard.members, 10'000'000U);
    const auto read = [&text](const ChakraGroupLimits& limits) {
        std::istringstream is(text);
        return ReadChakraGroups(is, "g.json", limits).size();
    };
    EXPECT_EQ(read({text.size(), 2, 2, 3}), 2U);
    EXPECT_EQ(GetRefusal([&] { read({text.size() - 1, 2, 2, 3}); }),
              "g.json:1: found a file of more bytes, expected at most " +
                  std::to_string(text.size() - 1));
    EXPECT_EQ(GetRefusal([&] { read({text.size(), 1, 2, 3}); }),
              "g.json:1: found a text of more bytes, expected at most 1");
    EXPECT_EQ(GetRefusal([&] { read({text.size(), 2, 1, 3}); }),
              "g.json:1: group 'c': found more groups, expected at most 1");
    EXPECT_EQ(GetRefusal([&] { read({text.size(), 2, 2, 2}); }),
              "g.json:1: group 'c': found more members of groups, expected at most 2");
}

} // namespace photonic
} // namespace ns3
