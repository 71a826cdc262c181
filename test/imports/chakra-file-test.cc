/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "chakra-bytes.h"
#include "workload/workload-test-helper.h"

#include "ns3/chakra-file.h"

#include <algorithm>
#include <iostream>
#include <random>
#include <sstream>

namespace ns3
{
namespace photonic
{

using namespace ChakraBytes;

namespace
{

/// Needs protocol buffers; no-protobuf.cc is about builds without them.
class ChakraFile : public ::testing::Test
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

ChakraTrace
Read(const std::string& bytes)
{
    std::istringstream is(bytes);
    return ReadChakraTrace(is, "t.et");
}

std::string
RefusalOf(const std::string& bytes)
{
    return GetRefusal([&bytes] { Read(bytes); });
}

std::string
Write(const ChakraTrace& trace)
{
    std::ostringstream os;
    WriteChakraTrace(os, trace);
    return os.str();
}

/// A file with something of everything.
std::string
MakeFile()
{
    return Metadata() + Computation(1, 300) +
           Collective(2, 7, 1 << 20, {1}, Text("pg_name", "3") + Bool("is_cpu_op", false)) +
           Node(1000, 6, {1, 2}, Int32("comm_src", 5));
}

} // namespace

TEST_F(ChakraFile, OfAnotherProgramIsRead)
{
    // A published all-reduce of 1 MiB, byte by byte (ASTRA-sim's microbenchmarks have one like it).
    const std::string bytes("\x07\x0a\x05"
                            "0.0.4"
                            "\x36\x12\x02"
                            "ar"
                            "\x18\x07\x52\x0e\x0a\x09"
                            "is_cpu_op"
                            "\xd8\x01\x00\x52\x0d\x0a\x09"
                            "comm_type"
                            "\x48\x00\x52\x0f\x0a\x09"
                            "comm_size"
                            "\x48\x80\x80\x40",
                            63);
    const auto trace = Read(bytes);
    EXPECT_EQ(trace.version, "0.0.4");
    ASSERT_EQ(trace.nodes.size(), 1U);
    const auto& node = trace.nodes[0];
    EXPECT_EQ(node.id, 0U);
    EXPECT_EQ(node.Describe(), "node 0 (ar)");
    EXPECT_EQ(node.type, ChakraNodeType::COLLECTIVE);
    EXPECT_FALSE(node.IsSet("is_cpu_op"));
    EXPECT_EQ(node.GetNumber("comm_type"), 0U);
    EXPECT_EQ(node.GetNumber("comm_size"), 1U << 20);
    EXPECT_EQ(node.GetNumber("comm_tag"), std::nullopt);
}

TEST_F(ChakraFile, EveryFieldIsRead)
{
    const auto trace = Read(MakeFile());
    ASSERT_EQ(trace.nodes.size(), 3U);
    EXPECT_EQ(trace.nodes[0].type, ChakraNodeType::COMPUTE);
    EXPECT_EQ(trace.nodes[0].durationMicros, 300U);
    EXPECT_EQ(trace.nodes[1].GetText("pg_name"), "3");
    EXPECT_EQ(trace.nodes[1].dataDependencies, std::vector<uint64_t>{1});
    EXPECT_EQ(trace.nodes[2].id, 1000U);
    EXPECT_EQ(trace.nodes[2].dataDependencies, (std::vector<uint64_t>{1, 2}));
    EXPECT_EQ(trace.nodes[2].GetNumber("comm_src"), 5U);
    // Numbers of a list may also stand one by one, and there are control dependencies.
    const auto other = Read(Metadata() + Framed(Number(1, 7) + Number(3, 5) + Number(5, 4) +
                                                Number(5, 300) + Block(4, Varint(6))));
    EXPECT_EQ(other.nodes[0].dataDependencies, (std::vector<uint64_t>{4, 300}));
    EXPECT_EQ(other.nodes[0].controlDependencies, std::vector<uint64_t>{6});
}

TEST_F(ChakraFile, NamesFitIntoALine)
{
    const auto trace = Read(Metadata() + Framed(Block(2, "a\nb\xff\x7f") + Number(3, 4)));
    EXPECT_EQ(trace.nodes[0].Describe(), "node 0 (a?b\xff?)");
}

TEST_F(ChakraFile, EveryKindOfNumberIsRead)
{
    const auto attribute = [](const std::string& name, const std::string& value) {
        return Block(10, Block(1, name) + value);
    };
    const std::string four("\x07\0\0\0", 4);
    const std::string eight("\x07\0\0\0\0\0\0\0", 8);
    const auto trace = Read(
        Metadata() +
        Framed(attribute("int32", Number(7, 7)) + attribute("int64", Number(9, 7)) +
               attribute("uint32", Number(11, 7)) + attribute("uint64", Number(13, 7)) +
               attribute("sint32", Number(15, 14)) + attribute("sint64", Number(17, 14)) +
               attribute("fixed32", Varint(19 * 8 + 5) + four) +
               attribute("fixed64", Varint(21 * 8 + 1) + eight) +
               attribute("sfixed32", Varint(23 * 8 + 5) + four) +
               attribute("sfixed64", Varint(25 * 8 + 1) + eight) +
               attribute("list", Block(10, Block(1, Varint(7)))) +
               attribute("minus", Number(9, ~uint64_t{0})) + attribute("text", Block(29, "7"))));
    const auto& node = trace.nodes.at(0);
    for (const std::string name : {"int32",
                                   "int64",
                                   "uint32",
                                   "uint64",
                                   "sint32",
                                   "sint64",
                                   "fixed32",
                                   "fixed64",
                                   "sfixed32",
                                   "sfixed64"})
    {
        EXPECT_EQ(node.GetNumber(name), 7U) << name;
    }
    for (const std::string name : {"list", "minus", "text"})
    {
        EXPECT_EQ(GetRefusal([&] { node.GetNumber(name); }),
                  "attribute " + name + " is not a whole number from 0 on");
    }
    EXPECT_EQ(node.GetText("text"), "7");
    EXPECT_EQ(GetRefusal([&] { node.GetText("int32"); }), "attribute int32 is not a text");
    EXPECT_EQ(GetRefusal([&] { node.IsSet("int32"); }), "attribute int32 is not true or false");
}

TEST_F(ChakraFile, IsWrittenByteByByteAsTheSchemaSays)
{
    ChakraTrace trace;
    trace.version = "0.0.4";
    ChakraNode node;
    node.id = 2;
    node.name = "n2";
    node.type = ChakraNodeType::COLLECTIVE;
    node.dataDependencies = {1, 300};
    node.durationMicros = 5;
    node.attributes = {{"comm_type", int64_t{7}},
                       {"comm_src", int32_t{3}},
                       {"is_cpu_op", false},
                       {"pg_name", std::string("1")}};
    trace.nodes = {node};
    // Two messages: metadata with a count of the nodes, and the node.
    EXPECT_EQ(Write(trace),
              Framed(Block(1, "0.0.4") + Block(2, Block(1, "rails_nodes") + Number(13, 1))) +
                  Node(2,
                       7,
                       {1, 300},
                       Number(7, 5) + Int64("comm_type", 7) + Int32("comm_src", 3) +
                           Bool("is_cpu_op", false) + Text("pg_name", "1")));
}

TEST_F(ChakraFile, WhatIsWrittenIsReadAgain)
{
    constexpr uint32_t seed = 11;
    std::cout << "seed " << seed << '\n';
    std::mt19937_64 random(seed);
    for (uint32_t trial = 0; trial < 200; ++trial)
    {
        ChakraTrace trace;
        trace.version = std::string(random() % 200, 'v');
        trace.nodes.resize(random() % 5);
        for (auto& node : trace.nodes)
        {
            node.id = random() >> (random() % 64);
            node.name = std::string(random() % 300, 'x');
            node.type = static_cast<ChakraNodeType>(random() % 8);
            node.durationMicros = random() >> (random() % 64);
            node.controlDependencies.resize(random() % 3, random());
            node.dataDependencies.resize(random() % 300, random() % 1000);
            node.attributes = {{"a", random()}, {"b", static_cast<int32_t>(random())}};
        }
        const std::string bytes = Write(trace);
        const auto again = Read(bytes);
        ASSERT_EQ(again.nodes.size(), trace.nodes.size());
        for (std::size_t i = 0; i < trace.nodes.size(); ++i)
        {
            ASSERT_EQ(again.nodes[i].id, trace.nodes[i].id);
            ASSERT_EQ(again.nodes[i].name, trace.nodes[i].name);
            ASSERT_EQ(again.nodes[i].type, trace.nodes[i].type);
            ASSERT_EQ(again.nodes[i].durationMicros, trace.nodes[i].durationMicros);
            ASSERT_EQ(again.nodes[i].controlDependencies, trace.nodes[i].controlDependencies);
            ASSERT_EQ(again.nodes[i].dataDependencies, trace.nodes[i].dataDependencies);
            ASSERT_EQ(again.nodes[i].attributes[0].value, trace.nodes[i].attributes[0].value);
            ASSERT_EQ(again.nodes[i].attributes[1].value, trace.nodes[i].attributes[1].value);
        }
    }
}

TEST_F(ChakraFile, IsRefusedWhereItIsCutOff)
{
    const std::string whole = MakeFile();
    std::size_t boundaries = 0;
    for (std::size_t length = 0; length < whole.size(); ++length)
    {
        std::size_t nodes = 0;
        std::string refusal;
        try
        {
            nodes = Read(whole.substr(0, length)).nodes.size();
            ++boundaries; // a shorter trace, of as many nodes as are whole
        }
        catch (const std::invalid_argument& error)
        {
            refusal = error.what();
            EXPECT_EQ(refusal.find("t.et: "), 0U) << length;
            EXPECT_TRUE(refusal.find("is cut off") != std::string::npos || length == 0) << refusal;
        }
        EXPECT_LT(nodes, 3U);
    }
    EXPECT_EQ(boundaries, 3U); // behind the metadata and two nodes
    // This module's own files tell how many nodes they have.
    const std::string own = Write(Read(whole));
    for (std::size_t length = 0; length < own.size(); ++length)
    {
        EXPECT_NE(RefusalOf(own.substr(0, length)), "") << length;
    }
    EXPECT_CONTAINS(
        RefusalOf(own.substr(0, Framed(Block(1, "0.0.4") + std::string(17, ' ')).size())),
        "t.et: has 0 nodes, but its metadata announces 3");
}

TEST_F(ChakraFile, DamageIsRefusedOrReadAsSomethingElse)
{
    constexpr uint32_t seed = 12;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    const std::string whole = MakeFile();
    uint32_t refused = 0;
    for (uint32_t trial = 0; trial < 3000; ++trial)
    {
        std::string bytes = whole;
        bytes[random() % bytes.size()] = static_cast<char>(random());
        try
        {
            Read(bytes);
        }
        catch (const std::invalid_argument& error)
        {
            ++refused;
            ASSERT_EQ(std::string(error.what()).find("t.et: "), 0U);
        }
    }
    EXPECT_GT(refused, 300U);
    EXPECT_LT(refused, 3000U);
}

TEST_F(ChakraFile, LimitsOfAFile)
{
    const std::string file = MakeFile();
    const ChakraLimits standard;
    EXPECT_EQ(standard.bytes, 1U << 30);
    EXPECT_EQ(standard.message, 16U << 20);
    EXPECT_EQ(standard.nodes, 4'000'000U);
    EXPECT_EQ(standard.nodeAttributes, 10'000U);
    EXPECT_EQ(standard.attributes, 16'000'000U);
    EXPECT_EQ(standard.dependencies, 20'000'000U);
    std::size_t longest = 0; // message, behind its length in one byte
    for (std::size_t at = 0; at < file.size(); at += 1 + file[at])
    {
        longest = std::max<std::size_t>(longest, file[at]);
    }
    const ChakraLimits exact{file.size(), longest, 3, 4, 5, 3};
    const auto read = [&file](const ChakraLimits& limits) {
        std::istringstream is(file);
        return ReadChakraTrace(is, "t.et", limits).nodes.size();
    };
    EXPECT_EQ(read(exact), 3U);
    const auto refuse = [&](auto member, const std::string& expected) {
        ChakraLimits limits = exact;
        limits.*member -= 1;
        EXPECT_CONTAINS(GetRefusal([&] { read(limits); }), expected);
    };
    refuse(&ChakraLimits::bytes, "on is behind what a file may have: expected at most ");
    refuse(&ChakraLimits::message, "has a malformed length: expected a varint up to ");
    refuse(&ChakraLimits::nodes, "t.et: message 3 from byte ");
    refuse(&ChakraLimits::nodes, "has the node 3, expected at most 2");
    refuse(&ChakraLimits::nodeAttributes, "has attributes: 4, expected at most 3");
    refuse(&ChakraLimits::attributes, "has with those before it attributes: 5, expected at most 4");
    refuse(&ChakraLimits::dependencies,
           "has with those before it dependencies: 3, expected at most 2");
}

TEST_F(ChakraFile, RefusalsSayWhereAndWhy)
{
    EXPECT_EQ(RefusalOf(""), "t.et: cannot be read, or is empty: expected a Chakra trace");
    EXPECT_CONTAINS(RefusalOf("\x1f\x8b\x08"), "t.et: is compressed");
    EXPECT_CONTAINS(RefusalOf(Metadata() + "\xff\xff\xff\xff\xff\xff"),
                    "t.et: message 1 from byte 8 on has a malformed length");
    EXPECT_CONTAINS(RefusalOf(Metadata() + Varint(1ULL << 31)), "has a malformed length");
    EXPECT_CONTAINS(RefusalOf(Metadata() + "\x80"),
                    "t.et: message 1 from byte 8 on is cut off in its length");
    EXPECT_CONTAINS(RefusalOf(Metadata() + Varint(5) + "abc"),
                    "t.et: message 1 from byte 8 on is cut off: 5 bytes are announced, 3 follow");
    EXPECT_CONTAINS(RefusalOf(Metadata() + Framed("\x0a")), "is not a valid protocol buffer");
    EXPECT_CONTAINS(RefusalOf("text,text\n"), "t.et: message 0 from byte 0 on is cut off");
    EXPECT_CONTAINS(RefusalOf(Framed(Number(1, 4) + Number(3, 4))),
                    "t.et: does not begin with the metadata");
    EXPECT_CONTAINS(
        RefusalOf(Framed(Block(1, "0.0.4") + Block(2, Block(1, "rails_nodes") + Block(29, "1")))),
        "t.et: metadata: attribute rails_nodes is not a whole number");
    EXPECT_CONTAINS(GetRefusal([] { ReadChakraTrace("/no/such.et"); }),
                    "/no/such.et: cannot be read");
}

} // namespace photonic
} // namespace ns3
