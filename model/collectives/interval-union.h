/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_INTERVAL_UNION_H
#define PHOTONIC_INTERVAL_UNION_H

#include "ns3/nstime.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief A set of instants, as disjoint intervals in order.
 */
class IntervalUnion
{
  public:
    /// From a start to a later end.
    struct Interval
    {
        /// Included.
        Time start;
        /// Not included.
        Time end;
    };

    /// Mostly there are few.
    using Intervals = boost::container::small_vector<Interval, 4>;

    /// @param start of an interval @param end of it; nothing is added unless it is after the start
    void Add(Time start, Time end)
    {
        // Mostly it goes on where the last one ended.
        if (!m_intervals.empty() && m_intervals.back().start <= start &&
            start <= m_intervals.back().end)
        {
            m_intervals.back().end = std::max(m_intervals.back().end, end);
            return;
        }
        Insert(start, end);
    }

    /// @param other all of whose instants are added
    void Add(const IntervalUnion& other);

    /// @return the disjoint intervals, in order
    const Intervals& Get() const;

    /// @param until an instant @return what lies before it, which is taken out of the set
    IntervalUnion TakeBefore(Time until);

    /// @return their total length
    Time GetLength() const;

    /// @param other a set @return length of what is in this set and not in the other
    Time GetLengthWithout(const IntervalUnion& other) const;

  private:
    void Insert(Time start, Time end);

    Intervals m_intervals;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_INTERVAL_UNION_H
