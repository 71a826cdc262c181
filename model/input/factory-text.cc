/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "factory-text.h"

#include "input-text.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// @param type of a class @return names of its attributes
std::string
ListAttributes(TypeId type)
{
    std::string names;
    for (; type != Object::GetTypeId(); type = type.GetParent())
    {
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            names += (names.empty() ? "" : " or ") + type.GetAttribute(i).name;
        }
    }
    return names.empty() ? "none" : names;
}

const char* const BLANKS = " \t\n\v\f\r";
const std::string ENUM = "ns3::EnumValue"; ///< followed by a type, in later releases of ns-3

/// @param text of a number @return whether all of it is one: ns-3 ends the program where it is not
template <typename T>
bool
IsNumber(const std::string& text)
{
    std::istringstream stream(text);
    T value;
    return text.find_first_of(BLANKS) == std::string::npos && stream >> value &&
           stream.peek() == std::istringstream::traits_type::eof();
}

/// @param text of a time @return whether ns-3 can read it: it ends the program where it cannot
bool
IsTime(const std::string& text)
{
    static const std::map<std::string, double> units = {{"", 1},
                                                        {"s", 1},
                                                        {"ms", 1e-3},
                                                        {"us", 1e-6},
                                                        {"ns", 1e-9},
                                                        {"ps", 1e-12},
                                                        {"fs", 1e-15},
                                                        {"min", 60},
                                                        {"h", 3600},
                                                        {"d", 24 * 3600},
                                                        {"y", 365 * 24 * 3600}};
    const auto end = std::min(text.find_first_not_of("+-0123456789.eE"), text.size());
    const auto unit = units.find(text.substr(end));
    std::istringstream number(text.substr(0, end));
    double value;
    return unit != units.end() && number >> value &&
           number.peek() == std::istringstream::traits_type::eof() &&
           std::abs(value) < 9e18 && // so that it also fits without its unit
           std::abs(value) * unit->second * Seconds(1).GetTimeStep() < 9e18;
}

/**
 * @param attribute of a class
 * @param text of a value of it
 * @return whether it is one. ns-3 itself would end the program for some that are not
 */
bool
IsValue(const TypeId::AttributeInformation& attribute, const std::string& text)
{
    static const std::map<std::string, bool (*)(const std::string&)> kinds = {
        {"ns3::BooleanValue", [](const std::string&) { return true; }},
        {"ns3::DataRateValue",
         [](const std::string& rate) { return rate.find_first_of(BLANKS) == std::string::npos; }},
        {"ns3::DoubleValue", IsNumber<double>},
        {"ns3::IntegerValue", IsNumber<int64_t>},
        {"ns3::StringValue", [](const std::string&) { return true; }},
        {"ns3::TimeValue", IsTime},
        {"ns3::UintegerValue", IsNumber<uint64_t>}};
    // A few of ns-3's own, and those made by its macros, come without the namespace.
    std::string kind = attribute.checker->GetValueTypeName();
    kind = kind.compare(0, 5, "ns3::") == 0 ? kind : "ns3::" + kind;
    const auto* pointer =
        dynamic_cast<const PointerChecker*>(PeekPointer<const AttributeChecker>(attribute.checker));
    if (pointer)
    {
        const auto bracket = std::min(text.find('['), text.size());
        if (text.find_first_of(BLANKS) != std::string::npos ||
            (bracket < text.size() && text.find_first_of("[]", bracket + 1) + 1 != text.size()))
        {
            return false; // ns-3 knows no blanks there, and no objects inside objects
        }
        ReadFactory(text,
                    pointer->GetPointeeTypeId(),
                    "the TypeId of a class for " + attribute.name);
    }
    else if (kind.compare(0, ENUM.size(), ENUM) != 0)
    {
        const auto known = kinds.find(kind);
        if (known == kinds.end() || !known->second(text)) // others are names and addresses
        {
            return false;
        }
    }
    return attribute.checker->CreateValidValue(StringValue(text)) != nullptr;
}

} // namespace

ObjectFactory
ReadFactory(const std::string& text, TypeId parent, const std::string& expected)
{
    const auto bracket = std::min(text.find('['), text.size());
    const std::string name = text.substr(0, bracket);
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(name, &type) || !type.IsChildOf(parent) ||
        !type.HasConstructor())
    {
        throw std::invalid_argument("found " + Quote(name) + ", expected " + expected);
    }
    ObjectFactory factory(name);
    if (bracket == text.size())
    {
        return factory;
    }
    if (text.back() != ']')
    {
        throw std::invalid_argument("found no ] at the end, expected " + name +
                                    "[attribute=value|...]");
    }
    std::istringstream attributes(text.substr(bracket + 1, text.size() - bracket - 2));
    for (std::string attribute; std::getline(attributes, attribute, '|');)
    {
        const auto equals = std::min(attribute.find('='), attribute.size());
        TypeId::AttributeInformation known;
        if (!type.LookupAttributeByName(attribute.substr(0, equals), &known))
        {
            throw std::invalid_argument(name + " has no attribute " +
                                        Quote(attribute.substr(0, equals)) + ", expected " +
                                        ListAttributes(type));
        }
        const std::string value = equals < attribute.size() ? attribute.substr(equals + 1) : "";
        if (!IsValue(known, value))
        {
            throw std::invalid_argument("attribute " + known.name + ": found " + Quote(value) +
                                        ", expected a value of " + known.name + ", " +
                                        known.checker->GetValueTypeName());
        }
        factory.Set(known.name, StringValue(value));
    }
    return factory;
}

} // namespace photonic
} // namespace ns3
