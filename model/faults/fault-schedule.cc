/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fault-schedule.h"

#include "random-quantity.h"

#include "ns3/input-text.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

struct Named
{
    /// As in a text.
    const char* name;
    Fault::Kind kind;
};

const std::vector<Named> NAMES = {{"ocs-dead", Fault::OCS_PORT_DEAD},
                                  {"ocs-stuck", Fault::OCS_PORT_STUCK},
                                  {"ocs-repair", Fault::OCS_PORT_REPAIR},
                                  {"ocs-outage", Fault::OCS_OUTAGE},
                                  {"ocs-back", Fault::OCS_BACK},
                                  {"fibre-cut", Fault::FIBRE_CUT},
                                  {"fibre-splice", Fault::FIBRE_SPLICE},
                                  {"fibre-ber", Fault::FIBRE_BER},
                                  {"nic-lost", Fault::NIC_LOST},
                                  {"nic-back", Fault::NIC_BACK},
                                  {"rank-fail", Fault::RANK_FAIL},
                                  {"rank-slow", Fault::RANK_SLOW},
                                  {"controller-stop", Fault::CONTROLLER_STOP},
                                  {"controller-start", Fault::CONTROLLER_START}};

/// The words of a line, one after another.
class Words
{
    template <typename Read>
    auto Convert(const std::string& what, Read read) -> decltype(read(what))
    {
        const auto& word = Take(what);
        try
        {
            return read(word);
        }
        catch (const std::invalid_argument& refusal)
        {
            throw std::invalid_argument("found '" + word + "', " + refusal.what());
        }
    }

  public:
    explicit Words(const std::string& line)
    {
        std::istringstream stream(line);
        for (std::string word; stream >> word && word[0] != '#';)
        {
            m_words.push_back(word);
        }
    }

    bool IsEmpty() const
    {
        return m_words.empty();
    }

    bool IsOver() const
    {
        return m_next == m_words.size();
    }

    /// @return what was found where something else was expected
    std::invalid_argument Refuse(const std::string& expected) const
    {
        const std::string found =
            m_last < m_words.size() ? "'" + m_words[m_last] + "'" : "the end of the line";
        return std::invalid_argument("found " + found + ", expected " + expected);
    }

    const std::string& Take(const std::string& expected)
    {
        m_last = m_next;
        if (IsOver())
        {
            throw Refuse(expected);
        }
        return m_words[m_next++];
    }

    /// @return which of the words comes
    std::size_t TakeOneOf(const std::vector<std::string>& names)
    {
        std::string expected;
        for (std::size_t i = 0; i < names.size(); i++)
        {
            expected += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
        }
        const auto& word = Take(expected);
        const auto found = std::find(names.begin(), names.end(), word);
        if (found == names.end())
        {
            throw Refuse(expected);
        }
        return found - names.begin();
    }

    uint32_t TakeWhole(const std::string& what)
    {
        return ToWhole(Take(what), what);
    }

    /// RANK/PORT
    void TakePlace(Fault& fault)
    {
        const std::string what = "RANK/PORT, such as 4/1";
        const auto& word = Take(what);
        const auto slash = std::min(word.find('/'), word.size());
        fault.unit = ToWhole(word.substr(0, slash), what);
        fault.port = ToWhole(slash < word.size() ? word.substr(slash + 1) : "", what);
    }

    Time TakeTime()
    {
        return Convert("a time", [](const std::string& word) { return ParseTime(word); });
    }

    double TakeNumber(const std::string& what)
    {
        return Convert(what, [](const std::string& word) { return ParseNumber(word); });
    }

    /// 0, or from 1e-12 to below 1
    double TakeRate()
    {
        const std::string what = "0 or a bit error rate from 1e-12 to 0.5, such as 1e-9";
        const auto& word = Take(what);
        std::istringstream stream(word);
        double rate = -1;
        const bool number =
            word.size() <= 18 && word.find_first_not_of("0123456789.e-") == std::string::npos &&
            stream >> rate && stream.peek() == std::istringstream::traits_type::eof();
        if (!number || (rate != 0 && !(rate >= 1e-12 && rate <= 0.5)))
        {
            throw Refuse(what);
        }
        return rate;
    }

    void End()
    {
        m_last = m_next;
        if (!IsOver())
        {
            throw Refuse("the end of the line");
        }
    }

  private:
    uint32_t ToWhole(const std::string& text, const std::string& what) const
    {
        if (text.empty() || text.size() > 9 ||
            text.find_first_not_of("0123456789") != std::string::npos)
        {
            throw Refuse(what);
        }
        return std::stoul(text);
    }

    std::vector<std::string> m_words;
    std::size_t m_next{0};
    std::size_t m_last{0};
};

RandomFault
ParseRandom(Words& words)
{
    const std::vector<std::string> kinds =
        {"ocs-dead", "ocs-stuck", "ocs-outage", "fibre-cut", "nic-lost", "rank-fail"};
    const auto& name = kinds[words.TakeOneOf(kinds)];
    RandomFault fault{};
    fault.kind = std::find_if(NAMES.begin(), NAMES.end(), [&](const Named& n) {
                     return n.name == name;
                 })->kind;
    words.TakeOneOf({"every"});
    fault.between = words.TakeTime();
    if (!fault.between.IsStrictlyPositive())
    {
        throw words.Refuse("a time above 0");
    }
    if (fault.kind != Fault::RANK_FAIL)
    {
        words.TakeOneOf({"for"});
        fault.repair = words.TakeTime();
        if (!fault.repair.IsStrictlyPositive())
        {
            throw words.Refuse("a time above 0");
        }
    }
    return fault;
}

Fault
ParseFault(Words& words)
{
    Fault fault{};
    fault.at = words.TakeTime();
    switch (words.TakeOneOf({"ocs", "fibre", "nic", "rank", "controller"}))
    {
    case 0:
        fault.unit = words.TakeWhole("the number of a circuit switch");
        switch (words.TakeOneOf({"port", "outage", "back"}))
        {
        case 0:
            fault.port = words.TakeWhole("the number of a port");
            fault.kind =
                std::vector{Fault::OCS_PORT_DEAD,
                            Fault::OCS_PORT_STUCK,
                            Fault::OCS_PORT_REPAIR}[words.TakeOneOf({"dead", "stuck", "repair"})];
            break;
        case 1:
            fault.kind = Fault::OCS_OUTAGE;
            break;
        default:
            fault.kind = Fault::OCS_BACK;
        }
        break;
    case 1:
        words.TakePlace(fault);
        fault.kind = std::vector{Fault::FIBRE_CUT,
                                 Fault::FIBRE_SPLICE,
                                 Fault::FIBRE_BER}[words.TakeOneOf({"cut", "splice", "ber"})];
        if (fault.kind == Fault::FIBRE_BER)
        {
            fault.value = words.TakeRate();
        }
        break;
    case 2:
        words.TakePlace(fault);
        fault.kind =
            std::vector{Fault::NIC_LOST, Fault::NIC_BACK}[words.TakeOneOf({"lost", "back"})];
        break;
    case 3:
        fault.unit = words.TakeWhole("the number of a rank");
        fault.kind =
            std::vector{Fault::RANK_FAIL, Fault::RANK_SLOW}[words.TakeOneOf({"fail", "slow"})];
        if (fault.kind == Fault::RANK_SLOW)
        {
            fault.value = words.TakeNumber("a factor");
        }
        break;
    default:
        fault.kind = std::vector{Fault::CONTROLLER_STOP,
                                 Fault::CONTROLLER_START}[words.TakeOneOf({"stop", "start"})];
    }
    return fault;
}

bool
IsOfRanks(Fault::Kind kind)
{
    return kind == Fault::RANK_FAIL || kind == Fault::RANK_SLOW;
}

bool
IsOfController(Fault::Kind kind)
{
    return kind == Fault::CONTROLLER_STOP || kind == Fault::CONTROLLER_START;
}

bool
IsOfFibres(Fault::Kind kind)
{
    return kind == Fault::FIBRE_CUT || kind == Fault::FIBRE_SPLICE || kind == Fault::NIC_LOST ||
           kind == Fault::NIC_BACK;
}

} // namespace

const char*
ToString(Fault::Kind kind)
{
    return std::find_if(NAMES.begin(),
                        NAMES.end(),
                        [kind](const Named& n) { return n.kind == kind; })
        ->name;
}

FaultSchedule
FaultSchedule::Read(const std::string& file)
{
    std::ifstream stream(file);
    if (!stream)
    {
        throw std::invalid_argument(file + ": cannot be read");
    }
    return Parse(stream, file);
}

FaultSchedule
FaultSchedule::Parse(std::istream& is, const std::string& name)
{
    FaultSchedule schedule;
    std::size_t number = 0;
    std::string line;
    // Character by character, so that a file without line ends is not read whole.
    for (bool more = true; more;)
    {
        line.clear();
        int c = is.get();
        for (; c != std::istream::traits_type::eof() && c != '\n'; c = is.get())
        {
            line += static_cast<char>(c);
            if (line.size() > MAX_LINE)
            {
                break;
            }
        }
        more = c != std::istream::traits_type::eof();
        number++;
        const std::string where = name + ":" + std::to_string(number);
        if (line.size() > MAX_LINE)
        {
            throw std::invalid_argument(where + ": found more than " + std::to_string(MAX_LINE) +
                                        " characters, expected at most that");
        }
        if (number > MAX_LINES)
        {
            throw std::invalid_argument(where + ": expected at most " + std::to_string(MAX_LINES) +
                                        " lines");
        }
        Words words(line);
        if (words.IsEmpty())
        {
            continue;
        }
        try
        {
            Words first = words;
            if (first.Take("") == "random")
            {
                auto fault = ParseRandom(first);
                first.End();
                fault.where = where;
                schedule.Add(fault);
            }
            else
            {
                auto fault = ParseFault(words);
                words.End();
                fault.where = where;
                schedule.Add(fault);
            }
        }
        catch (const std::invalid_argument& refusal)
        {
            throw std::invalid_argument(where + ": " + OneLine(refusal.what()));
        }
    }
    if (is.bad())
    {
        throw std::invalid_argument(name + ": cannot be read");
    }
    return schedule;
}

void
FaultSchedule::Add(const Fault& fault)
{
    m_faults.push_back(fault);
}

void
FaultSchedule::Add(const RandomFault& fault)
{
    if (!fault.between.IsStrictlyPositive())
    {
        throw std::invalid_argument("a random fault has no time between faults: expected above 0");
    }
    m_random.push_back(fault);
}

const std::vector<Fault>&
FaultSchedule::GetFaults() const
{
    return m_faults;
}

const std::vector<RandomFault>&
FaultSchedule::GetRandomFaults() const
{
    return m_random;
}

template <typename Matches>
std::string
FaultSchedule::Find(Matches matches) const
{
    for (const auto& fault : m_faults)
    {
        if (matches(fault.kind))
        {
            return ToString(fault.kind);
        }
    }
    for (const auto& fault : m_random)
    {
        if (matches(fault.kind))
        {
            return ToString(fault.kind);
        }
    }
    return "";
}

std::string
FaultSchedule::FindNetworkFault() const
{
    return Find([](Fault::Kind kind) { return !IsOfRanks(kind) && !IsOfController(kind); });
}

std::string
FaultSchedule::FindFibreFault() const
{
    return Find(IsOfFibres);
}

bool
FaultSchedule::StopsController() const
{
    return !Find(IsOfController).empty();
}

bool
FaultSchedule::HasBitErrors() const
{
    return !Find([](Fault::Kind kind) { return kind == Fault::FIBRE_BER; }).empty();
}

} // namespace photonic
} // namespace ns3
