/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"

#include "ns3/price-book.h"

#include <sstream>

using namespace ns3::photonic;

int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    PriceBook book;
    const bool accepted = Accepts("p.csv:", [&] {
        std::istringstream is(ToText(data, size));
        book = PriceBook::Read(is, "p.csv");
    });
    if (!accepted)
    {
        return 0;
    }
    for (const Price& price : {book.nicTransceiver,
                               book.switchTransceiver,
                               book.packetSwitchPort,
                               book.circuitSwitchPort,
                               book.fibre,
                               book.nic})
    {
        Require(price.watts >= 0 && price.watts <= PriceBook::MAX_NUMBER, "watts in their range");
        Require(price.dollars >= 0 && price.dollars <= PriceBook::MAX_NUMBER,
                "dollars in their range");
    }
    return 0;
}
