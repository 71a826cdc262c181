/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"

#include "ns3/chakra-groups.h"

#include <sstream>

using namespace ns3::photonic;

int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    ChakraGroups groups;
    const bool accepted = Accepts("g.json:", [&] {
        std::istringstream is(ToText(data, size));
        groups = ReadChakraGroups(is, "g.json");
    });
    if (!accepted)
    {
        return 0;
    }
    ChakraGroups numbered; // as they are written
    for (const auto& [name, ranks] : groups)
    {
        Require(!ranks.empty(), "a group has members");
        const std::string number = std::to_string(numbered.size() + 1);
        numbered[number] = ranks;
    }
    std::stringstream text;
    WriteChakraGroups(text, numbered);
    Require(ReadChakraGroups(text, "written.json") == numbered, "what is written is read again");
    return 0;
}
