/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "operator-model.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

OperatorGraph
OperatorModel::Build(uint64_t batch, uint32_t tokensOfSample) const
{
    if (tokens == 0 && tokensOfSample != 0)
    {
        throw std::invalid_argument("the samples of " + name + " have no tokens, found " +
                                    std::to_string(tokensOfSample) + " per sample");
    }
    const uint32_t length = tokensOfSample == 0 ? tokens : tokensOfSample;
    if (name == "resnet-50")
    {
        return BuildResNet50(batch);
    }
    return name == "gpt2-355m" ? BuildGpt2Medium(batch, length)
                               : BuildTransformerBig(batch, length);
}

const std::vector<OperatorModel>&
GetOperatorModels()
{
    // Batches, steps and bytes: settings of SiP-ML's study of 1,024 GPUs (SIGCOMM 2021).
    static const std::vector<OperatorModel> models{
        {"resnet-50",
         0,
         8192,
         8192,
         250e6,
         20000,
         "tens of thousands for ImageNet (McCandlish et al. 2018, abstract)"},
        // 256 tokens: the longest sentences that the authors' tensor2tensor trains it on.
        {"transformer-big",
         256,
         1024,
         16384,
         700e6,
         1563,
         "400,000 tokens, the largest batch of Ott et al. 2018, \"Scaling Neural Machine "
         "Translation\""},
        {"gpt2-355m",
         1024,
         1024,
         2403000,
         6.8e9,
         1044,
         "2e8 tokens / 3.0^(1/0.21) at a loss of 3.0 (Kaplan et al. 2020, eq. 5.3)"},
    };
    return models;
}

const OperatorModel&
FindOperatorModel(const std::string& name)
{
    std::string known;
    for (const OperatorModel& model : GetOperatorModels())
    {
        if (model.name == name)
        {
            return model;
        }
        known += (known.empty() ? "" : ", ") + model.name;
    }
    throw std::invalid_argument("unknown model '" + name + "', known are " + known);
}

} // namespace photonic
} // namespace ns3
