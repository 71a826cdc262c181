/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRANSFORMER_MODEL_H
#define PHOTONIC_TRANSFORMER_MODEL_H

#include "compute-model.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief The sizes that define a dense decoder with gated MLP (the Llama family).
 */
struct TransformerShape
{
    std::string name;
    uint32_t layers{0};
    uint32_t hidden{0};
    uint32_t intermediate{0}; ///< width of the gated MLP
    uint32_t heads{0};        ///< query heads
    uint32_t kvHeads{0};      ///< key and value heads (grouped-query attention)
    uint32_t headDim{0};
    uint32_t vocabulary{0};
    bool tiedEmbeddings{false}; ///< the head uses the embedding's matrix
};

/**
 * @ingroup photonic-rails-workload
 * @brief Parameters, FLOPs and memory traffic of a transformer, each formula with its source in
 *        doc/workload.md.
 *
 * Work is that of the forward pass of one microbatch on one device; the backward pass does
 * BACKWARD_FACTOR times as much, since every matrix product becomes two (Korthikanti et al. 2022).
 * Attention scores are counted in full, not halved for causality (PaLM, appendix B).
 */
class TransformerModel
{
  public:
    static constexpr double BACKWARD_FACTOR = 2;

    /**
     * @param shape the sizes
     * @throws std::invalid_argument if a size is 0 or heads is not a multiple of kvHeads
     */
    explicit TransformerModel(const TransformerShape& shape);

    /**
     * @param nameOrFile llama3-8b, llama3-70b, llama3.1-405b, or a Hugging Face config.json
     * @return the model
     * @throws std::invalid_argument if it is neither, or the file is faulty
     */
    static TransformerModel Load(const std::string& nameOrFile);

    const TransformerShape& GetShape() const;

    /// @return parameters of the four attention matrices of a layer
    uint64_t GetAttentionParameters() const;
    /// @return parameters of the three MLP matrices of a layer
    uint64_t GetMlpParameters() const;
    /// @return parameters of one normalisation; a layer has two, the head one
    uint64_t GetNormParameters() const;
    /// @return parameters of a layer
    uint64_t GetLayerParameters() const;
    /// @return parameters of the embedding, and of a head that is not tied to it
    uint64_t GetEmbeddingParameters() const;
    /// @return parameters of the model, a tied matrix counted once
    uint64_t GetParameters() const;

    /**
     * @param batch sequences of a microbatch
     * @param sequence tokens of a sequence
     * @return normalisation, projections, attention and residual of a layer
     */
    Work GetAttentionWork(uint64_t batch, uint64_t sequence) const;
    /// @param batch sequences @param sequence tokens of one @return normalisation, MLP, residual
    Work GetMlpWork(uint64_t batch, uint64_t sequence) const;
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
    TransformerShape m_shape;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRANSFORMER_MODEL_H
