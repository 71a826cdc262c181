/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_WORKLOAD_TEST_HELPER_H
#define PHOTONIC_WORKLOAD_TEST_HELPER_H

#include "ns3/step-program.h"
#include "ns3/training-plan.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

/// @param action something that has to be refused @return the message of the refusal
template <typename F>
std::string
GetRefusal(F&& action)
{
    try
    {
        action();
    }
    catch (const std::invalid_argument& e)
    {
        return e.what();
    }
    ADD_FAILURE() << "was not refused";
    return "";
}

/// Expect that a text contains another.
#define EXPECT_CONTAINS(text, part)                                                                \
    EXPECT_NE(std::string(text).find(part), std::string::npos)                                     \
        << "expected '" << (part) << "' in '" << (text) << "'"

/// @param layers number of layers @return a small model, whose sizes are all different
inline TransformerModel
MakeTinyModel(uint32_t layers)
{
    return TransformerModel({"tiny", layers, 64, 160, 8, 2, 8, 1000, false});
}

/// @param program a program @param label of an operation @return its index
inline uint32_t
Find(const StepProgram& program, const std::string& label)
{
    const auto& operations = program.GetOperations();
    for (uint32_t i = 0; i < operations.size(); ++i)
    {
        if (operations[i].label == label)
        {
            return i;
        }
    }
    ADD_FAILURE() << "no operation '" << label << "'";
    return 0;
}

/// A small job, with one GPU per tensor-parallel rank on a node.
inline TrainingPlan
MakePlan(uint32_t layers, uint32_t tp, uint32_t pp, uint32_t fsdp, uint32_t microbatches)
{
    TrainingPlan plan;
    plan.model = MakeTinyModel(layers);
    plan.degrees = {tp, pp, fsdp, 0};
    plan.microbatches = microbatches;
    plan.sequenceLength = 16;
    return plan;
}

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_WORKLOAD_TEST_HELPER_H
