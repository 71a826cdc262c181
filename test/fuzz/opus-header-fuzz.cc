/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"

#include "ns3/opus-message.h"
#include "ns3/packet.h"

#include <sstream>
#include <vector>

using namespace ns3;
using namespace ns3::photonic;

int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    auto packet = Create<Packet>(data, size);
    OpusHeader header;
    packet->PeekHeader(header);
    std::ostringstream os;
    header.Print(os);
    if (!header.IsValid())
    {
        return 0;
    }
    const OpusMessage& message = header.GetMessage();
    Require(!message.time.IsStrictlyNegative(), "nothing is sent before the beginning");
    Require(message.openings.size() <= OpusMessage::MAX_OPENINGS, "openings fit into a packet");
    Require(message.slot < GroupSlot::NONE || message.slot == GroupSlot::NONE, "a known slot");
    Require(ToString(message.type) != std::string("unknown"), "a known type");
    Require(header.GetSerializedSize() <= size, "it was there as a whole");
    auto again = Create<Packet>();
    again->AddHeader(header);
    std::vector<uint8_t> bytes(again->GetSize());
    again->CopyData(bytes.data(), bytes.size());
    Require(std::equal(bytes.begin(), bytes.end(), data), "what is written is what was read");
    return 0;
}
