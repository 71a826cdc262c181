/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_RUN_FILES_H
#define PHOTONIC_TRAINING_RUN_FILES_H

#include "output-directory.h"

#include "ns3/opus-controller.h"
#include "ns3/phase-recorder.h"

#include <functional>
#include <memory>
#include <string>

namespace ns3
{
namespace photonic
{

/**
 * The files of measured steps: phases.csv, windows.csv and reconfigurations.csv. Steps are numbered
 * from 1.
 */
class RunFiles
{
  public:
    /**
     * Make the directory and the files.
     * @param directory where
     * @param reconfigurations whether the fabric has any
     * @param firstStep number of the first measured step in the job
     * @throws OutputError
     */
    RunFiles(const std::string& directory, bool reconfigurations, uint32_t firstStep);

    /// Remove what an earlier run may have left. @param directory of runs, which need not exist
    static void RemoveStale(const std::string& directory);

    /// @return path of a further file @param name of it
    std::string GetPath(const std::string& name) const;

    void Write(const Phase& phase);
    void Write(const Window& window);
    void Write(const OpusController::Record& request, bool exposed);

    /// Hand over what was written; at the end of a step. @throws OutputError
    void Flush();

    /// @param summary the content of summary.json @throws OutputError
    void WriteSummary(const std::string& summary);

  private:
    std::string m_directory;
    uint32_t m_firstStep;
    CsvFile m_phases;
    CsvFile m_windows;
    std::unique_ptr<CsvFile> m_reconfigurations;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_RUN_FILES_H
