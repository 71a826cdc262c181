/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ml-demands.h"
#include "sip-traffic.h"

#include "ns3/roce-header.h"

#include <algorithm>
#include <iostream>
#include <random>
#include <stdexcept>
#include <tuple>

namespace ns3
{
namespace photonic
{
namespace
{

constexpr uint64_t FULL_PACKET = 4096 + 38; ///< on the line, MTU 4,096

/// i -> i + 1.
TrafficMatrix
MakeNext(uint32_t gpus, uint64_t bytes)
{
    TrafficMatrix demand(gpus);
    for (uint32_t i = 0; i < gpus; i++)
    {
        demand.Set(i, (i + 1) % gpus, bytes);
    }
    return demand;
}

/// Four GPUs with four wavelengths in each direction of one fibre: five each for i -> i + 1.
Ptr<const SipStrategy>
MakeRing(uint32_t gpus = 4, uint32_t wavelengths = 4)
{
    return Create<SipRingStrategy>(WdmRing({gpus, 1, wavelengths, 16}));
}

TEST(SipController, AStaticRingIsSlowerByTheDarkShareAndNoMore)
{
    const auto next = MakeNext(4, 1'000'000'000);
    for (const auto& dark :
         {MicroSeconds(20), MicroSeconds(25), MicroSeconds(300), MilliSeconds(3), MilliSeconds(30)})
    {
        SCOPED_TRACE(dark.GetMicroSeconds());
        SipTraffic traffic(next, {8, dark});
        const auto strategy = MakeRing();
        const auto circuits = strategy->Allocate(next);
        EXPECT_EQ(circuits[0].wavelengths, 5U);
        traffic.fabric.wdm->Preset(circuits);
        InstallSipController(traffic.fabric, strategy, MicroSeconds(100));
        for (uint32_t i = 0; i < 4; i++)
        {
            traffic.SendAt(Time(0), i, (i + 1) % 4, 1'000'000'000);
        }
        constexpr int64_t EPOCHS = 20;
        const Time span = (MicroSeconds(100) + dark) * EPOCHS;
        Simulator::Stop(span);
        Simulator::Run();
        // What a circuit that stays would have carried in that time, and its share of the time.
        const double whole =
            span.GetSeconds() * 5 * double(SipTraffic::WAVELENGTH) / (8 * FULL_PACKET);
        const double share =
            MicroSeconds(100).GetSeconds() / (MicroSeconds(100) + dark).GetSeconds();
        const double settling = traffic.fabric.wdm->GetSettlingTime().GetSeconds();
        for (uint32_t i = 0; i < 4; i++)
        {
            const double packets = traffic.GetPackets(i, (i + 1) % 4);
            EXPECT_LE(packets, whole * share);
            EXPECT_GE(packets, whole * share * (1 - 2 * settling / 100e-6) - 2);
        }
        ASSERT_GE(traffic.retunes.size(), std::size_t{EPOCHS - 1});
        for (const auto& retune : traffic.retunes)
        {
            EXPECT_EQ(retune.done - retune.started, dark);
            EXPECT_EQ(retune.dark, 4U);
        }
    }
}

TEST(SipController, CircuitsStayWithLightWhileNothingWaitsAndNoEventIsLeft)
{
    const auto next = MakeNext(4, 1);
    SipTraffic traffic(next, {8});
    traffic.fabric.wdm->Preset(MakeRing()->Allocate(next));
    auto controller = InstallSipController(traffic.fabric, MakeRing(), MicroSeconds(100));
    traffic.SendAt(MicroSeconds(30), 0, 1, 5'000'000); // some epochs
    Simulator::Run();                                  // comes back
    EXPECT_EQ(traffic.deliveries.size(), 1U);
    EXPECT_TRUE(controller->IsAsleep());
    const auto retunes = traffic.retunes.size();
    EXPECT_GE(retunes, 2U);
    EXPECT_GT(traffic.fabric.wdm->GetWavelengths(0, 1), 0U);
    EXPECT_LT(Simulator::Now(), MilliSeconds(2));

    // What fits into a circuit that is there does not wait for a change.
    const Time later = MilliSeconds(50);
    traffic.SendAt(later - Simulator::Now(), 0, 1, 4000);
    Simulator::Run();
    ASSERT_EQ(traffic.deliveries.size(), 2U);
    EXPECT_LT(traffic.deliveries[1].at, later + MicroSeconds(1));
    EXPECT_EQ(traffic.retunes.size(), retunes);
}

TEST(SipController, AfterSleepTheNextChangeComesWhenItWouldHaveCome)
{
    const auto next = MakeNext(4, 1);
    SipTraffic traffic(next, {8});
    traffic.fabric.wdm->Preset(MakeRing()->Allocate(next));
    InstallSipController(traffic.fabric, MakeRing(), MicroSeconds(100));
    traffic.SendAt(NanoSeconds(1'234'567), 0, 1, 50'000'000);
    const Time settling = traffic.fabric.wdm->GetSettlingTime();
    Simulator::Stop(MilliSeconds(2));
    Simulator::Run();
    ASSERT_FALSE(traffic.retunes.empty());
    EXPECT_EQ(traffic.retunes[0].requested, MicroSeconds(1300) - settling);
    EXPECT_LE(traffic.retunes[0].started, MicroSeconds(1300));
}

TEST(SipController, APairThatStarvesIsServedInALaterEpoch)
{
    // Twelve pairs, and one wavelength in each direction: not all of them at a time.
    const auto all = MakeAllToAll(4);
    SipTraffic traffic(all, {2});
    const auto strategy = MakeRing(4, 1);
    traffic.fabric.wdm->Preset(strategy->Allocate(all));
    InstallSipController(traffic.fabric, strategy, MicroSeconds(50));
    uint32_t starving = 0;
    for (const auto& pair : all.GetDemands())
    {
        traffic.SendAt(Time(0), pair.source, pair.destination, 200'000);
        starving += traffic.fabric.wdm->GetWavelengths(pair.source, pair.destination) == 0;
    }
    EXPECT_GT(starving, 0U);
    Simulator::Run();
    EXPECT_EQ(traffic.deliveries.size(), 12U);
}

/// Serves GPUs that nobody asked about.
class UselessStrategy : public SipStrategy
{
  public:
    std::vector<WdmCircuit> Allocate(const TrafficMatrix&) const override
    {
        return {{1, 0, 1}};
    }

    WdmCircuit GetSlowest() const override
    {
        return {0, 1, 1};
    }
};

TEST(SipController, WhereNothingMovesNoEventIsLeft)
{
    const auto next = MakeNext(4, 1);
    SipTraffic traffic(next, {8});
    auto controller =
        InstallSipController(traffic.fabric, Create<UselessStrategy>(), MicroSeconds(100));
    traffic.SendAt(Time(0), 0, 1, 1);
    Simulator::Run();
    EXPECT_TRUE(controller->IsAsleep());
    EXPECT_TRUE(traffic.deliveries.empty());
    EXPECT_EQ(traffic.retunes.size(), 1U);
}

TEST(SipController, ADelayOfOneTickIsNotLost)
{
    const auto next = MakeNext(3, 1'000'000);
    for (const int64_t ticks : {0, 1})
    {
        SipTraffic traffic(next, {4, TimeStep(ticks)});
        traffic.fabric.wdm->Preset(MakeRing(3, 2)->Allocate(next));
        InstallSipController(traffic.fabric, MakeRing(3, 2), MicroSeconds(10));
        traffic.SendAt(Time(0), 0, 1, 1'000'000);
        Simulator::Run();
        EXPECT_EQ(traffic.deliveries.size(), 1U);
        EXPECT_GT(traffic.retunes.size(), 3U);
        EXPECT_EQ(traffic.fabric.wdm->GetDarkTime(), TimeStep(ticks * [&] {
                      int64_t dark = 0;
                      for (const auto& retune : traffic.retunes)
                      {
                          dark += retune.dark;
                      }
                      return dark;
                  }()));
    }
}

TEST(SipController, ALiveTimeTooShortForAPacketIsRefusedWithBothNumbers)
{
    // 4,134 bytes on a wavelength take 1,322.88 ns, three segments 30 ns.
    const auto next = MakeNext(4, 1);
    SipTraffic traffic(next, {8});
    try
    {
        InstallSipController(traffic.fabric, MakeRing(), NanoSeconds(1352));
        ADD_FAILURE() << "was not refused";
    }
    catch (const std::invalid_argument& refusal)
    {
        EXPECT_NE(std::string(refusal.what()).find("1.352 us"), std::string::npos)
            << refusal.what();
        EXPECT_NE(std::string(refusal.what()).find("up to 1.35"), std::string::npos)
            << refusal.what();
    }
    InstallSipController(traffic.fabric, MakeRing(), NanoSeconds(1353));
    traffic.SendAt(Time(0), 0, 1, 20'000); // a packet in an epoch is enough
    Simulator::Run();
    EXPECT_EQ(traffic.deliveries.size(), 1U);
}

/// @return deliveries of random messages, in packets or trains
std::vector<SipTraffic::Delivery>
RunRandom(uint32_t seed, bool trains)
{
    std::mt19937_64 random(seed);
    const uint32_t gpus = 3 + random() % 4;
    const bool ring = random() % 2;
    const auto pairs = MakeRandom(random, gpus, 100);
    SipTraffic traffic(pairs, {8, NanoSeconds(random() % 30000), ring ? "all" : "changed", trains});
    Ptr<const SipStrategy> strategy;
    if (ring)
    {
        strategy = MakeRing(gpus, 4);
    }
    else
    {
        strategy = Create<SipOcsStrategy>(SipOcsStrategy::Mode::PERIODIC, 4, 2);
    }
    traffic.fabric.wdm->Preset(strategy->Allocate(pairs));
    InstallSipController(traffic.fabric, strategy, NanoSeconds(5000 + random() % 60000));
    uint64_t messages = 0;
    for (const auto& pair : pairs.GetDemands())
    {
        for (uint32_t i = 0; i < random() % 4; i++)
        {
            messages++;
            traffic.SendAt(NanoSeconds(random() % 1'000'000),
                           pair.source,
                           pair.destination,
                           1 + random() % 1'000'000);
        }
    }
    Simulator::Run();
    EXPECT_EQ(traffic.deliveries.size(), messages);
    EXPECT_EQ(traffic.fabric.wdm->GetLostPackets(), 0U);
    auto deliveries = traffic.deliveries;
    std::stable_sort(deliveries.begin(), deliveries.end(), [](const auto& a, const auto& b) {
        return std::tie(a.from, a.to, a.at) < std::tie(b.from, b.to, b.at);
    });
    return deliveries;
}

TEST(SipController, PacketsAndTrainsArriveAtTheSameTicks)
{
    constexpr uint32_t seed = 1000;
    std::cout << "seeds from " << seed << '\n';
    for (uint32_t round = 0; round < 60; round++)
    {
        SCOPED_TRACE("seed " + std::to_string(seed + round));
        EXPECT_EQ(RunRandom(seed + round, false), RunRandom(seed + round, true));
    }
}

} // namespace
} // namespace photonic
} // namespace ns3
