/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/cluster-formula.h"
#include "ns3/price-book.h"
#include "ns3/switch-topology.h"
#include "ns3/training-fabric-helper.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// @return a number as a paper prints it
std::string
Print(double value, int digits)
{
    char text[40];
    std::snprintf(text, sizeof(text), "%.*f", digits, value);
    return text;
}

/// A row of arXiv 2507.08119, Fig. 7.
struct Published
{
    uint32_t gpus;
    uint32_t ports[3]; ///< fat-tree, rail-optimized, photonic
    const char* megaDollars[3];
    const char* kiloWatts[3];
};

std::string
WhyNot(const std::string& content)
{
    const std::string file = testing::TempDir() + "wrong-prices.csv";
    std::ofstream(file) << content;
    try
    {
        PriceBook::Load(file);
    }
    catch (const std::invalid_argument& reason)
    {
        return std::string(reason.what()).substr(testing::TempDir().size());
    }
    return "nothing";
}

} // namespace

TEST(PriceBook, GivesThePublishedFiguresToTheDigit)
{
    const auto book = PriceBook::Load("p1-400g");
    const std::vector<Published> table = {
        {1024, {5120, 5060, 2048}, {"4.329", "4.281", "1.289"}, {"263.4", "260.4", "11.04"}},
        {2048, {10000, 10240, 4096}, {"8.466", "8.659", "2.578"}, {"514.9", "526.7", "22.08"}},
        {4096, {19525, 20655, 8192}, {"16.552", "17.458", "5.157"}, {"1006.2", "1062.1", "44.16"}},
        {8192,
         {40960, 40960, 16384},
         {"34.636", "34.636", "10.314"},
         {"2106.9", "2106.9", "88.32"}},
    };
    for (const auto& row : table)
    {
        SCOPED_TRACE(row.gpus);
        const ClusterFormula cluster{row.gpus, 8};
        const FabricInventory fabrics[] = {cluster.CountFatTree(),
                                           cluster.CountRailOptimized(),
                                           cluster.CountPhotonic()};
        for (int i = 0; i < 3; i++)
        {
            const Price total = GetTotal(fabrics[i], book);
            EXPECT_EQ(fabrics[i].packetSwitchPorts + fabrics[i].circuitSwitchPorts, row.ports[i]);
            EXPECT_EQ(Print(total.dollars / 1e6, 3), row.megaDollars[i]);
            EXPECT_EQ(Print(total.watts / 1e3, i == 2 ? 2 : 1), row.kiloWatts[i]);
        }
    }
}

TEST(PriceBook, GivesTheHeadlines)
{
    const auto relative = [](const std::string& name, const ClusterFormula& cluster) {
        const auto book = PriceBook::Load(name);
        const Price rail = GetTotal(cluster.CountRailOptimized(), book);
        const Price light = GetTotal(cluster.CountPhotonic(), book);
        return Price{rail.watts / light.watts, rail.dollars / light.dollars};
    };
    // arXiv 2507.08119: 4,096 GPUs, -70.5 % of cost and -95.84 % of power.
    const Price first = relative("p1-400g", {4096, 8});
    EXPECT_EQ(Print(100 * (1 / first.dollars - 1), 1), "-70.5");
    EXPECT_EQ(Print(100 * (1 / first.watts - 1), 2), "-95.84");
    // arXiv 2602.12521: 2,048 GPUs; GB200 with 8 GPUs a domain, and with 72.
    const Price h200 = relative("p2-400g", {2048, 8});
    EXPECT_EQ(Print(h200.watts, 2), "23.86");
    EXPECT_EQ(Print(h200.dollars, 2), "4.27");
    const Price gb200 = relative("p2-800g", {2048, 8});
    EXPECT_EQ(Print(gb200.watts, 2), "15.44");
    EXPECT_EQ(Print(gb200.dollars, 2), "3.17");
    const Price racks = relative("p2-800g", {2048, 72});
    EXPECT_EQ(Print(racks.watts, 1), "15.0");
    EXPECT_EQ(Print(racks.dollars, 1), "3.1");
}

TEST(PriceBook, SimulatedFabricsCostWhatTheFormulaSays)
{
    // 16 GPUs of two ports each: photonic rails always, and a complete fat-tree of radix 4 for one
    // port each.
    ParallelPlan::Degrees degrees;
    degrees.tp = 4;
    degrees.fsdp = 4;
    const ParallelPlan plan(degrees);
    const ClusterFormula cluster{16, 4};
    const auto book = PriceBook::Load("p2-400g");
    {
        TrainingFabricHelper helper;
        const auto built = helper.InstallPhotonic(plan).inventory;
        const auto counted = cluster.CountPhotonic();
        EXPECT_EQ(built.circuitSwitchPorts, counted.circuitSwitchPorts);
        EXPECT_EQ(built.circuitSwitches, counted.circuitSwitches);
        EXPECT_EQ(built.transceivers, counted.transceivers);
        EXPECT_EQ(built.fibres, counted.fibres);
        EXPECT_DOUBLE_EQ(GetTotal(built, book).dollars, GetTotal(counted, book).dollars);
    }
    {
        TrainingFabricHelper helper;
        helper.SetPortLayout(PortLayout::Shared(DataRate("400Gbps"), 1, PipelineLanes::STRIPED));
        helper.SetSwitchTiers({4, 1, 1});
        const auto built = helper.InstallFatTree(plan, Placement::RANK).inventory;
        const auto counted = cluster.CountFatTree();
        EXPECT_EQ(built.packetSwitches, counted.packetSwitches);
        EXPECT_EQ(built.packetSwitchPorts, counted.packetSwitchPorts);
        EXPECT_EQ(built.fibres, counted.fibres);
        EXPECT_DOUBLE_EQ(GetTotal(built, book).watts, GetTotal(counted, book).watts);
    }
    Simulator::Destroy();
}

TEST(PriceBook, PortsOfPartOfTheRateArePartOfAPort)
{
    // The same fabric with a port of the whole rate, or two of half of it.
    FabricInventory one;
    one.gpus = 8;
    one.nicPorts = 8;
    one.packetSwitches = 1;
    one.packetSwitchPorts = 8;
    one.fibres = 8;
    FabricInventory two = one;
    two.nicPorts = 16;
    two.packetSwitchPorts = 16;
    two.fibres = 16;
    auto book = PriceBook::Load("p2-400g");
    book.fibre = {0, 10};
    EXPECT_DOUBLE_EQ(GetTotal(one, book).dollars, GetTotal(two, book).dollars);
    EXPECT_DOUBLE_EQ(GetTotal(one, book).watts, 8 * (10 + 10 + 2524.0 / 64));
    FabricInventory alone; // nothing leaves a node
    alone.gpus = 8;
    EXPECT_EQ(GetTotal(alone, book).dollars, 0);
}

TEST(PriceBook, AFileReplacesIt)
{
    EXPECT_EQ(PriceBook::GetNames(), (std::vector<std::string>{"p1-400g", "p2-400g", "p2-800g"}));
    const std::string file = testing::TempDir() + "prices.csv";
    std::ofstream(file)
        << "\xef\xbb\xbfpart,per,watts,dollars\r\n# of tomorrow\nfibre,2,0,50\nnic,1,25,1e3\n";
    const auto book = PriceBook::Load(file);
    EXPECT_EQ(book.fibre.dollars, 25);
    EXPECT_EQ(book.nic.watts, 25);
    EXPECT_EQ(book.nic.dollars, 1000);
    EXPECT_EQ(book.packetSwitchPort.dollars, 0);
}

TEST(PriceBook, AFileWithAMistakeIsRefusedByItsLineAndColumn)
{
    const std::string at = "wrong-prices.csv:1: column '";
    EXPECT_EQ(
        WhyNot("part,per,watts,dollars\nfibre,1,0\n"),
        "wrong-prices.csv:2: found 'fibre,1,0', expected four fields: part,per,watts,dollars");
    EXPECT_EQ(WhyNot("cable,1,0,5\n"),
              at + "part': found 'cable', expected nic-transceiver, switch-transceiver, "
                   "packet-switch, circuit-switch, fibre or nic");
    for (const std::string per : {"0", "0.5", "", "x", "-1", "1e13"})
    {
        EXPECT_EQ(
            WhyNot("fibre," + per + ",0,5\n"),
            at + "per': found '" + per +
                "', expected the number of ports or pieces of watts and dollars, from 1 to 1e12");
    }
    for (const std::string number : {"-2", "few", "inf", "nan", "0x10", "1e13", "1e999", "1 2", ""})
    {
        EXPECT_EQ(WhyNot("fibre,1," + number + ",5\n"),
                  at + "watts': found '" + number + "', expected a number from 0 to 1e12");
        EXPECT_EQ(WhyNot("fibre,1,0," + number + "\n"),
                  at + "dollars': found '" + number + "', expected a number from 0 to 1e12");
    }
    EXPECT_EQ(WhyNot("fibre,1,0,\x1b[2J\n"),
              at + "dollars': found '?[2J', expected a number from 0 to 1e12");
    EXPECT_EQ(WhyNot("fibre,1,0,5\nfibre,1,0,6\n"),
              "wrong-prices.csv:2: column 'part': found 'fibre', expected each part once");
    EXPECT_EQ(WhyNot("# nothing\n"),
              "wrong-prices.csv: found no part, expected lines of part,per,watts,dollars");
    EXPECT_EQ(
        WhyNot(""),
        "wrong-prices.csv: cannot be read, or is empty; expected p1-400g, p2-400g, p2-800g or a "
        "file");
    EXPECT_THROW(PriceBook::Load(std::string(300, 'x')), std::invalid_argument);
}

TEST(PriceBook, LimitsOfAFile)
{
    const std::string part = "nic,1,1,1\n";
    const std::string line = "#" + std::string((1 << 16) - 1, ' ') + "\n";
    EXPECT_EQ(WhyNot(line + part), "nothing");
    EXPECT_EQ(WhyNot("#" + line + part),
              "wrong-prices.csv:1: found a line of more bytes, expected at most 65536");
    std::string lines;
    for (uint32_t i = 1; i < 10'000; ++i)
    {
        lines += "\n";
    }
    EXPECT_EQ(WhyNot(lines + part), "nothing");
    EXPECT_EQ(WhyNot(part + lines + "\n"),
              "wrong-prices.csv:10001: found more lines, expected at most 10000");
    std::string file;
    while (file.size() < (1 << 20) - 1000)
    {
        file += "#" + std::string(998, ' ') + "\n";
    }
    file += "#" + std::string((1 << 20) - file.size() - 2 - part.size(), ' ') + "\n";
    ASSERT_EQ((file + part).size(), 1U << 20);
    EXPECT_EQ(WhyNot(file + part), "nothing");
    EXPECT_EQ(WhyNot(part + file + "\n"),
              "wrong-prices.csv:1051: found a file of more bytes, expected at most 1048576");
}

} // namespace photonic
} // namespace ns3
