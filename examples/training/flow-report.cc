/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "flow-report.h"

#include "text.h"

#include <sstream>

namespace ns3
{
namespace photonic
{

FlowReport::FlowReport(const std::string& path, const ParallelPlan& plan, const NodeContainer& gpus)
    : m_file(path, "from,to,group,operation,transfer,bytes,posted_ms,completion_ms"),
      m_plan(plan)
{
    for (uint32_t rank = 0; rank < gpus.GetN(); rank++)
    {
        gpus.Get(rank)->GetObject<MessageEndpoint>()->TraceConnectWithoutContext(
            "Receive",
            MakeCallback(&FlowReport::Received, this));
    }
}

void
FlowReport::Received(const Message& message)
{
    if (m_plan.GetNode(message.source) == m_plan.GetNode(message.destination))
    {
        return;
    }
    std::ostringstream row;
    row << message.source << ',' << message.destination << ',' << message.key.communicator << ','
        << message.key.sequence << ',' << message.key.step << ',' << message.bytes << ','
        << InMilliseconds(message.posted) << ','
        << InMilliseconds(message.lastBit - message.posted);
    m_file.Write(row.str());
}

void
FlowReport::Flush()
{
    m_file.Flush();
}

} // namespace photonic
} // namespace ns3
