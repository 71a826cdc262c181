/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "options-faults.h"

#include "options-form.h"

#include "ns3/random-quantity.h"

#include <memory>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// @return the number of a rank, or ALL
uint32_t
ParseRank(const std::string& text)
{
    return text == "all" ? FaultOptions::ALL : ParseWhole(text, 0, MAX_COUNT - 1);
}

std::vector<FaultOptions::Straggler>
ParseStragglers(const std::string& text)
{
    std::vector<FaultOptions::Straggler> stragglers;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');)
    {
        const auto colon = part.find(':');
        if (colon == std::string::npos)
        {
            throw std::invalid_argument("expected RANK:FACTOR or all:FACTOR, such as 3:1.5");
        }
        const auto factor = part.substr(colon + 1);
        ParseRandomNumber(factor); // or it throws
        stragglers.push_back({ParseRank(part.substr(0, colon)), factor});
    }
    if (stragglers.empty() || text.back() == ',')
    {
        throw std::invalid_argument("expected RANK:FACTOR or all:FACTOR, such as 3:1.5");
    }
    return stragglers;
}

} // namespace

Form
FaultFile()
{
    return {"FILE",
            [](Options& o, const std::string& text) {
                o.faults.schedule =
                    std::make_shared<const FaultSchedule>(FaultSchedule::Read(text));
                o.faults.file = text;
            },
            [](const Options& o) { return FileName(o.faults.file); }};
}

Form
RandomTime(std::string FaultOptions::* field)
{
    return {"TIME|uniform:TIME:TIME|exponential:TIME|normal:TIME:TIME",
            [field](Options& o, const std::string& text) {
                ParseRandomTime(text); // or it throws
                o.faults.*field = text;
            },
            [field](const Options& o) { return o.faults.*field; }};
}

Form
Stragglers()
{
    return {
        "RANK:FACTOR,...",
        [](Options& o, const std::string& text) { o.faults.stragglers = ParseStragglers(text); },
        [](const Options& o) {
            std::vector<std::string> parts;
            for (const auto& [rank, factor] : o.faults.stragglers)
            {
                parts.push_back((rank == FaultOptions::ALL ? "all" : std::to_string(rank)) + ":" +
                                factor);
            }
            return Join(parts, ",");
        }};
}

Form
BitErrorRate()
{
    return {"1e-12..0.5",
            [](Options& o, const std::string& text) {
                std::istringstream stream(text);
                const bool number = text.size() <= 18 &&
                                    text.find_first_not_of("0123456789.e-") == std::string::npos &&
                                    stream >> o.faults.bitErrorRate &&
                                    stream.peek() == std::istringstream::traits_type::eof();
                if (!number || !(o.faults.bitErrorRate >= 1e-12 && o.faults.bitErrorRate <= 0.5))
                {
                    throw std::invalid_argument("expected a rate from 1e-12 to 0.5");
                }
            },
            [](const Options& o) {
                std::ostringstream text;
                text << o.faults.bitErrorRate;
                return o.faults.bitErrorRate > 0 ? text.str() : std::string();
            }};
}

void
CheckFaults(const Options& o)
{
    const auto refuse = [](const std::string& name, const std::string& expected) {
        throw std::invalid_argument("--" + name + ": expected " + expected);
    };
    for (const char* name : {"faults", "bringUp", "turningTime", "straggler", "ber"})
    {
        if (o.given.count(name) && o.mpi != "off")
        {
            refuse(name, "--mpi=off");
        }
    }
    const auto& faults = o.faults;
    if (faults.schedule && o.compare)
    {
        refuse("faults", "no --compare");
    }
    if (!faults.turningTime.empty() && o.fabric != "photonic")
    {
        refuse("turningTime", "--fabric=photonic, whose circuit switches turn");
    }
    if (!faults.bringUp.empty() && o.IsSip())
    {
        refuse("bringUp", "no --fabric=" + o.fabric + ", whose wavelengths take none");
    }
    if (!faults.bringUp.empty() && o.fidelity == "collective")
    {
        refuse("bringUp",
               "--fidelity=packet or message, as --fidelity=collective takes circuits to carry at "
               "once");
    }
    if (faults.schedule && o.fidelity == "collective" &&
        !faults.schedule->FindNetworkFault().empty())
    {
        refuse("faults",
               "--fidelity=packet or message, as --fidelity=collective has no lines for " +
                   faults.schedule->FindNetworkFault());
    }
    const bool errors = faults.schedule && faults.schedule->HasBitErrors();
    if ((errors || faults.bitErrorRate > 0) && o.fidelity != "packet")
    {
        refuse(errors ? "faults" : "ber",
               "--fidelity=packet, as --fidelity=" + o.fidelity + " has no packets with errors");
    }
    for (const auto& straggler : faults.stragglers)
    {
        if (straggler.rank != FaultOptions::ALL && straggler.rank >= o.gpus)
        {
            refuse("straggler=" + std::to_string(straggler.rank) + ":" + straggler.factor,
                   "a rank of the " + std::to_string(o.gpus) + " GPUs");
        }
    }
}

} // namespace photonic
} // namespace ns3
