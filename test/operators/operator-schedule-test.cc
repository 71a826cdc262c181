/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "operator-test-helper.h"
#include "workload/workload-test-helper.h"

#include "ns3/operator-model.h"
#include "ns3/operator-schedule.h"

#include <algorithm>
#include <tuple>

namespace ns3
{
namespace photonic
{

namespace
{

/// One byte takes a nanosecond.
const DataRate BYTE_PER_NANOSECOND(8'000'000'000);

/// @return when every computation of a schedule ends, by operator, piece and pass
std::map<std::tuple<uint32_t, uint32_t, OperatorPass>, const OperatorTask*>
Index(const OperatorSchedule& schedule)
{
    std::map<std::tuple<uint32_t, uint32_t, OperatorPass>, const OperatorTask*> index;
    for (const OperatorTask& task : schedule.GetTasks())
    {
        EXPECT_TRUE(
            index.emplace(std::make_tuple(task.number, task.piece, task.pass), &task).second);
    }
    return index;
}

} // namespace

TEST(OperatorSchedule, OfOneGpuIsTheSumOfItsWork)
{
    for (const OperatorModel& model : GetOperatorModels())
    {
        const OperatorGraph graph = model.Build(4);
        const ComputeModel compute(FindGpu("h100"), 0.4);
        const OperatorPlacement placement(graph, compute, {1, 1, 0, 0});
        const OperatorSchedule schedule(graph, compute, placement, BYTE_PER_NANOSECOND);
        Time sum;
        for (uint32_t i = 0; i < graph.GetSize(); ++i)
        {
            const Operator& o = graph.Get(i);
            sum += compute.GetDuration(o.forward) + compute.GetDuration(o.inputGradient) +
                   compute.GetDuration(o.weightGradient);
        }
        // Adam: fp32 parameter and moments read and written, bf16 written, fp32 gradient read.
        sum += compute.GetDuration({0, 30.0 * graph.GetParameters()});
        EXPECT_EQ(schedule.GetStepTime(), sum) << model.name;
    }
}

TEST(OperatorSchedule, WaitsForTransfers)
{
    // a in one piece on GPU 0; b in two on GPUs 0 and 1, as 1 is free first and then 0.
    OperatorGraph graph("two", 1);
    graph.Add(MakeOperator("a", NanoSeconds(1000), 0, 300, {}));
    graph.Add(MakeOperator("b", NanoSeconds(2000), 1000, 50, {0}));
    const ComputeModel compute = MakePicosecondGpu();
    const OperatorPlacement placement(graph, compute, {2, 2, 0, 0});
    ASSERT_EQ(placement.GetHolders(1), (std::vector<uint32_t>{0, 1}));
    const OperatorSchedule schedule(graph, compute, placement, BYTE_PER_NANOSECOND, 4);
    auto index = Index(schedule);
    const auto start = [&](uint32_t number, uint32_t piece, OperatorPass pass) {
        return index.at({number, piece, pass})->start;
    };
    // Half of each pass of b takes 1 us. Its gradients, 500 x 4 bytes per piece, take 2 us.
    EXPECT_EQ(index.size(), 1 + 2 * 3U);
    EXPECT_EQ(start(0, 0, OperatorPass::FORWARD), Time(0));
    EXPECT_EQ(start(1, 0, OperatorPass::FORWARD), NanoSeconds(1000));
    EXPECT_EQ(start(1, 1, OperatorPass::FORWARD), NanoSeconds(1300));
    EXPECT_EQ(start(1, 0, OperatorPass::INPUT_GRADIENT), NanoSeconds(2000));
    EXPECT_EQ(start(1, 1, OperatorPass::INPUT_GRADIENT), NanoSeconds(2300));
    EXPECT_EQ(start(1, 0, OperatorPass::WEIGHT_GRADIENT), NanoSeconds(3000));
    EXPECT_EQ(start(1, 1, OperatorPass::WEIGHT_GRADIENT), NanoSeconds(3300));
    // The gradient of a leaves GPU 1 from 3.3 us to 3.6 us; the weights' from 4.3 to 6.3 us. Then
    // Adam on 500 parameters: 15,000 bytes in 15 ns.
    EXPECT_EQ(schedule.GetOptimizer(0), NanoSeconds(15));
    EXPECT_EQ(schedule.GetStepTime(), NanoSeconds(6315));
    // Without a second group nothing is sent.
    const OperatorPlacement alone(graph, compute, {2, 1, 0, 0});
    EXPECT_EQ(OperatorSchedule(graph, compute, alone, BYTE_PER_NANOSECOND).GetStepTime(),
              NanoSeconds(4315));
    EXPECT_CONTAINS(GetRefusal([&] { OperatorSchedule(graph, compute, alone, DataRate(0)); }),
                    "found 0");
}

TEST(OperatorSchedule, IsFeasible)
{
    std::mt19937 random(3);
    for (uint32_t round = 0; round < 200; ++round)
    {
        const OperatorGraph graph = MakeRandomGraph(random, 2 + random() % 12);
        const ComputeModel compute = MakePicosecondGpu();
        const uint32_t gpus = 1 + random() % 8;
        const OperatorPlacement placement(graph, compute, {gpus, 2, 0, 0});
        const OperatorSchedule schedule(graph, compute, placement, BYTE_PER_NANOSECOND);
        const auto index = Index(schedule);

        // A GPU does one thing at a time, in the order of the list.
        std::vector<Time> busy(gpus);
        Time work;
        for (const OperatorTask& task : schedule.GetTasks())
        {
            EXPECT_GE(task.start, busy[task.position]);
            busy[task.position] = task.start + task.duration;
            work += task.duration;
        }
        EXPECT_GE(schedule.GetStepTime() * gpus, work);

        // What comes from elsewhere takes at least its time on a NIC.
        const auto check =
            [&](const OperatorTask& before, const OperatorTask& after, uint64_t share) {
                const Time way = before.position == after.position ? Time(0) : NanoSeconds(share);
                EXPECT_GE(after.start, before.start + before.duration + way);
            };
        for (const auto& [key, task] : index)
        {
            const auto& [number, piece, pass] = key;
            for (uint32_t input : graph.Get(number).inputs)
            {
                const auto& holders = placement.GetHolders(input);
                const uint64_t share = GetShareBytes(graph.Get(input), holders.size());
                for (uint32_t other = 0; other < holders.size(); ++other)
                {
                    if (pass == OperatorPass::FORWARD)
                    {
                        check(*index.at({input, other, pass}), *task, share);
                    }
                    else if (pass == OperatorPass::INPUT_GRADIENT)
                    {
                        const auto weights =
                            index.find({input, other, OperatorPass::WEIGHT_GRADIENT});
                        if (weights != index.end())
                        {
                            check(*task, *weights->second, share);
                        }
                        const auto next = index.find({input, other, pass});
                        if (next != index.end())
                        {
                            check(*task, *next->second, share);
                        }
                    }
                }
            }
        }
        // Every computation that there has to be.
        std::size_t expected = 0;
        for (uint32_t i = 0; i < graph.GetSize(); ++i)
        {
            expected +=
                placement.GetHolders(i).size() * (1 + (graph.Get(i).inputs.empty() ? 0 : 1) +
                                                  (graph.Get(i).parameters == 0 ? 0 : 1));
        }
        EXPECT_EQ(index.size(), expected);
    }
}

TEST(OperatorSchedule, GainsFromGpusAndFromRate)
{
    const OperatorGraph graph = BuildGpt2Medium(8, 1024);
    const ComputeModel compute(FindGpu("a100"), 0.4);
    const auto plan = [&](uint32_t gpus, uint64_t rate) {
        const OperatorPlacement placement(graph, compute, {gpus, 2, 0, 0});
        return OperatorSchedule(graph, compute, placement, DataRate(rate)).GetStepTime();
    };
    const Time fast = plan(8, 8192'000'000'000);
    EXPECT_LT(fast, plan(8, 400'000'000'000));
    EXPECT_LT(plan(8, 400'000'000'000), plan(8, 100'000'000'000));
    EXPECT_LT(fast * 4, plan(1, 8192'000'000'000));
}

} // namespace photonic
} // namespace ns3
