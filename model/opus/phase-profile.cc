/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "phase-profile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr const char* FIRST_LINE = "photonic-rails-profile 1";
constexpr uint64_t MAX_NUMBER = std::numeric_limits<uint32_t>::max();
constexpr std::size_t MAX_SHOWN = 200; ///< bytes of a line in a message: it may be a fingerprint

/// Reads a profile line by line and knows where it is.
class Reader
{
  public:
    Reader(std::istream& is, const std::string& name, const LineReader::Limits& limits)
        : m_name(name),
          m_lines(is, name, limits)
    {
    }

    /// @param expected what should stand there @return the next line
    const std::string& NextLine(const std::string& expected)
    {
        ++m_number;
        if (!m_lines.Next(m_line))
        {
            Refuse(expected, m_lines.IsBroken() ? "what cannot be read" : "the end of the file");
        }
        return m_line;
    }

    /// @param expected what should stand there @return the words of the next line
    std::vector<std::string> NextWords(const std::string& expected, std::size_t count)
    {
        std::istringstream line(NextLine(expected));
        std::vector<std::string> words{std::istream_iterator<std::string>(line), {}};
        if (words.size() != count)
        {
            Refuse(expected);
        }
        return words;
    }

    /// @param word of the line @param most largest valid value @param expected what should stand
    /// there @return the number
    uint32_t Number(const std::string& word, uint64_t most, const std::string& expected) const
    {
        const bool digits = word.find_first_not_of("0123456789") == std::string::npos;
        if (!digits || word.size() > 10 || std::stoull(word) > most)
        {
            Refuse(expected);
        }
        return std::stoul(word);
    }

    /// @param keyword with which the next line begins @param most largest valid value
    /// @return the number that follows it
    uint32_t NextNumber(const std::string& keyword, uint64_t most)
    {
        const std::string expected = "\"" + keyword + " <number>\", up to " + std::to_string(most);
        const auto words = NextWords(expected, 2);
        if (words[0] != keyword)
        {
            Refuse(expected);
        }
        return Number(words[1], most, expected);
    }

    /// The file ends here.
    void ExpectEnd()
    {
        ++m_number;
        if (m_lines.Next(m_line))
        {
            Refuse("the end of the file");
        }
    }

    [[noreturn]] void Refuse(const std::string& expected) const
    {
        Refuse(expected, "\"" + Shorten(m_line, MAX_SHOWN) + "\"");
    }

    [[noreturn]] void Refuse(const std::string& expected, const std::string& found) const
    {
        throw std::invalid_argument(m_name + ":" + std::to_string(m_number) + ": expected " +
                                    expected + ", found " + found);
    }

  private:
    std::string m_name;
    LineReader m_lines;
    std::string m_line;
    std::size_t m_number{0}; ///< of the line that is asked for, which may be behind the last
};

/// @param reader at the line of an operation @return the operation
PhaseProfile::Entry
ReadEntry(Reader& reader)
{
    const std::string expected = "an operation: slot, counter, \"open\" or \"-\"";
    const auto words = reader.NextWords(expected, 3);
    for (std::size_t i = 0; i < GROUP_SLOTS; ++i)
    {
        const auto slot = static_cast<GroupSlot>(i);
        if (words[0] == ToString(slot) && (words[2] == "open" || words[2] == "-"))
        {
            return {slot, reader.Number(words[1], MAX_NUMBER, expected), words[2] == "open"};
        }
    }
    reader.Refuse(expected);
}

} // namespace

PhaseProfile::PhaseProfile(const std::string& fingerprint)
    : m_fingerprint(fingerprint)
{
    if (fingerprint.find('\n') != std::string::npos)
    {
        throw std::invalid_argument("the fingerprint of a profile is a single line");
    }
}

void
PhaseProfile::SetSequence(uint32_t rank, const Sequence& sequence)
{
    auto it = std::find(m_sequences.begin(), m_sequences.end(), sequence);
    if (it == m_sequences.end())
    {
        it = m_sequences.insert(m_sequences.end(), sequence);
    }
    m_ranks[rank] = it - m_sequences.begin();
}

const PhaseProfile::Sequence&
PhaseProfile::GetSequence(uint32_t rank) const
{
    auto it = m_ranks.find(rank);
    if (it == m_ranks.end())
    {
        throw std::invalid_argument("the profile has no rank " + std::to_string(rank));
    }
    return m_sequences[it->second];
}

const std::string&
PhaseProfile::GetFingerprint() const
{
    return m_fingerprint;
}

std::size_t
PhaseProfile::GetRanks() const
{
    return m_ranks.size();
}

std::size_t
PhaseProfile::GetDistinctSequences() const
{
    return m_sequences.size();
}

void
PhaseProfile::Save(const std::string& file) const
{
    const std::string temporary = file + ".part";
    errno = 0;
    std::ofstream out(temporary);
    Write(out);
    out.close();
    if (!out || std::rename(temporary.c_str(), file.c_str()) != 0)
    {
        const int error = errno;
        std::remove(temporary.c_str());
        throw std::runtime_error(file + ": the phase profile cannot be written" +
                                 (error ? std::string(": ") + std::strerror(error) : ""));
    }
}

void
PhaseProfile::Write(std::ostream& out) const
{
    out << FIRST_LINE << "\nfingerprint " << m_fingerprint << "\nranks " << m_ranks.size()
        << "\nsequences " << m_sequences.size() << "\n";
    for (std::size_t i = 0; i < m_sequences.size(); ++i)
    {
        out << "sequence " << i << " " << m_sequences[i].size() << "\n";
        for (const auto& entry : m_sequences[i])
        {
            out << ToString(entry.slot) << " " << entry.counter << (entry.opens ? " open" : " -")
                << "\n";
        }
    }
    for (auto first = m_ranks.begin(); first != m_ranks.end();)
    {
        auto next = first;
        uint32_t last = first->first;
        while (++next != m_ranks.end() && next->second == first->second && next->first == last + 1)
        {
            last = next->first;
        }
        out << "members " << first->first << " " << last << " " << first->second << "\n";
        first = next;
    }
}

PhaseProfile
PhaseProfile::Load(const std::string& file, const std::string& fingerprint)
{
    std::ifstream is(file);
    if (!is)
    {
        throw std::invalid_argument(file + ": cannot be read, expected a phase profile");
    }
    return Read(is, file, fingerprint);
}

PhaseProfile
PhaseProfile::Read(std::istream& is,
                   const std::string& name,
                   const std::string& fingerprint,
                   const LineReader::Limits& limits)
{
    Reader reader(is, name, limits);
    if (reader.NextLine(FIRST_LINE) != FIRST_LINE)
    {
        reader.Refuse(std::string("\"") + FIRST_LINE + "\"");
    }
    const std::string wanted = "fingerprint " + fingerprint;
    if (reader.NextLine(wanted) != wanted)
    {
        reader.Refuse("the profile of this job, \"" + OneLine(wanted) + "\"");
    }
    PhaseProfile profile(fingerprint);
    const uint32_t ranks = reader.NextNumber("ranks", MAX_RANKS);
    const uint32_t sequences = reader.NextNumber("sequences", MAX_RANKS);
    uint64_t left = MAX_OPERATIONS;
    for (uint32_t i = 0; i < sequences; ++i)
    {
        const std::string expected = "\"sequence " + std::to_string(i) + " <length>\"";
        const auto words = reader.NextWords(expected, 3);
        if (words[0] != "sequence" || words[1] != std::to_string(i))
        {
            reader.Refuse(expected);
        }
        const uint32_t length = reader.Number(
            words[2],
            left,
            expected + ", at most " + std::to_string(MAX_OPERATIONS) + " operations in all");
        left -= length;
        Sequence sequence;
        for (uint32_t j = 0; j < length; ++j)
        {
            sequence.push_back(ReadEntry(reader));
        }
        profile.m_sequences.push_back(std::move(sequence));
    }
    while (profile.m_ranks.size() < ranks)
    {
        const std::string expected = "\"members <first> <last> <sequence>\", ranks in order, " +
                                     std::to_string(ranks) + " in all";
        const auto words = reader.NextWords(expected, 4);
        const uint64_t next =
            profile.m_ranks.empty() ? 0 : uint64_t(profile.m_ranks.rbegin()->first) + 1;
        const uint32_t first = reader.Number(words[1], MAX_NUMBER, expected);
        const uint32_t last = reader.Number(words[2], MAX_NUMBER, expected);
        const uint32_t sequence = reader.Number(words[3], MAX_NUMBER, expected);
        if (words[0] != "members" || first < next || last < first || sequence >= sequences ||
            uint64_t(last) - first >= ranks - profile.m_ranks.size())
        {
            reader.Refuse(expected);
        }
        for (uint64_t rank = first; rank <= last; ++rank)
        {
            profile.m_ranks.emplace_hint(profile.m_ranks.end(), rank, sequence);
        }
    }
    reader.ExpectEnd();
    return profile;
}

} // namespace photonic
} // namespace ns3
