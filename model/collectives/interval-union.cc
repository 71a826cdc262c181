/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "interval-union.h"

namespace ns3
{
namespace photonic
{

void
IntervalUnion::Insert(Time start, Time end)
{
    if (end <= start)
    {
        return;
    }
    // Intervals come roughly in order of their ends, so that the search is short.
    auto last = m_intervals.end();
    while (last != m_intervals.begin() && std::prev(last)->start > end)
    {
        --last;
    }
    auto first = last;
    while (first != m_intervals.begin() && std::prev(first)->end >= start)
    {
        --first;
        start = std::min(start, first->start);
        end = std::max(end, first->end);
    }
    first = m_intervals.erase(first, last);
    m_intervals.insert(first, {start, end});
}

void
IntervalUnion::Add(const IntervalUnion& other)
{
    for (const auto& interval : other.m_intervals)
    {
        Add(interval.start, interval.end);
    }
}

const IntervalUnion::Intervals&
IntervalUnion::Get() const
{
    return m_intervals;
}

IntervalUnion
IntervalUnion::TakeBefore(Time until)
{
    IntervalUnion taken;
    auto it = m_intervals.begin();
    for (; it != m_intervals.end() && it->start < until; ++it)
    {
        taken.m_intervals.push_back({it->start, std::min(it->end, until)});
        if (it->end > until)
        {
            it->start = until;
            break;
        }
    }
    m_intervals.erase(m_intervals.begin(), it);
    return taken;
}

Time
IntervalUnion::GetLength() const
{
    Time length;
    for (const auto& interval : m_intervals)
    {
        length += interval.end - interval.start;
    }
    return length;
}

Time
IntervalUnion::GetLengthWithout(const IntervalUnion& other) const
{
    Time shared;
    auto theirs = other.m_intervals.begin();
    for (const auto& ours : m_intervals)
    {
        while (theirs != other.m_intervals.end() && theirs->end <= ours.start)
        {
            ++theirs;
        }
        for (auto it = theirs; it != other.m_intervals.end() && it->start < ours.end; ++it)
        {
            shared += std::min(it->end, ours.end) - std::max(it->start, ours.start);
        }
    }
    return GetLength() - shared;
}

} // namespace photonic
} // namespace ns3
