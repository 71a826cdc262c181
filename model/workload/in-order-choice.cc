/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "in-order-choice.h"

#include <limits>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

std::vector<std::size_t>
ChooseInOrder(const std::vector<Time>& times, const std::vector<Time>& partners)
{
    if (partners.size() < times.size())
    {
        throw std::invalid_argument(std::to_string(times.size()) + " instants cannot have " +
                                    std::to_string(partners.size()) + " partners");
    }
    // The partner of i is i + s, where s of the partners before it are left out: s only grows.
    const std::size_t shifts = partners.size() - times.size() + 1;
    std::vector<double> least(shifts, 0); // sum of distances so far, with the latest shift up to s
    std::vector<std::vector<bool>> taken(times.size(), std::vector<bool>(shifts));
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t s = 0; s < shifts; ++s)
        {
            const double distance =
                static_cast<double>(Abs(times[i] - partners[i + s]).GetTimeStep());
            taken[i][s] = least[s] + distance <= best;
            best = taken[i][s] ? least[s] + distance : best;
            least[s] = best;
        }
    }
    std::vector<std::size_t> chosen(times.size());
    std::size_t s = shifts - 1;
    for (std::size_t i = times.size(); i-- > 0;)
    {
        while (!taken[i][s])
        {
            --s;
        }
        chosen[i] = i + s;
    }
    return chosen;
}

} // namespace photonic
} // namespace ns3
