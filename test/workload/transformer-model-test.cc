/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/transformer-catalogue.h"
#include "ns3/transformer-model.h"

#include <iterator>
#include <utility>

namespace ns3
{
namespace photonic
{

TEST(TransformerModel, HasThePublishedParameterCounts)
{
    // Totals of the published checkpoints (DeepSeek-V3 without its multi-token-prediction module
    // and without the correction biases of its routers); doc/workload.md has the sources.
    const std::pair<const char*, uint64_t> published[]{
        {"llama3-8b", 8'030'261'248},
        {"llama3-70b", 70'553'706'496},
        {"llama3.1-405b", 405'853'388'800},
        {"mixtral-8x7b", 46'702'792'704},
        {"mixtral-8x22b", 140'620'634'112},
        {"deepseek-v2", 235'741'434'880},
        {"deepseek-v3", 671'026'404'352},
        {"qwen3-0.6b", 596'049'920},
        {"qwen3-8b", 8'190'735'360},
        {"qwen3-32b", 32'762'123'264},
        {"qwen3-30b-a3b", 30'532'122'624},
        {"qwen3-235b-a22b", 235'093'634'560},
        {"gpt2", 124'439'808},
        {"gpt2-medium", 354'823'168},
        {"gpt2-large", 774'030'080},
        {"gpt2-xl", 1'557'611'200},
    };
    EXPECT_EQ(std::size(published), GetTransformerCatalogue().size());
    for (const auto& [name, parameters] : published)
    {
        EXPECT_EQ(TransformerModel::Load(name).GetParameters(), parameters) << name;
    }
}

TEST(TransformerModel, HasThePublishedActivatedParameters)
{
    // The numbers of the model cards, of two or three digits, not always rounded.
    const std::pair<const char*, double> published[]{{"mixtral-8x7b", 12.9e9},
                                                     {"mixtral-8x22b", 39e9},
                                                     {"deepseek-v2", 21e9},
                                                     {"deepseek-v3", 37e9},
                                                     {"qwen3-30b-a3b", 3.3e9},
                                                     {"qwen3-235b-a22b", 22e9}};
    for (const auto& [name, parameters] : published)
    {
        const double activated = TransformerModel::Load(name).GetActivatedParameters();
        EXPECT_NEAR(activated / parameters, 1, 0.02) << name;
    }
    // More precisely, 36.6e9 of DeepSeek-V3 without the embedding of tokens (its
    // README_WEIGHTS.md).
    const TransformerModel v3 = TransformerModel::Load("deepseek-v3");
    EXPECT_NEAR(v3.GetActivatedParameters() - v3.GetEmbeddingParameters(), 36.6e9, 0.05e9);
    // Of a dense model, all.
    const TransformerModel dense = TransformerModel::Load("gpt2");
    EXPECT_EQ(dense.GetActivatedParameters(), dense.GetParameters());
}

TEST(TransformerModel, SeparatesRoutedExpertsFromWhatEveryTokenPasses)
{
    const TransformerModel model = TransformerModel::Load("deepseek-v3");
    EXPECT_EQ(model.GetExpertParameters(), 3U * 7168 * 2048);
    EXPECT_FALSE(model.HasExperts(2));
    EXPECT_EQ(model.GetMlp(2).matrices, 3U * 7168 * 18432);
    EXPECT_EQ(model.GetMlp(2).experts, 0U);
    ASSERT_TRUE(model.HasExperts(3));
    const LayerPart& mixture = model.GetMlp(3);
    EXPECT_EQ(mixture.experts, 256U);
    EXPECT_EQ(mixture.activated, 8U);
    EXPECT_EQ(mixture.matrices, 256U * 7168 + 3U * 7168 * 2048); // router and shared expert
    EXPECT_EQ(model.GetLayerParameters(3) - model.GetLayerParameters(2),
              uint64_t{257} * 3 * 7168 * 2048 + 256 * 7168 - 3 * 7168 * 18432);
    EXPECT_EQ(TransformerModel::Load("llama3-8b").GetExpertParameters(), 0U);
}

TEST(TransformerModel, HasThePublishedTrainingCostPerToken)
{
    // "Insights into DeepSeek-V3" (arXiv 2505.09343), table 2: GFLOPs per token at 4,096 tokens,
    // with attention scores halved for causality, which are counted in full here.
    const std::pair<const char*, double> published[]{{"deepseek-v2", 155e9},
                                                     {"deepseek-v3", 250e9}};
    for (const auto& [name, flops] : published)
    {
        const TransformerModel model = TransformerModel::Load(name);
        const double scores = 128.0 * (128 + 64 + 128); // heads; query and key, value
        const double halved = 3.0 * model.GetShape().layers * 4096 * scores;
        EXPECT_NEAR((model.GetModelFlops(1, 4096) / 4096 - halved) / flops, 1, 0.005) << name;
    }
}

TEST(TransformerModel, CountsEveryMatrix)
{
    const TransformerModel model = TransformerModel::Load("llama3-8b");
    EXPECT_EQ(model.GetAttention().matrices, 2U * 4096 * 4096 + 2U * 4096 * 1024);
    EXPECT_EQ(model.GetMlp(0).matrices, 3U * 4096 * 14336);
    EXPECT_EQ(model.GetLayerParameters(0), 218'112'000U);
    EXPECT_EQ(model.GetEmbeddingParameters(), 525'336'576U);

    TransformerShape tied = model.GetShape();
    tied.tiedEmbeddings = true;
    EXPECT_EQ(TransformerModel(tied).GetParameters(), 8'030'261'248U - 525'336'576U);
}

TEST(TransformerModel, HasHandComputedWork)
{
    // h 64, f 160, 8 heads and 2 key-value heads of 8, vocabulary 1000; 2 sequences of 16 tokens.
    const TransformerModel model = MakeTinyModel(3);
    const double tokens = 32;
    const double attentionWeights = 64 * (64 + 16 + 16 + 64);
    const Work attention = model.GetAttention().GetWork(2, 16);
    EXPECT_EQ(attention.flops, 2 * tokens * attentionWeights + 2 * (2 * 2 * 16 * 16 * 64));
    EXPECT_EQ(attention.bytes, 2 * (attentionWeights + tokens * (6 * 64 + 4 * 64 + 4 * 16)));
    const Work mlp = model.GetMlp(0).GetWork(2, 16);
    EXPECT_EQ(mlp.flops, 2 * tokens * 3 * 64 * 160);
    EXPECT_EQ(mlp.bytes, 2 * (3 * 64 * 160 + tokens * 6 * (64 + 160)));
    EXPECT_EQ(model.GetHeadWork(2, 16).flops, 2 * tokens * 64 * 1000);
    EXPECT_EQ(model.GetEmbeddingWork(2, 16).flops, 0);
    EXPECT_EQ(model.GetEmbeddingWork(2, 16).bytes, 4 * tokens * 64);
    EXPECT_EQ(model.GetModelFlops(2, 16),
              3 * (3 * (attention.flops + mlp.flops) + 2 * tokens * 64 * 1000));
}

TEST(TransformerModel, HasHandComputedWorkOfAMixture)
{
    // h 64; of 4 experts of width 32 a token passes 2, and 1 shared one; layer 0 is dense.
    TransformerShape shape = MakeTinyModel(3).GetShape();
    shape.experts = ExpertShape{4, 2, 1, 32, {0}};
    const TransformerModel model(shape);
    const double tokens = 32;
    const double expert = 3 * 64 * 32;
    const Work mixture = model.GetMlp(1).GetWork(2, 16);
    EXPECT_EQ(mixture.flops, 2 * tokens * (64 * 4 + 3 * expert));
    // Weights; norm and residual; router; to and from 2 experts; their widths; the shared expert.
    const double moved =
        4 * 64 + (64 + 2 * 4) + (2 * 64 + 4 * 2 * 64) + 6 * 2 * 32 + (3 * 64 + 6 * 32);
    EXPECT_EQ(mixture.bytes, 2 * (64 * 4 + 5 * expert + tokens * moved));
    EXPECT_EQ(model.GetMlp(0).GetWork(2, 16).flops, 2 * tokens * 3 * 64 * 160);
    EXPECT_EQ(model.GetModelFlops(2, 16),
              3 * (3 * model.GetAttention().GetWork(2, 16).flops + 2 * mixture.flops +
                   2 * tokens * 3 * 64 * 160 + 2 * tokens * 64 * 1000));
    // One token reads two routed experts and the shared one.
    EXPECT_EQ(model.GetMlp(1).GetWork(1, 1).bytes, 2 * (64 * 4 + 3 * expert + moved));
}

TEST(TransformerModel, HasHandComputedWorkOfLatentAttention)
{
    // h 64, 8 heads; ranks 24 and 16; heads of 8 + 4 for queries and keys, 6 for values.
    TransformerShape shape = MakeTinyModel(1).GetShape();
    shape.latent = LatentAttentionShape{24, 16, 8, 4, 6};
    const LayerPart attention = TransformerModel(shape).GetAttention();
    const double weights = 64 * 24 + 24 * 8 * 12 + 64 * (16 + 4) + 16 * 8 * (8 + 6) + 8 * 6 * 64;
    EXPECT_EQ(attention.matrices, weights);
    EXPECT_EQ(attention.vectors, 64U + 24 + 16);
    const Work work = attention.GetWork(2, 16);
    const double tokens = 32;
    EXPECT_EQ(work.flops, 2 * tokens * weights + 2 * (2 * 16 * 16) * 8 * (12 + 6));
    EXPECT_EQ(work.bytes,
              2 * (weights + tokens * (6 * 64 + 4 * 96 + 4 * 48 + 4 * (24 + 16) + 2 * 4)));
}

TEST(TransformerModel, AgreesWithPalmsFormula)
{
    // PaLM, appendix B: 6 N + 12 L H Q T FLOPs per token, N without embedding and norms.
    const double n = 32.0 * (218'112'000 - 2 * 4096) + 525'336'576;
    const double perToken = 6 * n + 12.0 * 32 * 32 * 128 * 8192;
    EXPECT_DOUBLE_EQ(TransformerModel::Load("llama3-8b").GetModelFlops(4, 8192),
                     perToken * 4 * 8192);
}

TEST(TransformerModel, RefusesImpossibleShapes)
{
    EXPECT_CONTAINS(GetRefusal([] { TransformerModel({"odd", 2, 64, 128, 8, 3, 8, 100, false}); }),
                    "8 attention heads, not a multiple of its 3");
    EXPECT_CONTAINS(GetRefusal([] { TransformerModel({"none", 0, 64, 128, 8, 8, 8, 1, false}); }),
                    "size of 0");
    TransformerShape shape = MakeTinyModel(2).GetShape();
    shape.experts = ExpertShape{4, 5, 0, 32, {}};
    EXPECT_CONTAINS(GetRefusal([&] { TransformerModel{shape}; }), "4 experts, but activates 5");
    shape.experts = ExpertShape{4, 2, 0, 0, {}};
    EXPECT_CONTAINS(GetRefusal([&] { TransformerModel{shape}; }), "size of 0");
    shape.experts = ExpertShape{4'000'000'000, 2, 0, 4'000'000'000, {}};
    EXPECT_CONTAINS(GetRefusal([&] { TransformerModel{shape}; }), "more than 1e17 parameters");
    const std::string unknown = GetRefusal([] { TransformerModel::Load("llama4"); });
    EXPECT_CONTAINS(unknown, "'llama4'");
    EXPECT_CONTAINS(unknown, "llama3-8b, llama3-70b, llama3.1-405b");
}

} // namespace photonic
} // namespace ns3
