/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TIMELINE_RANGE_H
#define PHOTONIC_TIMELINE_RANGE_H

#include "ns3/nstime.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief What a timeline shows of a run.
 */
struct TimelineRange
{
    /// Number of the first step, shown as 1.
    uint32_t firstStep{0};
    /// When the first rank begins it; Time::Max() until one has.
    Time begin;

    /// @param step number of it @return whether it is shown
    bool Has(uint32_t step) const
    {
        return step >= firstStep;
    }

    /// @param end of something @return whether part of it is shown
    bool ShowsUntil(Time end) const
    {
        return end > begin || begin.IsZero();
    }

    /// @param start of something @return where the part that is shown starts
    Time Clip(Time start) const
    {
        return std::max(start, begin);
    }
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TIMELINE_RANGE_H
