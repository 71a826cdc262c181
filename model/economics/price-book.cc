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
    return number && value <= 1e12 ? value : -1;
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

PriceBook
Parse(const std::string& name, std::istream& text)
{
    PriceBook book;
    book.name = name;
    uint32_t number = 0;
    std::set<std::string> seen;
    for (std::string line; std::getline(text, line);)
    {
        number++;
        if (number == 1 && line.rfind("\xef\xbb\xbf", 0) == 0)
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
        const auto expect = [&](bool fine, const std::string& what) {
            if (!fine)
            {
                throw std::invalid_argument(name + ":" + std::to_string(number) + ": found '" +
                                            line + "', expected " + what);
            }
        };
        expect(fields.size() == 4, "part, per, watts and dollars");
        Price* price = FindPart(book, fields[0]);
        expect(price,
               "nic-transceiver, switch-transceiver, packet-switch, circuit-switch, fibre or nic");
        const double per = ParseNumber(fields[1]);
        const double watts = ParseNumber(fields[2]);
        const double dollars = ParseNumber(fields[3]);
        expect(per >= 1, "for how many ports or pieces the numbers are");
        expect(watts >= 0 && dollars >= 0, "watts and dollars of at least 0");
        expect(seen.insert(fields[0]).second, "each part once");
        *price = {watts / per, dollars / per};
    }
    if (seen.empty())
    {
        throw std::invalid_argument(name + ": found no part, expected lines of " + HEADER);
    }
    return book;
}

} // namespace

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
        auto parsed = Parse(book, text);
        parsed.rate = book == "p2-800g" ? "800 Gbps" : "400 Gbps";
        return parsed;
    }
    std::ifstream file(book);
    if (!std::filesystem::is_regular_file(book) || !file ||
        file.peek() == std::ifstream::traits_type::eof())
    {
        throw std::invalid_argument(book + ": cannot be read, or is empty; expected " +
                                    boost::algorithm::join(GetNames(), ", ") + " or a file");
    }
    return Parse(book, file);
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
