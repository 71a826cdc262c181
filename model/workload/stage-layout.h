/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_STAGE_LAYOUT_H
#define PHOTONIC_STAGE_LAYOUT_H

#include "training-plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief What a pipeline stage holds.
 *
 * A stage has one chunk of consecutive layers, or several if the schedule interleaves. A pass
 * computes the segments (embedding, layers, head) of a chunk one after the other. Parameters belong
 * to FSDP units: one per layer, numbered from 0, then one extra unit of embedding, final
 * normalisation and head, as far as the stage has them; a middle stage has no extra unit.
 */
class StageLayout
{
  public:
    /// A part that is computed at once.
    struct Segment
    {
        /// Which part.
        enum class Kind : uint8_t
        {
            EMBEDDING,
            LAYER,
            HEAD, ///< final normalisation, head and loss
        };

        /// Which part.
        Kind kind;
        /// FSDP unit that holds its parameters.
        uint32_t unit;
        uint32_t layer;   ///< of a layer: which one of the model, from 0
        std::string name; ///< "layer 3", counted over all stages
        uint32_t chunk;   ///< that it belongs to
    };

    /**
     * @param plan the training job
     * @param stage from 0
     */
    StageLayout(const TrainingPlan& plan, uint32_t stage);

    /// @return layers of all chunks
    uint32_t GetLayers() const;
    /// @param chunk of the stage @return layers that it has
    uint32_t GetLayers(uint32_t chunk) const;
    /// @return whether the stage computes head and loss
    bool HasHead() const;

    /// @param pass a pass @return what it computes, in order
    std::vector<Segment> GetSegments(const PipelinePass& pass) const;

    /// @return number of units
    uint32_t GetUnits() const;

    /// @return whether the last unit is an extra one
    bool HasExtraUnit() const;

    /// @param unit from 0 @return its name, for people
    std::string GetUnitName(uint32_t unit) const;

    /**
     * @param unit from 0
     * @return its parameters on one tensor-parallel rank, before they are sharded over the
     *         data-parallel group: matrices, those of experts too, are split, normalisations and
     *         biases are not. With expert parallelism without those of experts
     */
    uint64_t GetUnitParameters(uint32_t unit) const;

    /// @param unit from 0 @return with expert parallelism those of experts that are this rank's
    uint64_t GetUnitExpertParameters(uint32_t unit) const;

    /// @return the sum over the units, of GetUnitParameters() and of GetUnitExpertParameters()
    uint64_t GetParameters() const;

    /// @return the sum over the units of GetUnitExpertParameters()
    uint64_t GetExpertParameters() const;

    /**
     * @return parameters of a rank: of those of experts and of the others the share of the group
     *         that shards them, rounded up
     */
    uint64_t GetShard() const;

  private:
    std::vector<Segment> m_segments; ///< in forward order
    uint32_t m_layers;
    uint32_t m_shards;                       ///< ranks that share the parameters
    uint32_t m_expertShards;                 ///< those of experts
    std::vector<uint64_t> m_layerParameters; ///< of each layer
    std::vector<uint64_t> m_layerExperts;    ///< of each layer, with expert parallelism
    uint64_t m_extraParameters;
    std::string m_extraName;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_STAGE_LAYOUT_H
