/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PROGRAM_TIMES_H
#define PHOTONIC_PROGRAM_TIMES_H

#include "ns3/step-program.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * When the operations of a step run on a network without contention: every stage's as soon as its
 * dependencies and streams allow. Transfers take no time and sends are eager; of the collectives,
 * those over the pipeline wait for all stages. Independent of the simulator.
 */
class ProgramTimes
{
  public:
    using Duration = std::function<Time(const Operation&)>;

    /// @param programs of all stages @param ofCollective duration of a collective; null: none
    explicit ProgramTimes(const std::vector<Ptr<const StepProgram>>& programs,
                          Duration ofCollective = nullptr)
        : m_programs(programs)
    {
        for (const auto& p : programs)
        {
            const std::size_t n = p->GetOperations().size();
            starts.emplace_back(n);
            ends.emplace_back(n);
            m_started.emplace_back(n);
            m_complete.emplace_back(n);
            m_ready.emplace_back(n);
            m_waiting.emplace_back();
            for (std::size_t i = 0; i < n; ++i)
            {
                m_waiting.back().push_back(p->GetPredecessorCount(i));
            }
            left += n;
        }
        for (bool moved = true; moved;)
        {
            moved = false;
            for (uint32_t k = 0; k < programs.size(); ++k)
            {
                for (uint32_t i = 0; i < m_waiting[k].size(); ++i)
                {
                    moved = Advance(k, i, ofCollective) || moved;
                }
            }
        }
    }

    /// @return the end of the last operation but the optimiser's
    Time GetEnd() const
    {
        Time end;
        for (std::size_t k = 0; k < ends.size(); ++k)
        {
            for (std::size_t i = 0; i < ends[k].size(); ++i)
            {
                if (m_programs[k]->GetOperations()[i].label != "optimizer")
                {
                    end = std::max(end, ends[k][i]);
                }
            }
        }
        return end;
    }

    /// @param stage a stage @return what it computes, without the optimiser
    Time GetWork(uint32_t stage) const
    {
        Time work;
        for (const Operation& o : m_programs[stage]->GetOperations())
        {
            work += o.label == "optimizer" ? Time() : o.duration;
        }
        return work;
    }

    std::vector<std::vector<Time>> starts; ///< by stage and operation
    std::vector<std::vector<Time>> ends;   ///< by stage and operation
    std::size_t left{0};                   ///< operations that never complete
    bool disagrees{false};                 ///< whether a receiver expects other bytes than are sent

  private:
    bool Advance(uint32_t k, uint32_t i, const Duration& ofCollective)
    {
        if (m_complete[k][i] || m_waiting[k][i] > 0)
        {
            return false;
        }
        const uint32_t stages = m_programs.size();
        const Operation& o = m_programs[k]->GetOperations()[i];
        const bool isUpper = o.slot == GroupSlot::PP_PREVIOUS;
        const bool isPair = isUpper || o.slot == GroupSlot::PP_NEXT;
        const uint32_t home = isUpper ? (k + stages - 1) % stages : k;
        bool moved = false;
        if (!m_started[k][i])
        {
            m_started[k][i] = moved = true;
            starts[k][i] = ends[k][i] = m_ready[k][i];
            if (isPair && o.kind != CollectiveKind::RECEIVE)
            {
                m_sent[{home, o.counter, !isUpper}] = {o.bytes, starts[k][i]};
            }
            if (o.slot == GroupSlot::PP)
            {
                m_joined[o.counter].first++;
                m_joined[o.counter].second = std::max(m_joined[o.counter].second, starts[k][i]);
            }
        }
        Time end = starts[k][i] + o.duration;
        if (isPair && o.kind != CollectiveKind::SEND)
        {
            const auto message = m_sent.find({home, o.counter, isUpper});
            if (message == m_sent.end())
            {
                return moved;
            }
            disagrees = disagrees || message->second.first != o.receiveBytes;
            end = std::max(end, message->second.second);
        }
        else if (o.slot == GroupSlot::PP)
        {
            if (m_joined[o.counter].first < stages)
            {
                return moved;
            }
            end = std::max(end, m_joined[o.counter].second);
        }
        if (!o.IsCompute() && !isPair && ofCollective)
        {
            end += ofCollective(o);
        }
        m_complete[k][i] = true;
        ends[k][i] = end;
        --left;
        for (const auto& d : m_programs[k]->GetDependents(i))
        {
            --m_waiting[k][d.operation];
            m_ready[k][d.operation] = std::max(m_ready[k][d.operation], end);
        }
        return true;
    }

    std::vector<Ptr<const StepProgram>> m_programs;
    std::vector<std::vector<bool>> m_started;
    std::vector<std::vector<bool>> m_complete;
    std::vector<std::vector<Time>> m_ready;
    std::vector<std::vector<uint32_t>> m_waiting;
    /// By home of the pair, counter and direction: bytes, moment.
    std::map<std::tuple<uint32_t, uint32_t, bool>, std::pair<uint64_t, Time>> m_sent;
    std::map<uint32_t, std::pair<uint32_t, Time>> m_joined; ///< of the pipeline, by counter
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PROGRAM_TIMES_H
