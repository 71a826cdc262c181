/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPUS_MINI_JOB_H
#define PHOTONIC_OPUS_MINI_JOB_H

#include "opus/opus-test-rail.h"

#include "ns3/opus-helper.h"
#include "ns3/parallel-plan.h"
#include "ns3/simulator.h"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

/**
 * A job of gated operations without bytes: an operation begins when all members have passed the
 * gate and takes a fixed time. It checks that circuits stand and stay while one is in progress; if
 * strict, from the first member's start on, since that may send at once.
 */
class OpusMiniJob
{
  public:
    /// One operation of a rank.
    struct Op
    {
        ns3::photonic::GroupSlot slot;
        uint32_t counter;
        int after;          ///< presented after this one is complete, -1: after the step's start
        ns3::Time gap;      ///< and this much later
        ns3::Time duration; ///< of the transfer, the same at all members
    };

    using Program = std::vector<Op>;
    using ProgramOf = std::function<const Program&(uint32_t step, uint32_t rank)>;

    OpusMiniJob(const ns3::photonic::ParallelPlan& plan,
                ns3::photonic::OpusHelper& opus,
                ns3::Time delay,
                ProgramOf programOf,
                uint32_t steps,
                bool strict = true)
        : m_plan(plan),
          m_opus(opus),
          m_rail(2 * plan.GetRanks(), delay),
          m_programOf(programOf),
          m_steps(steps),
          m_strict(strict),
          m_ranks(plan.GetRanks())
    {
        std::vector<ns3::photonic::OpusHelper::Rank> ranks;
        for (uint32_t rank = 0; rank < plan.GetRanks(); ++rank)
        {
            ranks.push_back(
                {rank, ns3::CreateObject<ns3::Node>(), {rank, 0, {2 * rank, 2 * rank + 1}}});
        }
        opus.Install(ranks, {{0, m_rail.ocs}});
        m_opus.GetController()->TraceConnectWithoutContext(
            "Reconfiguration",
            ns3::MakeCallback(&OpusMiniJob::Record, this));
    }

    /// Run to the end. Fails the test if it hangs or leaves a request behind.
    void Run()
    {
        using namespace ns3::photonic;
        for (uint32_t rank = 0; rank < m_plan.GetRanks(); ++rank)
        {
            std::vector<RankGroup> groups;
            for (auto slot :
                 {GroupSlot::FSDP, GroupSlot::PP, GroupSlot::PP_NEXT, GroupSlot::PP_PREVIOUS})
            {
                if (m_plan.HasGroup(rank, slot))
                {
                    groups.push_back(m_plan.GetGroup(rank, slot));
                }
            }
            m_opus.GetShim(rank)->Register(groups,
                                           [this, rank](const Cause& c) { BeginStep(rank, c); });
        }
        ns3::Simulator::Run();
        std::string waiting;
        for (uint32_t rank = 0; rank < m_plan.GetRanks(); ++rank)
        {
            const auto shim = m_opus.GetShim(rank);
            mispredictions += shim->GetMispredictions();
            recalls += shim->GetRecalls();
            requests += shim->GetRequests();
            waiting += shim->DescribeWaiting();
            EXPECT_EQ(m_ranks[rank].step, m_steps) << "rank " << rank;
        }
        EXPECT_EQ(waiting, "");
        EXPECT_EQ(m_opus.DescribePending(), "");
        EXPECT_EQ(m_transfers.size(), 0U);
    }

    ns3::Time end;              ///< of the last step
    ns3::photonic::Cause cause; ///< of that end
    uint64_t mispredictions{0};
    uint64_t recalls{0};
    uint64_t requests{0};
    std::vector<ns3::photonic::OpusController::Record> records;

  private:
    struct RankState
    {
        uint32_t step{0};
        std::vector<bool> done;
        uint32_t left{0};
    };

    struct Transfer
    {
        std::vector<std::pair<uint32_t, uint32_t>> members; ///< rank, index of the operation
        ns3::photonic::Cause cause;
        std::vector<uint64_t> generations; ///< of its circuits
    };

    ns3::photonic::GatedOperation Gated(uint32_t rank, uint32_t index) const
    {
        const Op& op = m_programOf(m_ranks[rank].step, rank)[index];
        return {m_ranks[rank].step, index, m_plan.GetGroup(rank, op.slot).id, op.counter, op.slot};
    }

    void BeginStep(uint32_t rank, const ns3::photonic::Cause& why)
    {
        RankState& state = m_ranks[rank];
        if (state.step == m_steps)
        {
            return;
        }
        m_opus.GetShim(rank)->BeginStep(state.step,
                                        why,
                                        [this, rank](const ns3::photonic::Cause& c) {
                                            RankState& s = m_ranks[rank];
                                            const auto& program = m_programOf(s.step, rank);
                                            s.left = program.size();
                                            s.done.assign(program.size(), false);
                                            Present(rank, -1, c);
                                            EndStepIfDone(rank, c);
                                        });
    }

    void Present(uint32_t rank, int after, const ns3::photonic::Cause& why)
    {
        const auto& program = m_programOf(m_ranks[rank].step, rank);
        for (uint32_t i = 0; i < program.size(); ++i)
        {
            if (program[i].after == after)
            {
                ns3::Simulator::Schedule(program[i].gap, [this, rank, i, why] {
                    m_opus.GetShim(rank)->Enter(
                        Gated(rank, i),
                        why,
                        [this, rank, i](const ns3::photonic::Cause& c) { Pass(rank, i, c); });
                });
            }
        }
    }

    void Pass(uint32_t rank, uint32_t index, const ns3::photonic::Cause& why)
    {
        const auto gated = Gated(rank, index);
        const auto key = std::make_tuple(gated.step, gated.group, gated.counter);
        Transfer& transfer = m_transfers[key];
        transfer.members.emplace_back(rank, index);
        transfer.cause = why;
        const auto& op = m_programOf(gated.step, rank)[index];
        const auto group = m_plan.GetGroup(rank, op.slot);
        const auto circuits = ns3::photonic::GroupCircuits(group, [](uint32_t r, uint32_t port) {
            return 2 * r + port;
        });
        const bool complete = transfer.members.size() == group.ranks.size();
        if (transfer.members.size() == 1 ? m_strict : !m_strict && complete)
        {
            transfer.generations = Check(circuits, gated);
        }
        if (!complete)
        {
            return;
        }
        ns3::Simulator::Schedule(op.duration, [this, key, circuits, gated] {
            const Transfer over = m_transfers[key];
            EXPECT_EQ(Check(circuits, gated), over.generations)
                << "a circuit went during its traffic";
            m_transfers.erase(key);
            for (const auto& member : over.members)
            {
                Complete(member.first, member.second, over.cause);
            }
        });
    }

    std::vector<uint64_t> Check(const std::vector<ns3::photonic::Circuit>& circuits,
                                const ns3::photonic::GatedOperation& gated) const
    {
        std::vector<uint64_t> generations;
        for (const auto& circuit : circuits)
        {
            EXPECT_TRUE(m_rail.HasCircuit(circuit))
                << circuit.in << "-" << circuit.out << " step " << gated.step << " group "
                << gated.group << " counter " << gated.counter;
            generations.push_back(m_rail.ocs->GetGeneration(circuit.in));
        }
        return generations;
    }

    void Complete(uint32_t rank, uint32_t index, const ns3::photonic::Cause& why)
    {
        m_ranks[rank].done[index] = true;
        --m_ranks[rank].left;
        m_opus.GetShim(rank)->Leave(Gated(rank, index), why);
        Present(rank, index, why);
        EndStepIfDone(rank, why);
    }

    void EndStepIfDone(uint32_t rank, const ns3::photonic::Cause& why)
    {
        RankState& state = m_ranks[rank];
        if (state.left > 0)
        {
            return;
        }
        m_opus.GetShim(rank)->EndStep(state.step, why);
        ++state.step;
        end = ns3::Simulator::Now();
        cause = why;
        BeginStep(rank, why);
    }

    void Record(const ns3::photonic::OpusController::Record& record)
    {
        records.push_back(record);
    }

    ns3::photonic::ParallelPlan m_plan;
    ns3::photonic::OpusHelper& m_opus;
    OpusTestRail m_rail;
    ProgramOf m_programOf;
    uint32_t m_steps;
    bool m_strict;
    std::vector<RankState> m_ranks;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Transfer> m_transfers;
};

/// Programs of all ranks whose joined order is acyclic, since they come from one list.
class OpusRandomPrograms
{
  public:
    OpusRandomPrograms(const ns3::photonic::ParallelPlan& plan, uint32_t seed, uint32_t length)
        : m_programs(plan.GetRanks())
    {
        using ns3::photonic::GroupSlot;
        std::mt19937 random(seed);
        const auto degrees = plan.GetDegrees();
        auto upTo = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
        std::map<std::pair<uint32_t, GroupSlot>, uint32_t> counters; // by stage
        for (uint32_t i = 0; i < length; ++i)
        {
            const uint32_t kind = upTo(8);
            const uint32_t repeat = 1 + upTo(3);
            const uint32_t stage = upTo(degrees.pp);
            const ns3::Time duration = ns3::NanoSeconds(1000 + upTo(200000));
            for (uint32_t r = 0; r < repeat; ++r)
            {
                for (uint32_t s = 0; s < degrees.pp; ++s)
                {
                    GroupSlot slot = GroupSlot::NONE;
                    if (kind < 4 && degrees.fsdp > 1)
                    {
                        slot = s == stage ? GroupSlot::FSDP : GroupSlot::NONE;
                    }
                    else if (kind < 7 && stage + 1 < degrees.pp)
                    {
                        slot = s == stage       ? GroupSlot::PP_NEXT
                               : s == stage + 1 ? GroupSlot::PP_PREVIOUS
                                                : GroupSlot::NONE;
                    }
                    else if (kind == 7)
                    {
                        slot = GroupSlot::PP;
                    }
                    if (slot == GroupSlot::NONE)
                    {
                        continue;
                    }
                    const uint32_t counter = counters[{s, slot}]++;
                    const uint32_t back = 1 + upTo(3);
                    for (uint32_t f = 0; f < degrees.fsdp; ++f)
                    {
                        auto& program = m_programs[plan.GetRank({0, f, s})];
                        int after = static_cast<int>(program.size()) - static_cast<int>(back);
                        for (uint32_t j = 0; j < program.size(); ++j)
                        {
                            after = program[j].slot == slot ? std::max(after, int(j)) : after;
                        }
                        program.push_back({slot,
                                           counter,
                                           std::max(after, -1),
                                           ns3::NanoSeconds(upTo(300000)),
                                           duration});
                    }
                }
            }
        }
    }

    const OpusMiniJob::Program& Get(uint32_t rank) const
    {
        return m_programs[rank];
    }

  private:
    std::vector<OpusMiniJob::Program> m_programs;
};

#endif // PHOTONIC_OPUS_MINI_JOB_H
