/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run-timeline.h"

#include "output-directory.h"

namespace ns3
{
namespace photonic
{

RunTimeline::RunTimeline(const std::string& path, uint32_t firstStep)
    : m_path(path),
      m_file(OpenOutput(path)),
      m_helper(m_file, firstStep)
{
    Flush();
}

TimelineHelper&
RunTimeline::GetHelper()
{
    return m_helper;
}

void
RunTimeline::Flush()
{
    FlushOutput(m_file, m_path);
}

void
RunTimeline::Close()
{
    m_helper.Close();
    Flush();
}

} // namespace photonic
} // namespace ns3
