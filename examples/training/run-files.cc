/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run-files.h"

#include "text.h"

#include <cstdio>
#include <sstream>

namespace ns3
{
namespace photonic
{

namespace
{

const char* const PHASES = "rail,pp_stage,step,phase,parallelism,collectives,start_ms,end_ms,bytes";
const char* const WINDOWS =
    "rail,pp_stage,step,from,to,start_ms,duration_ms,bytes_before,bytes_after";
const char* const RECONFIGURATIONS =
    "rail,step,group,parallelism,requested_ms,fired_ms,dark_ms,done_ms,ports_changed,exposed";

/// The directory has to exist before the first file in it; and before there are files of this run,
/// those that it may not write have to go, which would be taken for a part of it.
std::string
Made(const std::string& directory)
{
    MakeDirectory(directory);
    RunFiles::RemoveStale(directory);
    return directory;
}

} // namespace

RunFiles::RunFiles(const std::string& directory, bool reconfigurations, uint32_t firstStep)
    : m_directory(Made(directory)),
      m_firstStep(firstStep),
      m_phases(directory + "/phases.csv", PHASES),
      m_windows(directory + "/windows.csv", WINDOWS)
{
    if (reconfigurations)
    {
        m_reconfigurations =
            std::make_unique<CsvFile>(directory + "/reconfigurations.csv", RECONFIGURATIONS);
    }
}

void
RunFiles::RemoveStale(const std::string& directory)
{
    for (const char* name :
         {"/summary.json", "/reconfigurations.csv", "/ports.csv", "/flows.csv", "/comparison.csv"})
    {
        std::remove((directory + name).c_str());
        std::remove((directory + name + ".tmp").c_str()); // of a run that was killed
    }
}

std::string
RunFiles::GetPath(const std::string& name) const
{
    return m_directory + "/" + name;
}

void
RunFiles::Write(const Phase& phase)
{
    std::ostringstream row;
    row << phase.rail << ',' << phase.stage << ',' << phase.step - m_firstStep + 1 << ','
        << phase.number << ',' << ToString(phase.parallelism) << ',' << phase.collectives << ','
        << InMilliseconds(phase.start) << ',' << InMilliseconds(phase.end) << ',' << phase.bytes;
    m_phases.Write(row.str());
}

void
RunFiles::Write(const Window& window)
{
    std::ostringstream row;
    row << window.rail << ',' << window.stage << ',' << window.step - m_firstStep + 1 << ','
        << ToString(window.from) << ',' << ToString(window.to) << ','
        << InMilliseconds(window.start) << ',' << InMilliseconds(window.duration) << ','
        << window.bytesBefore << ',' << window.bytesAfter;
    m_windows.Write(row.str());
}

void
RunFiles::Write(const OpusController::Record& request, bool exposed)
{
    std::ostringstream row;
    row << request.rail << ',' << request.key.step - m_firstStep + 1 << ',' << request.key.group
        << ',' << ToString(GetParallelism(request.slot)) << ',' << InMilliseconds(request.requested)
        << ',' << InMilliseconds(request.fired) << ',' << InMilliseconds(request.dark) << ','
        << InMilliseconds(request.done) << ',' << request.portsChanged << ',' << (exposed ? 1 : 0);
    m_reconfigurations->Write(row.str());
}

void
RunFiles::Flush()
{
    m_phases.Flush();
    m_windows.Flush();
    if (m_reconfigurations)
    {
        m_reconfigurations->Flush();
    }
}

void
RunFiles::WriteSummary(const std::string& summary)
{
    Flush();
    WriteWhole(m_directory + "/summary.json", summary);
}

} // namespace photonic
} // namespace ns3
