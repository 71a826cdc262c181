/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRANSFORMER_MODEL_H
#define PHOTONIC_TRANSFORMER_MODEL_H

#include "compute-model.h"
#include "layer-part.h"
#include "transformer-shape.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief Parameters, FLOPs and memory traffic of a transformer, each formula with its source in
 *        doc/workload.md.
 *
 * Work is that of the forward pass of one microbatch on one device; the backward pass does
 * BACKWARD_FACTOR times as much, since every matrix product becomes two (Korthikanti et al. 2022).
 * Attention scores are counted in full, not halved for causality (PaLM, appendix B). All layers
 * have the same attention; each has a dense MLP or a mixture of experts.
 */
class TransformerModel
{
  public:
    /// FLOPs of the backward pass over those of the forward pass.
    static constexpr double BACKWARD_FACTOR = 2;

    /**
     * @param shape the sizes
     * @throws std::invalid_argument if a size is 0, heads is not a multiple of kvHeads, more
     *         experts are activated than there are, or parameters do not fit into 64 bits
     */
    explicit TransformerModel(const TransformerShape& shape);

    /**
     * @param nameOrFile one of GetTransformerCatalogue(), or a Hugging Face config.json
     * @return the model
     * @throws std::invalid_argument if it is neither, or the file is faulty
     */
    static TransformerModel Load(const std::string& nameOrFile);

    /// @return its sizes
    const TransformerShape& GetShape() const;

    /// @return the attention of a layer
    const LayerPart& GetAttention() const;
    /// @param layer from 0 @return its MLP, or its mixture of experts
    const LayerPart& GetMlp(uint32_t layer) const;
    /// @param layer from 0 @return whether it has a mixture of experts
    bool HasExperts(uint32_t layer) const;

    /// @return parameters of one routed expert, 0 without experts
    uint64_t GetExpertParameters() const;
    /// @return parameters of the final normalisation
    uint64_t GetNormParameters() const;
    /// @param layer from 0 @return parameters of a layer, all experts included
    uint64_t GetLayerParameters(uint32_t layer) const;
    /// @return parameters of the embedding, and of a head that is not tied to it
    uint64_t GetEmbeddingParameters() const;
    /// @return parameters of the embedding of positions, 0 if they are not learned
    uint64_t GetPositionParameters() const;
    /// @return parameters of the model, a tied matrix counted once
    uint64_t GetParameters() const;
    /// @return of these, what a token passes: all but the routed experts that are not chosen
    uint64_t GetActivatedParameters() const;

    /// @param batch sequences @param sequence tokens of one @return the look-up of the embedding
    Work GetEmbeddingWork(uint64_t batch, uint64_t sequence) const;
    /// @param batch sequences @param sequence tokens of one @return final norm, head and loss
    Work GetHeadWork(uint64_t batch, uint64_t sequence) const;

    /**
     * @param batch sequences
     * @param sequence tokens of one
     * @return FLOPs of training on them (forward and backward without recomputation), the
     *         numerator of model FLOPs utilisation
     */
    double GetModelFlops(uint64_t batch, uint64_t sequence) const;

  private:
    /// @return parameters outside layers
    uint64_t GetOtherParameters() const;

    TransformerShape m_shape;
    LayerPart m_attention;
    LayerPart m_denseMlp;
    LayerPart m_experts;
    std::vector<bool> m_hasExperts; ///< of each layer
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRANSFORMER_MODEL_H
