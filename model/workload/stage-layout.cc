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
    m_layerParameters = DivideUp(model.GetAttentionParameters(), tp) +
                        DivideUp(model.GetMlpParameters(), tp) + 2 * model.GetNormParameters();
    const uint64_t vocabulary = DivideUp(model.GetEmbeddingParameters(), tp);
    if (hasEmbedding)
    {
        m_segments.push_back({Segment::Kind::EMBEDDING, m_layers, "embedding"});
        m_extraParameters += vocabulary;
    }
    for (uint32_t layer = 0; layer < m_layers; ++layer)
    {
        m_segments.push_back(
            {Segment::Kind::LAYER, layer, "layer " + std::to_string(firstLayer + layer)});
    }
    if (hasHead)
    {
        m_segments.push_back({Segment::Kind::HEAD, m_layers, "head"});
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
    return unit < m_layers ? m_layerParameters : m_extraParameters;
}

uint64_t
StageLayout::GetParameters() const
{
    return m_layers * m_layerParameters + m_extraParameters;
}

} // namespace photonic
} // namespace ns3
