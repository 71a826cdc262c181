/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "random-quantity.h"

#include "ns3/double.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

const char* const A_NUMBER = "expected a number from 0 to 1000000000, such as 1.5";
const char* const A_TIME = "expected a time up to 1000h, such as 10ms";

/// @return whether it is digits, and perhaps a point between some of them
bool
IsDecimal(const std::string& text)
{
    const auto point = text.find('.');
    return !text.empty() && text.size() <= 18 && point != 0 && point + 1 != text.size() &&
           text.find_first_not_of("0123456789.") == std::string::npos &&
           text.find('.', point == std::string::npos ? 0 : point + 1) == std::string::npos;
}

/// @return the parts between colons
std::vector<std::string>
Split(const std::string& text)
{
    std::vector<std::string> parts{""};
    for (char c : text)
    {
        if (c == ':')
        {
            parts.emplace_back();
        }
        else
        {
            parts.back() += c;
        }
    }
    return parts;
}

Ptr<RandomVariableStream>
Parse(const std::string& text,
      const std::string& unit,
      const std::function<double(const std::string&)>& read)
{
    const auto parts = Split(text);
    Ptr<RandomVariableStream> variable;
    const auto value = [&](std::size_t i) { return DoubleValue(read(parts[i])); };
    if (parts.size() == 1 && !parts[0].empty() && parts[0][0] >= '0' && parts[0][0] <= '9')
    {
        variable = CreateObject<ConstantRandomVariable>();
        variable->SetAttribute("Constant", value(0));
    }
    else if (parts.size() == 3 && parts[0] == "uniform")
    {
        if (value(1).Get() > value(2).Get())
        {
            throw std::invalid_argument("expected the smaller one first in " + text);
        }
        variable = CreateObject<UniformRandomVariable>();
        variable->SetAttribute("Min", value(1));
        variable->SetAttribute("Max", value(2));
    }
    else if (parts.size() == 2 && parts[0] == "exponential")
    {
        variable = CreateObject<ExponentialRandomVariable>();
        variable->SetAttribute("Mean", value(1));
    }
    else if (parts.size() == 3 && parts[0] == "normal")
    {
        variable = CreateObject<NormalRandomVariable>();
        const double deviation = value(2).Get();
        variable->SetAttribute("Mean", value(1));
        variable->SetAttribute("Variance", DoubleValue(deviation * deviation));
    }
    else
    {
        throw std::invalid_argument("expected " + unit + ", uniform:" + unit + ":" + unit +
                                    ", exponential:" + unit + " or normal:" + unit + ":" + unit);
    }
    return variable;
}

} // namespace

double
ParseNumber(const std::string& text)
{
    const double value = IsDecimal(text) ? std::stod(text) : -1;
    if (value < 0 || value > 1e9)
    {
        throw std::invalid_argument(A_NUMBER);
    }
    return value;
}

Time
ParseTime(const std::string& text)
{
    static const std::vector<std::pair<std::string, double>> units = {{"ps", 1},
                                                                      {"ns", 1e3},
                                                                      {"us", 1e6},
                                                                      {"ms", 1e9},
                                                                      {"s", 1e12},
                                                                      {"min", 60e12},
                                                                      {"h", 3600e12}};
    const auto end = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string number = text.substr(0, end);
    const std::string name = text.substr(end);
    if (text == "0")
    {
        return Time(0);
    }
    const auto unit =
        std::find_if(units.begin(), units.end(), [&](const auto& u) { return u.first == name; });
    if (!IsDecimal(number) || unit == units.end())
    {
        throw std::invalid_argument(A_TIME);
    }
    // Whole and rest apart: a double has too few digits for hours in picoseconds.
    const auto point = std::min(number.find('.'), number.size());
    const long double whole = std::stold(number.substr(0, point)) * unit->second;
    const long double rest =
        point < number.size() ? std::stold("0" + number.substr(point)) * unit->second : 0;
    if (whole + rest > 1000 * 3600e12L)
    {
        throw std::invalid_argument(A_TIME);
    }
    return Time::FromInteger(static_cast<uint64_t>(whole + rest + 0.5L), Time::PS);
}

Ptr<RandomVariableStream>
ParseRandomTime(const std::string& text)
{
    return Parse(text, "TIME", [](const std::string& t) { return ParseTime(t).GetSeconds(); });
}

Ptr<RandomVariableStream>
ParseRandomNumber(const std::string& text)
{
    return Parse(text, "NUMBER", [](const std::string& t) { return ParseNumber(t); });
}

} // namespace photonic
} // namespace ns3
