/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "replayed-step.h"

#include "in-order-choice.h"
#include "pair-volumes.h"
#include "stage-layout.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

/// Of a stage in a step: pairs are found in a time that grows with the square.
constexpr uint64_t MAX_COLLECTIVES = 100000;
constexpr uint64_t NORM_BYTES = 4;      ///< the fp32 square of the gradient norm
constexpr uint64_t PARAMETER_BYTES = 2; ///< bf16

/// What the collectives of a phase are in a program.
struct PhaseMeaning
{
    GroupSlot slot; ///< group; of a pipeline operation not known yet; NONE: cannot be replayed
    const char* degree;
};

PhaseMeaning
GetMeaning(Parallelism parallelism)
{
    switch (parallelism)
    {
    case Parallelism::FSDP:
        return {GroupSlot::FSDP, "--fsdp"};
    case Parallelism::DP:
        return {GroupSlot::DP, "--dp"};
    case Parallelism::PP:
        return {GroupSlot::PP_NEXT, "--pp"};
    case Parallelism::OTHER: // several groups, see AddOperations()
    case Parallelism::TP:
    case Parallelism::CP:
    case Parallelism::EP:
    case Parallelism::MP:
        break;
    }
    return {GroupSlot::NONE, ""};
}

/// @return when each operation began, if those of a phase followed each other evenly
std::vector<Time>
GetInstants(const ReplayedStage& stage)
{
    std::vector<Time> instants;
    std::size_t first = 0; // operation of the phase
    for (std::size_t i = 0; i < stage.operations.size(); ++i)
    {
        const Phase& phase = stage.phases[stage.operations[i].phase];
        const double share =
            phase.collectives > 1 ? double(i - first) / (phase.collectives - 1) : 0;
        const auto into = static_cast<double>((phase.end - phase.start).GetTimeStep()) * share;
        instants.push_back(phase.start + TimeStep(static_cast<uint64_t>(into)));
        first = stage.IsLastOfPhase(i) ? i + 1 : first;
    }
    return instants;
}

std::string
Name(const Phase& phase)
{
    return "stage " + std::to_string(phase.stage) + " phase " + std::to_string(phase.number);
}

} // namespace

ReplayedStep::ReplayedStep(const PhaseTrace& trace, uint32_t step, const TrainingPlan& plan)
    : m_step(step),
      m_plan(plan)
{
    FindSteps(trace);
    AddPhases(trace);
    m_groups = GetGroups();
    const ParallelPlan ranks(m_plan.degrees);
    m_ranks = std::max(1U, ranks.GetNodes() / m_plan.degrees.pp);
    for (uint32_t stage = 0; stage < m_stages.size(); ++stage)
    {
        AddOperations(stage);
    }
    FindPairs();
    FindWaits();
    SetVolumes(trace.hasBytes);
    SetCounters();
}

const std::vector<ReplayedStage>&
ReplayedStep::GetStages() const
{
    return m_stages;
}

Time
ReplayedStep::GetStart() const
{
    return m_start;
}

std::optional<Time>
ReplayedStep::GetNextStart() const
{
    return m_nextStart;
}

std::optional<uint32_t>
ReplayedStep::GetStepBefore() const
{
    return m_stepBefore;
}

void
ReplayedStep::Refuse(const std::string& where, const std::string& what) const
{
    throw std::invalid_argument("step " + std::to_string(m_step) + " " + where + ": " + what);
}

void
ReplayedStep::FindSteps(const PhaseTrace& trace)
{
    if (trace.phases.empty())
    {
        throw std::invalid_argument("there are no phases, expected rows behind the header");
    }
    m_rail = trace.phases.front().rail;
    uint64_t stages = 0;
    bool found = false;
    uint32_t first = UINT32_MAX;
    uint32_t last = 0;
    std::optional<uint32_t> next;
    for (const Phase& phase : trace.phases)
    {
        if (phase.rail != m_rail)
        {
            continue;
        }
        stages = std::max(stages, uint64_t{phase.stage} + 1);
        first = std::min(first, phase.step);
        last = std::max(last, phase.step);
        if (phase.step == m_step)
        {
            m_start = found ? std::min(m_start, phase.start) : phase.start;
            found = true;
        }
        else if (phase.step < m_step)
        {
            m_stepBefore = std::max(phase.step, m_stepBefore.value_or(0));
        }
        else
        {
            next = std::min(phase.step, next.value_or(UINT32_MAX));
        }
    }
    if (stages != m_plan.degrees.pp)
    {
        throw std::invalid_argument(
            "the trace has " + std::to_string(stages) +
            " pipeline stages, expected those of --pp=" + std::to_string(m_plan.degrees.pp));
    }
    if (!found)
    {
        throw std::invalid_argument("the trace has no step " + std::to_string(m_step) +
                                    ", expected --replayStep from " + std::to_string(first) +
                                    " to " + std::to_string(last));
    }
    for (const Phase& phase : trace.phases)
    {
        if (next && phase.rail == m_rail && phase.step == *next)
        {
            m_nextStart = std::min(phase.start, m_nextStart.value_or(Time::Max()));
        }
    }
}

void
ReplayedStep::AddPhases(const PhaseTrace& trace)
{
    m_stages.resize(m_plan.degrees.pp);
    for (const Phase& phase : trace.phases)
    {
        if (phase.rail != m_rail || phase.step != m_step)
        {
            continue;
        }
        auto& phases = m_stages[phase.stage].phases;
        if (!phases.empty() && phases.back().number == phase.number)
        {
            Refuse(Name(phase), "found twice, expected once");
        }
        phases.push_back(phase);
    }
    for (std::size_t stage = 0; stage < m_stages.size(); ++stage)
    {
        if (m_stages[stage].phases.empty())
        {
            Refuse("stage " + std::to_string(stage), "found no phases, expected at least one");
        }
    }
}

std::vector<GroupSlot>
ReplayedStep::GetGroups() const
{
    const ParallelPlan plan(m_plan.degrees);
    std::vector<GroupSlot> groups;
    for (GroupSlot slot : {GroupSlot::FSDP, GroupSlot::PP, GroupSlot::DP})
    {
        if (plan.HasGroup(0, slot) && !plan.IsScaleUp(plan.GetGroup(0, slot)))
        {
            groups.push_back(slot);
        }
    }
    return groups;
}

void
ReplayedStep::AddOperations(uint32_t stage)
{
    auto& [phases, operations] = m_stages[stage];
    uint64_t collectives = 0;
    for (std::size_t i = 0; i < phases.size(); ++i)
    {
        const Phase& phase = phases[i];
        const std::string what = std::string(ToString(phase.parallelism)) + " of " +
                                 std::to_string(phase.collectives) +
                                 (phase.collectives == 1 ? " collective" : " collectives");
        collectives += phase.collectives;
        if (phase.collectives == 0 || collectives > MAX_COLLECTIVES)
        {
            Refuse(Name(phase),
                   "found " + what + ", expected at least 1, and at most " +
                       std::to_string(MAX_COLLECTIVES) + " at a stage");
        }
        if (phase.parallelism == Parallelism::OTHER)
        {
            // The gradient norm is not summed over replicas, which stand last.
            const std::size_t most =
                m_groups.size() - std::count(m_groups.begin(), m_groups.end(), GroupSlot::DP);
            if (phase.collectives > most)
            {
                Refuse(Name(phase),
                       "found " + what + ", expected at most " + std::to_string(most) +
                           ", one for each of the FSDP and pipeline groups that use rails");
            }
            for (uint32_t n = 0; n < phase.collectives; ++n)
            {
                operations.push_back({i, m_groups[n], CollectiveKind::ALL_REDUCE, NORM_BYTES});
            }
            continue;
        }
        const auto [slot, degree] = GetMeaning(phase.parallelism);
        if (slot == GroupSlot::NONE)
        {
            Refuse(Name(phase), "found " + what + ", expected no phases inside a node");
        }
        const GroupSlot group = slot == GroupSlot::PP_NEXT ? GroupSlot::PP : slot;
        if (std::find(m_groups.begin(), m_groups.end(), group) == m_groups.end())
        {
            Refuse(Name(phase),
                   "found " + what + ", expected " + degree +
                       " above 1, and groups that leave their node");
        }
        const auto kind =
            slot == GroupSlot::DP ? CollectiveKind::ALL_REDUCE : CollectiveKind::ALL_GATHER;
        operations.insert(operations.end(), phase.collectives, {i, slot, kind});
    }
}

void
ReplayedStep::FindPairs()
{
    // Of the pipeline operations of a stage, those that are not with the stage before.
    std::vector<std::size_t> left;
    std::vector<Time> times; // of these
    for (std::size_t stage = 0; stage < m_stages.size(); ++stage)
    {
        auto& upper = m_stages[stage];
        std::vector<std::size_t> own;
        for (std::size_t i = 0; i < upper.operations.size(); ++i)
        {
            if (upper.operations[i].slot == GroupSlot::PP_NEXT)
            {
                own.push_back(i);
            }
        }
        const bool isLast = stage + 1 == m_stages.size();
        if (own.size() < left.size() || (isLast && own.size() > left.size()))
        {
            Refuse("stage " + std::to_string(stage),
                   "found " + std::to_string(own.size()) + " pipeline operations, expected " +
                       (isLast ? "" : "at least ") + std::to_string(left.size()) +
                       (stage == 0 ? "" : ", as stage " + std::to_string(stage - 1) + " has left"));
        }
        std::vector<Time> partners;
        const auto instants = GetInstants(upper);
        for (std::size_t i : own)
        {
            partners.push_back(instants[i]);
        }
        const auto chosen = ChooseInOrder(times, partners);
        for (std::size_t n = 0; n < chosen.size(); ++n)
        {
            auto& o = upper.operations[own[chosen[n]]];
            o.slot = GroupSlot::PP_PREVIOUS;
            o.peer = left[n];
            m_stages[stage - 1].operations[left[n]].peer = own[chosen[n]];
        }
        own.erase(std::remove_if(own.begin(),
                                 own.end(),
                                 [&upper](std::size_t i) {
                                     return upper.operations[i].slot != GroupSlot::PP_NEXT;
                                 }),
                  own.end());
        left = std::move(own);
        times.clear();
        for (std::size_t i : left)
        {
            times.push_back(instants[i]);
        }
    }
}

ReplayedOperation&
ReplayedStep::GetPeer(std::size_t stage, const ReplayedOperation& o)
{
    const bool next = o.slot == GroupSlot::PP_NEXT;
    return m_stages[next ? stage + 1 : stage - 1].operations[o.peer];
}

void
ReplayedStep::FindWaits()
{
    for (std::size_t stage = 0; stage < m_stages.size(); ++stage)
    {
        auto& [phases, operations] = m_stages[stage];
        for (std::size_t i = 0; i < operations.size(); ++i)
        {
            auto& o = operations[i];
            if (!o.IsPair())
            {
                continue;
            }
            // By when the stage had gone on, as far as the trace tells.
            Time next = phases[o.phase].end;
            if (m_stages[stage].IsLastOfPhase(i))
            {
                next = o.phase + 1 < phases.size() ? phases[o.phase + 1].start
                                                   : m_nextStart.value_or(Time::Max());
            }
            const std::size_t other = o.slot == GroupSlot::PP_NEXT ? stage + 1 : stage - 1;
            o.waits = next >= m_stages[other].phases[GetPeer(stage, o).phase].start;
        }
    }
}

uint64_t
ReplayedStep::GetBytesOfRank(const Phase& phase) const
{
    return phase.bytes / m_ranks + (phase.bytes % m_ranks > m_ranks / 2 ? 1 : 0);
}

void
ReplayedStep::SetVolumes(bool recorded)
{
    // The last layer of the first stage: where kinds of layers differ, dense ones come first.
    const StageLayout first(m_plan, 0);
    const uint64_t layer = recorded ? 0 : first.GetUnitParameters(first.GetLayers() - 1);
    std::vector<std::vector<uint64_t>> bytes;
    for (auto& [phases, operations] : m_stages)
    {
        bytes.emplace_back();
        for (const Phase& phase : phases)
        {
            bytes.back().push_back(GetBytesOfRank(phase));
        }
        for (auto& o : operations)
        {
            if (o.IsPair())
            {
                o.bytes = m_plan.GetTransferBytes();
            }
            else if (IsRing(phases[o.phase].parallelism))
            {
                // A rank sends all but one of the shares of a ring's total, twice to reduce it.
                const bool isDp = o.slot == GroupSlot::DP;
                const auto& degrees = m_plan.degrees;
                const uint32_t others = (isDp ? degrees.dp : degrees.fsdp) - 1;
                const uint64_t n = phases[o.phase].collectives * (isDp ? 2 : 1);
                const uint64_t sent = (bytes.back()[o.phase] + n / 2) / n;
                o.bytes = recorded ? sent + (sent + others / 2) / others
                          : isDp   ? DivideUp(layer, degrees.fsdp) * m_plan.gradientBytes
                                   : layer * PARAMETER_BYTES;
            }
        }
    }
    if (recorded)
    {
        SharePairVolumes(m_stages, bytes);
    }
    SetDirections(recorded);
}

void
ReplayedStep::SetDirections(bool recorded)
{
    const auto forPairs = [this](auto&& action) {
        for (std::size_t stage = 0; stage < m_stages.size(); ++stage)
        {
            for (auto& o : m_stages[stage].operations)
            {
                if (o.IsPair())
                {
                    action(o, GetPeer(stage, o));
                }
            }
        }
    };
    forPairs([recorded](ReplayedOperation& o, ReplayedOperation& peer) {
        // Who did not wait cannot have needed what it received.
        if (!recorded && !o.waits)
        {
            peer.bytes = 0;
        }
    });
    forPairs([](ReplayedOperation& o, const ReplayedOperation& peer) {
        o.receiveBytes = peer.bytes;
        const bool sends = o.bytes > 0;
        const bool receives = peer.bytes > 0;
        o.kind = sends == receives ? CollectiveKind::SEND_RECEIVE
                 : sends           ? CollectiveKind::SEND
                                   : CollectiveKind::RECEIVE;
        // Computation does not wait for sends.
        o.waits = o.waits && o.kind != CollectiveKind::SEND;
    });
}

void
ReplayedStep::SetCounters()
{
    for (auto& stage : m_stages)
    {
        std::array<uint32_t, GROUP_SLOTS> counters{};
        for (auto& o : stage.operations)
        {
            o.counter = counters[static_cast<std::size_t>(o.slot)]++;
        }
    }
}

} // namespace photonic
} // namespace ns3
