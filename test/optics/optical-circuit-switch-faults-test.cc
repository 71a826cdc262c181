/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics-test-helper.h"

#include "ns3/boolean.h"
#include "ns3/double.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

namespace ns3
{
namespace photonic
{

/// What breaks at a circuit switch, and what is left of its circuits.
class CircuitFaultTest : public CircuitTest
{
  protected:
    using Outcome = OpticalCircuitSwitch::Outcome;
    using Ports = std::vector<uint32_t>;

    void Build(uint32_t ports)
    {
        AddPorts(std::vector<Time>(ports, NanoSeconds(200)));
        SetDelay(MicroSeconds(10));
        ocs->TraceConnectWithoutContext(
            "Fault",
            Callback<void, uint32_t, const std::string&, Time>(
                [this](uint32_t port, const std::string& what, Time since) {
                    faults.emplace_back(Simulator::Now(), port, what, since);
                }));
    }

    /// @return ports that a port's light goes to, or NO_PORT
    Ports GetOutputs() const
    {
        Ports outputs;
        for (uint32_t port = 0; port < devices.size(); port++)
        {
            outputs.push_back(ocs->GetOutput(port));
        }
        return outputs;
    }

    void Fill(uint32_t device, uint32_t packets)
    {
        devices[device]->GetQueue()->SetMaxSize(QueueSize("100000p"));
        for (uint32_t i = 0; i < packets; i++)
        {
            Send(device);
        }
    }

    std::vector<std::tuple<Time, uint32_t, std::string, Time>> faults;
    static constexpr uint32_t NONE = OpticalCircuitSwitch::NO_PORT;
};

TEST_F(CircuitFaultTest, ADeadPortLosesWhatIsOnItsLine)
{
    Build(4);
    ocs->Preset({{0, 1}, {2, 3}});
    Fill(0, 100);
    Fill(2, 100);
    // Packets take 100 ns: the last bits of 48 have passed the switch, 200 ns away, at 5 us. The
    // device goes on for 200 ns more, and begins a packet as it hears of it.
    At(MicroSeconds(5), [this]() { ocs->FailPort(1, PortFault::DEAD); });
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(1).size(), 48U);
    EXPECT_EQ(ArrivalsAt(3).size(), 100U) << "other circuits";
    EXPECT_EQ(Drops(0, "port dead"), 5U) << "two times 200 ns of line, and one";
    EXPECT_EQ(lost["port dead"], 5U);
    EXPECT_EQ(ocs->GetLostPackets(), 5U);
    EXPECT_EQ(devices[0]->GetQueue()->GetNPackets(), 47U);
    EXPECT_EQ(GetOutputs(), (Ports{NONE, NONE, 3, 2}));
    EXPECT_EQ(ocs->GetPortFault(1), PortFault::DEAD);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0],
              std::make_tuple(MicroSeconds(5), 1U, std::string("dead"), MicroSeconds(5)));
}

TEST_F(CircuitFaultTest, ACircuitWithADeadPortStaysDarkUntilItIsRepairedAndAskedFor)
{
    Build(4);
    ocs->FailPort(1, PortFault::DEAD);
    std::vector<Outcome> done;
    const auto ask = [this, &done]() {
        ocs->Reconfigure({{0, 1}, {2, 3}}, [&done](const Outcome& o) { done.push_back(o); });
    };
    At(MicroSeconds(20), ask);
    At(MicroSeconds(40), [this]() { EXPECT_EQ(GetOutputs(), (Ports{NONE, NONE, 3, 2})); });
    At(MicroSeconds(50), [this]() { ocs->RepairPort(1); });
    At(MicroSeconds(60), [this]() { EXPECT_EQ(GetOutputs(), (Ports{NONE, NONE, 3, 2})); });
    At(MicroSeconds(70), ask);
    Simulator::Run();
    ASSERT_EQ(done.size(), 2U);
    EXPECT_EQ(done[0].failed, (Ports{0, 1}));
    EXPECT_EQ(done[0].portsChanged, 2U);
    EXPECT_EQ(done[0].done, NanoSeconds(30'200)) << "the usual time";
    EXPECT_EQ(done[1].failed, Ports{});
    EXPECT_EQ(done[1].portsChanged, 2U);
    EXPECT_EQ(GetOutputs(), (Ports{1, 0, 3, 2}));
    EXPECT_EQ(ocs->GetDarkTime(), MicroSeconds(10) * 6);
    ASSERT_EQ(faults.size(), 2U);
    EXPECT_EQ(faults[1], std::make_tuple(MicroSeconds(50), 1U, std::string("repaired"), Time(0)));
}

TEST_F(CircuitFaultTest, AStuckPortKeepsItsCircuitWhateverIsAsked)
{
    for (bool drain : {false, true})
    {
        for (bool whole : {false, true})
        {
            SCOPED_TRACE(std::string(drain ? "drain" : "lose") + (whole ? ", whole" : ""));
            SetPolicy(drain ? "drain-current-packet" : "lose");
            ocs->SetAttribute("DrainAll", BooleanValue(whole));
            Build(6);
            ocs->Preset({{0, 1}, {2, 3}});
            ocs->FailPort(0, PortFault::STUCK);
            Fill(0, 200);
            std::vector<Outcome> done;
            At(MicroSeconds(5), [this, &done]() {
                // On the stuck port; on the port that it is joined to.
                ocs->Reconfigure({{0, 2}, {1, 4}, {3, 5}},
                                 [&done](const Outcome& o) { done.push_back(o); });
            });
            Simulator::Run();
            ASSERT_EQ(done.size(), 1U);
            EXPECT_EQ(done[0].failed, (Ports{0, 1, 2, 4}));
            EXPECT_EQ(done[0].portsChanged, 2U);
            EXPECT_EQ(done[0].done - done[0].started, NanoSeconds(10'200));
            EXPECT_EQ(GetOutputs(), (Ports{1, 0, NONE, 5, NONE, 3}));
            EXPECT_EQ(ArrivalsAt(1).size(), 200U) << "without a pause";
            EXPECT_EQ(ArrivalsAt(1).back(), NanoSeconds(200 * 100 + 400));
            EXPECT_EQ(ocs->GetLostPackets(), 0U);
            StartOver();
            faults.clear();
        }
    }
}

TEST_F(CircuitFaultTest, ATransmitterThatWasToldToStopGoesOnWhenItsPortGetsStuck)
{
    Build(4);
    SetPolicy("drain-current-packet");
    ocs->Preset({{0, 1}});
    Fill(0, 200);
    std::vector<Outcome> done;
    At(NanoSeconds(5050), [this, &done]() {
        ocs->Reconfigure({{0, 2}}, [&done](const Outcome& o) { done.push_back(o); });
    });
    // The device hears of it at 5,250 ns, and its packet leaves the switch at 5,500 ns.
    At(NanoSeconds(5300), [this]() { ocs->FailPort(1, PortFault::STUCK); });
    Simulator::Run();
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done[0].failed, (Ports{0, 2}));
    EXPECT_EQ(GetOutputs(), (Ports{1, 0, NONE, NONE}));
    // Told at 5,500 ns, it starts again at 5,700 ns; 53 packets had started before.
    ASSERT_EQ(ArrivalsAt(1).size(), 200U);
    EXPECT_EQ(ArrivalsAt(1)[52], NanoSeconds(5300 + 400));
    EXPECT_EQ(ArrivalsAt(1)[53], NanoSeconds(5700 + 100 + 400));
    EXPECT_EQ(ocs->GetLostPackets(), 0U);
}

TEST_F(CircuitFaultTest, APortThatGetsStuckWhileItTurnsStaysDark)
{
    Build(3);
    ocs->Preset({{0, 1}});
    std::vector<Outcome> done;
    const auto ask = [this, &done](uint32_t to) {
        ocs->Reconfigure({{0, to}}, [&done](const Outcome& o) { done.push_back(o); });
    };
    At(MicroSeconds(5), [&]() { ask(2); });
    At(MicroSeconds(6), [this]() { ocs->FailPort(0, PortFault::STUCK); });
    At(MicroSeconds(30), [&]() { ask(1); });
    At(MicroSeconds(60), [this]() { ocs->RepairPort(0); });
    At(MicroSeconds(70), [&]() { ask(1); });
    Simulator::Run();
    ASSERT_EQ(done.size(), 3U);
    EXPECT_EQ(done[0].failed, (Ports{0, 2}));
    EXPECT_EQ(done[1].failed, (Ports{0, 1}));
    EXPECT_EQ(done[1].portsDark, 0U);
    EXPECT_EQ(done[1].done, MicroSeconds(40) + NanoSeconds(200));
    EXPECT_EQ(done[2].failed, Ports{});
    EXPECT_EQ(GetOutputs(), (Ports{1, 0, NONE}));
}

TEST_F(CircuitFaultTest, AnOutageEndsAllCircuitsAndRequestsStartWhenItIsOver)
{
    Build(6);
    ocs->Preset({{0, 1}, {2, 3}});
    std::vector<Outcome> done;
    const auto ask = [this, &done](std::vector<Circuit> circuits) {
        ocs->Reconfigure(circuits, [&done](const Outcome& o) { done.push_back(o); });
    };
    At(MicroSeconds(5), [&]() { ask({{0, 4}}); });
    At(MicroSeconds(8), [this]() {
        EXPECT_TRUE(ocs->IsDark(0));
        ocs->SetOutage(true);
        EXPECT_TRUE(ocs->IsOut());
        EXPECT_FALSE(ocs->IsDark(0)) << "it does not turn";
        EXPECT_EQ(GetOutputs(), Ports(6, NONE));
    });
    At(MicroSeconds(9), [&]() { ask({{1, 5}}); });
    At(MicroSeconds(30), [this]() { EXPECT_EQ(GetOutputs(), Ports(6, NONE)); });
    At(MicroSeconds(100), [this]() { ocs->SetOutage(false); });
    Simulator::Run();
    ASSERT_EQ(done.size(), 2U);
    for (const auto& outcome : done)
    {
        EXPECT_EQ(outcome.started, MicroSeconds(100));
        EXPECT_EQ(outcome.done, NanoSeconds(110'200));
        EXPECT_EQ(outcome.failed, Ports{});
        EXPECT_EQ(outcome.portsChanged, 2U);
    }
    EXPECT_EQ(done[0].id, 1U);
    EXPECT_EQ(GetOutputs(), (Ports{4, 5, NONE, NONE, 0, 1})) << "2-3 was not asked for";
    EXPECT_EQ(ocs->GetDarkTime(), MicroSeconds(3) * 2 + MicroSeconds(10) * 4);
    ASSERT_EQ(faults.size(), 2U);
    EXPECT_EQ(std::get<2>(faults[0]), "outage");
    EXPECT_EQ(faults[1],
              std::make_tuple(MicroSeconds(100), NONE, std::string("back"), MicroSeconds(8)));
}

TEST_F(CircuitFaultTest, APowerCutInAnAnswerLeavesTheOtherRequestsForLater)
{
    Build(6);
    std::vector<uint64_t> done;
    At(MicroSeconds(1), [this, &done]() {
        // Two wait for the first one's ports.
        ocs->Reconfigure({{0, 1}, {2, 3}}, [this, &done](const Outcome& o) {
            done.push_back(o.id);
            ocs->SetOutage(true);
            Simulator::Schedule(MicroSeconds(50), [this]() { ocs->SetOutage(false); });
        });
        ocs->Reconfigure({{0, 2}}, [&done](const Outcome& o) { done.push_back(o.id); });
        ocs->Reconfigure({{1, 3}}, [&done](const Outcome& o) { done.push_back(o.id); });
    });
    Simulator::Run();
    EXPECT_EQ(done, (std::vector<uint64_t>{1, 2, 3}));
    EXPECT_EQ(GetOutputs(), (Ports{2, 3, 0, 1, NONE, NONE}));
}

TEST_F(CircuitFaultTest, PortsThatAreNotThereAreRefused)
{
    Build(2);
    EXPECT_EQ(GetRefusal<std::invalid_argument>([this]() { ocs->FailPort(7, PortFault::DEAD); }),
              "port 7 of the optical switch has no fibre");
    ocs->FailPort(0, PortFault::DEAD);
    EXPECT_EQ(GetRefusal<std::invalid_argument>([this]() { ocs->Preset({{0, 1}}); }),
              "circuit 0-1: a port is broken");
}

TEST_F(CircuitFaultTest, SlowMirrorsTakeWhatIsDrawn)
{
    Build(4);
    auto times = CreateObject<DeterministicRandomVariable>();
    const double drawn[] = {1e-6, 30e-6, 0};
    times->SetValueArray(std::vector<double>(drawn, drawn + 3).data(), 3);
    ocs->SetAttribute("TurningTime", PointerValue(times));
    EXPECT_EQ(ocs->AssignStreams(3), 1);
    ReconfigureAt(MicroSeconds(100), {{0, 1}});
    ReconfigureAt(MicroSeconds(200), {{0, 1}}); // nothing to draw for
    ReconfigureAt(MicroSeconds(300), {{0, 2}, {1, 3}});
    ReconfigureAt(MicroSeconds(400), {{0, 1}});
    Simulator::Run();
    ASSERT_EQ(outcomes.size(), 4U);
    EXPECT_EQ(outcomes[0].first.done, NanoSeconds(101'200));
    EXPECT_EQ(outcomes[1].first.done, MicroSeconds(200));
    EXPECT_EQ(outcomes[2].first.done, NanoSeconds(330'200));
    EXPECT_EQ(outcomes[3].first.done, NanoSeconds(400'200));
    EXPECT_EQ(ocs->GetDarkTime(), MicroSeconds(1) * 2 + MicroSeconds(30) * 4);
}

TEST_F(CircuitFaultTest, PacketsAreReceivedLostDroppedOrQueuedUnderAnyFaults)
{
    constexpr uint32_t seed = 41;
    constexpr uint32_t ports = 6;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    uint64_t allLost = 0;
    uint64_t allFailed = 0;
    std::map<std::string, uint64_t> reasons;
    for (uint32_t round = 0; round < 120; round++)
    {
        SCOPED_TRACE("round " + std::to_string(round));
        ocs->SetAttribute("Simplex", BooleanValue(round % 2));
        ocs->SetAttribute("DrainAll", BooleanValue(round / 4 % 4 == 3));
        SetPolicy(round / 2 % 2 ? "drain-current-packet" : "lose");
        AddPorts(std::vector<Time>{NanoSeconds(random() % 500),
                                   NanoSeconds(random() % 2000),
                                   Time(0),
                                   NanoSeconds(300),
                                   NanoSeconds(random() % 100),
                                   NanoSeconds(700)});
        SetDelay(NanoSeconds(random() % 2000));
        // At most one circuit per port, one that is not dead, and none without power.
        std::map<uint32_t, uint32_t> outputs;
        std::map<uint32_t, uint32_t> inputs;
        ocs->TraceConnectWithoutContext(
            "Circuit",
            Callback<void, uint32_t, uint32_t, uint64_t, bool>(
                [&](uint32_t in, uint32_t out, uint64_t, bool up) {
                    if (up)
                    {
                        ASSERT_TRUE(outputs.emplace(in, out).second);
                        ASSERT_TRUE(inputs.emplace(out, in).second);
                        ASSERT_FALSE(ocs->IsOut());
                        ASSERT_NE(ocs->GetPortFault(in), PortFault::DEAD);
                        ASSERT_NE(ocs->GetPortFault(out), PortFault::DEAD);
                        ASSERT_NE(ocs->GetPortFault(in), PortFault::STUCK);
                        return;
                    }
                    ASSERT_EQ(outputs.erase(in), 1U);
                    ASSERT_EQ(inputs.erase(out), 1U);
                }));
        std::vector<std::unique_ptr<ListSource>> sources;
        for (const auto& device : devices)
        {
            auto time = CreateObject<UniformRandomVariable>();
            time->SetAttribute("Max", DoubleValue(1e-6));
            time->SetStream(7);
            if (random() % 2)
            {
                device->SetAttribute("BringUpTime", PointerValue(time));
            }
            device->SetAttribute("DarkPolicy", StringValue(random() % 2 ? "wait" : "drop"));
            sources.push_back(std::make_unique<ListSource>(device));
        }
        uint64_t offered = 0;
        for (uint32_t burst = 0; burst < 120; burst++)
        {
            const uint32_t from = random() % ports;
            const uint32_t count = 1 + random() % 12;
            offered += count;
            At(NanoSeconds(random() % 40000),
               [&sources, from, count]() { sources[from]->Post(PAYLOAD, count); });
        }
        constexpr uint32_t requests = 40;
        uint32_t answers = 0;
        for (uint32_t k = 0; k < requests; k++)
        {
            std::vector<uint32_t> order(ports);
            std::iota(order.begin(), order.end(), 0);
            std::shuffle(order.begin(), order.end(), random);
            std::vector<Circuit> circuits(1 + random() % 3);
            for (std::size_t c = 0; c < circuits.size(); c++)
            {
                circuits[c] = {order[2 * c], order[2 * c + 1]};
            }
            At(NanoSeconds(random() % 40000), [this, circuits, &answers, &allFailed]() {
                ocs->Reconfigure(circuits, [&answers, &allFailed](const Outcome& o) {
                    answers++;
                    allFailed += o.failed.size();
                });
            });
        }
        for (uint32_t k = 0; k < 30; k++)
        {
            const uint32_t port = random() % ports;
            const Time at = NanoSeconds(random() % 40000);
            const uint32_t what = random() % 10;
            const bool begins = random() % 2;
            At(at, [this, port, what, begins]() {
                const auto fibre = DynamicCast<OpticalChannel>(devices[port]->GetChannel());
                switch (what)
                {
                case 0:
                case 1:
                    return ocs->FailPort(port, PortFault::DEAD);
                case 2:
                case 3:
                    return ocs->FailPort(port, PortFault::STUCK);
                case 4:
                case 5:
                    return ocs->RepairPort(port);
                case 6:
                    return ocs->SetOutage(begins);
                case 7:
                    return begins ? fibre->Cut() : fibre->Splice();
                case 8:
                    return fibre->Splice();
                default:
                    return devices[port]->SetFailed(begins);
                }
            });
        }
        At(NanoSeconds(50000), [this]() { ocs->SetOutage(false); });
        Simulator::Run();
        ASSERT_EQ(answers, requests) << "a request was forgotten";
        uint64_t onLine = 0;
        uint64_t lostHere = 0;
        uint64_t dropped = 0;
        uint64_t queued = 0;
        for (uint32_t i = 0; i < ports; i++)
        {
            EXPECT_EQ(ocs->GetOutput(i), outputs.count(i) ? outputs[i] : NONE);
            EXPECT_FALSE(ocs->IsDark(i));
            queued += sources[i]->GetNPackets();
            onLine += std::count(sources[i]->accepted.begin(), sources[i]->accepted.end(), true);
            for (const auto& [reason, count] : devices[i]->GetDrops())
            {
                (reason == "no light" ? dropped : lostHere) += count;
                reasons[reason] += count;
            }
        }
        ASSERT_EQ(onLine, received.size() + lostHere);
        ASSERT_EQ(offered, received.size() + lostHere + dropped + queued);
        allLost += lostHere;
        sources.clear();
        StartOver();
    }
    EXPECT_GT(allFailed, 100U);
    EXPECT_GT(allLost, 100U);
    for (const char* reason :
         {"circuit torn down", "port dead", "switch outage", "fibre cut", "NIC port failed"})
    {
        EXPECT_GT(reasons[reason], 0U) << reason;
    }
}

} // namespace photonic
} // namespace ns3
