/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_COMPARISON_H
#define PHOTONIC_COMPARISON_H

#include "options.h"
#include "run-processes.h"
#include "run-result.h"

#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * One job on all fabrics, each in a simulation of its own, with the same options but for the fabric
 * and its control.
 */
class Comparison
{
  public:
    /// Gets a line for people.
    using Note = std::function<void(const std::string&)>;

    /**
     * @param options of the job
     * @param processes one
     * @throws std::invalid_argument if options were given that differ between the fabrics, or that
     * a comparison has no use for
     */
    Comparison(const Options& options, RunProcesses& processes);

    /**
     * Simulate, and leave the files of each fabric in a directory of its own, if there is an output
     * directory.
     * @param note called for what a user should know, and for what goes wrong
     * @return whether all fabrics that do not refuse the job ran it to the end
     * @throws std::invalid_argument if all refuse the job
     * @throws OutputError
     */
    bool Run(const Note& note);

    /// Print a table. @param os where
    void Print(std::ostream& os) const;

    /// Write the table, if there is an output directory. @throws OutputError
    void Write() const;

  private:
    /// A fabric and what became of the job on it.
    struct Row
    {
        std::string name;
        std::string fabric;
        std::string control; ///< empty: it has none
        bool finished{false};
        std::string refusal{};
        RunResult result{};

        /// Nobody has published prices of silicon-photonic fabrics.
        bool IsPriced() const
        {
            return fabric != "sip-ocs" && fabric != "sip-ring";
        }
    };

    void Simulate(Row& row, const Note& note);

    Options m_options;
    RunProcesses& m_processes;
    std::vector<Row> m_rows;
    std::set<std::string> m_warned;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_COMPARISON_H
