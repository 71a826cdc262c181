/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"

#include "ns3/packet.h"
#include "ns3/roce-header.h"

#include <sstream>
#include <vector>

using namespace ns3;
using namespace ns3::photonic;

int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    auto packet = Create<Packet>(data, size);
    RoceHeader header;
    const uint32_t read = packet->PeekHeader(header);
    Require(read <= size, "no more is read than there is");
    RoceHeader quick;
    quick.ReadFrom(*packet);
    std::ostringstream os;
    header.Print(os);
    header.GetLabel();
    Require(header.IsValid() == quick.IsValid(), "both ways of reading agree");
    if (!header.IsValid())
    {
        return 0;
    }
    Require(header.IsTraining(), "it is of the training transport");
    if (!header.IsAcknowledgement() && !header.IsCongestion())
    {
        Require(header.GetPayload() <= 65535, "a payload fits into a packet");
    }
    if (size >= RoceHeader::SIZE)
    {
        auto again = Create<Packet>();
        again->AddHeader(header);
        std::vector<uint8_t> bytes(again->GetSize());
        again->CopyData(bytes.data(), bytes.size());
        Require(bytes.size() == read, "as many bytes");
        Require(std::equal(bytes.begin(), bytes.end(), data), "what is written is what was read");
    }
    return 0;
}
