/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics-test-helper.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace photonic
{

/// Circuits as they are: validation, light, generations, order of requests.
class OpticalCircuitSwitchTest : public CircuitTest
{
  protected:
    static constexpr uint32_t NONE = OpticalCircuitSwitch::NO_PORT;

    /// @return where the light of each port goes
    std::vector<uint32_t> GetOutputs() const
    {
        std::vector<uint32_t> outputs;
        for (uint32_t port = 0; port < devices.size(); port++)
        {
            outputs.push_back(ocs->GetOutput(port));
        }
        return outputs;
    }
};

TEST_F(OpticalCircuitSwitchTest, CostsOneSerialisationAndThePropagationOfItsFibres)
{
    constexpr uint64_t bitRate = 7'000'000'000;
    AddPorts({NanoSeconds(301), NanoSeconds(1700)}, bitRate);
    ocs->Preset({{0, 1}});
    for (int i = 0; i < 50; i++)
    {
        Send(0, 1400);
    }
    SendAt(MicroSeconds(200), 1, 99);
    Simulator::Run();
    std::vector<Time> expected;
    for (int k = 1; k <= 50; k++)
    {
        expected.push_back(LineTime(k * WireBytes(1400), bitRate) + NanoSeconds(2001));
    }
    EXPECT_EQ(ArrivalsAt(1), expected);
    EXPECT_EQ(ArrivalsAt(0),
              (std::vector<Time>{MicroSeconds(200) + LineTime(WireBytes(99), bitRate) +
                                 NanoSeconds(2001)}));
}

TEST_F(OpticalCircuitSwitchTest, RefusesARequestWholeBeforeAnythingChanges)
{
    ocs->SetAttribute("Radix", UintegerValue(8));
    AddPorts(std::vector<Time>(6, NanoSeconds(10))); // ports 6 and 7 have no fibre
    ocs->Preset({{0, 1}});

    struct Case
    {
        std::vector<Circuit> circuits;
        const char* word; ///< that the reason contains
    };

    const std::vector<Case> cases{
        {{{2, 3}, {4, 8}}, "port 8 is out of range"},
        {{{2, 3}, {0xffffffff, 4}}, "out of range"},
        {{{2, 3}, {4, 4}}, "itself"},
        {{{2, 3}, {4, 3}}, "port 3 is used twice"},
        {{{2, 3}, {3, 4}}, "port 3 is used twice"},
        {{{2, 3}, {3, 2}}, "used twice"},
        {{{2, 3}, {2, 3}}, "used twice"},
        {{{2, 3}, {4, 7}}, "port 7 has no fibre"},
        {{{2, 3}, {6, 4}}, "port 6 has no fibre"},
    };
    uint32_t calls = 0;
    for (const Case& c : cases)
    {
        SCOPED_TRACE(c.word);
        const auto refusal = GetRefusal<std::invalid_argument>([this, &c, &calls] {
            ocs->Reconfigure(c.circuits,
                             [&calls](const OpticalCircuitSwitch::Outcome&) { calls++; });
        });
        EXPECT_NE(refusal.find(c.word), std::string::npos) << refusal;
        EXPECT_EQ(ocs->Validate(c.circuits), refusal);
        EXPECT_EQ(GetRefusal<std::invalid_argument>([this, &c] { ocs->Preset(c.circuits); }),
                  refusal);
        Simulator::Run();
        EXPECT_EQ(GetOutputs(), (std::vector<uint32_t>{1, 0, NONE, NONE, NONE, NONE}));
        EXPECT_FALSE(ocs->IsDark(2));
    }
    EXPECT_EQ(calls, 0U);
    EXPECT_TRUE(outcomes.empty());
    EXPECT_EQ(ocs->Validate({{2, 3}, {5, 4}}), "");
    EXPECT_EQ(ocs->Validate({}), "");
}

TEST_F(OpticalCircuitSwitchTest, RefusesFibresThatItCannotTake)
{
    ocs->SetAttribute("Radix", UintegerValue(1));
    AddPorts({NanoSeconds(10)});
    AddDevice();
    auto fibre = CreateFibre(NanoSeconds(10));
    EXPECT_THROW(ocs->Attach(0, fibre), std::invalid_argument) << "the port has a fibre";
    devices[1]->Attach(fibre);
    const auto refusal =
        GetRefusal<std::invalid_argument>([this, fibre] { ocs->Attach(1, fibre); });
    EXPECT_NE(refusal.find("port 1"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("1 ports"), std::string::npos) << refusal;
}

TEST_F(OpticalCircuitSwitchTest, PresetTakesNoTimeAndRefusesPortsInUse)
{
    AddPorts(std::vector<Time>(4, NanoSeconds(10)));
    ocs->Preset({{0, 1}});
    EXPECT_THROW(ocs->Preset({{2, 0}}), std::invalid_argument);
    EXPECT_THROW(ocs->Preset({{2, 3}, {1, 0}}), std::invalid_argument);
    EXPECT_EQ(GetOutputs(), (std::vector<uint32_t>{1, 0, NONE, NONE}));
    EXPECT_TRUE(devices[0]->IsLinkUp());
    EXPECT_TRUE(devices[1]->CanTransmit());
    EXPECT_FALSE(devices[2]->IsLinkUp());
    EXPECT_EQ(ocs->GetDarkTime(), Time(0));
    Simulator::Run();
    EXPECT_TRUE(outcomes.empty());
    EXPECT_EQ(Simulator::Now(), Time(0));
}

TEST_F(OpticalCircuitSwitchTest, DuplexCircuitsAreAMatching)
{
    AddPorts(std::vector<Time>(4, NanoSeconds(100)));
    SetDelay(MicroSeconds(10));
    ReconfigureAt(Time(0), {{0, 1}, {3, 2}});
    Simulator::Run();
    EXPECT_EQ(GetOutputs(), (std::vector<uint32_t>{1, 0, 3, 2}));
    for (uint32_t i = 0; i < 4; i++)
    {
        Send(i, 100 + i);
    }
    Simulator::Run();
    ASSERT_EQ(received.size(), 4U);
    for (const auto& r : received)
    {
        EXPECT_EQ(r.device, (r.bytes - 100) ^ 1) << "from " << r.bytes - 100;
    }
    // A circuit takes its ports from others, whose ends are then unconnected.
    ReconfigureAt(Simulator::Now(), {{1, 2}});
    Simulator::Run();
    EXPECT_EQ(GetOutputs(), (std::vector<uint32_t>{NONE, 2, 1, NONE}));
}

TEST_F(OpticalCircuitSwitchTest, SimplexCircuitsAreAPermutation)
{
    ocs->SetAttribute("Simplex", BooleanValue(true));
    AddPorts(std::vector<Time>(3, NanoSeconds(100)));
    SetDelay(MicroSeconds(10));
    EXPECT_NE(ocs->Validate({{0, 1}, {0, 2}}).find("input"), std::string::npos);
    EXPECT_NE(ocs->Validate({{0, 2}, {1, 2}}).find("output"), std::string::npos);
    EXPECT_NE(ocs->Validate({{0, 0}}).find("itself"), std::string::npos);
    ReconfigureAt(Time(0), {{0, 1}, {1, 2}, {2, 0}});
    Simulator::Run();
    EXPECT_EQ(GetOutputs(), (std::vector<uint32_t>{1, 2, 0}));
    for (uint32_t i = 0; i < 3; i++)
    {
        Send(i, 100 + i);
    }
    Simulator::Run();
    ASSERT_EQ(received.size(), 3U);
    for (const auto& r : received)
    {
        EXPECT_EQ(r.device, (r.bytes - 100 + 1) % 3) << "from " << r.bytes - 100;
    }
    // One direction changes; the light that comes into the same port the other way does not.
    const uint64_t generation = ocs->GetGeneration(2);
    ReconfigureAt(Simulator::Now(), {{0, 2}});
    Simulator::Run();
    EXPECT_EQ(GetOutputs(), (std::vector<uint32_t>{2, NONE, 0}));
    EXPECT_EQ(ocs->GetGeneration(2), generation);
    EXPECT_FALSE(devices[1]->IsLinkUp()) << "neither sends nor receives";
    EXPECT_TRUE(devices[2]->CanTransmit());
}

TEST_F(OpticalCircuitSwitchTest, OneDirectionOfASimplexSwitchMayBeMissing)
{
    ocs->SetAttribute("Simplex", BooleanValue(true));
    AddPorts({NanoSeconds(100), NanoSeconds(300)});
    SetDelay(MicroSeconds(1));
    ReconfigureAt(Time(0), {{0, 1}});
    SendAt(MicroSeconds(2), 0);
    SendAt(MicroSeconds(2), 1);
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(1), (std::vector<Time>{NanoSeconds(2500)}));
    EXPECT_TRUE(ArrivalsAt(0).empty());
    EXPECT_EQ(devices[1]->GetQueue()->GetNPackets(), 1U) << "it has no light to send into";
    EXPECT_TRUE(devices[1]->IsLinkUp()) << "it receives";
    EXPECT_FALSE(devices[1]->CanTransmit());
    EXPECT_EQ(linkChanges[0], (LinkChanges{{NanoSeconds(1100), true}}));
    EXPECT_EQ(linkChanges[1], (LinkChanges{{NanoSeconds(1300), true}}));
}

TEST_F(OpticalCircuitSwitchTest, LoopsWorkWhereTheyAreAllowed)
{
    ocs->SetAttribute("AllowLoops", BooleanValue(true));
    AddPorts({NanoSeconds(100)});
    EXPECT_NE(ocs->Validate({{0, 0}}), "") << "a loop is no matching";
    ocs->SetAttribute("Simplex", BooleanValue(true));
    SetDelay(MicroSeconds(1));
    ReconfigureAt(Time(0), {{0, 0}});
    SendAt(MicroSeconds(2), 0);
    Simulator::Run();
    EXPECT_EQ(ArrivalsAt(0), (std::vector<Time>{NanoSeconds(2300)}));
    EXPECT_EQ(ocs->GetDarkTime(), MicroSeconds(1)) << "it is one port";
}

TEST_F(OpticalCircuitSwitchTest, TheSameCircuitsSucceedInTheCallItself)
{
    AddPorts(std::vector<Time>(4, NanoSeconds(10)));
    ocs->Preset({{0, 1}, {2, 3}});
    const uint64_t generation = ocs->GetGeneration(0);
    std::vector<OpticalCircuitSwitch::Outcome> done;
    At(MicroSeconds(5), [this, &done]() {
        for (const auto& circuits :
             std::vector<std::vector<Circuit>>{{{0, 1}}, {{1, 0}}, {{3, 2}, {0, 1}}, {}})
        {
            const std::size_t before = done.size();
            ocs->Reconfigure(circuits, [&done](const OpticalCircuitSwitch::Outcome& o) {
                done.push_back(o);
            });
            EXPECT_EQ(done.size(), before + 1);
        }
    });
    Simulator::Run();
    ASSERT_EQ(done.size(), 4U);
    for (uint64_t i = 0; i < 4; i++)
    {
        EXPECT_EQ(done[i].requested, MicroSeconds(5));
        EXPECT_EQ(done[i].started, MicroSeconds(5));
        EXPECT_EQ(done[i].done, MicroSeconds(5));
        EXPECT_EQ(done[i].portsChanged, 0U);
        EXPECT_EQ(done[i].id, i + 1);
        EXPECT_FALSE(outcomes[i].second);
    }
    EXPECT_EQ(ocs->GetGeneration(0), generation);
    EXPECT_EQ(ocs->GetDarkTime(), Time(0));
    EXPECT_TRUE(linkChanges[0].size() == 1 && linkChanges[1].size() == 1) << "only the preset's";
}

TEST_F(OpticalCircuitSwitchTest, EveryCircuitHasAGenerationOfItsOwn)
{
    AddPorts(std::vector<Time>(4, NanoSeconds(10)));
    SetDelay(MicroSeconds(1));
    EXPECT_EQ(ocs->GetGeneration(0), 0U);
    ReconfigureAt(Time(0), {{0, 1}, {2, 3}});
    Simulator::Run();
    const uint64_t first = ocs->GetGeneration(0);
    const uint64_t kept = ocs->GetGeneration(2);
    EXPECT_GT(first, 0U);
    EXPECT_NE(first, kept);
    std::vector<std::pair<uint64_t, bool>> traced; // of port 0
    ocs->TraceConnectWithoutContext(
        "Circuit",
        Callback<void, uint32_t, uint32_t, uint64_t, bool>(
            [&traced](uint32_t in, uint32_t, uint64_t generation, bool up) {
                if (in == 0)
                {
                    traced.emplace_back(generation, up);
                }
            }));
    ReconfigureAt(Simulator::Now(), {{1, 2}});
    Simulator::Run();
    EXPECT_EQ(ocs->GetGeneration(0), 0U);
    EXPECT_EQ(ocs->GetGeneration(3), 0U);
    ReconfigureAt(Simulator::Now(), {{0, 1}, {2, 3}});
    Simulator::Run();
    const uint64_t second = ocs->GetGeneration(0);
    EXPECT_GT(second, first) << "the same ports again, but another circuit";
    EXPECT_EQ(traced, (std::vector<std::pair<uint64_t, bool>>{{first, false}, {second, true}}));
}

TEST_F(OpticalCircuitSwitchTest, OverlappingRequestsQueueInOrderAndDisjointOnesDoNot)
{
    AddPorts(std::vector<Time>(8, NanoSeconds(100)));
    SetDelay(MicroSeconds(100));
    ReconfigureAt(MicroSeconds(0), {{0, 1}});  // 1
    ReconfigureAt(MicroSeconds(10), {{1, 2}}); // 2 waits for 1
    ReconfigureAt(MicroSeconds(20), {{2, 3}}); // 3 may not pass 2, though 2 and 3 are free
    ReconfigureAt(MicroSeconds(30), {{4, 5}}); // 4 has to do with none of them
    ReconfigureAt(MicroSeconds(40), {{0, 6}}); // 5 waits for 1 only
    ReconfigureAt(MicroSeconds(50), {{3, 7}}); // 6 waits for 3
    Simulator::Run();

    // A change takes 100 us of darkness and 100 ns until the light is seen.
    struct Row
    {
        uint64_t id;
        int64_t requested;
        int64_t started;
        bool queued;
    };

    // Sorted by completion; ns.
    const std::vector<Row> rows{{1, 0, 0, false},
                                {4, 30'000, 30'000, false},
                                {2, 10'000, 100'100, true},
                                {5, 40'000, 100'100, true},
                                {3, 20'000, 200'200, true},
                                {6, 50'000, 300'300, true}};
    ASSERT_EQ(outcomes.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); i++)
    {
        const auto& [outcome, queued] = outcomes[i];
        SCOPED_TRACE(rows[i].id);
        EXPECT_EQ(outcome.id, rows[i].id);
        EXPECT_EQ(outcome.requested, NanoSeconds(rows[i].requested));
        EXPECT_EQ(outcome.started, NanoSeconds(rows[i].started));
        EXPECT_EQ(outcome.done, NanoSeconds(rows[i].started + 100'100));
        EXPECT_EQ(outcome.portsChanged, 2U);
        EXPECT_EQ(queued, rows[i].queued);
    }
    EXPECT_EQ(GetOutputs(), (std::vector<uint32_t>{6, NONE, NONE, 7, 5, 4, 0, 3}));
    EXPECT_EQ(ocs->GetDarkTime(), MicroSeconds(6 * 2 * 100));
}

TEST_F(OpticalCircuitSwitchTest, ARequestThatNeedsNoChangeDoesNotStrandTheOneBehindIt)
{
    AddPorts(std::vector<Time>(3, NanoSeconds(100)));
    SetDelay(MicroSeconds(100));
    ReconfigureAt(MicroSeconds(0), {{0, 1}});
    ReconfigureAt(MicroSeconds(1), {{0, 1}}); // waits, and is then fulfilled already
    ReconfigureAt(MicroSeconds(2), {{1, 0}}); // so is this
    ReconfigureAt(MicroSeconds(3), {{0, 2}}); // waits for all of them
    Simulator::Run();
    ASSERT_EQ(outcomes.size(), 4U);
    for (uint64_t i = 0; i < 4; i++)
    {
        EXPECT_EQ(outcomes[i].first.id, i + 1);
        EXPECT_EQ(outcomes[i].first.done, NanoSeconds(i == 3 ? 200'200 : 100'100));
        EXPECT_EQ(outcomes[i].first.portsChanged, i == 1 || i == 2 ? 0U : 2U);
        EXPECT_EQ(outcomes[i].second, i > 0);
    }
    EXPECT_EQ(GetOutputs(), (std::vector<uint32_t>{2, NONE, 0}));
}

TEST_F(OpticalCircuitSwitchTest, ARequestMayBeMadeWhenAnotherIsDone)
{
    AddPorts(std::vector<Time>(4, NanoSeconds(100)));
    SetDelay(MicroSeconds(10));
    // Ten alternations, each asked for in the callback of the one before, while another waits.
    uint32_t done = 0;
    std::function<void()> next = [this, &done, &next]() {
        ocs->Reconfigure({done % 2 ? Circuit{0, 2} : Circuit{0, 1}},
                         [&done, &next](const OpticalCircuitSwitch::Outcome&) {
                             if (++done < 10)
                             {
                                 next();
                             }
                         });
    };
    At(Time(0), next);
    ReconfigureAt(MicroSeconds(5), {{1, 3}});
    Simulator::Run();
    EXPECT_EQ(done, 10U);
    EXPECT_EQ(outcomes.size(), 11U);
    EXPECT_EQ(GetOutputs(), (std::vector<uint32_t>{2, NONE, 0, NONE}))
        << "0-1 took port 1 back, and 0-2 came last";
}

} // namespace photonic
} // namespace ns3
