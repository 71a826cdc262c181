/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "chrome-trace.h"

#include "ns3/input-text.h"

#include <algorithm>
#include <cstdio>

namespace ns3
{
namespace photonic
{

namespace
{

/// Identifiers of processes are this far apart: a thread with its process's is its main thread.
constexpr uint32_t PROCESS_STRIDE = 1000;

/// Rows of a track that come right after the first.
constexpr uint32_t TRACK_STRIDE = 1000;

/// @param nanoseconds at least 0 @return microseconds, which the format counts in
std::string
InMicroseconds(int64_t nanoseconds)
{
    char text[32];
    std::snprintf(text,
                  sizeof(text),
                  "%lld.%03lld",
                  static_cast<long long>(nanoseconds / 1000),
                  static_cast<long long>(nanoseconds % 1000));
    return text;
}

} // namespace

ChromeTrace::Arguments&
ChromeTrace::Arguments::Add(const std::string& name, uint64_t value)
{
    m_text += (m_text.empty() ? "" : ",") + QuoteJson(name) + ":" + std::to_string(value);
    return *this;
}

ChromeTrace::Arguments&
ChromeTrace::Arguments::Add(const std::string& name, const std::string& value)
{
    m_text += (m_text.empty() ? "" : ",") + QuoteJson(name) + ":" + QuoteJson(value);
    return *this;
}

ChromeTrace::ChromeTrace(std::ostream& os)
    : m_os(os)
{
    m_os << '[';
}

void
ChromeTrace::Begin(const char* phase, const Lane& lane)
{
    m_os << (m_first ? "\n" : ",\n") << "{\"ph\":\"" << phase << "\",\"pid\":" << lane.process
         << ",\"tid\":" << lane.thread;
    m_first = false;
}

void
ChromeTrace::Describe(const char* what, const Lane& lane, const std::string& name, uint32_t order)
{
    Begin("M", lane);
    m_os << ",\"name\":\"" << what << "_name\",\"args\":{\"name\":" << QuoteJson(name) << "}}";
    Begin("M", lane);
    m_os << ",\"name\":\"" << what << "_sort_index\",\"args\":{\"sort_index\":" << order << "}}";
}

uint32_t
ChromeTrace::AddProcess(const std::string& name, uint32_t order)
{
    m_lanes.push_back(0);
    const uint32_t process = m_lanes.size() * PROCESS_STRIDE;
    Describe("process", {process, 0}, name, order);
    return process;
}

ChromeTrace::Lane
ChromeTrace::AddLane(uint32_t process, const std::string& name, uint32_t order)
{
    const Lane lane{process, ++m_lanes.at(process / PROCESS_STRIDE - 1)};
    Describe("thread", lane, name, order);
    return lane;
}

// A beginning and an end rather than one event with a length: viewers count in binary fractions of
// a microsecond, in which an instant is always the same, but the sum of a start and a length is
// not.
void
ChromeTrace::BeginBar(const Lane& lane,
                      const std::string& name,
                      const char* category,
                      int64_t start)
{
    Begin("B", lane);
    m_os << ",\"ts\":" << InMicroseconds(start) << ",\"name\":" << QuoteJson(name) << ",\"cat\":\""
         << category << '"';
}

void
ChromeTrace::EndBar(const Lane& lane, int64_t end)
{
    Begin("E", lane);
    m_os << ",\"ts\":" << InMicroseconds(end) << '}';
}

void
ChromeTrace::AddSlice(const Lane& lane,
                      const std::string& name,
                      const char* category,
                      Time start,
                      Time end,
                      const Arguments& arguments,
                      const std::vector<Part>& parts)
{
    int64_t from = start.GetNanoSeconds();
    const int64_t to = std::max(end.GetNanoSeconds(), from + 1);
    BeginBar(lane, name, category, from);
    m_os << (arguments.m_text.empty() ? "" : ",\"args\":{" + arguments.m_text + '}') << '}';
    for (const auto& part : parts)
    {
        const int64_t partEnd = part.end.GetNanoSeconds();
        if (partEnd > from)
        {
            BeginBar(lane, part.name, category, from);
            m_os << '}';
            EndBar(lane, partEnd);
            from = partEnd;
        }
    }
    EndBar(lane, to);
}

void
ChromeTrace::AddArrow(const char* name, const Lane& from, Time start, const Lane& to, Time end)
{
    m_arrows++;
    const auto write = [&](const char* phase, const Lane& lane, Time at, const char* rest) {
        Begin(phase, lane);
        m_os << ",\"ts\":" << InMicroseconds(at.GetNanoSeconds()) << ",\"name\":\"" << name
             << "\",\"cat\":\"arrow\",\"id\":" << m_arrows << rest;
    };
    write("s", from, start, "}");
    write("f", to, end, ",\"bp\":\"e\"}"); // "e": at the bar around it, not at the next one
}

void
ChromeTrace::Close()
{
    m_os << "\n]\n";
}

Time
ChromeTrace::GetLast(Time start, Time end)
{
    return std::max(start, NanoSeconds(end.GetNanoSeconds() - 1));
}

ChromeTrack::ChromeTrack(uint32_t process, const std::string& name, uint32_t order)
    : m_process(process),
      m_name(name),
      m_order(order)
{
}

ChromeTrace::Lane
ChromeTrack::Take(ChromeTrace& trace, Time start, Time end)
{
    const Time busy = NanoSeconds(std::max(start.GetNanoSeconds() + 1, end.GetNanoSeconds()));
    for (auto& row : m_rows)
    {
        if (row.free.GetNanoSeconds() <= start.GetNanoSeconds())
        {
            row.free = busy;
            return row.lane;
        }
    }
    const std::size_t rows = m_rows.size();
    const auto name = rows == 0 ? m_name : m_name + " (" + std::to_string(rows + 1) + ")";
    m_rows.push_back({trace.AddLane(m_process, name, m_order * TRACK_STRIDE + rows), busy});
    return m_rows.back().lane;
}

} // namespace photonic
} // namespace ns3
