/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FLOW_REPORT_H
#define PHOTONIC_FLOW_REPORT_H

#include "output-directory.h"

#include "ns3/training-job-helper.h"

namespace ns3
{
namespace photonic
{

/**
 * flows.csv: a row for each message between two nodes when it has arrived, with its ranks, group,
 * operation and bytes, when it was handed over and how long it took from then on.
 */
class FlowReport
{
  public:
    /**
     * @param path of the file
     * @param plan who is where
     * @param gpus by rank, with endpoints
     * @throws OutputError
     */
    FlowReport(const std::string& path, const ParallelPlan& plan, const NodeContainer& gpus);

    /// Hand over what was written. @throws OutputError
    void Flush();

  private:
    void Received(const Message& message);

    CsvFile m_file;
    ParallelPlan m_plan;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FLOW_REPORT_H
