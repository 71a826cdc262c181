/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics-test-helper.h"

namespace ns3
{
namespace photonic
{

namespace
{

/// A fibre end that only notes what happens to it.
class RecordingEnd : public FibreEnd
{
  public:
    void Advance() override
    {
    }

    bool GetNextStart(const LightPath&, ExactTime&) const override
    {
        return false;
    }

    bool IsCutThrough() const override
    {
        return cutThrough;
    }

    void Arrive(Frame& frame, Time) override
    {
        arrivals.emplace_back(frame.destination, Simulator::Now());
    }

    void Lost(Frame& frame, const char* reason) override
    {
        losses.emplace_back(frame.destination, reason);
    }

    void LightUp(Ptr<LightPath>) override
    {
    }

    void LightDown() override
    {
    }

    ExactTime FinishPacket() override
    {
        return ExactTime();
    }

    void ReceiverLit(bool) override
    {
    }

    bool IsWatched() const override
    {
        return true;
    }

    uint32_t GetContext() const override
    {
        return 42;
    }

    Ptr<NetDevice> GetDevice() const override
    {
        return nullptr;
    }

    bool cutThrough{false};
    std::vector<std::pair<uint64_t, Time>> arrivals; ///< destination serves as a name
    std::vector<std::pair<uint64_t, std::string>> losses;
};

Frame
MakeFrame(uint64_t name, ExactTime start, ExactTime end)
{
    Frame frame;
    frame.packet = Create<Packet>(1);
    frame.destination = name;
    frame.start = start;
    frame.end = end;
    return frame;
}

class LightPathTest : public OpticsTest
{
};

using Arrivals = std::vector<std::pair<uint64_t, Time>>;

} // namespace

TEST_F(LightPathTest, AddressesAreNumbersWithTheFirstOctetHighest)
{
    EXPECT_EQ(ToInteger(Mac48Address("01:02:03:04:05:fe")), 0x0102030405feU);
    EXPECT_EQ(ToInteger(Mac48Address::GetBroadcast()), 0xffffffffffffU);
    // The group bit is the lowest of the first octet (IEEE 802).
    EXPECT_TRUE(ToInteger(Mac48Address("01:00:5e:00:00:01")) & GROUP_ADDRESS_BIT);
    EXPECT_FALSE(ToInteger(Mac48Address("fe:ff:ff:ff:ff:ff")) & GROUP_ADDRESS_BIT);
}

TEST_F(LightPathTest, DeliversTheLastBitRoundedUpToATick)
{
    RecordingEnd from;
    RecordingEnd to;
    auto path = Create<LightPath>(from, to, TimeStep(10), TimeStep(30));
    EXPECT_EQ(path->GetPropagation(), TimeStep(30));
    EXPECT_EQ(path->GetPropagationToSwitch(), TimeStep(10));
    EXPECT_EQ(&path->GetReceiver(), &to);
    path->Transmit(MakeFrame(1, ExactTime(), ExactTime(5, 0, 1)));
    path->Transmit(MakeFrame(2, ExactTime(5, 0, 1), ExactTime(7, 1, 3)));
    path->Transmit(MakeFrame(3, ExactTime(7, 1, 3), ExactTime(8, 0, 1)));
    Simulator::Run();
    EXPECT_EQ(to.arrivals, (Arrivals{{1, TimeStep(35)}, {2, TimeStep(38)}, {3, TimeStep(38)}}));
    EXPECT_TRUE(from.losses.empty());
}

TEST_F(LightPathTest, ACutThroughReceiverSeesTheFirstBit)
{
    RecordingEnd from;
    RecordingEnd to;
    to.cutThrough = true;
    auto path = Create<LightPath>(from, to, TimeStep(30), TimeStep(30));
    path->Transmit(MakeFrame(1, ExactTime(2, 1, 2), ExactTime(100, 0, 1)));
    Simulator::Run();
    EXPECT_EQ(to.arrivals, (Arrivals{{1, TimeStep(33)}}));
}

TEST_F(LightPathTest, ACutSparesWhatHasLeftTheSwitchToTheFractionOfATick)
{
    RecordingEnd from;
    RecordingEnd to;
    auto path = Create<LightPath>(from, to, TimeStep(10), TimeStep(30));
    // The last bits leave the switch at 19 2/3, 20, 20 1/3 and 25 ticks; the cut is at 20.
    path->Transmit(MakeFrame(1, ExactTime(), ExactTime(9, 2, 3)));
    path->Transmit(MakeFrame(2, ExactTime(9, 2, 3), ExactTime(10, 0, 1)));
    path->Transmit(MakeFrame(3, ExactTime(10, 0, 1), ExactTime(10, 1, 3)));
    path->Transmit(MakeFrame(4, ExactTime(10, 1, 3), ExactTime(15, 0, 1)));
    std::vector<uint64_t> lost;
    At(TimeStep(20), [&lost, path]() {
        path->Cut(Simulator::Now(), [&lost](Frame& f) { lost.push_back(f.destination); });
    });
    Simulator::Run();
    EXPECT_EQ(to.arrivals, (Arrivals{{1, TimeStep(40)}, {2, TimeStep(40)}}));
    EXPECT_EQ(lost, (std::vector<uint64_t>{3, 4}));
    ASSERT_EQ(from.losses.size(), 2U);
    EXPECT_EQ(from.losses[0].first, 3U);
    EXPECT_FALSE(from.losses[0].second.empty());
}

TEST_F(LightPathTest, ArrivalsRunInTheReceiversContextAndKeepThePathAlive)
{
    class ContextEnd : public RecordingEnd
    {
      public:
        void Arrive(Frame&, Time) override
        {
            context = Simulator::GetContext();
        }

        uint32_t context{0};
    };

    RecordingEnd from;
    ContextEnd to;
    {
        auto path = Create<LightPath>(from, to, TimeStep(1), TimeStep(1));
        path->Transmit(MakeFrame(1, ExactTime(), ExactTime(5, 0, 1)));
    }
    Simulator::Run();
    EXPECT_EQ(to.context, 42U);
}

} // namespace photonic
} // namespace ns3
