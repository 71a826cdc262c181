/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ring-case.h"

#include "ns3/core-module.h"
#include "ns3/packet.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace photonic
{

namespace
{

/// @return packets of ns-3 that a case makes
uint64_t
CountPackets(const RingCase& c)
{
    const uint64_t before = Create<Packet>()->GetUid();
    c.Run();
    return Create<Packet>()->GetUid() - before - 1;
}

} // namespace

TEST(RingCase, TheSimulatedTimeIsThatOfThePacketsInAllFidelities)
{
    for (const char* fabric : {"photonic", "electrical-ideal"})
    {
        for (uint32_t ranks : {2, 3, 16})
        {
            // Chunks of two packets and some bytes, and with a remainder.
            for (uint64_t bytes : {2 * ranks * 20'000U, 2 * ranks * 20'000U + 7})
            {
                RingCase c{"", "", fabric, Fidelity::PACKET, 2, ranks, bytes, 3};
                SCOPED_TRACE(std::string(fabric) + ", " + std::to_string(ranks) + " ranks, " +
                             std::to_string(bytes) + " bytes");
                const auto packets = c.Run();
                c.fidelity = Fidelity::MESSAGE;
                const auto messages = c.Run();
                c.fidelity = Fidelity::COLLECTIVE;
                const auto collectives = c.Run();
                EXPECT_EQ(messages.simulatedSeconds, packets.simulatedSeconds);
                EXPECT_EQ(collectives.simulatedSeconds, packets.simulatedSeconds);
                EXPECT_EQ(packets.packets, 3 * packets.messages); // 20,000 in packets of 8,940
                EXPECT_EQ(messages.packets, packets.packets);
                if (bytes % ranks == 0)
                {
                    // Each step is 20,000 bytes and three times 98 at 200 Gbps, and two fibres.
                    const double step = (20'000 + 3 * 98) * 8 / 200e9 + 100e-9;
                    EXPECT_NEAR(packets.simulatedSeconds, 3 * 2 * (ranks - 1) * step, 3e-9 * ranks);
                }
            }
        }
    }
}

TEST(RingCase, OnlyPacketFidelityHasPackets)
{
    const std::string lazy = "ns3::photonic::OpticalNetDevice::LazyPackets";
    for (const char* fabric : {"photonic", "electrical-ideal"})
    {
        RingCase c{"", "", fabric, Fidelity::PACKET, 1, 4, 8 * 20'000, 1};
        Config::SetDefault(lazy, BooleanValue(false));
        EXPECT_EQ(CountPackets(c), 4U * 2 * 6 * 3) << fabric; // six steps, three packets a chunk
        Config::SetDefault(lazy, BooleanValue(true));
        c.fidelity = Fidelity::MESSAGE;
        EXPECT_EQ(CountPackets(c), 0U) << fabric;
        c.fidelity = Fidelity::COLLECTIVE;
        EXPECT_EQ(CountPackets(c), 0U) << fabric;
    }
}

} // namespace photonic
} // namespace ns3
