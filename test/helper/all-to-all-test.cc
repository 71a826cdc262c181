/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "helper/fabric-traffic.h"

#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdio>

namespace ns3
{
namespace photonic
{

namespace
{

/// Hosts, and what is below and above each leaf.
struct Shape
{
    uint32_t hosts;
    uint32_t down;
    uint32_t up;
};

constexpr uint32_t PACKETS = 12; ///< from each host to each other

/**
 * All hosts send to all others at once.
 * @return when the last byte arrives
 */
Time
RunAllToAll(const Shape& shape, const std::string& balancing, uint32_t seed)
{
    FabricTraffic traffic(
        shape.hosts,
        {shape.down + shape.up, double(shape.down) / shape.up, 1},
        [](TrainingFabricHelper& helper, const ParallelPlan& plan) {
            return helper.InstallElectricalRail(plan);
        },
        [&](PacketFabricHelper& packets) {
            packets.SetSwitchAttribute("LoadBalancing", StringValue(balancing));
            packets.SetHashSeed(seed);
        });
    EXPECT_EQ(traffic.fabric.packetSwitches.front()->GetNPorts(), shape.down + shape.up);
    Time last;
    uint32_t arrived = 0;
    for (uint32_t rank = 0; rank < shape.hosts; rank++)
    {
        auto& port = dynamic_cast<PacketPort&>(traffic.endpoints[rank]->GetPort(0));
        port.SetAnyOrder(balancing != "flow-hash");
    }
    // Each pair is a communicator of its own, so that a host's messages alternate.
    for (uint32_t i = 1; i < shape.hosts; i++)
    {
        for (uint32_t from = 0; from < shape.hosts; from++)
        {
            const uint32_t to = (from + i) % shape.hosts;
            const uint64_t bytes = PACKETS * FabricTraffic::PAYLOAD;
            traffic.endpoints[to]->Receive(from, {i, 0, 0}, bytes, [&](const Message&, Time) {
                last = Simulator::Now();
                arrived++;
            });
            traffic.endpoints[from]->Send(to, 0, 0, {i, 0, 0}, bytes, Cause(), nullptr);
        }
    }
    Simulator::Run();
    EXPECT_EQ(arrived, shape.hosts * (shape.hosts - 1));
    EXPECT_EQ(traffic.GetDrops(), 0U);
    return last;
}

/// What the busiest line takes: that of a host, or those up from a leaf.
Time
GetLeast(const Shape& shape)
{
    const uint32_t own = shape.hosts - 1;
    const double leaving = double(shape.down) * (shape.hosts - shape.down) / shape.up;
    return PicoSeconds(static_cast<int64_t>(1e6 * PACKETS * std::max<double>(own, leaving)));
}

} // namespace

TEST(AllToAll, OversubscriptionSlowsItByItsFactorWithSpraying)
{
    const Shape even{32, 8, 8};
    const Shape scarce{32, 8, 2}; // 4 to 1
    const auto slowdown = [](Time a, Time b) { return a.GetSeconds() / b.GetSeconds(); };
    const double expected = slowdown(GetLeast(scarce), GetLeast(even));
    EXPECT_NEAR(expected, 4.0 * 24 / 31, 1e-9);
    for (const std::string balancing : {"round-robin", "random"})
    {
        SCOPED_TRACE(balancing);
        const Time full = RunAllToAll(even, balancing, 1);
        const Time quarter = RunAllToAll(scarce, balancing, 1);
        std::printf(
            "%s: %.2f us without, %.2f us with oversubscription, x %.3f; closed form %.3f\n",
            balancing.c_str(),
            full.GetSeconds() * 1e6,
            quarter.GetSeconds() * 1e6,
            slowdown(quarter, full),
            expected);
        EXPECT_GE(full, GetLeast(even));
        EXPECT_GE(quarter, GetLeast(scarce));
        EXPECT_NEAR(slowdown(quarter, full), expected, 0.05 * expected);
    }
}

TEST(AllToAll, FlowsThatCollideSlowItFurther)
{
    const Shape scarce{32, 8, 2};
    const Time sprayed = RunAllToAll(scarce, "random", 1);
    for (uint32_t seed = 1; seed <= 3; seed++)
    {
        const Time hashed = RunAllToAll(scarce, "flow-hash", seed);
        std::printf("seed %u: %.2f us with a path per flow, %.2f us with spraying\n",
                    seed,
                    hashed.GetSeconds() * 1e6,
                    sprayed.GetSeconds() * 1e6);
        EXPECT_GT(hashed, sprayed);
    }
}

} // namespace photonic
} // namespace ns3
