/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/opus-registry.h"

#include <gtest/gtest.h>
#include <stdexcept>

using namespace ns3::photonic;

namespace
{

/// Ranks 0 to 7, two per domain; rail = local rank; OCS ports 2d and 2d + 1.
OpusRegistry
Cabled()
{
    OpusRegistry registry;
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        const uint32_t domain = rank / 2;
        registry.SetCabling(rank, {domain, rank % 2, {2 * domain, 2 * domain + 1}});
    }
    return registry;
}

OpusMessage
Registration(uint32_t rank, uint32_t group, GroupSlot slot, uint32_t size, uint32_t position)
{
    OpusMessage message;
    message.type = OpusMessage::REGISTER;
    message.rank = rank;
    message.key.group = group;
    message.slot = slot;
    message.size = size;
    message.position = position;
    return message;
}

std::string
Refusal(OpusRegistry& registry, const OpusMessage& message)
{
    try
    {
        registry.Register(message);
    }
    catch (const std::invalid_argument& e)
    {
        return e.what();
    }
    return "accepted";
}

} // namespace

TEST(OpusRegistry, ClassifiesWhenAllHaveRegistered)
{
    auto registry = Cabled();
    // A pair inside a domain, in reverse order of registration.
    EXPECT_EQ(registry.Register(Registration(1, 7, GroupSlot::TP, 2, 1)).missing, 1U);
    EXPECT_EQ(registry.Find(7), nullptr);
    EXPECT_EQ(registry.Register(Registration(0, 7, GroupSlot::TP, 2, 0)).missing, 0U);
    ASSERT_NE(registry.Find(7), nullptr);
    EXPECT_TRUE(registry.Find(7)->scaleUp);
    EXPECT_EQ(registry.Find(7)->members.ranks, (std::vector<uint32_t>{0, 1}));

    registry.Register(Registration(5, 8, GroupSlot::FSDP, 3, 2));
    registry.Register(Registration(1, 8, GroupSlot::FSDP, 3, 0));
    const auto& ring = registry.Register(Registration(3, 8, GroupSlot::FSDP, 3, 1));
    EXPECT_FALSE(ring.scaleUp);
    EXPECT_EQ(ring.rail, 1U);
    EXPECT_EQ(ring.members.ranks, (std::vector<uint32_t>{1, 3, 5}));
    EXPECT_EQ(ring.circuits, (std::vector<Circuit>{{0, 3}, {2, 5}, {4, 1}}));
    EXPECT_EQ(registry.GetPosition(8, 5), 2U);
    EXPECT_EQ(registry.GetPosition(8, 0), OpusRegistry::NOT_A_MEMBER);
}

TEST(OpusRegistry, RefusesContradictionsByName)
{
    auto registry = Cabled();
    registry.Register(Registration(0, 1, GroupSlot::FSDP, 2, 0));
    EXPECT_EQ(Refusal(registry, Registration(9, 1, GroupSlot::FSDP, 2, 1)), "rank 9 is not cabled");
    EXPECT_EQ(Refusal(registry, Registration(2, 1, GroupSlot::FSDP, 3, 1)),
              "rank 2 registers group 1 as fsdp with 3 members, others as fsdp with 2");
    EXPECT_EQ(Refusal(registry, Registration(2, 1, GroupSlot::PP, 2, 1)),
              "rank 2 registers group 1 as pp with 2 members, others as fsdp with 2");
    EXPECT_EQ(Refusal(registry, Registration(2, 1, GroupSlot::FSDP, 2, 0)),
              "rank 2 registers group 1 at position 0, which is taken or does not exist");
    EXPECT_EQ(Refusal(registry, Registration(2, 1, GroupSlot::FSDP, 2, 2)),
              "rank 2 registers group 1 at position 2, which is taken or does not exist");
    EXPECT_EQ(Refusal(registry, Registration(0, 1, GroupSlot::FSDP, 2, 1)),
              "rank 0 registers group 1 twice");
    EXPECT_EQ(Refusal(registry, Registration(0, 2, GroupSlot::FSDP, 1, 0)),
              "rank 0 registers group 2 with 1 members: a group has at least 2");
    EXPECT_EQ(Refusal(registry, Registration(3, 1, GroupSlot::FSDP, 2, 1)),
              "group 1 spans rails: rank 3 is on rail 1, rank 0 on rail 0");
}
