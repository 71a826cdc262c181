/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "operator-test-helper.h"
#include "workload/workload-test-helper.h"

#include "ns3/operator-model.h"
#include "ns3/operator-program-builder.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace ns3
{
namespace photonic
{

namespace
{

using Programs = std::vector<Ptr<const StepProgram>>;

/// Index of an operation: its GPU, and where it stands in the program.
using At = std::pair<uint32_t, uint32_t>;

/// Two GPUs, lower first, and the number of a transfer between them.
using TransferKey = std::tuple<uint32_t, uint32_t, uint32_t>;

/// @param random generator @param groups at most @return limits of up to 8 GPUs and so many groups
PlacementLimits
MakeLimits(std::mt19937& random, uint32_t groups)
{
    PlacementLimits limits;
    limits.gpus = 1 + random() % 8;
    limits.groups = 1 + random() % groups;
    return limits;
}

/// A graph with placement, schedule and programs.
struct Job
{
    Job(const OperatorGraph& operators, const PlacementLimits& limits)
        : graph(operators),
          placement(graph, MakePicosecondGpu(), limits),
          schedule(graph, MakePicosecondGpu(), placement, DataRate(8'000'000'000)),
          programs(BuildOperatorPrograms(graph, placement, schedule))
    {
    }

    OperatorGraph graph;
    OperatorPlacement placement;
    OperatorSchedule schedule;
    Programs programs;
};

/// @return the two ends of every transfer, sender first; each has to have both, and they agree
std::map<TransferKey, std::pair<At, At>>
JoinTransfers(const Programs& programs)
{
    std::map<TransferKey, std::map<CollectiveKind, At>> found;
    for (uint32_t gpu = 0; gpu < programs.size(); ++gpu)
    {
        const auto& operations = programs[gpu]->GetOperations();
        for (uint32_t i = 0; i < operations.size(); ++i)
        {
            const Operation& o = operations[i];
            if (o.slot == GroupSlot::MP)
            {
                const auto [low, high] = std::minmax(gpu, o.peer);
                EXPECT_NE(low, high);
                auto& ends = found[TransferKey(low, high, o.counter)];
                EXPECT_TRUE(ends.emplace(o.kind, At(gpu, i)).second);
            }
        }
    }
    std::map<TransferKey, std::pair<At, At>> joined;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> counters;
    for (const auto& [key, ends] : found)
    {
        EXPECT_EQ(ends.count(CollectiveKind::SEND), 1U);
        EXPECT_EQ(ends.count(CollectiveKind::RECEIVE), 1U);
        const auto& [low, high, counter] = key;
        EXPECT_EQ(counter, (counters[{low, high}]++)); // from 0, without gaps
        const At from = ends.at(CollectiveKind::SEND);
        const At to = ends.at(CollectiveKind::RECEIVE);
        const Operation& send = programs[from.first]->GetOperations()[from.second];
        const Operation& receive = programs[to.first]->GetOperations()[to.second];
        EXPECT_EQ(send.peer, to.first);
        EXPECT_EQ(receive.peer, from.first);
        EXPECT_EQ(send.bytes, receive.receiveBytes);
        EXPECT_GT(send.bytes, 0U);
        EXPECT_EQ(send.receiveBytes + receive.bytes, 0U);
        EXPECT_EQ(send.parallelism, receive.parallelism);
        joined[key] = {from, to};
    }
    return joined;
}

/**
 * Play all programs, transfers taking no time.
 * @return start and end of every operation by GPU; what can never run is reported
 */
std::vector<std::vector<std::pair<Time, Time>>>
Play(const Programs& programs)
{
    std::map<At, At> receipts;
    for (const auto& [key, ends] : JoinTransfers(programs))
    {
        receipts[ends.first] = ends.second;
    }
    std::vector<std::vector<uint32_t>> waits;
    std::vector<std::vector<std::pair<Time, Time>>> times;
    std::vector<At> ready;
    std::size_t left = 0;
    for (uint32_t gpu = 0; gpu < programs.size(); ++gpu)
    {
        const auto& operations = programs[gpu]->GetOperations();
        waits.emplace_back();
        times.emplace_back(operations.size());
        left += operations.size();
        for (uint32_t i = 0; i < operations.size(); ++i)
        {
            const bool receives = operations[i].kind == CollectiveKind::RECEIVE;
            waits[gpu].push_back(programs[gpu]->GetPredecessorCount(i) + (receives ? 1 : 0));
            if (waits[gpu][i] == 0)
            {
                ready.emplace_back(gpu, i);
            }
        }
    }
    const auto release = [&](const At& at, Time time) {
        times[at.first][at.second].first = std::max(times[at.first][at.second].first, time);
        if (--waits[at.first][at.second] == 0)
        {
            ready.push_back(at);
        }
    };
    for (; !ready.empty(); --left)
    {
        const At at = ready.back();
        ready.pop_back();
        auto& [start, end] = times[at.first][at.second];
        end = start + programs[at.first]->GetOperations()[at.second].duration;
        const auto receipt = receipts.find(at);
        if (receipt != receipts.end())
        {
            release(receipt->second, end);
        }
        for (const auto& dependent : programs[at.first]->GetDependents(at.second))
        {
            release({at.first, dependent.operation}, end);
        }
    }
    EXPECT_EQ(left, 0U) << "operations wait for each other";
    return times;
}

/// @return name of a piece in labels
std::string
Name(const Job& job, uint32_t number, uint32_t piece)
{
    const std::size_t pieces = job.placement.GetHolders(number).size();
    return job.graph.Get(number).name +
           (pieces == 1 ? "" : " " + std::to_string(piece) + "/" + std::to_string(pieces));
}

/// Expect that every computation starts after what the mathematics says that it needs.
void
ExpectDataFlow(const Job& job)
{
    const auto times = Play(job.programs);
    const PlacementLimits& limits = job.placement.GetLimits();
    const auto get = [&](const std::string& pass, uint32_t group, uint32_t number, uint32_t piece) {
        const uint32_t gpu = group * limits.gpus + job.placement.GetHolders(number)[piece];
        return times[gpu][Find(*job.programs[gpu], pass + " " + Name(job, number, piece))];
    };
    for (uint32_t group = 0; group < limits.groups; ++group)
    {
        for (uint32_t number = 0; number < job.graph.GetSize(); ++number)
        {
            const Operator& o = job.graph.Get(number);
            const auto& holders = job.placement.GetHolders(number);
            for (uint32_t piece = 0; piece < holders.size(); ++piece)
            {
                for (uint32_t input : o.inputs)
                {
                    const Operator& producer = job.graph.Get(input);
                    for (uint32_t p = 0; p < job.placement.GetHolders(input).size(); ++p)
                    {
                        EXPECT_GE(get("forward", group, number, piece).first,
                                  get("forward", group, input, p).second);
                        const Time end = get("input gradient", group, number, piece).second;
                        if (!producer.inputs.empty())
                        {
                            EXPECT_GE(get("input gradient", group, input, p).first, end);
                        }
                        if (producer.parameters != 0)
                        {
                            EXPECT_GE(get("weight gradient", group, input, p).first, end);
                        }
                    }
                }
                if (o.parameters == 0)
                {
                    continue;
                }
                const Time gradient = get("weight gradient", group, number, piece).second;
                EXPECT_GE(gradient, get("forward", group, number, piece).second);
                const uint32_t next = (group + 1) % limits.groups * limits.gpus +
                                      holders[(piece + 1) % holders.size()];
                const auto optimizer = times[next][job.programs[next]->GetOperations().size() - 1];
                if (limits.groups > 1)
                {
                    EXPECT_GE(optimizer.first, gradient);
                }
            }
        }
    }
}

/// @return bytes by sender, receiver and meaning, as the definition says
std::map<std::tuple<uint32_t, uint32_t, Parallelism>, uint64_t>
CountBytes(const Job& job)
{
    std::map<std::tuple<uint32_t, uint32_t, Parallelism>, uint64_t> bytes;
    const PlacementLimits& limits = job.placement.GetLimits();
    for (uint32_t group = 0; group < limits.groups; ++group)
    {
        const uint32_t first = group * limits.gpus;
        const uint32_t next = (group + 1) % limits.groups * limits.gpus;
        for (uint32_t number = 0; number < job.graph.GetSize(); ++number)
        {
            const Operator& o = job.graph.Get(number);
            const auto& holders = job.placement.GetHolders(number);
            std::set<uint32_t> readers;
            for (uint32_t reader = 0; reader < job.graph.GetSize(); ++reader)
            {
                for (uint32_t input : job.graph.Get(reader).inputs)
                {
                    const auto& of = job.placement.GetHolders(reader);
                    if (input == number)
                    {
                        readers.insert(of.begin(), of.end());
                    }
                }
            }
            const auto share = [&holders](uint64_t total) {
                return (total + holders.size() - 1) / holders.size();
            };
            for (std::size_t i = 0; i < holders.size(); ++i)
            {
                for (uint32_t reader : readers)
                {
                    const uint32_t a = first + holders[i];
                    const uint32_t b = first + reader;
                    if (a != b)
                    {
                        bytes[{a, b, Parallelism::MP}] += share(o.outputBytes);
                        bytes[{b, a, Parallelism::MP}] += share(o.outputBytes);
                    }
                }
                if (o.parameters != 0 && limits.groups > 1)
                {
                    bytes[{first + holders[i],
                           next + holders[(i + 1) % holders.size()],
                           Parallelism::DP}] += share(4 * o.parameters);
                }
            }
        }
    }
    return bytes;
}

} // namespace

TEST(OperatorProgramBuilder, NothingWaitsForEver)
{
    std::mt19937 random(4);
    for (uint32_t round = 0; round < 150; ++round)
    {
        PlacementLimits limits = MakeLimits(random, 3);
        limits.degree = random() % 2 == 0 ? 0 : 2 + random() % 6;
        const Job job(MakeRandomGraph(random, 2 + random() % 12), limits);
        ASSERT_EQ(job.programs.size(), limits.gpus * limits.groups);
        ExpectDataFlow(job);
    }
}

TEST(OperatorProgramBuilder, SendsWhatTheDefinitionSays)
{
    std::mt19937 random(5);
    for (uint32_t round = 0; round < 100; ++round)
    {
        const Job job(MakeRandomGraph(random, 2 + random() % 12), MakeLimits(random, 3));
        std::map<std::tuple<uint32_t, uint32_t, Parallelism>, uint64_t> sent;
        for (const auto& [key, ends] : JoinTransfers(job.programs))
        {
            const auto& [gpu, i] = ends.first;
            const Operation& send = job.programs[gpu]->GetOperations()[i];
            sent[{gpu, send.peer, send.parallelism}] += send.bytes;
        }
        EXPECT_EQ(sent, CountBytes(job)) << "round " << round;
    }
}

TEST(OperatorProgramBuilder, KeepsTheDegreeOnTheWire)
{
    const ComputeModel compute(FindGpu("a100"), 0.4);
    const OperatorGraph graph = BuildTransformerBig(8, 64);
    const OperatorPlacement placement(graph, compute, {32, 2, 10, 0});
    const OperatorSchedule schedule(graph, compute, placement, DataRate(400'000'000'000));
    const Programs programs = BuildOperatorPrograms(graph, placement, schedule);
    std::map<uint32_t, std::set<uint32_t>> destinations;
    std::map<uint32_t, std::set<uint32_t>> sources;
    for (uint32_t gpu = 0; gpu < programs.size(); ++gpu)
    {
        for (const Operation& o : programs[gpu]->GetOperations())
        {
            if (o.kind == CollectiveKind::SEND)
            {
                destinations[gpu].insert(o.peer);
                sources[o.peer].insert(gpu);
            }
        }
        EXPECT_LE(destinations[gpu].size(), 10U) << gpu;
    }
    for (const auto& [gpu, from] : sources)
    {
        EXPECT_LE(from.size(), 10U) << gpu;
    }
}

TEST(OperatorProgramBuilder, TakesAsLongAsPlannedWithoutTransfers)
{
    std::mt19937 random(6);
    for (uint32_t round = 0; round < 50; ++round)
    {
        const OperatorGraph graph = MakeRandomGraph(random, 2 + random() % 12);
        const ComputeModel compute = MakePicosecondGpu();
        const OperatorPlacement placement(graph, compute, MakeLimits(random, 3));
        const DataRate unlimited(std::numeric_limits<uint64_t>::max());
        const OperatorSchedule schedule(graph, compute, placement, unlimited);
        Time end;
        for (const auto& gpu : Play(BuildOperatorPrograms(graph, placement, schedule)))
        {
            end = std::max(end, gpu.back().second);
        }
        // A transfer still takes a tick there, and is rounded up to one.
        const int64_t ticks = 4 * graph.GetSize();
        EXPECT_LE(end, schedule.GetStepTime());
        EXPECT_GE(end + TimeStep(ticks), schedule.GetStepTime());
    }
}

TEST(OperatorProgramBuilder, ComputesAllOfTheModel)
{
    const OperatorGraph graph = BuildResNet50(16);
    const ComputeModel compute(FindGpu("a100"), 0.4);
    const PlacementLimits limits{8, 2, 20, 0};
    const OperatorPlacement placement(graph, compute, limits);
    const OperatorSchedule schedule(graph, compute, placement, DataRate(8192'000'000'000));
    const Programs programs = BuildOperatorPrograms(graph, placement, schedule);
    ASSERT_EQ(programs.size(), 16U);
    Time sum;
    uint64_t gradients = 0;
    for (const auto& program : programs)
    {
        for (const Operation& o : program->GetOperations())
        {
            sum += o.duration;
            gradients += o.parallelism == Parallelism::DP ? o.bytes : 0;
        }
        EXPECT_EQ(program->GetOperations().back().label, "optimizer");
    }
    // 16 images of 4.09 billion multiply-adds, three times, as far as FLOPs limit: at least.
    EXPECT_GT(sum.GetSeconds(), 2 * (3 * 16 * 2 * 4.09e9 - 16 * 2 * 0.118e9) / (312e12 * 0.4));
    // 4 bytes for each of 25,557,032 parameters, from either group; shares are rounded up.
    EXPECT_GE(gradients, 2 * 4 * 25'557'032U);
    EXPECT_LT(gradients, 2 * (4 * 25'557'032U + 55 * 8));
    const ParallelPlan plan(GetOperatorDegrees(limits));
    EXPECT_EQ(plan.GetRanks(), 16U);
    EXPECT_TRUE(plan.HasGroup(0, GroupSlot::MP));
}

} // namespace photonic
} // namespace ns3
