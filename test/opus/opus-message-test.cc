/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/opus-message.h"
#include "ns3/packet.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

OpusMessage
Example(OpusMessage::Type type)
{
    OpusMessage message;
    message.type = type;
    message.rank = 16383;
    message.key = {7, 0xfffffffe, 1234567};
    message.flag = true;
    message.size = 3;
    message.position = 2;
    message.slot = GroupSlot::PP_PREVIOUS;
    message.time = Seconds(86400) + NanoSeconds(1);
    message.openings = {{1, 2}, {3, 4}, {0xffffffff, 0}};
    return message;
}

} // namespace

TEST(OpusMessage, RoundTripOfEveryType)
{
    for (int type = OpusMessage::REGISTER; type <= OpusMessage::READY; ++type)
    {
        const auto sent = Example(static_cast<OpusMessage::Type>(type));
        auto packet = Create<Packet>();
        packet->AddHeader(OpusHeader(0x123456789abcdefULL, sent));
        EXPECT_EQ(packet->GetSize(), 48U + 8 * 3);
        OpusHeader header;
        packet->RemoveHeader(header);
        ASSERT_TRUE(header.IsValid());
        EXPECT_EQ(packet->GetSize(), 0U);
        EXPECT_EQ(header.GetId(), 0x123456789abcdefULL);
        const auto& got = header.GetMessage();
        EXPECT_EQ(got.type, sent.type);
        EXPECT_EQ(got.rank, sent.rank);
        EXPECT_EQ(got.key, sent.key);
        EXPECT_EQ(got.flag, sent.flag);
        EXPECT_EQ(got.size, sent.size);
        EXPECT_EQ(got.position, sent.position);
        EXPECT_EQ(got.slot, sent.slot);
        EXPECT_EQ(got.time, sent.time);
        EXPECT_EQ(got.openings, sent.openings);
        EXPECT_STRNE(ToString(got.type), "unknown");
    }
}

TEST(OpusMessage, RefusesWhatIsNoMessage)
{
    auto whole = Create<Packet>();
    whole->AddHeader(OpusHeader(1, Example(OpusMessage::PROFILE)));
    std::vector<uint8_t> bytes(whole->GetSize());
    whole->CopyData(bytes.data(), bytes.size());
    auto isValid = [](const std::vector<uint8_t>& b) {
        auto packet = Create<Packet>(b.data(), b.size());
        OpusHeader header;
        packet->RemoveHeader(header);
        return header.IsValid();
    };
    EXPECT_TRUE(isValid(bytes));
    for (std::size_t size = 0; size < bytes.size(); ++size)
    {
        EXPECT_FALSE(isValid({bytes.begin(), bytes.begin() + size})) << size;
    }
    for (std::size_t i : {0, 1, 2, 3}) // mark, version, type
    {
        auto wrong = bytes;
        wrong[i] = 0xee;
        EXPECT_FALSE(isValid(wrong)) << i;
    }
    for (std::size_t i : {28, 29, 38, 46}) // flag, slot, sign of the time, number of openings
    {
        auto wrong = bytes;
        wrong[i] = 0xee;
        EXPECT_FALSE(isValid(wrong)) << i;
    }
    // Each of them takes eight bytes; a packet has 170 at most.
    for (std::size_t openings : {170, 171})
    {
        auto many = bytes;
        many.resize(48 + 8 * openings);
        many[46] = 0;
        many[47] = openings;
        EXPECT_EQ(isValid(many), openings == 170);
    }
}

TEST(OpusMessage, SplitKeepsEverythingAndFitsTheMtu)
{
    for (std::size_t size : {0, 1, 169, 170, 171, 1000})
    {
        std::vector<OpusMessage::Opening> openings;
        for (uint32_t i = 0; i < size; ++i)
        {
            openings.push_back({i, i * i});
        }
        OpusMessage message;
        message.type = OpusMessage::UNION;
        message.rank = 5;
        const auto parts = OpusMessage::Split(message, openings);
        std::vector<OpusMessage::Opening> joined;
        for (std::size_t i = 0; i < parts.size(); ++i)
        {
            EXPECT_EQ(parts[i].type, OpusMessage::UNION);
            EXPECT_EQ(parts[i].rank, 5U);
            EXPECT_EQ(parts[i].flag, i + 1 == parts.size());
            EXPECT_LE(OpusHeader(0, parts[i]).GetSerializedSize(), 1472U);
            joined.insert(joined.end(), parts[i].openings.begin(), parts[i].openings.end());
        }
        EXPECT_EQ(joined, openings);
        EXPECT_EQ(parts.size(), std::max<std::size_t>(1, (size + 169) / 170));
    }
}

TEST(OpusMessage, Prints)
{
    std::ostringstream os;
    OpusHeader(9, Example(OpusMessage::REQUEST)).Print(os);
    EXPECT_EQ(os.str(),
              "(request id 9 rank 16383 step 7 group 4294967294 counter 1234567 openings 3)");
}
