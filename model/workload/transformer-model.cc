/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "transformer-model.h"

#include "transformer-config.h"

#include <fstream>
#include <stdexcept>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr double BF16 = 2; ///< bytes of a weight or an activation

/// Published configurations (config.json of meta-llama/Meta-Llama-3-8B, Meta-Llama-3-70B and
/// Llama-3.1-405B; "The Llama 3 Herd of Models", arXiv 2407.21783, table 3).
const std::vector<TransformerShape> BUILT_IN{
    {"llama3-8b", 32, 4096, 14336, 32, 8, 128, 128256, false},
    {"llama3-70b", 80, 8192, 28672, 64, 8, 128, 128256, false},
    {"llama3.1-405b", 126, 16384, 53248, 128, 8, 128, 128256, false},
};

} // namespace

TransformerModel::TransformerModel(const TransformerShape& shape)
    : m_shape(shape)
{
    for (uint32_t size : {shape.layers,
                          shape.hidden,
                          shape.intermediate,
                          shape.heads,
                          shape.kvHeads,
                          shape.headDim,
                          shape.vocabulary})
    {
        if (size == 0)
        {
            throw std::invalid_argument("model " + shape.name + " has a size of 0");
        }
    }
    if (shape.heads % shape.kvHeads != 0)
    {
        throw std::invalid_argument("model " + shape.name + " has " + std::to_string(shape.heads) +
                                    " attention heads, not a multiple of its " +
                                    std::to_string(shape.kvHeads) + " key-value heads");
    }
}

TransformerModel
TransformerModel::Load(const std::string& nameOrFile)
{
    std::string known;
    for (const TransformerShape& shape : BUILT_IN)
    {
        if (shape.name == nameOrFile)
        {
            return TransformerModel(shape);
        }
        known += shape.name + ", ";
    }
    if (!std::ifstream(nameOrFile))
    {
        throw std::invalid_argument("model '" + nameOrFile + "' is neither one of " + known +
                                    "nor a config.json that can be read");
    }
    return TransformerModel(ReadTransformerConfig(nameOrFile));
}

const TransformerShape&
TransformerModel::GetShape() const
{
    return m_shape;
}

uint64_t
TransformerModel::GetAttentionParameters() const
{
    const uint64_t queries = uint64_t{m_shape.heads} * m_shape.headDim;
    const uint64_t keys = uint64_t{m_shape.kvHeads} * m_shape.headDim;
    return m_shape.hidden * (2 * queries + 2 * keys);
}

uint64_t
TransformerModel::GetMlpParameters() const
{
    return uint64_t{3} * m_shape.hidden * m_shape.intermediate;
}

uint64_t
TransformerModel::GetNormParameters() const
{
    return m_shape.hidden;
}

uint64_t
TransformerModel::GetLayerParameters() const
{
    return GetAttentionParameters() + GetMlpParameters() + 2 * GetNormParameters();
}

uint64_t
TransformerModel::GetEmbeddingParameters() const
{
    return uint64_t{m_shape.vocabulary} * m_shape.hidden;
}

uint64_t
TransformerModel::GetParameters() const
{
    return m_shape.layers * GetLayerParameters() + GetNormParameters() +
           GetEmbeddingParameters() * (m_shape.tiedEmbeddings ? 1 : 2);
}

Work
TransformerModel::GetAttentionWork(uint64_t batch, uint64_t sequence) const
{
    const double tokens = static_cast<double>(batch) * sequence;
    const double weights = GetAttentionParameters();
    const double queries = static_cast<double>(m_shape.heads) * m_shape.headDim;
    const double keys = static_cast<double>(m_shape.kvHeads) * m_shape.headDim;
    // Scores and their product with the values: 2 s multiply-adds per token and query dimension.
    return {2 * tokens * weights + 4 * tokens * sequence * queries,
            BF16 * (weights + tokens * (6.0 * m_shape.hidden + 4 * queries + 4 * keys))};
}

Work
TransformerModel::GetMlpWork(uint64_t batch, uint64_t sequence) const
{
    const double tokens = static_cast<double>(batch) * sequence;
    const double weights = GetMlpParameters();
    return {2 * tokens * weights,
            BF16 * (weights + tokens * (6.0 * m_shape.hidden + 6.0 * m_shape.intermediate))};
}

Work
TransformerModel::GetEmbeddingWork(uint64_t batch, uint64_t sequence) const
{
    const double tokens = static_cast<double>(batch) * sequence;
    return {0, BF16 * tokens * 2.0 * m_shape.hidden};
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
    const Work layer = GetAttentionWork(batch, sequence) + GetMlpWork(batch, sequence);
    const Work forward = layer * m_shape.layers + GetHeadWork(batch, sequence);
    return (1 + BACKWARD_FACTOR) * forward.flops;
}

} // namespace photonic
} // namespace ns3
