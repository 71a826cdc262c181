/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "text.h"

#include "ns3/input-text.h"

#include <cstdio>

namespace ns3
{
namespace photonic
{

namespace
{

/// A whole number of ticks as a decimal number of a unit of so many ticks.
std::string
Decimal(int64_t ticks, int64_t unit)
{
    const bool negative = ticks < 0;
    const uint64_t magnitude = negative ? -static_cast<uint64_t>(ticks) : ticks;
    std::string text = std::to_string(magnitude / unit);
    uint64_t rest = magnitude % unit;
    if (rest != 0)
    {
        text += '.';
        for (uint64_t place = unit / 10; rest != 0; place /= 10)
        {
            text += static_cast<char>('0' + rest / place);
            rest %= place;
        }
    }
    return (negative ? "-" : "") + text;
}

} // namespace

std::string
InSeconds(Time time)
{
    return Decimal(time.GetTimeStep(), Seconds(1).GetTimeStep());
}

std::string
InMilliseconds(Time time)
{
    return Decimal(time.GetTimeStep(), MilliSeconds(1).GetTimeStep());
}

std::string
Number(double value)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.12g", value);
    return text;
}

JsonWriter::JsonWriter(std::ostream& os)
    : m_os(os)
{
}

void
JsonWriter::Begin(const std::string& name)
{
    if (m_depth > 0)
    {
        m_os << (m_first ? "\n" : ",\n") << std::string(2 * m_depth, ' ');
        if (!name.empty())
        {
            m_os << QuoteJson(name) << ": ";
        }
    }
    m_first = false;
}

void
JsonWriter::BeginObject(const std::string& name)
{
    Begin(name);
    m_os << "{";
    m_depth++;
    m_first = true;
}

void
JsonWriter::EndObject()
{
    m_depth--;
    if (!m_first)
    {
        m_os << "\n" << std::string(2 * m_depth, ' ');
    }
    m_os << "}";
    m_first = false;
    if (m_depth == 0)
    {
        m_os << "\n";
    }
}

void
JsonWriter::Member(const std::string& name, const std::string& number)
{
    Begin(name);
    m_os << number;
}

void
JsonWriter::Member(const std::string& name, uint64_t value)
{
    Member(name, std::to_string(value));
}

void
JsonWriter::Text(const std::string& name, const std::string& text)
{
    Member(name, QuoteJson(text));
}

void
JsonWriter::Array(const std::string& name, const std::vector<std::string>& numbers)
{
    std::string text = "[";
    for (const auto& number : numbers)
    {
        text += (text.size() > 1 ? ", " : "") + number;
    }
    Member(name, text + "]");
}

} // namespace photonic
} // namespace ns3
