/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "shared-job.h"

#include "process-group.h"
#include "process-links.h"

#include "ns3/mpi-interface.h"
#include "ns3/node.h"
#include "ns3/partition.h"
#include "ns3/remote-tags.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// Appends values as they are in memory: all processes are the same program.
class Writer
{
  public:
    template <typename T>
    Writer& operator<<(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>, "only its bytes are written");
        bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
        return *this;
    }

    std::string bytes;
};

/// Reads what a Writer has written.
class Reader
{
  public:
    explicit Reader(const std::string& bytes)
        : m_bytes(bytes)
    {
    }

    bool IsAtEnd() const
    {
        return m_at == m_bytes.size();
    }

    template <typename T>
    T Get()
    {
        if (m_bytes.size() - m_at < sizeof(T))
        {
            throw std::logic_error("the records of another process are cut short");
        }
        T value;
        std::memcpy(&value, m_bytes.data() + m_at, sizeof(value));
        m_at += sizeof(value);
        return value;
    }

    Time GetTime()
    {
        return TimeStep(Get<int64_t>());
    }

  private:
    const std::string& m_bytes;
    std::size_t m_at{0};
};

void
Write(Writer& writer, const Cause& cause)
{
    const CauseTag tag(cause);
    std::vector<uint8_t> bytes(tag.GetSerializedSize());
    tag.Serialize(TagBuffer(bytes.data(), bytes.data() + bytes.size()));
    writer << uint64_t(bytes.size());
    for (uint8_t byte : bytes)
    {
        writer << byte;
    }
}

Cause
ReadCause(Reader& reader)
{
    std::vector<uint8_t> bytes(reader.Get<uint64_t>());
    for (auto& byte : bytes)
    {
        byte = reader.Get<uint8_t>();
    }
    CauseTag tag;
    tag.Deserialize(TagBuffer(bytes.data(), bytes.data() + bytes.size()));
    return tag.GetCause();
}

} // namespace

SharedJob::SharedJob(Ptr<TrainingJob> job)
    : m_job(job)
{
    job->SetRecorder(this);
    job->TraceConnectWithoutContext("Finished", MakeCallback(&SharedJob::Finished, this));
    ProcessLinks::Get().SetJobHandler([this](const RemoteMessage& message) {
        if (message.kind == RemoteMessage::PROCESS_FINISHED)
        {
            ProcessFinished();
        }
        else
        {
            Simulator::Stop(message.at - Simulator::Now());
        }
    });
    const auto& ranks = job->GetRanks();
    if (std::all_of(ranks.begin(), ranks.end(), [](const Ptr<RankApplication>& rank) {
            return IsRemote(rank->GetNode());
        }))
    {
        Simulator::ScheduleNow(&SharedJob::Finished, this);
    }
}

SharedJob::~SharedJob()
{
    m_job->SetRecorder(nullptr);
}

void
SharedJob::Record(const OperationRecord& record)
{
    m_kept.push_back(KeptOperation{record, record.traffic ? *record.traffic : IntervalUnion()});
}

void
SharedJob::Record(const StepRecord& record)
{
    m_kept.push_back(record);
}

void
SharedJob::Finished()
{
    if (MpiInterface::GetSystemId() == 0)
    {
        ProcessFinished();
        return;
    }
    ProcessLinks::Get().SendSoon(0, RemoteMessage(RemoteMessage::PROCESS_FINISHED, 0), nullptr);
}

void
SharedJob::ProcessFinished()
{
    if (++m_finished < MpiInterface::GetSize())
    {
        return;
    }
    // At one instant for all, by which all can know of it.
    auto& links = ProcessLinks::Get();
    Time wait;
    for (uint32_t system = 1; system < MpiInterface::GetSize(); system++)
    {
        wait = std::max(wait, links.GetLead(system));
    }
    RemoteMessage stop(RemoteMessage::STOP, 0);
    stop.at = Simulator::Now() + wait;
    for (uint32_t system = 1; system < MpiInterface::GetSize(); system++)
    {
        links.SendSoon(system, stop, nullptr);
    }
    Simulator::Stop(wait);
}

bool
SharedJob::IsFinished() const
{
    return ProcessGroup::Sum(uint64_t(m_job->IsFinished())) == MpiInterface::GetSize();
}

Time
SharedJob::GetEnd(const Kept& kept)
{
    const auto* operation = std::get_if<KeptOperation>(&kept);
    return operation ? operation->record.end : std::get<StepRecord>(kept).end;
}

void
SharedJob::Replay()
{
    const auto all = ProcessGroup::Gather(MpiInterface::GetSystemId() == 0 ? "" : Serialise());
    if (all.empty())
    {
        return;
    }
    for (const auto& bytes : all)
    {
        Deserialise(bytes);
    }
    std::stable_sort(m_kept.begin(), m_kept.end(), [](const Kept& a, const Kept& b) {
        return GetEnd(a) < GetEnd(b);
    });
    for (auto& kept : m_kept)
    {
        if (auto* operation = std::get_if<KeptOperation>(&kept))
        {
            OperationRecord& record = operation->record;
            record.operation =
                &m_job->GetRanks()[record.rank]->GetProgram().GetOperations()[record.index];
            record.traffic = record.operation->IsCompute() ? nullptr : &operation->traffic;
            m_job->Replay(record);
        }
        else
        {
            m_job->Replay(std::get<StepRecord>(kept));
        }
    }
    m_kept.clear();
}

std::string
SharedJob::Serialise() const
{
    Writer writer;
    for (const auto& kept : m_kept)
    {
        const auto* operation = std::get_if<KeptOperation>(&kept);
        writer << bool(operation);
        if (!operation)
        {
            const auto& step = std::get<StepRecord>(kept);
            writer << step.rank << step.step << step.start.GetTimeStep() << step.end.GetTimeStep();
            Write(writer, step.cause);
            continue;
        }
        const auto& record = operation->record;
        writer << record.rank << record.step << record.index << record.scaleOut
               << record.start.GetTimeStep() << record.end.GetTimeStep() << record.sent
               << uint64_t(operation->traffic.Get().size());
        for (const auto& interval : operation->traffic.Get())
        {
            writer << interval.start.GetTimeStep() << interval.end.GetTimeStep();
        }
    }
    return std::move(writer.bytes);
}

void
SharedJob::Deserialise(const std::string& bytes)
{
    Reader reader(bytes);
    while (!reader.IsAtEnd())
    {
        if (!reader.Get<bool>())
        {
            StepRecord step{};
            step.rank = reader.Get<uint32_t>();
            step.step = reader.Get<uint32_t>();
            step.start = reader.GetTime();
            step.end = reader.GetTime();
            step.cause = ReadCause(reader);
            m_kept.push_back(step);
            continue;
        }
        KeptOperation kept{};
        kept.record.rank = reader.Get<uint32_t>();
        kept.record.step = reader.Get<uint32_t>();
        kept.record.index = reader.Get<uint32_t>();
        kept.record.scaleOut = reader.Get<bool>();
        kept.record.start = reader.GetTime();
        kept.record.end = reader.GetTime();
        kept.record.sent = reader.Get<uint64_t>();
        for (uint64_t left = reader.Get<uint64_t>(); left > 0; left--)
        {
            const Time start = reader.GetTime();
            kept.traffic.Add(start, reader.GetTime());
        }
        m_kept.push_back(std::move(kept));
    }
}

} // namespace photonic
} // namespace ns3
