/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "options-quantity.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

__extension__ typedef unsigned __int128 Wide;

constexpr uint64_t KILO = 1000;
constexpr uint64_t MEGA = 1000 * KILO;
constexpr uint64_t GIGA = 1000 * MEGA;
constexpr uint64_t TERA = 1000 * GIGA;
constexpr uint64_t PETA = 1000 * TERA;
constexpr std::size_t MAX_DIGITS = 18; // so that digits times factor fit in 128 bits

/// Every name with every prefix, largest first.
std::vector<Quantity::Unit>
MakeUnits(const std::vector<std::pair<std::string, uint64_t>>& names)
{
    std::vector<Quantity::Unit> units;
    for (const auto& [name, factor] : names)
    {
        units.push_back({"P" + name, PETA * factor});
        units.push_back({"T" + name, TERA * factor});
        units.push_back({"G" + name, GIGA * factor});
        units.push_back({"M" + name, MEGA * factor});
        units.push_back({"k" + name, KILO * factor});
        units.push_back({name, factor});
    }
    return units;
}

} // namespace

uint64_t
Quantity::Parse(const std::string& text) const
{
    const auto refuse = [&](const std::string& reason) {
        return std::invalid_argument(reason + "; expected " + Format(min) + " to " + Format(max) +
                                     ", such as " + example);
    };
    const auto endOfNumber = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto unitName = text.substr(endOfNumber);
    auto digits = text.substr(0, endOfNumber);
    std::size_t decimals = 0;
    const auto point = digits.find('.');
    if (point != std::string::npos)
    {
        decimals = digits.size() - point - 1;
        digits.erase(point, 1);
    }
    if (digits.empty() || digits.find('.') != std::string::npos || point == 0 ||
        (point != std::string::npos && decimals == 0))
    {
        throw refuse("not a number");
    }
    if (digits.size() > MAX_DIGITS)
    {
        throw refuse("too many digits");
    }
    const uint64_t number = std::stoull(digits);
    const auto unit =
        std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == unitName; });
    if (number == 0 && min > 0)
    {
        throw refuse("zero");
    }
    if (number == 0 && unitName.empty())
    {
        return 0;
    }
    if (unit == units.end())
    {
        throw refuse(unitName.empty() ? "no unit" : "unknown unit");
    }
    uint64_t divisor = 1;
    for (std::size_t i = 0; i < decimals; ++i)
    {
        divisor *= 10;
    }
    const Wide product = Wide(number) * unit->factor;
    if (product < Wide(min) * divisor || product > Wide(max) * divisor)
    {
        throw refuse("out of range");
    }
    if (product % divisor != 0)
    {
        throw refuse("too many decimals");
    }
    return static_cast<uint64_t>(product / divisor);
}

std::string
Quantity::Format(uint64_t value) const
{
    const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& u) {
        return value % u.factor == 0;
    });
    return std::to_string(value / unit->factor) + unit->name;
}

const Quantity&
Quantity::Duration()
{
    static const Quantity duration{"TIME",
                                   "15ms",
                                   {{"s", TERA},
                                    {"ms", GIGA},
                                    {"us", MEGA},
                                    {"ns", KILO},
                                    {"ps", 1},
                                    {"min", 60 * TERA},
                                    {"h", 3600 * TERA}},
                                   0,
                                   24 * 3600 * TERA};
    return duration;
}

const Quantity&
Quantity::BitRate()
{
    static const Quantity rate{"RATE",
                               "400Gbps",
                               MakeUnits({{"bps", 1}, {"b/s", 1}, {"Bps", 8}, {"B/s", 8}}),
                               MEGA,
                               PETA};
    return rate;
}

const Quantity&
Quantity::ByteRate()
{
    static const Quantity rate{"RATE",
                               "300GB/s",
                               MakeUnits({{"B/s", 8}, {"Bps", 8}, {"bps", 1}, {"b/s", 1}}),
                               8 * MEGA,
                               PETA};
    return rate;
}

const Quantity&
Quantity::MemoryRate()
{
    static const Quantity rate{"RATE", "1555GB/s", MakeUnits({{"B/s", 1}, {"Bps", 1}}), MEGA, PETA};
    return rate;
}

const Quantity&
Quantity::Memory()
{
    static const Quantity memory{"BYTES", "40GB", MakeUnits({{"B", 1}}), MEGA, PETA};
    return memory;
}

const Quantity&
Quantity::Volume()
{
    static const Quantity volume{"BYTES",
                                 "25MiB",
                                 {{"B", 1},
                                  {"KiB", 1ULL << 10},
                                  {"MiB", 1ULL << 20},
                                  {"GiB", 1ULL << 30},
                                  {"kB", KILO},
                                  {"MB", MEGA},
                                  {"GB", GIGA}},
                                 0,
                                 PETA};
    return volume;
}

const Quantity&
Quantity::Compute()
{
    static const Quantity compute{"FLOPS",
                                  "312TFLOP/s",
                                  MakeUnits({{"FLOP/s", 1}, {"FLOPS", 1}}),
                                  GIGA,
                                  1000 * PETA};
    return compute;
}

} // namespace photonic
} // namespace ns3
