/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "mini-job.h"

#include <gtest/gtest.h>
#include <tuple>

namespace ns3
{
namespace photonic
{
namespace
{

/**
 * One microbatch whose gradients are all-reduced layer by layer: stages, whether circuits are
 * provisioned.
 */
class ReductionOrder : public testing::TestWithParam<std::tuple<uint32_t, bool>>
{
  protected:
    void SetUp() override
    {
        TransformerShape shape = m_job.plan.model.GetShape();
        shape.layers = 16 * GetStages();
        m_job.plan.model = TransformerModel(shape);
        m_job.plan.degrees = {2, GetStages(), 1, 2, 2};
        m_job.plan.sequenceParallel = false;
        m_job.plan.splitBackward = true;
        m_job.plan.gradientNorm = false;
        m_job.plan.communicationStreams = CommunicationStreams::ONE;
        m_job.plan.sequenceLength = 4096;
        m_job.provisioned = std::get<1>(GetParam());
        m_job.foreseesFirst = true;
        const auto program = BuildStepPrograms(m_job.plan)[0];
        for (const auto& operation : program->GetOperations())
        {
            if (operation.label.find("forward m0 layer 0 ") == 0)
            {
                m_layer += operation.duration;
            }
        }
    }

    static uint32_t GetStages()
    {
        return std::get<0>(GetParam());
    }

    /// @return changes of circuits that the step waits for; checked against the step time
    int64_t CountExposed()
    {
        // Longer than the backward pass of a layer, shorter than the forward pass of a stage.
        std::vector<Time> times;
        uint64_t exposed = 0;
        for (int layers : {6, 7})
        {
            m_job.delay = m_layer * layers;
            const auto outcome = m_job.Run();
            if (!outcome.finished)
            {
                ADD_FAILURE() << outcome.stall << outcome.failure;
                return -1;
            }
            EXPECT_EQ(outcome.drops, 0U);
            times.push_back(outcome.GetLastStep());
            exposed = outcome.steps.back().exposedReconfigurations;
        }
        EXPECT_EQ(times[1] - times[0], m_layer * static_cast<int64_t>(exposed));
        return exposed;
    }

    MiniJob m_job;
    Time m_layer; ///< forward pass of a layer, without communication
};

TEST_P(ReductionOrder, DecidesTheSlope)
{
    const int64_t p = GetStages();
    // Slopes of arXiv 2602.12521's simulation: 10 and 6 at four stages, 22 and 14 at eight.
    EXPECT_EQ(CountExposed(), m_job.provisioned ? 2 * (p - 1) : 3 * p - 2);
    // Where tensor parallel traffic passes reductions that wait, sends alone expose changes.
    m_job.plan.communicationStreams = CommunicationStreams::GROUP;
    EXPECT_EQ(CountExposed(), m_job.provisioned ? p - 1 : 2 * (p - 1));
    // The first circuits of a step cost a change if nobody asks for them ahead.
    m_job.foreseesFirst = false;
    EXPECT_EQ(CountExposed(), m_job.provisioned ? p : 2 * (p - 1));
}

INSTANTIATE_TEST_SUITE_P(Stages,
                         ReductionOrder,
                         testing::Combine(testing::Values(2, 4, 8), testing::Bool()));

} // namespace
} // namespace photonic
} // namespace ns3
