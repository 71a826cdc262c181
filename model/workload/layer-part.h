/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_LAYER_PART_H
#define PHOTONIC_LAYER_PART_H

#include "compute-model.h"
#include "transformer-shape.h"

#include <cstdint>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief One of the two parts of a layer, attention or MLP, each with the normalisation before it
 *        and the residual after it.
 *
 * All kinds come down to the same numbers, which the functions below fill in; each formula and its
 * source is in doc/workload.md. Elements are those of one token.
 */
struct LayerPart
{
    uint64_t matrices{0};    ///< parameters of the matrices that every token passes
    uint64_t vectors{0};     ///< parameters of normalisations and biases
    uint64_t expert{0};      ///< parameters of one routed expert
    uint32_t experts{0};     ///< routed experts
    uint32_t activated{0};   ///< routed experts that a token passes
    uint64_t scores{0};      ///< multiply-adds of a pair of tokens: query by key, score by value
    uint64_t moved{0};       ///< elements between GPU and memory in a forward pass
    uint64_t scoresMoved{0}; ///< of these, for the scores
    uint64_t expertMoved{0}; ///< of these, for each routed expert
    uint64_t output{0};      ///< of the matrices, the one that what the scores lead to passes
    uint64_t outputMoved{0}; ///< of the elements moved, those for it and for the residual
    uint64_t keyValues{0};   ///< elements of keys and values, split by tensor parallelism
    uint64_t inputs{0}; ///< elements kept for the backward pass, of the width of a layer's input:
                        ///< only sequence parallelism splits them
    uint64_t inner{0};  ///< elements kept for the backward pass, split by tensor parallelism

    /// @return parameters, all experts included
    uint64_t GetParameters() const;

    /// @return parameters that a token passes
    uint64_t GetActivatedParameters() const;

    /**
     * @param batch sequences of a microbatch
     * @param sequence tokens of a sequence
     * @return the forward pass of one microbatch on one device
     */
    Work GetWork(uint64_t batch, uint64_t sequence) const;

    /**
     * @param tokens of a device
     * @param sequence tokens of a sequence, all of which a token is scored with
     * @return the forward pass but for routed experts
     */
    Work GetDenseWork(double tokens, uint64_t sequence) const;

    /**
     * @param tokens of a device @param sequence tokens that each is scored with
     * @return of GetDenseWork(), the scores and what they lead to, without projections
     */
    Work GetScoresWork(double tokens, uint64_t sequence) const;

    /// @param tokens of a device @return of GetDenseWork(), what follows the scores
    Work GetOutputWork(double tokens) const;

    /**
     * @param copies of tokens that experts of a device get, all together
     * @param held experts that it holds
     * @return their forward pass
     */
    Work GetExpertsWork(double copies, uint64_t held) const;
};

/// @param shape without latent attention @return multi-head or grouped-query attention
LayerPart MakeGroupedQueryAttention(const TransformerShape& shape);

/// @param shape with latent attention @return multi-head latent attention, as it is trained
LayerPart MakeLatentAttention(const TransformerShape& shape);

/// @param shape the model's @return the MLP of a dense layer, gated or not
LayerPart MakeMlp(const TransformerShape& shape);

/// @param shape with experts @return router, routed and shared experts
LayerPart MakeMixtureOfExperts(const TransformerShape& shape);

/// @param shape the model's @return parameters of a normalisation of a layer's input
uint64_t CountNormParameters(const TransformerShape& shape);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_LAYER_PART_H
