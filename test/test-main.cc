/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/nstime.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <string>

/// As gtest's own, but the time resolution, which a process can set only once, may be chosen.
int
main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    const char* resolution = std::getenv("PHOTONIC_TEST_RESOLUTION");
    if (resolution && std::string(resolution) == "ps")
    {
        ns3::Time::SetResolution(ns3::Time::PS);
    }
    else if (resolution)
    {
        std::cerr << "PHOTONIC_TEST_RESOLUTION is '" << resolution << "', not 'ps'\n";
        return 2;
    }
    return RUN_ALL_TESTS();
}
