/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run-progress.h"

#include "ns3/simulator.h"

#include <cstdio>
#include <unistd.h>

namespace ns3
{
namespace photonic
{

RunProgress::RunProgress(Ptr<TrainingJob> job, uint64_t operations)
    : m_terminal(isatty(STDERR_FILENO)),
      m_job(job),
      m_operations(operations),
      m_begin(Clock::now()),
      m_last(m_begin)
{
    if (m_terminal)
    {
        job->TraceConnectWithoutContext("Operation",
                                        MakeCallback(&RunProgress::OperationDone, this));
    }
}

RunProgress::~RunProgress()
{
    if (m_terminal)
    {
        m_job->TraceDisconnectWithoutContext("Operation",
                                             MakeCallback(&RunProgress::OperationDone, this));
        std::fprintf(stderr, "\r\033[K");
    }
}

void
RunProgress::OperationDone(const OperationRecord& record)
{
    m_done++;
    const auto now = Clock::now();
    if (now - m_last < std::chrono::milliseconds(500))
    {
        return;
    }
    m_last = now;
    const double elapsed = std::chrono::duration<double>(now - m_begin).count();
    std::fprintf(stderr,
                 "\r\033[Kstep %u, %.1f %% of the job, %.2f million events/s, %.0f s left",
                 record.step + 1,
                 100.0 * m_done / m_operations,
                 Simulator::GetEventCount() / elapsed / 1e6,
                 elapsed * (m_operations - m_done) / m_done);
    std::fflush(stderr);
}

} // namespace photonic
} // namespace ns3
