/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-ml/sip-traffic.h"

#include "ns3/roce-header.h"

namespace ns3
{
namespace photonic
{
namespace
{

TEST(Backlog, IsWhatHasNotStartedOnTheLineWhateverTheFidelity)
{
    const uint64_t payload = RoceHeader::GetMaxPayload(4096);
    for (const bool trains : {false, true})
    {
        SCOPED_TRACE(trains);
        TrafficMatrix pairs(2);
        pairs.Set(0, 1, 1);
        SipTraffic traffic(pairs, {1, MicroSeconds(1), "all", trains});
        traffic.SendAt(Time(0), 0, 1, 2 * payload + 100); // three packets
        traffic.SendAt(Time(0), 0, 1, 1);
        const auto expectAt = [&](Time at, uint64_t bytes) {
            Simulator::Schedule(at, [&, bytes] {
                EXPECT_EQ(traffic.GetBacklog(0, 1), bytes) << Simulator::Now();
                EXPECT_EQ(traffic.GetBacklog(1, 0), 0U);
            });
        };
        // A full packet takes 1,322.88 ns; there is light at 1 us.
        expectAt(NanoSeconds(999), 2 * payload + 101);
        Simulator::Schedule(Time(0), [&] { traffic.fabric.wdm->Retune({{0, 1, 1}}); });
        expectAt(NanoSeconds(1001), payload + 101);
        expectAt(NanoSeconds(2322), payload + 101);
        expectAt(NanoSeconds(2323), 101);
        // Told to stop in the second packet: the third one has to wait for light again.
        Simulator::Schedule(NanoSeconds(2400), [&] { traffic.fabric.wdm->Retune({{0, 1, 1}}); });
        expectAt(NanoSeconds(2401), 101);
        expectAt(NanoSeconds(3700), 101);
        expectAt(NanoSeconds(4645), 101); // second over at 3,645.76, light after 1 us
        expectAt(NanoSeconds(4647), 1);
        expectAt(NanoSeconds(5000), 0);
        Simulator::Run();
        EXPECT_EQ(traffic.deliveries.size(), 2U);
    }
}

} // namespace
} // namespace photonic
} // namespace ns3
