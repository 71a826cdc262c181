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

/// @param part of a layer @param tp ranks @return its parameters on one of them
uint64_t
GetShare(const LayerPart& part, uint32_t tp)
{
    return DivideUp(part.matrices, tp) + part.experts * DivideUp(part.expert, tp) + part.vectors;
}

} // namespace

StageLayout::StageLayout(const TrainingPlan& plan, uint32_t stage)
    : m_extraParameters(0)
{
    const TransformerModel& model = plan.model;
    const uint32_t tp = plan.degrees.tp;
    const std::vector<uint32_t> shares =
        SplitLayers(model.GetShape().layers, plan.degrees.pp, plan.layersPerStage);
    const uint32_t firstLayer = std::accumulate(shares.begin(), shares.begin() + stage, 0U);
    const bool hasEmbedding = stage == 0;
    const bool hasHead = stage + 1 == plan.degrees.pp;

    m_layers = shares.at(stage);
    const uint64_t vocabulary = DivideUp(model.GetEmbeddingParameters(), tp);
    if (hasEmbedding)
    {
        m_segments.push_back({Segment::Kind::EMBEDDING, m_layers, 0, "embedding"});
        m_extraParameters += vocabulary + model.GetPositionParameters();
    }
    for (uint32_t unit = 0; unit < m_layers; ++unit)
    {
        const uint32_t layer = firstLayer + unit;
        m_segments.push_back({Segment::Kind::LAYER, unit, layer, "layer " + std::to_string(layer)});
        m_layerParameters.push_back(GetShare(model.GetAttention(), tp) +
                                    GetShare(model.GetMlp(layer), tp));
    }
    if (hasHead)
    {
        m_segments.push_back({Segment::Kind::HEAD, m_layers, 0, "head"});
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

bool
StageLayout::HasHead() const
{
    return m_segments.back().kind == Segment::Kind::HEAD;
}

std::vector<StageLayout::Segment>
StageLayout::GetSegments(PipelinePass::Direction direction) const
{
    std::vector<Segment> segments = m_segments;
    if (direction == PipelinePass::Direction::BACKWARD)
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
StageLayout::GetParameters() const
{
    return std::accumulate(m_layerParameters.begin(), m_layerParameters.end(), m_extraParameters);
}

} // namespace photonic
} // namespace ns3
