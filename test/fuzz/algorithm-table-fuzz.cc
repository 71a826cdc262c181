/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"

#include "ns3/algorithm-table-file.h"

#include <sstream>

using namespace ns3;
using namespace ns3::photonic;

int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    Ptr<const AlgorithmTable> table;
    const bool accepted = Accepts("t.csv:", [&] {
        std::istringstream is(ToText(data, size));
        table = ReadAlgorithmTable(is, "t.csv");
    });
    if (!accepted)
    {
        return 0;
    }
    for (auto kind : {CollectiveKind::ALL_GATHER,
                      CollectiveKind::REDUCE_SCATTER,
                      CollectiveKind::ALL_REDUCE,
                      CollectiveKind::BROADCAST,
                      CollectiveKind::ALL_TO_ALL})
    {
        for (uint32_t ranks : {1U, 2U, 8U, 4294967295U})
        {
            for (uint64_t bytes : {uint64_t{0}, uint64_t{65536}, ~uint64_t{0}})
            {
                Require(table->Find(kind, ranks, bytes).Serves(kind), "an algorithm that serves");
            }
        }
    }
    return 0;
}
