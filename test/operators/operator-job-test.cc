/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Operator graphs, packet by packet.
 */
#include "job/test-job.h"
#include "operators/operator-test-helper.h"

#include "ns3/operator-program-builder.h"

namespace ns3
{
namespace photonic
{

namespace
{

/**
 * Two groups of four GPUs run two steps of a chain with shortcuts.
 * @param random generator
 * @param least duration of an operator; the longest lasts three times as long
 * @return mean duration of a step, as a multiple of the planned one
 */
double
Compare(std::mt19937& random, Time least)
{
    OperatorGraph graph("random", 1);
    for (uint32_t i = 0; i < 12; ++i)
    {
        std::vector<uint32_t> inputs;
        if (i > 0)
        {
            inputs.push_back(i - 1);
        }
        if (i > 2 && random() % 3 == 0)
        {
            inputs.push_back(i - 3);
        }
        graph.Add(MakeOperator("o" + std::to_string(i),
                               least + least * (random() % 200) / 100,
                               FULL * (random() % 20),
                               FULL * (8 + random() % 40),
                               inputs));
    }
    const ComputeModel compute = MakePicosecondGpu();
    const PlacementLimits limits{4, 2, 0, 0};
    const OperatorPlacement placement(graph, compute, limits);
    const OperatorSchedule schedule(graph, compute, placement, DataRate(2 * MICROSECOND_RATE));
    TestJob::Options options;
    options.degrees = GetOperatorDegrees(limits);
    options.steps = 2;
    for (const auto& program : BuildOperatorPrograms(graph, placement, schedule))
    {
        options.programs.push_back(program->GetOperations());
    }
    TestJob job(options);
    return job.Run().GetSeconds() / 2 / schedule.GetStepTime().GetSeconds();
}

} // namespace

TEST(OperatorJob, TakesAboutAsLongAsPlanned)
{
    // Headers take 2.4 % of the line, and fibres 100 ns; shared ports are what else there is.
    std::mt19937 random(7);
    for (uint32_t round = 0; round < 20; ++round)
    {
        const double computing = Compare(random, MicroSeconds(100));
        EXPECT_GT(computing, 1);
        EXPECT_LT(computing, 1.08);
        const double communicating = Compare(random, MicroSeconds(5));
        EXPECT_GT(communicating, 1);
        EXPECT_LT(communicating, 1.3);
    }
}

} // namespace photonic
} // namespace ns3
