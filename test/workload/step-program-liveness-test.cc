/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/step-program-builder.h"

#include <map>
#include <set>
#include <tuple>

namespace ns3
{
namespace photonic
{

namespace
{

/// Run all stages as their dependencies and streams allow, sends being eager; time does not pass.
void
ExpectToFinish(const std::vector<Ptr<const StepProgram>>& programs)
{
    struct State
    {
        bool started{false};
        bool complete{false};
    };

    std::vector<std::vector<State>> states;
    std::vector<std::vector<uint32_t>> waiting;
    std::map<std::tuple<uint32_t, uint32_t, bool>, uint32_t> sent; // lower stage, counter, upwards
    uint32_t norms = 0;
    std::size_t left = 0;
    for (const auto& p : programs)
    {
        states.emplace_back(p->GetOperations().size());
        waiting.emplace_back();
        for (uint32_t i = 0; i < p->GetOperations().size(); ++i)
        {
            waiting.back().push_back(p->GetPredecessorCount(i));
        }
        left += p->GetOperations().size();
    }
    for (bool moved = true; moved;)
    {
        moved = false;
        for (uint32_t k = 0; k < programs.size(); ++k)
        {
            for (uint32_t i = 0; i < states[k].size(); ++i)
            {
                State& state = states[k][i];
                if (state.complete || waiting[k][i] > 0)
                {
                    continue;
                }
                const Operation& o = programs[k]->GetOperations()[i];
                const bool isPair =
                    o.slot == GroupSlot::PP_NEXT || o.slot == GroupSlot::PP_PREVIOUS;
                const bool isUpper = o.slot == GroupSlot::PP_PREVIOUS;
                const uint32_t pair = isUpper ? k - 1 : k;
                if (!state.started)
                {
                    state.started = true;
                    moved = true;
                    norms += o.slot == GroupSlot::PP;
                    if (isPair && o.kind != CollectiveKind::RECEIVE)
                    {
                        sent[{pair, o.counter, !isUpper}] = o.bytes;
                    }
                }
                bool arrived = o.slot != GroupSlot::PP || norms == programs.size();
                if (isPair && o.kind != CollectiveKind::SEND)
                {
                    const auto message = sent.find({pair, o.counter, isUpper});
                    arrived = message != sent.end();
                    EXPECT_TRUE(!arrived || message->second == o.receiveBytes);
                }
                if (arrived)
                {
                    state.complete = true;
                    moved = true;
                    --left;
                    for (const auto& d : programs[k]->GetDependents(i))
                    {
                        --waiting[k][d.operation];
                    }
                }
            }
        }
    }
    EXPECT_EQ(left, 0U);
}

/// Check both ends of every transfer, and that a pass never stands before what it needs.
void
ExpectToAgree(const std::vector<Ptr<const StepProgram>>& programs, const TrainingPlan& plan)
{
    uint64_t bytesSent = 0;
    uint64_t bytesReceived = 0;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<const Operation*>> ends;
    for (uint32_t k = 0; k < programs.size(); ++k)
    {
        std::map<GroupSlot, uint32_t> counters;
        for (const Operation& o : programs[k]->GetOperations())
        {
            if (o.IsCompute())
            {
                continue;
            }
            EXPECT_EQ(o.counter, counters[o.slot]++);
            if (o.slot == GroupSlot::PP_NEXT || o.slot == GroupSlot::PP_PREVIOUS)
            {
                bytesSent += o.bytes;
                bytesReceived += o.receiveBytes;
                ends[{o.slot == GroupSlot::PP_NEXT ? k : k - 1, o.counter}].push_back(&o);
            }
        }
        for (uint32_t m = 0; m < plan.microbatches; ++m)
        {
            const std::string layer =
                "m" + std::to_string(m) + " layer " + std::to_string(k) + " attention";
            EXPECT_LT(Find(*programs[k], "forward " + layer),
                      Find(*programs[k], "backward " + layer));
        }
    }
    EXPECT_EQ(bytesSent, bytesReceived);
    EXPECT_EQ(bytesSent, 2 * (programs.size() - 1) * plan.microbatches * plan.GetTransferBytes());
    for (const auto& [key, pair] : ends)
    {
        ASSERT_EQ(pair.size(), 2U);
        EXPECT_EQ(pair[0]->bytes, pair[1]->receiveBytes);
        EXPECT_EQ(pair[0]->receiveBytes, pair[1]->bytes);
        EXPECT_EQ(pair[0]->kind == CollectiveKind::SEND_RECEIVE,
                  pair[1]->kind == CollectiveKind::SEND_RECEIVE);
    }
}

} // namespace

TEST(StepProgramLiveness, NothingWaitsForEver)
{
    for (auto schedule : {PipelineSchedule::GPIPE, PipelineSchedule::ONE_F_ONE_B})
    {
        for (auto sync : {GradientSync::LAST, GradientSync::EVERY})
        {
            for (uint32_t pp = 2; pp <= 8; ++pp)
            {
                for (uint32_t m = 1; m <= 16; ++m)
                {
                    TrainingPlan plan = MakePlan(pp, 1, pp, 2, m);
                    plan.schedule = schedule;
                    plan.gradientSync = sync;
                    const auto programs = BuildStepPrograms(plan); // checks the joined order
                    ExpectToAgree(programs, plan);
                    ExpectToFinish(programs);
                }
            }
        }
    }
}

TEST(StepProgramLiveness, NoOrderOfReductionsWaitsForEver)
{
    for (auto order : {GradientOrder::AFTER_SEND,
                       GradientOrder::BEFORE_SEND,
                       GradientOrder::UNIT,
                       GradientOrder::UNIT_AFTER_SEND})
    {
        for (auto streams : {CommunicationStreams::GROUP, CommunicationStreams::ONE})
        {
            for (uint32_t pp : {1, 2, 3, 6})
            {
                for (uint32_t m : {1, 2, 5, 12})
                {
                    for (uint32_t fsdp : {1, 2})
                    {
                        TrainingPlan plan = MakePlan(2 * pp, 2, pp, fsdp, m);
                        plan.degrees.dp = 3;
                        plan.gradientOrder = order;
                        plan.communicationStreams = streams;
                        plan.splitBackward = m % 2 == 0;
                        ExpectToFinish(BuildStepPrograms(plan));
                    }
                }
            }
        }
    }
}

TEST(StepProgramLiveness, EveryDegreeMayBeOne)
{
    for (uint32_t tp : {1, 3})
    {
        for (uint32_t pp : {1, 2, 3})
        {
            for (uint32_t fsdp : {1, 2})
            {
                for (bool sequenceParallel : {false, true})
                {
                    TrainingPlan plan = MakePlan(3, tp, pp, fsdp, 2);
                    plan.sequenceParallel = sequenceParallel;
                    plan.recompute = Recompute::FULL;
                    const auto programs = BuildStepPrograms(plan);
                    ASSERT_EQ(programs.size(), pp);
                    ExpectToFinish(programs);
                    for (uint32_t stage = 0; stage < pp; ++stage)
                    {
                        std::set<GroupSlot> slots;
                        for (const Operation& o : programs[stage]->GetOperations())
                        {
                            slots.insert(o.slot);
                        }
                        EXPECT_EQ(slots.count(GroupSlot::TP), tp > 1 ? 1U : 0U);
                        EXPECT_EQ(slots.count(GroupSlot::FSDP), fsdp > 1 ? 1U : 0U);
                        EXPECT_EQ(slots.count(GroupSlot::PP), pp > 1 ? 1U : 0U);
                        EXPECT_EQ(slots.count(GroupSlot::PP_NEXT), stage + 1 < pp ? 1U : 0U);
                        EXPECT_EQ(slots.count(GroupSlot::PP_PREVIOUS), stage > 0 ? 1U : 0U);
                        EXPECT_EQ(programs[stage]->GetOperations().back().label, "optimizer");
                    }
                }
            }
        }
    }
}

} // namespace photonic
} // namespace ns3
