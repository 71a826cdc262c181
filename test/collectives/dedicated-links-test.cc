/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Links dedicated to each parallelism on electrical-ideal: all groups of a grid of ranks run random
 * operations at once, which end at the same ticks in all three fidelities.
 */
#include "fidelity-scenario.h"

#include "ns3/port-layout.h"

namespace ns3
{
namespace photonic
{

namespace
{

/// A group of a grid, and what it does.
struct GridGroup
{
    std::vector<uint32_t> ranks;
    std::vector<GroupSlot> slots; ///< by position: what the members name the group by
    std::vector<Scenario::Operation> operations;
};

/// Data-parallel rings times pipelines. Rank = stage x replicas + replica.
struct Grid
{
    uint32_t replicas;
    uint32_t stages;
    uint32_t nicPorts;
    Scenario lines; ///< of each dedicated port
    std::vector<GridGroup> groups;

    uint32_t GetRanks() const
    {
        return replicas * stages;
    }

    PortLayout GetLayout() const
    {
        return PortLayout::Dedicated(DataRate(lines.rate * nicPorts), nicPorts);
    }
};

using Outcomes = std::vector<std::vector<std::vector<Outcome>>>; ///< by group

std::vector<Scenario::Operation>
RollOperations(Dice& dice, uint32_t ranks, bool transfers)
{
    std::vector<Scenario::Operation> operations;
    for (uint64_t left = dice.Between(0, 3); left > 0; left--)
    {
        operations.push_back(transfers ? dice.Transfer() : dice.Collective(ranks, 40'000));
        operations.back().next = dice.Between(0, 1) ? Next::WHEN_DONE : Next::WHEN_RECEIVED;
    }
    return operations;
}

Grid
RollGrid(Dice& dice)
{
    Grid grid;
    grid.replicas = dice.Between(1, 5);
    grid.stages = dice.Between(1, 4);
    grid.nicPorts = dice.Between(1, 2);
    grid.lines = dice.Lines(grid.GetRanks());
    const auto rank = [&grid](uint32_t stage, uint32_t replica) {
        return stage * grid.replicas + replica;
    };
    for (uint32_t stage = 0; stage < grid.stages; stage++)
    {
        GridGroup ring;
        ring.slots.assign(grid.replicas, GroupSlot::FSDP);
        for (uint32_t replica = 0; replica < grid.replicas; replica++)
        {
            ring.ranks.push_back(rank(stage, replica));
        }
        ring.operations = RollOperations(dice, grid.replicas, false);
        grid.groups.push_back(ring);
    }
    for (uint32_t replica = 0; replica < grid.replicas; replica++)
    {
        GridGroup pipeline;
        pipeline.slots.assign(grid.stages, GroupSlot::PP);
        for (uint32_t stage = 0; stage < grid.stages; stage++)
        {
            pipeline.ranks.push_back(rank(stage, replica));
            if (stage > 0)
            {
                GridGroup pair;
                pair.ranks = {rank(stage - 1, replica), rank(stage, replica)};
                pair.slots = {GroupSlot::PP_NEXT, GroupSlot::PP_PREVIOUS};
                pair.operations = RollOperations(dice, 2, true);
                grid.groups.push_back(pair);
            }
        }
        pipeline.operations = RollOperations(dice, grid.stages, false);
        grid.groups.push_back(pipeline);
    }
    return grid;
}

/// @return how all operations end, on endpoints with the ports of the layout
Outcomes
RunGroups(const Grid& grid, const std::vector<Ptr<MessageEndpoint>>& endpoints, bool solved)
{
    const auto layout = grid.GetLayout();
    std::vector<std::unique_ptr<Player>> players;
    uint32_t id = 1;
    for (const auto& group : grid.groups)
    {
        const auto together = solved ? Create<SolvedGroup>() : nullptr;
        std::vector<Ptr<Communicator>> members;
        for (uint32_t position = 0; position < group.ranks.size(); position++)
        {
            auto member = CreateObject<Communicator>();
            member->Configure(id,
                              group.ranks,
                              endpoints[group.ranks[position]],
                              layout.GetLanes(group.slots[position]));
            if (together)
            {
                member->SetGroup(together);
            }
            members.push_back(member);
        }
        players.push_back(std::make_unique<Player>(group.operations, members));
        id++;
    }
    Simulator::Run();
    Outcomes outcomes;
    for (const auto& player : players)
    {
        outcomes.push_back(player->outcomes);
    }
    return outcomes;
}

/// Packet by packet, or message by message, over a packet switch.
Outcomes
RunSent(const Grid& grid, bool trains)
{
    TestRail::Options options;
    options.ranks = grid.GetRanks();
    options.ports = grid.GetLayout().ports.size();
    options.rate = grid.lines.rate;
    options.mtu = grid.lines.mtu;
    options.fibre = grid.lines.propagation / 2;
    options.electrical = true;
    options.messageLatency = grid.lines.messageLatency;
    options.trains = trains;
    TestRail rail(options);
    auto outcomes = RunGroups(grid, rail.endpoints, false);
    EXPECT_TRUE(rail.failures.empty()) << rail.failures[0];
    return outcomes;
}

Outcomes
RunSolved(const Grid& grid)
{
    Endpoints endpoints(grid.GetRanks(), grid.lines.messageLatency);
    endpoints.AddNicPorts(grid.GetLayout().ports.size(),
                          grid.lines.rate,
                          grid.lines.propagation,
                          grid.lines.mtu);
    auto outcomes = RunGroups(grid, endpoints.all, true);
    EXPECT_TRUE(endpoints.failures.empty()) << endpoints.failures[0];
    return outcomes;
}

} // namespace

TEST(DedicatedLinks, AllFidelitiesEndAtTheSameTicks)
{
    const uint64_t seed = 20241204;
    Dice dice(seed);
    uint64_t operations = 0;
    for (uint32_t i = 0; i < 1000 && !testing::Test::HasFailure(); i++)
    {
        const Grid grid = RollGrid(dice);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i) + ": " +
                     std::to_string(grid.stages) + " stages of " + std::to_string(grid.replicas) +
                     " replicas, " + std::to_string(grid.nicPorts) + " ports at " +
                     std::to_string(grid.lines.rate) + " bit/s");
        const auto packets = RunSent(grid, false);
        const auto messages = RunSent(grid, true);
        const auto solved = RunSolved(grid);
        for (std::size_t g = 0; g < grid.groups.size(); g++)
        {
            for (std::size_t k = 0; k < grid.groups[g].operations.size(); k++)
            {
                SCOPED_TRACE("group " + std::to_string(g) + ", operation " + std::to_string(k));
                operations++;
                EXPECT_EQ(messages[g][k], packets[g][k]);
                EXPECT_EQ(solved[g][k], packets[g][k]);
                for (const auto& outcome : packets[g][k])
                {
                    EXPECT_LT(outcome.done, Time::Max());
                }
            }
        }
    }
    EXPECT_GT(operations, 5000U);
}

} // namespace photonic
} // namespace ns3
