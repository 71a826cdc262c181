/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "helper/fabric-traffic.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// Switches between neighbours of a ring, by the first of the two.
using Hops = std::vector<uint32_t>;

constexpr uint32_t SWITCH_NS = 500;
constexpr uint32_t FIBRE_NS = 50;

/**
 * A ring all-reduce as a recurrence: a step starts when the chunk of the step before has arrived
 * and the line is free. A message is stored and forwarded packet by packet at each switch.
 * @return when it is complete at each rank
 */
std::vector<Time>
SolveRing(const Hops& hops, uint32_t packets)
{
    const uint32_t n = hops.size();
    const Time packet = MicroSeconds(1);
    const auto travel = [&](uint32_t i) {
        return packet * (packets + hops[i]) +
               NanoSeconds(SWITCH_NS * hops[i] + FIBRE_NS * (hops[i] + 1));
    };
    std::vector<Time> start(n);
    for (uint32_t step = 1; step < 2 * (n - 1); step++)
    {
        std::vector<Time> next(n);
        for (uint32_t i = 0; i < n; i++)
        {
            const uint32_t from = (i + n - 1) % n;
            next[i] = std::max(start[from] + travel(from), start[i] + packet * packets);
        }
        start = next;
    }
    std::vector<Time> done(n);
    for (uint32_t i = 0; i < n; i++)
    {
        const uint32_t from = (i + n - 1) % n;
        done[i] = std::max(start[from] + travel(from), start[i] + travel(i));
    }
    return done;
}

/// Run a ring all-reduce of chunks of so many packets, and compare.
void
ExpectRing(FabricTraffic& traffic, const Hops& hops, uint32_t packets)
{
    const uint32_t n = hops.size();
    std::vector<uint32_t> ranks(n);
    std::iota(ranks.begin(), ranks.end(), 0);
    std::vector<Ptr<Communicator>> communicators;
    std::vector<Time> done(n);
    for (uint32_t rank = 0; rank < n; rank++)
    {
        auto communicator = CreateObject<Communicator>();
        communicator->Configure(1, RankList(ranks), traffic.endpoints[rank], {{0, 0}});
        communicators.push_back(communicator);
        communicator->AllReduce(
            uint64_t(n) * packets * FabricTraffic::PAYLOAD,
            [&done, rank](const CollectiveResult&) { done[rank] = Simulator::Now(); });
    }
    Simulator::Run();
    const auto expected = SolveRing(hops, packets);
    for (uint32_t rank = 0; rank < n; rank++)
    {
        EXPECT_EQ(done[rank], expected[rank]) << "rank " << rank;
    }
    EXPECT_EQ(traffic.GetDrops(), 0U);
    for (const auto& communicator : communicators)
    {
        communicator->Dispose();
    }
}

TrainingFabric
InstallRails(TrainingFabricHelper& helper, const ParallelPlan& plan)
{
    return helper.InstallElectricalRail(plan);
}

TrainingFabric
InstallTree(TrainingFabricHelper& helper, const ParallelPlan& plan)
{
    return helper.InstallFatTree(plan, Placement::RANK);
}

} // namespace

// In a ring of neighbours no two messages meet on a link.

TEST(PacketFabric, ARingOnOneSwitchTakesItsClosedForm)
{
    FabricTraffic traffic(8, {64, 1, 1}, InstallRails);
    EXPECT_EQ(traffic.fabric.packetSwitches.size(), 1U);
    ExpectRing(traffic, Hops(8, 1), 5);
}

TEST(PacketFabric, ARingOnLeavesAndSpinesTakesItsClosedForm)
{
    // Four on a leaf: every fourth message goes through a spine.
    FabricTraffic traffic(16, {8, 1, 1}, InstallRails);
    EXPECT_EQ(traffic.fabric.packetSwitches.size(), 4U + 2);
    Hops hops(16, 1);
    for (uint32_t last : {3, 7, 11, 15})
    {
        hops[last] = 3;
    }
    ExpectRing(traffic, hops, 3);
}

TEST(PacketFabric, ARingOnAFatTreeTakesItsClosedForm)
{
    // Radix 4: two on an edge, four in a pod.
    FabricTraffic traffic(16, {4, 1, 1}, InstallTree);
    EXPECT_EQ(traffic.fabric.packetSwitches.size(), 20U);
    Hops hops;
    for (uint32_t i = 0; i < 16; i++)
    {
        hops.push_back(i % 2 == 0 ? 1 : i % 4 == 1 ? 3 : 5);
    }
    ExpectRing(traffic, hops, 1);
}

TEST(PacketFabric, HostsFollowThePlacement)
{
    ParallelPlan::Degrees degrees;
    degrees.tp = 2;
    degrees.fsdp = 3;
    const ParallelPlan plan(degrees); // three nodes of two GPUs with two ports
    const std::vector<std::pair<Placement, std::vector<uint32_t>>> orders = {
        {Placement::RANK, {0, 1, 2, 3, 4, 5}},
        {Placement::RAIL, {0, 2, 4, 1, 3, 5}},
    };
    for (const auto& [placement, order] : orders)
    {
        TrainingFabricHelper helper;
        const auto fabric = helper.InstallFatTree(plan, placement);
        for (uint32_t host = 0; host < 12; host++)
        {
            EXPECT_EQ(fabric.ports[order[host / 2]][host % 2]->GetAddress(),
                      Address(MakeHostAddress(host)));
        }
        Simulator::Destroy();
    }
}

TEST(PacketFabric, PartsAreCounted)
{
    FabricTraffic traffic(16, {4, 1, 1}, InstallTree);
    const auto& parts = traffic.fabric.inventory;
    EXPECT_EQ(parts.gpus, 16U);
    EXPECT_EQ(parts.nicPorts, 16U);
    EXPECT_EQ(parts.packetSwitches, 20U);
    EXPECT_EQ(parts.packetSwitchPorts, 80U);
    EXPECT_EQ(parts.circuitSwitches, 0U);
    EXPECT_EQ(parts.fibres, 48U);
    EXPECT_EQ(parts.transceivers, 96U);
    uint32_t ports = 0;
    for (const auto& packetSwitch : traffic.fabric.packetSwitches)
    {
        ports += packetSwitch->GetNPorts();
    }
    EXPECT_EQ(parts.packetSwitchPorts, ports);
}

TEST(PacketFabric, SeedsDecideWhichPathsAreTaken)
{
    const auto countPaths = [](uint32_t seed) {
        FabricTraffic traffic(16, {4, 1, 1}, InstallTree, [seed](PacketFabricHelper& packets) {
            packets.SetHashSeed(seed);
        });
        for (uint32_t from = 0; from < 16; from++)
        {
            const uint32_t to = (from + 8) % 16;
            traffic.endpoints[to]->Receive(from, {1, 0, 0}, 40000, [](const Message&, Time) {});
            traffic.endpoints[from]->Send(to, 0, 0, {1, 0, 0}, 40000, Cause(), [](const Message&) {
            });
        }
        Simulator::Run();
        std::vector<uint64_t> bytes; // through each core
        for (uint32_t core = 16; core < 20; core++)
        {
            bytes.push_back(traffic.fabric.packetSwitches[core]->GetForwarded());
        }
        return bytes;
    };
    const auto first = countPaths(1);
    EXPECT_EQ(std::accumulate(first.begin(), first.end(), uint64_t(0)), 160U);
    EXPECT_EQ(countPaths(1), first);
    uint32_t others = 0;
    for (uint32_t seed = 2; seed <= 9; seed++)
    {
        others += countPaths(seed) != first;
    }
    EXPECT_GT(others, 5U);
}

TEST(PacketFabric, RefusesHostsThatTheTopologyDoesNotHave)
{
    PacketFabricHelper helper;
    EXPECT_THROW(helper.Install(SwitchTopology::FatTree(4, {64, 1, 1}), {}), std::invalid_argument);
}

} // namespace photonic
} // namespace ns3
