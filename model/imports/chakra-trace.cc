/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "chakra-trace.h"

#include "ns3/input-text.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

/// Of those that both have; a reduction to one rank, a gather or a barrier has no counterpart.
constexpr std::pair<CollectiveKind, uint64_t> COMM_TYPES[] = {{CollectiveKind::ALL_REDUCE, 0},
                                                              {CollectiveKind::ALL_GATHER, 2},
                                                              {CollectiveKind::BROADCAST, 5},
                                                              {CollectiveKind::ALL_TO_ALL, 6},
                                                              {CollectiveKind::REDUCE_SCATTER, 7}};

} // namespace

const ChakraAttribute::Value*
ChakraAttributes::Find(const std::string& attribute) const
{
    const auto found = std::find_if(attributes.begin(),
                                    attributes.end(),
                                    [&attribute](const auto& a) { return a.name == attribute; });
    return found == attributes.end() ? nullptr : &found->value;
}

std::optional<uint64_t>
ChakraAttributes::GetNumber(const std::string& attribute) const
{
    const auto* value = Find(attribute);
    if (!value)
    {
        return std::nullopt;
    }
    if (const auto* number = std::get_if<uint64_t>(value))
    {
        return *number;
    }
    const auto* narrow = std::get_if<int32_t>(value);
    const auto* wide = std::get_if<int64_t>(value);
    if ((!narrow && !wide) || (narrow ? *narrow : *wide) < 0)
    {
        throw std::invalid_argument("attribute " + attribute + " is not a whole number from 0 on");
    }
    return narrow ? *narrow : *wide;
}

std::optional<std::string>
ChakraAttributes::GetText(const std::string& attribute) const
{
    const auto* value = Find(attribute);
    if (value && !std::holds_alternative<std::string>(*value))
    {
        throw std::invalid_argument("attribute " + attribute + " is not a text");
    }
    return value ? std::optional(std::get<std::string>(*value)) : std::nullopt;
}

bool
ChakraAttributes::IsSet(const std::string& attribute) const
{
    const auto* value = Find(attribute);
    if (value && !std::holds_alternative<bool>(*value))
    {
        throw std::invalid_argument("attribute " + attribute + " is not true or false");
    }
    return value && std::get<bool>(*value);
}

std::string
ChakraNode::Describe() const
{
    return "node " + std::to_string(id) + (name.empty() ? "" : " (" + Shorten(name) + ")");
}

std::optional<uint64_t>
GetChakraCommType(CollectiveKind kind)
{
    for (const auto& [ours, theirs] : COMM_TYPES)
    {
        if (ours == kind)
        {
            return theirs;
        }
    }
    return std::nullopt;
}

std::optional<CollectiveKind>
FromChakraCommType(uint64_t type)
{
    for (const auto& [ours, theirs] : COMM_TYPES)
    {
        if (theirs == type)
        {
            return ours;
        }
    }
    return std::nullopt;
}

} // namespace photonic
} // namespace ns3
