/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "layer-part.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr double BF16 = 2; ///< bytes of a weight or an activation

} // namespace

uint64_t
LayerPart::GetParameters() const
{
    return matrices + vectors + experts * expert;
}

uint64_t
LayerPart::GetActivatedParameters() const
{
    return matrices + vectors + activated * expert;
}

Work
LayerPart::GetWork(uint64_t batch, uint64_t sequence) const
{
    const double tokens = static_cast<double>(batch) * sequence;
    const Work dense = GetDenseWork(tokens, sequence);
    return experts == 0 ? dense : dense + GetExpertsWork(tokens * activated, experts);
}

Work
LayerPart::GetDenseWork(double tokens, uint64_t sequence) const
{
    const uint64_t elements = moved - activated * expertMoved;
    return {2 * tokens * matrices + 2 * tokens * sequence * scores,
            BF16 * (matrices + tokens * elements)};
}

Work
LayerPart::GetScoresWork(double tokens, uint64_t sequence) const
{
    return {2 * tokens * sequence * scores, BF16 * tokens * scoresMoved};
}

Work
LayerPart::GetOutputWork(double tokens) const
{
    return {2 * tokens * output, BF16 * (output + tokens * outputMoved)};
}

Work
LayerPart::GetExpertsWork(double copies, uint64_t held) const
{
    // Few tokens do not reach every expert.
    const double reached = std::min<double>(held, copies);
    return {2 * copies * expert, BF16 * (reached * expert + copies * expertMoved)};
}

LayerPart
MakeGroupedQueryAttention(const TransformerShape& shape)
{
    const uint64_t hidden = shape.hidden;
    const uint64_t queries = uint64_t{shape.heads} * shape.headDim;
    const uint64_t keys = uint64_t{shape.kvHeads} * shape.headDim;
    LayerPart part;
    part.matrices = hidden * (2 * queries + 2 * keys);
    part.vectors = CountNormParameters(shape) + (shape.queryKeyNorm ? 2 * shape.headDim : 0) +
                   (shape.queryKeyValueBias ? queries + 2 * keys : 0) +
                   (shape.outputBias ? hidden : 0);
    part.scores = 2 * queries;
    part.moved = 6 * hidden + 4 * queries + 4 * keys;
    part.scoresMoved = 2 * queries + 2 * keys;
    part.output = queries * hidden;
    part.outputMoved = queries + 3 * hidden;
    part.keyValues = 2 * keys;
    part.inputs = 2 * hidden;
    part.inner = 2 * queries + 2 * keys + (shape.queryKeyNorm ? queries + keys : 0);
    return part;
}

LayerPart
MakeLatentAttention(const TransformerShape& shape)
{
    const LatentAttentionShape& latent = *shape.latent;
    const uint64_t hidden = shape.hidden;
    const uint64_t queries = uint64_t{shape.heads} * (latent.nopeDim + latent.ropeDim);
    const uint64_t keys = queries;
    const uint64_t values = uint64_t{shape.heads} * latent.valueDim;
    const uint64_t expanded = uint64_t{shape.heads} * (latent.nopeDim + latent.valueDim);
    const uint64_t ranks = uint64_t{latent.queryRank} + latent.keyValueRank;
    LayerPart part;
    part.matrices =
        (latent.queryRank > 0 ? latent.queryRank * (hidden + queries) : hidden * queries) +
        hidden * (latent.keyValueRank + latent.ropeDim) + latent.keyValueRank * expanded +
        values * hidden;
    part.vectors = CountNormParameters(shape) + ranks;
    part.scores = queries + values;
    part.moved = 6 * hidden + 2 * (queries + keys) + 4 * values + 4 * ranks + 2 * latent.ropeDim;
    part.scoresMoved = queries + keys + 2 * values;
    part.output = values * hidden;
    part.outputMoved = values + 3 * hidden;
    part.keyValues = keys + values;
    part.inputs = 2 * hidden + 2 * ranks + latent.ropeDim;
    part.inner = queries + keys + 2 * values;
    return part;
}

LayerPart
MakeMlp(const TransformerShape& shape)
{
    const uint64_t hidden = shape.hidden;
    const uint64_t width = shape.intermediate;
    const uint64_t inputMatrices = shape.gatedMlp ? 2 : 1;
    LayerPart part;
    part.matrices = (inputMatrices + 1) * hidden * width;
    part.vectors =
        CountNormParameters(shape) + (shape.mlpBias ? inputMatrices * width + hidden : 0);
    part.moved = 6 * hidden + 2 * (inputMatrices + 1) * width;
    part.inputs = 2 * hidden;
    part.inner = (inputMatrices + 1) * width;
    return part;
}

LayerPart
MakeMixtureOfExperts(const TransformerShape& shape)
{
    const ExpertShape& experts = *shape.experts;
    const uint64_t hidden = shape.hidden;
    const uint64_t width = experts.intermediate;
    const uint64_t shared = uint64_t{experts.shared} * width; // they are one MLP
    const uint64_t chosen = experts.activated;
    LayerPart part;
    part.matrices = experts.routed * hidden + 3 * hidden * shared;
    part.vectors = CountNormParameters(shape);
    part.expert = 3 * hidden * width;
    part.experts = experts.routed;
    part.activated = experts.activated;
    part.expertMoved = 4 * hidden + 6 * width;
    part.moved = 7 * hidden + 2 * experts.routed + chosen * part.expertMoved +
                 (shared > 0 ? 3 * hidden + 6 * shared : 0);
    part.inputs = (2 + chosen) * hidden + experts.routed;
    part.inner = 3 * (chosen * width + shared);
    return part;
}

uint64_t
CountNormParameters(const TransformerShape& shape)
{
    return uint64_t{shape.hidden} * (shape.normBias ? 2 : 1);
}

} // namespace photonic
} // namespace ns3
