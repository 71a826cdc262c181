/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"
#include "options.h"

#include "ns3/nstime.h"

#include <filesystem>
#include <sstream>
#include <vector>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/**
 * No file is opened whose name is from an input: where a value names something that is there, or
 * the prefix of a trace, a folder is put before it that is not.
 */
std::string
WithoutFiles(const std::string& argument)
{
    namespace fs = std::filesystem;
    const auto equals = argument.find('=');
    if (equals == std::string::npos)
    {
        return argument;
    }
    const std::string value = argument.substr(equals + 1);
    std::error_code unreadable;
    const bool isThere = fs::exists(value, unreadable) || fs::exists(value + ".0.et", unreadable);
    return isThere ? argument.substr(0, equals + 1) + "/nonexistent/" + value : argument;
}

} // namespace

/// Input: arguments, one a line.
int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    static const bool once = [] {
        Time::SetResolution(Time::PS);
        return true;
    }();
    static_cast<void>(once);
    std::vector<std::string> arguments{"photonic-rails-training"};
    std::istringstream lines(ToText(data, size));
    for (std::string line; std::getline(lines, line);)
    {
        line = line.c_str(); // as programs get it
        arguments.push_back(WithoutFiles(line));
    }
    std::vector<const char*> argv;
    for (const auto& argument : arguments)
    {
        argv.push_back(argument.c_str());
    }
    argv.push_back(nullptr);
    Options options;
    try
    {
        options = ParseOptions(static_cast<int>(arguments.size()), argv.data());
    }
    catch (const std::invalid_argument& refusal)
    {
        CheckLine(refusal.what(), "", 20000); // with the name of a file, or two
        return 0;
    }
    if (options.help)
    {
        return 0;
    }
    Require(options.gpus > 0 && options.gpus <= 1000000, "a job has GPUs");
    Require(options.gpus % options.plan.degrees.gpusPerNode == 0, "nodes are full");
    for (const auto& [name, value] : GetConfiguration(options))
    {
        Require(!name.empty() && value.find('\n') == std::string::npos, "a value is a line");
    }
    for (const auto& note : GetUnusedOptionNotes(options))
    {
        Require(note.find('\n') == std::string::npos, "a note is a line");
    }
    return 0;
}
