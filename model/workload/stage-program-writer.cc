/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stage-program-writer.h"

#include "adam-optimizer.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr auto FORWARD = PipelinePass::Direction::FORWARD;
constexpr auto BACKWARD = PipelinePass::Direction::BACKWARD;
constexpr auto WEIGHTS = PipelinePass::Direction::WEIGHTS;
constexpr auto WHOLE = Operation::Dependency::Part::WHOLE;
constexpr auto RECEIVED = Operation::Dependency::Part::RECEIVED;

constexpr uint64_t PARAMETER_BYTES = 2; ///< bf16
constexpr uint64_t NORM_BYTES = 4;      ///< the fp32 square of the gradient norm

} // namespace

StageProgramWriter::StageProgramWriter(const TrainingPlan& plan, uint32_t stage)
    : m_plan(plan),
      m_layout(plan, stage),
      m_compute(plan.gpu, plan.mfu)
{
}

std::vector<Operation>
StageProgramWriter::Write(const std::vector<PipelineItem>& items)
{
    PipelinePass reduced{};
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        if (items[i].slot != GroupSlot::NONE)
        {
            WriteTransfer(items[i]);
        }
        else
        {
            items[i].pass.direction == WEIGHTS ? WriteWeights(items[i].pass)
                                               : WritePass(items[i].pass);
            reduced = items[i].pass;
        }
        // What waits for a pass's send waits for it also where it is half of a transfer, and where
        // the input of the next pass is received first.
        bool sendFollows = false;
        for (std::size_t j = i + 1; j < items.size() && items[j].slot != GroupSlot::NONE; ++j)
        {
            sendFollows = sendFollows || items[j].sent;
        }
        if (!sendFollows || m_plan.GetGradientOrder() == GradientOrder::BEFORE_SEND)
        {
            for (uint32_t unit : m_unreduced)
            {
                WriteReduction(unit,
                               reduced,
                               reduced.direction == WEIGHTS ? Dependency{*m_lastCompute, WHOLE}
                                                            : *m_tail);
            }
            m_unreduced.clear();
        }
    }
    WriteEndOfStep();
    return std::move(m_operations);
}

void
StageProgramWriter::WritePass(const PipelinePass& pass)
{
    const std::vector<Segment> segments = m_layout.GetSegments(pass);
    m_gathered.assign(m_layout.GetUnits(), std::nullopt);
    m_received = TakeInput(pass);
    // Prefetch does not cross a transfer: what precedes it precedes the first all-gathers too.
    m_before = m_tail;
    m_tail = m_received;
    for (const Segment& segment : segments)
    {
        if (segment.kind != Segment::Kind::LAYER)
        {
            Gather(segment.unit, pass); // the extra unit, if the chunk has it
        }
    }
    Gather(segments.front().unit, pass);
    m_received.reset();
    m_before.reset();
    for (std::size_t i = 0; i < segments.size(); ++i)
    {
        if (i + 1 < segments.size())
        {
            Gather(segments[i + 1].unit, pass);
        }
        WriteSegment(segments[i], pass);
        FinishSegment(segments, i, pass);
    }
}

void
StageProgramWriter::WriteWeights(const PipelinePass& pass)
{
    // Activations and gradients are there: no parameters are needed, and nothing waits for it but
    // reductions. So it leaves the chain of the passes as it is.
    const TransformerModel& model = m_plan.model;
    const uint32_t b = m_plan.microbatchSize;
    const uint32_t s = m_plan.sequenceLength;
    const auto compute = [this](const std::string& label, const Work& forward) {
        Compute(label, forward * (TransformerModel::BACKWARD_FACTOR - 1) / m_plan.degrees.tp, {});
    };
    const std::vector<Segment> segments = m_layout.GetSegments(pass);
    for (std::size_t i = 0; i < segments.size(); ++i)
    {
        const std::string label = ToString(pass) + " " + segments[i].name;
        switch (segments[i].kind)
        {
        case Segment::Kind::EMBEDDING:
            compute(label, model.GetEmbeddingWork(b, s));
            break;
        case Segment::Kind::HEAD:
            compute(label, model.GetHeadWork(b, s));
            break;
        case Segment::Kind::LAYER:
            compute(label + " mlp", model.GetMlp(segments[i].layer).GetWork(b, s));
            compute(label + " attention", model.GetAttention().GetWork(b, s));
            break;
        }
        FinishSegment(segments, i, pass);
    }
}

void
StageProgramWriter::FinishSegment(const std::vector<Segment>& segments,
                                  std::size_t index,
                                  const PipelinePass& pass)
{
    const uint32_t unit = segments[index].unit;
    const bool endsUnit = std::none_of(segments.begin() + index + 1,
                                       segments.end(),
                                       [unit](const Segment& later) { return later.unit == unit; });
    if (!IsReduced(pass) || !endsUnit)
    {
        return;
    }
    const GradientOrder order = m_plan.GetGradientOrder();
    const bool atOnce = order == GradientOrder::UNIT || order == GradientOrder::UNIT_AFTER_SEND;
    const bool isLast = index + 1 == segments.size();
    if (atOnce && !(isLast && order == GradientOrder::UNIT_AFTER_SEND))
    {
        WriteReduction(unit, pass, {*m_lastCompute, WHOLE});
    }
    else
    {
        m_unreduced.push_back(unit);
    }
}

void
StageProgramWriter::WriteSegment(const Segment& segment, const PipelinePass& pass)
{
    const TransformerModel& model = m_plan.model;
    const uint32_t b = m_plan.microbatchSize;
    const uint32_t s = m_plan.sequenceLength;
    const bool forward = pass.direction == FORWARD;
    const std::string label = ToString(pass) + " " + segment.name;
    if (m_gathered[segment.unit])
    {
        m_parameters = Dependency{*m_gathered[segment.unit], WHOLE};
    }
    switch (segment.kind)
    {
    case Segment::Kind::EMBEDDING:
        forward ? WritePart(label, model.GetEmbeddingWork(b, s), Around::AFTER)
                : WriteBackward(label, model.GetEmbeddingWork(b, s), Around::BEFORE);
        return;
    case Segment::Kind::HEAD:
        forward ? WritePart(label, model.GetHeadWork(b, s), Around::BEFORE)
                : WriteBackward(label, model.GetHeadWork(b, s), Around::AFTER);
        return;
    case Segment::Kind::LAYER:
        break;
    }

    const Work attention = model.GetAttention().GetWork(b, s);
    const Work mlp = model.GetMlp(segment.layer).GetWork(b, s);
    if (forward)
    {
        WritePart(label + " attention", attention, Around::BOTH);
        WritePart(label + " mlp", mlp, Around::BOTH);
        return;
    }
    if (m_plan.recompute == Recompute::FULL)
    {
        const std::string again =
            "recompute m" + std::to_string(pass.microbatch) + " " + segment.name;
        WritePart(again + " attention", attention, Around::BOTH);
        WritePart(again + " mlp", mlp, Around::BOTH);
    }
    WriteBackward(label + " mlp", mlp, Around::BOTH);
    WriteBackward(label + " attention", attention, Around::BOTH);
}

void
StageProgramWriter::WriteBackward(const std::string& label, const Work& forward, Around around)
{
    const bool laterWeights = m_plan.schedule == PipelineSchedule::ZB_H1;
    if (!m_plan.splitBackward && !laterWeights)
    {
        WritePart(label, forward * TransformerModel::BACKWARD_FACTOR, around);
        return;
    }
    WritePart(label + " input", forward, around);
    if (!laterWeights)
    {
        Compute(label + " weights",
                forward * (TransformerModel::BACKWARD_FACTOR - 1) / m_plan.degrees.tp,
                {});
    }
}

void
StageProgramWriter::WritePart(const std::string& label, const Work& work, Around around)
{
    if (around != Around::AFTER && m_plan.sequenceParallel)
    {
        TensorParallel(CollectiveKind::ALL_GATHER, label);
    }
    std::vector<Dependency> after;
    if (m_tail && m_lastCompute != m_tail->operation)
    {
        after.push_back(*m_tail);
    }
    if (m_parameters)
    {
        after.push_back(*m_parameters);
        m_parameters.reset();
    }
    Compute(label, work / m_plan.degrees.tp, std::move(after));
    m_tail = Dependency{*m_lastCompute, WHOLE};
    if (around != Around::BEFORE)
    {
        TensorParallel(m_plan.sequenceParallel ? CollectiveKind::REDUCE_SCATTER
                                               : CollectiveKind::ALL_REDUCE,
                       label);
    }
}

void
StageProgramWriter::WriteTransfer(const PipelineItem& item)
{
    Operation o;
    o.slot = item.slot;
    o.parallelism = Parallelism::PP;
    o.counter = item.counter;
    o.kind = item.sent && item.received ? CollectiveKind::SEND_RECEIVE
             : item.sent                ? CollectiveKind::SEND
                                        : CollectiveKind::RECEIVE;
    if (item.sent)
    {
        o.bytes = m_plan.GetTransferBytes();
        o.label = "send " + ToString(*item.sent);
        o.after.push_back(*m_tail);
    }
    if (item.received)
    {
        o.receiveBytes = m_plan.GetTransferBytes();
        o.label += (item.sent ? ", receive " : "receive ") + ToString(*item.received);
    }
    const uint32_t index = Append(std::move(o));
    if (item.sent)
    {
        m_atEnd.push_back({index, WHOLE});
    }
    if (item.received)
    {
        m_inputs.emplace_back(*item.received, Dependency{index, RECEIVED});
    }
}

std::optional<StageProgramWriter::Dependency>
StageProgramWriter::TakeInput(const PipelinePass& pass)
{
    const auto input = std::find_if(m_inputs.begin(), m_inputs.end(), [&pass](const auto& i) {
        return i.first == pass;
    });
    if (input == m_inputs.end())
    {
        return std::nullopt;
    }
    const Dependency received = input->second;
    m_inputs.erase(input);
    return received;
}

void
StageProgramWriter::Gather(uint32_t unit, const PipelinePass& pass)
{
    if (m_plan.degrees.fsdp == 1 || m_gathered[unit] || IsGathered(pass))
    {
        return;
    }
    std::vector<Dependency> after;
    if (m_before)
    {
        after.push_back(*m_before);
    }
    else if (m_lastCompute)
    {
        after.push_back({*m_lastCompute, WHOLE});
    }
    if (m_received)
    {
        after.push_back(*m_received);
    }
    m_gathered[unit] = Collective(GroupSlot::FSDP,
                                  Parallelism::FSDP,
                                  CollectiveKind::ALL_GATHER,
                                  m_layout.GetUnitParameters(unit) * PARAMETER_BYTES,
                                  ToString(pass) + " " + m_layout.GetUnitName(unit),
                                  std::move(after));
}

void
StageProgramWriter::WriteReduction(uint32_t unit, const PipelinePass& pass, const Dependency& after)
{
    const std::string what = ToString(pass) + " " + m_layout.GetUnitName(unit);
    uint64_t parameters = m_layout.GetUnitParameters(unit);
    Dependency last = after;
    if (m_plan.degrees.fsdp > 1)
    {
        last = {Collective(GroupSlot::FSDP,
                           Parallelism::FSDP,
                           CollectiveKind::REDUCE_SCATTER,
                           parameters * m_plan.gradientBytes,
                           what,
                           {after}),
                WHOLE};
        parameters = DivideUp(parameters, m_plan.degrees.fsdp);
    }
    if (m_plan.degrees.dp > 1)
    {
        last = {Collective(GroupSlot::DP,
                           Parallelism::DP,
                           CollectiveKind::ALL_REDUCE,
                           parameters * m_plan.gradientBytes,
                           what,
                           {last}),
                WHOLE};
    }
    if (m_plan.degrees.fsdp > 1 || m_plan.degrees.dp > 1)
    {
        m_atEnd.push_back(last);
    }
}

void
StageProgramWriter::WriteEndOfStep()
{
    m_atEnd.push_back({*m_lastCompute, WHOLE});
    const std::pair<GroupSlot, uint32_t> groups[]{{GroupSlot::FSDP, m_plan.degrees.fsdp},
                                                  {GroupSlot::TP, m_plan.degrees.tp},
                                                  {GroupSlot::PP, m_plan.degrees.pp}};
    for (const auto& [slot, size] : groups)
    {
        if (size > 1 && m_plan.gradientNorm)
        {
            const uint32_t index =
                Collective(slot,
                           Parallelism::OTHER,
                           CollectiveKind::ALL_REDUCE,
                           NORM_BYTES,
                           std::string("gradient norm over ") + photonic::ToString(slot),
                           std::move(m_atEnd));
            m_atEnd = {{index, WHOLE}};
        }
    }
    const double shard = DivideUp(m_layout.GetParameters(), m_plan.degrees.fsdp);
    Compute("optimizer", {0, shard * (ADAM_BYTES + m_plan.gradientBytes)}, std::move(m_atEnd));
}

uint32_t
StageProgramWriter::Append(Operation operation)
{
    if (m_plan.communicationStreams == CommunicationStreams::ONE && m_lastCommunication)
    {
        operation.after.push_back({*m_lastCommunication, WHOLE});
    }
    m_lastCommunication = m_operations.size();
    m_operations.push_back(std::move(operation));
    return *m_lastCommunication;
}

void
StageProgramWriter::Compute(const std::string& label,
                            const Work& work,
                            std::vector<Dependency> after)
{
    Operation o;
    o.duration = m_compute.GetDuration(work);
    o.label = label;
    o.after = std::move(after);
    m_lastCompute = m_operations.size();
    m_operations.push_back(std::move(o));
}

uint32_t
StageProgramWriter::Collective(GroupSlot slot,
                               Parallelism parallelism,
                               CollectiveKind kind,
                               uint64_t bytes,
                               const std::string& what,
                               std::vector<Dependency> after)
{
    Operation o;
    o.slot = slot;
    o.parallelism = parallelism;
    o.kind = kind;
    o.bytes = bytes;
    o.counter = m_counters[static_cast<std::size_t>(slot)]++;
    o.label = (parallelism == Parallelism::TP ? "tp " : "") +
              std::string(photonic::ToString(kind)) + " " + what;
    o.after = std::move(after);
    return Append(std::move(o));
}

void
StageProgramWriter::TensorParallel(CollectiveKind kind, const std::string& what)
{
    if (m_plan.degrees.tp > 1)
    {
        std::vector<Dependency> after;
        if (m_tail)
        {
            after.push_back(*m_tail);
        }
        m_tail = Dependency{Collective(GroupSlot::TP,
                                       Parallelism::TP,
                                       kind,
                                       m_plan.GetActivationBytes(),
                                       what,
                                       std::move(after)),
                            WHOLE};
    }
}

bool
StageProgramWriter::IsGathered(const PipelinePass& pass) const
{
    switch (m_plan.parameterGather)
    {
    case ParameterGather::PASS:
        return false;
    case ParameterGather::FORWARD:
        return pass.direction == BACKWARD;
    case ParameterGather::STEP:
        return pass.direction == BACKWARD || pass.microbatch > 0;
    }
    return false;
}

bool
StageProgramWriter::IsReduced(const PipelinePass& pass) const
{
    const auto last = m_plan.schedule == PipelineSchedule::ZB_H1 ? WEIGHTS : BACKWARD;
    return pass.direction == last && (m_plan.gradientSync == GradientSync::EVERY ||
                                      pass.microbatch + 1 == m_plan.microbatches);
}

} // namespace photonic
} // namespace ns3
