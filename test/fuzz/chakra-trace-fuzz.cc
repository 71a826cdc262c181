/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"

#include "ns3/chakra-file.h"

#include <sstream>

using namespace ns3::photonic;

namespace
{

void
RequireSame(const ChakraAttributes& a, const ChakraAttributes& b)
{
    Require(a.attributes.size() == b.attributes.size(), "as many attributes");
    for (std::size_t i = 0; i < a.attributes.size(); ++i)
    {
        Require(a.attributes[i].name == b.attributes[i].name, "the same name");
        Require(a.attributes[i].value == b.attributes[i].value, "the same value");
    }
}

} // namespace

int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    try
    {
        RequireChakra();
    }
    catch (const std::invalid_argument&)
    {
        return 0; // without protocol buffers there is nothing to be tested
    }
    ChakraTrace trace;
    const bool accepted = Accepts("t.et: ", [&] {
        std::istringstream is(ToText(data, size));
        trace = ReadChakraTrace(is, "t.et");
    });
    if (!accepted)
    {
        return 0;
    }
    std::stringstream bytes;
    WriteChakraTrace(bytes, trace);
    const ChakraTrace again = ReadChakraTrace(bytes, "written.et");
    Require(again.version == trace.version, "the same version");
    Require(again.nodes.size() == trace.nodes.size(), "as many nodes");
    for (std::size_t i = 0; i < trace.nodes.size(); ++i)
    {
        const ChakraNode& a = trace.nodes[i];
        const ChakraNode& b = again.nodes[i];
        Require(a.id == b.id && a.name == b.name && a.type == b.type, "the same node");
        Require(a.controlDependencies == b.controlDependencies, "the same control dependencies");
        Require(a.dataDependencies == b.dataDependencies, "the same data dependencies");
        Require(a.durationMicros == b.durationMicros, "the same duration");
        RequireSame(a, b);
    }
    return 0;
}
