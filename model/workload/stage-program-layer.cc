/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
// The part of StageProgramWriter that knows what a layer is made of.
#include "stage-program-writer.h"

#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr auto WHOLE = Operation::Dependency::Part::WHOLE;

} // namespace

std::vector<StageProgramWriter::Dependency>
StageProgramWriter::GetTail() const
{
    return m_tail ? std::vector<Dependency>{*m_tail} : std::vector<Dependency>();
}

void
StageProgramWriter::TensorParallel(CollectiveKind kind, const std::string& what, uint64_t bytes)
{
    if (m_plan.degrees.tp > 1)
    {
        const uint32_t index =
            Collective(GroupSlot::TP, Parallelism::TP, kind, bytes, what, GetTail());
        m_tail = Dependency{index, WHOLE};
    }
}

void
StageProgramWriter::WriteCompute(const std::string& label, const Work& work)
{
    std::vector<Dependency> after;
    if (m_tail && m_lastCompute != m_tail->operation)
    {
        after.push_back(*m_tail);
    }
    after.insert(after.end(), m_needs.begin(), m_needs.end());
    m_needs.clear();
    Compute(label, work / m_plan.degrees.tp, std::move(after));
    m_tail = Dependency{*m_lastCompute, WHOLE};
}

void
StageProgramWriter::WritePart(const std::string& label,
                              const Work& work,
                              Around around,
                              uint64_t bytes)
{
    if ((around == Around::BOTH || around == Around::BEFORE) && m_plan.sequenceParallel)
    {
        TensorParallel(CollectiveKind::ALL_GATHER, label, bytes);
    }
    WriteCompute(label, work);
    if (around == Around::BOTH || around == Around::AFTER)
    {
        TensorParallel(m_plan.sequenceParallel ? CollectiveKind::REDUCE_SCATTER
                                               : CollectiveKind::ALL_REDUCE,
                       label,
                       bytes);
    }
}

void
StageProgramWriter::WriteBackward(const std::string& label,
                                  const Work& forward,
                                  Around around,
                                  uint64_t bytes)
{
    const bool splits = SplitsBackward();
    WritePart(label + (splits ? " input" : ""), forward * GetBackwardFactor(), around, bytes);
    WriteWeightsAtOnce(label, forward);
}

bool
StageProgramWriter::SplitsBackward() const
{
    return m_plan.splitBackward || m_plan.schedule == PipelineSchedule::ZB_H1;
}

double
StageProgramWriter::GetBackwardFactor() const
{
    return SplitsBackward() ? 1 : TransformerModel::BACKWARD_FACTOR;
}

void
StageProgramWriter::WriteWeightsAtOnce(const std::string& label, const Work& forward)
{
    if (m_plan.splitBackward && m_plan.schedule != PipelineSchedule::ZB_H1)
    {
        Compute(label + " weights",
                forward * (TransformerModel::BACKWARD_FACTOR - 1) / m_plan.degrees.tp,
                {});
    }
}

void
StageProgramWriter::WriteAttention(const std::string& layer, bool forward)
{
    const std::string label = layer + " attention";
    const Work whole = GetAttentionWork();
    const uint64_t bytes = m_plan.GetActivationBytes();
    const LayerPart& part = m_plan.model.GetAttention();
    const Work scores = part.GetScoresWork(m_plan.GetTokens(), m_plan.sequenceLength);
    const bool again = !forward && m_plan.recompute == Recompute::SELECTIVE;
    if (m_plan.degrees.cp == 1)
    {
        if (again)
        {
            WriteCompute(label + " scores again", scores);
        }
        forward ? WritePart(label, whole, Around::BOTH, bytes)
                : WriteBackward(label, whole, Around::BOTH, bytes);
        return;
    }
    const double factor = forward ? 1 : GetBackwardFactor();
    const Work output = part.GetOutputWork(m_plan.GetTokens());
    const Work projections = whole - output - scores;
    if (m_plan.sequenceParallel)
    {
        TensorParallel(CollectiveKind::ALL_GATHER, label, bytes);
    }
    WriteCompute(label + (forward ? " projections" : " output"),
                 (forward ? projections : output) * factor);
    const Work blocks = scores * (factor + (again ? 1 : 0)); // again where the keys come by
    m_plan.contextExchange == ContextExchange::RING ? WriteBlocks(label, blocks, forward)
                                                    : WriteGatheredScores(label, blocks, forward);
    WriteCompute(label + (forward ? " output" : " projections"),
                 (forward ? output : projections) * factor);
    TensorParallel(m_plan.sequenceParallel ? CollectiveKind::REDUCE_SCATTER
                                           : CollectiveKind::ALL_REDUCE,
                   label,
                   bytes);
    if (!forward)
    {
        WriteWeightsAtOnce(label, whole);
    }
}

/// Scores block by block, while keys and values go round. Back, their gradients follow one step
/// behind them, so that those of a rank end there (as in Transformer Engine's ring of KV and dKV).
void
StageProgramWriter::WriteBlocks(const std::string& label, const Work& work, bool forward)
{
    const uint32_t blocks = m_plan.degrees.cp;
    const uint64_t bytes = m_plan.GetKeyValueBytes();
    const uint32_t exchanges = forward ? blocks - 1 : blocks;
    for (uint32_t i = 0; i < blocks; ++i)
    {
        const std::string block = label + " block " + std::to_string(i);
        std::optional<Dependency> exchange;
        if (i < exchanges)
        {
            const bool both = !forward && i > 0 && i + 1 < blocks;
            // Keys and values are there already, gradients when the block before is over.
            exchange =
                Dependency{Collective(GroupSlot::CP,
                                      Parallelism::CP,
                                      CollectiveKind::RING_EXCHANGE,
                                      both ? 2 * bytes : bytes,
                                      block,
                                      i == 0 || !forward ? GetTail() : std::vector<Dependency>()),
                           WHOLE};
        }
        WriteCompute(block, work / blocks);
        if (exchange)
        {
            m_needs.push_back(*exchange);
        }
    }
}

void
StageProgramWriter::WriteGatheredScores(const std::string& label, const Work& work, bool forward)
{
    const auto collective = [&](CollectiveKind kind) {
        const uint32_t index = Collective(GroupSlot::CP,
                                          Parallelism::CP,
                                          kind,
                                          m_plan.GetKeyValueBytes() * m_plan.degrees.cp,
                                          label,
                                          GetTail());
        m_tail = Dependency{index, WHOLE};
    };
    collective(CollectiveKind::ALL_GATHER);
    WriteCompute(label + " scores", work);
    if (!forward)
    {
        collective(CollectiveKind::REDUCE_SCATTER);
    }
}

void
StageProgramWriter::WriteMlp(const std::string& label, uint32_t layer, bool forward)
{
    const auto write = [&](const std::string& name, const Work& work, Around a, uint64_t bytes) {
        forward ? WritePart(name, work, a, bytes) : WriteBackward(name, work, a, bytes);
    };
    const uint64_t bytes = m_plan.GetActivationBytes();
    if (!HasExchange(layer))
    {
        write(label + " mlp", GetMlpWork(layer), Around::BOTH, bytes);
        return;
    }
    // The router has its tokens; only shared experts are split, and need those of the TP group.
    const auto& shape = *m_plan.model.GetShape().experts;
    const Around around = shape.shared > 0 ? Around::BOTH : Around::NONE;
    if (forward)
    {
        write(label + " mlp", GetMlpWork(layer), around, bytes);
    }
    const ExpertExchange exchange = MakeExchange(layer);
    WriteExchange(label + (forward ? " dispatch" : " gradient dispatch"), exchange.GetDispatch());
    if (m_expertNeeds)
    {
        m_needs.push_back(*m_expertNeeds);
    }
    write(label + " experts",
          GetExpertsWork(layer),
          Around::BOTH,
          GetReceivedCopies(layer) * m_plan.GetTokenBytes());
    WriteExchange(label + (forward ? " combine" : " gradient combine"), exchange.GetCombine());
    if (!forward)
    {
        write(label + " mlp", GetMlpWork(layer), around, bytes);
    }
}

void
StageProgramWriter::WriteExchange(const std::string& label,
                                  const std::vector<ExpertExchange::Step>& steps)
{
    for (const auto& step : steps)
    {
        const uint32_t index =
            AppendCollective(step.slot, Parallelism::EP, step.kind, step.bytes, label, GetTail());
        m_operations[index].shares = step.shares;
        m_tail = Dependency{index, WHOLE};
    }
}

bool
StageProgramWriter::HasExchange(uint32_t layer) const
{
    return m_plan.degrees.ep > 1 && m_plan.model.HasExperts(layer);
}

Work
StageProgramWriter::GetAttentionWork() const
{
    return m_plan.model.GetAttention().GetDenseWork(m_plan.GetTokens(), m_plan.sequenceLength);
}

Work
StageProgramWriter::GetMlpWork(uint32_t layer) const
{
    const LayerPart& part = m_plan.model.GetMlp(layer);
    const Work dense = part.GetDenseWork(m_plan.GetTokens(), m_plan.sequenceLength);
    const bool here = part.experts > 0 && !HasExchange(layer);
    const double copies = static_cast<double>(m_plan.GetTokens()) * part.activated;
    return here ? dense + part.GetExpertsWork(copies, part.experts) : dense;
}

Work
StageProgramWriter::GetExpertsWork(uint32_t layer) const
{
    const LayerPart& part = m_plan.model.GetMlp(layer);
    return part.GetExpertsWork(GetReceivedCopies(layer), part.experts / m_plan.degrees.ep);
}

uint64_t
StageProgramWriter::GetReceivedCopies(uint32_t layer) const
{
    const uint64_t tp = m_plan.degrees.tp;
    return m_plan.HasUnevenExperts()
               ? tp * m_plan.degrees.ep * GetCopiesByRank(layer)[m_expertPosition]
               : tp * m_plan.GetExpertCopies();
}

std::vector<uint64_t>
StageProgramWriter::GetCopiesByRank(uint32_t layer) const
{
    const auto& shape = *m_plan.model.GetShape().experts;
    return ExpertLoad(m_plan.routing,
                      layer,
                      m_plan.GetExpertCopies() / shape.activated,
                      shape.routed,
                      shape.activated)
        .GetByRank(m_plan.degrees.ep);
}

ExpertExchange
StageProgramWriter::MakeExchange(uint32_t layer) const
{
    if (!m_plan.HasUnevenExperts())
    {
        return {m_ranks, m_plan.GetExpertCopies() * m_plan.GetTokenBytes()};
    }
    auto bytesTo = GetCopiesByRank(layer);
    for (uint64_t& bytes : bytesTo)
    {
        bytes *= m_plan.GetTokenBytes();
    }
    return {m_ranks, m_expertPosition, bytesTo};
}

} // namespace photonic
} // namespace ns3
