/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "pair-volumes.h"

#include <deque>

namespace ns3
{
namespace photonic
{

namespace
{

/// Goes from phase to phase, as SharePairVolumes() says.
class PairVolumes
{
  public:
    PairVolumes(std::vector<ReplayedStage>& stages,
                const std::vector<std::vector<uint64_t>>& bytes);

    void ShareAll();

  private:
    struct Place
    {
        std::size_t stage;
        std::size_t phase;
    };

    /// Operations of a phase.
    struct Range
    {
        std::size_t begin;
        std::size_t end;
    };

    const ReplayedOperation& GetPeer(std::size_t stage, const ReplayedOperation& o) const;
    bool IsPeerKnown(std::size_t stage, const ReplayedOperation& o) const;
    /// @return whether its peer is known to send nothing
    bool HasToSend(std::size_t stage, const ReplayedOperation& o) const;
    void Examine(const Place& place);
    void Share(const Place& place);

    std::vector<ReplayedStage>& m_stages;
    const std::vector<std::vector<uint64_t>>& m_bytes;
    std::vector<std::vector<Range>> m_ranges; ///< by stage and phase
    std::vector<std::vector<bool>> m_known;   ///< by stage and phase
    std::vector<Place> m_phases;              ///< of pipeline operations
    std::vector<Place> m_agenda;              ///< phases of which more is known than before
    std::deque<Place> m_guesses;              ///< phases of which some peers are not known
};

PairVolumes::PairVolumes(std::vector<ReplayedStage>& stages,
                         const std::vector<std::vector<uint64_t>>& bytes)
    : m_stages(stages),
      m_bytes(bytes)
{
    for (std::size_t s = 0; s < stages.size(); ++s)
    {
        m_ranges.emplace_back();
        m_known.emplace_back(stages[s].phases.size());
        std::size_t begin = 0;
        for (std::size_t i = 0; i < stages[s].operations.size(); ++i)
        {
            if (stages[s].IsLastOfPhase(i))
            {
                m_ranges[s].push_back({begin, i + 1});
                begin = i + 1;
            }
        }
        for (std::size_t p = 0; p < stages[s].phases.size(); ++p)
        {
            if (stages[s].phases[p].parallelism == Parallelism::PP)
            {
                m_phases.push_back({s, p});
            }
        }
    }
}

void
PairVolumes::ShareAll()
{
    for (const auto& [s, p] : m_phases)
    {
        if (m_bytes[s][p] == 0 || m_stages[s].phases[p].collectives == 1)
        {
            Share({s, p});
        }
    }
    auto unknown = m_phases.begin();
    while (true)
    {
        if (!m_agenda.empty())
        {
            const Place place = m_agenda.back();
            m_agenda.pop_back();
            Examine(place);
        }
        else if (!m_guesses.empty())
        {
            Share(m_guesses.front());
            m_guesses.pop_front();
        }
        else if (unknown != m_phases.end())
        {
            Share(*unknown++);
        }
        else
        {
            return;
        }
    }
}

const ReplayedOperation&
PairVolumes::GetPeer(std::size_t stage, const ReplayedOperation& o) const
{
    const std::size_t other = o.slot == GroupSlot::PP_NEXT ? stage + 1 : stage - 1;
    return m_stages[other].operations[o.peer];
}

bool
PairVolumes::IsPeerKnown(std::size_t stage, const ReplayedOperation& o) const
{
    const std::size_t other = o.slot == GroupSlot::PP_NEXT ? stage + 1 : stage - 1;
    return m_known[other][GetPeer(stage, o).phase];
}

bool
PairVolumes::HasToSend(std::size_t stage, const ReplayedOperation& o) const
{
    return IsPeerKnown(stage, o) && GetPeer(stage, o).bytes == 0;
}

void
PairVolumes::Examine(const Place& place)
{
    if (m_known[place.stage][place.phase])
    {
        return;
    }
    bool allKnown = true;
    bool someHaveTo = false;
    const auto& [begin, end] = m_ranges[place.stage][place.phase];
    for (std::size_t i = begin; i < end; ++i)
    {
        const auto& o = m_stages[place.stage].operations[i];
        allKnown = allKnown && IsPeerKnown(place.stage, o);
        someHaveTo = someHaveTo || HasToSend(place.stage, o);
    }
    if (allKnown)
    {
        Share(place);
    }
    else if (someHaveTo)
    {
        m_guesses.push_back(place);
    }
}

void
PairVolumes::Share(const Place& place)
{
    const auto& [stage, phase] = place;
    if (m_known[stage][phase])
    {
        return;
    }
    auto& operations = m_stages[stage].operations;
    const auto& [begin, end] = m_ranges[stage][phase];
    uint64_t senders = 0;
    for (std::size_t i = begin; i < end; ++i)
    {
        senders += HasToSend(stage, operations[i]);
    }
    const bool all = senders == 0;
    const uint64_t shares = all ? end - begin : senders;
    uint64_t left = m_bytes[stage][phase] % shares;
    for (std::size_t i = begin; i < end; ++i)
    {
        auto& o = operations[i];
        const bool sends = all || HasToSend(stage, o);
        const bool more = sends && left > 0;
        o.bytes = sends ? m_bytes[stage][phase] / shares + (more ? 1 : 0) : 0;
        left -= more ? 1 : 0;
        m_agenda.push_back(
            {o.slot == GroupSlot::PP_NEXT ? stage + 1 : stage - 1, GetPeer(stage, o).phase});
    }
    m_known[stage][phase] = true;
}

} // namespace

void
SharePairVolumes(std::vector<ReplayedStage>& stages,
                 const std::vector<std::vector<uint64_t>>& bytes)
{
    PairVolumes(stages, bytes).ShareAll();
}

} // namespace photonic
} // namespace ns3
