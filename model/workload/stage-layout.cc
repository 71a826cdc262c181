/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stage-layout.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace photonic
{

namespace
{

/// @param part of a layer @param tp ranks @return its parameters on one of them, without experts
uint64_t
GetDenseShare(const LayerPart& part, uint32_t tp)
{
    return DivideUp(part.matrices, tp) + part.vectors;
}

/// @param part of a layer @param tp ranks @return parameters of its experts on one of them
uint64_t
GetExpertShare(const LayerPart& part, uint32_t tp)
{
    return part.experts * DivideUp(part.expert, tp);
}

} // namespace

StageLayout::StageLayout(const TrainingPlan& plan, uint32_t stage)
    : m_extraParameters(0)
{
    const TransformerModel& model = plan.model;
    const uint32_t tp = plan.degrees.tp;
    const std::vector<uint32_t> shares = plan.GetLayerShares();
    const bool hasEmbedding = stage == 0;
    const bool hasHead = stage + 1 == plan.degrees.pp;
    const auto& degrees = plan.degrees;
    m_shards = degrees.GetGroupSize(GroupSlot::FSDP);
    m_expertShards = degrees.ep > 1 ? degrees.GetGroupSize(GroupSlot::EXPERT_FSDP) : m_shards;

    m_layers = 0;
    for (std::size_t share = stage; share < shares.size(); share += plan.degrees.pp)
    {
        m_layers += shares.at(share);
    }
    const uint64_t vocabulary = DivideUp(model.GetEmbeddingParameters(), tp);
    if (hasEmbedding)
    {
        m_segments.push_back({Segment::Kind::EMBEDDING, m_layers, 0, "embedding", 0});
        m_extraParameters += vocabulary + model.GetPositionParameters();
    }
    uint32_t unit = 0;
    for (uint32_t chunk = 0; chunk < plan.degrees.interleave; ++chunk)
    {
        const uint32_t share = chunk * plan.degrees.pp + stage;
        const uint32_t first = std::accumulate(shares.begin(), shares.begin() + share, 0U);
        for (uint32_t layer = first; layer < first + shares.at(share); ++layer)
        {
            m_segments.push_back(
                {Segment::Kind::LAYER, unit++, layer, "layer " + std::to_string(layer), chunk});
            const LayerPart& mlp = model.GetMlp(layer);
            const uint64_t dense = GetDenseShare(model.GetAttention(), tp) + GetDenseShare(mlp, tp);
            const uint64_t experts = GetExpertShare(mlp, tp);
            const bool apart = plan.degrees.ep > 1;
            m_layerParameters.push_back(dense + (apart ? 0 : experts));
            m_layerExperts.push_back(apart ? experts / plan.degrees.ep : 0);
        }
    }
    if (hasHead)
    {
        m_segments.push_back(
            {Segment::Kind::HEAD, m_layers, 0, "head", plan.degrees.interleave - 1});
        // A tied head on another stage than the embedding is a copy.
        const bool shared = model.GetShape().tiedEmbeddings && hasEmbedding;
        m_extraParameters += model.GetNormParameters() + (shared ? 0 : vocabulary);
    }
    m_extraName = !hasHead ? "embedding" : hasEmbedding ? "embedding and head" : "head";
}

uint32_t
StageLayout::GetLayers() const
{
    return m_layers;
}

uint32_t
StageLayout::GetLayers(uint32_t chunk) const
{
    return std::count_if(m_segments.begin(), m_segments.end(), [chunk](const Segment& s) {
        return s.kind == Segment::Kind::LAYER && s.chunk == chunk;
    });
}

bool
StageLayout::HasHead() const
{
    return m_segments.back().kind == Segment::Kind::HEAD;
}

std::vector<StageLayout::Segment>
StageLayout::GetSegments(const PipelinePass& pass) const
{
    std::vector<Segment> segments;
    for (const Segment& segment : m_segments)
    {
        if (segment.chunk == pass.chunk)
        {
            segments.push_back(segment);
        }
    }
    if (pass.direction != PipelinePass::Direction::FORWARD)
    {
        std::reverse(segments.begin(), segments.end());
    }
    return segments;
}

uint32_t
StageLayout::GetUnits() const
{
    return m_layers + (HasExtraUnit() ? 1 : 0);
}

bool
StageLayout::HasExtraUnit() const
{
    return m_extraParameters > 0;
}

std::string
StageLayout::GetUnitName(uint32_t unit) const
{
    if (unit == m_layers)
    {
        return m_extraName;
    }
    return std::find_if(m_segments.begin(),
                        m_segments.end(),
                        [unit](const Segment& s) { return s.unit == unit; })
        ->name;
}

uint64_t
StageLayout::GetUnitParameters(uint32_t unit) const
{
    return unit < m_layers ? m_layerParameters[unit] : m_extraParameters;
}

uint64_t
StageLayout::GetUnitExpertParameters(uint32_t unit) const
{
    return unit < m_layers ? m_layerExperts[unit] : 0;
}

uint64_t
StageLayout::GetParameters() const
{
    return std::accumulate(m_layerParameters.begin(),
                           m_layerParameters.end(),
                           m_extraParameters + GetExpertParameters());
}

uint64_t
StageLayout::GetExpertParameters() const
{
    return std::accumulate(m_layerExperts.begin(), m_layerExperts.end(), uint64_t{0});
}

uint64_t
StageLayout::GetShard() const
{
    const uint64_t experts = GetExpertParameters();
    return DivideUp(GetParameters() - experts, m_shards) + DivideUp(experts, m_expertShards);
}

} // namespace photonic
} // namespace ns3
