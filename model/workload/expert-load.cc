/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "expert-load.h"

#include "ns3/double.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr double MAX_SKEW = 10;
constexpr double MAX_CAPACITY = 1e6;

/// @return how popular each expert of a layer is, in proportion
std::vector<double>
DrawPopularity(const ExpertRouting& routing, uint32_t layer, uint32_t experts)
{
    auto normal = CreateObject<NormalRandomVariable>();
    normal->SetStream(routing.stream + layer);
    std::vector<double> popularity(experts, 1.0);
    for (double& p : popularity)
    {
        p = routing.skew > 0 ? std::exp(routing.skew * normal->GetValue()) : 1.0;
    }
    return popularity;
}

/**
 * @param total to be shared out in proportion @param weights above 0 @param most of a share; all
 *        together can hold the total
 * @return shares that add up to the total
 */
std::vector<uint64_t>
Apportion(uint64_t total, const std::vector<double>& weights, uint64_t most)
{
    std::vector<uint64_t> shares(weights.size());
    std::vector<std::size_t> open(weights.size());
    std::iota(open.begin(), open.end(), 0);
    // Who gets the most in proportion gets it, and leaves the others the rest to share.
    std::stable_sort(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
        return weights[a] > weights[b];
    });
    const auto add = [&] {
        return std::accumulate(open.begin(), open.end(), 0.0, [&](double sum, std::size_t i) {
            return sum + weights[i];
        });
    };
    double sum = add();
    while (!open.empty() && total * (weights[open.front()] / sum) >= static_cast<double>(most))
    {
        shares[open.front()] = most;
        total -= most;
        open.erase(open.begin());
        sum = add();
    }
    std::vector<double> remainders(weights.size());
    uint64_t given = 0;
    for (std::size_t i : open)
    {
        const double exact = total * (weights[i] / sum);
        shares[i] = std::min<uint64_t>(std::floor(exact), most);
        remainders[i] = exact - shares[i];
        given += shares[i];
    }
    std::stable_sort(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
        return remainders[a] > remainders[b];
    });
    for (std::size_t at = 0; given < total; at = (at + 1) % open.size())
    {
        const bool fits = shares[open[at]] < most;
        shares[open[at]] += fits;
        given += fits;
    }
    return shares;
}

} // namespace

ExpertLoad::ExpertLoad(const ExpertRouting& routing,
                       uint32_t layer,
                       uint64_t tokens,
                       uint32_t experts,
                       uint32_t chosen)
    : m_byExpert(Apportion(tokens * chosen, DrawPopularity(routing, layer, experts), tokens))
{
    if (routing.capacityFactor == 0)
    {
        return;
    }
    const double even = static_cast<double>(tokens) * chosen / experts;
    const auto capacity = static_cast<uint64_t>(std::ceil(routing.capacityFactor * even));
    for (uint64_t& copies : m_byExpert)
    {
        m_dropped += copies - std::min(copies, capacity);
        copies = std::min(copies, capacity);
    }
}

std::vector<uint64_t>
ExpertLoad::GetByRank(uint32_t ranks) const
{
    const std::size_t each = m_byExpert.size() / ranks;
    std::vector<uint64_t> byRank;
    for (auto expert = m_byExpert.begin(); expert != m_byExpert.end(); expert += each)
    {
        byRank.push_back(std::accumulate(expert, expert + each, uint64_t{0}));
    }
    return byRank;
}

const std::vector<uint64_t>&
ExpertLoad::GetByExpert() const
{
    return m_byExpert;
}

uint64_t
ExpertLoad::GetDropped() const
{
    return m_dropped;
}

void
CheckExpertRouting(const ExpertRouting& routing)
{
    if (!(routing.skew >= 0 && routing.skew <= MAX_SKEW))
    {
        throw std::invalid_argument("expert skew " + std::to_string(routing.skew) +
                                    ": expected 0 to " + std::to_string(MAX_SKEW));
    }
    if (!(routing.capacityFactor >= 0 && routing.capacityFactor <= MAX_CAPACITY))
    {
        throw std::invalid_argument("capacity factor " + std::to_string(routing.capacityFactor) +
                                    ": expected 0 to " + std::to_string(MAX_CAPACITY));
    }
}

} // namespace photonic
} // namespace ns3
