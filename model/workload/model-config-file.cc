/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
// Boost's JSON parser includes a header that announces its deprecation unless told otherwise.
#define BOOST_BIND_GLOBAL_PLACEHOLDERS

#include "model-config-file.h"

#include "ns3/input-text.h"

#include <algorithm>
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <cctype>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/**
 * @param text as it stands in the file
 * @param least smallest value
 * @param limit largest value
 * @return whether it is a whole number between them
 */
bool
IsNumber(const std::string& text, uint32_t least, uint32_t limit)
{
    const bool digits =
        std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    // Ten digits fit into 64 bits; more are beyond every limit.
    return digits && !text.empty() && text.size() <= 10 && std::stoull(text) >= least &&
           std::stoull(text) <= limit;
}

} // namespace

std::map<std::string, ModelConfigFile::Member>
ModelConfigFile::Scan(const std::string& text)
{
    std::map<std::string, Member> members;
    std::size_t line = 1;
    int depth = 0;
    std::string token; // the last string or scalar
    std::string key;   // not empty: its value comes next
    std::size_t keyLine = 1;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const char c = text[i];
        if (c == '\n')
        {
            ++line;
            continue;
        }
        if (std::isspace(static_cast<unsigned char>(c)) || c == ',')
        {
            continue;
        }
        if (c == ':')
        {
            key = depth == 1 ? token : "";
            keyLine = line;
            continue;
        }
        std::size_t end = i + 1;
        if (c == '"')
        {
            while (text[end] != '"')
            {
                end += text[end] == '\\' ? 2 : 1;
            }
            ++end;
        }
        else if (c != '{' && c != '[' && c != '}' && c != ']')
        {
            end = std::min(text.find_first_of(" \t\r\n,}]", i), text.size());
        }
        token = text.substr(i, end - i);
        if (!key.empty())
        {
            const std::size_t close = c == '[' ? text.find(']', i) + 1 : end;
            members[key.substr(1, key.size() - 2)] = {keyLine, text.substr(i, close - i)};
            key.clear();
        }
        depth += (c == '{' || c == '[') ? 1 : (c == '}' || c == ']') ? -1 : 0;
        i = end - 1;
    }
    return members;
}

void
ModelConfigFile::CheckLimits(const std::string& text) const
{
    if (text.size() > MAX_BYTES)
    {
        throw std::invalid_argument(m_name + ": found a file of more bytes, expected at most " +
                                    std::to_string(MAX_BYTES));
    }
    std::size_t line = 1;
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const char c = text[i];
        line += c == '\n' ? 1 : 0;
        if (quoted)
        {
            i += c == '\\' ? 1 : 0;
            quoted = c != '"';
            continue;
        }
        quoted = c == '"';
        depth += c == '{' || c == '[' ? 1 : 0;
        depth -= (c == '}' || c == ']') && depth > 0 ? 1 : 0;
        if (depth > MAX_DEPTH)
        {
            throw std::invalid_argument(m_name + ":" + std::to_string(line) +
                                        ": found more objects and arrays inside each other, "
                                        "expected at most " +
                                        std::to_string(MAX_DEPTH));
        }
    }
}

ModelConfigFile::ModelConfigFile(const std::string& name, const std::string& text)
    : m_name(name)
{
    CheckLimits(text);
    try
    {
        std::istringstream input(text);
        boost::property_tree::ptree tree;
        boost::property_tree::read_json(input, tree);
    }
    catch (const boost::property_tree::json_parser_error& e)
    {
        throw std::invalid_argument(name + ":" + std::to_string(e.line()) +
                                    ": not valid JSON, or truncated: " + e.message() +
                                    "; expected an object");
    }
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (text[begin] != '{')
    {
        throw std::invalid_argument(name + ":1: found " + Quote(text.substr(begin)) +
                                    ", expected a JSON object");
    }
    m_members = Scan(text);
    m_lines = std::count(text.begin(), text.end(), '\n') + (text.back() == '\n' ? 0 : 1);
}

ModelConfigFile
ModelConfigFile::Load(const std::string& file)
{
    std::ifstream stream(file);
    const std::string text = ReadText(stream, file, MAX_BYTES);
    if (stream.bad() || text.empty())
    {
        throw std::invalid_argument(file + ": cannot be read, or is empty: expected a JSON object");
    }
    return ModelConfigFile(file, text);
}

const std::string&
ModelConfigFile::GetName() const
{
    return m_name;
}

bool
ModelConfigFile::Has(const std::string& key) const
{
    return Mentions(key) && m_members.at(key).value != "null";
}

bool
ModelConfigFile::Mentions(const std::string& key) const
{
    return m_members.count(key) != 0;
}

uint32_t
ModelConfigFile::GetNumber(const std::string& key, uint32_t limit, uint32_t least) const
{
    const std::string expected =
        ", expected a whole number from " + std::to_string(least) + " to " + std::to_string(limit);
    if (!Mentions(key))
    {
        FailMissing(key, expected);
    }
    const std::string& value = m_members.at(key).value;
    if (!IsNumber(value, least, limit))
    {
        Fail(key, expected);
    }
    return static_cast<uint32_t>(std::stoull(value));
}

std::vector<uint32_t>
ModelConfigFile::GetNumbers(const std::string& key, uint32_t limit) const
{
    const std::string expected =
        ", expected an array of whole numbers up to " + std::to_string(limit);
    if (!Mentions(key))
    {
        FailMissing(key, expected);
    }
    std::string value = m_members.at(key).value;
    if (value.front() != '[')
    {
        Fail(key, expected);
    }
    value.erase(std::remove_if(value.begin(),
                               value.end(),
                               [](unsigned char c) { return std::isspace(c) != 0; }),
                value.end());
    std::istringstream items(value.substr(1, value.size() - 2));
    std::vector<uint32_t> numbers;
    for (std::string item; std::getline(items, item, ',');)
    {
        if (!IsNumber(item, 0, limit))
        {
            Fail(key, expected);
        }
        numbers.push_back(static_cast<uint32_t>(std::stoull(item)));
    }
    return numbers;
}

std::string
ModelConfigFile::GetText(const std::string& key) const
{
    const std::string& value = m_members.at(key).value;
    if (value.front() != '"')
    {
        Fail(key, ", expected a text");
    }
    return value.substr(1, value.size() - 2);
}

bool
ModelConfigFile::GetFlag(const std::string& key) const
{
    if (!Has(key))
    {
        return false;
    }
    const std::string& value = m_members.at(key).value;
    if (value != "true" && value != "false")
    {
        Fail(key, ", expected true or false");
    }
    return value == "true";
}

void
ModelConfigFile::Fail(const std::string& key, const std::string& expected) const
{
    const Member& member = m_members.at(key);
    const std::string found = member.value.front() == '{'   ? "an object"
                              : member.value.front() == '[' ? "an array"
                                                            : Shorten(member.value);
    throw std::invalid_argument(m_name + ":" + std::to_string(member.line) + ": key '" + key +
                                "': found " + found + expected);
}

void
ModelConfigFile::FailMissing(const std::string& key, const std::string& expected) const
{
    throw std::invalid_argument(m_name + ":" + std::to_string(m_lines) + ": key '" + key +
                                "' is missing" + expected);
}

} // namespace photonic
} // namespace ns3
