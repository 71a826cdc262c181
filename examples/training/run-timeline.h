/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_RUN_TIMELINE_H
#define PHOTONIC_TRAINING_RUN_TIMELINE_H

#include "ns3/timeline-helper.h"

#include <fstream>
#include <string>

namespace ns3
{
namespace photonic
{

/**
 * The file of --timeline. Whenever the run ends, whole lines of it can be opened.
 */
class RunTimeline
{
  public:
    /// @param path of the file @param firstStep the first one that is shown @throws OutputError
    RunTimeline(const std::string& path, uint32_t firstStep);

    /// @return shows what it is installed on
    TimelineHelper& GetHelper();

    /// Hand over what was written; at the end of a step. @throws OutputError
    void Flush();

    /// Write the end, after the simulation. @throws OutputError
    void Close();

  private:
    std::string m_path;
    std::ofstream m_file;
    TimelineHelper m_helper;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_RUN_TIMELINE_H
