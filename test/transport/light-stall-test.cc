/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Messages that wait for light: their causes say for how long.
 */
#include "test-rail.h"

namespace ns3
{
namespace photonic
{

namespace
{

constexpr MessageKey FIRST{1, 0, 0};
constexpr MessageKey SECOND{1, 1, 0};

/// Two ranks without circuit, and what stalled messages between them.
class DarkPair : public TestRail
{
  public:
    static Options MakeOptions(bool trains)
    {
        Options options;
        options.trains = trains;
        options.inFlightPolicy = "drain-current-packet";
        return options;
    }

    explicit DarkPair(bool trains)
        : TestRail(MakeOptions(trains))
    {
    }

    /// Post at a time. @return the stall of the message, once it has arrived
    std::shared_ptr<Time> Post(Time at, const MessageKey& key, uint64_t bytes)
    {
        auto stall = std::make_shared<Time>(Time::Max());
        endpoints[1]->Receive(0, key, bytes, [stall](const Message& message, Time) {
            *stall = message.cause.GetStall();
        });
        Simulator::Schedule(at, [this, key, bytes] {
            endpoints[0]->Send(1, 0, 0, key, bytes, Cause(), nullptr);
        });
        return stall;
    }

    /// Ask for a circuit from port 0 of rank 1 to port 0 of rank 0, or to its own port 1.
    void Ask(Time at, bool together = true)
    {
        Simulator::Schedule(at, [this, together] {
            const uint32_t other = together ? GetSwitchPort(0, 0) : GetSwitchPort(1, 1);
            light->Reconfigure({{GetSwitchPort(1, 0), other}});
        });
    }
};

} // namespace

TEST(LightStall, IsTheTimeFromThePostToTheLight)
{
    for (bool trains : {false, true})
    {
        DarkPair pair(trains);
        // There is light at 10 us + 2 us + a fibre of 50 ns.
        const auto first = pair.Post(MicroSeconds(3), FIRST, 4 * FULL);
        const auto second = pair.Post(MicroSeconds(5), SECOND, 4 * FULL);
        pair.Ask(MicroSeconds(10));
        Simulator::Run();
        EXPECT_EQ(*first, NanoSeconds(9050)) << trains;
        EXPECT_EQ(*second, NanoSeconds(9050)) << trains; // behind the first, because of it
    }
}

TEST(LightStall, IsNoneWithLight)
{
    for (bool trains : {false, true})
    {
        DarkPair pair(trains);
        pair.Ask(Time(0));
        const auto first = pair.Post(MicroSeconds(3), FIRST, 4 * FULL);
        Simulator::Run();
        EXPECT_EQ(*first, Time(0)) << trains;
    }
}

TEST(LightStall, ADarkTimeInTheMiddleOfAMessageCounts)
{
    for (bool trains : {false, true})
    {
        DarkPair pair(trains);
        pair.Ask(Time(0));
        const auto whole = pair.Post(MicroSeconds(3), FIRST, 4 * FULL); // 3 - 7 us
        const auto cut = pair.Post(MicroSeconds(10), SECOND, 4 * FULL); // from 10 us on
        // Told at 11.05 us, the sender ends its second packet at 12 us. The receiver is led
        // elsewhere for 2 us, its light and a fibre each way, and back for as much.
        pair.Ask(MicroSeconds(11), false);
        pair.Ask(MicroSeconds(12));
        Simulator::Run();
        EXPECT_EQ(*whole, Time(0)) << trains;
        EXPECT_GT(*cut, MicroSeconds(2)) << trains;
        EXPECT_LT(*cut, MicroSeconds(5)) << trains;
    }
}

} // namespace photonic
} // namespace ns3
