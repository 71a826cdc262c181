/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus/opus-test-rail.h"

#include "ns3/opus-controller.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <stdexcept>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// A controller, one rail, and tests that play the shims.
struct OpusControllerTest : public ::testing::Test
{
    OpusControllerTest()
    {
        path->SetFailure([this](const std::string& reason) { failures.push_back(reason); });
        controller->SetControlPath(path);
        controller->SetRail(0, rail.ocs);
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            controller->SetCabling(rank, {rank / 2, 0, {2 * rank, 2 * rank + 1}});
            path->SetRankReceiver(rank, [this](const OpusMessage& message, const Cause& cause) {
                got.push_back({message, Simulator::Now(), cause});
            });
        }
        controller->TraceConnectWithoutContext("Reconfiguration",
                                               MakeCallback(&OpusControllerTest::Record, this));
    }

    ~OpusControllerTest() override
    {
        Simulator::Destroy();
        path->Dispose();
        controller->Dispose();
    }

    void Record(const OpusController::Record& record)
    {
        records.push_back(record);
    }

    void Register(const RankGroup& group)
    {
        for (uint32_t position = 0; position < group.ranks.size(); ++position)
        {
            OpusMessage message;
            message.type = OpusMessage::REGISTER;
            message.rank = group.ranks[position];
            message.key.group = group.id;
            message.size = group.ranks.size();
            message.position = position;
            message.slot = group.slot;
            path->SendToController(message, Cause());
        }
    }

    void Send(OpusMessage::Type type, uint32_t rank, OpusKey key, Cause cause = Cause())
    {
        OpusMessage message;
        message.type = type;
        message.rank = rank;
        message.key = key;
        message.time = Simulator::Now();
        path->SendToController(message, cause);
    }

    void SendAt(Time at,
                OpusMessage::Type type,
                uint32_t rank,
                OpusKey key,
                const Cause& cause = Cause())
    {
        Simulator::Schedule(at, [this, type, rank, key, cause] { Send(type, rank, key, cause); });
    }

    /// @return "granted 3" and so on: what arrived, in order
    std::vector<std::string> Got() const
    {
        std::vector<std::string> text;
        for (const auto& g : got)
        {
            text.push_back(std::string(ToString(g.message.type)) + " " +
                           std::to_string(g.message.rank));
        }
        return text;
    }

    struct Arrival
    {
        OpusMessage message;
        Time at;
        Cause cause;
    };

    static constexpr uint32_t RANKS = 8;
    OpusTestRail rail{2 * RANKS, MilliSeconds(1)};
    Ptr<OpusControlPath> path{CreateObject<OpusInstantPath>()};
    Ptr<OpusController> controller{CreateObject<OpusController>()};
    std::vector<Arrival> got;
    std::vector<OpusController::Record> records;
    std::vector<std::string> failures;
};

using Text = std::vector<std::string>;

} // namespace

TEST_F(OpusControllerTest, AnswersRegistrationsWhenAllAreThere)
{
    Register({1, GroupSlot::FSDP, {0, 2, 4}});
    EXPECT_EQ(Got(), (Text{"registered 0", "registered 2", "registered 4"}));
    EXPECT_FALSE(got[0].message.flag);
    got.clear();
    Register({2, GroupSlot::TP, {0, 1}});
    EXPECT_EQ(Got(), (Text{"registered 0", "registered 1"}));
    EXPECT_TRUE(got[0].message.flag);
    EXPECT_TRUE(failures.empty());
}

TEST_F(OpusControllerTest, FiresWhenAllMembersHoldTheRequest)
{
    Register({1, GroupSlot::FSDP, {0, 2, 4}});
    got.clear();
    SendAt(MicroSeconds(10), OpusMessage::REQUEST, 2, {0, 1, 0}, Cause());
    SendAt(MicroSeconds(20), OpusMessage::REQUEST, 0, {0, 1, 0});
    SendAt(MicroSeconds(30), OpusMessage::REQUEST, 4, {0, 1, 0}, Cause().AfterReconfiguration(77));
    Simulator::Run();
    EXPECT_EQ(Got(), (Text{"granted 0", "granted 2", "granted 4"}));
    EXPECT_EQ(got[0].at, MicroSeconds(1030));
    EXPECT_EQ(got[0].message.time, MicroSeconds(30));
    std::vector<uint64_t> ids;
    got[0].cause.WalkBack([&](uint64_t id) {
        ids.push_back(id);
        return true;
    });
    EXPECT_EQ(ids, (std::vector<uint64_t>{1, 77}));
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].rail, 0U);
    EXPECT_EQ(records[0].key, (OpusKey{0, 1, 0}));
    EXPECT_EQ(records[0].slot, GroupSlot::FSDP);
    EXPECT_EQ(records[0].requested, MicroSeconds(10));
    EXPECT_EQ(records[0].complete, MicroSeconds(30));
    EXPECT_EQ(records[0].fired, MicroSeconds(30));
    EXPECT_EQ(records[0].dark, MicroSeconds(30));
    EXPECT_EQ(records[0].done, MicroSeconds(1030));
    EXPECT_EQ(records[0].portsChanged, 6U);
    EXPECT_EQ(records[0].id, 1U);
    EXPECT_FALSE(records[0].queued);
    for (const Circuit& c : {Circuit{0, 5}, Circuit{4, 9}, Circuit{8, 1}})
    {
        EXPECT_TRUE(rail.HasCircuit(c));
    }
    EXPECT_EQ(controller->GetPendingRequests(), 0U);
}

TEST_F(OpusControllerTest, StandingCircuitsAreGrantedAtOnce)
{
    const RankGroup group{1, GroupSlot::PP_NEXT, {0, 2}};
    controller->Preset(group);
    Register(group);
    got.clear();
    Send(OpusMessage::REQUEST, 0, {0, 1, 0});
    Send(OpusMessage::REQUEST, 2, {0, 1, 0});
    EXPECT_EQ(Got(), (Text{"granted 0", "granted 2"}));
    EXPECT_EQ(got[0].cause.GetReconfigurations(), 0U);
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].id, 0U);
    EXPECT_EQ(records[0].portsChanged, 0U);
    EXPECT_EQ(controller->GetReconfigurations(), 0U);
}

TEST_F(OpusControllerTest, DisjointRequestsGoInParallelOverlappingOnesInOrder)
{
    Register({1, GroupSlot::FSDP, {0, 2}});
    Register({2, GroupSlot::PP_NEXT, {2, 4}});
    Register({3, GroupSlot::PP_NEXT, {4, 6}});
    got.clear();
    // Shims would never hold two requests; the controller does not rely on that.
    for (uint32_t rank : {0, 2})
    {
        SendAt(MicroSeconds(1), OpusMessage::REQUEST, rank, {0, 1, 0});
    }
    SendAt(MicroSeconds(2), OpusMessage::REQUEST, 2, {0, 2, 0});
    SendAt(MicroSeconds(3), OpusMessage::REQUEST, 4, {0, 2, 0}); // shares port 0 of rank 2
    for (uint32_t rank : {4, 6})
    {
        SendAt(MicroSeconds(4), OpusMessage::REQUEST, rank, {0, 3, 0}); // shares none
    }
    Simulator::Run();
    EXPECT_EQ(Got(),
              (Text{"granted 0", "granted 2", "granted 4", "granted 6", "granted 2", "granted 4"}));
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[1].key.group, 3U);
    EXPECT_FALSE(records[1].queued);
    EXPECT_EQ(records[1].done, MicroSeconds(1004));
    EXPECT_EQ(records[2].key.group, 2U);
    EXPECT_TRUE(records[2].queued);
    EXPECT_EQ(records[2].complete, MicroSeconds(3));
    EXPECT_EQ(records[2].fired, MicroSeconds(1001));
    EXPECT_EQ(records[2].done, MicroSeconds(2001));
    // It goes back to the reconfiguration that it had to wait for.
    EXPECT_EQ(got[4].cause.GetReconfigurations(), 2U);
    EXPECT_EQ(controller->GetQueuedRequests(), 1U);
}

TEST_F(OpusControllerTest, WithdrawnMembersDoNotCount)
{
    Register({1, GroupSlot::FSDP, {0, 2}});
    Register({2, GroupSlot::PP_NEXT, {0, 4}});
    got.clear();
    Send(OpusMessage::REQUEST, 0, {0, 1, 0});
    Send(OpusMessage::WITHDRAW, 0, {0, 1, 0});
    EXPECT_EQ(Got(), Text{"withdrawn 0"});
    EXPECT_EQ(controller->GetPendingRequests(), 0U);
    Send(OpusMessage::REQUEST, 2, {0, 1, 0});
    EXPECT_EQ(controller->DescribeWaiting(),
              Text{"step 0 group 1 counter 0 (fsdp): the request of rank 0 is missing"});
    // Fired already: the answer is the grant.
    Send(OpusMessage::REQUEST, 0, {0, 1, 0});
    EXPECT_EQ(controller->Describe({0, 1, 0}), "the circuit switch is turning");
    Send(OpusMessage::WITHDRAW, 0, {0, 1, 0});
    // Complete but queued: it can still be taken back.
    Send(OpusMessage::REQUEST, 0, {0, 2, 0});
    Send(OpusMessage::REQUEST, 4, {0, 2, 0});
    EXPECT_EQ(controller->Describe({0, 2, 0}), "the ports are given to an earlier request");
    Send(OpusMessage::WITHDRAW, 4, {0, 2, 0});
    Simulator::Run();
    EXPECT_EQ(Got(), (Text{"withdrawn 0", "withdrawn 4", "granted 0", "granted 2"}));
    EXPECT_EQ(controller->Describe({0, 2, 0}), "the request of rank 4 is missing");
    EXPECT_EQ(controller->Describe({9, 9, 9}), "no request is known to the controller");
    EXPECT_EQ(controller->GetPendingRequests(), 1U);
}

TEST_F(OpusControllerTest, RecallAsksTheOthersAndCountsThoseThatHaveStarted)
{
    Register({1, GroupSlot::FSDP, {0, 2, 4}});
    got.clear();
    Send(OpusMessage::RECALL, 2, {5, 1, 3});
    EXPECT_EQ(Got(), (Text{"recall 0", "recall 4"}));
    for (const auto& recall : std::vector<Arrival>(got))
    {
        OpusMessage answer = recall.message;
        answer.type = OpusMessage::RECALLED;
        answer.flag = answer.rank == 4; // has started it
        path->SendToController(answer, Cause());
    }
    EXPECT_EQ(Got().back(), "recalled 2");
    StringValue policy;
    rail.ocs->GetAttribute("InFlightPolicy", policy);
    EXPECT_EQ(policy.Get(), "drain-current-packet");
    got.clear();
    Send(OpusMessage::REQUEST, 0, {5, 1, 3});
    Send(OpusMessage::REQUEST, 2, {5, 1, 3});
    Simulator::Run();
    EXPECT_EQ(Got(), (Text{"granted 0", "granted 2"})); // who did not ask is not answered
    // Only for once.
    Send(OpusMessage::REQUEST, 0, {5, 1, 4});
    EXPECT_EQ(controller->Describe({5, 1, 4}), "the requests of ranks 2, 4 are missing");
    Send(OpusMessage::REQUEST, 2, {5, 1, 4});
    EXPECT_EQ(controller->Describe({5, 1, 4}), "the request of rank 4 is missing");
}

TEST_F(OpusControllerTest, UnitesProfiles)
{
    Register({1, GroupSlot::FSDP, {0, 2}});
    Register({2, GroupSlot::FSDP, {4, 6}});
    got.clear();
    auto upload = [this](uint32_t rank, std::vector<OpusMessage::Opening> openings) {
        OpusMessage message;
        message.type = OpusMessage::PROFILE;
        message.rank = rank;
        for (const auto& part : OpusMessage::Split(message, openings))
        {
            path->SendToController(part, Cause());
        }
    };
    upload(0, {{1, 0}, {1, 5}});
    upload(2, {{1, 5}, {1, 3}});
    std::vector<OpusMessage::Opening> many;
    for (uint32_t i = 0; i < 400; ++i)
    {
        many.push_back({2, i});
    }
    upload(4, many);
    upload(6, {});
    for (uint32_t rank : {1, 3, 5})
    {
        upload(rank, {});
    }
    EXPECT_TRUE(got.empty());
    upload(7, {});
    std::map<uint32_t, std::vector<OpusMessage::Opening>> down;
    for (const auto& g : got)
    {
        EXPECT_EQ(g.message.type, OpusMessage::UNION);
        auto& mine = down[g.message.rank];
        mine.insert(mine.end(), g.message.openings.begin(), g.message.openings.end());
    }
    const std::vector<OpusMessage::Opening> ring{{1, 0}, {1, 3}, {1, 5}};
    EXPECT_EQ(down[0], ring);
    EXPECT_EQ(down[2], ring);
    EXPECT_EQ(down[4], many);
    EXPECT_EQ(down[6], many);
    EXPECT_TRUE(down.count(7) > 0 && down[7].empty());
    got.clear();
    for (uint32_t rank = 0; rank < RANKS; ++rank)
    {
        EXPECT_TRUE(got.empty());
        Send(OpusMessage::READY, rank, {0, 0, 0});
    }
    EXPECT_EQ(got.size(), RANKS);
}

TEST_F(OpusControllerTest, ServesOneMessageAfterTheOther)
{
    auto delay = CreateObject<OpusDelayPath>();
    path->Dispose();
    path = delay;
    path->SetFailure([this](const std::string& reason) { failures.push_back(reason); });
    controller->SetControlPath(path);
    controller->SetAttribute("ServiceTime", TimeValue(MicroSeconds(3)));
    for (uint32_t rank = 0; rank < RANKS; ++rank)
    {
        path->SetRankReceiver(rank, [this](const OpusMessage& message, const Cause& cause) {
            got.push_back({message, Simulator::Now(), cause});
        });
    }
    const RankGroup group{1, GroupSlot::FSDP, {0, 2, 4}};
    controller->Preset(group);
    Register(group);
    Simulator::Run();
    const Time oneWay = MicroSeconds(10) + NanoSeconds(2 * 62.4);
    // Three registrations arrive together; the answers need no service.
    ASSERT_EQ(got.size(), 3U);
    EXPECT_NEAR((got[0].at - (2 * oneWay + MicroSeconds(9))).GetNanoSeconds(), 0, 4);
    got.clear();
    const Time now = Simulator::Now();
    Send(OpusMessage::REQUEST, 0, {0, 1, 0}, Cause().AfterReconfiguration(1));
    Send(OpusMessage::REQUEST, 2, {0, 1, 0}, Cause().AfterReconfiguration(2));
    Send(OpusMessage::REQUEST, 4, {0, 1, 0});
    Simulator::Run();
    ASSERT_EQ(got.size(), 3U);
    EXPECT_NEAR((got[0].at - now - (2 * oneWay + MicroSeconds(9))).GetNanoSeconds(), 0, 4);
    // The last one waited for the service of the first.
    EXPECT_EQ(got[0].cause.GetReconfigurations(), 1U);
}

TEST_F(OpusControllerTest, FaultsEndTheRunByName)
{
    Register({1, GroupSlot::FSDP, {0, 2}});
    Send(OpusMessage::REQUEST, 4, {0, 1, 0});
    Send(OpusMessage::REQUEST, 0, {0, 9, 0});
    Send(OpusMessage::REQUEST, 0, {0, 1, 0});
    Send(OpusMessage::REQUEST, 0, {0, 1, 0});
    Send(OpusMessage::GRANTED, 0, {0, 1, 0});
    EXPECT_EQ(failures,
              (Text{"controller: request of rank 4 (step 0 group 1 counter 0): not a registered "
                    "scale-out group of this rank",
                    "controller: request of rank 0 (step 0 group 9 counter 0): not a registered "
                    "scale-out group of this rank",
                    "controller: request of rank 0 (step 0 group 1 counter 0): requested twice",
                    "controller: granted of rank 0 (step 0 group 1 counter 0): it is for shims"}));
}

TEST_F(OpusControllerTest, MissingFibreIsFoundAtRegistration)
{
    controller->SetCabling(2, {1, 0, {20, 21}});
    Register({1, GroupSlot::FSDP, {0, 2}});
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_NE(failures[0].find("rail 0: circuit 0-21: port 21 has no fibre"), std::string::npos);
    controller->SetCabling(4, {2, 5, {8, 9}});
    EXPECT_THROW(controller->Preset({2, GroupSlot::FSDP, {4, 0}}), std::invalid_argument);
}
