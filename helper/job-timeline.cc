/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "job-timeline.h"

namespace ns3
{
namespace photonic
{

namespace
{

/// @param plan who is where @param rank which @return it and its place, for people
std::string
Name(const ParallelPlan& plan, uint32_t rank)
{
    const auto place = plan.GetCoordinates(rank);
    std::string text;
    for (const Dimension dimension : plan.GetDegrees().order)
    {
        if (plan.GetDegrees().Get(dimension) > 1)
        {
            text += std::string(text.empty() ? "" : " ") + ToString(dimension) + "=" +
                    std::to_string(place.Get(dimension));
        }
    }
    return "rank " + std::to_string(rank) + (text.empty() ? "" : " (" + text + ")");
}

} // namespace

JobTimeline::JobTimeline(std::shared_ptr<ChromeTrace> trace,
                         std::shared_ptr<TimelineRange> range,
                         const ParallelPlan& plan,
                         uint32_t railOrder,
                         uint32_t rankOrder)
    : m_trace(std::move(trace)),
      m_range(std::move(range)),
      m_plan(plan),
      m_railOrder(railOrder)
{
    m_range->begin = m_range->firstStep == 0 ? Time() : Time::Max();
    for (uint32_t rank = 0; rank < plan.GetRanks(); rank++)
    {
        m_processes.push_back(m_trace->AddProcess(Name(plan, rank), rankOrder + rank));
    }
    m_rails.resize(plan.GetDegrees().gpusPerNode, 0);
}

void
JobTimeline::Observe(Ptr<TrainingJob> job)
{
    const Ptr<JobTimeline> self(this);
    job->TraceConnectWithoutContext("Operation", MakeCallback(&JobTimeline::OperationDone, self));
    job->TraceConnectWithoutContext("Step", MakeCallback(&JobTimeline::StepDone, self));
    m_phases = CreateObject<PhaseRecorder>();
    m_phases->Observe(job, m_plan);
    m_phases->TraceConnectWithoutContext("Phase", MakeCallback(&JobTimeline::PhaseDone, self));
}

uint32_t
JobTimeline::GetProcess(uint32_t rank) const
{
    return m_processes.at(rank);
}

ChromeTrack&
JobTimeline::GetTrack(uint32_t process, uint32_t order, const std::string& name)
{
    return m_tracks.try_emplace({process, order}, process, name, order).first->second;
}

void
JobTimeline::StepDone(const StepRecord& record)
{
    if (record.step + 1 == m_range->firstStep)
    {
        m_range->begin = std::min(m_range->begin, record.end);
    }
}

void
JobTimeline::OperationDone(const OperationRecord& record)
{
    if (!m_range->Has(record.step))
    {
        return;
    }
    const Operation& operation = *record.operation;
    const bool compute = operation.IsCompute();
    const std::string stream = compute ? "compute" : ToString(operation.slot);
    const uint32_t order = compute ? 0 : 1 + static_cast<uint32_t>(operation.slot);
    const auto lane =
        GetTrack(m_processes[record.rank], order, stream).Take(*m_trace, record.start, record.end);
    ChromeTrace::Arguments arguments;
    arguments.Add("step", record.step - m_range->firstStep + 1).Add("operation", record.index);
    if (!compute)
    {
        arguments.Add("kind", ToString(operation.kind))
            .Add("counted as", ToString(operation.parallelism))
            .Add("counter", operation.counter)
            .Add("bytes", operation.bytes)
            .Add("bytes sent", record.sent)
            .Add("way", record.scaleOut ? "rail" : "scale-up domain");
    }
    m_trace->AddSlice(lane,
                      operation.label.empty() ? stream : operation.label,
                      compute ? "computation" : "communication",
                      record.start,
                      record.end,
                      arguments);
    if (operation.slot == GroupSlot::PP_NEXT || operation.slot == GroupSlot::PP_PREVIOUS ||
        operation.slot == GroupSlot::MP)
    {
        AddTransfers(record, lane);
    }
}

JobTimeline::Peer
JobTimeline::GetPeer(uint32_t rank, const Operation& operation)
{
    if (operation.slot == GroupSlot::MP)
    {
        return {0, m_plan.GetGroup(rank, GroupSlot::MP).ranks[operation.peer]};
    }
    auto [it, added] = m_peers.try_emplace({rank, operation.slot});
    if (added)
    {
        const auto group = m_plan.GetGroup(rank, operation.slot);
        it->second = {group.id, group.ranks[operation.slot == GroupSlot::PP_NEXT ? 1 : 0]};
    }
    return it->second;
}

void
JobTimeline::AddTransfers(const OperationRecord& record, const ChromeTrace::Lane& lane)
{
    const Operation& operation = *record.operation;
    const Peer peer = GetPeer(record.rank, operation);
    const auto keyOf = [&](uint32_t sender) {
        // The counter of a transfer in an operator graph is that of its two ranks.
        const uint32_t pair = operation.slot == GroupSlot::MP
                                  ? std::min(record.rank, peer.rank) * m_plan.GetRanks() +
                                        std::max(record.rank, peer.rank)
                                  : peer.group;
        return TransferKey(record.step, pair, operation.counter, sender);
    };
    if (operation.kind != CollectiveKind::RECEIVE)
    {
        m_transfers[keyOf(record.rank)].from = {lane, record.start};
        Join(keyOf(record.rank));
    }
    if (operation.kind != CollectiveKind::SEND)
    {
        m_transfers[keyOf(peer.rank)].to = {lane, ChromeTrace::GetLast(record.start, record.end)};
        Join(keyOf(peer.rank));
    }
}

void
JobTimeline::Join(const TransferKey& key)
{
    const auto it = m_transfers.find(key);
    const auto& [from, to] = it->second;
    if (from.lane.thread != 0 && to.lane.thread != 0)
    {
        m_trace->AddArrow("transfer", from.lane, from.at, to.lane, std::max(from.at, to.at));
        m_transfers.erase(it);
    }
}

void
JobTimeline::PhaseDone(const Phase& phase)
{
    if (!m_range->Has(phase.step) || phase.start > phase.end)
    {
        return;
    }
    uint32_t& process = m_rails.at(phase.rail);
    if (process == 0)
    {
        process =
            m_trace->AddProcess("rail " + std::to_string(phase.rail), m_railOrder + phase.rail);
    }
    const auto lane = GetTrack(process, phase.stage, "stage " + std::to_string(phase.stage))
                          .Take(*m_trace, phase.start, phase.end);
    m_trace->AddSlice(lane,
                      ToString(phase.parallelism),
                      "phase",
                      phase.start,
                      phase.end,
                      ChromeTrace::Arguments()
                          .Add("step", phase.step - m_range->firstStep + 1)
                          .Add("phase", phase.number)
                          .Add("collectives", phase.collectives)
                          .Add("bytes", phase.bytes));
}

} // namespace photonic
} // namespace ns3
