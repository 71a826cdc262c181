/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_PLAN_H
#define PHOTONIC_TRAINING_PLAN_H

#include "expert-load.h"
#include "gpu-catalogue.h"
#include "parallel-plan.h"
#include "pipeline-schedule.h"
#include "transformer-model.h"

#include "ns3/divide-up.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief Which activations the backward pass recomputes.
 */
enum class Recompute : uint8_t
{
    NONE,
    SELECTIVE, ///< the core of the attention: scores and what they lead to, without projections
    FULL, ///< only the input of a layer is kept; its forward pass is repeated before its backward
};

/// @param recompute which @return "none", "selective" or "full"
const char* ToString(Recompute recompute);
/// @param name as ToString() returns it @return which; std::invalid_argument for another name
Recompute ParseRecompute(const std::string& name);

/**
 * @ingroup photonic-rails-workload
 * @brief After which backward passes gradients are reduced over the data-parallel group.
 */
enum class GradientSync : uint8_t
{
    LAST,  ///< the last of the step; gradients accumulate unsharded until then
    EVERY, ///< each
};

/// @param sync which @return "last" or "every"
const char* ToString(GradientSync sync);
/// @param name "last" or "every" @return which; std::invalid_argument for another name
GradientSync ParseGradientSync(const std::string& name);

/**
 * @ingroup photonic-rails-workload
 * @brief Before which passes sharded parameters are gathered.
 */
enum class ParameterGather : uint8_t
{
    PASS,    ///< each, forward and backward: resharded after every pass
    FORWARD, ///< each forward; the backward finds them gathered
    STEP,    ///< the first of a step
};

/// @param gather which @return "pass", "forward" or "step"
const char* ToString(ParameterGather gather);

/**
 * @ingroup photonic-rails-workload
 * @brief Where the reductions of a backward pass stand in the order of a stage.
 */
enum class GradientOrder : uint8_t
{
    AUTO,            ///< AFTER_SEND if gradients are sharded and the job is pipelined, else UNIT
    AFTER_SEND,      ///< all follow the pass and its send, as TorchTitan does
    BEFORE_SEND,     ///< all follow the pass, and precede its send
    UNIT,            ///< each follows the backward of its unit, the last one before the send
    UNIT_AFTER_SEND, ///< the same, but the last one follows the send
};

/// @param order which @return "auto", "after-send", "before-send", "unit" or "unit-after-send"
const char* ToString(GradientOrder order);

/**
 * @ingroup photonic-rails-workload
 * @brief Which communications of a rank may go on at the same time.
 */
enum class CommunicationStreams : uint8_t
{
    GROUP, ///< one of each communicator
    ONE,   ///< one; the others wait, in program order
};

/// @param streams which @return "group" or "one"
const char* ToString(CommunicationStreams streams);

/**
 * @ingroup photonic-rails-workload
 * @brief How context parallel ranks get at the keys and values of each other's tokens.
 */
enum class ContextExchange : uint8_t
{
    RING,       ///< they go round the ranks while each is scored with (Liu et al. 2023)
    ALL_GATHER, ///< they are gathered before (Llama 3, section 3.3.2)
};

/// @param exchange which @return "ring" or "all-gather"
const char* ToString(ContextExchange exchange);

/**
 * @ingroup photonic-rails-workload
 * @brief All that determines the step programs of a training job.
 */
struct TrainingPlan
{
    /// What is trained.
    TransformerModel model{TransformerModel::Load("llama3-8b")};
    /// Of each parallelism.
    ParallelPlan::Degrees degrees;
    /// Of a step and replica.
    uint32_t microbatches{1};
    uint32_t microbatchSize{1};    ///< sequences
    uint32_t sequenceLength{8192}; ///< tokens
    /// Order of the passes.
    PipelineSchedule schedule{PipelineSchedule::ONE_F_ONE_B};
    /// Of each virtual stage, that is of all stages' first chunks, then their second ones, and so
    /// on; empty: the even split of SplitLayers().
    std::vector<uint32_t> layersPerStage;
    /// What the backward pass computes again.
    Recompute recompute{Recompute::NONE};
    /// When parameters are gathered.
    ParameterGather parameterGather{ParameterGather::PASS};
    uint32_t prefetch{1}; ///< layers that parameters are gathered ahead of the computation
    /// When gradients are reduced.
    GradientSync gradientSync{GradientSync::LAST};
    /// In which order gradients are reduced.
    GradientOrder gradientOrder{GradientOrder::AUTO};
    /// What a rank communicates at a time.
    CommunicationStreams communicationStreams{CommunicationStreams::GROUP};
    /// How context parallelism exchanges keys and values.
    ContextExchange contextExchange{ContextExchange::RING};
    /// Which experts tokens go to.
    ExpertRouting routing;
    /// Of gradients that replicas reduce together, if they are not sharded; 0: those of a unit.
    uint64_t bucketBytes{0};
    bool overlap{true}; ///< communication goes on beside computation; else all is one after another
    uint32_t gradientBytes{2};   ///< of a reduced gradient: 2 (bf16) or 4 (fp32)
    bool sequenceParallel{true}; ///< TP as all-gather and reduce-scatter instead of all-reduce
    bool splitBackward{false};   ///< weight gradients are computed after those of the input, whose
                                 ///< TP collective goes on meanwhile; ZB-H1 always does, later
    /// Without sequenceParallel, a rank sends its TP share on (Narayanan et al. 2021, 4.1; the
    /// receiver's gather is left out).
    bool scatterTransfers{false};
    double transferBytes{2}; ///< that a stage sends on for each element of its activations
    bool gradientNorm{true}; ///< all-reduces of the gradient norm end the step
    /// That all ranks are.
    GpuSpec gpu{FindGpu("a100")};
    double mfu{0.40}; ///< achieved share of peak FLOP/s

    /// @throws std::invalid_argument naming what does not fit, with the numbers
    void Check() const;

    /// @return what the order of passes and transfers depends on
    PipelineShape GetPipelineShape() const;

    /// @return layers of each virtual stage
    std::vector<uint32_t> GetLayerShares() const;

    /// @return the order of reductions, never AUTO
    GradientOrder GetGradientOrder() const;

    /// @return tokens of one microbatch that a rank has, those of its tensor parallel group
    /// together
    uint64_t GetTokens() const;

    /// @return their bytes between layers, in bf16
    uint64_t GetActivationBytes() const;

    /// @return copies of tokens that a rank has for experts, its own share of the group's only
    uint64_t GetExpertCopies() const;

    /// @return bytes of a token on the way to an expert, in bf16
    uint64_t GetTokenBytes() const;

    /// @return bytes of keys and values of the rank's tokens, in bf16
    uint64_t GetKeyValueBytes() const;

    /// @return whether experts get more than others, so that expert parallel ranks have programs of
    ///         their own
    bool HasUnevenExperts() const;

    /// @return bytes that one rank sends to the next stage per microbatch; its TP share if
    ///         activations are split, rounded up so that all ranks agree
    uint64_t GetTransferBytes() const;

    /// @return model FLOPs of a step of the whole job, without recomputation
    double GetModelFlopsPerStep() const;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_PLAN_H
