/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRANSFORMER_SHAPE_H
#define PHOTONIC_TRANSFORMER_SHAPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief The sizes of multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1).
 */
struct LatentAttentionShape
{
    uint32_t queryRank{0};    ///< of compressed queries; 0: they are not compressed
    uint32_t keyValueRank{0}; ///< of compressed keys and values
    uint32_t nopeDim{0};      ///< of a head's query and key, without rotary embedding
    uint32_t ropeDim{0};      ///< with it; the key's is shared by all heads
    uint32_t valueDim{0};     ///< of a head's value
};

/**
 * @ingroup photonic-rails-workload
 * @brief The sizes of a mixture of experts, all of them gated MLPs.
 */
struct ExpertShape
{
    uint32_t routed{0};                  ///< experts among which a router chooses
    uint32_t activated{0};               ///< that it chooses for a token
    uint32_t shared{0};                  ///< experts that every token passes
    uint32_t intermediate{0};            ///< width of an expert
    std::vector<uint32_t> denseLayers{}; ///< from 0: they have a plain MLP in place of experts
};

/**
 * @ingroup photonic-rails-workload
 * @brief The sizes that define a decoder. The defaults are those of the Llama family.
 */
struct TransformerShape
{
    /// As options spell it.
    std::string name;
    /// Transformer layers.
    uint32_t layers{0};
    /// Width of the residual stream.
    uint32_t hidden{0};
    uint32_t intermediate{0}; ///< width of the MLP of a dense layer
    uint32_t heads{0};        ///< query heads
    uint32_t kvHeads{0};      ///< key and value heads (grouped-query attention)
    uint32_t headDim{0};      ///< of queries and keys
    /// Tokens that there are.
    uint32_t vocabulary{0};
    bool tiedEmbeddings{false};                   ///< the head uses the embedding's matrix
    std::optional<LatentAttentionShape> latent{}; ///< in place of grouped-query attention
    std::optional<ExpertShape> experts{};         ///< in place of dense MLPs
    bool queryKeyNorm{false};      ///< queries and keys are normalised, head by head (Qwen3)
    bool queryKeyValueBias{false}; ///< of the attention's input projections
    bool outputBias{false};        ///< of the attention's output projection
    bool gatedMlp{true};           ///< three matrices, else two
    /// The matrices of the MLP have biases.
    bool mlpBias{false};
    bool normBias{false};  ///< LayerNorm in place of RMSNorm
    uint32_t positions{0}; ///< learned embeddings of positions; 0: none
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRANSFORMER_SHAPE_H
