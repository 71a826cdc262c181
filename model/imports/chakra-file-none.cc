/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "chakra-file.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

void
RequireChakra()
{
    throw std::invalid_argument("this build has no protocol buffers, in which Chakra traces are "
                                "written: install libprotobuf-dev and protobuf-compiler, and "
                                "configure it anew");
}

ChakraTrace
ReadChakraTrace(std::istream&, const std::string&, const ChakraLimits&)
{
    RequireChakra();
    return {};
}

ChakraTrace
ReadChakraTrace(const std::string&)
{
    RequireChakra();
    return {};
}

void
WriteChakraTrace(std::ostream&, const ChakraTrace&)
{
    RequireChakra();
}

} // namespace photonic
} // namespace ns3
