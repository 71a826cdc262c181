/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload/workload-test-helper.h"

#include "ns3/operator-model.h"

#include <set>

namespace ns3
{
namespace photonic
{

TEST(OperatorGraph, RefusesWhatIsNotThere)
{
    OperatorGraph graph("m", 1);
    Operator o;
    o.name = "a";
    o.outputBytes = 2;
    EXPECT_EQ(graph.Add(o), 0U);
    o.name = "b";
    o.inputs = {1};
    EXPECT_CONTAINS(GetRefusal([&] { graph.Add(o); }),
                    "operator b reads from operator 1, but only 1 stand before it");
    o.inputs = {0, 0};
    EXPECT_CONTAINS(GetRefusal([&] { graph.Add(o); }), "reads twice from a");
    o.inputs = {0};
    o.outputBytes = 0;
    EXPECT_EQ(graph.Add(o), 1U);
    EXPECT_EQ(graph.GetReaders(0), (std::vector<uint32_t>{1}));
    EXPECT_EQ(graph.GetSize(), 2U);
    o.inputs = {1};
    EXPECT_CONTAINS(GetRefusal([&] { graph.Add(o); }), "at least 1 byte, found 0");
    EXPECT_CONTAINS(GetRefusal([] { OperatorGraph("m", 0); }), "found 0");
    EXPECT_CONTAINS(GetRefusal([] { FindOperatorModel("vgg"); }),
                    "known are resnet-50, transformer-big, gpt2-355m");
    EXPECT_CONTAINS(GetRefusal([] { FindOperatorModel("resnet-50").Build(1, 8); }), "found 8");
    EXPECT_CONTAINS(GetRefusal([] { FindOperatorModel("gpt2-355m").Build(1, 1025); }),
                    "found 1025");
    EXPECT_CONTAINS(GetRefusal([] { BuildTransformerBig(1, 0); }), "found 0");
}

TEST(OperatorModel, HasThePublishedParameters)
{
    // torchvision's resnet50 and Hugging Face's gpt2-medium state these to the last one.
    EXPECT_EQ(BuildResNet50(1).GetParameters(), 25'557'032U);
    EXPECT_EQ(BuildGpt2Medium(1, 1024).GetParameters(), 354'823'168U);
    // Vaswani et al. 2017, table 3: 213 million, with "about" 37,000 tokens.
    EXPECT_NEAR(BuildTransformerBig(1, 256).GetParameters() / 213e6, 1, 0.01);
    // 8 h^2 and the biases of 12 MLPs, 4 h^2 of 18 attentions, 30 normalisations, and
    // the shared matrix.
    EXPECT_EQ(BuildTransformerBig(1, 256).GetParameters(),
              12U * (8 * 1024 * 1024 + 4096 + 1024) + 18U * 4 * 1024 * 1024 + 30U * 2 * 1024 +
                  37000U * 1024);
}

TEST(OperatorModel, HasThePublishedFlops)
{
    // 4.09 billion multiply-adds per image (torchvision's model table: 4.09 GFLOPS).
    EXPECT_NEAR(BuildResNet50(1).GetForward().flops / 2, 4.09e9, 0.005e9);
    EXPECT_EQ(BuildResNet50(32).GetForward().flops, 32 * BuildResNet50(1).GetForward().flops);

    // Narayanan et al. 2021, appendix: of layers 24 B s l h^2 (1 + s/6h), of the head 2 B s h V.
    const double h = 1024;
    const double b = 3;
    const double s = 512;
    EXPECT_NEAR(BuildGpt2Medium(3, 512).GetForward().flops,
                24 * b * s * 24 * h * h * (1 + s / (6 * h)) + 2 * b * s * h * 50257,
                1e3);
    // Every product of table 3: 12 h^2 of an encoder layer, 16 h^2 of a decoder layer, scores and
    // values of 18 attentions, the head.
    EXPECT_NEAR(BuildTransformerBig(3, 512).GetForward().flops,
                b * (2 * s * h * h * (6 * 12 + 6 * 16) + 18 * 4 * s * s * h + 2 * s * h * 37000),
                1e3);
}

TEST(OperatorModel, BackwardIsTwiceForwardWhereverThereAreInputs)
{
    // The first convolution has no gradient of the images: 2 x 118 million FLOPs.
    const Work forward = BuildResNet50(1).GetForward();
    const double first = 2.0 * 7 * 7 * 3 * 64 * 112 * 112;
    EXPECT_DOUBLE_EQ(BuildResNet50(1).GetTotal().flops, 3 * forward.flops - first);
    const OperatorGraph gpt2 = BuildGpt2Medium(1, 1024);
    EXPECT_DOUBLE_EQ(gpt2.GetTotal().flops, 3 * gpt2.GetForward().flops);
    for (const OperatorModel& model : GetOperatorModels())
    {
        const OperatorGraph graph = model.Build(2);
        for (uint32_t i = 0; i < graph.GetSize(); ++i)
        {
            const Operator& o = graph.Get(i);
            EXPECT_EQ(o.inputGradient.bytes == 0, o.inputs.empty()) << o.name;
            // What has no parameters, but a weight gradient, is tied.
            EXPECT_EQ(o.weightGradient.bytes == 0,
                      o.parameters == 0 && o.name != "head" && o.name != "target-embedding")
                << o.name;
        }
    }
}

TEST(OperatorModel, HasTheOrderAndTheEdgesOfTheArchitecture)
{
    // ResNet-50: a chain (the convolution of a shortcut takes the place of the shortcut) and 16
    // sums. Self-attention has 1 edge to its projections, 1 to attention, 2 to the output
    // projection; cross-attention 1 and 1 to projections, 2, 2; an MLP 1 and 2.
    const std::pair<const char*, uint32_t> edges[] = {
        {"resnet-50", 55 + 16},
        {"transformer-big", 6 * (4 + 3) + 6 * (4 + 6 + 3) + 1},
        {"gpt2-355m", 24 * (4 + 3) + 1}};
    for (const auto& [name, expected] : edges)
    {
        const OperatorGraph graph = FindOperatorModel(name).Build(1);
        std::set<std::string> names;
        uint32_t found = 0;
        uint32_t sources = 0;
        for (uint32_t i = 0; i < graph.GetSize(); ++i)
        {
            names.insert(graph.Get(i).name);
            found += graph.Get(i).inputs.size();
            sources += graph.Get(i).inputs.empty() ? 1 : 0;
            for (uint32_t input : graph.Get(i).inputs)
            {
                EXPECT_LT(input, i);
            }
            EXPECT_EQ(graph.GetReaders(i).empty(), i + 1 == graph.GetSize()) << graph.Get(i).name;
        }
        EXPECT_EQ(found, expected) << name;
        EXPECT_EQ(sources, std::string(name) == "transformer-big" ? 2U : 1U);
        EXPECT_EQ(names.size(), graph.GetSize()) << name;
    }
    EXPECT_EQ(BuildResNet50(1).GetSize(), 56U);
    EXPECT_EQ(BuildGpt2Medium(1, 1024).GetSize(), 2 + 24U * 5);
    // Self-attention 3, cross-attention 4, MLP 2.
    EXPECT_EQ(BuildTransformerBig(1, 64).GetSize(), 3 + 6U * 5 + 6U * 9);
}

TEST(OperatorModel, HandsOnActivationsInBf16)
{
    const OperatorGraph resnet = BuildResNet50(4);
    EXPECT_EQ(resnet.Get(0).outputBytes, 4U * 64 * 112 * 112 * 2); // He et al., table 1: 112 x 112
    EXPECT_EQ(resnet.Get(resnet.GetSize() - 3).outputBytes, 4U * 2048 * 7 * 7 * 2);
    EXPECT_EQ(resnet.Get(resnet.GetSize() - 2).outputBytes, 4U * 2048 * 2);
    EXPECT_EQ(BuildGpt2Medium(4, 1024).Get(0).outputBytes, 4U * 1024 * 1024 * 2);
    // A matrix product of one sample reads its weights: memory bytes of a batch are not in
    // proportion.
    EXPECT_LT(BuildGpt2Medium(4, 1024).GetForward().bytes,
              4 * BuildGpt2Medium(1, 1024).GetForward().bytes);
}

} // namespace photonic
} // namespace ns3
