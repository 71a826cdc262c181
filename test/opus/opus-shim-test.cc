/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/boolean.h"
#include "ns3/opus-shim.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

using Text = std::vector<std::string>;

/// The shim of rank 1 of stages 0 (rank 0), 1 (ranks 1 and 5) and 2 (rank 2); tests play the rest.
struct OpusShimTest : public ::testing::Test
{
    OpusShimTest()
    {
        path->SetFailure([this](const std::string& reason) { failures.push_back(reason); });
        path->SetControllerReceiver([this](const OpusMessage& message, const Cause&) {
            sent.push_back(message);
            log.push_back(std::string(ToString(message.type)) + " " +
                          std::to_string(message.key.group) + "/" +
                          std::to_string(message.key.counter));
        });
        shim->SetControlPath(1, path);
    }

    ~OpusShimTest() override
    {
        Simulator::Destroy();
        path->Dispose();
        shim->Dispose();
    }

    /// @param provisioned whether, with profile
    void Start(const PhaseProfile::Sequence& profile = {})
    {
        shim->SetAttribute("Provisioned", BooleanValue(!profile.empty()));
        if (!profile.empty())
        {
            shim->LoadProfile(profile);
        }
        bool registered = false;
        shim->Register({{10, GroupSlot::FSDP, {1, 5}},
                        {20, GroupSlot::PP_NEXT, {1, 2}},
                        {30, GroupSlot::PP_NEXT, {0, 1}}},
                       [&](const Cause&) { registered = true; });
        for (uint32_t group : {10, 20, 30})
        {
            EXPECT_FALSE(registered);
            Answer(OpusMessage::REGISTERED, group, 0);
        }
        EXPECT_TRUE(registered);
        BeginStep(0);
        log.clear();
    }

    void BeginStep(uint32_t s)
    {
        step = s;
        shim->BeginStep(step, Cause(), [this](const Cause&) { log.push_back("go"); });
    }

    GatedOperation Op(uint32_t seq, uint32_t group, uint32_t counter) const
    {
        const GroupSlot slot = group == 10   ? GroupSlot::FSDP
                               : group == 20 ? GroupSlot::PP_NEXT
                                             : GroupSlot::PP_PREVIOUS;
        return {step, seq, group, counter, slot};
    }

    void Enter(uint32_t seq, uint32_t group, uint32_t counter, Cause ready = Cause())
    {
        shim->Enter(Op(seq, group, counter), ready, [this, group, counter](const Cause& cause) {
            log.push_back("pass " + std::to_string(group) + "/" + std::to_string(counter));
            passed = cause;
        });
    }

    void Leave(uint32_t seq, uint32_t group, uint32_t counter, Cause cause = Cause())
    {
        shim->Leave(Op(seq, group, counter), cause);
    }

    void Answer(OpusMessage::Type type, uint32_t group, uint32_t counter, Cause cause = Cause())
    {
        OpusMessage message;
        message.type = type;
        message.rank = 1;
        message.key = {step, group, counter};
        message.time = granted;
        path->SendToRank(message, cause);
    }

    /// @return what happened since the last call
    Text Log()
    {
        Text text;
        std::swap(text, log);
        return text;
    }

    Ptr<OpusControlPath> path{CreateObject<OpusInstantPath>()};
    Ptr<OpusShim> shim{CreateObject<OpusShim>()};
    std::vector<OpusMessage> sent;
    Text log;
    Text failures;
    uint32_t step{0};
    Time granted; ///< when the last member asked
    Cause passed;
};

const PhaseProfile::Sequence PROFILE{{GroupSlot::FSDP, 0, true},
                                     {GroupSlot::FSDP, 1, false},
                                     {GroupSlot::PP_NEXT, 0, true},
                                     {GroupSlot::PP_NEXT, 1, false},
                                     {GroupSlot::PP_PREVIOUS, 0, true}};

} // namespace

TEST_F(OpusShimTest, RegistersEveryGroup)
{
    Start();
    ASSERT_EQ(sent.size(), 3U);
    EXPECT_EQ(sent[0].size, 2U);
    EXPECT_EQ(sent[0].position, 0U);
    EXPECT_EQ(sent[0].slot, GroupSlot::FSDP);
    EXPECT_EQ(sent[2].slot, GroupSlot::PP_NEXT); // one identity seen from both ends
    EXPECT_EQ(sent[2].position, 1U);
    bool ready = false;
    auto lone = CreateObject<OpusShim>();
    lone->SetControlPath(7, path);
    lone->Register({}, [&](const Cause&) { ready = true; });
    EXPECT_TRUE(ready);
}

TEST_F(OpusShimTest, OnDemandAsksWhenPresentedAndAllBeforeIsComplete)
{
    Start();
    Enter(0, 10, 0);
    EXPECT_EQ(Log(), Text{"request 10/0"});
    Answer(OpusMessage::GRANTED, 10, 0);
    EXPECT_EQ(Log(), Text{"pass 10/0"});
    Enter(1, 10, 1); // goes on in its phase, whether or not the one before is complete
    EXPECT_EQ(Log(), Text{"pass 10/1"});
    Enter(2, 20, 0);
    Leave(0, 10, 0);
    EXPECT_EQ(Log(), Text());
    EXPECT_EQ(shim->DescribeWaiting(),
              "rank 1 waits for 1 operations in progress; pp-next group 20 counter 0 is held back");
    Leave(1, 10, 1);
    EXPECT_EQ(Log(), Text{"request 20/0"});
    Answer(OpusMessage::GRANTED, 20, 0);
    Leave(2, 20, 0);
    Enter(3, 20, 1); // a pipeline operation asks always
    EXPECT_EQ(Log(), (Text{"pass 20/0", "request 20/1"}));
    EXPECT_EQ(shim->GetRequests(), 3U);
    EXPECT_EQ(shim->GetMispredictions(), 0U);
}

TEST_F(OpusShimTest, ProgramOrderHolds)
{
    Start();
    Enter(2, 30, 0);
    Enter(1, 10, 1);
    EXPECT_EQ(Log(), Text());
    EXPECT_EQ(shim->DescribeWaiting(),
              "rank 1 waits for operation 0 of the step, not presented yet; fsdp group 10 counter "
              "1 is held back; pp-previous group 30 counter 0 is held back");
    Enter(0, 10, 0);
    EXPECT_EQ(Log(), Text{"request 10/0"});
    Answer(OpusMessage::GRANTED, 10, 0);
    EXPECT_EQ(Log(), (Text{"pass 10/0", "pass 10/1"}));
    Leave(1, 10, 1);
    Leave(0, 10, 0);
    EXPECT_EQ(Log(), Text{"request 30/0"});
    shim->SetInquiry([](const OpusKey& key) { return "ask about " + ToString(key); });
    EXPECT_EQ(shim->DescribeWaiting(),
              "rank 1 waits for circuits for step 0 group 30 counter 0 (pp-previous): ask about "
              "step 0 group 30 counter 0; pp-previous group 30 counter 0 is held back");
    Answer(OpusMessage::GRANTED, 30, 0);
    EXPECT_EQ(shim->DescribeWaiting(), "");
}

TEST_F(OpusShimTest, ProvisionedAsksAheadButNotAcrossSteps)
{
    Start(PROFILE);
    EXPECT_EQ(Log(), Text());
    Enter(0, 10, 0);
    Answer(OpusMessage::GRANTED, 10, 0);
    Enter(1, 10, 1);
    Leave(0, 10, 0);
    EXPECT_EQ(Log(), (Text{"request 10/0", "pass 10/0", "pass 10/1"}));
    Leave(1, 10, 1);
    EXPECT_EQ(Log(), Text{"request 20/0"}); // before it is presented
    EXPECT_TRUE(shim->HasPendingRequest());
    Answer(OpusMessage::GRANTED, 20, 0);
    EXPECT_FALSE(shim->HasPendingRequest());
    Enter(2, 20, 0);
    Enter(3, 20, 1);
    EXPECT_EQ(Log(), (Text{"pass 20/0", "pass 20/1"}));
    Leave(2, 20, 0);
    Leave(3, 20, 1);
    Answer(OpusMessage::GRANTED, 30, 0);
    Enter(4, 30, 0);
    Leave(4, 30, 0);
    shim->EndStep(0, Cause());
    BeginStep(1);
    EXPECT_EQ(Log(), (Text{"request 30/0", "pass 30/0", "go"}));
    EXPECT_EQ(shim->GetMispredictions(), 0U);
}

TEST_F(OpusShimTest, WithdrawsAMispredictionBeforeItAsksAgain)
{
    Start(PROFILE);
    Enter(0, 10, 0);
    Answer(OpusMessage::GRANTED, 10, 0);
    Enter(1, 10, 1);
    Leave(0, 10, 0);
    Leave(1, 10, 1);
    Log();
    Enter(2, 30, 0); // not what the profile said
    EXPECT_EQ(Log(), Text{"withdraw 20/0"});
    EXPECT_EQ(shim->GetMispredictions(), 1U);
    Answer(OpusMessage::WITHDRAWN, 20, 0);
    EXPECT_EQ(Log(), Text{"request 30/0"});
    Answer(OpusMessage::GRANTED, 30, 0);
    Leave(2, 30, 0);
    EXPECT_EQ(Log(), Text{"pass 30/0"}); // and predicts no more in this step
    Enter(3, 20, 0);
    EXPECT_EQ(Log(), Text{"request 20/0"});
}

TEST_F(OpusShimTest, GrantedMispredictionIsRecalledIfItsPortIsTaken)
{
    Start(PROFILE);
    Enter(0, 10, 0);
    Answer(OpusMessage::GRANTED, 10, 0);
    Enter(1, 10, 1);
    Leave(0, 10, 0);
    Leave(1, 10, 1);
    Answer(OpusMessage::GRANTED, 20, 0);
    Log();
    Enter(2, 10, 2); // beyond the profile
    EXPECT_EQ(Log(), Text{"recall 20/0"});
    EXPECT_EQ(shim->GetMispredictions(), 1U);
    EXPECT_EQ(shim->GetRecalls(), 1U);
    Answer(OpusMessage::RECALLED, 20, 0);
    EXPECT_EQ(Log(), Text{"request 10/2"});
    Answer(OpusMessage::GRANTED, 10, 2);
    Leave(2, 10, 2);
    Enter(3, 20, 0);
    // Beyond the profile, too, others may have gone on.
    EXPECT_EQ(Log(), (Text{"pass 10/2", "recall 10/3"}));
    Answer(OpusMessage::RECALLED, 10, 3);
    EXPECT_EQ(Log(), Text{"request 20/0"}); // the grant is gone
}

TEST_F(OpusShimTest, AnswersRecalls)
{
    Start(PROFILE);
    Enter(0, 10, 0);
    Answer(OpusMessage::GRANTED, 10, 0);
    Leave(0, 10, 0);
    Log();
    Answer(OpusMessage::RECALL, 10, 0);
    EXPECT_TRUE(sent.back().flag); // started
    Answer(OpusMessage::RECALL, 10, 1);
    EXPECT_FALSE(sent.back().flag);
    // It has to be requested now, and that is predicted.
    EXPECT_EQ(Log(), (Text{"recalled 10/0", "recalled 10/1", "request 10/1"}));
}

TEST_F(OpusShimTest, ShortenedStepWithdraws)
{
    Start(PROFILE);
    Enter(0, 10, 0);
    Answer(OpusMessage::GRANTED, 10, 0);
    Enter(1, 10, 1);
    Leave(0, 10, 0);
    Leave(1, 10, 1);
    Log();
    shim->EndStep(0, Cause());
    EXPECT_EQ(Log(), Text{"withdraw 20/0"});
    Answer(OpusMessage::WITHDRAWN, 20, 0);
    EXPECT_EQ(Log(), Text());
    EXPECT_FALSE(shim->HasPendingRequest());
    EXPECT_EQ(shim->GetMispredictions(), 1U);
}

TEST_F(OpusShimTest, ProfilingStepsThenTheUnion)
{
    shim->SetAttribute("ProfilingSteps", UintegerValue(2));
    shim->Register({{10, GroupSlot::FSDP, {1, 5}}}, [](const Cause&) {});
    Answer(OpusMessage::REGISTERED, 10, 0);
    for (uint32_t s : {0, 1})
    {
        EXPECT_EQ(shim->GetProfilingSteps(), 2U);
        BeginStep(s);
        Enter(0, 10, 0);
        Answer(OpusMessage::GRANTED, 10, 0);
        Leave(0, 10, 0);
        Enter(1, 10, 1);
        Leave(1, 10, 1);
        log.clear();
        shim->EndStep(s, Cause());
    }
    EXPECT_EQ(Log(), Text{"profile 0/0"});
    EXPECT_EQ(sent.back().openings, (std::vector<OpusMessage::Opening>{{10, 0}}));
    EXPECT_TRUE(sent.back().flag);
    BeginStep(2);
    EXPECT_EQ(Log(), Text()); // held back
    EXPECT_EQ(shim->DescribeWaiting(), "rank 1 waits for the phase profile of all ranks");
    OpusMessage all;
    all.type = OpusMessage::UNION;
    all.rank = 1;
    all.openings = {{10, 0}, {10, 1}};
    all.flag = true;
    path->SendToRank(all, Cause());
    EXPECT_EQ(Log(), Text{"ready 0/0"});
    EXPECT_FALSE(shim->HasProfile());
    Answer(OpusMessage::READY, 0, 0);
    EXPECT_EQ(Log(), Text{"go"});
    EXPECT_TRUE(shim->HasProfile());
    EXPECT_EQ(shim->GetProfile(),
              (PhaseProfile::Sequence{{GroupSlot::FSDP, 0, true}, {GroupSlot::FSDP, 1, true}}));
    EXPECT_EQ(shim->GetProfilingSteps(), 0U);
}

TEST_F(OpusShimTest, AccountsForWaits)
{
    Start();
    std::vector<OpusShim::Wait> waits;

    struct Sink
    {
        static void Add(std::vector<OpusShim::Wait>* all, const OpusShim::Wait& wait)
        {
            all->push_back(wait);
        }
    };

    shim->TraceConnectWithoutContext("Wait", MakeBoundCallback(&Sink::Add, &waits));
    Simulator::Schedule(MicroSeconds(10), [this] { Enter(1, 30, 0); });
    Simulator::Schedule(MicroSeconds(20),
                        [this] { Enter(0, 10, 0, Cause().AfterReconfiguration(1)); });
    Simulator::Schedule(MicroSeconds(50), [this] {
        granted = MicroSeconds(35);
        Answer(OpusMessage::GRANTED,
               10,
               0,
               Cause().AfterReconfiguration(8).AfterReconfiguration(9));
    });
    Simulator::Schedule(MicroSeconds(60), [this] { Leave(0, 10, 0, passed); });
    Simulator::Schedule(MicroSeconds(70), [this] {
        granted = MicroSeconds(60);
        Answer(OpusMessage::GRANTED, 30, 0, passed);
    });
    Simulator::Run();
    ASSERT_EQ(waits.size(), 2U);
    EXPECT_EQ(waits[0].operation.group, 10U);
    EXPECT_EQ(waits[0].ready, MicroSeconds(20));
    EXPECT_EQ(waits[0].pass, MicroSeconds(50));
    EXPECT_EQ(waits[0].serialisation, Time(0));
    EXPECT_EQ(waits[0].peers, MicroSeconds(15));
    EXPECT_EQ(waits[0].circuits, MicroSeconds(15));
    EXPECT_EQ(waits[1].serialisation, MicroSeconds(50)); // 10 to 60: order and completion
    EXPECT_EQ(waits[1].peers, Time(0));
    EXPECT_EQ(waits[1].circuits, MicroSeconds(10));
    EXPECT_EQ(shim->GetSerialisationWait(), MicroSeconds(50));
    EXPECT_EQ(shim->GetCircuitWait(), MicroSeconds(25));
    EXPECT_EQ(passed.GetStall(), MicroSeconds(25));
    EXPECT_EQ(passed.GetReconfigurations(), 2U); // the grant came later than ready
}

TEST_F(OpusShimTest, ScaleUpGroupsPass)
{
    shim->Register({{40, GroupSlot::TP, {0, 1}}}, [](const Cause&) {});
    OpusMessage answer;
    answer.type = OpusMessage::REGISTERED;
    answer.rank = 1;
    answer.key.group = 40;
    answer.flag = true;
    path->SendToRank(answer, Cause());
    BeginStep(0);
    log.clear();
    shim->Enter({0, 0, 40, 0, GroupSlot::TP}, Cause(), [this](const Cause&) {
        log.push_back("pass");
    });
    EXPECT_EQ(Log(), Text{"pass"});
    shim->Leave({0, 0, 40, 0, GroupSlot::TP}, Cause());
}

TEST_F(OpusShimTest, FaultsEndTheRunByName)
{
    Start();
    Answer(OpusMessage::GRANTED, 10, 3);
    Answer(OpusMessage::REQUEST, 10, 0);
    Enter(0, 99, 0);
    Enter(0, 10, 5);
    shim->EndStep(0, Cause());
    EXPECT_EQ(failures,
              (Text{"rank 1: was granted step 0 group 10 counter 3, which it did not request",
                    "rank 1: got a message for the controller: request",
                    "rank 1: pp-previous group 99 counter 0 is not of a registered group",
                    "rank 1: fsdp group 10 counter 5 comes out of order: counter 0 of step 0 is "
                    "next",
                    "rank 1: step 0 ends with operations that are not over"}));
}
