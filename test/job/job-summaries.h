/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_JOB_SUMMARIES_H
#define PHOTONIC_JOB_SUMMARIES_H

#include "test-job.h"

#include "ns3/job-statistics.h"

namespace ns3
{
namespace photonic
{

/// Run a job to its end. @return what JobStatistics says of its steps
inline std::vector<StepSummary>
RunAndSum(TestJob& t)
{
    auto statistics = CreateObject<JobStatistics>();
    std::vector<StepSummary> summaries;
    statistics->TraceConnectWithoutContext(
        "Step",
        Callback<void, const StepSummary&>(
            [&summaries](const StepSummary& s) { summaries.push_back(s); }));
    statistics->Observe(t.job);
    t.Run();
    return summaries;
}

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_JOB_SUMMARIES_H
