/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/transformer-model.h"

namespace ns3
{
namespace photonic
{

TEST(TransformerModel, HasThePublishedParameterCounts)
{
    // Totals of the published checkpoints.
    EXPECT_EQ(TransformerModel::Load("llama3-8b").GetParameters(), 8'030'261'248U);
    EXPECT_EQ(TransformerModel::Load("llama3-70b").GetParameters(), 70'553'706'496U);
    EXPECT_EQ(TransformerModel::Load("llama3.1-405b").GetParameters(), 405'853'388'800U);
}

TEST(TransformerModel, CountsEveryMatrix)
{
    const TransformerModel model = TransformerModel::Load("llama3-8b");
    EXPECT_EQ(model.GetAttentionParameters(), 2U * 4096 * 4096 + 2U * 4096 * 1024);
    EXPECT_EQ(model.GetMlpParameters(), 3U * 4096 * 14336);
    EXPECT_EQ(model.GetLayerParameters(), 218'112'000U);
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
    const Work attention = model.GetAttentionWork(2, 16);
    EXPECT_EQ(attention.flops, 2 * tokens * attentionWeights + 2 * (2 * 2 * 16 * 16 * 64));
    EXPECT_EQ(attention.bytes, 2 * (attentionWeights + tokens * (6 * 64 + 4 * 64 + 4 * 16)));
    const Work mlp = model.GetMlpWork(2, 16);
    EXPECT_EQ(mlp.flops, 2 * tokens * 3 * 64 * 160);
    EXPECT_EQ(mlp.bytes, 2 * (3 * 64 * 160 + tokens * 6 * (64 + 160)));
    EXPECT_EQ(model.GetHeadWork(2, 16).flops, 2 * tokens * 64 * 1000);
    EXPECT_EQ(model.GetEmbeddingWork(2, 16).flops, 0);
    EXPECT_EQ(model.GetEmbeddingWork(2, 16).bytes, 4 * tokens * 64);
    EXPECT_EQ(model.GetModelFlops(2, 16),
              3 * (3 * (attention.flops + mlp.flops) + 2 * tokens * 64 * 1000));
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
    const std::string unknown = GetRefusal([] { TransformerModel::Load("llama4"); });
    EXPECT_CONTAINS(unknown, "'llama4'");
    EXPECT_CONTAINS(unknown, "llama3-8b, llama3-70b, llama3.1-405b");
}

} // namespace photonic
} // namespace ns3
