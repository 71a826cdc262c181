/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
// Boost's JSON parser includes a header that announces its deprecation unless told otherwise.
#define BOOST_BIND_GLOBAL_PLACEHOLDERS

#include "transformer-config.h"

#include <algorithm>
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// A member of the outermost object, as it stands in the text.
struct Member
{
    std::size_t line;  ///< from 1
    std::string value; ///< a whole scalar; the first character of an object or array
};

/**
 * The parser forgets whether a value was a string or a number, and where it stood; this remembers.
 * @param text of an object, known to be valid JSON
 * @return the members of the outermost object; the last one of a name counts
 */
std::map<std::string, Member>
ScanMembers(const std::string& text)
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
            members[key.substr(1, key.size() - 2)] = {keyLine, token};
            key.clear();
        }
        depth += (c == '{' || c == '[') ? 1 : (c == '}' || c == ']') ? -1 : 0;
        i = end - 1;
    }
    return members;
}

/// The members of a file, with errors that say where.
class ConfigFile
{
  public:
    explicit ConfigFile(const std::string& file)
        : m_file(file)
    {
        std::ifstream stream(file);
        std::ostringstream content;
        content << stream.rdbuf();
        if (!stream || content.str().empty())
        {
            throw std::invalid_argument(file + ": cannot be read, or is empty");
        }
        const std::string text = content.str();
        try
        {
            std::istringstream input(text);
            boost::property_tree::ptree tree;
            boost::property_tree::read_json(input, tree);
        }
        catch (const boost::property_tree::json_parser_error& e)
        {
            throw std::invalid_argument(file + ":" + std::to_string(e.line()) +
                                        ": not valid JSON, or truncated: " + e.message());
        }
        if (text[text.find_first_not_of(" \t\r\n")] != '{')
        {
            throw std::invalid_argument(file + ":1: expected a JSON object");
        }
        m_members = ScanMembers(text);
        m_lines = std::count(text.begin(), text.end(), '\n') + (text.back() == '\n' ? 0 : 1);
    }

    bool Has(const std::string& key) const
    {
        const auto member = m_members.find(key);
        return member != m_members.end() && member->second.value != "null";
    }

    /// @param key name @param limit largest sensible value @return a number in [1, limit]
    uint32_t GetNumber(const std::string& key, uint32_t limit) const
    {
        const std::string expected = ", expected a whole number from 1 to " + std::to_string(limit);
        const auto member = m_members.find(key);
        if (member == m_members.end())
        {
            throw std::invalid_argument(m_file + ":" + std::to_string(m_lines) + ": key '" + key +
                                        "' is missing" + expected);
        }
        const std::string& value = member->second.value;
        const bool digits = std::all_of(value.begin(), value.end(), [](unsigned char c) {
            return std::isdigit(c) != 0;
        });
        // Ten digits fit into 64 bits; more are beyond every limit.
        if (!digits || value.size() > 10 || std::stoull(value) < 1 || std::stoull(value) > limit)
        {
            Fail(key, expected);
        }
        return static_cast<uint32_t>(std::stoull(value));
    }

    bool GetFlag(const std::string& key) const
    {
        const std::string& value = m_members.at(key).value;
        if (value != "true" && value != "false")
        {
            Fail(key, ", expected true or false");
        }
        return value == "true";
    }

    /// @param key a present key @param expected ", expected ..."
    [[noreturn]] void Fail(const std::string& key, const std::string& expected) const
    {
        const Member& member = m_members.at(key);
        const std::string found = member.value == "{"   ? "an object"
                                  : member.value == "[" ? "an array"
                                                        : member.value;
        throw std::invalid_argument(m_file + ":" + std::to_string(member.line) + ": key '" + key +
                                    "': found " + found + expected);
    }

  private:
    std::string m_file;
    std::map<std::string, Member> m_members;
    std::size_t m_lines; ///< in the file: where a missing key is reported
};

// Ten times and more beyond any published model, yet parameter counts fit into 64 bits.
constexpr uint32_t MAX_LAYERS = 10'000;
constexpr uint32_t MAX_HEADS = 10'000; // also dimensions of a head, and experts
constexpr uint32_t MAX_WIDTH = 1'000'000;
constexpr uint32_t MAX_INTERMEDIATE = 10'000'000;
constexpr uint32_t MAX_VOCABULARY = 100'000'000;

} // namespace

TransformerShape
ReadTransformerConfig(const std::string& file)
{
    const ConfigFile config(file);
    for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts"})
    {
        if (config.Has(key) && config.GetNumber(key, MAX_HEADS) > 1)
        {
            config.Fail(key, ", expected a dense model");
        }
    }
    TransformerShape shape;
    shape.name = file;
    shape.layers = config.GetNumber("num_hidden_layers", MAX_LAYERS);
    shape.hidden = config.GetNumber("hidden_size", MAX_WIDTH);
    shape.intermediate = config.GetNumber("intermediate_size", MAX_INTERMEDIATE);
    shape.heads = config.GetNumber("num_attention_heads", MAX_HEADS);
    shape.vocabulary = config.GetNumber("vocab_size", MAX_VOCABULARY);
    shape.kvHeads = config.Has("num_key_value_heads")
                        ? config.GetNumber("num_key_value_heads", MAX_HEADS)
                        : shape.heads;
    if (shape.heads % shape.kvHeads != 0)
    {
        config.Fail("num_key_value_heads",
                    ", expected a divisor of num_attention_heads " + std::to_string(shape.heads));
    }
    if (config.Has("head_dim"))
    {
        shape.headDim = config.GetNumber("head_dim", MAX_HEADS);
    }
    else if (shape.hidden % shape.heads == 0)
    {
        shape.headDim = shape.hidden / shape.heads;
    }
    else
    {
        config.Fail("num_attention_heads",
                    ", expected a divisor of hidden_size " + std::to_string(shape.hidden) +
                        " where head_dim is not given");
    }
    shape.tiedEmbeddings =
        config.Has("tie_word_embeddings") && config.GetFlag("tie_word_embeddings");
    return shape;
}

} // namespace photonic
} // namespace ns3
