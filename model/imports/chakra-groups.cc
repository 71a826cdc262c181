/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
// Boost's JSON parser includes a header that announces its deprecation unless told otherwise.
#define BOOST_BIND_GLOBAL_PLACEHOLDERS

#include "chakra-groups.h"

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

ChakraGroups
ReadChakraGroups(std::istream& is, const std::string& name)
{
    boost::property_tree::ptree tree;
    try
    {
        boost::property_tree::read_json(is, tree);
    }
    catch (const boost::property_tree::json_parser_error& e)
    {
        throw std::invalid_argument(name + ":" + std::to_string(e.line()) +
                                    ": not valid JSON, or truncated: " + e.message());
    }
    ChakraGroups groups;
    for (const auto& [group, members] : tree)
    {
        const std::string place = name + ": group '" + group + "': ";
        if (!groups.emplace(group, 0).second)
        {
            throw std::invalid_argument(place + "stands there twice");
        }
        for (const auto& [key, member] : members)
        {
            const std::string& text = member.data();
            const bool digits = key.empty() && member.empty() && !text.empty() &&
                                text.size() <= 9 &&
                                text.find_first_not_of("0123456789") == std::string::npos;
            if (!digits)
            {
                throw std::invalid_argument(place + "found '" + text + "', expected a rank");
            }
            groups[group].push_back(static_cast<uint32_t>(std::stoul(text)));
        }
        if (groups[group].empty())
        {
            throw std::invalid_argument(place + "expected an array of ranks");
        }
    }
    return groups;
}

void
WriteChakraGroups(std::ostream& os, const ChakraGroups& groups)
{
    std::map<uint64_t, const std::vector<uint32_t>*> inOrder;
    for (const auto& [group, ranks] : groups)
    {
        inOrder[std::stoull(group)] = &ranks;
    }
    os << "{";
    const char* line = "\n";
    for (const auto& [group, ranks] : inOrder)
    {
        os << line << "  \"" << group << "\": [";
        const char* separator = "";
        for (uint32_t rank : *ranks)
        {
            os << separator << rank;
            separator = ", ";
        }
        os << "]";
        line = ",\n";
    }
    os << "\n}\n";
}

} // namespace photonic
} // namespace ns3
