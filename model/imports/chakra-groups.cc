/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "chakra-groups.h"

#include "ns3/input-text.h"

#include <stdexcept>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

/// Reads the one kind of JSON that there may be, an object of arrays of ranks, piece by piece.
class GroupReader
{
  public:
    GroupReader(std::istream& is, const std::string& name, const ChakraGroupLimits& limits)
        : m_is(is),
          m_name(name),
          m_limits(limits)
    {
    }

    ChakraGroups Read()
    {
        ChakraGroups groups;
        Take('{', "an object of process groups");
        if (Peek() == '}')
        {
            Next();
        }
        else
        {
            do
            {
                ReadGroup(groups);
            } while (TakeSeparator('}'));
        }
        if (Peek() != END)
        {
            Fail("the end of the file");
        }
        return groups;
    }

  private:
    static constexpr int END = std::istream::traits_type::eof();

    /// @return the next character, taken
    int Next()
    {
        const int c = m_is.get();
        if (c != END && ++m_bytes > m_limits.bytes)
        {
            throw std::invalid_argument(GetPlace() +
                                        "found a file of more bytes, expected at most " +
                                        std::to_string(m_limits.bytes));
        }
        m_line += c == '\n' ? 1 : 0;
        return c;
    }

    /// @return the next character that is no blank, not taken
    int Peek()
    {
        int c = m_is.peek();
        for (; c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = m_is.peek())
        {
            Next();
        }
        return c;
    }

    void Take(char expected, const std::string& what)
    {
        if (Peek() != expected)
        {
            Fail(what);
        }
        Next();
    }

    /// @param close what ends the list @return whether there is another item
    bool TakeSeparator(char close)
    {
        const int c = Peek();
        if (c != ',' && c != close)
        {
            Fail(std::string("',' or '") + close + "'");
        }
        Next();
        return c == ',';
    }

    /// @param what it is @return a text, without quotation marks
    std::string TakeText(const std::string& what)
    {
        Take('"', what);
        std::string text;
        for (int c = Next(); c != '"'; c = Next())
        {
            if (c == '\\')
            {
                c = Next();
                if (c != '"' && c != '\\' && c != '/')
                {
                    Fail(what + " without escape sequences but \\\", \\\\ and \\/", c);
                }
            }
            else if (c == END || c < ' ')
            {
                Fail(what + ", which ends with a quotation mark", c);
            }
            if (text.size() == m_limits.name)
            {
                throw std::invalid_argument(GetPlace() +
                                            "found a text of more bytes, expected at "
                                            "most " +
                                            std::to_string(m_limits.name));
            }
            text += static_cast<char>(c);
        }
        return text;
    }

    void ReadGroup(ChakraGroups& groups)
    {
        const std::string name = TakeText("the name of a process group");
        m_group = "group " + Quote(name) + ": ";
        Take(':', "':'");
        if (groups.size() == m_limits.groups)
        {
            throw std::invalid_argument(GetPlace() + "found more groups, expected at most " +
                                        std::to_string(m_limits.groups));
        }
        const auto [group, isNew] = groups.emplace(name, 0);
        if (!isNew)
        {
            throw std::invalid_argument(GetPlace() + "stands there twice, expected once");
        }
        Take('[', "an array of ranks");
        do
        {
            if (++m_members > m_limits.members)
            {
                throw std::invalid_argument(GetPlace() +
                                            "found more members of groups, expected at most " +
                                            std::to_string(m_limits.members));
            }
            group->second.push_back(ReadRank());
        } while (TakeSeparator(']'));
        m_group.clear();
    }

    uint32_t ReadRank()
    {
        const std::string expected = "a rank, a whole number of at most 9 digits";
        if (Peek() == ']')
        {
            Fail("an array of ranks");
        }
        std::string digits;
        if (Peek() == '"')
        {
            digits = TakeText(expected);
        }
        else
        {
            // What no list has ends it: a wrong number is shown as a whole.
            for (int c = Peek();
                 c != END && std::string(",]}[{: \t\r\n").find(c) == std::string::npos &&
                 digits.size() <= MAX_SHOWN_BYTES;
                 c = m_is.peek())
            {
                digits += static_cast<char>(Next());
            }
        }
        if (digits.empty())
        {
            Fail(expected);
        }
        if (digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos)
        {
            throw std::invalid_argument(GetPlace() + "found " + Quote(digits) + ", expected " +
                                        expected);
        }
        return static_cast<uint32_t>(std::stoul(digits));
    }

    /// @return "FILE:LINE: ", and in which group
    std::string GetPlace() const
    {
        return m_name + ":" + std::to_string(m_line) + ": " + m_group;
    }

    /// @param expected instead of the next character
    [[noreturn]] void Fail(const std::string& expected)
    {
        Fail(expected, Peek());
    }

    [[noreturn]] void Fail(const std::string& expected, int found) const
    {
        throw std::invalid_argument(GetPlace() + "found " +
                                    (found == END
                                         ? "the end of the file"
                                         : Quote(std::string(1, static_cast<char>(found)))) +
                                    ", expected " + expected);
    }

    std::istream& m_is;
    std::string m_name;
    const ChakraGroupLimits& m_limits;
    std::string m_group; ///< in which group, for errors
    uint64_t m_line{1};
    uint64_t m_bytes{0};
    std::size_t m_members{0};
};

} // namespace

ChakraGroups
ReadChakraGroups(std::istream& is, const std::string& name, const ChakraGroupLimits& limits)
{
    return GroupReader(is, name, limits).Read();
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
