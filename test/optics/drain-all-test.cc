/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics-test-helper.h"

#include "ns3/boolean.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <set>

namespace ns3
{
namespace photonic
{

/// A switch that stops as a whole for a change.
class DrainAllTest : public CircuitTest
{
  protected:
    void Build(const std::vector<Time>& fibres, Time delay, bool drainAll = true)
    {
        ocs->SetAttribute("DrainAll", BooleanValue(drainAll));
        SetDelay(delay);
        AddPorts(fibres);
        for (const auto& device : devices)
        {
            device->GetQueue()->SetMaxSize(QueueSize("100000p"));
        }
    }

    void Fill(uint32_t device, uint32_t packets)
    {
        for (uint32_t i = 0; i < packets; i++)
        {
            Send(device);
        }
    }

    /// @return instants, one packet time apart: so many from one, and so many from another
    static std::vector<Time> Times(Time first, uint32_t count, Time second, uint32_t others)
    {
        std::vector<Time> times;
        for (uint32_t k = 0; k < count + others; k++)
        {
            times.push_back(k < count ? first + PacketTime() * int64_t(k)
                                      : second + PacketTime() * int64_t(k - count));
        }
        return times;
    }

    /// @return the ports that are dark now
    std::set<uint32_t> GetDarkPorts() const
    {
        std::set<uint32_t> dark;
        for (uint32_t port = 0; port < devices.size(); port++)
        {
            if (ocs->IsDark(port))
            {
                dark.insert(port);
            }
        }
        return dark;
    }

    /// Random traffic over random changes. @param random its source
    void RunAtRandom(std::mt19937& random);
};

TEST_F(DrainAllTest, AnUntouchedCircuitGoesDarkAndComesBack)
{
    for (const char* policy : {"lose", "drain-current-packet"})
    {
        SCOPED_TRACE(policy);
        Build({NanoSeconds(5020), NanoSeconds(730), NanoSeconds(900), NanoSeconds(400)},
              MicroSeconds(50));
        SetPolicy(policy);
        ocs->Preset({{0, 1}});
        linkChanges.clear();
        Fill(0, 300);
        Fill(1, 300);
        ReconfigureAt(NanoSeconds(12'345), {{2, 3}});
        Simulator::Run();
        // Device 0 is told at 17,365 ns and finishes packet 174 at 17,400 ns, whose last bit leaves
        // the switch at 22,420 ns. Device 1 is told at 13,075 ns and finishes packet 131.
        const Time dark = NanoSeconds(22'420);
        const Time lit = dark + MicroSeconds(50);
        const Time arrival = PacketTime() + NanoSeconds(5750);
        EXPECT_EQ(ArrivalsAt(1), Times(arrival, 174, lit + NanoSeconds(5020) + arrival, 126));
        EXPECT_EQ(ArrivalsAt(0), Times(arrival, 131, lit + NanoSeconds(730) + arrival, 169));
        EXPECT_EQ(
            linkChanges[0],
            (LinkChanges{{dark + NanoSeconds(5020), false}, {lit + NanoSeconds(5020), true}}));
        EXPECT_EQ(linkChanges[1],
                  (LinkChanges{{dark + NanoSeconds(730), false}, {lit + NanoSeconds(730), true}}));
        EXPECT_EQ(linkChanges[2], (LinkChanges{{lit + NanoSeconds(900), true}}));
        ASSERT_EQ(outcomes.size(), 1U);
        EXPECT_EQ(outcomes[0].first.started, dark);
        EXPECT_EQ(outcomes[0].first.done, lit + NanoSeconds(5020))
            << "light at all, not at 2 and 3";
        EXPECT_EQ(outcomes[0].first.portsChanged, 2U);
        EXPECT_EQ(outcomes[0].first.portsDark, 4U);
        EXPECT_EQ(ocs->GetDarkTime(), MicroSeconds(4 * 50));
        EXPECT_EQ(ocs->GetOutput(0), 1U);
        EXPECT_EQ(ocs->GetLostPackets(), 0U);
        EXPECT_TRUE(devices[0]->GetDrops().empty());
        EXPECT_TRUE(devices[1]->GetDrops().empty());
        StartOver();
    }
}

TEST_F(DrainAllTest, AllPortsWithACircuitBeforeOrAfterAreDark)
{
    Build(std::vector<Time>(9, NanoSeconds(100)), MicroSeconds(10));
    ocs->Preset({{0, 1}, {2, 3}, {4, 5}});
    ReconfigureAt(MicroSeconds(1), {{0, 2}, {4, 5}, {6, 1}});
    std::set<uint32_t> dark;
    At(MicroSeconds(5), [this, &dark] { dark = GetDarkPorts(); });
    Simulator::Run();
    EXPECT_EQ(dark, (std::set<uint32_t>{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_TRUE(GetDarkPorts().empty());
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].first.portsChanged, 4U) << "0, 1, 2 and 6";
    EXPECT_EQ(outcomes[0].first.portsDark, 7U);
    EXPECT_EQ(ocs->GetDarkTime(), MicroSeconds(7 * 10));
    EXPECT_EQ(ocs->GetOutput(3), OpticalCircuitSwitch::NO_PORT);
    EXPECT_EQ(ocs->GetOutput(4), 5U);
}

TEST_F(DrainAllTest, DisjointRequestsAreServedOneAfterAnother)
{
    for (bool drainAll : {false, true})
    {
        SCOPED_TRACE(drainAll);
        Build(std::vector<Time>(6, NanoSeconds(100)), MicroSeconds(20), drainAll);
        ReconfigureAt(MicroSeconds(10), {{0, 1}});
        ReconfigureAt(MicroSeconds(12), {{2, 3}});
        ReconfigureAt(MicroSeconds(14), {{4, 5}});
        Simulator::Run();
        ASSERT_EQ(outcomes.size(), 3U);
        Time started = MicroSeconds(10);
        for (std::size_t i = 0; i < 3; i++)
        {
            const auto& [outcome, queued] = outcomes[i];
            EXPECT_EQ(outcome.id, i + 1);
            EXPECT_EQ(outcome.started, started);
            EXPECT_EQ(outcome.done, started + NanoSeconds(20'100));
            EXPECT_EQ(queued, drainAll && i > 0);
            EXPECT_EQ(outcome.portsChanged, 2U);
            EXPECT_EQ(outcome.portsDark, drainAll ? 2 * (i + 1) : 2);
            // To ask what is idle whether it has finished takes a way there and back.
            started = drainAll ? outcome.done + NanoSeconds(200) : started + MicroSeconds(2);
        }
        EXPECT_EQ(ocs->GetDarkTime(), MicroSeconds(20) * int64_t(drainAll ? 2 + 4 + 6 : 6));
        StartOver();
    }
}

TEST_F(DrainAllTest, CircuitsThatExistStopNothing)
{
    Build(std::vector<Time>(4, NanoSeconds(450)), MicroSeconds(10));
    ocs->Preset({{0, 1}});
    Fill(0, 100);
    ReconfigureAt(MicroSeconds(2), {{1, 0}});
    Simulator::Run();
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].first.done, MicroSeconds(2));
    EXPECT_EQ(outcomes[0].first.portsDark, 0U);
    EXPECT_FALSE(outcomes[0].second);
    EXPECT_EQ(ArrivalsAt(1), Times(NanoSeconds(1000), 100, Time(0), 0));
    EXPECT_EQ(ocs->GetDarkTime(), Time(0));
}

TEST_F(DrainAllTest, CircuitsThatExistWaitForAChangeInProgress)
{
    Build(std::vector<Time>(4, NanoSeconds(450)), MicroSeconds(10));
    ocs->Preset({{0, 1}});
    ReconfigureAt(MicroSeconds(2), {{2, 3}});
    ReconfigureAt(MicroSeconds(5), {{0, 1}});
    Simulator::Run();
    ASSERT_EQ(outcomes.size(), 2U);
    EXPECT_EQ(outcomes[1].first.id, 2U);
    EXPECT_EQ(outcomes[1].first.done, outcomes[0].first.done);
    EXPECT_EQ(outcomes[1].first.portsChanged, 0U);
    EXPECT_TRUE(outcomes[1].second);
    EXPECT_EQ(ocs->GetDarkTime(), MicroSeconds(4 * 10));
}

TEST_F(DrainAllTest, QueuesOfUntouchedPortsFollowTheirDarkPolicy)
{
    for (const char* policy : {"wait", "drop"})
    {
        SCOPED_TRACE(policy);
        Build(std::vector<Time>(4, NanoSeconds(300)), MicroSeconds(10));
        devices[0]->SetAttribute("DarkPolicy", StringValue(policy));
        ocs->Preset({{0, 1}});
        Fill(0, 50);
        ReconfigureAt(NanoSeconds(1050), {{2, 3}}); // known at 1,350 ns, after 14 starts
        Simulator::Run();
        const bool wait = policy == std::string("wait");
        EXPECT_EQ(ArrivalsAt(1).size(), wait ? 50U : 14U);
        EXPECT_EQ(Drops(0, "no light"), wait ? 0U : 36U);
        EXPECT_EQ(ocs->GetLostPackets(), 0U);
        StartOver();
    }
}

void
DrainAllTest::RunAtRandom(std::mt19937& random)
{
    constexpr uint32_t PORTS = 8;
    static constexpr uint32_t NONE = OpticalCircuitSwitch::NO_PORT;
    const bool simplex = random() % 2;
    const Time delay = NanoSeconds(random() % 2 ? 0 : random() % 3000);
    std::vector<Time> fibres;
    for (uint32_t i = 0; i < PORTS; i++)
    {
        fibres.push_back(NanoSeconds(random() % 3 ? random() % 2000 : 0));
    }
    Build(fibres, delay);
    ocs->SetAttribute("Simplex", BooleanValue(simplex));
    SetPolicy(random() % 2 ? "lose" : "drain-current-packet");
    std::vector<std::unique_ptr<ListSource>> sources;
    for (const auto& device : devices)
    {
        sources.push_back(std::make_unique<ListSource>(device));
    }

    // What was asked for, in order, and what the switch has to be like after each request.
    std::vector<std::vector<Circuit>> asked;
    std::vector<uint32_t> outputs(PORTS, NONE);
    std::size_t served = 0;
    uint64_t darkPorts = 0;
    Time free;
    const auto join = [&outputs](uint32_t in, uint32_t out) {
        const bool changed = outputs[in] != out;
        if (changed)
        {
            std::replace(outputs.begin(), outputs.end(), out, NONE);
            outputs[in] = out;
        }
        return changed;
    };
    const auto lit = [&outputs](std::set<uint32_t>& ports) {
        for (uint32_t in = 0; in < PORTS; in++)
        {
            if (outputs[in] != NONE)
            {
                ports.insert(in);
                ports.insert(outputs[in]);
            }
        }
    };
    ocs->TraceConnectWithoutContext(
        "Reconfiguration",
        Callback<void, const OpticalCircuitSwitch::Outcome&, bool>(
            [&](const OpticalCircuitSwitch::Outcome& outcome, bool) {
                EXPECT_EQ(outcome.id, served + 1) << "in order";
                EXPECT_GE(outcome.started, free) << "one after another";
                free = outcome.done;
                std::set<uint32_t> dark;
                std::set<uint32_t> changed;
                lit(dark);
                for (const auto& [in, out] : asked.at(served++))
                {
                    if (join(in, out) | (!simplex && join(out, in)))
                    {
                        changed.insert({in, out});
                    }
                }
                lit(dark);
                EXPECT_EQ(outcome.portsChanged, changed.size());
                EXPECT_EQ(outcome.portsDark, changed.empty() ? 0 : dark.size());
                darkPorts += outcome.portsDark;
                for (uint32_t port = 0; port < PORTS; port++)
                {
                    EXPECT_EQ(ocs->GetOutput(port), outputs[port]) << port;
                    EXPECT_FALSE(ocs->IsDark(port));
                }
            }));
    const auto ask = [this, &asked](const std::vector<Circuit>& circuits) {
        asked.push_back(circuits);
        ocs->Reconfigure(circuits);
    };
    for (uint32_t k = 0; k < 40; k++)
    {
        std::vector<uint32_t> ports(PORTS);
        std::iota(ports.begin(), ports.end(), 0);
        std::shuffle(ports.begin(), ports.end(), random);
        std::vector<Circuit> circuits(random() % 4);
        for (std::size_t c = 0; c < circuits.size(); c++)
        {
            circuits[c] = {ports[2 * c], ports[2 * c + 1]};
        }
        At(NanoSeconds(random() % 60000), [ask, circuits] { ask(circuits); });
    }
    uint64_t offered = 0;
    for (uint32_t burst = 0; burst < 100; burst++)
    {
        const uint32_t from = random() % PORTS;
        const uint32_t count = 1 + random() % 12;
        const uint32_t payload = 1 + random() % 1400;
        const bool posted = random() % 2;
        offered += count;
        At(NanoSeconds(random() % 60000), [this, &sources, from, count, payload, posted] {
            for (uint32_t k = 0; k < count; k++)
            {
                posted ? sources[from]->Post(payload) : void(Send(from, payload));
            }
        });
    }
    // In the end every port has light, so that nothing stays in a queue.
    At(MicroSeconds(61), [ask, simplex] {
        std::vector<Circuit> circuits;
        for (uint32_t port = 0; port < PORTS; port += simplex ? 1 : 2)
        {
            circuits.push_back({port, (port + 1) % PORTS});
        }
        ask(circuits);
    });
    Simulator::Run();
    EXPECT_EQ(served, 41U);
    EXPECT_EQ(received.size(), offered);
    EXPECT_EQ(ocs->GetLostPackets(), 0U);
    for (const auto& device : devices)
    {
        EXPECT_TRUE(device->GetDrops().empty());
    }
    EXPECT_EQ(ocs->GetDarkTime(), delay * int64_t(darkPorts));
}

TEST_F(DrainAllTest, NothingIsLostAndTheMatchingIsTheOneAskedFor)
{
    constexpr uint32_t seed = 47;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    for (uint32_t round = 0; round < 150 && !HasFailure(); round++)
    {
        SCOPED_TRACE("round " + std::to_string(round));
        RunAtRandom(random);
        StartOver();
    }
}

} // namespace photonic
} // namespace ns3
