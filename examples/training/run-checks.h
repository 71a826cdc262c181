/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RUN_CHECKS_H
#define PHOTONIC_RUN_CHECKS_H

#include "options.h"

#include "ns3/fabric-inventory.h"
#include "ns3/parallel-plan.h"
#include "ns3/phase-profile.h"

#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * What options have to be right about together, once the plan of the job is known.
 *
 * What refuses or checks throws std::invalid_argument, with one line for people.
 */
class RunChecks
{
  public:
    /// Both have to outlive this.
    RunChecks(const Options& options, const ParallelPlan& plan);

    /// A coarse fidelity cannot tell how operations share a port.
    void RefuseSharedLinks() const;

    /// Nor how they share a GPU's way into its node.
    void RefuseSharedNodes() const;

    /// With --strictMemory, a job that needs more memory than there is.
    void RefuseWhatDoesNotFit() const;

    /// @return a line for each stage whose ranks need more memory than a GPU has
    std::vector<std::string> GetMemoryWarnings() const;

    /// @param built parts of the fabric @return a line for each option that came to something else
    std::vector<std::string> GetFabricWarnings(const FabricInventory& built) const;

    /// Opus turns circuits between phases, and an operator graph has none.
    void RefuseTransfersOnRails() const;

    /// Circuits need two ports.
    void RefuseOnePort() const;

    /// Static circuits join a GPU to one data-parallel ring.
    void RefuseTwoRings() const;

    /// @param programs of the job, whose collectives circuits, or a fidelity, may not serve
    void RefuseAlgorithms(const std::vector<Ptr<const StepProgram>>& programs) const;

    /// @param processes that the job is to run in
    void RefuseWhatCannotBeDivided(uint32_t processes) const;

    /// @param programs of the stages @return seconds of a step in which nothing overlaps
    double GetLongestStep(const std::vector<Ptr<const StepProgram>>& programs) const;

    /// @param longestStep see GetLongestStep()
    void RefuseWhatOutrunsTheClock(double longestStep) const;

    /// @param profile that was read
    void CheckProfile(const PhaseProfile& profile) const;

    /// A profile that will be written at the end of the run has to have a place.
    void CheckProfileDirectory() const;

  private:
    void RefuseSharedWays() const;

    const Options& m_options;
    const ParallelPlan& m_plan;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RUN_CHECKS_H
