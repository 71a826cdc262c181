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
    std::vector<Ptr<const StepProgram>> programs;
    for (uint32_t stage = 0; stage < plan.degrees.pp; ++stage)
    {
        StageProgramWriter writer(plan, stage);
        programs.push_back(Create<const StepProgram>(writer.Write(items[stage])));
    }
    CheckJoinedOrder(programs);
    return programs;
}

} // namespace photonic
} // namespace ns3
