/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPERATION_RECORD_H
#define PHOTONIC_OPERATION_RECORD_H

#include "ns3/cause.h"
#include "ns3/interval-union.h"
#include "ns3/step-program.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-job
 * @brief What is known of an operation when it is complete at a rank.
 */
struct OperationRecord
{
    /// Whose operation it is.
    uint32_t rank;
    /// Number, profiling steps included.
    uint32_t step;
    uint32_t index;             ///< in the rank's program
    const Operation* operation; ///< valid as long as the program
    bool scaleOut;              ///< it used NIC ports
    Time start;    ///< first bit at a port of the rank since it began the operation; start of a
                   ///< computation
    Time end;      ///< completion at the rank
    uint64_t sent; ///< payload bytes that the rank sent
    const IntervalUnion* traffic; ///< when bits passed the rank; null for a computation
    Time settled; ///< no operation that the rank completes later used its ports, or computed,
                  ///< before this
};

/**
 * @ingroup photonic-rails-job
 * @brief The end of a step at a rank.
 *
 * A rank begins its next step when its own ends, unless the gate holds it back: that wait belongs
 * to the step before.
 */
struct StepRecord
{
    /// Whose step it is.
    uint32_t rank;
    /// Number, profiling steps included.
    uint32_t step;
    Time start;  ///< when the rank began the step
    Time end;    ///< when it began the next one, or completed its last operation of the job
    Cause cause; ///< why it ended then
};

/**
 * @ingroup photonic-rails-job
 * @brief Whoever hears of all that ranks complete.
 */
class RankObserver
{
  public:
    virtual ~RankObserver() = default;

    /// @param record an operation that is complete at a rank
    virtual void OperationDone(const OperationRecord& record) = 0;

    /// @param record a step that is over at a rank
    virtual void StepDone(const StepRecord& record) = 0;

    /// @param rank that has failed now, before its last step was over
    virtual void RankFailed([[maybe_unused]] uint32_t rank)
    {
    }
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPERATION_RECORD_H
