/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "phase-replay.h"

#include "program-join.h"
#include "replayed-step.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

using Dependency = Operation::Dependency;

/**
 * When the stages of a recorded step could go on, had its transfers taken given times.
 *
 * A phase begins when the trace says, and its operations follow each other; an operation of several
 * stages is over when all have come to it.
 */
class StepClock
{
  public:
    /**
     * @param stages of the step
     * @param rate of a GPU in bit/s; infinity: transfers take no time
     */
    StepClock(const std::vector<ReplayedStage>& stages, double rate)
        : m_stages(stages),
          m_rate(rate)
    {
        for (const auto& stage : stages)
        {
            m_heads.push_back({});
            m_released.emplace_back(stage.phases.size());
        }
        // Where the stages wait for each other in a circle, nothing moves: CheckJoinedOrder() says.
        for (bool moved = true; moved;)
        {
            moved = false;
            for (std::size_t stage = 0; stage < stages.size(); ++stage)
            {
                while (Advance(stage))
                {
                    moved = true;
                }
            }
        }
    }

    /// @return when a stage had all that it waits for in a phase
    Time GetReleased(std::size_t stage, std::size_t phase) const
    {
        return m_released[stage][phase];
    }

  private:
    /// How far a stage has come.
    struct Head
    {
        std::size_t next{0};                  ///< operation
        Time chain;                           ///< when the operation before it let the stage go on
        std::array<Time, GROUP_SLOTS> free{}; ///< when the latest operation of a group was over
    };

    const ReplayedOperation* Next(std::size_t stage) const
    {
        const auto& operations = m_stages[stage].operations;
        const std::size_t next = m_heads[stage].next;
        return next < operations.size() ? &operations[next] : nullptr;
    }

    Time GetBegin(std::size_t stage) const
    {
        const Head& head = m_heads[stage];
        const auto& [phases, operations] = m_stages[stage];
        const auto& o = operations[head.next];
        const bool opens = head.next == 0 || operations[head.next - 1].phase != o.phase;
        const Time came = opens ? phases[o.phase].start : head.chain;
        return std::max(came, head.free[static_cast<std::size_t>(o.slot)]);
    }

    Time GetTransfer(uint64_t bytes) const
    {
        return Seconds(8.0 * static_cast<double>(bytes) / m_rate);
    }

    /// The stage goes on. @param goesOn when @param over when the operation was over as a whole
    void Leave(std::size_t stage, Time goesOn, Time over)
    {
        Head& head = m_heads[stage];
        const auto& o = m_stages[stage].operations[head.next++];
        head.free[static_cast<std::size_t>(o.slot)] = over;
        head.chain = goesOn;
        m_released[stage][o.phase] = goesOn;
    }

    /// Leave a pair operation. @param begin of this end @param peerBegin of the other one
    void LeavePair(std::size_t stage, Time begin, Time peerBegin)
    {
        const auto& o = *Next(stage);
        const bool receives = o.kind != CollectiveKind::SEND;
        const Time sent = begin + GetTransfer(o.bytes);
        const Time received =
            receives ? std::max(begin, peerBegin + GetTransfer(o.receiveBytes)) : begin;
        Leave(stage, o.waits ? received : begin, std::max(sent, received));
    }

    /// @return whether the stage's next operation could take place
    bool Advance(std::size_t stage)
    {
        const auto* o = Next(stage);
        if (!o)
        {
            return false;
        }
        const Time begin = GetBegin(stage);
        if (o->IsPair())
        {
            const std::size_t other = o->slot == GroupSlot::PP_NEXT ? stage + 1 : stage - 1;
            if (m_heads[other].next != o->peer)
            {
                return false;
            }
            const Time peerBegin = GetBegin(other);
            LeavePair(stage, begin, peerBegin);
            LeavePair(other, peerBegin, begin);
        }
        else if (o->slot == GroupSlot::PP)
        {
            Time all = begin;
            for (std::size_t s = 0; s < m_stages.size(); ++s)
            {
                if (!Next(s) || Next(s)->slot != GroupSlot::PP || Next(s)->counter != o->counter)
                {
                    return false;
                }
                all = std::max(all, GetBegin(s));
            }
            for (std::size_t s = 0; s < m_stages.size(); ++s)
            {
                Leave(s, all, all);
            }
        }
        else
        {
            Leave(stage, begin, begin); // no other stage takes part
        }
        return true;
    }

    const std::vector<ReplayedStage>& m_stages;
    double m_rate;
    std::vector<Head> m_heads;
    std::vector<std::vector<Time>> m_released; ///< by stage and phase
};

/// Writes the programs of a step.
class ReplayWriter
{
  public:
    ReplayWriter(const PhaseTrace& trace, uint32_t step, const TrainingPlan& plan, double rate)
        : m_step(trace, step, plan),
          m_degrees(plan.degrees),
          m_rate(rate)
    {
        CheckDuration();
        FindRings();
        FindReleases();
    }

    /// @return how long each stage is busy after its last phase, if the trace tells
    std::vector<Time> GetTails() const
    {
        std::vector<Time> tails;
        for (const auto& released : m_released)
        {
            const Time next = m_step.GetNextStart().value_or(released.back());
            tails.push_back(std::max(Time(), next - released.back()));
        }
        return tails;
    }

    const ReplayedStep& GetStep() const
    {
        return m_step;
    }

    /// @param stage from 0 @param tail computation after the last phase
    Ptr<const StepProgram> Write(std::size_t stage, Time tail);

    /// @return phases of rings that are shorter than their transfers
    uint32_t CountTooShort() const;

  private:
    void CheckDuration() const;
    /// @param slot of a ring @return what a rank sends of each byte of its operations
    double GetSent(GroupSlot slot) const;
    void FindRings();
    void FindReleases();
    /// @return what a phase of rings lasts beyond them
    Time GetRest(std::size_t stage, std::size_t phase) const;
    void Compute(Time duration, const std::string& label);
    void Communicate(const ReplayedOperation& replayed,
                     Parallelism parallelism,
                     const std::string& label);

    ReplayedStep m_step;
    ParallelPlan::Degrees m_degrees;
    double m_rate;                             ///< of a GPU, bit/s
    std::vector<std::vector<Time>> m_rings;    ///< what the rings of a phase take, by stage
    std::vector<std::vector<Time>> m_released; ///< when the stage could go on after a phase

    std::vector<Operation> m_operations; ///< of the program that is written
    std::vector<Dependency> m_tail;      ///< what the next operation waits for
};

void
ReplayWriter::CheckDuration() const
{
    double seconds = 0;
    for (const auto& stage : m_step.GetStages())
    {
        for (const auto& phase : stage.phases)
        {
            seconds = std::max(seconds, phase.end.GetSeconds());
        }
    }
    for (const auto& stage : m_step.GetStages())
    {
        for (const auto& o : stage.operations)
        {
            seconds += 8.0 * o.bytes / m_rate;
        }
    }
    const double most = Time::Max().GetSeconds() / 4;
    if (seconds > most)
    {
        throw std::invalid_argument("times and transfers of a step come to " +
                                    std::to_string(seconds) + " s, expected at most " +
                                    std::to_string(most));
    }
}

double
ReplayWriter::GetSent(GroupSlot slot) const
{
    return slot == GroupSlot::DP ? 2 * (1 - 1.0 / m_degrees.dp) : 1 - 1.0 / m_degrees.fsdp;
}

void
ReplayWriter::FindRings()
{
    for (const auto& stage : m_step.GetStages())
    {
        m_rings.emplace_back(stage.phases.size());
        for (const auto& o : stage.operations)
        {
            if (IsRing(stage.phases[o.phase].parallelism))
            {
                m_rings.back()[o.phase] += Seconds(8 * GetSent(o.slot) * o.bytes / m_rate);
            }
        }
    }
}

void
ReplayWriter::FindReleases()
{
    // Of a phase, what its transfers do not need is computation; what they need beyond it is not
    // in the trace, and is not taken from the computation that follows.
    const auto& stages = m_step.GetStages();
    const StepClock waits(stages, std::numeric_limits<double>::infinity());
    const StepClock transfers(stages, m_rate);
    for (std::size_t s = 0; s < stages.size(); ++s)
    {
        m_released.emplace_back();
        Time before = m_step.GetStart(); // a phase that overlaps with another sets nothing back
        for (std::size_t p = 0; p < stages[s].phases.size(); ++p)
        {
            const Phase& phase = stages[s].phases[p];
            Time released;
            if (IsRing(phase.parallelism))
            {
                // With several rings the rest lies between them.
                released = phase.end - (phase.collectives > 1 ? Time() : GetRest(s, p));
            }
            else
            {
                released = std::max(waits.GetReleased(s, p),
                                    std::min(phase.end, transfers.GetReleased(s, p)));
            }
            before = std::max(before, released);
            m_released.back().push_back(before);
        }
    }
}

Time
ReplayWriter::GetRest(std::size_t stage, std::size_t phase) const
{
    const Phase& p = m_step.GetStages()[stage].phases[phase];
    return std::max(Time(), p.end - p.start - m_rings[stage][phase]);
}

uint32_t
ReplayWriter::CountTooShort() const
{
    uint32_t count = 0;
    for (std::size_t s = 0; s < m_rings.size(); ++s)
    {
        const auto& phases = m_step.GetStages()[s].phases;
        for (std::size_t p = 0; p < phases.size(); ++p)
        {
            // The last bit of a ring arrives later than its transfers take: allow for a
            // microsecond.
            count += m_rings[s][p] > phases[p].end - phases[p].start + MicroSeconds(1);
        }
    }
    return count;
}

Ptr<const StepProgram>
ReplayWriter::Write(std::size_t stage, Time tail)
{
    m_operations.clear();
    m_tail.clear();
    const auto& [phases, operations] = m_step.GetStages()[stage];
    Time before = m_step.GetStart();
    auto o = operations.begin();
    for (std::size_t p = 0; p < phases.size(); ++p)
    {
        const Phase& phase = phases[p];
        const std::string name = "phase " + std::to_string(phase.number);
        Compute(phase.start - before, "before " + name);
        const uint32_t gaps = phase.collectives - 1;
        const bool isRings = IsRing(phase.parallelism);
        const Time gap = isRings && gaps > 0 ? GetRest(stage, p) / gaps : Time();
        for (uint32_t i = 0; i < phase.collectives; ++i, ++o)
        {
            Communicate(*o, phase.parallelism, name + " " + std::to_string(i));
            Compute(i < gaps ? gap : Time(), "in " + name);
        }
        before = m_released[stage][p];
    }
    Compute(tail, "after the last phase");
    return Create<const StepProgram>(std::move(m_operations));
}

void
ReplayWriter::Compute(Time duration, const std::string& label)
{
    if (duration <= Time())
    {
        return;
    }
    Operation c;
    c.duration = duration;
    c.after = m_tail;
    c.label = label;
    m_tail = {{static_cast<uint32_t>(m_operations.size()), Dependency::Part::WHOLE}};
    m_operations.push_back(std::move(c));
}

void
ReplayWriter::Communicate(const ReplayedOperation& replayed,
                          Parallelism parallelism,
                          const std::string& label)
{
    Operation o;
    o.slot = replayed.slot;
    o.parallelism = parallelism;
    o.kind = replayed.kind;
    o.bytes = replayed.bytes;
    o.receiveBytes = replayed.receiveBytes;
    o.counter = replayed.counter;
    o.after = m_tail;
    o.label = label;
    if (replayed.waits)
    {
        m_tail = {{static_cast<uint32_t>(m_operations.size()),
                   replayed.IsPair() ? Dependency::Part::RECEIVED : Dependency::Part::WHOLE}};
    }
    m_operations.push_back(std::move(o));
}

} // namespace

PhaseReplay
BuildPhaseReplay(const PhaseTrace& trace, uint32_t step, const TrainingPlan& plan, double rate)
{
    const auto& degrees = plan.degrees;
    if (degrees.cp > 1 || degrees.ep > 1)
    {
        throw std::invalid_argument("cp " + std::to_string(degrees.cp) + ", ep " +
                                    std::to_string(degrees.ep) +
                                    ": expected 1 and 1, as phases of context and expert "
                                    "parallelism are not replayed");
    }
    const ParallelPlan ranks(degrees);
    for (GroupSlot slot : {GroupSlot::FSDP, GroupSlot::DP})
    {
        if (ranks.GetLocalSize(slot) > 1)
        {
            throw std::invalid_argument(std::string("the ") + ToString(slot) +
                                        " group spans rails: expected another number than " +
                                        std::to_string(ranks.GetDegrees().gpusPerNode) +
                                        " GPUs per node, as phases are those of a rail");
        }
    }
    ReplayWriter writer(trace, step, plan, rate);
    std::vector<Time> tails = writer.GetTails();
    const auto& recorded = writer.GetStep();
    if (!recorded.GetNextStart() && recorded.GetStepBefore())
    {
        tails = ReplayWriter(trace, *recorded.GetStepBefore(), plan, rate).GetTails();
    }
    PhaseReplay replay;
    replay.tooShort = writer.CountTooShort();
    for (std::size_t stage = 0; stage < tails.size(); ++stage)
    {
        replay.programs.push_back(writer.Write(stage, tails[stage]));
    }
    CheckJoinedOrder(replay.programs);
    return replay;
}

} // namespace photonic
} // namespace ns3
