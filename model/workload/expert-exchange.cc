/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "expert-exchange.h"

#include "ns3/divide-up.h"
#include "ns3/hierarchical-collective.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace photonic
{

namespace
{

using Step = ExpertExchange::Step;

Step
MakeUneven(GroupSlot slot, Ptr<const AllToAllBytes> shares)
{
    return {slot, CollectiveKind::ALL_TO_ALL, shares->GetLargestTotal(), shares};
}

/// @return the sizes of the way back
Ptr<const AllToAllBytes>
Transpose(const AllToAllBytes& shares)
{
    auto back = Create<AllToAllBytes>(shares.GetN());
    for (uint32_t from = 0; from < shares.GetN(); ++from)
    {
        for (uint32_t to = 0; to < shares.GetN(); ++to)
        {
            back->Set(to, from, shares.Get(from, to));
        }
    }
    return back;
}

/// @return what members of a round's ring have for their neighbours
Ptr<const AllToAllBytes>
TakeRound(const AllToAllBytes& shares, uint32_t position, uint32_t round)
{
    const uint32_t n = shares.GetN();
    const uint32_t cycles = std::gcd(n, round);
    const uint32_t size = n / cycles;
    auto taken = Create<AllToAllBytes>(size);
    const auto at = [&](uint32_t i) { return (position % cycles + i % size * round) % n; };
    for (uint32_t i = 0; i < size; ++i)
    {
        const uint32_t next = (i + 1) % size;
        taken->Set(i, next, shares.Get(at(i), at(next)));
        taken->Set(next, i, shares.Get(at(next), at(i)));
    }
    return taken;
}

/// Add the exchange on a rail.
void
AddRail(std::vector<Step>& steps,
        uint32_t rounds,
        uint32_t position,
        Ptr<const AllToAllBytes> shares)
{
    if (rounds == 0)
    {
        steps.push_back(MakeUneven(GroupSlot::EP, shares));
    }
    for (uint32_t round = 1; round <= rounds; ++round)
    {
        steps.push_back(MakeUneven(GetRoundSlot(round), TakeRound(*shares, position, round)));
    }
}

} // namespace

ExpertExchange::ExpertExchange(const ParallelPlan& plan, uint64_t bytes)
{
    const uint32_t local = plan.GetLocalSize(GroupSlot::EP);
    const uint32_t onRail = plan.GetDegrees().ep / local;
    for (const auto& level : MakeHierarchical(CollectiveKind::ALL_TO_ALL, bytes, local))
    {
        if (level.local)
        {
            if (local > 1)
            {
                m_dispatch.push_back({GroupSlot::EP_LOCAL, level.kind, level.bytes, nullptr});
            }
            continue;
        }
        if (plan.GetRounds() == 0)
        {
            m_dispatch.push_back({GroupSlot::EP, level.kind, level.bytes, nullptr});
        }
        for (uint32_t round = 1; round <= plan.GetRounds(); ++round)
        {
            // A share each for the members on both sides, who may be one.
            const uint64_t share = DivideUp(level.bytes, onRail);
            m_dispatch.push_back({GetRoundSlot(round),
                                  CollectiveKind::RING_EXCHANGE,
                                  2 * round == onRail ? share : 2 * share,
                                  nullptr});
        }
    }
    m_combine.assign(m_dispatch.rbegin(), m_dispatch.rend());
}

ExpertExchange::ExpertExchange(const ParallelPlan& plan,
                               uint32_t position,
                               const std::vector<uint64_t>& bytesTo)
{
    const uint32_t local = plan.GetLocalSize(GroupSlot::EP);
    const uint32_t onRail = plan.GetDegrees().ep / local;
    // Positions on a node differ by 1. First what is for a rail goes to the member there.
    auto toRails = Create<AllToAllBytes>(local);
    auto onRails = Create<AllToAllBytes>(onRail);
    for (uint32_t to = 0; to < bytesTo.size(); ++to)
    {
        for (uint32_t from = 0; from < local; ++from)
        {
            toRails->Set(from, to % local, toRails->Get(from, to % local) + bytesTo[to]);
        }
        for (uint32_t from = 0; from < onRail && to % local == position % local; ++from)
        {
            onRails->Set(from, to / local, local * bytesTo[to]);
        }
    }
    if (local > 1)
    {
        m_dispatch.push_back(MakeUneven(GroupSlot::EP_LOCAL, toRails));
    }
    AddRail(m_dispatch, plan.GetRounds(), position / local, onRails);
    AddRail(m_combine, plan.GetRounds(), position / local, Transpose(*onRails));
    std::reverse(m_combine.begin(), m_combine.end());
    if (local > 1)
    {
        m_combine.push_back(MakeUneven(GroupSlot::EP_LOCAL, Transpose(*toRails)));
    }
}

const std::vector<ExpertExchange::Step>&
ExpertExchange::GetDispatch() const
{
    return m_dispatch;
}

const std::vector<ExpertExchange::Step>&
ExpertExchange::GetCombine() const
{
    return m_combine;
}

} // namespace photonic
} // namespace ns3
