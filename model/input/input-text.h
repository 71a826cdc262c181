/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_INPUT_TEXT_H
#define PHOTONIC_INPUT_TEXT_H

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-input Input
 * @brief Texts from outside, which may be anything.
 */

/**
 * @ingroup photonic-rails-input
 * @brief Bytes of a text that a message about it shows, at most.
 */
constexpr std::size_t MAX_SHOWN_BYTES = 60;

/**
 * @ingroup photonic-rails-input
 * @param text from outside
 * @return it, with a question mark for every control character: fit for a line of a message
 */
std::string OneLine(std::string text);

/**
 * @ingroup photonic-rails-input
 * @param text from outside
 * @param most bytes of it that are shown; dots stand for the rest
 * @return its beginning, in one line
 */
std::string Shorten(const std::string& text, std::size_t most = MAX_SHOWN_BYTES);

/**
 * @ingroup photonic-rails-input
 * @param text from outside
 * @return its beginning, in one line, between apostrophes
 */
std::string Quote(const std::string& text);

/**
 * @ingroup photonic-rails-input
 * @param text any
 * @return it as a string of JSON, quotation marks included
 */
std::string QuoteJson(const std::string& text);

/**
 * @ingroup photonic-rails-input
 * @brief Read all of a text that has to fit into memory.
 * @param is where from
 * @param name of the file, for errors
 * @param most bytes that it may have
 * @return the text; what could not be read is not in it
 * @throws std::invalid_argument naming file and limit, if there is more
 */
std::string ReadText(std::istream& is, const std::string& name, std::size_t most);

/**
 * @ingroup photonic-rails-input
 * @brief Reads a text line by line, knows where it is, and takes no more than was agreed.
 */
class LineReader
{
  public:
    /// What a text may have at most.
    struct Limits
    {
        uint64_t bytes;   ///< of the whole, line breaks included
        std::size_t line; ///< bytes of a line, without its line break
        uint64_t lines;   ///< lines
    };

    /**
     * @param is where from; has to outlive this
     * @param name of the file, for errors
     * @param limits of the text
     */
    LineReader(std::istream& is, const std::string& name, const Limits& limits);

    /**
     * @param line becomes the next one, without its line break
     * @return whether there is one
     * @throws std::invalid_argument naming file, line and limit, if the text is beyond a limit
     */
    bool Next(std::string& line);

    /// @return number of the line that was read last, from 1; 0 before
    uint64_t GetNumber() const;

    /// @return "FILE:LINE" of the line that was read last
    std::string GetPlace() const;

    /// @return whether the text ended because it could not be read
    bool IsBroken() const;

  private:
    /// @param what there is too much of @param most that may be
    [[noreturn]] void Fail(const std::string& what, uint64_t most) const;

    std::istream& m_is;
    std::string m_name;
    Limits m_limits;
    uint64_t m_number{0};
    uint64_t m_bytes{0};
    bool m_broken{false};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_INPUT_TEXT_H
