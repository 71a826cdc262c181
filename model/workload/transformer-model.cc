/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "transformer-model.h"

#include "transformer-catalogue.h"
#include "transformer-config.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr double BF16 = 2; ///< bytes of a weight or an activation

/// Counts are 64-bit; this leaves room for sums and bytes of them.
constexpr double MAX_PARAMETERS = 1e17;

} // namespace

TransformerModel::TransformerModel(const TransformerShape& shape)
    : m_shape(shape),
      m_hasExperts(shape.layers, shape.experts.has_value())
{
    const std::string who = "model " + shape.name + " has ";
    const auto refuseZeros = [&who](std::initializer_list<uint32_t> sizes) {
        if (std::any_of(sizes.begin(), sizes.end(), [](uint32_t size) { return size == 0; }))
        {
            throw std::invalid_argument(who + "a size of 0");
        }
    };
    refuseZeros({shape.layers,
                 shape.hidden,
                 shape.intermediate,
                 shape.heads,
                 shape.kvHeads,
                 shape.headDim,
                 shape.vocabulary});
    if (shape.heads % shape.kvHeads != 0)
    {
        throw std::invalid_argument(who + std::to_string(shape.heads) +
                                    " attention heads, not a multiple of its " +
                                    std::to_string(shape.kvHeads) + " key-value heads");
    }
    if (shape.latent)
    {
        const LatentAttentionShape& latent = *shape.latent;
        refuseZeros({latent.keyValueRank, latent.nopeDim, latent.ropeDim, latent.valueDim});
    }
    m_attention = shape.latent ? MakeLatentAttention(shape) : MakeGroupedQueryAttention(shape);
    m_denseMlp = MakeMlp(shape);
    if (shape.experts)
    {
        const ExpertShape& experts = *shape.experts;
        refuseZeros({experts.routed, experts.activated, experts.intermediate});
        if (experts.activated > experts.routed)
        {
            throw std::invalid_argument(who + std::to_string(experts.routed) +
                                        " experts, but activates " +
                                        std::to_string(experts.activated));
        }
        m_experts = MakeMixtureOfExperts(shape);
        for (uint32_t layer : experts.denseLayers)
        {
            if (layer < shape.layers)
            {
                m_hasExperts[layer] = false;
            }
        }
    }
    if (static_cast<double>(m_experts.expert) * m_experts.experts * shape.layers > MAX_PARAMETERS)
    {
        throw std::invalid_argument(who + "more than 1e17 parameters in its experts");
    }
}

TransformerModel
TransformerModel::Load(const std::string& nameOrFile)
{
    for (const auto& [name, config] : GetTransformerCatalogue())
    {
        if (name == nameOrFile)
        {
            return TransformerModel(ParseTransformerConfig(name, config));
        }
    }
    if (!std::ifstream(nameOrFile))
    {
        throw std::invalid_argument("model '" + nameOrFile + "' is neither one of " +
                                    ListTransformers() + ", nor a config.json that can be read");
    }
    return TransformerModel(ReadTransformerConfig(nameOrFile));
}

const TransformerShape&
TransformerModel::GetShape() const
{
    return m_shape;
}

const LayerPart&
TransformerModel::GetAttention() const
{
    return m_attention;
}

const LayerPart&
TransformerModel::GetMlp(uint32_t layer) const
{
    return HasExperts(layer) ? m_experts : m_denseMlp;
}

bool
TransformerModel::HasExperts(uint32_t layer) const
{
    return m_hasExperts.at(layer);
}

uint64_t
TransformerModel::GetExpertParameters() const
{
    return m_experts.expert;
}

uint64_t
TransformerModel::GetNormParameters() const
{
    return CountNormParameters(m_shape);
}

uint64_t
TransformerModel::GetLayerParameters(uint32_t layer) const
{
    return m_attention.GetParameters() + GetMlp(layer).GetParameters();
}

uint64_t
TransformerModel::GetEmbeddingParameters() const
{
    return uint64_t{m_shape.vocabulary} * m_shape.hidden;
}

uint64_t
TransformerModel::GetPositionParameters() const
{
    return uint64_t{m_shape.positions} * m_shape.hidden;
}

uint64_t
TransformerModel::GetOtherParameters() const
{
    return GetNormParameters() + GetPositionParameters() +
           GetEmbeddingParameters() * (m_shape.tiedEmbeddings ? 1 : 2);
}

uint64_t
TransformerModel::GetParameters() const
{
    uint64_t parameters = GetOtherParameters();
    for (uint32_t layer = 0; layer < m_shape.layers; ++layer)
    {
        parameters += GetLayerParameters(layer);
    }
    return parameters;
}

uint64_t
TransformerModel::GetActivatedParameters() const
{
    uint64_t parameters = GetOtherParameters();
    for (uint32_t layer = 0; layer < m_shape.layers; ++layer)
    {
        parameters += m_attention.GetActivatedParameters() + GetMlp(layer).GetActivatedParameters();
    }
    return parameters;
}

Work
TransformerModel::GetEmbeddingWork(uint64_t batch, uint64_t sequence) const
{
    const double tokens = static_cast<double>(batch) * sequence;
    const double read = m_shape.positions > 0 ? 2 : 1; // rows; one is written
    return {0, BF16 * tokens * (read + 1) * m_shape.hidden};
}

Work
TransformerModel::GetHeadWork(uint64_t batch, uint64_t sequence) const
{
    const double tokens = static_cast<double>(batch) * sequence;
    const double weights = GetEmbeddingParameters();
    return {2 * tokens * weights,
            BF16 * (weights + tokens * (3.0 * m_shape.hidden + 2.0 * m_shape.vocabulary))};
}

double
TransformerModel::GetModelFlops(uint64_t batch, uint64_t sequence) const
{
    const auto sparse = std::count(m_hasExperts.begin(), m_hasExperts.end(), true);
    const Work attention = m_attention.GetWork(batch, sequence);
    const Work dense = attention + m_denseMlp.GetWork(batch, sequence);
    const Work mixture = attention + m_experts.GetWork(batch, sequence);
    const Work forward =
        dense * (m_shape.layers - sparse) + mixture * sparse + GetHeadWork(batch, sequence);
    return (1 + BACKWARD_FACTOR) * forward.flops;
}

} // namespace photonic
} // namespace ns3
