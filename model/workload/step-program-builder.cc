/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "step-program-builder.h"

#include "program-join.h"
#include "stage-program-writer.h"

namespace ns3
{
namespace photonic
{

std::vector<Ptr<const StepProgram>>
BuildStepPrograms(const TrainingPlan& plan)
{
    plan.Check();
    const auto items = MakePipelineItems(plan.GetPipelineShape());
    // Ranks whose experts get more than those of others do the same, but not as much of it.
    const uint32_t variants = plan.HasUnevenExperts() ? plan.degrees.ep : 1;
    std::vector<Ptr<const StepProgram>> programs(std::size_t{plan.degrees.pp} * variants);
    for (uint32_t variant = 0; variant < variants; ++variant)
    {
        std::vector<Ptr<const StepProgram>> stages;
        for (uint32_t stage = 0; stage < plan.degrees.pp; ++stage)
        {
            StageProgramWriter writer(plan, stage, variant);
            stages.push_back(Create<const StepProgram>(writer.Write(items[stage])));
            programs[std::size_t{stage} * variants + variant] = stages.back();
        }
        CheckJoinedOrder(stages);
    }
    return programs;
}

} // namespace photonic
} // namespace ns3
