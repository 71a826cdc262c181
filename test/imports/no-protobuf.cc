/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * What the source file says that a build without protocol buffers has, linked here in place of that
 * of the library.
 */
#include "workload/workload-test-helper.h"

#include "ns3/chakra-file.h"

#include <sstream>

namespace ns3
{
namespace photonic
{

TEST(NoProtobuf, SaysWhatToInstall)
{
    std::stringstream stream("\x07\x0a\x05"
                             "0.0.4");
    const std::string expected = "this build has no protocol buffers, in which Chakra traces are "
                                 "written: install libprotobuf-dev and protobuf-compiler, and "
                                 "configure it anew";
    EXPECT_EQ(GetRefusal([] { RequireChakra(); }), expected);
    EXPECT_EQ(GetRefusal([] { ReadChakraTrace("t.et"); }), expected);
    EXPECT_EQ(GetRefusal([&] { ReadChakraTrace(stream, "t.et"); }), expected);
    EXPECT_EQ(GetRefusal([&] { WriteChakraTrace(stream, {}); }), expected);
}

} // namespace photonic
} // namespace ns3
