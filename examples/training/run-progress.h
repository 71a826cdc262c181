/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_RUN_PROGRESS_H
#define PHOTONIC_TRAINING_RUN_PROGRESS_H

#include "ns3/training-job.h"

#include <chrono>

namespace ns3
{
namespace photonic
{

/**
 * Progress on standard error while it is a terminal: share of the job's operations that are
 * complete, events per second and estimated time left. It looks when an operation completes, so
 * that it adds no events.
 */
class RunProgress
{
  public:
    /// @param job to be watched @param operations that it consists of
    RunProgress(Ptr<TrainingJob> job, uint64_t operations);
    /// Wipes the line.
    ~RunProgress();

  private:
    using Clock = std::chrono::steady_clock;

    void OperationDone(const OperationRecord& record);

    bool m_terminal;
    Ptr<TrainingJob> m_job;
    uint64_t m_operations;
    uint64_t m_done{0};
    Clock::time_point m_begin;
    Clock::time_point m_last;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_RUN_PROGRESS_H
