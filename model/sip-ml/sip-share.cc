/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-share.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

__extension__ typedef unsigned __int128 Wide;

uint32_t
Saturate(Wide value)
{
    return value > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(value);
}

} // namespace

bool
SipShare::operator<(const SipShare& other) const
{
    return Wide(count) * other.bytes < Wide(other.count) * bytes;
}

uint32_t
SipShare::GetLeast(uint64_t demand) const
{
    return Saturate((Wide(count) * demand + bytes - 1) / bytes);
}

uint32_t
SipShare::GetMostBelow(uint64_t demand) const
{
    const uint32_t least = GetLeast(demand);
    return least ? least - 1 : 0;
}

double
SipShare::Normalise(uint64_t largest) const
{
    return static_cast<double>(count) * largest / bytes;
}

bool
SipNeed::operator<(const SipNeed& other) const
{
    if (share < other.share || other.share < share)
    {
        return other.share < share;
    }
    return share.bytes != other.share.bytes ? share.bytes < other.share.bytes : pair > other.pair;
}

SipShare
GetWorstShare(const std::vector<uint64_t>& demands, const std::vector<uint32_t>& counts)
{
    SipShare worst{demands.empty() ? 0 : uint64_t{UINT32_MAX}, 1};
    for (size_t i = 0; i < demands.size(); ++i)
    {
        worst = std::min(worst, SipShare{counts[i], demands[i]});
    }
    return worst;
}

SipShare
GetNextShare(const std::vector<uint64_t>& demands, const SipShare& above)
{
    SipShare next{UINT32_MAX, 1};
    for (const uint64_t bytes : demands)
    {
        const auto most = static_cast<uint64_t>(Wide(above.count) * bytes / above.bytes);
        next = std::min(next, SipShare{most + 1, bytes});
    }
    return next;
}

bool
FindMiddleShare(const std::vector<uint64_t>& demands, const SipShare& above, SipShare& below)
{
    // The median of the pairs' medians, each weighted by its number of shares in between, has at
    // least a quarter of all on either side.
    std::vector<std::pair<SipShare, uint64_t>> medians;
    uint64_t total = 0;
    for (const uint64_t bytes : demands)
    {
        const uint32_t first = Saturate(Wide(above.count) * bytes / above.bytes + 1);
        const uint32_t last = below.GetMostBelow(bytes);
        if (first <= last)
        {
            const uint64_t number = uint64_t{last} - first + 1;
            medians.push_back({{first + (number - 1) / 2, bytes}, number});
            total += number;
        }
    }
    std::sort(medians.begin(), medians.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    uint64_t passed = 0;
    for (const auto& [share, number] : medians)
    {
        passed += number;
        if (2 * passed >= total)
        {
            below = share;
            return true;
        }
    }
    return false;
}

} // namespace photonic
} // namespace ns3
