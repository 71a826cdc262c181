/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/ipv4-header.h"
#include "ns3/packet.h"
#include "ns3/roce-header.h"
#include "ns3/udp-header.h"

#include <gtest/gtest.h>
#include <sstream>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

RoceHeader
MakeHeader(uint32_t payload)
{
    Message message;
    message.key = {7, 0xfedcba98, 0x10000003};
    message.bytes = 0x123456789abcdef0;
    RoceHeader header;
    header.SetAddresses(0x0a010203, 0xc0a80a0b);
    header.SetConnection(0xabcdef);
    header.SetMessage(message);
    header.SetPacket(0x654321, payload);
    return header;
}

/// @return the bytes of a header on the wire
std::vector<uint8_t>
ToBytes(const RoceHeader& header)
{
    auto packet = Create<Packet>();
    packet->AddHeader(header);
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), bytes.size());
    return bytes;
}

} // namespace

TEST(RoceHeader, ComesBackFromTheWire)
{
    auto packet = Create<Packet>(1000 + RoceHeader::ICRC_BYTES);
    packet->AddHeader(MakeHeader(1000));
    EXPECT_EQ(packet->GetSize(), 1000U + 56 + 4);
    RoceHeader header;
    EXPECT_EQ(packet->RemoveHeader(header), 56U);
    EXPECT_TRUE(header.IsTraining());
    EXPECT_EQ(header.GetConnection(), 0xabcdefU);
    EXPECT_EQ(header.GetPacketSequence(), 0x654321U);
    EXPECT_EQ(header.GetOperationSequence(), 0xfedcba98U);
    EXPECT_EQ(header.GetStep(), 0x10000003U);
    EXPECT_EQ(header.GetMessageBytes(), 0x123456789abcdef0U);
    EXPECT_EQ(header.GetPayload(), 1000U);
    EXPECT_EQ(packet->GetSize(), 1004U);
}

TEST(RoceHeader, AnAcknowledgementComesBackFromTheWire)
{
    auto sent = MakeHeader(1);
    EXPECT_FALSE(sent.IsAcknowledgement());
    EXPECT_FALSE(sent.RequestsAcknowledgement());
    sent.RequestAcknowledgement();
    EXPECT_TRUE(sent.RequestsAcknowledgement());
    EXPECT_EQ(sent.GetPacketSequence(), 0x654321U);
    sent.SetAcknowledgement(0xff000007);
    sent.SetPacket(0x654322, 0);
    auto packet = Create<Packet>(RoceHeader::ICRC_BYTES);
    packet->AddHeader(sent);
    EXPECT_EQ(packet->GetSize(), 20U + 8 + 12 + 4 + 4);
    RoceHeader header;
    header.ReadFrom(*packet);
    EXPECT_TRUE(header.IsAcknowledgement());
    EXPECT_EQ(packet->RemoveHeader(header), 44U);
    EXPECT_EQ(packet->GetSize(), 4U);
    EXPECT_TRUE(header.IsTraining());
    EXPECT_TRUE(header.IsAcknowledgement());
    EXPECT_FALSE(header.RequestsAcknowledgement());
    EXPECT_EQ(header.GetConnection(), 0xabcdefU);
    EXPECT_EQ(header.GetPacketSequence(), 0x654322U);
    EXPECT_EQ(header.GetAcknowledged(), 7U);
    std::ostringstream text;
    text << header;
    EXPECT_EQ(text.str(), "connection=11259375 packet=6636322 acknowledged=7");
}

TEST(RoceHeader, NumbersOfAConnectionHave24Bits)
{
    auto header = MakeHeader(1);
    header.SetConnection(0xff000001);
    header.SetPacket(0xff000002, 1);
    EXPECT_EQ(header.GetConnection(), 1U);
    EXPECT_EQ(header.GetPacketSequence(), 2U);
}

TEST(RoceHeader, StacksReadItAsIpAndUdp)
{
    for (uint32_t payload : {1U, 1000U, 4036U, 9156U})
    {
        auto packet = Create<Packet>(payload + RoceHeader::ICRC_BYTES);
        packet->AddHeader(MakeHeader(payload));
        Ipv4Header ip;
        ip.EnableChecksum();
        packet->RemoveHeader(ip);
        EXPECT_TRUE(ip.IsChecksumOk());
        EXPECT_EQ(ip.GetSource(), Ipv4Address("10.1.2.3"));
        EXPECT_EQ(ip.GetDestination(), Ipv4Address("192.168.10.11"));
        EXPECT_EQ(ip.GetProtocol(), 17);
        EXPECT_EQ(ip.GetPayloadSize(), 8 + 12 + 16 + payload + 4);
        UdpHeader udp;
        packet->RemoveHeader(udp);
        EXPECT_EQ(udp.GetDestinationPort(), 4791);
        EXPECT_EQ(packet->GetSize(), 12 + 16 + payload + 4);
    }
}

TEST(RoceHeader, ChecksumIsThatOfRfc1071)
{
    for (uint32_t payload : {0U, 1U, 255U, 256U, 4036U})
    {
        const auto bytes = ToBytes(MakeHeader(payload));
        ASSERT_EQ(bytes.size(), 56U);
        uint64_t sum = 0;
        for (int i = 0; i < 20; i += 2)
        {
            sum += bytes[i] * 256 + bytes[i + 1];
        }
        // With its own checksum in it, a header sums up to a multiple of 65,535.
        EXPECT_EQ(sum % 0xffff, 0U) << "payload " << payload;
        EXPECT_GT(sum, 0U);
        EXPECT_EQ(bytes[24] * 256 + bytes[25], int(8 + 12 + 16 + payload + 4)) << "UDP length";
    }
}

TEST(RoceHeader, ChecksumFollowsEveryChange)
{
    RoceHeader header;
    uint32_t address = 0x0a000001;
    for (uint32_t payload : {4036U, 4036U, 17U, 4036U})
    {
        header.SetPacket(0, payload);
        header.SetAddresses(address, address + 77);
        header.SetTraffic(payload % 8, Ecn::ECT_0);
        address += 0x01010101;
        const auto bytes = ToBytes(header);
        uint64_t sum = 0;
        for (int i = 0; i < 20; i += 2)
        {
            sum += bytes[i] * 256 + bytes[i + 1];
        }
        EXPECT_EQ(sum % 0xffff, 0U);
    }
}

TEST(RoceHeader, ClassMarkAndFlowAreWhereSwitchesLook)
{
    auto header = MakeHeader(1000);
    header.SetTraffic(5, Ecn::ECT_0);
    header.SetEntropy(0xabcdef);
    const auto bytes = ToBytes(header);
    EXPECT_EQ(bytes[1], 5 << 5 | 2) << "class selector 5, ECT(0)";
    EXPECT_EQ(bytes[20] * 256 + bytes[21], 0xc000 | (0xabcdef & 0x3fff))
        << "a port for RoCEv2 entropy: 49152 to 65535";
    EXPECT_EQ(header.GetLabel().priority, 5);
    EXPECT_EQ(header.GetLabel().ecn, Ecn::ECT_0);
    const auto flow = header.GetLabel().flow;
    header.SetEntropy(0xabcdee);
    EXPECT_NE(header.GetLabel().flow, flow);
}

TEST(RoceHeader, PayloadFillsTheMtu)
{
    static_assert(RoceHeader::GetMaxPayload(1280) == 1220, "60 bytes of headers");
    static_assert(RoceHeader::GetMaxPayload(4096) == 4036, "60 bytes of headers");
    static_assert(RoceHeader::GetMaxPayload(9216) == 9156, "60 bytes of headers");
    EXPECT_EQ(RoceHeader().GetSerializedSize(), 20U + 8 + 12 + 16);
    EXPECT_EQ(RoceHeader::ICRC_BYTES, 4U);
}

TEST(RoceHeader, OtherPacketsAreNotTaken)
{
    auto packet = Create<Packet>(100);
    UdpHeader udp;
    udp.SetDestinationPort(9);
    packet->AddHeader(udp);
    Ipv4Header ip;
    ip.SetProtocol(17);
    ip.SetPayloadSize(packet->GetSize());
    packet->AddHeader(ip);
    RoceHeader header;
    packet->PeekHeader(header);
    EXPECT_FALSE(header.IsTraining());

    // Shorter than the header, and with nothing to tell the port.
    auto fragment = Create<Packet>();
    ip.SetPayloadSize(0);
    fragment->AddHeader(ip);
    RoceHeader cut;
    fragment->PeekHeader(cut);
    EXPECT_FALSE(cut.IsTraining());
}

TEST(RoceHeader, PrintsWhatItIsAbout)
{
    std::ostringstream os;
    MakeHeader(1000).Print(os);
    EXPECT_EQ(os.str(),
              "connection=11259375 packet=6636321 operation=4275878552 step=268435459 "
              "message=1311768467463790320 B payload=1000 B");
}

TEST(RoceHeader, ANegativeAcknowledgementComesBackFromTheWire)
{
    auto sent = MakeHeader(1);
    sent.SetNegative(7);
    sent.SetPacket(0x654321, 0);
    const auto bytes = ToBytes(sent);
    ASSERT_EQ(bytes.size(), 44U);
    EXPECT_EQ(bytes[28], 0x11);
    EXPECT_EQ(bytes[40], 0x60); // a NAK with code 0, sequence error: IBTA volume 1, 9.7.5
    EXPECT_EQ(bytes[43], 7);
    EXPECT_EQ(bytes[2] * 256 + bytes[3], 48);
    auto packet = Create<Packet>(RoceHeader::ICRC_BYTES);
    packet->AddHeader(sent);
    RoceHeader header;
    header.ReadFrom(*packet);
    EXPECT_TRUE(header.IsAcknowledgement());
    EXPECT_TRUE(header.IsNegative());
    EXPECT_FALSE(header.IsSelective());
    EXPECT_EQ(header.GetPacketSequence(), 0x654321U);
}

TEST(RoceHeader, ASelectiveAcknowledgementComesBackFromTheWire)
{
    auto sent = MakeHeader(1);
    sent.SetSelective(7, 0x123456);
    sent.SetPacket(0x654321, 0);
    const auto bytes = ToBytes(sent);
    ASSERT_EQ(bytes.size(), 48U);
    EXPECT_EQ(bytes[40] & 0x60, 0x60);
    EXPECT_EQ(bytes[2] * 256 + bytes[3], 52);
    EXPECT_EQ(bytes[45] << 16 | bytes[46] << 8 | bytes[47], 0x123456);
    auto packet = Create<Packet>(RoceHeader::ICRC_BYTES);
    packet->AddHeader(sent);
    RoceHeader header;
    EXPECT_EQ(packet->RemoveHeader(header), 48U);
    EXPECT_TRUE(header.IsNegative());
    EXPECT_TRUE(header.IsSelective());
    EXPECT_EQ(header.GetSelected(), 0x123456U);
    EXPECT_EQ(header.GetAcknowledged(), 7U);
}

TEST(RoceHeader, ACongestionNotificationIsThatOfAnnexA17)
{
    RoceHeader header;
    header.SetAddresses(0x0a010203, 0xc0a80a0b);
    header.SetConnection(0xd2);
    header.SetCongestion();
    header.SetPacket(0, 0);
    const auto bytes = ToBytes(header);
    ASSERT_EQ(bytes.size(), 56U);
    // The base transport header of a published capture, and 16 bytes of zero.
    const std::vector<uint8_t> expected = {0x81, 0, 0xff, 0xff, 0x40, 0, 0, 0xd2, 0, 0, 0, 0};
    EXPECT_EQ(std::vector<uint8_t>(bytes.begin() + 28, bytes.begin() + 40), expected);
    EXPECT_EQ(std::vector<uint8_t>(bytes.begin() + 40, bytes.end()), std::vector<uint8_t>(16));
    EXPECT_EQ(bytes[2] * 256 + bytes[3], 60);
    EXPECT_TRUE(header.IsCongestion());
    EXPECT_FALSE(header.IsAcknowledgement());
    EXPECT_EQ(header.GetConnection(), 0xd2U);
}

TEST(RoceHeader, WhatIsNoneIsNotValid)
{
    RoceHeader header = MakeHeader(1);
    header.SetPacket(0, 1);
    EXPECT_TRUE(header.IsValid());
    const auto isValid = [&header](std::size_t at, uint8_t value) {
        auto bytes = ToBytes(header);
        bytes.at(at) = value;
        RoceHeader changed;
        Create<Packet>(bytes.data(), bytes.size())->PeekHeader(changed);
        return changed.IsValid();
    };
    EXPECT_TRUE(isValid(3, 60));  // no payload
    EXPECT_FALSE(isValid(3, 59)); // less than the headers
    EXPECT_FALSE(isValid(0, 0x46));
    EXPECT_FALSE(isValid(9, 6));     // TCP
    EXPECT_FALSE(isValid(23, 0));    // another port
    EXPECT_FALSE(isValid(28, 0x04)); // another operation
    RoceHeader none;
    Create<Packet>()->PeekHeader(none);
    EXPECT_FALSE(none.IsValid());
}

} // namespace photonic
} // namespace ns3
