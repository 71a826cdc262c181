/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/memory-estimate.h"
#include "ns3/stage-layout.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

TEST(TrainingPlan, NamesAreParsed)
{
    for (auto recompute : {Recompute::NONE, Recompute::FULL})
    {
        EXPECT_EQ(ParseRecompute(ToString(recompute)), recompute);
    }
    for (auto sync : {GradientSync::LAST, GradientSync::EVERY})
    {
        EXPECT_EQ(ParseGradientSync(ToString(sync)), sync);
    }
    EXPECT_CONTAINS(GetRefusal([] { ParseRecompute("some"); }), "'some', expected none, selective or full");
    EXPECT_CONTAINS(GetRefusal([] { ParseGradientSync(""); }), "expected last or every");
}

TEST(TrainingPlan, RefusesWhatDoesNotFit)
{
    const auto refuse = [](auto change) {
        TrainingPlan plan;
        change(plan);
        return GetRefusal([&plan] { plan.Check(); });
    };
    EXPECT_NO_THROW(TrainingPlan().Check());
    EXPECT_CONTAINS(refuse([](TrainingPlan& p) { p.degrees.pp = 33; }), "32 layers are too few");
    EXPECT_CONTAINS(refuse([](TrainingPlan& p) { p.degrees.fsdp = 0; }), "fsdp 0");
    EXPECT_CONTAINS(refuse([](TrainingPlan& p) { p.microbatches = 0; }), "found 0, 1 and 8192");
    EXPECT_CONTAINS(refuse([](TrainingPlan& p) { p.microbatchSize = 4'000'000; }), "tokens");
    EXPECT_CONTAINS(refuse([](TrainingPlan& p) { p.gradientBytes = 3; }), "found 3");
    EXPECT_CONTAINS(refuse([](TrainingPlan& p) { p.layersPerStage = {31}; }), "add up to 31");
    EXPECT_CONTAINS(refuse([](TrainingPlan& p) { p.model = TransformerModel::Load("gpt2"); }),
                    "sequence length 8192 is more than the 1024 positions that model gpt2 knows");
}

TEST(TrainingPlan, BytesBetweenStages)
{
    TrainingPlan plan;
    plan.degrees.tp = 4;
    plan.microbatchSize = 4;
    EXPECT_EQ(plan.GetActivationBytes(), 4U * 8192 * 4096 * 2);
    EXPECT_EQ(plan.GetTransferBytes(), 67'108'864U);
    plan.sequenceParallel = false;
    EXPECT_EQ(plan.GetTransferBytes(), plan.GetActivationBytes());
    plan.sequenceParallel = true;
    plan.degrees.tp = 3;
    EXPECT_EQ(plan.GetTransferBytes(), (4U * 8192 * 4096 * 2 + 2) / 3);
}

TEST(TrainingPlan, ModelFlopsIgnoreRecomputation)
{
    TrainingPlan plan;
    plan.microbatches = 3;
    plan.degrees.fsdp = 5;
    const double flops = plan.GetModelFlopsPerStep();
    EXPECT_DOUBLE_EQ(flops, 15 * plan.model.GetModelFlops(1, 8192));
    plan.recompute = Recompute::FULL;
    EXPECT_EQ(plan.GetModelFlopsPerStep(), flops);
}

TEST(StageLayout, HoldsEveryParameterOnce)
{
    TrainingPlan plan;
    for (uint32_t pp : {1, 2, 3, 32})
    {
        plan.degrees.pp = pp;
        uint64_t sum = 0;
        for (uint32_t stage = 0; stage < pp; ++stage)
        {
            const StageLayout layout(plan, stage);
            EXPECT_EQ(layout.HasExtraUnit(), stage == 0 || stage + 1 == pp);
            uint64_t units = 0;
            for (uint32_t unit = 0; unit < layout.GetUnits(); ++unit)
            {
                units += layout.GetUnitParameters(unit);
            }
            EXPECT_EQ(units, layout.GetParameters());
            sum += units;
        }
        EXPECT_EQ(sum, 8'030'261'248U);
    }
}

TEST(StageLayout, SplitsMatricesButNotNormalisationsOverTensorParallelRanks)
{
    TrainingPlan plan;
    plan.degrees.tp = 4;
    plan.degrees.pp = 2;
    const StageLayout last(plan, 1);
    EXPECT_EQ(last.GetUnits(), 17U);
    EXPECT_EQ(last.GetUnitParameters(0), (41'943'040U + 176'160'768U) / 4 + 2 * 4096);
    EXPECT_EQ(last.GetUnitParameters(16), 525'336'576U / 4 + 4096);
    EXPECT_EQ(last.GetUnitName(0), "layer 16");
    EXPECT_EQ(last.GetUnitName(16), "head");
}

TEST(StageLayout, ATiedHeadIsACopyOnlyOnAnotherStage)
{
    TrainingPlan plan;
    plan.model = TransformerModel({"tied", 2, 64, 160, 8, 2, 8, 1000, true});
    EXPECT_EQ(StageLayout(plan, 0).GetUnitParameters(2), 64'064U);
    EXPECT_EQ(StageLayout(plan, 0).GetUnitName(2), "embedding and head");
    plan.degrees.pp = 2;
    EXPECT_EQ(StageLayout(plan, 0).GetUnitParameters(1), 64'000U);
    EXPECT_EQ(StageLayout(plan, 1).GetUnitParameters(1), 64'064U);
}

TEST(StageLayout, ShardsExpertsLikeOtherMatrices)
{
    TrainingPlan plan;
    plan.model = TransformerModel::Load("deepseek-v3");
    uint64_t sum = 0;
    plan.degrees.pp = 4;
    for (uint32_t stage = 0; stage < 4; ++stage)
    {
        sum += StageLayout(plan, stage).GetParameters();
    }
    EXPECT_EQ(sum, 671'026'404'352U);

    plan.degrees.tp = 8;
    const StageLayout first(plan, 0);
    const uint64_t attention = plan.model.GetAttention().matrices / 8;
    const uint64_t norms = 2 * 7168 + 1536 + 512;
    EXPECT_EQ(first.GetUnitParameters(2), attention + 3U * 7168 * 18432 / 8 + norms);
    EXPECT_EQ(first.GetUnitParameters(3),
              attention + uint64_t{257} * 3 * 7168 * 2048 / 8 + 256U * 7168 / 8 + norms);
}

TEST(StageLayout, PositionsAreWithTheEmbedding)
{
    TrainingPlan plan;
    plan.model = TransformerModel::Load("gpt2");
    EXPECT_EQ(StageLayout(plan, 0).GetParameters(), 124'439'808U);
    plan.degrees = {2, 2, 1, 0};
    EXPECT_EQ(StageLayout(plan, 0).GetUnitParameters(6), 768U * (50258 / 2) - 384 + 1024U * 768);
    EXPECT_EQ(StageLayout(plan, 1).GetUnitParameters(6), 768U * (50258 / 2) - 384 + 2 * 768);
}

TEST(StageLayout, ChunksAreEvenAndFollowOneAnotherRoundTheStages)
{
    TrainingPlan plan; // 32 layers
    plan.degrees.pp = 3;
    plan.degrees.interleave = 2;
    plan.microbatches = 3;
    plan.Check();
    // Smaller shares go to the last, first, last but one and second virtual stage.
    EXPECT_EQ(plan.GetLayerShares(), (std::vector<uint32_t>{5, 5, 6, 6, 5, 5}));
    const StageLayout layout(plan, 1);
    EXPECT_EQ(layout.GetLayers(), 10U);
    EXPECT_EQ(layout.GetLayers(1), 5U);
    const auto segments = layout.GetSegments({PipelinePass::Direction::BACKWARD, 0, 1});
    EXPECT_EQ(segments.front().name, "layer 26");
    EXPECT_EQ(segments.back().name, "layer 22");
    EXPECT_EQ(segments.back().unit, 5U);
    uint64_t sum = 0;
    for (uint32_t stage = 0; stage < 3; ++stage)
    {
        sum += StageLayout(plan, stage).GetParameters();
    }
    EXPECT_EQ(sum, 8'030'261'248U);
    EXPECT_EQ(StageLayout(plan, 0).GetSegments({PipelinePass::Direction::FORWARD, 0, 0}).size(),
              6U);
    EXPECT_EQ(StageLayout(plan, 0).GetSegments({PipelinePass::Direction::FORWARD, 0, 1}).size(),
              6U);
}

TEST(MemoryEstimate, OneGpuHoldsAllStates)
{
    TrainingPlan plan;
    const MemoryEstimate memory = EstimateMemory(plan, 0);
    EXPECT_EQ(memory.parameters, 2 * 8'030'261'248.0);
    EXPECT_EQ(memory.gradients, 2 * 8'030'261'248.0);
    EXPECT_EQ(memory.optimizer, 12 * 8'030'261'248.0);
    // 34 h bytes per token and layer, as Korthikanti et al. count without scores, and the logits.
    EXPECT_EQ(memory.activations, 8192 * (32 * 34.0 * 4096 + 6.0 * 128256));
    EXPECT_GT(memory.GetTotal(), plan.gpu.memoryBytes);
}

TEST(MemoryEstimate, FollowsScheduleShardingAndRecomputation)
{
    TrainingPlan plan;
    plan.degrees = {4, 2, 2, 0};
    plan.microbatches = 8;
    plan.recompute = Recompute::FULL;
    const double input = 8192 * 4096 * 2 / 4; // of a layer, on one of 4 sequence-parallel ranks
    const double layer = 8192 * 34.0 * 4096 / 4;
    EXPECT_EQ(EstimateMemory(plan, 0).activations, 2 * 16 * input + layer);
    EXPECT_EQ(EstimateMemory(plan, 1).activations, 16 * input + layer + 8192 * 6.0 * 128256 / 4);
    plan.schedule = PipelineSchedule::GPIPE;
    EXPECT_EQ(EstimateMemory(plan, 0).activations, 8 * 16 * input + layer);
    plan.schedule = PipelineSchedule::ZB_H1; // one microbatch waits for its weight gradients
    EXPECT_EQ(EstimateMemory(plan, 0).activations, 16 * input + 16 * layer + layer);

    const double layerParameters = 54'534'144;
    const double stage = 16 * layerParameters + 131'334'144;
    const MemoryEstimate memory = EstimateMemory(plan, 0);
    EXPECT_EQ(memory.optimizer, 12 * stage / 2);
    EXPECT_EQ(memory.gradients, 2 * stage);
    EXPECT_EQ(memory.parameters, 2 * (stage / 2 + 2 * layerParameters + 131'334'144));
    plan.gradientSync = GradientSync::EVERY;
    EXPECT_EQ(EstimateMemory(plan, 0).gradients, 2 * (stage / 2 + 131'334'144));
}

TEST(MemoryEstimate, CountsActivationsOfEveryKindOfLayer)
{
    TrainingPlan plan;
    plan.sequenceLength = 16;
    TransformerShape shape = MakeTinyModel(3).GetShape();
    shape.experts = ExpertShape{4, 2, 1, 32, {0}};
    plan.model = TransformerModel(shape);
    // Two bytes of 16 tokens: attention; a dense MLP; a router, two inputs and three experts.
    const double attention = 2 * 64 + 2 * 64 + 2 * 16;
    const double dense = 2 * 64 + 3 * 160;
    const double mixture = (2 + 2) * 64 + 4 + 3 * (2 + 1) * 32;
    const double logits = 16 * 6.0 * 1000;
    EXPECT_EQ(EstimateMemory(plan, 0).activations,
              2 * 16 * (3 * attention + dense + 2 * mixture) + logits);
    plan.recompute = Recompute::FULL;
    EXPECT_EQ(EstimateMemory(plan, 0).activations,
              2 * 16 * (3 * 64 + attention + std::max(dense, mixture)) + logits);

    // Of the layers, those with experts are gathered.
    plan.degrees.fsdp = 2;
    const double all = plan.model.GetParameters();
    const double extra = 2 * 64000 + 64;
    EXPECT_EQ(
        EstimateMemory(plan, 0).parameters,
        2 * (all / 2 +
             2.0 * std::max(plan.model.GetLayerParameters(0), plan.model.GetLayerParameters(1)) +
             extra));
}

} // namespace photonic
} // namespace ns3
