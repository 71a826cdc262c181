/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
// Runs a fuzz target on files, for compilers without libFuzzer: what has failed once is tested by
// all of them.
#include "fuzz-check.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

int
main(int argc, char* argv[])
{
    namespace fs = std::filesystem;
    std::set<fs::path> files;
    for (int i = 1; i < argc; ++i)
    {
        if (!fs::is_directory(argv[i]))
        {
            files.insert(argv[i]);
            continue;
        }
        for (const auto& entry : fs::directory_iterator(argv[i]))
        {
            files.insert(entry.path());
        }
    }
    for (const auto& file : files)
    {
        std::cout << file.filename().string() << std::endl; // there if it ends the program
        std::ifstream stream(file, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
        LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    }
    std::cout << files.size() << " files" << std::endl;
    return files.empty() ? 1 : 0;
}
