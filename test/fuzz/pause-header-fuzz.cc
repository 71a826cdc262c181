/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"

#include "ns3/packet.h"
#include "ns3/pause-header.h"

#include <sstream>
#include <vector>

using namespace ns3;
using namespace ns3::photonic;

int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    auto packet = Create<Packet>(data, size);
    PauseHeader header;
    const uint32_t read = packet->PeekHeader(header);
    Require(read <= size, "no more is read than there is");
    std::ostringstream os;
    header.Print(os);
    if (!header.IsPause())
    {
        return 0;
    }
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        Require(!header.IsMeant(priority) || header.GetTime(priority) <= PauseHeader::LONGEST,
                "times have 16 bits");
    }
    auto again = Create<Packet>();
    again->AddHeader(header);
    std::vector<uint8_t> bytes(again->GetSize());
    again->CopyData(bytes.data(), bytes.size());
    constexpr std::size_t fields = 2 + 2 + 2 * PRIORITIES; // and zeroes behind them
    Require(std::equal(bytes.begin(), bytes.begin() + fields, data),
            "what is written is what was read");
    return 0;
}
