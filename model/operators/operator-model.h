/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPERATOR_MODEL_H
#define PHOTONIC_OPERATOR_MODEL_H

#include "operator-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-operators
 * @brief ResNet-50 on images of 224 x 224 (He et al. 2015, table 1).
 *
 * The stride of a block is in its 3x3 convolution, as in Goyal et al. 2017 and the usual
 * implementations (4.09 billion multiply-adds); He et al. had it in the first (3.8 billion).
 *
 * @param batch images
 * @return 56 operators: 53 convolutions, two poolings and the classifier
 */
OperatorGraph BuildResNet50(uint64_t batch);

/**
 * @ingroup photonic-rails-operators
 * @brief Transformer (big) for translation (Vaswani et al. 2017, table 3), 37,000 shared tokens.
 *
 * @param batch pairs of sentences
 * @param tokens of each of the two sentences
 * @return 6 layers of an encoder and 6 of a decoder, two embeddings and the head
 */
OperatorGraph BuildTransformerBig(uint64_t batch, uint32_t tokens);

/**
 * @ingroup photonic-rails-operators
 * @brief GPT-2 medium, 355 million parameters (Radford et al. 2019, table 2).
 *
 * @param batch sequences
 * @param tokens of a sequence, up to 1,024
 * @return 24 layers, the embedding and the tied head
 * @throws std::invalid_argument for longer sequences
 */
OperatorGraph BuildGpt2Medium(uint64_t batch, uint32_t tokens);

/**
 * @ingroup photonic-rails-operators
 * @brief A model that can be built as operators, and how SiP-ML's study trained it.
 */
struct OperatorModel
{
    /// As options spell it.
    std::string name;
    uint32_t tokens;            ///< of a sample unless stated; 0: samples have none
    uint64_t studyBatch;        ///< global batch of the study, samples
    double studySteps;          ///< to the target accuracy with that batch
    double studyGradientBytes;  ///< that the study synchronises per step
    double criticalBatch;       ///< samples, see BatchScaling
    std::string criticalSource; ///< where that comes from

    /**
     * @param batch samples
     * @param tokensOfSample 0: the default
     * @return the model's operators for the batch
     * @throws std::invalid_argument if tokens are given for a model without
     */
    OperatorGraph Build(uint64_t batch, uint32_t tokensOfSample = 0) const;
};

/// @ingroup photonic-rails-operators
/// @return resnet-50, transformer-big and gpt2-355m
const std::vector<OperatorModel>& GetOperatorModels();

/**
 * @ingroup photonic-rails-operators
 * @param name of one of those
 * @return the model
 * @throws std::invalid_argument for another name, listing those known
 */
const OperatorModel& FindOperatorModel(const std::string& name);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPERATOR_MODEL_H
