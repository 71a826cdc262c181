/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "price-book.h"

#include <boost/algorithm/string.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

const char* const HEADER = "part,per,watts,dollars";

/// The books of the papers, as a user would write them.
const std::map<std::string, std::string>&
GetBooks()
{
    static const std::map<std::string, std::string> books = {
        {"p1-400g",
         "nic-transceiver,1,10,219\n"
         "switch-transceiver,1,10,219\n"
         "packet-switch,64,2524,37299\n"
         "circuit-switch,192,75,99840\n"}, // 520 dollars a port
        {"p2-400g",
         "nic-transceiver,1,10,879\n"
         "switch-transceiver,1,10,879\n"
         "packet-switch,64,2524,37299\n"
         "circuit-switch,192,75,99840\n"},
        {"p2-800g", // whose switches have optics of their own
         "nic-transceiver,1,16,879\n"
         "packet-switch,144,7000,149939\n"
         "circuit-switch,192,75,99840\n"},
    };
    return books;
}

/// @param field of a line @return its number, at least 0; negative if it is none
double
ParseNumber(const std::string& field)
{
    std::istringstream stream(field);
    double value;
    const bool number = stream >> value && stream.peek() == std::istringstream::traits_type::eof();
    return number && value <= PriceBook::MAX_NUMBER ? value : -1;
}

/// @param book being read @param part name of a part @return its price, or null
Price*
FindPart(PriceBook& book, const std::string& part)
{
    static const std::map<std::string, Price PriceBook::*> parts = {
        {"nic-transceiver", &PriceBook::nicTransceiver},
        {"switch-transceiver", &PriceBook::switchTransceiver},
        {"packet-switch", &PriceBook::packetSwitchPort},
        {"circuit-switch", &PriceBook::circuitSwitchPort},
        {"fibre", &PriceBook::fibre},
        {"nic", &PriceBook::nic},
    };
    const auto entry = parts.find(part);
    return entry == parts.end() ? nullptr : &(book.*entry->second);
}

} // namespace

PriceBook
PriceBook::Read(std::istream& is, const std::string& name)
{
    PriceBook book;
    book.name = name;
    std::set<std::string> seen;
    LineReader reader(is, name, LIMITS);
    for (std::string line; reader.Next(line);)
    {
        if (reader.GetNumber() == 1 && line.rfind("\xef\xbb\xbf", 0) == 0)
        {
            line.erase(0, 3); // a byte order mark, as some editors leave
        }
        boost::algorithm::trim(line);
        if (line.empty() || line.front() == '#' || line == HEADER)
        {
            continue;
        }
        std::vector<std::string> fields;
        boost::algorithm::split(fields, line, [](char c) { return c == ','; });
        const std::string place = reader.GetPlace() + ": ";
        if (fields.size() != 4)
        {
            throw std::invalid_argument(place + "found " + Quote(line) +
                                        ", expected four fields: " + HEADER);
        }
        const auto expect = [&](bool fine, std::size_t column, const std::string& what) {
            static const char* const columns[] = {"part", "per", "watts", "dollars"};
            if (!fine)
            {
                throw std::invalid_argument(place + "column '" + columns[column] + "': found " +
                                            Quote(fields[column]) + ", expected " + what);
            }
        };
        Price* price = FindPart(book, fields[0]);
        expect(price,
               0,
               "nic-transceiver, switch-transceiver, packet-switch, circuit-switch, fibre or nic");
        const double per = ParseNumber(fields[1]);
        const double watts = ParseNumber(fields[2]);
        const double dollars = ParseNumber(fields[3]);
        expect(per >= 1, 1, "the number of ports or pieces of watts and dollars, from 1 to 1e12");
        expect(watts >= 0, 2, "a number from 0 to 1e12");
        expect(dollars >= 0, 3, "a number from 0 to 1e12");
        expect(seen.insert(fields[0]).second, 0, "each part once");
        *price = {watts / per, dollars / per};
    }
    if (seen.empty())
    {
        throw std::invalid_argument(name + ": found no part, expected lines of " + HEADER);
    }
    return book;
}

std::vector<std::string>
PriceBook::GetNames()
{
    std::vector<std::string> names;
    for (const auto& nameAndText : GetBooks())
    {
        names.push_back(nameAndText.first);
    }
    return names;
}

PriceBook
PriceBook::Load(const std::string& book)
{
    const auto known = GetBooks().find(book);
    if (known != GetBooks().end())
    {
        std::istringstream text(known->second);
        auto parsed = Read(text, book);
        parsed.rate = book == "p2-800g" ? "800 Gbps" : "400 Gbps";
        return parsed;
    }
    std::ifstream file(book);
    std::error_code unreadable; // a name that is too long, for example
    if (!std::filesystem::is_regular_file(book, unreadable) || !file ||
        file.peek() == std::ifstream::traits_type::eof())
    {
        throw std::invalid_argument(book + ": cannot be read, or is empty; expected " +
                                    boost::algorithm::join(GetNames(), ", ") + " or a file");
    }
    return Read(file, book);
}

Price
GetTotal(const FabricInventory& inventory, const PriceBook& book)
{
    Price total;
    if (inventory.nicPorts == 0)
    {
        return total; // nothing is joined
    }
    const double portsPerGpu = double(inventory.nicPorts) / inventory.gpus;
    const auto add = [&total](double count, const Price& price) {
        total.watts += count * price.watts;
        total.dollars += count * price.dollars;
    };
    add(inventory.gpus, book.nic);
    add(inventory.gpus, book.nicTransceiver);
    add(inventory.packetSwitchPorts / portsPerGpu, book.packetSwitchPort);
    add(inventory.packetSwitchPorts / portsPerGpu, book.switchTransceiver);
    add(inventory.circuitSwitchPorts, book.circuitSwitchPort);
    add(inventory.circuitSwitches > 0 ? inventory.fibres : inventory.fibres / portsPerGpu,
        book.fibre);
    return total;
}

} // namespace photonic
} // namespace ns3
