/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/nstime.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <iostream>
#include <string>

/**
 * As gtest's own, but the time resolution, which a process can set only once, may be chosen, and
 * files of tests are in a folder of the process: several may run at a time.
 */
int
main(int argc, char** argv)
{
    std::string folder = testing::TempDir() + "photonic-rails-test-XXXXXX";
    if (!mkdtemp(folder.data()))
    {
        std::cerr << testing::TempDir() << ": no folder can be made there\n";
        return 2;
    }
    setenv("TEST_TMPDIR", (folder + "/").c_str(), 1);
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
    const int result = RUN_ALL_TESTS();
    std::error_code left; // which harms nobody
    std::filesystem::remove_all(folder, left);
    return result;
}
