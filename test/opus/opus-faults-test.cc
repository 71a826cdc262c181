/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
// Opus when ranks, messages and its controller fail: requests are made by hand.
#include "opus/opus-test-rail.h"

#include "ns3/double.h"
#include "ns3/opus-helper.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// Grants do not get to ranks but the first.
class LostGrants : public ControlFaults
{
  public:
    std::vector<Time> GetDelays(const OpusMessage& message) override
    {
        const bool lost = message.type == OpusMessage::GRANTED && message.rank > 0 &&
                          Simulator::Now() < MilliSeconds(5);
        return std::vector<Time>(lost ? 0 : 1);
    }
};

/// A controller with two ports per rank on one rail, and ranks that are driven by the test.
struct OpusFaultsTest : public ::testing::Test
{
    static constexpr uint32_t RANKS = 6;

    OpusFaultsTest()
        : rail(2 * RANKS, MicroSeconds(100)),
          path(CreateObject<OpusDelayPath>()),
          controller(CreateObject<OpusController>())
    {
        path->SetAttribute("RetransmissionTimeout", StringValue("1ms"));
        path->SetAttribute("Retries", StringValue("5"));
        path->SetFailure([this](const std::string& reason) {
            failures.push_back(reason);
            failed = Simulator::Now();
        });
        controller->SetControlPath(path);
        controller->SetRail(0, rail.ocs);
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            controller->SetCabling(rank, {rank, 0, {2 * rank, 2 * rank + 1}});
            path->SetRankReceiver(rank, [this, rank](const OpusMessage& message, const Cause&) {
                got[rank].push_back(message);
                if (message.type == OpusMessage::HELLO)
                {
                    Answer(rank);
                }
                else if (message.type == OpusMessage::PROBE && pending.count(rank))
                {
                    Send(OpusMessage::WAITING, rank, pending[rank]);
                }
                else if (message.type == OpusMessage::GRANTED)
                {
                    pending.erase(rank);
                }
            });
        }
    }

    ~OpusFaultsTest() override
    {
        Simulator::Destroy();
    }

    /// Ranks are a group, whose registration is under way.
    void Register(uint32_t id, const std::vector<uint32_t>& ranks)
    {
        for (uint32_t position = 0; position < ranks.size(); ++position)
        {
            OpusMessage message;
            message.type = OpusMessage::REGISTER;
            message.rank = ranks[position];
            message.key.group = id;
            message.size = ranks.size();
            message.position = position;
            message.slot = GroupSlot::FSDP;
            registrations[ranks[position]].push_back(message);
            path->SendToController(message, Cause());
        }
    }

    void Send(OpusMessage::Type type, uint32_t rank, const OpusKey& key, bool flag = false)
    {
        OpusMessage message;
        message.type = type;
        message.rank = rank;
        message.key = key;
        message.flag = flag;
        message.time = Simulator::Now();
        path->SendToController(message, Cause());
    }

    void Request(uint32_t rank, const OpusKey& key, bool certain = true)
    {
        pending[rank] = key;
        Send(OpusMessage::REQUEST, rank, key, certain);
    }

    /// As a shim: what it is about.
    void Answer(uint32_t rank)
    {
        for (const auto& registration : registrations[rank])
        {
            path->SendToController(registration, Cause());
        }
        for (const auto& key : held[rank])
        {
            Send(OpusMessage::HELD, rank, key);
        }
        Send(OpusMessage::SYNCED, rank, {0, 0, 0});
        if (pending.count(rank))
        {
            Request(rank, pending[rank]);
        }
    }

    uint32_t Count(uint32_t rank, OpusMessage::Type type) const
    {
        const auto it = got.find(rank);
        return it == got.end() ? 0
                               : std::count_if(it->second.begin(),
                                               it->second.end(),
                                               [&](const auto& m) { return m.type == type; });
    }

    OpusTestRail rail;
    Ptr<OpusDelayPath> path;
    Ptr<OpusController> controller;
    std::map<uint32_t, std::vector<OpusMessage>> registrations;
    std::map<uint32_t, std::vector<OpusMessage>> got;
    std::map<uint32_t, OpusKey> pending;
    std::map<uint32_t, std::vector<OpusKey>> held;
    std::vector<std::string> failures;
    Time failed;
};

} // namespace

TEST_F(OpusFaultsTest, ADeadMemberIsNamedAndHoldsNobodyElse)
{
    controller->SetAttribute("Lease", StringValue("10ms"));
    Register(1, {0, 1, 2});
    Register(2, {3, 4});
    Simulator::Schedule(MilliSeconds(1), [&] {
        path->StopRank(2);
        Request(0, {0, 1, 0});
        Request(1, {0, 1, 0});
    });
    Simulator::Schedule(MilliSeconds(30), [&] {
        Request(3, {0, 2, 0});
        Request(4, {0, 2, 0});
    });
    Simulator::Run();
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_EQ(failures[0],
              "rank 2 does not answer: probe (step 0 group 1 counter 0) was sent 6 times in 63 ms; "
              "ranks 0, 1 wait for it in step 0 group 1 counter 0");
    // Asked after the lease, and given up after 1 + 2 + 4 + 8 + 16 + 32 ms; messages take 10 us
    // and two times of serialisation at 10 Gbps, and the controller 1 us for each.
    EXPECT_GT(failed, MilliSeconds(1 + 10 + 63));
    EXPECT_LT(failed, MilliSeconds(1 + 10 + 63) + MicroSeconds(15));
    EXPECT_EQ(Count(3, OpusMessage::GRANTED), 1U);
    EXPECT_EQ(Count(4, OpusMessage::GRANTED), 1U);
    EXPECT_EQ(controller->GetPendingRequests(), 0U);
}

TEST_F(OpusFaultsTest, WhoIsOnlySlowIsNotLost)
{
    controller->SetAttribute("Lease", StringValue("10ms"));
    Register(1, {0, 1, 2});
    Simulator::Schedule(MilliSeconds(1), [&] {
        Request(0, {0, 1, 0});
        Request(1, {0, 1, 0});
    });
    Simulator::Schedule(Seconds(1), [&] { Request(2, {0, 1, 0}); });
    Simulator::Run();
    EXPECT_TRUE(failures.empty());
    EXPECT_EQ(Count(2, OpusMessage::PROBE), 99U);
    EXPECT_EQ(Count(0, OpusMessage::PROBE), 0U);
    EXPECT_EQ(Count(0, OpusMessage::GRANTED), 1U);
}

TEST_F(OpusFaultsTest, ARequestThatIsMadeAnewIsProbedOnceALease)
{
    controller->SetAttribute("Lease", StringValue("10ms"));
    Register(1, {0, 1});
    Simulator::Schedule(MilliSeconds(1), [&] { Request(0, {0, 1, 0}, false); });
    for (uint32_t i = 0; i < 5; ++i) // withdrawn and made anew, then forgotten and made anew
    {
        Simulator::Schedule(MilliSeconds(2 + i), [&] {
            Send(OpusMessage::WITHDRAW, 0, {0, 1, 0});
            Request(0, {0, 1, 0}, false);
        });
    }
    Simulator::Schedule(MilliSeconds(8), [&] { controller->Stop(); });
    Simulator::Schedule(MilliSeconds(9), [&] { controller->Start(); });
    Simulator::Stop(MilliSeconds(115));
    Simulator::Run();
    EXPECT_TRUE(failures.empty());
    EXPECT_EQ(Count(1, OpusMessage::PROBE), 10U) << "from 9 ms on";
}

TEST_F(OpusFaultsTest, ADeadlockIsNamedAtOnce)
{
    Register(1, {0, 1});
    Register(2, {1, 2});
    Register(3, {2, 0});
    Simulator::Schedule(MilliSeconds(1), [&] { Request(0, {0, 1, 0}); });
    Simulator::Schedule(MilliSeconds(2), [&] { Request(1, {0, 2, 0}); });
    Simulator::Schedule(MilliSeconds(3), [&] { Request(2, {0, 3, 0}); });
    Simulator::Schedule(MilliSeconds(4), [&] { EXPECT_EQ(failures.size(), 1U); });
    Simulator::Run();
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_EQ(failures[0],
              "deadlock: step 0 group 3 counter 0 waits for rank 0, which waits for step 0 group 1 "
              "counter 0 waits for rank 1, which waits for step 0 group 2 counter 0 waits for rank "
              "2, which waits for step 0 group 3 counter 0");
}

TEST_F(OpusFaultsTest, APredictionIsNoDeadlockUntilTheRankWaits)
{
    controller->SetAttribute("Lease", StringValue("10ms"));
    Register(1, {0, 1});
    Register(2, {1, 0});
    Simulator::Schedule(MilliSeconds(1), [&] {
        Request(0, {0, 1, 0});
        Request(1, {0, 2, 0}, false);
        pending.erase(1); // it computes
    });
    Simulator::Schedule(MilliSeconds(35), [&] {
        EXPECT_TRUE(failures.empty());
        pending[1] = {0, 2, 0}; // now it waits
    });
    Simulator::Stop(MilliSeconds(50));
    Simulator::Run();
    ASSERT_FALSE(failures.empty());
    EXPECT_EQ(failures[0].find("deadlock: "), 0U);
    EXPECT_GT(Simulator::Now(), MilliSeconds(35));
}

TEST_F(OpusFaultsTest, ARestartedControllerKnowsWhoHoldsWhat)
{
    Register(1, {0, 1, 2});
    Simulator::Schedule(MilliSeconds(1), [&] {
        for (uint32_t rank : {0, 1, 2})
        {
            Request(rank, {0, 1, 0});
        }
    });
    path->SetAttribute("Faults", PointerValue(CreateObject<LostGrants>()));
    Simulator::Schedule(MilliSeconds(2), [&] {
        EXPECT_EQ(controller->GetPendingRequests(), 0U);
        EXPECT_EQ(Count(0, OpusMessage::GRANTED), 1U);
        EXPECT_EQ(Count(1, OpusMessage::GRANTED), 0U);
        controller->Stop();
        held[0] = {{0, 1, 0}};
    });
    Simulator::Schedule(MilliSeconds(5), [&] { controller->Start(); });
    Simulator::Run();
    EXPECT_TRUE(failures.empty());
    for (uint32_t rank : {1, 2})
    {
        EXPECT_EQ(Count(rank, OpusMessage::HELLO), 1U);
        EXPECT_EQ(Count(rank, OpusMessage::GRANTED), 1U) << rank;
    }
    EXPECT_EQ(path->GetUnacknowledged(), 0U);
    EXPECT_EQ(controller->GetReconfigurations(), 1U);
    for (uint32_t port = 0; port < 6; ++port)
    {
        EXPECT_NE(rail.ocs->GetOutput(port), OpticalCircuitSwitch::NO_PORT);
    }
}

TEST_F(OpusFaultsTest, ARestartNeedsMessagesThatAreRepeated)
{
    path->SetAttribute("RetransmissionTimeout", StringValue("0s"));
    EXPECT_THROW(controller->Stop(), std::logic_error);
    EXPECT_THROW(controller->Start(), std::logic_error);
    auto faults = CreateObject<RandomControlFaults>();
    faults->SetAttribute("Loss", DoubleValue(1));
    path->SetAttribute("Faults", PointerValue(faults));
    Send(OpusMessage::REQUEST, 4, {0, 1, 3});
    EXPECT_EQ(failures,
              std::vector<std::string>{
                  "control message request of rank 4 (step 0 group 1 counter 3) was lost"});
}

TEST_F(OpusFaultsTest, AControllerThatStaysAwayIsNamed)
{
    Register(1, {0, 1});
    Simulator::Schedule(MilliSeconds(1), [&] {
        controller->Stop();
        Request(0, {0, 1, 0});
    });
    Simulator::Run();
    EXPECT_EQ(failures,
              std::vector<std::string>{"the controller does not answer rank 0: request (step 0 "
                                       "group 1 counter 0) was sent 6 times in 63 ms"});
}
