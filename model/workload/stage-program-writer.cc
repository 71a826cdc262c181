/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "stage-program-writer.h"

#include "adam-optimizer.h"

#include "ns3/hierarchical-collective.h"

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

StageProgramWriter::StageProgramWriter(const TrainingPlan& plan,
                                       uint32_t stage,
                                       uint32_t expertPosition)
    : m_plan(plan),
      m_ranks(plan.degrees),
      m_expertPosition(expertPosition),
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
            FlushBuckets();
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
    m_gatheredExperts.assign(m_layout.GetUnits(), std::nullopt);
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
    const std::size_t ahead = m_plan.prefetch;
    for (std::size_t i = 0; i < std::min(std::max<std::size_t>(ahead, 1), segments.size()); ++i)
    {
        Gather(segments[i].unit, pass);
    }
    m_before.reset();
    for (std::size_t i = 0; i < segments.size(); ++i)
    {
        if (i + ahead < segments.size())
        {
            Gather(segments[i + ahead].unit, pass);
        }
        m_received.reset(); // the first computation waits for it, and with that later all-gathers
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
    const uint64_t tokens = m_plan.GetTokens();
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
            compute(label, model.GetEmbeddingWork(tokens, 1));
            break;
        case Segment::Kind::HEAD:
            compute(label, model.GetHeadWork(tokens, 1));
            break;
        case Segment::Kind::LAYER:
            if (HasExchange(segments[i].layer))
            {
                compute(label + " experts", GetExpertsWork(segments[i].layer));
            }
            compute(label + " mlp", GetMlpWork(segments[i].layer));
            compute(label + " attention", GetAttentionWork());
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
        if (isLast)
        {
            FlushBuckets();
        }
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
    const uint64_t tokens = m_plan.GetTokens();
    const uint64_t bytes = m_plan.GetActivationBytes();
    const bool forward = pass.direction == FORWARD;
    const std::string label = ToString(pass) + " " + segment.name;
    if (m_gathered[segment.unit])
    {
        m_needs.push_back({*m_gathered[segment.unit], WHOLE});
    }
    m_expertNeeds.reset();
    if (m_gatheredExperts[segment.unit])
    {
        m_expertNeeds = Dependency{*m_gatheredExperts[segment.unit], WHOLE};
    }
    switch (segment.kind)
    {
    case Segment::Kind::EMBEDDING:
        forward ? WritePart(label, model.GetEmbeddingWork(tokens, 1), Around::AFTER, bytes)
                : WriteBackward(label, model.GetEmbeddingWork(tokens, 1), Around::BEFORE, bytes);
        return;
    case Segment::Kind::HEAD:
        forward ? WritePart(label, model.GetHeadWork(tokens, 1), Around::BEFORE, bytes)
                : WriteBackward(label, model.GetHeadWork(tokens, 1), Around::AFTER, bytes);
        return;
    case Segment::Kind::LAYER:
        break;
    }
    if (forward)
    {
        WriteAttention(label, true);
        WriteMlp(label, segment.layer, true);
        return;
    }
    if (m_plan.recompute == Recompute::FULL)
    {
        const std::string again =
            "recompute m" + std::to_string(pass.microbatch) + " " + segment.name;
        WriteAttention(again, true);
        WriteMlp(again, segment.layer, true);
    }
    WriteMlp(label, segment.layer, false);
    WriteAttention(label, false);
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
    const auto gather = [&](GroupSlot slot, uint64_t parameters, const std::string& what) {
        return Collective(slot,
                          Parallelism::FSDP,
                          CollectiveKind::ALL_GATHER,
                          parameters * PARAMETER_BYTES,
                          ToString(pass) + " " + m_layout.GetUnitName(unit) + what,
                          after);
    };
    m_gathered[unit] = gather(GroupSlot::FSDP, m_layout.GetUnitParameters(unit), "");
    if (const uint64_t experts = m_layout.GetUnitExpertParameters(unit); experts > 0)
    {
        m_gatheredExperts[unit] = gather(GroupSlot::EXPERT_FSDP, experts, " experts");
    }
}

void
StageProgramWriter::WriteReduction(uint32_t unit, const PipelinePass& pass, const Dependency& after)
{
    const std::string what = ToString(pass) + " " + m_layout.GetUnitName(unit);
    Reduce(GroupSlot::FSDP, GroupSlot::DP, m_layout.GetUnitParameters(unit), what, after);
    if (const uint64_t experts = m_layout.GetUnitExpertParameters(unit); experts > 0)
    {
        const bool sharded = m_plan.degrees.fsdp > 1;
        Reduce(GroupSlot::EXPERT_FSDP,
               sharded ? GroupSlot::DP : GroupSlot::EXPERT_DP,
               experts,
               what + " experts",
               after);
    }
}

void
StageProgramWriter::Reduce(GroupSlot shards,
                           GroupSlot replicas,
                           uint64_t parameters,
                           const std::string& what,
                           const Dependency& after)
{
    Dependency last = after;
    const uint32_t sharing = m_plan.degrees.GetGroupSize(shards);
    const uint32_t holding = m_plan.degrees.GetGroupSize(replicas);
    if (sharing > 1)
    {
        last = {Collective(shards,
                           Parallelism::FSDP,
                           CollectiveKind::REDUCE_SCATTER,
                           parameters * m_plan.gradientBytes,
                           what,
                           {after}),
                WHOLE};
        parameters = DivideUp(parameters, sharing);
    }
    if (holding > 1 && sharing == 1 && m_plan.bucketBytes > 0)
    {
        FillBucket(replicas, parameters * m_plan.gradientBytes, what, after);
        return;
    }
    if (holding > 1)
    {
        last = {Collective(replicas,
                           Parallelism::DP,
                           CollectiveKind::ALL_REDUCE,
                           parameters * m_plan.gradientBytes,
                           what,
                           {last}),
                WHOLE};
    }
    if (sharing > 1 || holding > 1)
    {
        m_atEnd.push_back(last);
    }
}

/// Gradients fill a bucket, which is reduced when it is full (Li et al., "PyTorch Distributed",
/// 2020).
void
StageProgramWriter::FillBucket(GroupSlot replicas,
                               uint64_t bytes,
                               const std::string& what,
                               const Dependency& after)
{
    Bucket& bucket = m_buckets[replicas];
    for (bucket.bytes += bytes; bucket.bytes >= m_plan.bucketBytes;)
    {
        bucket.bytes -= m_plan.bucketBytes;
        ReduceBucket(replicas, m_plan.bucketBytes, what, after);
    }
    bucket.what = what;
    bucket.after = after;
}

void
StageProgramWriter::FlushBuckets()
{
    for (auto& [replicas, bucket] : m_buckets)
    {
        if (bucket.bytes > 0)
        {
            ReduceBucket(replicas, bucket.bytes, bucket.what, bucket.after);
        }
    }
    m_buckets.clear();
}

void
StageProgramWriter::ReduceBucket(GroupSlot replicas,
                                 uint64_t bytes,
                                 const std::string& what,
                                 const Dependency& after)
{
    const uint32_t index = Collective(replicas,
                                      Parallelism::DP,
                                      CollectiveKind::ALL_REDUCE,
                                      bytes,
                                      "bucket up to " + what,
                                      {after});
    m_atEnd.push_back({index, WHOLE});
}

void
StageProgramWriter::WriteEndOfStep()
{
    m_atEnd.push_back({*m_lastCompute, WHOLE});
    std::vector<GroupSlot> groups{GroupSlot::FSDP, GroupSlot::TP, GroupSlot::PP};
    if (m_plan.degrees.fsdp == 1)
    {
        groups.front() = GroupSlot::EP; // replicas have the same gradients, but for experts
    }
    for (GroupSlot slot : groups)
    {
        if (m_plan.gradientNorm && m_plan.degrees.GetGroupSize(slot) > 1)
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
    const double shard = m_layout.GetShard();
    Compute("optimizer", {0, shard * (ADAM_BYTES + m_plan.gradientBytes)}, std::move(m_atEnd));
}

/// Without overlap, an operation follows the one before.
void
StageProgramWriter::WaitForAll(Operation& operation) const
{
    if (!m_plan.overlap && !m_operations.empty())
    {
        operation.after.push_back({static_cast<uint32_t>(m_operations.size() - 1), WHOLE});
    }
}

uint32_t
StageProgramWriter::Append(Operation operation)
{
    if (m_plan.communicationStreams == CommunicationStreams::ONE && m_lastCommunication)
    {
        operation.after.push_back({*m_lastCommunication, WHOLE});
    }
    WaitForAll(operation);
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
    WaitForAll(o);
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
    const bool divides = slot != GroupSlot::TP && slot != GroupSlot::PP;
    const uint32_t local = divides ? m_ranks.GetLocalSize(slot) : 1;
    if (local == 1)
    {
        return AppendCollective(slot, parallelism, kind, bytes, what, std::move(after));
    }
    uint32_t last = 0;
    for (const auto& level : MakeHierarchical(kind, bytes, local))
    {
        last = AppendCollective(level.local ? GetLocalSlot(slot) : slot,
                                parallelism,
                                level.kind,
                                level.bytes,
                                what + (level.local ? " on the node" : " on the rail"),
                                std::move(after));
        after = {{last, WHOLE}};
    }
    return last;
}

uint32_t
StageProgramWriter::AppendCollective(GroupSlot slot,
                                     Parallelism parallelism,
                                     CollectiveKind kind,
                                     uint64_t bytes,
                                     const std::string& what,
                                     std::vector<Dependency> after)
{
    const bool named = parallelism == Parallelism::TP || parallelism == Parallelism::CP;
    Operation o;
    o.slot = slot;
    o.parallelism = parallelism;
    o.kind = kind;
    o.bytes = bytes;
    o.counter = m_counters[static_cast<std::size_t>(slot)]++;
    o.label = (named ? photonic::ToString(parallelism) + std::string(" ") : "") +
              photonic::ToString(kind) + " " + what;
    o.after = std::move(after);
    return Append(std::move(o));
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
