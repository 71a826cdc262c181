/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "training-plan.h"

#include <cmath>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr uint64_t BF16 = 2;
/// Tokens of a microbatch times the widest model fit into 64 bits.
constexpr uint64_t MAX_TOKENS = uint64_t{1} << 32;

} // namespace

const char*
ToString(Recompute recompute)
{
    switch (recompute)
    {
    case Recompute::NONE:
        return "none";
    case Recompute::SELECTIVE:
        return "selective";
    case Recompute::FULL:
        return "full";
    }
    return "unknown";
}

Recompute
ParseRecompute(const std::string& name)
{
    for (auto recompute : {Recompute::NONE, Recompute::SELECTIVE, Recompute::FULL})
    {
        if (name == ToString(recompute))
        {
            return recompute;
        }
    }
    throw std::invalid_argument("unknown recompute '" + name +
                                "', expected none, selective or full");
}

const char*
ToString(GradientSync sync)
{
    return sync == GradientSync::LAST ? "last" : "every";
}

GradientSync
ParseGradientSync(const std::string& name)
{
    for (auto sync : {GradientSync::LAST, GradientSync::EVERY})
    {
        if (name == ToString(sync))
        {
            return sync;
        }
    }
    throw std::invalid_argument("unknown gradientSync '" + name + "', expected last or every");
}

const char*
ToString(ParameterGather gather)
{
    switch (gather)
    {
    case ParameterGather::PASS:
        return "pass";
    case ParameterGather::FORWARD:
        return "forward";
    case ParameterGather::STEP:
        return "step";
    }
    return "unknown";
}

const char*
ToString(GradientOrder order)
{
    switch (order)
    {
    case GradientOrder::AUTO:
        return "auto";
    case GradientOrder::AFTER_SEND:
        return "after-send";
    case GradientOrder::BEFORE_SEND:
        return "before-send";
    case GradientOrder::UNIT:
        return "unit";
    case GradientOrder::UNIT_AFTER_SEND:
        return "unit-after-send";
    }
    return "unknown";
}

const char*
ToString(CommunicationStreams streams)
{
    return streams == CommunicationStreams::GROUP ? "group" : "one";
}

const char*
ToString(ContextExchange exchange)
{
    return exchange == ContextExchange::RING ? "ring" : "all-gather";
}

namespace
{

/// Check what has to agree so that sequences and experts can be split.
void
CheckSplits(const TrainingPlan& plan)
{
    const auto& degrees = plan.degrees;
    const ParallelPlan ranks(degrees);
    const TransformerShape& shape = plan.model.GetShape();
    if (plan.sequenceLength % degrees.cp != 0)
    {
        throw std::invalid_argument("sequence length " + std::to_string(plan.sequenceLength) +
                                    ": expected a multiple of cp " + std::to_string(degrees.cp));
    }
    if (degrees.cp > 1 && plan.contextExchange == ContextExchange::RING &&
        ranks.GetLocalSize(GroupSlot::CP) > 1)
    {
        throw std::invalid_argument("the ring of keys and values cannot be divided, and the cp "
                                    "group of " +
                                    std::to_string(degrees.cp) +
                                    " spans rails: expected the exchange all-gather, or other "
                                    "than " +
                                    std::to_string(ranks.GetDegrees().gpusPerNode) +
                                    " GPUs per node");
    }
    CheckExpertRouting(plan.routing);
    if (degrees.ep == 1)
    {
        return;
    }
    if (!shape.experts || shape.experts->routed % degrees.ep != 0)
    {
        throw std::invalid_argument(
            "ep " + std::to_string(degrees.ep) + ": expected " +
            (shape.experts ? "a divisor of the " + std::to_string(shape.experts->routed) +
                                 " experts of model " + shape.name
                           : "1, as model " + shape.name + " has no experts"));
    }
    if (degrees.tp > 1 && !plan.sequenceParallel)
    {
        throw std::invalid_argument("ep " + std::to_string(degrees.ep) + " and tp " +
                                    std::to_string(degrees.tp) +
                                    ": expected sequence parallelism, as in Megatron-LM: tokens "
                                    "would go to experts tp times");
    }
}

} // namespace

void
TrainingPlan::Check() const
{
    GetPipelineShape().Check();
    GetLayerShares();
    if (microbatches == 0 || microbatchSize == 0 || sequenceLength == 0)
    {
        throw std::invalid_argument(
            "microbatches, microbatch size and sequence length have to be at least 1, found " +
            std::to_string(microbatches) + ", " + std::to_string(microbatchSize) + " and " +
            std::to_string(sequenceLength));
    }
    if (uint64_t{microbatchSize} * sequenceLength > MAX_TOKENS)
    {
        throw std::invalid_argument("microbatch size " + std::to_string(microbatchSize) +
                                    " x sequence length " + std::to_string(sequenceLength) +
                                    " is more than " + std::to_string(MAX_TOKENS) + " tokens");
    }
    CheckSplits(*this);
    const TransformerShape& shape = model.GetShape();
    if (shape.positions > 0 && sequenceLength > shape.positions)
    {
        throw std::invalid_argument("sequence length " + std::to_string(sequenceLength) +
                                    " is more than the " + std::to_string(shape.positions) +
                                    " positions that model " + shape.name + " knows");
    }
    if (!(transferBytes > 0 && transferBytes <= 64))
    {
        throw std::invalid_argument("a stage sends above 0 and at most 64 bytes on for an element "
                                    "of its activations, found " +
                                    std::to_string(transferBytes));
    }
    if (gradientBytes != 2 && gradientBytes != 4)
    {
        throw std::invalid_argument("a gradient has 2 or 4 bytes, found " +
                                    std::to_string(gradientBytes));
    }
}

PipelineShape
TrainingPlan::GetPipelineShape() const
{
    return {schedule, degrees.pp, microbatches, degrees.interleave};
}

std::vector<uint32_t>
TrainingPlan::GetLayerShares() const
{
    return SplitLayers(model.GetShape().layers, degrees.pp * degrees.interleave, layersPerStage);
}

GradientOrder
TrainingPlan::GetGradientOrder() const
{
    if (gradientOrder != GradientOrder::AUTO)
    {
        return gradientOrder;
    }
    return degrees.fsdp > 1 && degrees.pp > 1 ? GradientOrder::AFTER_SEND : GradientOrder::UNIT;
}

uint64_t
TrainingPlan::GetTokens() const
{
    return uint64_t{microbatchSize} * (sequenceLength / degrees.cp);
}

uint64_t
TrainingPlan::GetActivationBytes() const
{
    return GetTokens() * GetTokenBytes();
}

uint64_t
TrainingPlan::GetExpertCopies() const
{
    return DivideUp(GetTokens(), degrees.tp) * model.GetShape().experts->activated;
}

uint64_t
TrainingPlan::GetTokenBytes() const
{
    return model.GetShape().hidden * BF16;
}

uint64_t
TrainingPlan::GetKeyValueBytes() const
{
    return GetTokens() * DivideUp(model.GetAttention().keyValues, degrees.tp) * BF16;
}

bool
TrainingPlan::HasUnevenExperts() const
{
    return degrees.ep > 1 && (routing.skew > 0 || routing.capacityFactor > 0);
}

uint64_t
TrainingPlan::GetTransferBytes() const
{
    const auto bytes =
        static_cast<uint64_t>(std::ceil(GetActivationBytes() / BF16 * transferBytes));
    return sequenceParallel || scatterTransfers ? DivideUp(bytes, degrees.tp) : bytes;
}

double
TrainingPlan::GetModelFlopsPerStep() const
{
    return model.GetModelFlops(microbatchSize, sequenceLength) * microbatches * degrees.fsdp *
           degrees.dp * degrees.ep;
}

} // namespace photonic
} // namespace ns3
