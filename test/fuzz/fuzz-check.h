/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FUZZ_CHECK_H
#define PHOTONIC_FUZZ_CHECK_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

/// What libFuzzer, or run-corpus.cc, calls with every input.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);

namespace ns3
{
namespace photonic
{

/// End the program unless something holds. @param holds whether it does @param what holds
inline void
Require(bool holds, const std::string& what)
{
    if (!holds)
    {
        std::fprintf(stderr, "fuzz: not so: %s\n", what.c_str());
        std::abort();
    }
}

/// @param data of an input @param size of it @return it, as a text
inline std::string
ToText(const uint8_t* data, std::size_t size)
{
    return {reinterpret_cast<const char*>(data), size};
}

/**
 * What every refusal has to look like: a line of sensible length.
 * @param message of the exception
 * @param beginning of it, such as the name of the file; may be empty
 * @param longest it may be, in bytes
 */
inline void
CheckLine(const std::string& message, const std::string& beginning, std::size_t longest = 1000)
{
    Require(message.compare(0, beginning.size(), beginning) == 0,
            "begins with " + beginning + ": " + message);
    Require(message.size() <= longest, "is short: " + message);
    Require(std::none_of(message.begin(),
                         message.end(),
                         [](unsigned char c) { return c < ' ' || c == 127; }),
            "is one line: " + message);
}

/**
 * Run a parser. Any exception but a proper refusal, which also says what was expected, ends the
 * program.
 * @param beginning of the message of a refusal
 * @param parse the parser
 * @return whether the input was accepted
 */
template <typename F>
bool
Accepts(const std::string& beginning, F&& parse)
{
    try
    {
        parse();
        return true;
    }
    catch (const std::invalid_argument& refusal)
    {
        const std::string message = refusal.what();
        CheckLine(message, beginning);
        Require(message.find("expected") != std::string::npos,
                "says what was expected: " + message);
        return false;
    }
}

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FUZZ_CHECK_H
