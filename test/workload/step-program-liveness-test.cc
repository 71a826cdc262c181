/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "program-times.h"
#include "workload-test-helper.h"

#include "ns3/step-program-builder.h"

#include <map>
#include <set>

namespace ns3
{
namespace photonic
{

namespace
{

void
ExpectToFinish(const std::vector<Ptr<const StepProgram>>& programs)
{
    const ProgramTimes times(programs);
    EXPECT_EQ(times.left, 0U);
    EXPECT_FALSE(times.disagrees);
}

/// Check both ends of every transfer, and that a pass never stands before what it needs.
void
ExpectToAgree(const std::vector<Ptr<const StepProgram>>& programs, const TrainingPlan& plan)
{
    uint64_t bytesSent = 0;
    uint64_t bytesReceived = 0;
    const uint32_t chunks = plan.degrees.interleave;
    const std::string part = plan.schedule == PipelineSchedule::ZB_H1 ? " input" : "";
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
                ends[{o.slot == GroupSlot::PP_NEXT ? k
                                                   : (k + programs.size() - 1) % programs.size(),
                      o.counter}]
                    .push_back(&o);
            }
        }
        for (uint32_t m = 0; m < plan.microbatches; ++m)
        {
            for (uint32_t c = 0; c < chunks; ++c)
            {
                const std::string layer = "m" + std::to_string(m) +
                                          (c == 0 ? "" : " c" + std::to_string(c)) + " layer " +
                                          std::to_string(c * programs.size() + k) + " attention";
                EXPECT_LT(Find(*programs[k], "forward " + layer),
                          Find(*programs[k], "backward " + layer + part));
            }
        }
    }
    EXPECT_EQ(bytesSent, bytesReceived);
    EXPECT_EQ(bytesSent,
              2 * (chunks * programs.size() - 1) * plan.microbatches * plan.GetTransferBytes());
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
    for (auto schedule :
         {PipelineSchedule::GPIPE, PipelineSchedule::ONE_F_ONE_B, PipelineSchedule::ZB_H1})
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

TEST(StepProgramLiveness, NoInterleavedScheduleWaitsForEver)
{
    for (auto sync : {GradientSync::LAST, GradientSync::EVERY})
    {
        for (uint32_t chunks = 2; chunks <= 4; ++chunks)
        {
            for (uint32_t pp = 2; pp <= 8; ++pp)
            {
                for (uint32_t m = pp; m <= 16; m += pp)
                {
                    TrainingPlan plan = MakePlan(pp * chunks, 1, pp, 2, m);
                    plan.degrees.interleave = chunks;
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
                        plan.schedule =
                            m > 2 ? PipelineSchedule::ZB_H1 : PipelineSchedule::ONE_F_ONE_B;
                        ExpectToFinish(BuildStepPrograms(plan));
                        plan.schedule = PipelineSchedule::ONE_F_ONE_B;
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
