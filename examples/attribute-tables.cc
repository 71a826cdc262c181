/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Prints doc/attributes.rst: attributes and trace sources of all classes of this module, as their
 * TypeIds register them.
 */
#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/optical-net-device.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @param number of the smallest unit
 * @param units name and size in the one before, smallest first
 * @return the number in the largest unit in which it is whole
 */
std::string
InUnits(uint64_t number, const std::vector<std::pair<const char*, uint64_t>>& units)
{
    const char* name = units.front().first;
    for (std::size_t i = 1; i < units.size() && number > 0 && number % units[i].second == 0; i++)
    {
        number /= units[i].second;
        name = units[i].first;
    }
    return std::to_string(number) + " " + name;
}

/// @param attribute any @return its default, spelt alike by all versions of ns-3
std::string
GetDefault(const TypeId::AttributeInformation& attribute)
{
    const AttributeValue* value = PeekPointer(attribute.initialValue);
    if (const auto time = dynamic_cast<const TimeValue*>(value))
    {
        const int64_t ps = time->Get().GetPicoSeconds();
        return time->Get() == Time::Max() ? "Time::Max()"
               : ps == 0
                   ? "0 s"
                   : InUnits(ps,
                             {{"ps", 1}, {"ns", 1000}, {"us", 1000}, {"ms", 1000}, {"s", 1000}});
    }
    if (const auto rate = dynamic_cast<const DataRateValue*>(value))
    {
        return InUnits(
            rate->Get().GetBitRate(),
            {{"bps", 1}, {"kbps", 1000}, {"Mbps", 1000}, {"Gbps", 1000}, {"Tbps", 1000}});
    }
    return attribute.initialValue->SerializeToString(attribute.checker);
}

/// @param attribute any @return its type, with the range or the values where that says anything
std::string
GetType(const TypeId::AttributeInformation& attribute)
{
    const std::string name = attribute.checker->GetValueTypeName(); // "ns3::TimeValue"
    const std::string suffix = "Value";
    std::string type = name.substr(name.rfind(':') + 1);
    type.erase(type.size() - suffix.size());
    const std::string underlying = attribute.checker->GetUnderlyingTypeInformation();
    if (type == "Enum") // "one|other"
    {
        std::string values = underlying;
        std::replace(values.begin(), values.end(), '|', ' ');
        return type + ": " + values;
    }
    if (type == "Uinteger") // "uint8_t 1:255"
    {
        const auto space = underlying.find(' ');
        const auto colon = underlying.find(':');
        const uint32_t bits = std::stoul(underlying.substr(underlying.find_first_of("0123456789")));
        const uint64_t least = std::stoull(underlying.substr(space + 1));
        const uint64_t most = std::stoull(underlying.substr(colon + 1));
        if (most != UINT64_MAX >> (64 - bits))
        {
            return type + ": " + std::to_string(least) + " to " + std::to_string(most);
        }
        return least > 0 ? type + ": from " + std::to_string(least) : type;
    }
    return type;
}

/// Print a table with its head. @param rows cells, row by row @param title above it
void
PrintTable(const std::string& title, const std::vector<std::vector<std::string>>& rows)
{
    if (rows.size() < 2)
    {
        return;
    }
    std::cout << "\n" << title << "\n\n.. list-table::\n   :header-rows: 1\n\n";
    for (const auto& row : rows)
    {
        for (std::size_t i = 0; i < row.size(); i++)
        {
            std::cout << (i == 0 ? "   * - " : "     - ") << row[i] << "\n";
        }
    }
}

/// @param text any @return it as code, nothing if it is empty
std::string
Code(const std::string& text)
{
    return text.empty() ? text : "``" + text + "``";
}

/// Print a class's own attributes and trace sources. @param tid of the class
void
PrintClass(TypeId tid)
{
    const std::string name = tid.GetName();
    std::cout << "\n"
              << name << "\n"
              << std::string(name.size(), '-')
              << "\n\nBase class: " << Code(tid.GetParent().GetName()) << ".\n";
    std::vector<std::vector<std::string>> rows{{"attribute", "type", "default", "meaning"}};
    for (std::size_t i = 0; i < tid.GetAttributeN(); i++)
    {
        const auto attribute = tid.GetAttribute(i);
        rows.push_back({Code(attribute.name),
                        GetType(attribute),
                        Code(GetDefault(attribute)),
                        attribute.help});
    }
    PrintTable("Attributes:", rows);
    rows = {{"trace source", "signature", "meaning"}};
    for (std::size_t i = 0; i < tid.GetTraceSourceN(); i++)
    {
        const auto source = tid.GetTraceSource(i);
        rows.push_back({Code(source.name), Code(source.callback), source.help});
    }
    PrintTable("Trace sources:", rows);
}

} // namespace

int
main()
{
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error as a full disk is
    photonic::OpticalNetDevice::GetTypeId(); // for linkers that drop unused libraries
    std::vector<TypeId> types;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.GetName().rfind("ns3::photonic::", 0) == 0 &&
            tid.GetAttributeN() + tid.GetTraceSourceN() > 0)
        {
            types.push_back(tid);
        }
    }
    std::sort(types.begin(), types.end(), [](const TypeId& a, const TypeId& b) {
        return a.GetName() < b.GetName();
    });
    errno = 0;
    std::cout << ".. Printed by photonic-rails-attributes: do not edit.\n\n"
                 "Attributes and trace sources\n"
                 "============================\n\n"
                 "Those that each class registers itself; it has those of its base class besides.\n"
                 "Signatures are types of the class that they name.\n";
    std::for_each(types.begin(), types.end(), PrintClass);
    std::cout << std::flush;
    if (!std::cout)
    {
        std::cerr << "photonic-rails-attributes: standard output: cannot be written"
                  << (errno ? std::string(": ") + std::strerror(errno) : "") << std::endl;
        return 4;
    }
    return 0;
}
