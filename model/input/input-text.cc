/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "input-text.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

std::string
OneLine(std::string text)
{
    std::replace_if(
        text.begin(),
        text.end(),
        [](unsigned char c) { return c < ' ' || c == 127; },
        '?');
    return text;
}

std::string
Shorten(const std::string& text, std::size_t most)
{
    if (text.size() <= most)
    {
        return OneLine(text);
    }
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    {
        --end; // not in the middle of a character of UTF-8
    }
    return OneLine(text.substr(0, end > 0 ? end : most)) + "...";
}

std::string
Quote(const std::string& text)
{
    return "'" + Shorten(text) + "'";
}

std::string
QuoteJson(const std::string& text)
{
    std::string quoted = "\"";
    for (char c : text)
    {
        if (static_cast<unsigned char>(c) < 0x20)
        {
            char escaped[8];
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
            quoted += escaped;
            continue;
        }
        if (c == '"' || c == '\\')
        {
            quoted += '\\';
        }
        quoted += c;
    }
    return quoted + '"';
}

std::string
ReadText(std::istream& is, const std::string& name, std::size_t most)
{
    std::string text;
    char piece[4096];
    while (is.read(piece, sizeof(piece)) || is.gcount() > 0)
    {
        text.append(piece, is.gcount());
        if (text.size() > most)
        {
            throw std::invalid_argument(name + ": found a file of more bytes, expected at most " +
                                        std::to_string(most));
        }
    }
    return text;
}

LineReader::LineReader(std::istream& is, const std::string& name, const Limits& limits)
    : m_is(is),
      m_name(name),
      m_limits(limits)
{
}

bool
LineReader::Next(std::string& line)
{
    line.clear();
    if (!m_is)
    {
        m_broken = m_broken || !m_is.eof();
        return false;
    }
    bool any = false;
    try
    {
        using Traits = std::istream::traits_type;
        for (auto c = m_is.rdbuf()->sbumpc();; c = m_is.rdbuf()->sbumpc())
        {
            if (Traits::eq_int_type(c, Traits::eof()))
            {
                m_is.setstate(std::ios::eofbit);
                break;
            }
            if (!any)
            {
                any = true;
                ++m_number;
                if (m_number > m_limits.lines)
                {
                    Fail("more lines", m_limits.lines);
                }
            }
            if (++m_bytes > m_limits.bytes)
            {
                Fail("a file of more bytes", m_limits.bytes);
            }
            if (Traits::to_char_type(c) == '\n')
            {
                break;
            }
            if (line.size() == m_limits.line)
            {
                Fail("a line of more bytes", m_limits.line);
            }
            line += Traits::to_char_type(c);
        }
    }
    catch (const std::ios_base::failure&) // a directory, for example
    {
        m_broken = true;
        m_is.setstate(std::ios::failbit);
        return false;
    }
    return any;
}

uint64_t
LineReader::GetNumber() const
{
    return m_number;
}

std::string
LineReader::GetPlace() const
{
    return m_name + ":" + std::to_string(m_number);
}

bool
LineReader::IsBroken() const
{
    return m_broken;
}

void
LineReader::Fail(const std::string& what, uint64_t most) const
{
    throw std::invalid_argument(GetPlace() + ": found " + what + ", expected at most " +
                                std::to_string(most));
}

} // namespace photonic
} // namespace ns3
