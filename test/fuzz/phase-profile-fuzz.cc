/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"

#include "ns3/phase-profile.h"

#include <sstream>

using namespace ns3::photonic;

namespace
{

std::string
Write(const PhaseProfile& profile)
{
    std::ostringstream os;
    profile.Write(os);
    return os.str();
}

} // namespace

int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    Accepts("p.txt:", [&] {
        std::istringstream is(ToText(data, size));
        const auto profile = PhaseProfile::Read(is, "p.txt", "job");
        Require(profile.GetRanks() <= PhaseProfile::MAX_RANKS, "ranks are few");
        Require(profile.GetFingerprint() == "job", "it is the job's");
        const std::string text = Write(profile);
        std::istringstream written(text);
        const auto again = PhaseProfile::Read(written, "written.txt", "job");
        Require(Write(again) == text, "what is written is read again");
    });
    return 0;
}
