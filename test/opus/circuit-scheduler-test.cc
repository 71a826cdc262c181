/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus/opus-test-rail.h"

#include "ns3/circuit-scheduler.h"
#include "ns3/config.h"
#include "ns3/opus-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <stdexcept>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// Lets requests of a group with an even number go at once, others when they have waited.
class PatientScheduler : public CircuitScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::photonic::test::PatientScheduler")
                                .SetParent<CircuitScheduler>()
                                .AddConstructor<PatientScheduler>()
                                .AddAttribute("Patience",
                                              "How long.",
                                              TimeValue(MicroSeconds(7)),
                                              MakeTimeAccessor(&PatientScheduler::m_patience),
                                              MakeTimeChecker())
                                .AddAttribute("Arms",
                                              "How many.",
                                              UintegerValue(1),
                                              MakeUintegerAccessor(&PatientScheduler::m_arms),
                                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

  private:
    std::size_t DoChoose(const std::vector<Request>& waiting) override
    {
        for (std::size_t i = 0; i < waiting.size(); i++)
        {
            const Time due = waiting[i].complete + m_patience;
            if (waiting[i].key.group % 2 == 0 || due <= Simulator::Now())
            {
                return i;
            }
        }
        ChooseAgain(waiting[0].complete + m_patience - Simulator::Now());
        return NONE;
    }

    Time m_patience;
    uint32_t m_arms;
};

NS_OBJECT_ENSURE_REGISTERED(PatientScheduler);

const char* const PATIENT = "ns3::photonic::test::PatientScheduler";

using Keys = std::vector<OpusKey>;

/// A rail of four ranks, and the records of what a scheduler let go.
struct CircuitSchedulerTest : public ::testing::Test
{
    ~CircuitSchedulerTest() override
    {
        Simulator::Destroy();
        Config::Reset();
    }

    /// Have groups 1 and 2, of two ranks each, ask at 10 us.
    void Ask(OpusHelper& helper)
    {
        helper.SetControlPath("instant");
        std::vector<OpusHelper::Rank> ranks;
        for (uint32_t rank = 0; rank < 4; rank++)
        {
            ranks.push_back({rank, nullptr, {rank, 0, {2 * rank, 2 * rank + 1}}});
        }
        helper.Install(ranks, {{0, rail.ocs}});
        auto path = helper.GetControlPath();
        for (uint32_t rank = 0; rank < 4; rank++)
        {
            path->SetRankReceiver(rank, [](const OpusMessage&, const Cause&) {});
        }
        helper.GetController()->TraceConnectWithoutContext(
            "Reconfiguration",
            MakeCallback(&CircuitSchedulerTest::Record, this));
        OpusMessage message;
        for (uint32_t rank = 0; rank < 4; rank++)
        {
            message.rank = rank;
            message.key.group = 1 + rank / 2;
            message.size = 2;
            message.position = rank % 2;
            message.slot = GroupSlot::FSDP;
            path->SendToController(message, Cause());
        }
        message.type = OpusMessage::REQUEST;
        Simulator::Schedule(MicroSeconds(10), [path, message]() mutable {
            for (message.rank = 0; message.rank < 4; message.rank++)
            {
                message.key.group = 1 + message.rank / 2;
                path->SendToController(message, Cause());
            }
        });
        Simulator::Run();
        ASSERT_EQ(records.size(), 2u);
    }

    void Record(const OpusController::Record& record)
    {
        records.push_back(record);
    }

    OpusTestRail rail{8, MilliSeconds(1)};
    std::vector<OpusController::Record> records;
};

} // namespace

TEST_F(CircuitSchedulerTest, MayWaitAndTellWhenToAskAgain)
{
    OpusHelper helper;
    helper.SetCircuitScheduler(std::string(PATIENT) + "[Patience=3us]");
    Ask(helper);
    EXPECT_EQ(records[0].key.group, 2u);
    EXPECT_EQ(records[0].fired, MicroSeconds(10));
    EXPECT_FALSE(records[0].queued);
    EXPECT_EQ(records[1].complete, MicroSeconds(10));
    EXPECT_EQ(records[1].fired, MicroSeconds(13));
    EXPECT_EQ(records[1].done, MicroSeconds(1013));
    EXPECT_TRUE(records[1].queued);
    EXPECT_EQ(helper.GetController()->GetQueuedRequests(), 1u);
}

TEST_F(CircuitSchedulerTest, IsAnAttributeOfTheController)
{
    Config::SetDefault("ns3::photonic::OpusController::Scheduler", StringValue(PATIENT));
    OpusHelper helper;
    EXPECT_THROW(helper.SetCircuitScheduler("ns3::Queue"), std::invalid_argument);
    Ask(helper);
    EXPECT_EQ(records[1].fired, MicroSeconds(17)) << "its default patience";
}

TEST_F(CircuitSchedulerTest, AttributesAreChecked)
{
    const auto refusal = [](const std::string& text) {
        try
        {
            CircuitScheduler::ParseFactory(text);
            return std::string();
        }
        catch (const std::invalid_argument& reason)
        {
            return std::string(reason.what());
        }
    };
    const std::string name = PATIENT;
    EXPECT_EQ(refusal(name), "");
    EXPECT_EQ(refusal(name + "[]"), "");
    EXPECT_EQ(refusal(name + "[Patience=3us]"), "");
    EXPECT_EQ(refusal(name + "[Patience]"),
              "attribute Patience: found '', expected a value of Patience, ns3::TimeValue");
    EXPECT_EQ(refusal(name + "[Hope=3]"),
              name + " has no attribute 'Hope', expected Patience or Arms");
    EXPECT_EQ(refusal(name + "[Patience=3us"),
              "found no ] at the end, expected " + name + "[attribute=value|...]");
    // On these ns-3 itself ends the program.
    for (const std::string time : {"soon", "3", "3 us", "3weeks", "us", "1e300s", "3e9y", "--3us"})
    {
        const bool isTime = time == "3"; // seconds
        EXPECT_EQ(refusal(name + "[Patience=" + time + "]"),
                  isTime ? ""
                         : "attribute Patience: found '" + time +
                               "', expected a value of Patience, ns3::TimeValue");
    }
    EXPECT_EQ(refusal(name + "[Arms=2|Patience=1ms]"), "");
    for (const std::string arms : {"2x", "", "2 ", "-", "two"})
    {
        EXPECT_EQ(refusal(name + "[Arms=" + arms + "]"),
                  "attribute Arms: found '" + arms +
                      "', expected a value of Arms, ns3::UintegerValue");
    }
    EXPECT_EQ(refusal("a\nb"), refusal("a?b")) << "in one line";
    EXPECT_NE(refusal(std::string(4096, 'x')).find("found 'xxx"), std::string::npos);
    EXPECT_EQ(refusal(std::string(4097, 'x')), "found a text of more bytes, expected at most 4096");
    EXPECT_NE(refusal("ns3::Object").find("expected the TypeId of a circuit scheduler, "),
              std::string::npos);
    EXPECT_NE(refusal("").find(name), std::string::npos) << "all are listed";
}

TEST_F(CircuitSchedulerTest, PortsAreHeldUntilARequestIsOver)
{
    auto scheduler = CreateObject<PatientScheduler>();
    scheduler->Add({{0, 2, 0}, GroupSlot::FSDP, {0, 1}, Time(), Time()});
    EXPECT_EQ(scheduler->Choose(), (Keys{{0, 2, 0}}));
    EXPECT_FALSE(scheduler->IsHeldBack({0, 2, 0}));
    scheduler->Add({{0, 4, 0}, GroupSlot::FSDP, {1, 2}, Time(), Time()});
    EXPECT_FALSE(scheduler->IsHeldBack({0, 4, 0}));
    EXPECT_THROW(scheduler->Choose(), std::invalid_argument) << "it does not look at ports";
    scheduler->Remove({0, 2, 0});
    EXPECT_TRUE(scheduler->IsHeldBack({0, 4, 0}));
    EXPECT_EQ(scheduler->Choose(), (Keys{{0, 4, 0}}));
}
